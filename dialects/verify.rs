//! The verifiers of the operations. C++ checks the ODS constraints first, and calls these verifiers for the remaining
//! rules (`Verify.h`).
//!
//! A verifier may assume that types, operands, regions and inherent attributes are of the right kinds; a verifier of
//! symbol uses may also assume that the operations are valid by themselves. Each reports the first violated rule.
use crate::{
    hom, ir,
    ir::{Op, OpView, Val},
    lowlevel,
    pass::{Failure, guard},
    view,
};
use melior::{
    StringRef,
    ir::{Attribute, ValueLike},
};
use mlir_sys::*;
use std::{ffi::c_void, marker::PhantomData};

/// The result of a verifier.
pub(crate) type Verified<'c> = Result<(), Failure<'c>>;

/// Looks up a symbol in a C++ symbol table collection; returns null if there is no such symbol.
type Lookup = unsafe extern "C" fn(*mut c_void, MlirOperation, MlirStringRef) -> MlirOperation;

/// The symbol tables that a verifier may query; they live as long as it runs.
pub(crate) struct Symbols<'t> {
    lookup: Lookup,
    tables: *mut c_void,
    tables_live: PhantomData<&'t ()>,
}

impl Symbols<'_> {
    /// The operation that a symbol refers to, seen from another operation.
    pub fn find<'c>(&self, from: Op<'c>, symbol: &str) -> Option<Op<'c>> {
        // SAFETY: the operation is valid, and the tables live as long as `self`.
        unsafe { Op::from_option_raw((self.lookup)(self.tables, from.to_raw(), StringRef::new(symbol).to_raw())) }
    }

    /// The operation that a symbol attribute refers to, seen from another operation.
    pub fn find_attribute<'c>(&self, from: Op<'c>, symbol: Attribute<'c>) -> Option<Op<'c>> {
        self.find(from, ir::symbol_attribute(symbol)?)
    }
}

/// Runs a verifier and reports its failure; returns true if there is none.
///
/// # Safety
/// The operation must be valid, and nothing may change it during the call.
unsafe fn report(operation: MlirOperation, verify: impl for<'c> FnOnce(Op<'c>) -> Verified<'c>) -> bool {
    guard(false, || {
        // SAFETY: guaranteed by the caller; handles cannot escape from the closure.
        let operation = unsafe { Op::from_raw(operation) };
        verify(operation).map_err(|failure| failure.emit(operation)).is_ok()
    })
}

/// Verifies an operation by itself.
///
/// # Safety
/// As for [`report`].
#[unsafe(no_mangle)]
unsafe extern "C" fn mdhVerify(operation: MlirOperation) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe {
        report(operation, |operation| match ir::name(operation) {
            view::InpView::NAME => view::verify::inp_view(operation),
            view::OutView::NAME => view::verify::out_view(operation),
            hom::MdHom::NAME => hom::verify::md_hom(operation),
            hom::Yield::NAME => hom::verify::r#yield(operation),
            hom::Index::NAME => hom::verify::index(operation),
            hom::Compute::NAME => hom::compute::compute(operation),
            lowlevel::SystemOp::NAME => lowlevel::verify::system(operation),
            lowlevel::Decompose::NAME => lowlevel::verify::decompose(operation),
            lowlevel::Scalar::NAME => lowlevel::verify::scalar(operation),
            lowlevel::Recompose::NAME => lowlevel::verify::recompose(operation),
            name => unreachable!("{name} has no verifier"),
        })
    }
}

/// Verifies an operation together with the contents of its regions.
///
/// # Safety
/// As for [`report`].
#[unsafe(no_mangle)]
unsafe extern "C" fn mdhVerifyRegions(operation: MlirOperation) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe {
        report(operation, |operation| match ir::name(operation) {
            hom::Operator::NAME => hom::verify::operator(operation),
            lowlevel::script::ScriptOp::NAME => lowlevel::script::body(operation),
            _ => hom::verify::scalar_function(operation),
        })
    }
}

/// Verifies an operation together with the symbols that it uses.
///
/// # Safety
/// As for [`report`], and `lookup` must accept `tables`.
#[unsafe(no_mangle)]
unsafe extern "C" fn mdhVerifySymbolUses(operation: MlirOperation, lookup: Lookup, tables: *mut c_void) -> bool {
    let symbols = &Symbols { lookup, tables, tables_live: PhantomData };
    // SAFETY: guaranteed by the caller.
    unsafe {
        report(operation, |operation| match ir::name(operation) {
            hom::MdHom::NAME => hom::verify::operators(operation, symbols),
            hom::Compute::NAME => hom::compute::functions(operation, symbols),
            lowlevel::Scalar::NAME => lowlevel::chains::verify(operation, symbols),
            lowlevel::Recompose::NAME => lowlevel::verify::operator(operation, symbols),
            lowlevel::script::ScriptOp::NAME => lowlevel::script::symbols(operation, symbols),
            name => unreachable!("{name} uses no symbols"),
        })
    }
}

/// C25: an MDA is defined before it is used, even in graph regions, where the order of operations has no meaning. So
/// chains are acyclic.
pub(crate) fn defined_before<'c>(operation: Op<'c>) -> Verified<'c> {
    let is_mda = |operand: &Val<'c>| view::mda_type(operand.r#type()).is_some();
    for definition in ir::operands(operation).into_iter().filter(is_mda).filter_map(ir::defining) {
        if ir::block(operation).is_none() || ir::block(definition) != ir::block(operation) {
            continue;
        }
        // SAFETY: both are valid, and in one block.
        let is_before = unsafe { mlirOperationIsBeforeInBlock(definition.to_raw(), operation.to_raw()) };
        if definition == operation || !is_before {
            let message = "C25: requires an MDA that is defined before it is used";
            return Err(Failure::new(operation, message).with_note(definition, "the MDA is defined here"));
        }
    }
    Ok(())
}

/// The extents and the components of the MDA type of a value.
pub(crate) fn mda<'c>(value: Option<&Val<'c>>) -> (Vec<Option<u64>>, Vec<melior::ir::Type<'c>>) {
    value.and_then(|value| view::mda_type(value.r#type())).unwrap_or_default()
}

/// The elements of an array attribute of an operation; `None` if it is absent.
pub(crate) fn list<'c>(operation: Op<'c>, name: &str) -> Option<Vec<Attribute<'c>>> {
    ir::attribute(operation, name).and_then(ir::array_attribute)
}
