//! Compiles functions, and caches them in memory by program and schedule.
//!
//! ```no_run
//! # fn main() -> anyhow::Result<()> {
//! use mdh_tools::{program, session::Session};
//! let (context, session) = (program::context(), Session::default());
//! let function = session.function(&context, &std::fs::read("examples/matmul.mlir")?, Some("matmul"))?;
//! function.set_threads(1)?;
//! # Ok(())
//! # }
//! ```
use crate::{
    cache::{Cache, CacheOutcome, Key, Source},
    device,
    interface::Memory,
    jit::{self, Code, Compiled},
    kernel,
    llvm::defined::saturate_conversions,
    machine,
    program::{self, Lowered},
    signature,
    target::host::{Processor, ProcessorOptions},
};
use anyhow::{Result, anyhow, ensure};
use mdh_dialects::ir;
use mdh_passes::{
    machine::Machine,
    pipeline::{Options, STAGES},
};
use melior::{
    Context,
    ir::{
        Module,
        operation::{OperationLike, OperationPrintingFlags},
    },
};
use std::{cell::RefCell, collections::HashMap, path::PathBuf, sync::Arc};

/// Compilation options, and the functions compiled so far, which are kept until the session ends.
#[derive(Default)]
pub struct Session {
    options: Options,
    machine: Option<PathBuf>,
    cache: Option<Cache>,
    compiled: RefCell<HashMap<Key, Arc<Compiled>>>,
}

impl Session {
    /// `options`: how programs are lowered. `machine`: a file that describes the machine for default schedules
    /// (`--machine`). Schedule and machine files are read each time that a function is requested. `cache`: code that
    /// other processes have compiled.
    pub fn new(options: Options, machine: Option<PathBuf>, cache: Option<Cache>) -> Self {
        Self { options, machine, cache, compiled: RefCell::default() }
    }

    /// A function of a program, given as text or bytecode; its only public function if no name is given. Repeated
    /// requests share the function, and its number of threads. Errors are those of the program, of its lowering, and of
    /// files that the options name.
    pub fn function(&self, context: &Context, program: &[u8], name: Option<&str>) -> Result<Arc<Compiled>> {
        let mut module = program::parse(context, program)?;
        let name = signature::of(signature::find(ir::op(module.as_operation()), name)?)?.name;
        Ok(self.compile(context, &mut module, &name)?.0)
    }

    /// The public function with this name. Its module is lowered unless the function is cached.
    pub fn compile(
        &self,
        context: &Context,
        module: &mut Module<'_>,
        name: &str,
    ) -> Result<(Arc<Compiled>, CacheOutcome)> {
        signature::export(module, &[signature::find(ir::op(module.as_operation()), Some(name))?]);
        let setup = self.setup(module)?;
        let flags = OperationPrintingFlags::new().print_generic_operation_form();
        let text = module.as_operation().to_string_with_flags(flags)?;
        let source = Source {
            program: &text,
            function: name,
            options: &setup.options,
            machine: &setup.machine,
            target: &setup.target,
            device: setup.device.as_ref(),
            selected: setup.selected.as_ref(),
        };
        // A schedule from a pipe, which can be read only once, has no key.
        let key = source.key_in_process().ok();
        if let Some(known) = key.and_then(|key| self.compiled.borrow().get(&key).cloned()) {
            return Ok((known, CacheOutcome::Hit));
        }
        let mut compile = || {
            jit::code(
                &mut setup.lowered(context, module, name)?,
                &setup.target,
                setup.device.as_ref(),
                None,
                Memory::Host,
            )
        };
        let (code, outcome) = match &self.cache {
            Some(cache) => cache.code(|| source.key(), compile)?,
            None => (compile()?, CacheOutcome::Off),
        };
        let compiled = Arc::new(Compiled::link(&code)?);
        // If a file was changed meanwhile, the code may be from before or after the change.
        if let Some(key) = key.filter(|key| source.key_in_process().is_ok_and(|now| now == *key)) {
            self.compiled.borrow_mut().insert(key, Arc::clone(&compiled));
        }
        Ok((compiled, outcome))
    }

    /// The code of a function of a program, with run-time checks: it checks types, sizes and strides of its arguments at
    /// each call, and the sizes of dynamic operations in the program. The function is the only public one if no name is
    /// given. `memory`: where its arrays are.
    pub fn checked_code(&self, context: &Context, program: &[u8], name: Option<&str>, memory: Memory) -> Result<Code> {
        let (mut module, name, bounds) = checked(context, program, name)?;
        memory.mark(signature::find(ir::op(module.as_operation()), Some(&name))?);
        let setup = self.setup(&module)?.with_runtime_checks();
        let mut lowered = setup.lowered(context, &mut module, &name)?;
        jit::code(&mut lowered, &setup.target, setup.device.as_ref(), Some(bounds), memory)
    }

    /// The program of [`Session::checked_code`] as text: after a stage of the pipeline, or its code. The error for another
    /// name lists both.
    pub fn checked_text(&self, context: &Context, program: &[u8], name: Option<&str>, what: &str) -> Result<String> {
        let stages = STAGES.iter().map(|stage| stage.name);
        let codes = jit::texts(self.options.target.kernels.as_ref());
        let is_stage = stages.clone().any(|stage| stage == what);
        ensure!(
            is_stage || codes.contains(&what),
            "unknown stage '{what}': expects one of {}",
            stages.chain(codes).collect::<Vec<_>>().join(", ")
        );
        let (mut module, name, bounds) = checked(context, program, name)?;
        let setup = self.setup(&module)?.with_runtime_checks();
        if is_stage {
            let options = Options { stop_after: Some(what.to_owned()), ..setup.options };
            program::lower(context, &mut module, &options)?;
            return Ok(module.as_operation().to_string());
        }
        let mut lowered = setup.lowered(context, &mut module, &name)?;
        jit::text(&mut lowered, &setup.target, setup.device.as_ref(), Some(bounds), what)
    }

    /// What a program is compiled for; it becomes the target of the module if it has none.
    fn setup(&self, module: &Module<'_>) -> Result<Setup> {
        let device = kernel::Device::selected(self.options.target)?;
        let selected = device.as_ref().map(|device| mdh_runtime::selected(device.api())).transpose()?;
        let described = selected.as_ref().map(|selected| device::description(selected, &Machine::host()));
        let machine = machine::Options { file: self.machine.as_deref(), target: None, device: described.as_ref() };
        machine.attach(module)?;
        Ok(Setup {
            target: Processor::new(&ProcessorOptions {
                define_results: self.options.check_accesses,
                ..Default::default()
            })?,
            machine: machine.machine(Some(module))?,
            options: Options { limits: selected.as_ref().map(device::limits), ..self.options.clone() },
            device,
            selected,
        })
    }
}

/// What a program is compiled for, and how.
struct Setup {
    target: Processor,
    machine: Machine,
    options: Options,
    /// The device that kernels are compiled for.
    device: Option<kernel::Device>,
    /// The device that runs them.
    selected: Option<mdh_runtime::Device>,
}

impl Setup {
    /// The same with run-time checks.
    fn with_runtime_checks(mut self) -> Self {
        self.options.has_runtime_checks = true;
        self
    }

    /// A public function in the LLVM dialect, which uses what the device has.
    fn lowered<'m, 'c>(&self, context: &Context, module: &'m mut Module<'c>, name: &str) -> Result<Lowered<'m, 'c>> {
        let mut lowered = Lowered::new(context, module, name, &self.options)?;
        if self.options.check_accesses {
            saturate_conversions(lowered.module());
        }
        if let Some(selected) = &self.selected {
            device::check(lowered.module(), selected)?;
        }
        Ok(lowered)
    }
}

/// A program, the name of its function, and the checks of its arguments.
fn checked<'c>(
    context: &'c Context,
    program: &[u8],
    name: Option<&str>,
) -> Result<(Module<'c>, String, signature::Checks)> {
    let module = program::parse(context, program)?;
    let function = signature::find(ir::op(module.as_operation()), name)?;
    let (name, bounds) = (signature::of(function)?.name, signature::checks(function));
    signature::export(&module, &[function]);
    Ok((module, name, bounds))
}

/// A path as a string, for the options of the pipeline.
pub fn text(what: &str, path: Option<&std::path::Path>) -> Result<Option<String>> {
    let text = path.map(|path| path.to_str().ok_or_else(|| anyhow!("the path of the {what} is not UTF-8")));
    Ok(text.transpose()?.map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        array::{Array, Element},
        jit::Argument,
    };

    const PROGRAM: &str = "
        func.func @sum(%x: tensor<3xi32>) -> tensor<i32> {
          %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<3xi32>) -> !mdh.mda<3, i32>
          %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
          ^bb0(%a: i32):
            mdh.hom.yield %a : i32
          } : !mdh.mda<3, i32> -> !mdh.mda<1, i32>
          %o = mdh.view.out_view %r[affine_map<(i) -> ()>] : !mdh.mda<1, i32> -> tensor<i32>
          return %o : tensor<i32>
        }";

    fn sum(function: &Compiled) -> i128 {
        let element = Element::from_name("i32").unwrap();
        let mut array = Array::filled(element, &[3], element.from_integer(1)).unwrap();
        array.set(1, element.from_integer(2));
        array.set(2, element.from_integer(4));
        let results = function.call(&mut [Argument::Array(array)]).unwrap();
        element.signed(results[0].get(0))
    }

    #[test]
    fn what_is_asked_for_again_is_there() {
        let context = program::context();
        let session = Session::default();
        let compiled = |program: &str| session.function(&context, program.as_bytes(), Some("sum")).unwrap();
        let first = compiled(PROGRAM);
        assert_eq!(sum(&first), 7);
        assert!(Arc::ptr_eq(&first, &compiled(PROGRAM)));
        let other = compiled(&PROGRAM.replace("pw<add>", "pw<mul>"));
        assert!(!Arc::ptr_eq(&first, &other));
        assert_eq!(sum(&other), 8);
    }

    #[test]
    fn another_schedule_is_other_code() {
        let context = program::context();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("schedule.json");
        let options = Options { schedule: path.to_str().map(str::to_owned), ..Options::default() };
        let session = Session::new(options, None, None);
        let compiled = |parts: &str| {
            let text = format!(
                r#"{{"version": 2, "system": "openmp", "parts": {parts}, "decompose": {{"tags": [["COR,x"], ["MM,x"], ["L2,x"], ["L1,x"]]}}}}"#
            );
            std::fs::write(&path, text).unwrap();
            session.function(&context, PROGRAM.as_bytes(), None).unwrap()
        };
        let (one, three) = (compiled("[[1], [1], [1], [3]]"), compiled("[[1], [3], [1], [1]]"));
        assert!(!Arc::ptr_eq(&one, &three));
        assert!(Arc::ptr_eq(&one, &compiled("[[1], [1], [1], [3]]")));
        assert_eq!((sum(&one), sum(&three)), (7, 7));
    }

    #[test]
    fn an_error_is_that_of_the_program() {
        let context = program::context();
        let error = |program: &str, name| Session::default().function(&context, program.as_bytes(), name).map(drop);
        let text = error(PROGRAM, Some("product")).unwrap_err().to_string();
        assert!(text.contains("product"), "{text}");
        assert!(error("func.func @", None).is_err());
    }
}
