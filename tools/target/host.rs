//! From the LLVM dialect to machine code of a processor: LLVM's optimizations, assembly and object files.
use super::names::check;
use crate::llvm;
use anyhow::{Result, anyhow, bail, ensure};
use clap::{Args, ValueEnum};
use inkwell::{
    OptimizationLevel,
    attributes::{Attribute, AttributeLoc},
    context::Context,
    module::Module,
    targets::{CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple},
    values::{BasicValue as _, BasicValueUse, FunctionValue},
};

/// Sanitizers, named as in `clang -fsanitize=`, which links their run-time libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sanitizer {
    /// Out-of-bounds accesses and uses after free
    Address,
    /// Data races between threads
    Thread,
}

impl Sanitizer {
    /// The attribute of instrumented functions.
    fn attribute(self) -> &'static str {
        match self {
            Self::Address => "sanitize_address",
            Self::Thread => "sanitize_thread",
        }
    }

    /// The instrumentation passes, which run after all optimizations.
    fn passes(self) -> &'static str {
        match self {
            Self::Address => "asan",
            Self::Thread => "tsan-module,function(tsan)",
        }
    }
}

/// The names of a processor and its features, which are options of commands.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessorNames {
    /// Target triple of the host code, such as aarch64-linux-gnu; defaults to this machine's
    #[arg(long, value_name = "TRIPLE")]
    pub triple: Option<String>,
    /// The processor, by LLVM's name; defaults to this machine's, or to the baseline of another architecture
    #[arg(long, value_name = "NAME")]
    pub cpu: Option<String>,
    /// Processor features to enable or disable, such as +avx2,-fma
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub features: Option<String>,
}

impl ProcessorNames {
    /// Returns true if one of them is given.
    pub fn is_given(&self) -> bool {
        *self != Self::default()
    }
}

/// The processor to compile for, and the options of code generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessorOptions {
    /// The processor and its features.
    pub names: ProcessorNames,
    /// LLVM optimization level, 0 to 3.
    pub level: u8,
    /// The sanitizer that instruments the code.
    pub sanitizer: Option<Sanitizer>,
    /// Give every instruction a defined result.
    pub define_results: bool,
}

impl Default for ProcessorOptions {
    fn default() -> Self {
        Self { names: ProcessorNames::default(), level: 3, sanitizer: None, define_results: false }
    }
}

/// A processor to compile for.
pub struct Processor {
    machine: TargetMachine,
    cpu: String,
    features: String,
    level: u8,
    sanitizer: Option<Sanitizer>,
    define_results: bool,
    is_native: bool,
}

/// The supported architectures, each with its baseline processor, by LLVM's names.
const ARCHITECTURES: [(&str, &str); 2] = [("x86_64", "x86-64"), ("aarch64", "generic")];

/// The architecture of a triple.
pub(crate) fn architecture(triple: &TargetTriple) -> String {
    let text = triple.as_str().to_string_lossy();
    text.split('-').next().unwrap_or_default().to_owned()
}

/// A triple in LLVM's normal form, of a supported architecture.
fn triple(text: &str) -> Result<TargetTriple> {
    let triple = TargetMachine::normalize_triple(&TargetTriple::create(text));
    let known: Vec<_> = ARCHITECTURES.iter().map(|(name, _)| (*name).to_owned()).collect();
    check("architecture", &architecture(&triple), &known)?;
    Ok(triple)
}

impl Processor {
    /// The processor that the options describe. An error names an unknown architecture, processor or feature, and the
    /// nearest known ones.
    pub fn new(options: &ProcessorOptions) -> Result<Self> {
        let optimization = match options.level {
            0 => OptimizationLevel::None,
            1 => OptimizationLevel::Less,
            2 => OptimizationLevel::Default,
            3 => OptimizationLevel::Aggressive,
            level => bail!("unknown optimisation level {level}: expects 0, 1, 2 or 3"),
        };
        Target::initialize_native(&InitializationConfig::default()).map_err(|error| anyhow!("{error}"))?;
        Target::initialize_x86(&InitializationConfig::default());
        Target::initialize_aarch64(&InitializationConfig::default());
        let ProcessorNames { triple: chosen, cpu: processor, features: changes } = &options.names;
        let own = TargetMachine::get_default_triple();
        let triple = chosen.as_deref().map_or_else(|| Ok(TargetMachine::get_default_triple()), triple)?;
        let is_native = architecture(&triple) == architecture(&own);
        let target = Target::from_triple(&triple).map_err(|error| anyhow!("{error}"))?;
        let create = |cpu: &str, features: &str| {
            target
                .create_target_machine(&triple, cpu, features, optimization, RelocMode::PIC, CodeModel::Default)
                .ok_or_else(|| anyhow!("LLVM has no target machine for {triple}"))
        };
        let mut features = vec![];
        let names_host = matches!(processor.as_deref(), Some("native" | "host"));
        ensure!(
            is_native || !names_host,
            "the processor 'native' requires the architecture of this machine, {}, but the triple is {}",
            architecture(&own),
            triple.as_str().to_string_lossy()
        );
        let host = is_native && (names_host || processor.is_none());
        let cpu = match processor {
            Some(cpu) if !host => cpu.clone(),
            _ if !host => {
                let least = ARCHITECTURES.iter().find(|(name, _)| *name == architecture(&triple));
                least.map_or("generic", |(_, cpu)| cpu).to_owned()
            }
            _ => {
                features.push(TargetMachine::get_host_cpu_features().to_string());
                TargetMachine::get_host_cpu_name().to_string()
            }
        };
        if !host || changes.is_some() {
            // A target machine without a processor knows all names; LLVM itself would only warn.
            let known = create("", "")?;
            if !host {
                check("processor", &cpu, &llvm::processors(&known))?;
            }
            if let Some(changes) = changes {
                let names = llvm::features(&known);
                for (i, change) in changes.split(',').enumerate() {
                    ensure!(
                        !change.is_empty(),
                        "feature {} of '{changes}' requires '+' or '-' and a name, but is empty",
                        i + 1
                    );
                    let name = change.strip_prefix(['+', '-']);
                    let name = name.ok_or_else(|| anyhow!("feature '{change}' requires '+' or '-' before its name"))?;
                    check("feature", name, &names)?;
                }
                features.push(changes.clone());
            }
        }
        let features = features.join(",");
        let machine = create(&cpu, &features)?;
        let ProcessorOptions { level, sanitizer, define_results, .. } = *options;
        Ok(Self { machine, cpu, features, level, sanitizer, define_results, is_native })
    }

    /// A text with everything about the processor that affects code.
    pub fn description(&self) -> String {
        let triple = self.machine.get_triple();
        let sanitizer = self.sanitizer.map_or(String::new(), |sanitizer| format!(" {}", sanitizer.attribute()));
        let defined = if self.define_results { " defined" } else { "" };
        format!(
            "{} {} {} O{}{sanitizer}{defined}",
            triple.as_str().to_string_lossy(),
            self.cpu,
            self.features,
            self.level
        )
    }

    /// Returns true if it has the architecture of this machine.
    pub fn is_native(&self) -> bool {
        self.is_native
    }

    /// Its name, LLVM's.
    pub fn name(&self) -> &str {
        &self.cpu
    }

    /// Its enabled features, by LLVM's names: those of the processor with the changes, and the features that they
    /// imply.
    pub fn features(&self) -> Vec<String> {
        llvm::enabled_features(&self.machine)
    }

    /// Translates a module of the LLVM dialect to LLVM IR for this machine.
    pub fn translate<'l>(&self, module: &melior::ir::Module<'_>, context: &'l Context) -> Result<Module<'l>> {
        let translated = llvm::translate(module, context)?;
        translated.set_triple(&self.machine.get_triple());
        translated.set_data_layout(&self.machine.get_target_data().get_data_layout());
        Ok(translated)
    }

    /// Sets the target attributes of a module, runs LLVM's default pipeline of the optimization level, then the
    /// instrumentation.
    pub fn optimize(&self, module: &Module<'_>) -> Result<()> {
        let context = module.get_context();
        if self.define_results {
            llvm::defined::define_results(module);
        }
        // LLVM disables optimizations that sanitizers would report falsely, but only in functions with the sanitizer's
        // attribute.
        let sanitizer = self.sanitizer.map(|sanitizer| {
            context.create_enum_attribute(Attribute::get_named_enum_kind_id(sanitizer.attribute()), 0)
        });
        let attributes: Vec<_> = [("target-cpu", &self.cpu), ("target-features", &self.features)]
            .map(|(name, value)| context.create_string_attribute(name, value))
            .into_iter()
            .chain(sanitizer)
            .collect();
        for function in module.get_functions().filter(|function| function.count_basic_blocks() > 0) {
            for &attribute in &attributes {
                function.add_attribute(AttributeLoc::Function, attribute);
            }
        }
        module.verify().map_err(|error| anyhow!("LLVM IR does not verify: {error}"))?;
        let sanitizer = self.sanitizer.map_or(String::new(), |sanitizer| format!(",{}", sanitizer.passes()));
        // GVN compares a load with those at most 100 instructions before it. Windows of unrolled reductions read an
        // element again after more instructions.
        let passes = format!("default<O{}>,function(early-cse<memssa>){sanitizer}", self.level);
        llvm::run_passes(module, &passes, &self.machine)?;
        limit_quadratic_codegen(module);
        Ok(())
    }

    /// The assembly text of an optimized module.
    pub fn assembly(&self, module: &Module<'_>) -> Result<String> {
        let buffer =
            self.machine.write_to_memory_buffer(module, FileType::Assembly).map_err(|error| anyhow!("{error}"))?;
        // LLVM's buffers end with a zero byte.
        Ok(String::from_utf8_lossy(buffer.as_slice()).trim_end_matches('\0').to_owned())
    }

    /// The object file of an optimized module.
    pub fn object(&self, module: &Module<'_>) -> Result<inkwell::memory_buffer::MemoryBuffer<'static>> {
        self.machine.write_to_memory_buffer(module, FileType::Object).map_err(|error| anyhow!("{error}"))
    }
}

/// Limit of LLVM's time per function that is quadratic in the uses of a value, as a number of pairs of uses: 10^8 pairs
/// take about a second.
const MAX_PAIRS_OF_USES: u64 = 1 << 29;

/// Disables optimized code generation for functions with values that very many instructions use, because LLVM's
/// two-address instruction pass compares all pairs of uses.
fn limit_quadratic_codegen(module: &Module<'_>) {
    let context = module.get_context();
    let attributes =
        ["optnone", "noinline"].map(|name| context.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0));
    // Declarations are skipped: those of LLVM's intrinsics may have parameters that are not values.
    let defined = module.get_functions().filter(|function| function.count_basic_blocks() > 0);
    for function in defined.filter(|function| pairs_of_uses(*function) > MAX_PAIRS_OF_USES) {
        let name = function.get_name().to_string_lossy();
        eprintln!("note: '{name}' has values with very many uses; its code is generated without optimizations");
        for attribute in attributes {
            function.add_attribute(AttributeLoc::Function, attribute);
        }
    }
}

/// The sum of the squares of the number of uses, over all arguments and results of instructions.
fn pairs_of_uses(function: FunctionValue<'_>) -> u64 {
    let pairs = |first: Option<BasicValueUse<'_>>| {
        let uses = std::iter::successors(first, |current| current.get_next_use()).count() as u64;
        uses * uses
    };
    let arguments = function.get_param_iter().map(|argument| pairs(argument.get_first_use()));
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    arguments.chain(instructions.map(|instruction| pairs(instruction.get_first_use()))).sum()
}
