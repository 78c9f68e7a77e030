//! `mdh explain`: prints the schedules of a program as tables, or writes them to a file.
use super::{
    failure,
    options::{ClangOptions, LoweringOptions, PROGRAM, ScheduleOptions},
};
use crate::{
    explain::{
        self, Explanation, Scheduled, candidates,
        report::{self, Request},
    },
    machine, object, program, signature,
    target::host::ProcessorNames,
};
use anyhow::{Result, bail};
use clap::{ArgGroup, Args, ValueEnum, builder::RangedU64ValueParser};
use mdh_dialects::ir;
use mdh_passes::{
    notation::json as notation,
    pipeline::Options,
    schedule::{explain::seconds, tuning::TuningContext},
    target::Target,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Show the schedule of each computation as the paper's table: a row per level, a column per tuning parameter.
///
/// The columns are numbered as in the paper's Table 1: 0 the number of parts; D1, S1, R1 the order of the levels in the
/// de-composition, scalar and re-composition phase; D2, S2, R2 the layer that computes a level; D3, S3, S5, R3 the
/// memory region of each buffer, D4, S4, S6, R4 its layout. Above the table: the layers of the system, outermost first,
/// with their roles, and the dimensions of the computation with their extents and combine operators. Below it: the levels
/// that have no effect, the buffers that the generated code allocates in addition to the user's, and a legend. With
/// --plan: what the schedule decides about the loops of each computation instead; with --nest: its loop nest, statement
/// by statement; with --svg: its picture.
#[derive(Args, Clone, Debug)]
#[command(group = ArgGroup::new("of_nests").args(["nest", "svg", "json"]).multiple(true))]
pub struct Explain {
    #[arg(help = PROGRAM, required_unless_present = "machine_description")]
    file: Option<PathBuf>,
    /// The function to explain; all functions if not given
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    #[command(flatten)]
    schedules: ScheduleOptions,
    #[command(flatten)]
    lowering: LoweringOptions,
    #[command(flatten)]
    processor: ProcessorNames,
    /// Print the machine description used for default schedules, in the form that --machine accepts, instead of the
    /// tables
    #[arg(long, conflicts_with_all = ["export", "function", "schedule", "set", "strict", "system", "threads"])]
    machine_description: bool,
    /// Print the cost model's estimate for each schedule on the machine: time, bytes per memory layer, and the
    /// bottleneck
    #[arg(long, conflicts_with = "machine_description")]
    why: bool,
    /// Print a row for each level, also for those without effect, which have one part and leave buffers where they are
    #[arg(long, conflicts_with_all = ["candidates", "export", "json", "machine_description", "nest", "space", "svg"])]
    all_rows: bool,
    /// Print the plan of each computation, from which its loop nest follows, instead of the tables: what runs the parts of
    /// each level, and where inputs are copied and results combined
    #[arg(long, conflicts_with_all = ["all_rows", "candidates", "export", "json", "machine_description", "nest", "space"])]
    #[arg(conflicts_with_all = ["svg", "why"])]
    plan: bool,
    /// Print the loop nest of each computation, from which code is emitted, instead of the tables: loops, kernels,
    /// buffers and statements; short: without index arithmetic, and statements of one kind as one line
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "full")]
    #[arg(conflicts_with_all = ["machine_description", "why"])]
    nest: Option<NestForm>,
    /// Draw the loop nests to a file in SVG, instead of the tables: a box for each loop with what executes it, and for
    /// each kernel, copy and combination; - is the standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["machine_description", "nest", "why"])]
    svg: Option<PathBuf>,
    /// The target of --nest, --svg and --json: cpu, cuda or opencl; defaults to the target of the schedule's system
    #[arg(long, value_name = "NAME", requires = "of_nests", value_parser = Target::named)]
    target: Option<&'static Target>,
    /// Write the schedules to a file that --schedule accepts, instead of the tables; - is the standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["nest", "svg"])]
    export: Option<PathBuf>,
    /// Write up to N schedules of the search, the default one and others from good to bad, to the directory --output,
    /// one file each, and print the estimates of the cost model; requires a program or function with one computation
    #[arg(long, value_name = "N", requires = "output", value_parser = RangedU64ValueParser::<usize>::new().range(1..=10000))]
    #[arg(conflicts_with_all = ["export", "machine_description", "nest", "schedule", "set", "svg", "target", "why"])]
    candidates: Option<usize>,
    /// With --candidates: random legal schedules, drawn with this seed, instead of those of the search
    #[arg(long, value_name = "SEED", requires = "candidates")]
    random: Option<u64>,
    /// The directory of --candidates; created if missing
    #[arg(short, long, value_name = "DIR", requires = "candidates")]
    output: Option<PathBuf>,
    /// Print the number of legal schedules of each computation instead of the tables: exactly, as far as limits of core
    /// layers allow, else an estimate; for a device also an estimate of those that satisfy rule S11
    #[arg(long, conflicts_with_all = ["export", "json", "machine_description", "nest", "svg", "why"])]
    space: bool,
    /// Print JSON: an object with the tables, the estimates, the nests and their pictures, or the list of --candidates
    #[arg(long, conflicts_with_all = ["export", "machine_description", "nest", "svg"])]
    json: bool,
    #[command(flatten)]
    clang: ClangOptions,
}

/// The form in which nests are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NestForm {
    /// Statement by statement.
    Full,
    /// The loops, kernels, buffers and copies.
    Short,
}

impl Explain {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let target = self.processor.given()?;
        let file = self.lowering.machine.as_deref();
        let machine = machine::Options { file, target: target.as_ref(), device: None };
        let context = program::context();
        let module = self.file.as_deref().map(|file| program::read(&context, file, &self.clang.flags)).transpose()?;
        if self.machine_description {
            return object::write(Path::new("-"), machine.machine(module.as_ref())?.to_text().as_bytes());
        }
        // clap requires a program unless the machine description is printed, which has returned above.
        let (Some(mut module), Some(file)) = (module, &self.file) else { return Ok(()) };
        machine.attach(&module)?;
        let operation = ir::op(module.as_operation());
        // A schedule file then covers the computations of this function only. A function that others call may be
        // private.
        if let Some(name) = &self.function
            && let Ok(function) = signature::find(operation, Some(name))
        {
            signature::export(&module, &[function]);
        }
        // The nest is built from a computation on memrefs, because it depends on aliasing.
        let needs_nests = self.nest.is_some() || self.svg.is_some();
        let last = if needs_nests { "bufferize" } else { "schedule" };
        let options = Options {
            stop_after: Some(last.to_owned()),
            has_runtime_checks: true,
            ..self.schedules.passes(&self.lowering, self.target.unwrap_or_default())?
        };
        let name = format!("'{}'", file.display());
        if self.json && self.candidates.is_none() {
            let function = self.function.as_deref();
            let request = Request { program: &name, function, target: self.target, options, machine };
            let report = report::of(&context, &mut module, request)?;
            return failure::print(&format!("{report:#}\n"));
        }
        program::lower(&context, &mut module, &options)?;
        let explained = explain::scheduled(ir::op(module.as_operation()))?;
        let explained = explain::selected(explained, self.function.as_deref(), &name)?;
        if needs_nests {
            let nests = explain::nests(&module, &explained, self.target)?;
            let (path, text) = match &self.svg {
                Some(path) => (path.as_path(), explain::svg(&nests, &explained)),
                None if self.nest == Some(NestForm::Short) => (Path::new("-"), explain::outlines(&nests, &explained)),
                None => (Path::new("-"), explain::statements(&nests)),
            };
            return object::write(path, text.as_bytes());
        }
        if self.plan {
            return failure::print(&explain::plans(&explained)?);
        }
        if self.space {
            return failure::print(&explain::space::lines(&explained));
        }
        let threads = self.lowering.threads;
        let tuning = TuningContext { machine: machine.machine(Some(&module))?, threads };
        if let (Some(count), Some(folder)) = (self.candidates, &self.output) {
            let [one] = explained.as_slice() else {
                bail!("--candidates requires one computation, but there are {}: --function names one", explained.len());
            };
            return self.candidates(one, &tuning, count, folder);
        }
        match &self.export {
            Some(output) => {
                let schedules = explained.iter().map(|one| (one.function.as_str(), &one.schedule));
                object::write(output, notation::file_text(schedules).as_bytes())
            }
            None => {
                let mut all = explain::explanations(&explained, &tuning, self.why)?;
                if self.all_rows {
                    all.iter_mut().for_each(Explanation::unfold);
                }
                object::write(Path::new("-"), explain::text(&all).as_bytes())
            }
        }
    }

    /// Writes several schedules of a computation, and prints their files, with the estimates of the cost model.
    fn candidates(&self, one: &Scheduled<'_>, tuning: &TuningContext, count: usize, folder: &Path) -> Result<()> {
        let listed = candidates::write(one, tuning, count, self.random, folder)?;
        if self.json {
            let list: Vec<_> =
                listed.iter().map(|(file, seconds)| json!({ "file": file, "expected_seconds": seconds })).collect();
            return failure::print(&format!("{:#}\n", Value::from(list)));
        }
        let line = |(file, time): &(PathBuf, Option<f64>)| {
            let time = time.map(|time| format!(": {}", seconds(time))).unwrap_or_default();
            format!("{}{time}\n", file.display())
        };
        failure::print(&listed.iter().map(line).collect::<String>())
    }
}
