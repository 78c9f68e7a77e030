//! `mdh-keep-order`: values are combined in the lexicographic order of the points, in all computations.
//!
//! ```mlir
//! func.func @sum(%x: tensor<8xf32>) -> tensor<1xf32> {
//!   %in = mdh.view.inp_view %x[affine_map<(k) -> (k)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
//!   ^bb0(%a: f32):
//!     mdh.hom.yield %a : f32
//!   } : !mdh.mda<8, f32> -> !mdh.mda<1, f32>
//!   %y = mdh.view.out_view %r[affine_map<(k) -> (0)>] : !mdh.mda<1, f32> -> tensor<1xf32>
//!   return %y : tensor<1xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! mdh.hom.md_hom %in combine [#mdh.pw<add>] attributes {ordered} {
//! ```
//!
//! `--strict` runs this pass. A computation on integers does not depend on the order, and ignores it.
use crate::analysis::computation::Hom;
use mdh_dialects::{
    ir::{self, Op},
    pass::{Failure, MdhPass},
};

/// The pass.
pub struct KeepOrder;

impl MdhPass for KeepOrder {
    const NAME: &'static str = "KeepOrder";
    const ARGUMENT: &'static str = "mdh-keep-order";
    const DESCRIPTION: &'static str = "Combine values in the order of the points, in all computations";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        run(module);
        Ok(())
    }
}

/// Marks all computations of a module as ordered.
pub fn run(module: Op<'_>) {
    ir::descendants(module).into_iter().filter_map(Hom::cast).for_each(Hom::set_ordered);
}
