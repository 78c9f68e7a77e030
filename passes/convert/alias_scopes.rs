//! `mdh-alias-scopes`: tells LLVM that freshly allocated memory does not alias other memory.
//!
//! ```mlir
//! llvm.func @malloc(i64) -> !llvm.ptr
//! llvm.func @copy(%from: !llvm.ptr, %size: i64) {
//!   %fresh = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
//!   %x = llvm.load %from : !llvm.ptr -> f32
//!   llvm.store %x, %fresh : f32, !llvm.ptr
//!   llvm.return
//! }
//! ```
//! becomes
//! ```mlir
//! #alias_scope = #llvm.alias_scope<..
//! %x = llvm.load %from {noalias_scopes = [#alias_scope]} : !llvm.ptr -> f32
//! llvm.store %x, %fresh {alias_scopes = [#alias_scope]} : f32, !llvm.ptr
//! ```
//!
//! LLVM knows this for the result of `malloc`, but not in functions outlined from OpenMP regions: there the pointer is
//! an ordinary argument, and no accumulator in memory could be promoted to a register.
use mdh_dialects::{
    ir::{self, Builder, Op, Val},
    pass::{Failure, MdhPass},
};
use melior::{dialect::DialectHandle, ir::ValueLike};

/// The pass.
pub struct AliasScopes;

impl MdhPass for AliasScopes {
    const NAME: &'static str = "AliasScopes";
    const ARGUMENT: &'static str = "mdh-alias-scopes";
    const DESCRIPTION: &'static str = "Tell LLVM that freshly allocated memory does not alias other memory";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::llvm()]
    }

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for function in ir::find(module, "llvm.func") {
            mark(function);
        }
        Ok(())
    }
}

/// Creates an alias scope for each allocation of a function; accesses name their own scope and the scopes that they do
/// not alias.
fn mark(function: Op<'_>) {
    let Some(entry) = ir::body(function, 0) else { return };
    let arguments = ir::arguments(entry);
    let accesses: Vec<_> = [("llvm.load", 0), ("llvm.store", 1)]
        .into_iter()
        .flat_map(|(name, address)| ir::find(function, name).into_iter().map(move |access| (access, address)))
        .filter_map(|(access, address)| Some((access, root(*ir::operands(access).get(address)?, &arguments)?)))
        .collect();
    let mut allocations: Vec<Val<'_>> = vec![];
    for (_, root) in &accesses {
        if !arguments.contains(root) && !allocations.contains(root) {
            allocations.push(*root);
        }
    }
    if allocations.is_empty() {
        return;
    }
    let b = Builder::before(function);
    let scopes = b.alias_scopes(allocations.len());
    for (access, root) in accesses {
        let own = allocations.iter().position(|allocation| *allocation == root);
        let others: Vec<_> =
            scopes.iter().enumerate().filter(|(i, _)| Some(*i) != own).map(|(_, scope)| *scope).collect();
        if let Some(own) = own {
            ir::set_attribute(access, "alias_scopes", b.array(&[scopes[own]]));
        }
        if !others.is_empty() {
            ir::set_attribute(access, "noalias_scopes", b.array(&others));
        }
    }
}

/// The `malloc` call or function argument from which an address is derived; `None` if unknown.
fn root<'c>(address: Val<'c>, arguments: &[Val<'c>]) -> Option<Val<'c>> {
    let mut value = address;
    loop {
        let Some(definition) = ir::defining(value) else {
            // A block argument may be one of several addresses, and an integer argument may be any address.
            return arguments
                .contains(&value)
                .then_some(value)
                .filter(|value| ir::pointer_space(value.r#type()) == Some(0));
        };
        let operands = ir::operands(definition);
        value = match ir::name(definition) {
            "llvm.getelementptr" | "llvm.bitcast" | "llvm.inttoptr" | "llvm.ptrtoint" => operands[0],
            // Upstream aligns addresses as integers: a + (n - 1) - (a + (n - 1)) urem n.
            "llvm.add" if is_constant(operands[1]) => operands[0],
            "llvm.sub" if is(operands[1], "llvm.urem") && first_operand(operands[1]) == Some(operands[0]) => {
                operands[0]
            }
            "llvm.call" => {
                return (ir::callee_symbol(definition) == Some("malloc")).then_some(value);
            }
            _ => return None,
        };
    }
}

/// Returns true if a value is a constant, or the difference of two constants: upstream does not fold `n - 1`.
fn is_constant(value: Val<'_>) -> bool {
    is(value, "llvm.mlir.constant")
        || ir::defining(value).is_some_and(|definition| {
            ir::name(definition) == "llvm.sub"
                && ir::operands(definition).iter().all(|operand| is(*operand, "llvm.mlir.constant"))
        })
}

/// Returns true if an operation of this name defines a value.
fn is(value: Val<'_>, name: &str) -> bool {
    ir::defining(value).is_some_and(|operation| ir::name(operation) == name)
}

fn first_operand<'c>(value: Val<'c>) -> Option<Val<'c>> {
    ir::operands(ir::defining(value)?).first().copied()
}
