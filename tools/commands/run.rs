//! `mdh run`: runs a function on arrays from files.
mod isolated;

use super::{
    engine::Engine,
    failure, inputs,
    options::{
        ClangOptions, ExecutionOptions, LoweringOptions, PROGRAM, ReportOptions, ScheduleOptions, running_threads,
    },
    progress::Progress,
};
use crate::{
    array::Array,
    cache::{Cache, CacheOutcome, print_warning},
    compare::{Coverage, Difference, outputs as difference, what},
    isolation,
    jit::{self, Compiled},
    memory,
    npy::Output,
    program, reference,
    session::Session,
    show::show,
    signal::DriverCrashHandler,
    signature::{self, Signature},
    temporary,
};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use clap::{Args, ValueEnum, builder::RangedU64ValueParser};
use indicatif::{ProgressBar, ProgressStyle};
use mdh_dialects::ir::{self, Op};
use mdh_passes::{
    analysis::computation::Computation,
    pipeline::{Options, REFERENCE},
};
use serde_json::{Value, json};
use std::{
    ffi::OsString,
    io::IsTerminal,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

const AFTER_HELP: &str = "\
Give one --input for each argument of the function, in order: an .npy file or, for a scalar, a number. A number for a buffer fills the \
whole buffer. Give one --output for each result, in order, then one for each memref argument that the function writes, in the order of \
the arguments; all outputs or none. Output files are written after the whole run has succeeded, each one atomically; a symbolic link is \
kept, and its target is written. An output may be the file of an input, which is read before. A function without arguments needs no \
--input.

Without --output, --check, --repeat and --json, results are printed: the elements of small ones; the minimum, maximum and mean of large \
ones.

Element types: i1 is bool in NumPy, other integers and index are int (uint is accepted, too), f16, f32 and f64 are float16 to float64, \
bf16 is V2 as ml_dtypes writes it, or uint16. Big-endian and Fortran-ordered files are converted, with a note.

With --cache, a program that was compiled before by the same build of mdh, with the same options, schedule contents and processor, is \
only linked. Any number of processes may share the directory, and its files may be deleted at any time; mdh itself deletes none. Problems \
with the directory are warnings. Code from the cache is executed, so a directory that others can write to is refused; use --cache-shared \
if you trust them.

A program is code, and runs with your permissions. With --isolated, a process without rights compiles and runs it: the process can read \
the files that the command names, and nothing else. Operations that could reach outside of the program are refused, every access to \
memory is checked, and operations without a defined result have one. A program that leaves its arrays, crashes, or exceeds --memory-limit \
or --time-limit is one error. This requires Linux with Landlock and seccomp.

An integer division by zero, or one that overflows, ends the run with an error at its location. Kernels cannot report it: there, the \
quotient is -1 and the remainder the dividend, and only --check detects it.

Sizes and indices in loops and in the code around computations (tensor.cast, tensor.extract, memref.load, slices, cf.assert) that are \
not known at compile time are checked at run time: an invalid one ends the run with an error at its location.

--check compares the elements of large results at the corners and at random places, and --check=all compares all of them. It prints the \
largest rounding error that it tolerates, in proportion to the largest element, and the number of elements that it cannot check, because \
their type cannot hold the sums that lead to them.

OMP_NUM_THREADS has no effect (use --threads), but if it is set, it must be a comma-separated list of numbers from 1 to 1024. The file \
of KMP_CPUINFO_FILE must exist, and there must be memory for the stacks of OMP_STACKSIZE and KMP_STACKOFFSET.

Examples:
  mdh run examples/matvec.mlir --function matvec --input M.npy --input v.npy \\
      --output w.npy
  mdh run examples/matvec.mlir --function matvec --input M.npy --input v.npy \\
      --check --repeat 10 --json
  mdh run examples/matvec.mlir --function matvec_512x4096 --input M.npy \\
      --input v.npy --schedule examples/schedules/matvec_figure17.json --threads 2
  mdh run examples/matvec.mlir --function matvec --input M.npy --input v.npy \\
      --output w.npy --cache ~/.cache/mdh
  mdh run examples/matvec.mlir --function matvec --input M.npy --input v.npy \\
      --engine opencl --device 0 --check
  mdh run program.mlir --engine reference --input 3 --input x.npy --output y.npy

Exit codes: 0 done, 1 invalid program or file, 2 invalid command line, 3 --check found different results (no output is written then), \
4 the engine has no device.";

/// The help of `--threads`.
const THREADS: &str = "Number of threads, at most 1024, also assumed by default schedules; if not given, the run uses all \
    hardware threads, and default schedules assume one thread per core. Kernels ignore it: their schedule determines blocks \
    and threads";

/// Run a function on arrays from .npy files
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP, mut_arg("threads", |option| running_threads(option, THREADS)))]
pub struct Run {
    #[arg(help = PROGRAM)]
    file: PathBuf,
    #[command(flatten)]
    execution: ExecutionOptions,
    /// The .npy file that a result is written to; one option for each result
    #[arg(long, value_name = "FILE")]
    output: Vec<PathBuf>,
    #[command(flatten)]
    schedules: ScheduleOptions,
    #[command(flatten)]
    lowering: LoweringOptions,
    #[command(flatten)]
    report: ReportOptions,
    /// Cache compiled code in this directory, and reuse it; created if missing
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Use the directory of --cache even if others can write to it
    #[arg(long, requires = "cache")]
    cache_shared: bool,
    /// Run a program that you do not trust: refuse operations that could reach outside of it, check every access to
    /// memory, and compile and run it in a process without rights
    #[arg(long, conflicts_with_all = ["cache", "database", "report"])]
    isolated: bool,
    /// The memory of the process of --isolated, in MiB; defaults to half of the machine's
    #[arg(long, value_name = "MIB", requires = "isolated", value_parser = RangedU64ValueParser::<u64>::new().range(1..))]
    memory_limit: Option<u64>,
    /// The time of the process of --isolated, from its start to its end, such as 90s, 10m or 2h
    #[arg(long, value_name = "TIME", requires = "isolated", default_value = "10m")]
    time_limit: humantime::Duration,
    /// This is the process of --isolated: give up all rights, and write outputs to the standard output
    #[arg(long, hide = true, requires = "isolated")]
    confined: bool,
    /// Compare the results with those of the reference evaluator: all of them, or a sample of large ones
    #[arg(long, value_enum, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "sample")]
    check: Option<Check>,
    /// Run this many times, and print times
    #[arg(long, value_name = "N")]
    repeat: Option<NonZeroUsize>,
    /// Print times and errors as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    clang: ClangOptions,
}

/// What `--check` compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Check {
    /// All elements, but only a sample of the results of computations with more than 2^26 points that nothing else reads
    Sample,
    /// All elements
    All,
}

/// A compiled function, the compile time, and the outcome of the cache.
struct Ready {
    compiled: Arc<Compiled>,
    compile: Duration,
    cache: CacheOutcome,
}

/// What is printed and written after a run.
struct Computed {
    /// What is printed.
    text: String,
    /// A difference from the reference evaluator.
    problem: Option<String>,
    /// Results, then memrefs that were written.
    outputs: Vec<Array>,
}

/// The outputs of a run, and its times.
struct RunOutcome {
    outputs: Vec<Array>,
    compile: Duration,
    cache: CacheOutcome,
    runs: Vec<Duration>,
    /// Kernel time of each run in seconds, by the clock of the device.
    kernels: Vec<f64>,
}

impl Run {
    /// Runs the command. `arguments`: the command line from the name of the command on.
    pub fn run(&self, arguments: &[OsString]) -> Result<u8> {
        if self.confined {
            return self.confined();
        }
        self.check_options()?;
        if self.isolated {
            return self.isolated(arguments);
        }
        let _drivers = self.execution.engine.api().map(|_| DriverCrashHandler::report()).transpose()?;
        let mut outputs = vec![];
        let computed = self.compute(|| {
            self.check_files()?;
            outputs = self.output.iter().map(|path| Output::new(path)).collect::<Result<Vec<_>>>()?;
            Ok(())
        })?;
        self.finish(&computed, outputs)
    }

    /// Checks options against each other, before any work is done.
    fn check_options(&self) -> Result<()> {
        let Self { execution, schedules, lowering, .. } = self;
        execution.check_device()?;
        self.report.check(lowering.raise)?;
        // Reports a missing device.
        execution.select()?;
        if lowering.threads.is_some() && execution.engine.api().is_some() {
            eprintln!(
                "note: --threads has no effect on kernels: their blocks and threads are those of the schedule, on all of the device"
            );
        }
        if execution.engine == Engine::Reference {
            for (given, option) in [
                (self.check.is_some(), "check"),
                (schedules.schedule.is_some(), "schedule"),
                (!schedules.set.is_empty(), "set"),
                (lowering.system.is_some(), "system"),
                (lowering.machine.is_some(), "machine"),
                (schedules.database.is_some(), "database"),
                (self.report.report.is_some(), "report"),
                (lowering.strict, "strict"),
                (self.cache.is_some(), "cache"),
            ] {
                ensure!(!given, "--{option} requires another engine than reference");
            }
        }
        Ok(())
    }

    /// Checks that each output has a file of its own.
    fn check_files(&self) -> Result<()> {
        let regular = self.output.iter().chain(&self.report.report).filter(|path| !temporary::is_special(path));
        // Links that lead to themselves are reported later, as an error of their own.
        let target = |path: &Path| {
            let path = std::path::absolute(path).unwrap_or_default();
            temporary::target(&path).unwrap_or(path)
        };
        let mut files: Vec<_> = regular.map(|path| (target(path), path)).collect();
        files.sort();
        if let Some(pair) = files.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            bail!("each output requires a file of its own, but two go to '{}'", pair[1].1.display());
        }
        Ok(())
    }

    /// Compiles and runs the function. `prepare` is called when all inputs are known to be right.
    fn compute(&self, prepare: impl FnOnce() -> Result<()>) -> Result<Computed> {
        let threads = self.lowering.running_threads();
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().context("cannot start threads")?;
        let context = program::context();
        // One copy of the program is lowered, the other one evaluated.
        let source = self.source()?;
        let read = || match &source {
            Some(bytes) => program::parse(&context, bytes),
            None => program::read(&context, &self.file, &self.clang.flags),
        };
        let mut original = read()?;
        if self.isolated {
            isolation::check(ir::op(original.as_operation()))?;
        }
        let function = signature::find(ir::op(original.as_operation()), self.execution.function.as_deref())?;
        let signature = signature::of(function)?;
        let written = inputs::written(function);
        let count = signature.results.len() + written.len();
        ensure!(
            self.output.is_empty() || self.output.len() == count,
            "'{}' requires --output for all of its outputs or for none ({} results, {} memrefs that it writes), but got {}",
            signature.name,
            signature.results.len(),
            written.len(),
            self.output.len()
        );
        let arguments = inputs::read(&signature, &self.execution.input)?;
        prepare()?;

        program::run(&context, &mut original, &format!("builtin.module({REFERENCE})"))?;
        let function = signature::find(ir::op(original.as_operation()), Some(&signature.name))?;
        let mut expected = None;
        let ran = match self.execution.engine {
            Engine::Reference => self.reference(function, arguments, &written)?,
            Engine::Target(_) => {
                if has_dynamic_extents(function) {
                    reference::check(function, arguments.clone())?;
                }
                let code = self.compile(&context, &mut read()?, &signature, threads)?;
                if let Some(check) = self.check {
                    // The reference runs first: its errors name the point of a computation, and kernels have none.
                    let evaluator = match check {
                        Check::Sample => reference::evaluate_sample,
                        Check::All => reference::evaluate_with_errors,
                    };
                    expected = Some(evaluate(function, arguments.clone(), evaluator)?);
                }
                self.cpu(code, &arguments, &written)?
            }
        };
        let difference =
            expected.map(|expected| (difference(&expected, &ran.outputs, &written), Coverage::of(&expected, &written)));
        let problem = difference.as_ref().and_then(|(difference, _)| difference.problem.clone());
        let mut text = self.text(&signature.name, threads, &ran, difference.as_ref());
        if self.output.is_empty() && self.check.is_none() && !self.json && self.repeat.is_none() {
            let shown = |(i, array)| show(&what(i, signature.results.len(), &written), array);
            text.extend(ran.outputs.iter().enumerate().map(shown));
        }
        Ok(Computed { text, problem, outputs: ran.outputs })
    }

    /// Prints and writes what has been computed.
    fn finish(&self, computed: &Computed, mut outputs: Vec<Output>) -> Result<u8> {
        failure::print(&computed.text)?;
        if let Some(problem) = &computed.problem {
            eprintln!("error: --check: {problem}");
            return Ok(failure::DIFFERENT);
        }
        for (output, array) in outputs.iter_mut().zip(&computed.outputs) {
            output.write(array)?;
        }
        outputs.into_iter().try_for_each(Output::finish)?;
        Ok(failure::DONE)
    }

    /// The contents of the standard input, which can be read only once; `None` for a file.
    fn source(&self) -> Result<Option<Vec<u8>>> {
        if self.file != Path::new("-") {
            return Ok(None);
        }
        let mut bytes = vec![];
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).context("cannot read the standard input")?;
        Ok(Some(bytes))
    }

    fn reference(&self, function: Op<'_>, arguments: Vec<Array>, written: &[usize]) -> Result<RunOutcome> {
        let mut runs = vec![];
        loop {
            let start = Instant::now();
            let outcome = evaluate(function, arguments.clone(), reference::evaluate)?;
            runs.push(start.elapsed());
            if runs.len() >= self.repeat.map_or(1, NonZeroUsize::get) {
                let buffers = outcome.results.into_iter().chain(written.iter().map(|i| outcome.arguments[*i].clone()));
                return Ok(RunOutcome {
                    outputs: buffers.map(|buffer| buffer.array).collect(),
                    compile: Duration::ZERO,
                    cache: CacheOutcome::Off,
                    runs,
                    kernels: vec![],
                });
            }
        }
    }

    fn compile(
        &self,
        context: &melior::Context,
        module: &mut melior::ir::Module<'_>,
        signature: &Signature,
        threads: usize,
    ) -> Result<Ready> {
        if self.report.report.is_some() {
            signature::export(module, &[signature::find(ir::op(module.as_operation()), Some(&signature.name))?]);
            self.report.write(module)?;
        }
        let start = Instant::now();
        let options = Options {
            check_accesses: self.isolated,
            has_runtime_checks: true,
            ..self.schedules.passes(&self.lowering, self.execution.engine.target())?
        };
        let cache = self
            .cache
            .as_deref()
            .map(|directory| {
                Cache::open(directory, self.cache_shared, print_warning)
                    .map_err(|error| anyhow!("{error} (--cache-shared uses it)"))
            })
            .transpose()?
            .flatten();
        let session = Session::new(options, self.lowering.machine.clone(), cache);
        let _progress = Progress::spinner("compiling");
        let (compiled, cache) = session.compile(context, module, &signature.name)?;
        compiled.set_threads(threads)?;
        Ok(Ready { compiled, compile: start.elapsed(), cache })
    }

    fn cpu(&self, ready: Ready, arguments: &[Array], written: &[usize]) -> Result<RunOutcome> {
        let Ready { compiled, compile, cache } = ready;
        memory::keep();
        let (mut runs, mut kernels) = (vec![], vec![]);
        let copies = || arguments.iter().cloned().map(jit::Argument::Array).collect::<Vec<_>>();
        let is_written = compiled.signature().arguments.iter().any(|argument| argument.in_place);
        let mut arguments = copies();
        let progress = Progress::bar(self.repeat.map_or(1, NonZeroUsize::get), "running");
        loop {
            if is_written && !runs.is_empty() {
                arguments = copies();
            }
            let (mut outputs, time) = compiled.measure(&mut arguments)?;
            runs.push(time);
            progress.step();
            kernels.extend(compiled.kernel_seconds());
            if runs.len() >= self.repeat.map_or(1, NonZeroUsize::get) {
                outputs.extend(written.iter().filter_map(|i| match &arguments[*i] {
                    jit::Argument::Array(array) => Some(array.clone()),
                    jit::Argument::Index(_) => None,
                }));
                return Ok(RunOutcome { outputs, compile, cache, runs, kernels });
            }
        }
    }

    /// Times, and errors of the results.
    fn text(
        &self,
        name: &str,
        threads: usize,
        ran: &RunOutcome,
        difference: Option<&(Difference, Coverage)>,
    ) -> String {
        let mut runs = ran.runs.clone();
        runs.sort();
        let (least, median) = (runs[0].as_secs_f64(), runs[runs.len() / 2].as_secs_f64());
        let compile = ran.compile.as_secs_f64();
        let mut kernels = ran.kernels.clone();
        kernels.sort_by(f64::total_cmp);
        let kernels = kernels.first().map(|least| (*least, kernels[kernels.len() / 2]));
        if self.json {
            // JSON has no infinity.
            let number = |value: f64| if value.is_finite() { json!(value) } else { json!(value.to_string()) };
            let mut report = json!({
                "function": name,
                "engine": self.execution.engine.name(),
                "threads": threads,
                "compile_seconds": compile,
                "cache": ran.cache.name(),
                "run_seconds": { "min": least, "median": median },
                "repeat": runs.len(),
            });
            if let (Some((least, median)), Value::Object(report)) = (kernels, &mut report) {
                report.insert("kernel_seconds".to_owned(), json!({ "min": least, "median": median }));
            }
            if let (Some((difference, coverage)), Value::Object(report)) = (difference, &mut report) {
                let mut check = json!({
                    "passed": difference.problem.is_none(),
                    "max_absolute_error": number(difference.absolute),
                    "max_relative_error": number(difference.relative),
                });
                coverage.fields().into_iter().for_each(|(name, value)| check[name] = value);
                report.insert("check".to_owned(), check);
            }
            return format!("{report:#}\n");
        }
        let mut text = String::new();
        if self.repeat.is_some() {
            text += &format!(
                "compiled in {compile:.3} s, ran {} times on {threads} threads in {least:.6} s at least, {median:.6} s at median\n",
                runs.len()
            );
            if let Some((least, median)) = kernels {
                text += &format!("kernels took {least:.6} s at least, {median:.6} s at median\n");
            }
        }
        if let Some((Difference { absolute, relative, problem }, coverage)) = difference {
            let outcome = if problem.is_none() { "agrees" } else { "does not agree" };
            text += &format!(
                "{outcome} with the reference evaluator: maximum absolute error {absolute:e}, maximum relative error {relative:e}\n"
            );
            let coverage = coverage.to_string();
            if !coverage.is_empty() {
                text += &format!("{coverage}\n");
            }
        }
        text
    }
}

/// A function of the reference evaluator: with or without error bounds.
pub(super) type ReferenceFunction<'c> =
    fn(Op<'c>, Vec<Array>, &(dyn Fn(f64) + Sync)) -> Result<reference::ReferenceOutcome, reference::Failure>;

/// Evaluates a function, with a progress bar on a terminal.
pub(super) fn evaluate<'c>(
    function: Op<'c>,
    arguments: Vec<Array>,
    evaluator: ReferenceFunction<'c>,
) -> Result<reference::ReferenceOutcome> {
    if !std::io::stderr().is_terminal() {
        return Ok(evaluator(function, arguments, &|_| {})?);
    }
    const STEPS: u64 = 1000;
    let bar = ProgressBar::new(STEPS);
    if let Ok(style) =
        ProgressStyle::with_template("reference evaluator {wide_bar} {percent}% {elapsed} of about {duration}")
    {
        bar.set_style(style);
    }
    let outcome = evaluator(function, arguments, &|part| bar.set_position((part * STEPS as f64) as u64));
    bar.finish_and_clear();
    Ok(outcome?)
}

/// Returns true if the verifier has left extents or shapes to be checked when the sizes are known.
pub(super) fn has_dynamic_extents(function: Op<'_>) -> bool {
    let module = std::iter::successors(Some(function), |operation| ir::parent(*operation)).last().unwrap_or(function);
    Computation::all(module).iter().any(|computation| {
        let open = |buffers: &[mdh_passes::analysis::computation::AccessedBuffer<'_>]| {
            buffers.iter().any(|buffer| buffer.shape.contains(&None))
        };
        computation.domain.extents().any(|extent| extent.is_none_or(|extent| extent == 0))
            || open(&computation.inputs)
            || open(&computation.outputs)
    })
}
