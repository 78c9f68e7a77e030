//! Kernels: compiles the `gpu.module` of a lowered program to device code, describes it (`manifest.rs`), and embeds it
//! into host code (`embed.rs`).
pub mod embed;
pub mod manifest;

use crate::{
    llvm,
    target::{
        self,
        compiler::{Code, Compiler},
    },
};
use anyhow::{Context as _, Result, anyhow, ensure};
use inkwell::{
    context::Context,
    module::{Linkage, Module},
};
use manifest::DescribedKernel;
use mdh_dialects::ir::{self, Op};
use mdh_passes::target::{KernelFlavour, Target};
use mdh_runtime::Api;

/// A device that kernels are compiled for.
pub struct Device {
    api: Api,
    flavour: &'static KernelFlavour,
    compiler: Box<dyn Compiler>,
}

/// The kernels of a program.
pub struct Kernels {
    /// The symbol of the `gpu.module`.
    pub symbol: String,
    /// The code that a device loads: PTX text, or a SPIR-V binary.
    pub code: Vec<u8>,
    /// Optimized LLVM IR.
    pub llvm_ir: String,
    /// The code as readable text.
    pub assembly: String,
    /// The description of each kernel.
    pub kernels: Vec<DescribedKernel>,
    /// The launch programs of functions, as in the manifest.
    pub programs: Vec<serde_json::Value>,
}

/// The address space of shared memory, in all targets.
const SHARED: u16 = 3;

impl Device {
    /// The device of a target with kernels, for its default architecture if none is given. An error names an unknown
    /// architecture and the nearest known ones.
    pub fn new(target: &'static Target, architecture: Option<&str>) -> Result<Self> {
        let flavour = flavour(target)?;
        let api = Api::named(target.name);
        let api = api.with_context(|| format!("nothing runs the kernels of the target '{}'", target.name))?;
        ensure!(
            architecture.is_none() || flavour.architecture.is_some(),
            "the target '{}' has no architectures",
            target.name
        );
        let compiler = target::compiler(flavour.code, architecture.or(flavour.architecture))?;
        Ok(Self { api, flavour, compiler })
    }

    /// The device that `mdh_runtime` has selected on this machine; `None` for a target without kernels.
    pub fn selected(target: &'static Target) -> Result<Option<Self>> {
        let (Some(flavour), Some(api)) = (&target.kernels, Api::named(target.name)) else { return Ok(None) };
        let architecture = target::architecture(flavour.code, &mdh_runtime::selected(api)?)?;
        Self::new(target, architecture.as_deref()).map(Some)
    }

    /// The properties of its kernels.
    pub fn flavour(&self) -> &'static KernelFlavour {
        self.flavour
    }

    /// The API that launches its kernels.
    pub fn api(&self) -> Api {
        self.api
    }

    /// A text with everything about the device that affects code.
    pub fn description(&self) -> String {
        format!("{} {}", self.api.name(), self.architecture().unwrap_or_default())
    }

    /// The architecture, if the target has architectures.
    pub fn architecture(&self) -> Option<&str> {
        self.compiler.architecture()
    }

    /// Compiles the kernels of a module in the LLVM dialect; `None` if it has none.
    pub fn compile(&self, module: &melior::ir::Module<'_>) -> Result<Option<Kernels>> {
        let module = ir::op(melior::ir::Module::as_operation(module));
        let found = ir::find(module, "gpu.module");
        ensure!(found.len() <= 1, "kernels require one gpu.module, but the program has {}", found.len());
        let Some(&source) = found.first() else { return Ok(None) };
        let functions: Vec<_> = ir::find(source, "llvm.func");
        functions.iter().for_each(|function| self.compiler.prepare(*function));
        // Dynamic shared memory has size 0 here. It must be external, not a variable that the kernel defines, as
        // upstream declares it.
        for global in ir::find(source, "llvm.mlir.global") {
            let ty = ir::attribute(global, "global_type").map(|ty| ty.to_string());
            if ty.is_some_and(|ty| ty.starts_with("!llvm.array<0 x")) {
                let external = ir::Builder::before(global).linkage(ir::Linkage::External);
                ir::set_attribute(global, "linkage", external);
            }
        }
        let context = Context::create();
        let machine = self.compiler.machine();
        let llvm = llvm::translate_operation(source, &context)?;
        llvm.set_triple(&machine.get_triple());
        llvm.set_data_layout(&machine.get_target_data().get_data_layout());
        let entries: Vec<_> = functions.into_iter().filter(|f| ir::attribute(*f, "gpu.kernel").is_some()).collect();
        let kernels: Vec<_> = entries
            .iter()
            .map(|kernel| manifest::describe(module, *kernel, |global| self.bytes(&llvm, global)))
            .collect();
        self.compiler.resolve(&llvm, &context)?;
        // Vector accesses to shared memory require it.
        let is_shared = |space| space == SHARED.into();
        for global in llvm.get_globals().filter(|g| is_shared(g.as_pointer_value().get_type().get_address_space())) {
            global.set_alignment(16);
        }
        for function in llvm.get_functions().filter(|function| function.count_basic_blocks() > 0) {
            let name = function.get_name().to_string_lossy().into_owned();
            if !kernels.iter().any(|kernel| kernel.name == name) {
                function.set_linkage(Linkage::Internal);
            }
        }
        llvm.verify().map_err(|error| anyhow!("LLVM IR of the kernels does not verify: {error}"))?;
        self.compiler.optimize(&llvm)?;
        let llvm_ir = llvm.print_to_string().to_string();
        let Code { code, text } = self.compiler.emit(&llvm)?;
        let symbol = manifest::symbol(source).to_owned();
        Ok(Some(Kernels { symbol, code, llvm_ir, assembly: text, kernels, programs: manifest::programs(module) }))
    }

    /// Returns the binary that the vendor's assembler makes of kernels.
    ///
    /// # Errors
    /// The assembler is not installed, or refuses the code.
    pub fn assemble(&self, kernels: &Kernels) -> Result<Vec<u8>> {
        self.compiler.assemble(&kernels.code)
    }

    fn bytes(&self, llvm: &Module<'_>, global: &str) -> u64 {
        let data = self.compiler.machine().get_target_data();
        llvm.get_global(global).map_or(0, |global| data.get_abi_size(&global.get_value_type()))
    }
}

/// The properties of a target's kernels.
fn flavour(target: &'static Target) -> Result<&'static KernelFlavour> {
    KernelFlavour::named(target.name).map_err(anyhow::Error::msg)
}

impl Kernels {
    /// The manifest, as JSON.
    ///
    /// # Errors
    /// A function has an operation around its kernels that no step of a manifest can express.
    pub fn manifest(&self, device: &Device) -> Result<String> {
        manifest::write(device.api.name(), device.architecture(), &self.kernels, &self.programs)
    }

    /// Replaces the `gpu.module` with the code, so that host code loads and launches it.
    pub fn embed(&self, module: &mut melior::ir::Module<'_>, device: &Device) {
        ir::rewrite(module, |module| self.replace_source(module, device));
    }

    fn replace_source(&self, module: Op<'_>, device: &Device) {
        let end = device.compiler.is_text().then_some(0);
        let code: Vec<u8> = self.code.iter().copied().chain(end).collect();
        for source in ir::find(module, "gpu.module") {
            let b = ir::Builder::before(source);
            let objects = b.array(&[b.gpu_object(device.compiler.attribute(&b), &code)]);
            let name = ir::attribute(source, "sym_name").unwrap_or_else(|| b.string(""));
            let attributes = [("sym_name", name), ("offloadingHandler", b.first_object()), ("objects", objects)];
            b.op("gpu.binary", &[], &[], &attributes, vec![]);
            ir::erase(source);
        }
    }
}
