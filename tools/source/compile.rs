//! Compiles the functions of a C program whose nests are raised, and puts them into clang's module.
use super::{directive::Directive, import, replace};
use crate::{
    llvm, machine, program, report,
    target::host::{Processor, ProcessorNames, ProcessorOptions},
};
use anyhow::{Context as _, Result, ensure};
use inkwell::{
    attributes::AttributeLoc,
    module::{Linkage, Module},
};
use mdh_dialects::{
    hom::MdHom,
    ir::{self, OpView},
};
use mdh_passes::{analysis::location, pipeline};
use melior::{
    Context,
    ir::{ValueLike, operation::OperationLike},
};
use std::path::Path;

/// The least number of points of a nest for which what it computes is faster than its loops. Measured with products of
/// matrices: 4 x 4 x 4 are slower by 160 ns, 8 x 8 x 8 as fast.
const LEAST_POINTS: u32 = 256;

/// What is compiled, and how.
#[derive(Clone, Debug, Default)]
pub struct RaiseRequest {
    /// The processor, if it is another one than that of the program's functions.
    pub names: Option<ProcessorNames>,
    /// The number of threads that run a nest; the number of cores of the machine if `None`.
    pub threads: Option<usize>,
    /// The least number of points of a nest that is computed instead of its loops; 256 if not given.
    pub least_points: Option<u32>,
    /// True if debug information is left in the code.
    pub has_debug_info: bool,
    /// Print what is raised.
    pub prints_raised: bool,
    /// Other options of the passes, such as schedules.
    pub passes: pipeline::Options,
    /// The function whose nests are raised; all functions if not given.
    pub function: Option<String>,
    /// The file that a report of what is raised is written to.
    pub report: Option<std::path::PathBuf>,
    /// A nest that stays is an error.
    pub is_required: bool,
    /// What the program says of its loops.
    pub directives: Vec<Directive>,
}

/// The number of threads that run a nest, if so many are given: one for a program without OpenMP, and the number of cores
/// of the machine (`None`) for one with it.
pub fn threads(given: Option<usize>, has_openmp: bool) -> Option<usize> {
    given.or(if has_openmp { None } else { Some(1) })
}

/// The bitcode of a program with the functions whose nests are raised, before LLVM's passes.
pub fn raised(bitcode: &[u8], source: &Path, request: &RaiseRequest) -> Result<Vec<u8>> {
    let llvm = inkwell::context::Context::create();
    let name = source.display().to_string();
    let into = llvm::parse_any(bitcode, &name, &llvm)?;
    if let Some((changed, other)) = changed(bitcode, source, request, &into, &llvm)? {
        replace::replace(&into, other, &changed)?;
    }
    Ok(written(&into, request))
}

/// The bitcode of a program as it is, before LLVM's passes.
pub fn unchanged(bitcode: &[u8], source: &Path, request: &RaiseRequest) -> Result<Vec<u8>> {
    let llvm = inkwell::context::Context::create();
    Ok(written(&llvm::parse_any(bitcode, &source.display().to_string(), &llvm)?, request))
}

/// The bitcode of a module, with the debug information that is asked for.
fn written(module: &Module<'_>, request: &RaiseRequest) -> Vec<u8> {
    if !request.has_debug_info {
        llvm::strip_debug_info(module);
    }
    module.write_bitcode_to_memory().as_slice().to_vec()
}

/// Checks that a program has a function that others see.
pub fn check_function(bitcode: &[u8], source: &Path, function: &str) -> Result<()> {
    let (llvm, name) = (inkwell::context::Context::create(), source.display());
    let module = llvm::parse_any(bitcode, &name.to_string(), &llvm)?;
    let found = module.get_function(function).filter(|found| found.count_basic_blocks() > 0);
    let found = found.with_context(|| format!("'{name}' has no function '{function}'"))?;
    ensure!(found.get_linkage() != Linkage::Internal, "the function '{function}' of '{name}' is static");
    Ok(())
}

/// Prints a remark for each computation.
fn print_raised(module: &melior::ir::Module<'_>) {
    for hom in MdHom::all(ir::op(module.as_operation())) {
        let operators: Vec<_> = hom.combine().iter().map(ToString::to_string).collect();
        let (place, ty) = (location::place(&hom.op().location()), hom.result().r#type());
        eprintln!("{place}remark: is raised: {} to {ty} [-Rpass=mdh]", operators.join(", "));
    }
}

impl RaiseRequest {
    /// The module of the LLVM dialect of LLVM IR, with a function for each nest, and the machine that runs them.
    pub fn module<'c>(&self, context: &'c Context, source: &[u8], path: &Path) -> Result<melior::ir::Module<'c>> {
        let module =
            import::import(context, (source, &self.directives), path, self.function.as_deref(), self.is_required)?;
        if let Some(report) = &self.report {
            let mut nests = program::copy(&module.as_operation())?;
            import::keep_nests(&mut nests);
            report::write(report, &nests)?;
        }
        Ok(module)
    }

    /// Sets the processor as the target of the module.
    pub fn attach(&self, module: &melior::ir::Module<'_>, own: ProcessorNames) -> Result<()> {
        let names = self.names.clone().unwrap_or(own);
        let processor = Processor::new(&ProcessorOptions { names, ..ProcessorOptions::default() })?;
        machine::Options { file: None, target: Some(&processor), device: None }.attach(module)
    }

    /// The options of the passes.
    pub fn options(&self) -> pipeline::Options {
        pipeline::Options {
            threads: self.threads,
            least_points: self.least_points.unwrap_or(LEAST_POINTS),
            raise: if self.is_required { pipeline::Raising::Required } else { pipeline::Raising::On },
            ..self.passes.clone()
        }
    }
}

/// The processor that clang has compiled the functions of a module for.
pub fn processor(module: &Module<'_>) -> ProcessorNames {
    let function = module.get_functions().find(|function| function.count_basic_blocks() > 0);
    let own = |name: &str| {
        let attribute = function?.get_string_attribute(AttributeLoc::Function, name)?;
        Some(attribute.get_string_value().to_string_lossy().into_owned()).filter(|text| !text.is_empty())
    };
    let triple = module.get_triple().as_str().to_string_lossy().into_owned();
    ProcessorNames {
        triple: Some(triple).filter(|triple| !triple.is_empty()),
        cpu: own("target-cpu"),
        features: own("target-features"),
    }
}

/// The functions whose nests are raised: their names, and a module with them; `None` if there are none.
fn changed<'l>(
    bitcode: &[u8],
    source: &Path,
    request: &RaiseRequest,
    into: &Module<'l>,
    llvm: &'l inkwell::context::Context,
) -> Result<Option<(Vec<String>, Module<'l>)>> {
    let context = program::context_without_threads();
    let mut module = request.module(&context, bitcode, source)?;
    if !import::has_nests(&module) {
        return Ok(None);
    }
    request.attach(&module, processor(into))?;
    let (first, rest) = pipeline::halves(&request.options()).map_err(anyhow::Error::msg)?;
    program::run(&context, &mut module, &first)?;
    if request.prints_raised {
        print_raised(&module);
    }
    let changed = replace::keep_changed(&mut module).context("a symbol is an alias, which has no declaration")?;
    if changed.is_empty() {
        return Ok(None);
    }
    if let Some(rest) = rest {
        program::run(&context, &mut module, &rest)?;
    }
    Ok(Some((changed, llvm::translate(&module, llvm)?)))
}
