//! `mdh-fuse`: inlines computations without reduction into the scalar functions of those that read them, and joins
//! siblings.
//!
//! ```mlir
//! func.func @rows(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
//!   %a = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
//!   %b = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.cc] {
//!   ^bb0(%e: f32):
//!     %s = arith.mulf %e, %e : f32
//!     mdh.hom.yield %s : f32
//!   } : !mdh.mda<4x8, f32> -> !mdh.mda<4x8, f32>
//!   %squares = mdh.view.out_view %b[affine_map<(i, j) -> (i, j)>] : !mdh.mda<4x8, f32> -> tensor<4x8xf32>
//!   %c = mdh.view.inp_view %squares[affine_map<(i, k) -> (i, k)>] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
//!   %d = mdh.hom.md_hom %c combine [#mdh.cc, #mdh.pw<add>] {
//!   ^bb0(%e: f32):
//!     mdh.hom.yield %e : f32
//!   } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
//!   %sums = mdh.view.out_view %d[affine_map<(i, k) -> (i)>] : !mdh.mda<4x1, f32> -> tensor<4xf32>
//!   %m = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.pw<max>] {
//!   ^bb0(%e: f32):
//!     mdh.hom.yield %e : f32
//!   } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
//!   %maxima = mdh.view.out_view %m[affine_map<(i, k) -> (i)>] : !mdh.mda<4x1, f32> -> tensor<4xf32>
//!   return %sums, %maxima : tensor<4xf32>, tensor<4xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! func.func @rows(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
//! %a = mdh.view.inp_view %x[..] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
//! %b = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.pw<[add, max]>] {
//! %s = arith.mulf %e, %e : f32
//! mdh.hom.yield %s, %e : f32, f32
//! } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32, f32>
//! %w:2 = mdh.view.out_view ..
//! ```
//!
//! The index functions of the producer are composed with those of the reader. A slice, a reshape without division, or a
//! constant that a view reads is folded in the same way, and an initial value is read from the buffer that it was copied
//! from. A copy that keeps the order of all elements is a reshape (`fuse/reshape.rs`). A producer is inlined into all of
//! its readers or into none: if the bytes that are not moved any more outweigh what is computed repeatedly
//! (`fuse/profit.rs`).
//!
//! Computations on the same points that read an element by the same access become one, with the results of both
//! (`fuse/siblings.rs`).
//!
//! Dynamic extents must be the same sizes as before (`fuse/extents.rs`). Computations with a schedule stay as they are.
mod candidates;
mod compose;
mod elements;
mod extents;
mod join;
mod motion;
mod profit;
mod rebuild;
mod reshape;
mod resolve;
mod siblings;

use crate::analysis::computation::Computation;
use candidates::{is_fusible, is_raised};
use mdh_dialects::{
    ffi,
    hom::MdHom,
    ir::{self, Op, OpView, Val},
    pass::{Failure, MdhPass},
    pass_options,
    view::{IndexFunction, InpView, OutView},
};
use melior::{
    dialect::DialectHandle,
    ir::{Type, ValueLike},
};

/// The pass.
pub struct Fuse;

pass_options! {
    /// Options of fusion.
    pub struct FuseOptions {
        /// Fuse all computations; otherwise, only those that have been raised from other dialects
        all: bool = true,
    }
}

impl MdhPass for Fuse {
    const NAME: &'static str = "Fuse";
    const ARGUMENT: &'static str = "mdh-fuse";
    const DESCRIPTION: &'static str =
        "Inline computations without reduction into those that read them, and join those that read the same elements";
    type Options = FuseOptions;

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![ffi::handle(), DialectHandle::arith()]
    }

    fn run<'c>(root: Op<'c>, options: FuseOptions) -> Result<(), Failure<'c>> {
        // Sizes that nothing uses do not count as readers.
        erase_unused(root);
        for out_view in OutView::all(root) {
            // Read each computation only now: it may read a computation that has been rebuilt.
            let Some(computation) = Computation::from_out_view(out_view) else { continue };
            let may = is_fusible(&computation) && (options.all || is_raised(&computation));
            if may && !reshape::replace(&computation) {
                rebuild::rebuild(&computation, options.all);
            }
        }
        erase_unused(root);
        siblings::run(root, options.all);
        Ok(())
    }
}

/// The constant that all elements of a tensor are equal to, by its type and its bits. `at`: an operation after it.
pub(crate) fn constant_elements<'c>(at: Op<'c>, tensor: Val<'c>) -> Option<(Type<'c>, Vec<u64>)> {
    let rank = ir::shape(tensor.r#type())?.len();
    let reader = resolve::Reader { at, dimensions: 0, all: true, always: true };
    rebuild::constant_of(reader.source(tensor, vec![compose::constant(0, 0); rank], 0))
}

/// The iterator whose index the elements are that an operation reads from a tensor with an access, on this number of
/// iterators.
pub(crate) fn index_elements<'c>(
    at: Op<'c>,
    tensor: Val<'c>,
    access: &IndexFunction,
    dimensions: usize,
) -> Option<usize> {
    let reader = resolve::Reader { at, dimensions, all: true, always: true };
    rebuild::index_of(reader.source(tensor, compose::rows(access, dimensions), 0))
}

/// Erases computations whose results nothing uses any more, last first, and the slices and reshapes that they read.
fn erase_unused(root: Op<'_>) {
    const PURE: [&str; 10] = [
        OutView::NAME,
        MdHom::NAME,
        InpView::NAME,
        "tensor.extract_slice",
        "tensor.expand_shape",
        "tensor.collapse_shape",
        "tensor.pad",
        "tensor.empty",
        "tensor.dim",
        "arith.constant",
    ];
    // An out_view that writes memrefs has no results, but effects.
    let has_results = |operation| !ir::results(operation).is_empty();
    for operation in ir::descendants(root).into_iter().rev() {
        if PURE.contains(&ir::name(operation)) && has_results(operation) && ir::is_unused(operation) {
            ir::erase(operation);
        }
    }
}
