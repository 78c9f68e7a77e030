//! `mdh-sink-views`: moves the operations that compute the MDA of an `out_view` to directly before it, and removes
//! computations whose results nothing uses.
//!
//! ```mlir
//! func.func @negate(%A: tensor<8xf32>, %zero: f32) -> tensor<8xf32> {
//!   %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc] {
//!   ^bb0(%a: f32):
//!     %n = arith.negf %a : f32
//!     mdh.hom.yield %n : f32
//!   } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
//!   %empty = tensor.empty() : tensor<8xf32>
//!   %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
//!   %B = mdh.view.out_view %r[affine_map<(i) -> (i)>] into %init : !mdh.mda<8, f32>, tensor<8xf32> -> tensor<8xf32>
//!   return %B : tensor<8xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! %init = linalg.fill ..
//! %in = mdh.view.inp_view ..
//! %r = mdh.hom.md_hom %in ..
//! mdh.view.out_view %r..
//! ```
//!
//! The memory that an MDA aliases is read when the `out_view` executes, so the semantics do not change. But
//! bufferization looks for writes between a read and its use. It now sees the read where it happens, and inserts no
//! copies because of operations in between.
//!
//! Bufferization would remove some of the unused computations, and the schedules of producers name their consumers by
//! number: with all of them removed here, the numbers of the others are corrected.
use crate::analysis::computation::{Computation, Hom};
use mdh_dialects::{
    ir::{self, Op, OpView},
    pass::{Failure, MdhPass},
    schedule::model::ComputeAt,
    view::{self, InpView, OutView},
};
use melior::ir::{TypeLike, ValueLike, operation::OperationLike};

/// The pass.
pub struct SinkViews;

impl MdhPass for SinkViews {
    const NAME: &'static str = "SinkViews";
    const ARGUMENT: &'static str = "mdh-sink-views";
    const DESCRIPTION: &'static str =
        "Move the operations that compute the MDA of an out_view to directly before it; remove unused computations";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        erase_unused(module);
        for out_view in OutView::all(module) {
            sink(out_view.op());
        }
        Ok(())
    }
}

/// Erases computations with new tensors that nothing uses, and corrects the numbers of consumers.
fn erase_unused(module: Op<'_>) {
    let all = Computation::all(module);
    let is_unused = |computation: &Computation<'_>| {
        let view = computation.out_view;
        let has_tensors = computation.outputs.iter().all(|output| !output.ty.is_mem_ref());
        view.destinations().is_empty() && has_tensors && ir::is_unused(view.op())
    };
    let unused: Vec<_> = all.iter().map(is_unused).collect();
    if !unused.contains(&true) {
        return;
    }
    let names = Computation::numbered(&all);
    for (computation, (function, _)) in all.iter().zip(&names) {
        let Hom::Scalar(scalar) = computation.hom else { continue };
        let Some(at) = scalar.at() else { continue };
        let before = names.iter().zip(&unused).filter(|((of, number), _)| of == function && *number < at.consumer);
        let erased = before.filter(|(_, is_unused)| **is_unused).count();
        scalar.set_at(ComputeAt { consumer: at.consumer - erased, ..at });
    }
    all.iter().zip(&unused).filter(|(_, is_unused)| **is_unused).for_each(|(one, _)| ir::erase(one.out_view.op()));
}

/// Moves the operations that compute the MDA operands of a step, the input and initial values, to directly before it, if
/// they are in the same block and have no other user.
fn sink(step: Op<'_>) {
    if InpView::is(step) {
        return;
    }
    for mda in ir::operands(step).into_iter().filter(|operand| view::mda_type(operand.r#type()).is_some()) {
        let Some(source) = ir::defining(mda) else { continue };
        let is_near = ir::parent(source) == ir::parent(step) && source.block() == step.block();
        if is_near && ir::users(mda).len() == 1 {
            ir::move_before(source, step);
            sink(source);
        }
    }
}
