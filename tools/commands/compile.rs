//! `mdh compile`: writes any stage of a program to a file.
mod c;
mod versions;

use super::options::{ClangOptions, LoweringOptions, PROGRAM, ReportOptions, ScheduleOptions};
use crate::{
    header::{self, Header},
    interface::{self, Exported, Memory},
    kernel::{Device, Kernels, embed},
    machine, object, program,
    signature::{self, Signature},
    source::Language,
    target::host::{Processor, ProcessorNames, ProcessorOptions, Sanitizer},
    temporary,
};
use anyhow::{Result, bail};
use clap::Args;
use mdh_dialects::ir;
use mdh_passes::{
    pipeline::{Options, STAGES, Stage},
    target::{KernelFlavour, TARGETS, Target, limits::Limits, listed},
};
use std::{
    borrow::Cow,
    collections::HashSet,
    path::{Path, PathBuf},
};

/// Compile a program, and write its IR at any stage or its code.
#[derive(Args, Clone, Debug)]
#[command(mut_arg("cpu", |option| option.help(CPU_HELP)))]
pub struct Compile {
    #[arg(help = PROGRAM)]
    file: PathBuf,
    /// The public function to compile; all public functions if not given
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    #[arg(long, value_name = "WHAT", help = emit_help())]
    emit: String,
    #[arg(long, value_name = "NAME", default_value = TARGETS[0].name, help = target_help())]
    target: String,
    #[arg(long, value_name = "NAME", help = arch_help())]
    arch: Option<String>,
    /// The output file; - is the standard output, which is the default for text
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    processor: ProcessorNames,
    /// Prefix of the functions' symbols
    #[arg(long, value_name = "TEXT")]
    prefix: Option<String>,
    /// Emit functions that check ranks, sizes and strides of their arguments, and return an error instead of computing
    #[arg(long)]
    checked: bool,
    /// Where the arrays of the functions are: with device memory, functions take a stream and copy nothing
    #[arg(long, value_enum, value_name = "WHERE", default_value_t)]
    memory: Memory,
    /// LLVM optimization level, 0 to 3
    #[arg(long, value_name = "LEVEL", default_value_t = 3)]
    opt_level: u8,
    /// Instrument the code to report invalid memory accesses, or data races, at run time; link it with clang -fsanitize
    /// of the same name
    #[arg(long, value_enum, value_name = "WHAT")]
    sanitize: Option<Sanitizer>,
    #[command(flatten)]
    schedules: ScheduleOptions,
    #[command(flatten)]
    lowering: LoweringOptions,
    #[command(flatten)]
    report: ReportOptions,
    /// Emit line tables in LLVM IR, assembly, objects and PTX: lines of the program, or the locations that the program
    /// carries
    #[arg(short = 'g', long)]
    debug: bool,
    #[command(flatten)]
    clang: ClangOptions,
}

/// The help of `--cpu`, of which code has several versions if there are several processors.
const CPU_HELP: &str = "The processor, by LLVM's name; defaults to this machine's, or to the baseline of another \
    architecture. Several levels of x86-64, such as x86-64-v2,x86-64-v3, make a version of each function for each";

/// Outputs after the stages of the pipeline, available for each target.
const CODE_OUTPUTS: [&str; 5] = ["llvm-ir", "assembly", "object", "header", "shared"];

/// The output that describes kernels.
const MANIFEST: &str = "manifest";

/// Outputs that can have line tables, for each target.
const OUTPUTS_WITH_LINES: [&str; 4] = ["llvm-ir", "assembly", "object", "shared"];

/// Outputs of kernels over all targets, each name once.
fn codes() -> Vec<&'static str> {
    let mut codes: Vec<_> = KernelFlavour::all().flat_map(KernelFlavour::codes).collect();
    let mut seen = HashSet::new();
    codes.retain(|code| seen.insert(*code));
    codes
}

fn emit_help() -> String {
    let stages: Vec<_> = STAGES.iter().map(|stage| stage.name).collect();
    let kernels =
        Target::with_kernels().flat_map(|target| target.kernels.as_ref().map(|kernels| (target.name, kernels)));
    let codes = kernels.map(|(name, kernels)| format!("{} ({name})", kernels.codes().collect::<Vec<_>>().join(", ")));
    format!(
        "Output to write: a stage of the pipeline ({}), {}; for kernels {} or {MANIFEST}, their description (JSON)",
        stages.join(", "),
        listed(CODE_OUTPUTS),
        codes.collect::<Vec<_>>().join(", ")
    )
}

fn target_help() -> String {
    let target = |target: &Target| {
        let (first, rest) = target.summary.split_at(1);
        format!("{} ({}{rest})", target.name, first.to_lowercase())
    };
    let targets: Vec<_> = TARGETS.iter().map(target).collect();
    format!("The target that runs the loops: {}", listed(targets.iter().map(String::as_str)))
}

fn arch_help() -> String {
    let usual = Target::with_kernels().filter_map(|target| Some((target.name, target.kernels.as_ref()?.architecture?)));
    let usual: Vec<_> = usual.map(|(name, architecture)| format!("{architecture} for {name}")).collect();
    format!("The architecture that kernels are compiled for, by LLVM's name; defaults to {}", usual.join(", "))
}

impl Compile {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        // Errors of the command line are reported before any work is done.
        let output = self.output_file()?;
        self.check_options(output)?;
        let target = self.code_target()?;
        if Language::of(&self.file) != Language::Mlir {
            return self.run_c(output, target);
        }
        let device = self.device(target)?;
        let levels = self.levels(target)?;
        let cpu = levels.as_ref().map_or(self.processor.cpu.as_deref(), |levels| levels.first().copied());
        let processor = self.processor(cpu)?;
        if self.emit == "shared" && !processor.is_native() {
            bail!("--emit shared requires the architecture of this machine: --emit object is for other linkers");
        }
        let context = program::context();
        let mut module = program::read(&context, &self.file, &self.clang.flags)?;
        let exported = self.exported(&context, &module)?;
        if self.emit == "header" {
            return self.write_header(output, &exported, target);
        }
        self.export(&module, &exported)?;
        let limits = device.as_ref().and_then(Device::architecture).map(Limits::of_architecture);
        let stop_after = self.stage().map(|stage| stage.name.to_owned());
        let options = Options { limits, stop_after, ..self.schedules.passes(&self.lowering, target)? };
        self.report.write(&module)?;
        let llvm = inkwell::context::Context::create();
        if let Some(levels) = levels {
            let joined = self.versions(&levels, (&context, &module, &options), &exported, &llvm)?;
            return self.write_code(output, &processor, &joined, None);
        }
        self.machine(&processor).attach(&module)?;
        program::lower(&context, &mut module, &options)?;
        if self.stage().is_some() {
            return object::write(output, format!("{}\n", module.as_operation().to_string().trim_end()).as_bytes());
        }
        let kernels = match &device {
            Some(device) => self.kernels(&context, &module, device)?,
            None => None,
        };
        if let (Some(device), Some(kernels)) = (&device, &kernels) {
            if self.write_kernels(output, device, kernels)? {
                return Ok(());
            }
            kernels.embed(&mut module, device);
        } else if self.is_of_kernels() {
            bail!("--emit {} requires a program with kernels, but '{}' has none", self.emit, self.file.display());
        }
        let translated = self.translated(&context, &mut module, &processor, &exported, &llvm)?;
        if let Some(device) = &device {
            let symbol = kernels.as_ref().map(|kernels| kernels.symbol.as_str());
            embed::call_runtime(&translated, device.flavour(), symbol)?;
        }
        if let Some(kernels) = &kernels {
            embed::arrays(&translated, &kernels.symbol);
        }
        processor.optimize(&translated)?;
        self.write_code(output, &processor, &translated, kernels.as_ref())
    }

    /// The stage of the pipeline after which the program is written, if `--emit` names one.
    fn stage(&self) -> Option<&'static Stage> {
        STAGES.iter().find(|stage| stage.name == self.emit)
    }

    /// Returns true if kernels or their description are written.
    fn is_of_kernels(&self) -> bool {
        self.emit == MANIFEST || codes().contains(&self.emit.as_str())
    }

    /// The file to write. Errors: there is no such output, or it requires a file.
    fn output_file(&self) -> Result<&Path> {
        let emit = self.emit.as_str();
        if self.stage().is_none() && !CODE_OUTPUTS.contains(&emit) && !self.is_of_kernels() {
            let stages = STAGES.iter().map(|stage| stage.name);
            let known: Vec<_> = stages.chain(CODE_OUTPUTS).chain(codes()).chain([MANIFEST]).collect();
            bail!("cannot emit '{emit}': expects one of {}", known.join(", "));
        }
        let is_binary = ["object", "shared"].contains(&emit)
            || KernelFlavour::all()
                .any(|kernels| kernels.code == emit && kernels.text.is_some() || kernels.assembled == Some(emit));
        match &self.output {
            Some(output) => Ok(output),
            None if is_binary => bail!("--emit {emit} requires --output FILE"),
            None => Ok(Path::new("-")),
        }
    }

    /// Checks the options against what is written.
    fn check_options(&self, output: &Path) -> Result<()> {
        let emit = self.emit.as_str();
        if self.sanitize.is_some() && (self.stage().is_some() || emit == "header" || self.is_of_kernels()) {
            bail!("--sanitize requires --emit llvm-ir, assembly, object or shared, but got '{emit}'");
        }
        let has_interface = CODE_OUTPUTS.contains(&emit);
        for (given, option) in [(self.checked, "checked"), (self.prefix.is_some(), "prefix")] {
            if given && !has_interface {
                bail!("--{option} requires --emit llvm-ir, assembly, object, header or shared, but got '{emit}'");
            }
        }
        let prefix = self.prefix.as_deref().unwrap_or_default();
        if !header::is_word(&format!("{prefix}a")) {
            bail!("--prefix requires letters, digits and '_', no digit first, but got '{prefix}'");
        }
        let debugged = OUTPUTS_WITH_LINES
            .into_iter()
            .chain(KernelFlavour::all().filter(|kernels| kernels.has_lines).map(|kernels| kernels.code));
        if self.debug && !debugged.clone().any(|name| name == emit) {
            bail!("--debug requires --emit {}, but got '{emit}'", listed(debugged));
        }
        if self.memory == Memory::Device && self.is_of_kernels() {
            bail!("--memory device requires a stage or an output with the C interface, but got --emit {emit}");
        }
        self.report.check(self.lowering.raise)?;
        if codes().contains(&emit) && manifest_of(output).is_some_and(|beside| beside == output) {
            bail!("'{}' is where the manifest goes, so --emit {emit} requires another extension", output.display());
        }
        Ok(())
    }

    /// The target that runs the loops.
    fn code_target(&self) -> Result<&'static Target> {
        let target = Target::named(&self.target).map_err(anyhow::Error::msg)?;
        let takes_memory = |target: &Target| target.kernels.as_ref().is_some_and(|kernels| kernels.takes_device_memory);
        if self.memory == Memory::Device && !takes_memory(target) {
            let fitting =
                listed(Target::with_kernels().filter(|target| takes_memory(target)).map(|target| target.name));
            bail!("--memory device requires --target {fitting}, but got '{}'", target.name);
        }
        Ok(target)
    }

    /// The processor of this name that the options describe.
    fn processor(&self, cpu: Option<&str>) -> Result<Processor> {
        Processor::new(&ProcessorOptions {
            names: ProcessorNames { cpu: cpu.map(str::to_owned), ..self.processor.clone() },
            level: self.opt_level,
            sanitizer: self.sanitize,
            define_results: false,
        })
    }

    /// The machine that schedules are made for; of a processor only if an option describes it.
    fn machine<'a>(&'a self, processor: &'a Processor) -> machine::Options<'a> {
        let target = self.processor.is_given().then_some(processor);
        machine::Options { file: self.lowering.machine.as_deref(), target, device: None }
    }

    /// The functions with a C interface: the one that is named, or all public functions whose types have one. A stage
    /// may have none.
    fn exported<'c>(&self, context: &'c melior::Context, module: &melior::ir::Module<'c>) -> Result<Vec<Exported>> {
        let operation = ir::op(module.as_operation());
        let functions = match &self.function {
            Some(name) => vec![signature::find(operation, Some(name))?],
            None => signature::public_functions(operation),
        };
        let mut signatures = vec![];
        for function in functions {
            match signature::of(function) {
                Ok(signature) => signatures.push(signature),
                Err(error) if self.function.is_some() => return Err(error),
                // Without --function, functions whose types have no C interface are not exported.
                Err(error) if self.stage().is_none() => eprintln!("note: left out: {error}"),
                Err(_) => {}
            }
        }
        // Checks are those of the computations that the program becomes.
        let raise = self.lowering.raise;
        let checked = self.checked.then(|| program::with_views(context, module, raise)).transpose()?;
        let exported = |signature: Signature| -> Result<Exported> {
            let checks = checked.as_ref().map(|checked| {
                signature::find(ir::op(checked.as_operation()), Some(&signature.name)).map(signature::checks)
            });
            let symbol = format!("{}{}", self.prefix.as_deref().unwrap_or_default(), signature.name);
            Ok(Exported { signature, symbol, checks: checks.transpose()? })
        };
        let exported = signatures.into_iter().map(exported).collect::<Result<Vec<_>>>()?;
        if self.stage().is_none() && exported.is_empty() {
            bail!(
                "'{}' has no public function with arguments and results of numbers, tensors and memrefs",
                self.file.display()
            );
        }
        Ok(exported)
    }

    /// Makes the functions those of the module that others call. A stage has all that the program has.
    fn export(&self, module: &melior::ir::Module<'_>, exported: &[Exported]) -> Result<()> {
        let operation = ir::op(module.as_operation());
        let function = |one: &Exported| signature::find(operation, Some(&one.signature.name));
        let functions = exported.iter().map(function).collect::<Result<Vec<_>>>()?;
        functions.iter().for_each(|function| self.memory.mark(*function));
        if self.stage().is_none() || self.function.is_some() {
            signature::export(module, &functions);
        }
        Ok(())
    }

    /// The code of the kernels, if the program has any.
    fn kernels(
        &self,
        context: &melior::Context,
        module: &melior::ir::Module<'_>,
        device: &Device,
    ) -> Result<Option<Kernels>> {
        if !self.debug || !device.flavour().has_lines {
            return device.compile(module);
        }
        // ptxas optimizes only if the debug information is line directives alone.
        let mut copy = program::copy(&module.as_operation())?;
        lines(context, &mut copy, "DebugDirectivesOnly")?;
        device.compile(&copy)
    }

    /// Translates a module of the LLVM dialect to LLVM IR with the C interface.
    fn translated<'l>(
        &self,
        context: &melior::Context,
        module: &mut melior::ir::Module<'_>,
        processor: &Processor,
        exported: &[Exported],
        llvm: &'l inkwell::context::Context,
    ) -> Result<inkwell::module::Module<'l>> {
        if self.debug {
            lines(context, module, "LineTablesOnly")?;
        }
        let translated = processor.translate(module, llvm)?;
        interface::add(&translated, exported, self.memory)?;
        if self.debug {
            keep_lines(&translated);
        }
        Ok(translated)
    }

    /// Writes the C header of the functions.
    fn write_header(&self, output: &Path, exported: &[Exported], target: &'static Target) -> Result<()> {
        let name = if output == Path::new("-") { &self.file } else { output };
        let name = name.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let header = Header { name: &name, functions: exported, target, memory: self.memory };
        object::write(output, header.text().as_bytes())
    }

    /// Writes optimized code as `--emit` asks.
    fn write_code(
        &self,
        output: &Path,
        processor: &Processor,
        code: &inkwell::module::Module<'_>,
        kernels: Option<&Kernels>,
    ) -> Result<()> {
        match self.emit.as_str() {
            "llvm-ir" => {
                let device = kernels.map(|kernels| format!("\n{}", kernels.llvm_ir)).unwrap_or_default();
                object::write(output, format!("{}{device}", code.print_to_string().to_string()).as_bytes())
            }
            "assembly" => object::write(output, processor.assembly(code)?.as_bytes()),
            "object" => {
                object::write(output, processor.object(code)?.as_slice())?;
                eprintln!("note: link with {}", object::libraries(code).join(" "));
                Ok(())
            }
            _ => object::link(processor.object(code)?.as_slice(), output),
        }
    }

    /// The device that kernels are compiled for; `None` for the host. Errors name the options that conflict.
    fn device(&self, target: &'static Target) -> Result<Option<Device>> {
        let (emit, name) = (self.emit.as_str(), target.name);
        let required =
            |is_it: &dyn Fn(&KernelFlavour) -> bool, what: &str| match target.kernels.as_ref().is_some_and(is_it) {
                true => Ok(()),
                false => {
                    let fitting = Target::with_kernels().filter(|target| target.kernels.as_ref().is_some_and(is_it));
                    bail!("{what} requires --target {}, but got '{name}'", listed(fitting.map(|target| target.name)))
                }
            };
        if codes().contains(&emit) {
            required(&|kernels| kernels.codes().any(|code| code == emit), &format!("--emit {emit}"))?;
        } else if emit == MANIFEST {
            required(&|_| true, &format!("--emit {emit}"))?;
        }
        if self.arch.is_some() {
            required(&|kernels| kernels.architecture.is_some(), "--arch")?;
        }
        target.kernels.as_ref().map(|_| Device::new(target, self.arch.as_deref())).transpose()
    }

    /// Writes kernels and their manifest if `--emit` asks for kernels. Returns true if it did.
    fn write_kernels(&self, output: &Path, device: &Device, kernels: &Kernels) -> Result<bool> {
        let code = match self.emit.as_str() {
            MANIFEST => return object::write(output, kernels.manifest(device)?.as_bytes()).map(|()| true),
            emit if emit == device.flavour().code => Cow::Borrowed(kernels.code.as_slice()),
            emit if Some(emit) == device.flavour().text => Cow::Borrowed(kernels.assembly.as_bytes()),
            emit if Some(emit) == device.flavour().assembled => Cow::Owned(device.assemble(kernels)?),
            _ => return Ok(false),
        };
        match manifest_of(output) {
            Some(beside) => {
                let manifest = kernels.manifest(device)?;
                object::write_together(&[(output, &code), (&beside, manifest.as_bytes())])?;
            }
            None => object::write(output, &code)?,
        }
        Ok(true)
    }
}

/// Attaches the debug scopes that LLVM needs to keep the locations of operations.
fn lines(context: &melior::Context, module: &mut melior::ir::Module<'_>, kind: &str) -> Result<()> {
    let pass = format!("builtin.module(ensure-debug-info-scope-on-llvm-func{{emission-kind={kind}}})");
    program::run(context, module, &pass)
}

/// Prevents inlining of functions into the C interface. It has no debug scopes, so their lines would be lost.
fn keep_lines(module: &inkwell::module::Module<'_>) {
    let kind = inkwell::attributes::Attribute::get_named_enum_kind_id("noinline");
    let attribute = module.get_context().create_enum_attribute(kind, 0);
    for function in module.get_functions().filter(|function| function.get_subprogram().is_some()) {
        if function.get_name().to_bytes().starts_with(b"_mlir_ciface_") {
            function.add_attribute(inkwell::attributes::AttributeLoc::Function, attribute);
        }
    }
}

/// The path of the manifest of kernels that are written to a file; `None` for a pipe or a device.
fn manifest_of(output: &Path) -> Option<PathBuf> {
    (output != Path::new("-") && !temporary::is_special(output)).then(|| output.with_extension("json"))
}
