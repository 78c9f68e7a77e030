//! `mdh-loop-annotations`: passes loop annotations to LLVM.
//!
//! ```mlir
//! llvm.func @loop() {
//!   llvm.br ^head
//! ^head:
//!   llvm.br ^head {llvm.loop_annotation = #llvm.loop_annotation<disableNonforced = true>}
//! }
//! ```
//! becomes
//! ```mlir
//! #loop_annotation = #llvm.loop_annotation<disableNonforced = true>
//! llvm.br ^bb1 {loop_annotation = #loop_annotation}
//! ```
//!
//! Upstream carries the annotation of an `scf.for` to the branch of its latch as a discardable attribute, which the
//! translation to LLVM IR ignores; it reads the inherent attribute of the branch.
use mdh_dialects::{
    attributes::LOOP_ANNOTATION,
    ir::{self, Op},
    pass::{Failure, MdhPass},
};
use melior::dialect::DialectHandle;

/// The pass.
pub struct LoopAnnotations;

impl MdhPass for LoopAnnotations {
    const NAME: &'static str = "LoopAnnotations";
    const ARGUMENT: &'static str = "mdh-loop-annotations";
    const DESCRIPTION: &'static str = "Pass loop annotations to LLVM";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::llvm()]
    }

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for branch in ["llvm.br", "llvm.cond_br"].into_iter().flat_map(|name| ir::find(module, name)) {
            if let Some(annotation) = ir::attribute(branch, LOOP_ANNOTATION) {
                ir::remove_attribute(branch, LOOP_ANNOTATION);
                ir::set_attribute(branch, "loop_annotation", annotation);
            }
        }
        Ok(())
    }
}
