//! From the LLVM dialect to machine code of a processor: its optimisations, assembly and object files.
use super::names::check;
use crate::llvm;
use anyhow::{Result, anyhow, bail, ensure};
use clap::ValueEnum;
use inkwell::{
    OptimizationLevel,
    attributes::{Attribute, AttributeLoc},
    context::Context,
    module::Module,
    targets::{CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple},
    values::{BasicValue as _, BasicValueUse, FunctionValue},
};

/// What compiled code is instrumented with; named as by `clang -fsanitize=`, which links its run-time library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sanitizer {
    /// Accesses beside of buffers, or to buffers that are freed
    Address,
    /// Accesses of two threads, of which nothing says which is the first
    Thread,
}

impl Sanitizer {
    /// The attribute of the functions that it instruments.
    fn attribute(self) -> &'static str {
        match self {
            Self::Address => "sanitize_address",
            Self::Thread => "sanitize_thread",
        }
    }

    /// The passes that instrument, after all optimisations.
    fn passes(self) -> &'static str {
        match self {
            Self::Address => "asan",
            Self::Thread => "tsan-module,function(tsan)",
        }
    }
}

/// The processor that code is made for, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessorOptions {
    /// Architecture and system, such as `aarch64-linux-gnu`; this machine's if not given.
    pub triple: Option<String>,
    /// A processor by LLVM's name; this machine's if not given, and the least one of another architecture.
    pub cpu: Option<String>,
    /// Changes to the features of the processor, such as `+avx2,-fma`.
    pub features: Option<String>,
    /// How much LLVM optimises, 0 to 3.
    pub level: u8,
    /// What looks for wrong accesses at run time.
    pub sanitizer: Option<Sanitizer>,
}

impl Default for ProcessorOptions {
    fn default() -> Self {
        Self { triple: None, cpu: None, features: None, level: 3, sanitizer: None }
    }
}

/// A processor that code is made for.
pub struct Processor {
    machine: TargetMachine,
    cpu: String,
    features: String,
    level: u8,
    sanitizer: Option<Sanitizer>,
    is_own: bool,
}

/// The architectures that code can be made for, and the least processor of each, by LLVM's names.
const ARCHITECTURES: [(&str, &str); 2] = [("x86_64", "x86-64"), ("aarch64", "generic")];

/// The architecture of a triple.
fn architecture(triple: &TargetTriple) -> String {
    let text = triple.as_str().to_string_lossy();
    text.split('-').next().unwrap_or_default().to_owned()
}

/// A triple in LLVM's form, for an architecture that there is a code generator for.
fn triple(text: &str) -> Result<TargetTriple> {
    let triple = TargetMachine::normalize_triple(&TargetTriple::create(text));
    let known: Vec<_> = ARCHITECTURES.iter().map(|(name, _)| (*name).to_owned()).collect();
    check("architecture", &architecture(&triple), &known)?;
    Ok(triple)
}

impl Processor {
    /// The processor that the options describe. Errors name an unknown architecture, processor or feature, and the nearest known ones.
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
        let own = TargetMachine::get_default_triple();
        let triple = options.triple.as_deref().map_or_else(|| Ok(TargetMachine::get_default_triple()), triple)?;
        let is_own = architecture(&triple) == architecture(&own);
        let target = Target::from_triple(&triple).map_err(|error| anyhow!("{error}"))?;
        let create = |cpu: &str, features: &str| {
            target
                .create_target_machine(&triple, cpu, features, optimization, RelocMode::PIC, CodeModel::Default)
                .ok_or_else(|| anyhow!("LLVM has no target machine for {triple}"))
        };
        let mut features = vec![];
        let names_host = matches!(options.cpu.as_deref(), Some("native" | "host"));
        ensure!(
            is_own || !names_host,
            "the processor 'native' requires the architecture of this machine, {}, but the triple is {}",
            architecture(&own),
            triple.as_str().to_string_lossy()
        );
        let host = is_own && (names_host || options.cpu.is_none());
        let cpu = match &options.cpu {
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
        if !host || options.features.is_some() {
            // A machine without processor knows the names; LLVM itself would only warn.
            let known = create("", "")?;
            if !host {
                check("processor", &cpu, &llvm::processors(&known))?;
            }
            if let Some(changes) = &options.features {
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
        Ok(Self { machine, cpu, features, level: options.level, sanitizer: options.sanitizer, is_own })
    }

    /// Everything about it that has an influence on code, as text.
    pub fn description(&self) -> String {
        let triple = self.machine.get_triple();
        let sanitizer = self.sanitizer.map_or(String::new(), |sanitizer| format!(" {}", sanitizer.attribute()));
        format!("{} {} {} O{}{sanitizer}", triple.as_str().to_string_lossy(), self.cpu, self.features, self.level)
    }

    /// Whether it has the architecture of this machine.
    pub fn is_own(&self) -> bool {
        self.is_own
    }

    /// The features that it has, by LLVM's names: those of its processor, and what they imply, with the changes.
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

    /// Makes a module one for this machine, runs LLVM's default optimisations of the level, then instruments.
    pub fn optimize(&self, module: &Module<'_>) -> Result<()> {
        let context = module.get_context();
        // LLVM leaves out what sanitizers would take for wrong only where it optimises functions with their attribute.
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
        let passes = format!("default<O{}>{sanitizer}", self.level);
        llvm::run_passes(module, &passes, &self.machine)?;
        spare(module);
        Ok(())
    }

    /// Assembly text of an optimised module.
    pub fn assembly(&self, module: &Module<'_>) -> Result<String> {
        let buffer =
            self.machine.write_to_memory_buffer(module, FileType::Assembly).map_err(|error| anyhow!("{error}"))?;
        // LLVM ends its buffers with a zero byte.
        Ok(String::from_utf8_lossy(buffer.as_slice()).trim_end_matches('\0').to_owned())
    }

    /// An object file of an optimised module.
    pub fn object(&self, module: &Module<'_>) -> Result<inkwell::memory_buffer::MemoryBuffer<'static>> {
        self.machine.write_to_memory_buffer(module, FileType::Object).map_err(|error| anyhow!("{error}"))
    }
}

/// How much of LLVM's time a function may take that grows with the square of the uses of a value: a second for 10^8.
const MOST_PAIRS_OF_USES: u64 = 1 << 29;

/// Makes LLVM generate code without optimisations for functions with values that very many instructions use: its registers for two-address
/// instructions compare all pairs of them.
fn spare(module: &Module<'_>) {
    let context = module.get_context();
    let attributes =
        ["optnone", "noinline"].map(|name| context.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0));
    // Declarations are left out: those of LLVM's own functions may have parameters that are no values.
    let defined = module.get_functions().filter(|function| function.count_basic_blocks() > 0);
    for function in defined.filter(|function| pairs_of_uses(*function) > MOST_PAIRS_OF_USES) {
        let name = function.get_name().to_string_lossy();
        eprintln!(
            "note: '{name}' has values that very many instructions use; its code is generated without optimisations"
        );
        for attribute in attributes {
            function.add_attribute(AttributeLoc::Function, attribute);
        }
    }
}

/// How many pairs of instructions use the same argument or result of an instruction.
fn pairs_of_uses(function: FunctionValue<'_>) -> u64 {
    let pairs = |first: Option<BasicValueUse<'_>>| {
        let uses = std::iter::successors(first, |current| current.get_next_use()).count() as u64;
        uses * uses
    };
    let arguments = function.get_param_iter().map(|argument| pairs(argument.get_first_use()));
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    arguments.chain(instructions.map(|instruction| pairs(instruction.get_first_use()))).sum()
}
