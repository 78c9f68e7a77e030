//! Functions compiled as users compile them: an MDH computation that maps over arrays, for processors with several
//! vector widths.
use crate::functions::Function;
use anyhow::Result;
use mdh_passes::pipeline::Options;
use mdh_tools::{
    array::{Array, Element},
    jit::{self, Argument, Compiled},
    machine,
    program::{self, Lowered},
    signature::Signature,
    target::host::{Processor, ProcessorNames, ProcessorOptions},
};

/// The vector width that a function is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    /// The name in tables.
    pub name: &'static str,
    /// The LLVM name of the processor; `None` for the host processor.
    cpu: Option<&'static str>,
    /// The system of the default schedule: `openmp`, without vector lanes; `None` for the default system of processors.
    system: Option<&'static str>,
}

const fn width(name: &'static str, cpu: Option<&'static str>) -> Width {
    Width { name, cpu, system: None }
}

/// All widths.
#[cfg(target_arch = "x86_64")]
pub const WIDTHS: [Width; 4] = [
    Width { name: "scalar", cpu: Some("x86-64"), system: Some("openmp") },
    width("SSE2", Some("x86-64")),
    width("AVX2", Some("x86-64-v3")),
    width("AVX-512", Some("x86-64-v4")),
];
/// All widths.
#[cfg(not(target_arch = "x86_64"))]
pub const WIDTHS: [Width; 2] = [Width { name: "scalar", cpu: None, system: Some("openmp") }, width("vectors", None)];

impl Width {
    /// True if this machine can run code of this width.
    pub fn is_available(&self) -> bool {
        #[cfg(target_arch = "x86_64")]
        match self.cpu {
            Some("x86-64-v4") => {
                return is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512cd")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl");
            }
            Some("x86-64-v3") => {
                return is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("f16c");
            }
            _ => {}
        }
        true
    }
}

/// A compiled function.
pub struct Engine {
    compiled: Compiled,
}

impl Engine {
    /// Compiles a function for a type and width; `strict` calls the functions of the C library.
    pub fn new(function: &Function, element: Element, width: Width, strict: bool) -> Result<Self> {
        let types = function.types(element);
        let (count, number) = function.result();
        let operands: Vec<_> = (0..types.len()).map(|i| format!("%x{i}")).collect();
        let results: Vec<_> = (0..count).map(|i| format!("%y{i}")).collect();
        let (operands, results) = (operands.join(", "), results.join(", "));
        let mut names: Vec<_> = types.iter().map(Element::to_string).collect();
        // Operations whose operands all have one type print it once.
        names.dedup();
        let body = format!("{results} = math.{} {operands} : {}", function.operation(), names.join(", "));
        Self::of(&program(&types, element, &body, &format!("%y{number}")), width, strict)
    }

    /// Compiles a scalar function of `%x0`. `body` is its operations, and `result` the name of its result.
    pub fn map(element: Element, body: &str, result: &str, width: Width, strict: bool) -> Result<Self> {
        Self::of(&program(&[element], element, body, result), width, strict)
    }

    fn of(program: &str, width: Width, strict: bool) -> Result<Self> {
        let context = program::context();
        let mut module = program::parse(&context, program.as_bytes())?;
        let names = ProcessorNames { cpu: width.cpu.map(str::to_owned), ..ProcessorNames::default() };
        let target = ProcessorOptions { names, ..ProcessorOptions::default() };
        let described = Processor::new(&target)?;
        machine::Options { target: Some(&described), ..machine::Options::default() }.attach(&module)?;
        let system = width.system.map(str::to_owned);
        let options = Options { system, threads: Some(1), strict, ..Options::default() };
        let mut lowered = Lowered::new(&context, &mut module, "f", &options)?;
        let compiled = jit::compiled(&mut lowered, &target, None)?;
        compiled.set_threads(1)?;
        Ok(Self { compiled })
    }

    /// Applies the function to operand arrays of equal length.
    pub fn apply(&self, operands: &[Array]) -> Result<Array> {
        let mut arguments: Vec<_> = operands.iter().cloned().map(Argument::Array).collect();
        Ok(self.compiled.call(&mut arguments)?.remove(0))
    }

    /// The signature of the compiled function.
    pub fn signature(&self) -> &Signature {
        self.compiled.signature()
    }
}

/// The program text of a computation that applies a scalar function to each element.
fn program(types: &[Element], element: Element, body: &str, result: &str) -> String {
    let join = |text: &dyn Fn(usize, &Element) -> String| {
        types.iter().enumerate().map(|(i, ty)| text(i, ty)).collect::<Vec<_>>().join(", ")
    };
    let parameters = join(&|i, ty| format!("%a{i}: tensor<?x{ty}>"));
    let reads = join(&|i, _| format!("%a{i}[#i]"));
    let tensors = join(&|_, ty| format!("tensor<?x{ty}>"));
    let elements = join(&|_, ty| ty.to_string());
    let arguments = join(&|i, ty| format!("%x{i}: {ty}"));
    format!(
        "#i = affine_map<(i) -> (i)>
        func.func @f({parameters}) -> tensor<?x{element}> {{
          %in = mdh.view.inp_view {reads} : ({tensors}) -> !mdh.mda<?, {elements}>
          %r = mdh.hom.md_hom %in combine [#mdh.cc] {{
          ^bb0({arguments}):
            {body}
            mdh.hom.yield {result} : {element}
          }} : !mdh.mda<?, {elements}> -> !mdh.mda<?, {element}>
          %w = mdh.view.out_view %r[#i] : !mdh.mda<?, {element}> -> tensor<?x{element}>
          return %w : tensor<?x{element}>
        }}"
    )
}
