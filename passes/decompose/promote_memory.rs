//! `mdh-promote-memory`: assigns memory regions and layouts to the buffers of each step (D3, D4, S3 to S6, R3, R4).
//! After this pass, the chain has all tuning parameters, so the schedule attribute is removed.
//!
//! ```mlir
//! mdh.lowlevel.system @simple memory [MM: global] cores []
//! func.func @mv(%M: tensor<6x8xf32>, %v: tensor<8xf32>) -> tensor<6xf32> {
//!   %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
//!       : (tensor<6x8xf32>, tensor<8xf32>) -> !mdh.mda<6x8, f32, f32>
//!   %i = mdh.lowlevel.decompose %in level(1, 1) parts 6 tag #mdh.tag<MM, x> : !mdh.mda<6x8, f32, f32>
//!   %k = mdh.lowlevel.decompose %i level(1, 2) parts 8 tag #mdh.tag<MM, y> : !mdh.mda<6x8, f32, f32>
//!   %s = mdh.lowlevel.scalar %k on @simple order [[1, 2]] tags [#mdh.tag<MM, x>, #mdh.tag<MM, y>]
//!       attributes {mdh.schedule = {decompose = {tags = [["MM,x", "MM,y"]]}, parts = [array<i64: 6, 8>], system = @simple}} {
//!   ^bb0(%a: f32, %b: f32):
//!     %p = arith.mulf %a, %b : f32
//!     mdh.hom.yield %p : f32
//!   } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
//!   %c = mdh.lowlevel.recompose %s combine #mdh.pw<add> level(1, 2) parts 8 tag #mdh.tag<MM, y> : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
//!   %r = mdh.lowlevel.recompose %c combine #mdh.cc level(1, 1) parts 6 tag #mdh.tag<MM, x> : !mdh.mda<6x1, f32> -> !mdh.mda<6x1, f32>
//!   %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
//!   return %w : tensor<6xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! %i = mdh.lowlevel.decompose %in level(1, 1) parts 6 tag #mdh.tag<MM, x> reads [MM[1, 2], MM[1]] : ..
//! %k = mdh.lowlevel.decompose %i level(1, 2) parts 8 tag #mdh.tag<MM, y> reads [MM[1, 2], MM[1]] : ..
//! %s = mdh.lowlevel.scalar %k on @simple order [[1, 2]] tags .. reads [MM[1, 2], MM[1]] writes [MM[1]] {
//! %c = mdh.lowlevel.recompose %s combine #mdh.pw<add> level(1, 2) parts 8 tag #mdh.tag<MM, y> writes [MM[1]] : ..
//! %r = mdh.lowlevel.recompose %c combine #mdh.cc level(1, 1) parts 6 tag #mdh.tag<MM, x> writes [MM[1]] : ..
//! ```
use crate::notation::chain;
use mdh_dialects::{
    ir::Op,
    lowlevel::StepView,
    pass::{Failure, MdhPass},
};

/// The pass.
pub struct PromoteMemory;

impl MdhPass for PromoteMemory {
    const NAME: &'static str = "PromoteMemory";
    const ARGUMENT: &'static str = "mdh-promote-memory";
    const DESCRIPTION: &'static str = "Assign memory regions and layouts to low-level steps";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        run(module)
    }
}

/// Places the buffers of every chain among an operation and its descendants; a chain with placements is unchanged.
pub fn run<'c>(root: Op<'c>) -> Result<(), Failure<'c>> {
    for (computation, scalar, schedule) in chain::attached_among(root, |computation| {
        chain::require_tags(computation)?;
        chain::require_placements(computation)
    })? {
        chain::require_tags(&computation)?;
        for (view, step) in computation.decompose.iter().zip(&schedule.decompose) {
            view.set_placements(&step.placements);
        }
        scalar.set_placements(&schedule.scalar.reads, &schedule.scalar.writes);
        for (view, step) in computation.recompose.iter().zip(schedule.recompose.iter().rev()) {
            view.set_placements(&step.placements);
        }
        scalar.remove_schedule();
    }
    Ok(())
}
