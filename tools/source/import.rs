//! LLVM IR as a module of the LLVM dialect, whose loops are functions of their own.
use crate::{
    llvm, program,
    target::{compiler, host::architecture},
};
use anyhow::{Result, anyhow, ensure};
use inkwell::{
    OptimizationLevel,
    targets::{InitializationConfig, Target, TargetMachine},
};
use mdh_dialects::ir;
use mdh_passes::pipeline;
use melior::{Context, ir::Module};
use std::path::Path;

/// The passes of LLVM by which loops have counters, and addresses are computed where they are used. No promotion of
/// memory to registers: an element that a loop adds to is one that a computation combines.
const PASSES: &str =
    "always-inline,cgscc(inline),function(sroa,early-cse<memssa>,simplifycfg,loop-simplify,loop-mssa(licm))";

/// The module of the LLVM dialect of LLVM IR, text or bitcode, after these passes, with a function for each nest.
/// `function`: the one whose loops become nests; those of all functions if not given. `is_required`: a loop that is in no nest
/// is an error.
pub fn import<'c>(
    context: &'c Context,
    source: &[u8],
    path: &Path,
    function: Option<&str>,
    is_required: bool,
) -> Result<Module<'c>> {
    let llvm = inkwell::context::Context::create();
    let name = path.display().to_string();
    let parsed = llvm::parse_any(source, &name, &llvm)?;
    simplify(&parsed, &name)?;
    let imported = program::diagnosed(context, || {
        llvm::import(context, parsed).ok_or_else(|| anyhow!("'{name}' cannot be imported"))
    });
    let mut module = imported?;
    program::run(context, &mut module, &format!("builtin.module({})", pipeline::lift_llvm(function, is_required)))?;
    Ok(module)
}

/// True if a module has functions of nests.
pub fn has_nests(module: &Module<'_>) -> bool {
    !ir::find(ir::op(module.as_operation()), "func.func").is_empty()
}

/// Leaves only the functions of nests, which are public.
pub fn keep_nests(module: &mut Module<'_>) {
    ir::rewrite(module, |root| {
        let Some(body) = ir::body(root, 0) else { return };
        for operation in ir::block_operations(body) {
            match ir::name(operation) {
                "func.func" => ir::remove_attribute(operation, "sym_visibility"),
                _ => ir::erase(operation),
            }
        }
    });
}

/// Runs the passes on a module. The error is that it is for another machine.
fn simplify(module: &inkwell::module::Module<'_>, name: &str) -> Result<()> {
    Target::initialize_all(&InitializationConfig::default());
    let ours = TargetMachine::get_default_triple();
    let theirs = Some(module.get_triple()).filter(|triple| !triple.as_str().is_empty());
    let theirs = theirs.unwrap_or_else(TargetMachine::get_default_triple);
    ensure!(
        architecture(&theirs) == architecture(&ours),
        "'{name}' is for {}, but this machine is {}",
        architecture(&theirs),
        architecture(&ours)
    );
    llvm::run_passes(
        module,
        PASSES,
        &compiler::machine(&theirs.as_str().to_string_lossy(), "", OptimizationLevel::Default)?,
    )
}
