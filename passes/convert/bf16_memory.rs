//! `mdh-bf16-memory`: loads and stores bf16 as integers.
//!
//! ```mlir
//! llvm.func @load(%p: !llvm.ptr) -> bf16 {
//!   %x = llvm.load %p : !llvm.ptr -> bf16
//!   llvm.return %x : bf16
//! }
//! ```
//! becomes
//! ```mlir
//! %i = llvm.load %p : !llvm.ptr -> i16
//! %x = llvm.bitcast %i : i16 to bf16
//! llvm.return %x : bf16
//! ```
//!
//! At this point, arithmetic on bf16 has become arithmetic on integers and f32, so the casts cancel, and no vectors of
//! bf16 remain: LLVM 22 aborts when it splits some of them on processors with bf16 instructions.
//!
//! In kernels, all bf16 values become integers: SPIR-V has no bf16, not even for the size of an element.
use mdh_dialects::{
    ir::{self, Builder, Number, Op},
    pass::{Failure, MdhPass},
};
use melior::{
    dialect::DialectHandle,
    ir::{Attribute, AttributeLike as _, Type, TypeLike as _, ValueLike},
};

/// The operations that load a value.
const LOADS: [&str; 4] =
    ["llvm.load", "llvm.intr.masked.load", "llvm.intr.masked.gather", "llvm.intr.masked.expandload"];
/// The operations that store their first operand.
const STORES: [&str; 4] =
    ["llvm.store", "llvm.intr.masked.store", "llvm.intr.masked.scatter", "llvm.intr.masked.compressstore"];

/// The pass.
pub struct Bf16Memory;

impl MdhPass for Bf16Memory {
    const NAME: &'static str = "Bf16Memory";
    const ARGUMENT: &'static str = "mdh-bf16-memory";
    const DESCRIPTION: &'static str = "Load and store bf16 as integers";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::llvm()]
    }

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for load in LOADS.into_iter().flat_map(|name| ir::find(module, name)) {
            let result = ir::results(load)[0];
            let b = Builder::before(load);
            let Some(integer) = integer(&b, result.r#type()) else { continue };
            let copy = b.clone_operation(load);
            // The elements that a mask leaves out are an operand.
            for (i, value) in ir::operands(load).into_iter().enumerate() {
                if value.r#type() == result.r#type() {
                    ir::set_operand(copy, i, b.at(copy).value("llvm.bitcast", &[value], integer, &[]));
                }
            }
            let loaded = ir::results(copy)[0];
            loaded.set_type(integer);
            ir::replace_uses(result, b.value("llvm.bitcast", &[loaded], result.r#type(), &[]));
            ir::erase(load);
        }
        for store in STORES.into_iter().flat_map(|name| ir::find(module, name)) {
            let b = Builder::before(store);
            let value = ir::operands(store)[0];
            if let Some(integer) = integer(&b, value.r#type()) {
                ir::set_operand(store, 0, b.value("llvm.bitcast", &[value], integer, &[]));
            }
        }
        for kernels in ir::find(module, "gpu.module") {
            integers(kernels)?;
        }
        Ok(())
    }
}

/// The integer type of the size of bf16, or of a vector of bf16; `None` for other types.
fn integer<'c>(b: &Builder<'c>, ty: Type<'c>) -> Option<Type<'c>> {
    let is_bf16 = |ty: Type<'c>| ty == Type::bfloat16(b.context);
    let is_vector = ty.is_vector() && ir::element_type(ty).is_some_and(is_bf16);
    (is_bf16(ty) || is_vector).then(|| ir::with_element(ty, b.integer(16)))
}

/// Operations of kernels that treat integers like floats of the same size.
const MOVES: [&str; 27] = [
    "llvm.alloca",
    "llvm.bitcast",
    "llvm.br",
    "llvm.call",
    "llvm.cond_br",
    "llvm.extractelement",
    "llvm.extractvalue",
    "llvm.freeze",
    "llvm.func",
    "llvm.getelementptr",
    "llvm.insertelement",
    "llvm.insertvalue",
    "llvm.intr.masked.load",
    "llvm.intr.masked.store",
    "llvm.intr.vector.extract",
    "llvm.intr.vector.insert",
    "llvm.load",
    "llvm.mlir.constant",
    "llvm.mlir.global",
    "llvm.mlir.poison",
    "llvm.mlir.undef",
    "llvm.mlir.zero",
    "llvm.return",
    "llvm.select",
    "llvm.shufflevector",
    "llvm.store",
    "llvm.switch",
];

/// Attributes that contain types.
const TYPES: [&str; 4] = ["elem_type", "global_type", "function_type", "value"];

/// Replaces every bf16 in kernels with an integer. Operations that compute with bf16 are errors.
fn integers<'c>(kernels: Op<'c>) -> Result<(), Failure<'c>> {
    let b = Builder::before(kernels);
    let replaced = |ty| b.replace_type(ty, Type::bfloat16(b.context), b.integer(16));
    let is_bf16 = |ty| replaced(ty) != ty;
    for operation in ir::descendants(kernels) {
        let values = [ir::operands(operation), ir::results(operation)].concat();
        let concerned = values.iter().any(|value| is_bf16(value.r#type()));
        if concerned && !MOVES.contains(&ir::name(operation)) {
            let name = ir::name(operation);
            let message = format!("a kernel requires bf16 to be widened for arithmetic, but has '{name}' on it");
            return Err(Failure::new(operation, message));
        }
    }
    for operation in ir::descendants(kernels) {
        for attribute in TYPES {
            let Some(old) = ir::attribute(operation, attribute) else { continue };
            let new = match ir::type_attribute(old) {
                Some(ty) => Some(b.type_of(replaced(ty))),
                None if is_bf16(old.r#type()) => bits(&b, old),
                None => None,
            };
            if let Some(new) = new {
                ir::set_attribute(operation, attribute, new);
            }
        }
        let arguments = ir::blocks(operation).into_iter().flat_map(ir::arguments);
        for value in ir::results(operation).into_iter().chain(arguments).filter(|value| is_bf16(value.r#type())) {
            value.set_type(replaced(value.r#type()));
        }
    }
    for cast in ir::find(kernels, "llvm.bitcast") {
        let (from, to) = (ir::operands(cast)[0], ir::results(cast)[0]);
        if from.r#type() == to.r#type() {
            ir::replace_uses(to, from);
            ir::erase(cast);
        }
    }
    Ok(())
}

/// A bf16 constant, or an elements attribute of bf16, as integers.
fn bits<'c>(b: &Builder<'c>, attribute: Attribute<'c>) -> Option<Attribute<'c>> {
    if let Some(Number::Float(value)) = ir::number_attribute(attribute) {
        // The value is representable in bf16, so the truncation is exact.
        return Some(b.number(((value as f32).to_bits() >> 16) as u16 as i16 as i64, b.integer(16)));
    }
    let (_, bytes) = ir::dense_elements(attribute)?;
    b.dense_of_bytes(&bytes, ir::with_element(attribute.r#type(), b.integer(16)))
}
