//! `mdh-tag-operators`: assigns each step to a level of the system (D2, S2, R2).
//!
//! ```mlir
//! mdh.lowlevel.system @simple memory [MM: global] cores []
//! func.func @mv(%M: tensor<6x8xf32>, %v: tensor<8xf32>) -> tensor<6xf32> {
//!   %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
//!       : (tensor<6x8xf32>, tensor<8xf32>) -> !mdh.mda<6x8, f32, f32>
//!   %i = mdh.lowlevel.decompose %in level(1, 1) parts 6 : !mdh.mda<6x8, f32, f32>
//!   %k = mdh.lowlevel.decompose %i level(1, 2) parts 8 : !mdh.mda<6x8, f32, f32>
//!   %s = mdh.lowlevel.scalar %k on @simple order [[1, 2]]
//!       attributes {mdh.schedule = {decompose = {tags = [["MM,x", "MM,y"]]}, parts = [array<i64: 6, 8>], system = @simple}} {
//!   ^bb0(%a: f32, %b: f32):
//!     %p = arith.mulf %a, %b : f32
//!     mdh.hom.yield %p : f32
//!   } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
//!   %c = mdh.lowlevel.recompose %s combine #mdh.pw<add> level(1, 2) parts 8 : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
//!   %r = mdh.lowlevel.recompose %c combine #mdh.cc level(1, 1) parts 6 : !mdh.mda<6x1, f32> -> !mdh.mda<6x1, f32>
//!   %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
//!   return %w : tensor<6xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! %i = mdh.lowlevel.decompose %in level(1, 1) parts 6 tag #mdh.tag<MM, x> : ..
//! %k = mdh.lowlevel.decompose %i level(1, 2) parts 8 tag #mdh.tag<MM, y> : ..
//! %s = mdh.lowlevel.scalar %k on @simple order [[1, 2]] tags [#mdh.tag<MM, x>, #mdh.tag<MM, y>] ..
//! %c = mdh.lowlevel.recompose %s combine #mdh.pw<add> level(1, 2) parts 8 tag #mdh.tag<MM, y> : ..
//! %r = mdh.lowlevel.recompose %c combine #mdh.cc level(1, 1) parts 6 tag #mdh.tag<MM, x> : ..
//! ```
use crate::notation::chain;
use mdh_dialects::{
    ir::Op,
    lowlevel::StepView,
    pass::{Failure, MdhPass},
};

/// The pass.
pub struct TagOperators;

impl MdhPass for TagOperators {
    const NAME: &'static str = "TagOperators";
    const ARGUMENT: &'static str = "mdh-tag-operators";
    const DESCRIPTION: &'static str = "Assign low-level steps to levels of the system";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        run(module)
    }
}

/// Tags every step of every chain among an operation and its descendants; a chain with tags is unchanged.
pub fn run<'c>(root: Op<'c>) -> Result<(), Failure<'c>> {
    for (computation, scalar, schedule) in chain::attached_among(root, chain::require_tags)? {
        computation.decompose.iter().zip(&schedule.decompose).for_each(|(view, step)| view.set_tag(&step.tag));
        let up = schedule.recompose.iter().rev();
        computation.recompose.iter().zip(up).for_each(|(view, step)| view.set_tag(&step.tag));
        let mut order: Vec<_> = schedule.scalar.order.iter().collect();
        order.sort_by_key(|(level, _)| *level);
        scalar.set_tags(order.into_iter().map(|(_, tag)| tag));
    }
    Ok(())
}
