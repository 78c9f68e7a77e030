//! Runs a case on both engines, in this process.
use crate::{
    array::Array,
    fuzz::{
        case::Case,
        compare::{argument, compare},
        text::{Argument, FUNCTION},
    },
    jit,
    kernel::Device,
    machine,
    program::{self, Lowered},
    reference, signature,
    target::host::{Processor, ProcessorOptions},
};
use anyhow::{Error, Result, anyhow, bail};
use mdh_dialects::ir;
use mdh_passes::{
    keep_order, pipeline,
    schedule::{self, Options},
};
use melior::{Context, ir::Module};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The stage in which a case fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// The generator created an illegal schedule.
    Schedule,
    /// The program was rejected.
    Verify,
    /// The reference evaluator failed.
    Reference,
    /// Our passes or MLIR's failed.
    Lower,
    /// LLVM failed.
    Compile,
    /// The call failed.
    Call,
    /// The results are wrong.
    Compare,
    /// The process died.
    Crash,
    /// The process did not answer.
    Hang,
}

/// The failure of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The failing stage.
    pub stage: Stage,
    /// The error message.
    pub message: String,
}

impl Failure {
    fn new(stage: Stage, error: &Error) -> Self {
        Self { stage, message: format!("{error:#}") }
    }

    /// Returns true if a failure of another program probably has the same cause.
    pub fn is_like(&self, other: &Self) -> bool {
        let shape = |message: &str| -> String {
            message.lines().next().unwrap_or_default().chars().filter(|c| c.is_alphabetic()).take(40).collect()
        };
        match self.stage {
            Stage::Compare | Stage::Crash | Stage::Hang => self.stage == other.stage,
            _ => self.stage == other.stage && shape(&self.message) == shape(&other.message),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}: {}", self.stage, self.message)
    }
}

/// Runs a case; an error is a failure of the compiler or of the generator.
pub fn run(context: &Context, case: &Case) -> Result<(), Failure> {
    let at = |stage| move |error: Error| Failure::new(stage, &error);
    case.check_schedule().map_err(at(Stage::Schedule))?;
    let text = case.program.text();
    let mut module = program::parse(context, text.as_bytes()).map_err(at(Stage::Verify))?;
    let arguments = case.program.data().map_err(at(Stage::Verify))?;
    let expected = evaluate(&module, &arguments).map_err(at(Stage::Reference))?;
    // Higher optimization levels are slow, so only few cases use them.
    let target = case.options.target(if case.program.data.is_multiple_of(4) { 3 } else { 1 });
    describe(&module, &target).map_err(at(Stage::Compile))?;
    let mut lowered = match lower(context, &mut module, case) {
        // A random schedule may exceed the limits of a device.
        Err(error) if case.device.is_some() && is_refused(&format!("{error:#}")) => return Ok(()),
        outcome => outcome.map_err(at(Stage::Lower))?,
    };
    let device = Device::selected(case.target()).map_err(at(Stage::Compile))?;
    let compiled = jit::compiled(&mut lowered, &target, device.as_ref()).map_err(at(Stage::Compile))?;
    let is_extent: Vec<_> = case.program.parameters().iter().map(|p| matches!(p, Argument::Extent(_))).collect();
    // Neither the number of threads nor a previous call may affect results.
    for threads in [case.threads, case.threads % 3 + 1] {
        let pairs = arguments.iter().zip(&is_extent);
        let mut given: Vec<_> = pairs.map(|(array, extent)| argument(array, *extent)).collect();
        compiled.set_threads(threads).map_err(at(Stage::Call))?;
        let results = match compiled.call(&mut given) {
            // Limits that depend on extents are checked when a kernel is launched.
            Err(error) if case.device.is_some() && is_refused(&format!("{error:#}")) => return Ok(()),
            outcome => outcome.map_err(at(Stage::Call))?,
        };
        check(&expected, &results, &given).map_err(at(Stage::Compare))?;
    }
    Ok(())
}

fn evaluate(module: &Module<'_>, arguments: &[Array]) -> Result<reference::ReferenceOutcome> {
    let function = signature::find(ir::op(module.as_operation()), Some(FUNCTION))?;
    reference::evaluate_with_errors(function, arguments.to_vec(), &|_| ()).map_err(|failure| anyhow!("{failure:?}"))
}

/// Attaches the machine: default schedules are made for the processor that code is compiled for.
fn describe(module: &Module<'_>, options: &ProcessorOptions) -> Result<()> {
    let target = options.names.cpu.is_some().then(|| Processor::new(options)).transpose()?;
    machine::Options { target: target.as_ref(), ..machine::Options::default() }.attach(module)
}

fn lower<'m, 'c>(context: &Context, module: &'m mut Module<'c>, case: &Case) -> Result<Lowered<'m, 'c>> {
    let file = case.schedule_text().map(|text| ("schedule.json".to_owned(), text));
    let strict = case.options.strict;
    let target = pipeline::Options { target: case.target(), strict, check_nest: true, ..Default::default() };
    let threads = case.device.is_none().then_some(case.threads);
    let options = Options { system: case.target().default_system.into(), file, threads, ..Options::default() };
    if strict {
        ir::rewrite(module, keep_order::run);
    }
    ir::rewrite(module, |root| schedule::run(root, &options).map_err(|failure| anyhow!("{}", failure.message)))?;
    Lowered::new(context, module, FUNCTION, &target)
}

fn check(expected: &reference::ReferenceOutcome, results: &[Array], given: &[jit::Argument]) -> Result<()> {
    if expected.results.len() != results.len() {
        bail!("{} results instead of {}", results.len(), expected.results.len());
    }
    for (i, (expected, actual)) in expected.results.iter().zip(results).enumerate() {
        compare(&format!("result {}", i + 1), expected, actual)?;
    }
    // Memrefs may have been written; tensors must be unchanged.
    for (i, (expected, actual)) in expected.arguments.iter().zip(given).enumerate() {
        if let jit::Argument::Array(actual) = actual {
            compare(&format!("argument {}", i + 1), expected, actual)?;
        }
    }
    Ok(())
}

/// Returns true if a message says that a schedule exceeds the limits of a device.
pub(super) fn is_refused(message: &str) -> bool {
    ["requires at most", "bytes of shared memory for a block"].iter().any(|text| message.contains(text))
}
