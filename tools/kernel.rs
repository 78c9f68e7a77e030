//! Kernels: from the `gpu.module`s of a lowered program to PTX or SPIR-V, to a description of them, and into the code of the host.
mod asynchronous;
mod bit_reversal;
pub mod functions;
pub mod manifest;
mod narrow;
mod native;
mod pairs;
pub mod ptxas;
mod results;
mod widths;

use crate::{jit, target};
use anyhow::{Result, anyhow, bail, ensure};
use inkwell::{
    OptimizationLevel,
    context::Context,
    module::{Linkage, Module},
    targets::{
        CodeModel, FileType, InitializationConfig, RelocMode, Target as LlvmTarget, TargetMachine, TargetTriple,
    },
};
use manifest::Kernel;
use mdh_dialects::ir::{self, Op};
use mdh_passes::target::{KernelFlavour, Target};
use mdh_runtime::Api;

/// The architecture of NVIDIA that kernels are compiled for if none is given.
pub const DEFAULT_ARCHITECTURE: &str = "sm_80";

/// The oldest architecture that has everything that kernels use.
const OLDEST: u32 = 70;

/// The first architecture whose threads go on while something is copied to shared memory.
const ASYNCHRONOUS: u32 = 80;

/// How often LLVM is asked for SPIR-V in which every result has an id of its own.
const ATTEMPTS: usize = 12;

/// What kernels are compiled for.
pub struct Device {
    machine: TargetMachine,
    flavour: &'static KernelFlavour,
    architecture: Option<String>,
    is_asynchronous: bool,
}

/// The kernels of a program.
pub struct Kernels {
    /// The symbol of their `gpu.module`.
    pub symbol: String,
    /// PTX text, or a binary of SPIR-V.
    pub code: Vec<u8>,
    /// LLVM IR, optimised.
    pub llvm_ir: String,
    /// The text of SPIR-V, or PTX again.
    pub assembly: String,
    /// What a program must know to launch them.
    pub kernels: Vec<Kernel>,
    /// What functions do to launch them, as the manifest says it.
    pub programs: Vec<serde_json::Value>,
}

impl Device {
    /// The device of a target with kernels; `architecture` is for CUDA. Errors name an unknown architecture and the nearest.
    pub fn new(target: &Target, architecture: Option<&str>) -> Result<Self> {
        let flavour = KernelFlavour::named(target.name).map_err(anyhow::Error::msg)?;
        let (triple, architecture) = match target.name {
            "cuda" => {
                LlvmTarget::initialize_nvptx(&InitializationConfig::default());
                ("nvptx64-nvidia-cuda", Some(architecture.unwrap_or(DEFAULT_ARCHITECTURE).to_owned()))
            }
            "opencl" => {
                native::initialize_spirv();
                ensure!(architecture.is_none(), "an architecture requires the target cuda, but got opencl");
                ("spirv64-unknown-unknown", None)
            }
            _ => bail!("kernels require the target cuda or opencl, but got '{}'", target.name),
        };
        let triple = TargetTriple::create(triple);
        let mut is_asynchronous = false;
        if let Some(name) = &architecture {
            // LLVM itself would end the process later.
            let mut known = jit::processors(&target_machine(&triple, "")?);
            if !known.contains(name) {
                // Nobody is told to take one that is too old.
                known.retain(|name| number(name) >= OLDEST);
            }
            target::check("architecture", name, &known)?;
            let number = number(name);
            ensure!(number >= OLDEST, "kernels require architecture sm_{OLDEST} or later, but got '{name}'");
            is_asynchronous = number >= ASYNCHRONOUS;
        }
        let machine = target_machine(&triple, architecture.as_deref().unwrap_or_default())?;
        Ok(Self { machine, flavour, architecture, is_asynchronous })
    }

    /// The device of a target that programs run on here, as `mdh_runtime` has selected it; none for the target cpu.
    pub fn selected(target: &Target) -> Result<Option<Self>> {
        match target.name {
            "cuda" => {
                let (major, minor) = mdh_runtime::selected(Api::Cuda)?.capability.unwrap_or((8, 0));
                Self::new(target, Some(&format!("sm_{major}{minor}"))).map(Some)
            }
            "opencl" => Self::new(target, None).map(Some),
            _ => Ok(None),
        }
    }

    /// What its kernels are like.
    pub fn flavour(&self) -> &'static KernelFlavour {
        self.flavour
    }

    /// How kernels are launched.
    pub fn api(&self) -> Api {
        if self.architecture.is_some() { Api::Cuda } else { Api::Opencl }
    }

    /// Everything that has an influence on the code.
    pub fn description(&self) -> String {
        format!("{} {}", self.api().name(), self.architecture().unwrap_or_default())
    }

    /// The architecture, for CUDA.
    pub fn architecture(&self) -> Option<&str> {
        self.architecture.as_deref()
    }

    /// Compiles the kernels of a module in the LLVM dialect; none if it has no kernels.
    pub fn compile(&self, module: &melior::ir::Module<'_>) -> Result<Option<Kernels>> {
        let module = ir::op(melior::ir::Module::as_operation(module));
        let found = ir::find(module, "gpu.module");
        ensure!(found.len() <= 1, "kernels require one gpu.module, but the program has {}", found.len());
        let Some(&source) = found.first() else { return Ok(None) };
        let symbol = symbol(source).to_owned();
        let functions: Vec<_> = ir::find(source, "llvm.func");
        for function in &functions {
            // All threads of a block are there, not only at most as many.
            if let Some(size) = ir::attribute(*function, "gpu.known_block_size").filter(|_| self.architecture.is_some())
            {
                ir::remove_attribute(*function, "nvvm.maxntid");
                ir::set_attribute(*function, "nvvm.reqntid", size);
                // Without it, the assembler of PTX keeps registers for more blocks, and spills.
                let one = ir::Builder::before(*function).attribute("1 : i32");
                ir::set_attribute(*function, "nvvm.minctasm", one);
            }
        }
        // What a launch asks for has no size here: it is not a variable of the kernel, which upstream makes of it.
        for global in ir::find(source, "llvm.mlir.global") {
            let r#type = ir::attribute(global, "global_type").map(|r#type| r#type.to_string());
            if r#type.is_some_and(|r#type| r#type.starts_with("!llvm.array<0 x")) {
                let external = ir::Builder::before(global).attribute("#llvm.linkage<external>");
                ir::set_attribute(global, "linkage", external);
            }
        }
        let context = Context::create();
        let llvm = jit::translate_operation(source, &context)?;
        llvm.set_triple(&self.machine.get_triple());
        llvm.set_data_layout(&self.machine.get_target_data().get_data_layout());
        let entries: Vec<_> = functions.into_iter().filter(|f| ir::attribute(*f, "gpu.kernel").is_some()).collect();
        let kernels: Vec<_> = entries
            .iter()
            .map(|kernel| manifest::describe(module, *kernel, |global| self.bytes(&llvm, global)))
            .collect();
        match &self.architecture {
            Some(_) => {
                functions::link_cuda(&llvm, &context)?;
                if !self.is_asynchronous {
                    asynchronous::copy_at_once(&llvm)?;
                }
            }
            None => functions::name_opencl(&llvm),
        }
        // Wide accesses to memory of a block require it; 3 is that memory for both targets.
        for global in llvm.get_globals().filter(|g| g.as_pointer_value().get_type().get_address_space() == 3u16.into())
        {
            global.set_alignment(16);
        }
        for function in llvm.get_functions().filter(|function| function.count_basic_blocks() > 0) {
            let name = function.get_name().to_string_lossy().into_owned();
            if !kernels.iter().any(|kernel| kernel.name == name) {
                function.set_linkage(Linkage::Internal);
            }
        }
        llvm.verify().map_err(|error| anyhow!("LLVM IR of the kernels does not verify: {error}"))?;
        // SPIR-V has no long vectors, and compilers for OpenCL make vectors of the values of many threads.
        let scalars = if self.architecture.is_some() {
            ""
        } else {
            ",function(scalarizer<load-store>,instcombine<no-verify-fixpoint>)"
        };
        let passes = format!("default<O3>,function(infer-address-spaces){scalars}");
        let run_passes = |passes: &str| jit::run_passes(&llvm, passes, &self.machine);
        run_passes(&passes)?;
        if self.architecture.is_some() {
            // The code generator would take constants out of addresses later, and not find all of them in extended numbers.
            let passes = "function(separate-const-offset-from-gep,slsr,gvn,nary-reassociate,early-cse)";
            run_passes(passes)?;
            narrow::narrow(&llvm)?;
            // Loads of neighbours are put together where they are known to be aligned: some by their addresses, others by those.
            run_passes("function(instsimplify,early-cse,adce,infer-alignment,infer-alignment)")?;
        } else {
            bit_reversal::expand(&llvm)?;
            pairs::expand(&llvm)?;
            widths::widen(&llvm)?;
        }
        let llvm_ir = llvm.print_to_string().to_string();
        let object = match self.architecture {
            Some(_) => None,
            None => Some(self.emit(&llvm, FileType::Object)?),
        };
        let assembly =
            String::from_utf8_lossy(&self.emit(&llvm, FileType::Assembly)?).trim_end_matches('\0').to_owned();
        let code = object.unwrap_or_else(|| assembly.clone().into_bytes());
        Ok(Some(Kernels { symbol, code, llvm_ir, assembly, kernels, programs: manifest::programs(module) }))
    }

    /// Machine code of a module, or its text.
    fn emit(&self, llvm: &Module<'_>, kind: FileType) -> Result<Vec<u8>> {
        // What LLVM has worked on keeps its memory, and more and more that is free is taken, so that the next attempt has other addresses.
        let (mut kept, mut taken) = (vec![], vec![]);
        for attempt in 0..ATTEMPTS {
            taken.extend((0..(64 << attempt) - 64).map(|_| Vec::<u8>::with_capacity(1024)));
            // LLVM's code generator for SPIR-V leaves a module that it does not take again, and a machine that remembers its types.
            let machine = target_machine(&self.machine.get_triple(), self.architecture.as_deref().unwrap_or_default())?;
            let module = llvm.clone();
            let code = machine.write_to_memory_buffer(&module, kind).map_err(|error| anyhow!("{error}"))?;
            let bytes = code.as_slice().to_vec();
            let (bytes, is_sound) = match kind {
                _ if self.architecture.is_some() => (bytes, true),
                FileType::Assembly => {
                    let is_sound = results::are_unique_in_text(&String::from_utf8_lossy(&bytes));
                    (bytes, is_sound)
                }
                FileType::Object => {
                    let words = spirv_words(bytes);
                    let is_sound = results::are_unique(&words);
                    (words, is_sound)
                }
            };
            if is_sound {
                return Ok(bytes);
            }
            kept.push((code, module, machine));
        }
        bail!("LLVM writes SPIR-V in which two results have the same id, {ATTEMPTS} times")
    }

    fn bytes(&self, llvm: &Module<'_>, global: &str) -> u64 {
        let data = self.machine.get_target_data();
        llvm.get_global(global).map_or(0, |global| data.get_abi_size(&global.get_value_type()))
    }
}

/// The number of an architecture of NVIDIA, such as 90 of `sm_90a`.
fn number(architecture: &str) -> u32 {
    architecture.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or_default()
}

/// A machine of a target that is known to LLVM.
fn target_machine(triple: &TargetTriple, processor: &str) -> Result<TargetMachine> {
    let target = LlvmTarget::from_triple(triple).map_err(|error| anyhow!("{error}"))?;
    // The code generator for SPIR-V loses the mask of integers of other widths than bytes, which its loop strength reduction makes.
    let is_spirv = triple.as_str().to_bytes().starts_with(b"spirv");
    let level = if is_spirv { OptimizationLevel::None } else { OptimizationLevel::Aggressive };
    let model = CodeModel::Default;
    target
        .create_target_machine(triple, processor, "", level, RelocMode::PIC, model)
        .ok_or_else(|| anyhow!("LLVM has no target machine for {triple}"))
}

/// The words of SPIR-V without what LLVM puts behind them: its buffers end with a zero byte.
fn spirv_words(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() / 4 * 4);
    bytes
}

impl Kernels {
    /// The manifest: JSON.
    ///
    /// # Errors
    /// Where a function does something around its kernels that no step of a manifest says.
    pub fn manifest(&self, device: &Device) -> Result<String> {
        manifest::write(device.architecture(), &self.kernels, &self.programs)
    }

    /// Puts the code into the module in place of its `gpu.module`, so that the host's code loads and launches it.
    pub fn embed(&self, module: &mut melior::ir::Module<'_>, device: &Device) {
        ir::rewrite(module, |module| self.replace_source(module, device));
    }

    fn replace_source(&self, module: Op<'_>, device: &Device) {
        let target = match device.architecture() {
            Some(architecture) => format!("#nvvm.target<chip = \"{architecture}\">"),
            None => "#spirv.target_env<#spirv.vce<v1.4, [Kernel], []>, #spirv.resource_limits<>>".to_owned(),
        };
        // PTX ends with a zero byte where it is loaded.
        let mut text: String = self.code.iter().map(|byte| format!("\\{byte:02X}")).collect();
        if device.architecture().is_some() {
            text.push_str("\\00");
        }
        for source in ir::find(module, "gpu.module") {
            let b = ir::Builder::before(source);
            let objects = b.attribute(&format!("[#gpu.object<{target}, bin = \"{text}\">]"));
            let name = ir::attribute(source, "sym_name").unwrap_or_else(|| b.attribute("\"\""));
            let handler = b.attribute("#gpu.select_object<0>");
            let attributes = [("sym_name", name), ("offloadingHandler", handler), ("objects", objects)];
            b.op("gpu.binary", &[], &[], &attributes, vec![]);
            ir::erase(source);
        }
    }
}

/// Renames the functions that upstream calls, such as `mgpuMemAlloc`, to those of our run-time library: `mdhCudaMemAlloc` or
/// `mdhOpenclMemAlloc`.
pub fn rename_runtime(module: &Module<'_>, device: &Device) {
    let prefix = if device.architecture().is_some() { "mdhCuda" } else { "mdhOpencl" };
    for function in module.get_functions() {
        let name = function.get_name().to_string_lossy().into_owned();
        if let Some(rest) = name.strip_prefix("mgpu") {
            function.as_global_value().set_name(&format!("{prefix}{rest}"));
        }
    }
}

/// Moves the global constructors and destructors, which load and unload kernels, to the arrays of functions that the system's loader
/// calls. LLVM would put them into older sections, of which not every linker makes such arrays.
pub fn arrays(module: &Module<'_>, symbol: &str) {
    if !module.get_triple().as_str().to_string_lossy().contains("linux") {
        return;
    }
    let context = module.get_context();
    let pointer = context.ptr_type(0u16.into());
    let mut used = vec![];
    for (list, callee, section) in [
        ("llvm.global_ctors", format!("{symbol}_load"), ".init_array"),
        ("llvm.global_dtors", format!("{symbol}_unload"), ".fini_array"),
    ] {
        native::remove_global(module, list);
        let Some(function) = module.get_function(&callee) else { continue };
        let entry = module.add_global(pointer, None, &format!("{callee}_entry"));
        entry.set_initializer(&function.as_global_value().as_pointer_value());
        entry.set_linkage(Linkage::Internal);
        // Kernels are there before a program's own constructors run, which may call functions that have some.
        entry.set_section(Some(&format!("{section}.00123")));
        used.push(entry.as_pointer_value());
    }
    // Nothing in the module uses them.
    let list = module.add_global(pointer.array_type(used.len() as u32), None, "llvm.used");
    list.set_initializer(&pointer.const_array(&used));
    list.set_linkage(Linkage::Appending);
    list.set_section(Some("llvm.metadata"));
}

/// The functions that load and unload kernels where a program calls them itself.
pub const INITIALIZE: &str = "mdh_initialize";
/// As [`INITIALIZE`].
pub const FINALIZE: &str = "mdh_finalize";

/// Replaces the global constructors and destructors, which load and unload kernels, by functions [`INITIALIZE`] and [`FINALIZE`], for a
/// program that is not loaded by the system's loader. They do nothing where there are no kernels.
pub fn constructors(module: &Module<'_>, symbol: &str) -> Result<()> {
    let context = module.get_context();
    let builder = context.create_builder();
    for (list, name, callee) in [
        ("llvm.global_ctors", INITIALIZE, format!("{symbol}_load")),
        ("llvm.global_dtors", FINALIZE, format!("{symbol}_unload")),
    ] {
        native::remove_global(module, list);
        let function = module.add_function(name, context.void_type().fn_type(&[], false), None);
        builder.position_at_end(context.append_basic_block(function, "entry"));
        if let Some(callee) = module.get_function(&callee) {
            builder.build_call(callee, &[], "")?;
        }
        builder.build_return(None)?;
    }
    Ok(())
}

/// The symbol of an operation.
fn symbol<'c>(operation: Op<'c>) -> &'c str {
    ir::attribute(operation, "sym_name").and_then(ir::string_attribute).unwrap_or_default()
}
