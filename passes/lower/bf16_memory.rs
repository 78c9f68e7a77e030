//! `mdh-bf16-memory`: loads and stores bf16 as integers.
//!
//! ```text
//! %x = llvm.load %p : !llvm.ptr -> bf16     ──▶   %i = llvm.load %p : !llvm.ptr -> i16
//!                                                 %x = llvm.bitcast %i : i16 to bf16
//! ```
//!
//! Arithmetic on bf16 is integer arithmetic and f32 by now, so that the casts disappear, and with them vectors of bf16: LLVM 22 ends
//! the process where it takes some apart on processors that have instructions for bf16.
use mdh_dialects::{
    ir::{self, Builder, Op},
    pass::{MdhPass, Run},
};
use melior::{
    dialect::DialectHandle,
    ir::{Type, ValueLike},
};

/// The pass.
#[derive(Clone, Debug, Default)]
pub struct Bf16Memory;

impl MdhPass for Bf16Memory {
    const NAME: &'static str = "Bf16Memory";
    const ARGUMENT: &'static str = "mdh-bf16-memory";
    const DESCRIPTION: &'static str = "Load and store bf16 as integers";
    const OP: &'static str = "builtin.module";

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::llvm()]
    }

    fn run<'c>(&mut self, module: Op<'c>, _run: Run) -> Result<(), String> {
        for load in ir::find(module, "llvm.load") {
            let result = ir::results(load)[0];
            let Some(integer) = integer(&Builder::before(load), result.r#type()) else { continue };
            let b = Builder::before(load);
            let copy = ir::results(b.clone_operation(load))[0];
            copy.set_type(integer);
            ir::replace_uses(result, b.value("llvm.bitcast", &[copy], result.r#type(), &[]));
            ir::erase(load);
        }
        for store in ir::find(module, "llvm.store") {
            let b = Builder::before(store);
            let value = ir::operands(store)[0];
            if let Some(integer) = integer(&b, value.r#type()) {
                ir::set_operand(store, 0, b.value("llvm.bitcast", &[value], integer, &[]));
            }
        }
        // SPIR-V has no bf16, not even to say how large an element is.
        let kernels = ir::find(module, "gpu.module");
        for address in kernels.into_iter().flat_map(|kernels| ir::find(kernels, "llvm.getelementptr")) {
            if ir::attribute(address, "elem_type").is_some_and(|element| element.to_string() == "bf16") {
                ir::set_attribute(address, "elem_type", Builder::before(address).attribute("i16"));
            }
        }
        Ok(())
    }
}

/// The integers of the size of bf16, or of a vector of it; none for other types.
fn integer<'c>(b: &Builder<'c>, r#type: Type<'c>) -> Option<Type<'c>> {
    let text = r#type.to_string();
    let is_vector = text.starts_with("vector<") && text.ends_with("xbf16>");
    (text == "bf16" || is_vector).then(|| b.r#type(&text.replace("bf16", "i16")))
}
