//! Symbols, and what they refer to.
use super::{
    attributes::symbol_attribute,
    handles::{Op, attribute, name},
};
use crate::ffi::declarations::mdhLookupSymbol;
use melior::StringRef;

/// Looks up the operation that a symbol names in the nearest symbol table only, as the verifier does.
pub fn lookup_symbol<'c>(from: Op<'c>, symbol: &str) -> Option<Op<'c>> {
    // SAFETY: the operation is live, and the symbol lives during the call; a null result becomes `None`.
    unsafe { Op::from_option_raw(mdhLookupSymbol(from.to_raw(), StringRef::new(symbol).to_raw())) }
}

/// The symbol of the function that a call names.
pub fn callee_symbol<'c>(call: Op<'c>) -> Option<&'c str> {
    attribute(call, "callee").and_then(symbol_attribute)
}

/// The function that a call names, if the nearest symbol table has it.
pub fn callee<'c>(call: Op<'c>) -> Option<Op<'c>> {
    lookup_symbol(call, callee_symbol(call)?)
}

/// The symbol of the function that a `func.call` or a `func.constant` refers to.
pub fn function_reference<'c>(operation: Op<'c>) -> Option<&'c str> {
    match name(operation) {
        "func.call" => callee_symbol(operation),
        "func.constant" => attribute(operation, "value").and_then(symbol_attribute),
        _ => None,
    }
}

/// A symbol that the nearest symbol table does not have: `first`, or `first_0`, `first_1`, …
pub fn unused_symbol(from: Op<'_>, first: &str) -> String {
    symbol_where(from, first, |_| false)
}

/// The first of `first`, `first_0`, `first_1`, … that the nearest symbol table does not have, or that is wanted.
pub fn symbol_where(from: Op<'_>, first: &str, is_wanted: impl Fn(&str) -> bool) -> String {
    let numbered = (0..).map(|i| format!("{first}_{i}"));
    let mut names = std::iter::once(first.to_owned()).chain(numbered);
    let is_free = |name: &String| is_wanted(name) || lookup_symbol(from, name).is_none();
    names.find(is_free).unwrap_or_else(|| first.to_owned())
}
