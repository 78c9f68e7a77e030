//! `mdh-expand-softmax`: expands `linalg.softmax` on tensors to reductions and elementwise operations.
//!
//! ```mlir
//! func.func @f(%x: tensor<4x7xf32>, %y: tensor<4x7xf32>) -> tensor<4x7xf32> {
//!   %r = linalg.softmax dimension(1) ins(%x : tensor<4x7xf32>) outs(%y : tensor<4x7xf32>) -> tensor<4x7xf32>
//!   return %r : tensor<4x7xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! arith.maxnumf
//! arith.subf
//! math.exp
//! arith.addf
//! arith.divf
//! ```
//!
//! The operations are those of upstream, which has a transformation for this, but no pass.
use mdh_dialects::{
    ffi,
    ir::{self, Op},
    pass::{Failure, MdhPass},
};
use melior::dialect::DialectHandle;

/// The pass.
pub struct ExpandSoftmax;

impl MdhPass for ExpandSoftmax {
    const NAME: &'static str = "ExpandSoftmax";
    const ARGUMENT: &'static str = "mdh-expand-softmax";
    const DESCRIPTION: &'static str = "Expand linalg.softmax on tensors";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith(), ffi::math_dialect(), DialectHandle::tensor(), DialectHandle::linalg()]
    }

    fn run<'c>(operation: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        run(operation);
        Ok(())
    }
}

/// Expands every `linalg.softmax` on tensors among the descendants of an operation.
pub fn run(root: Op<'_>) {
    for softmax in ir::find(root, "linalg.softmax") {
        let expanded = ffi::decompose_softmax(softmax);
        if let (Some(value), Some(result)) = (expanded, ir::results(softmax).first()) {
            ir::replace_uses(*result, value);
            ir::erase(softmax);
        }
    }
}
