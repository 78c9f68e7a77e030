//! LLVM IR as a module of the LLVM dialect, whose loops are functions of their own.
use super::directive::Directive;
use crate::{
    llvm, program,
    target::{compiler, host::architecture},
};
use anyhow::{Result, anyhow, ensure};
use inkwell::{
    OptimizationLevel,
    targets::{InitializationConfig, Target, TargetMachine},
};
use mdh_dialects::{
    attributes::DIRECTIVE,
    ir::{self, Builder},
};
use mdh_passes::{analysis::location, pipeline};
use melior::{
    Context,
    ir::{Location, Module, operation::OperationLike},
};
use std::path::Path;

/// The passes of LLVM by which loops have counters, and addresses are computed where they are used. No promotion of
/// memory to registers: an element that a loop adds to is one that a computation combines.
const PASSES: &str =
    "always-inline,cgscc(inline),function(sroa,early-cse<memssa>,simplifycfg,loop-simplify,loop-mssa(licm))";

/// The module of the LLVM dialect of LLVM IR, text or bitcode, after these passes, with a function for each nest.
/// `directives`: what the program says of its loops. `function`: the one whose loops become nests; those of all functions if not
/// given. `is_required`: a loop that is in no nest is an error.
pub fn import<'c>(
    context: &'c Context,
    (source, directives): (&[u8], &[Directive]),
    path: &Path,
    function: Option<&str>,
    is_required: bool,
) -> Result<Module<'c>> {
    let llvm = inkwell::context::Context::create();
    let name = path.display().to_string();
    let parsed = llvm::parse_any(source, &name, &llvm)?;
    simplify(&parsed, &name)?;
    // The import warns of hints that it leaves out, which need no attention.
    let imported = program::errors_only(context, || {
        llvm::import(context, parsed).ok_or_else(|| anyhow!("'{name}' cannot be imported"))
    });
    let mut module = imported?;
    ir::rewrite(&mut module, |root| mark(root, directives));
    program::run(context, &mut module, &format!("builtin.module({})", pipeline::lift_llvm(function, is_required)))?;
    Ok(module)
}

/// Sets the directives on the branches back of their loops, with their locations: clang gives such a branch that of the
/// loop. A directive without one is in code that is not compiled.
fn mark(module: ir::Op<'_>, directives: &[Directive]) {
    if directives.is_empty() {
        return;
    }
    let mut branches = ir::descendants(module);
    branches.retain(|of| ir::attribute(*of, "loop_annotation").is_some());
    for directive in directives {
        let file = Path::new(&directive.file).file_name();
        let is_own = |branch: &ir::Op<'_>| {
            let place = location::place(&branch.location());
            let mut parts = place.trim_end_matches(": ").rsplitn(3, ':').skip(1);
            let line = parts.next().and_then(|line| line.parse().ok());
            line == Some(directive.loop_line) && parts.next().is_some_and(|name| Path::new(name).file_name() == file)
        };
        let own: Vec<_> = branches.iter().copied().filter(is_own).collect();
        if own.is_empty() {
            let (line, column) = directive.position;
            eprintln!("{}:{line}:{column}: warning: no loop of this directive is compiled", directive.file);
        }
        for branch in own {
            let b = Builder::before(branch);
            let texts = |all: &[String]| b.array(&all.iter().map(|text| b.string(text)).collect::<Vec<_>>());
            // Arrays have the names of the caller where a function is inlined.
            let anonymous = |output: &String| output.find('[').map_or("", |position| &output[position..]).to_owned();
            let outputs: Vec<_> = match is_inlined(branch.location()) {
                true => directive.outputs.iter().map(anonymous).collect(),
                false => directive.outputs.clone(),
            };
            let value = b.array(&[texts(&outputs), texts(&directive.operators), texts(&directive.variables)]);
            let (line, column) = directive.position;
            ir::set_attribute(branch, DIRECTIVE, value);
            ir::set_location(branch, Location::new(b.context, &directive.file, line, column));
        }
    }
}

/// True for the location of an operation of a function that is inlined.
fn is_inlined(location: Location<'_>) -> bool {
    let parts = if location.is_fused() { location.fused_num_locations() } else { 0 };
    location.is_call_site() || (0..parts).any(|part| is_inlined(location.fused_location(part)))
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
