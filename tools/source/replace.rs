//! Functions whose nests are raised, in place of those of a module of LLVM IR.
//!
//! ```text
//! clang's module: gemm, main, printf, @table (static)            clang's module: main, printf, @table (static)
//! MLIR: gemm, gemm_nest, declarations of printf and @table   ──▶    and gemm, gemm_nest from MLIR
//! ```
use crate::{llvm, target::host::architecture};
use anyhow::{Result, anyhow};
use inkwell::{
    attributes::{Attribute, AttributeLoc},
    comdat::Comdat,
    module::{Linkage, Module},
    values::{FunctionValue, GlobalValue},
};
use mdh_dialects::ir::{self, Builder, Op};
use mdh_passes::lift_llvm::WRAPS;
use melior::ir::Location;
use std::collections::BTreeSet;

/// The attribute of a function with the features of its processor.
const FEATURES: &str = "target-features";

/// The functions of a module of the LLVM dialect that call a nest, by name. The others become declarations, or are left
/// out: they never leave clang's module. `None` if a symbol that they refer to cannot be declared.
pub fn keep_changed(module: &mut melior::ir::Module<'_>) -> Option<Vec<String>> {
    ir::rewrite(module, |root| {
        for name in ["llvm.module_asm", "llvm.ident", "llvm.commandline", "llvm.dependent_libraries"] {
            ir::remove_attribute(root, name);
        }
        let all = ir::body(root, 0).map(ir::block_operations).unwrap_or_default();
        let is_changed = |operation: &Op<'_>| {
            ir::name(*operation) == "llvm.func"
                && ir::descendants(*operation).into_iter().any(|inner| ir::name(inner) == "func.call")
        };
        let changed: Vec<_> = all.iter().copied().filter(is_changed).collect();
        let used: BTreeSet<_> =
            changed.iter().flat_map(|function| ir::descendants(*function)).flat_map(references).collect();
        for operation in all {
            if changed.contains(&operation) {
                // The function gets what others see of it back in clang's module.
                let b = Builder::before(operation);
                ir::set_attribute(operation, "linkage", b.linkage(ir::Linkage::External));
                ["comdat", "section", "visibility_"].iter().for_each(|name| ir::remove_attribute(operation, name));
                continue;
            }
            let symbol = ir::attribute(operation, "sym_name").and_then(ir::string_attribute).unwrap_or_default();
            let is_used = used.contains(symbol);
            match ir::name(operation) {
                // Functions of nests, and operators that they combine by.
                name if !name.starts_with("llvm.") => continue,
                "llvm.func" if is_used => declare(operation, &["sym_name", "function_type", "CConv"]),
                "llvm.mlir.global" if is_used => {
                    let kept = ["sym_name", "global_type", "addr_space", "constant", "thread_local_", "alignment"];
                    declare(operation, &kept);
                }
                _ if is_used && !symbol.is_empty() => return None,
                _ => {}
            }
            ir::erase(operation);
        }
        let name =
            |function: &Op<'_>| ir::attribute(*function, "sym_name").and_then(ir::string_attribute).map(str::to_owned);
        Some(changed.iter().filter_map(name).collect())
    })
}

/// The symbols that an operation refers to.
fn references<'c>(operation: Op<'c>) -> Vec<&'c str> {
    let names = ["callee", "global_name", "personality"];
    names.iter().filter_map(|name| ir::attribute(operation, name).and_then(ir::symbol_attribute)).collect()
}

/// Builds the declaration of a function or a variable with these of its attributes.
fn declare(operation: Op<'_>, kept: &[&str]) {
    let mut b = Builder::before(operation);
    // A declaration has no debug information, which its location would bring.
    b.location = Location::unknown(b.context);
    let own = kept.iter().filter_map(|name| Some((*name, ir::attribute(operation, name)?)));
    let attributes: Vec<_> = own.chain([("linkage", b.linkage(ir::Linkage::External))]).collect();
    b.op(ir::name(operation), &[], &[], &attributes, vec![ir::Region::new()]);
}

/// What other modules see of a function.
struct Seen {
    name: String,
    linkage: Linkage,
    visibility: inkwell::GlobalVisibility,
    comdat: Option<Comdat>,
    section: Option<String>,
    address: inkwell::values::UnnamedAddress,
}

impl Seen {
    fn of(name: &str, global: GlobalValue<'_>) -> Self {
        let section = global.get_section().map(|section| section.to_string_lossy().into_owned());
        Self {
            name: name.to_owned(),
            linkage: global.get_linkage(),
            visibility: global.get_visibility(),
            comdat: global.get_comdat(),
            section: section.filter(|section| !section.is_empty()),
            address: global.get_unnamed_address(),
        }
    }

    fn give_back(&self, to: GlobalValue<'_>) {
        to.set_linkage(self.linkage);
        to.set_visibility(self.visibility);
        to.set_unnamed_address(self.address);
        if let Some(section) = &self.section {
            to.set_section(Some(section));
        }
        if let Some(comdat) = self.comdat {
            to.set_comdat(comdat);
        }
    }
}

/// Replaces the functions of clang's module that have these names by those of another module, whose other functions are
/// its own.
pub fn replace<'l>(into: &Module<'l>, other: Module<'l>, changed: &[String]) -> Result<()> {
    other.set_triple(&into.get_triple());
    other.set_data_layout(&into.get_data_layout());
    for function in other.get_functions().filter(|function| function.count_basic_blocks() > 0) {
        let name = function.get_name().to_string_lossy().into_owned();
        if !changed.contains(&name) {
            function.as_global_value().set_linkage(Linkage::Internal);
            let wraps = function.get_string_attribute(AttributeLoc::Function, WRAPS).is_some();
            llvm::allow_offsets(function, wraps);
        }
    }
    give_attributes(&other, changed);
    // Symbols of one module alone are not found by others.
    let mut local = vec![];
    let declared = other.get_functions().filter(|function| function.count_basic_blocks() == 0);
    let globals = other.get_globals().filter(|global| global.is_declaration());
    let names = declared.map(|function| function.get_name().to_string_lossy().into_owned());
    let names = names.chain(globals.map(|global| global.get_name().to_string_lossy().into_owned()));
    for name in names.collect::<Vec<_>>() {
        let function = into.get_function(&name).map(|function| function.as_global_value());
        let Some(global) = function.or_else(|| into.get_global(&name)) else { continue };
        if [Linkage::Internal, Linkage::Private].contains(&global.get_linkage()) {
            local.push(Seen::of(&name, global));
            global.set_linkage(Linkage::External);
        }
    }
    for name in changed {
        let function = into.get_function(name).ok_or_else(|| anyhow!("clang's module has no function '{name}'"))?;
        local.retain(|seen| seen.name != *name);
        local.push(Seen::of(name, function.as_global_value()));
        llvm::declare_instead(into, function);
    }
    into.link_in_module(other).map_err(|error| anyhow!("{error}"))?;
    for seen in local {
        let function = into.get_function(&seen.name).map(|function| function.as_global_value());
        if let Some(global) = function.or_else(|| into.get_global(&seen.name)) {
            seen.give_back(global);
        }
    }
    into.verify().map_err(|error| anyhow!("LLVM IR does not verify: {error}"))
}

/// Gives functions of nests the attributes of the functions that call them: the processor, and what is instrumented.
fn give_attributes(module: &Module<'_>, changed: &[String]) {
    let names: Vec<_> =
        ["sanitize_address", "sanitize_thread", "sanitize_memory", "sanitize_hwaddress", "uwtable", "nounwind"]
            .map(Attribute::get_named_enum_kind_id)
            .to_vec();
    let own = |function: FunctionValue<'_>| {
        let all = function.attributes(AttributeLoc::Function).into_iter();
        let is_given = |attribute: &Attribute| match attribute.is_string() {
            true => attribute.get_string_kind_id().to_bytes() != b"min-legal-vector-width",
            false => attribute.is_enum() && names.contains(&attribute.get_enum_kind_id()),
        };
        all.filter(is_given).collect::<Vec<_>>()
    };
    let callers: Vec<_> = changed.iter().filter_map(|name| module.get_function(name)).collect();
    let Some(first) = callers.first() else { return };
    for function in module.get_functions().filter(|function| function.count_basic_blocks() > 0) {
        if callers.contains(&function) {
            continue;
        }
        let name = function.get_name().to_string_lossy().into_owned();
        let is_of =
            |caller: &&FunctionValue<'_>| name.starts_with(&format!("{}_nest", caller.get_name().to_string_lossy()));
        for attribute in own(*callers.iter().find(is_of).unwrap_or(first)) {
            function.add_attribute(AttributeLoc::Function, attribute);
        }
    }
    avoid_gathers(module);
}

/// Makes functions load elements one by one instead of gathering them. Clang's vectorizer of straight-line code joins the
/// accumulators of rows to a vector, whose elements it would gather: 2.5 times slower for y = A x on a Zen 4. A function
/// with this setting is inlined only into one that has it, too.
fn avoid_gathers(module: &Module<'_>) {
    if architecture(&module.get_triple()) != "x86_64" {
        return;
    }
    let context = module.get_context();
    for function in module.get_functions().filter(|function| function.count_basic_blocks() > 0) {
        let own = function.get_string_attribute(AttributeLoc::Function, FEATURES);
        let own = own.map(|own| own.get_string_value().to_string_lossy().into_owned()).filter(|own| !own.is_empty());
        let features: Vec<_> = own.into_iter().chain(["+prefer-no-gather".to_owned()]).collect();
        function.add_attribute(AttributeLoc::Function, context.create_string_attribute(FEATURES, &features.join(",")));
    }
}
