//! `mdh-fuzz`: compares random programs under random schedules with the reference evaluator. `make fuzz` runs it; it is
//! not installed.
use anyhow::Result;
use clap::{Args, Parser, Subcommand, builder::RangedU64ValueParser};
use indicatif::{ProgressBar, ProgressStyle};
use mdh_tools::{
    array::Array,
    fuzz::{
        campaign::{self, Campaign, Worker},
        case::{Case, Engine},
        chains, control, linalg, loops, plant, sizes, snapshot, tuples,
    },
    jit, program,
    target::host::Sanitizer,
};
use melior::Context;
use rayon::prelude::*;
use std::{
    cell::{Cell, RefCell},
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
    thread,
    time::SystemTime,
};

/// Runs random programs with random schedules, and compares the results with the reference evaluator's.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// Consecutive seeds of programs.
#[derive(Args)]
struct Seeds {
    /// The number of programs
    #[arg(short, long, default_value_t = 1000)]
    number: u64,
    /// The first seed
    #[arg(short, long, default_value_t = 0)]
    seed: u64,
    /// Stop after this many failures
    #[arg(short, long, default_value_t = 3)]
    enough: u64,
    /// Print the program of the first seed instead
    #[arg(long)]
    print: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Run cases of consecutive seeds; write failing cases, shrunk, with the commands that reproduce them
    Seeds {
        /// The number of cases
        #[arg(short, long, default_value_t = 1000)]
        number: u64,
        /// The first seed; taken from the clock if not given
        #[arg(short, long)]
        seed: Option<u64>,
        /// Number of cases that run in parallel; defaults to half the number of processors
        #[arg(short, long, value_parser = RangedU64ValueParser::<usize>::new().range(1..=jit::MAX_THREADS as u64))]
        jobs: Option<usize>,
        /// The folder that failing cases are written to
        #[arg(short, long, default_value = "target/fuzz-failures")]
        failures: PathBuf,
        /// Stop after this many failures
        #[arg(short, long, default_value_t = 10)]
        enough: usize,
        /// Run on a device, of OpenCL if no engine is given
        #[arg(long, value_name = "ENGINE", num_args = 0..=1, default_missing_value = "opencl")]
        on_device: Option<Engine>,
        /// Do not shrink failing cases
        #[arg(long)]
        no_shrink: bool,
        /// Use the default options for all cases instead of random ones
        #[arg(long)]
        default_options: bool,
    },
    /// Run programs of linalg, raised and fused, of consecutive seeds, and print those that fail
    Linalg {
        #[command(flatten)]
        seeds: Seeds,
        /// Convert the programs to loops on memrefs, which are raised instead
        #[arg(long)]
        loops: bool,
    },
    /// Run random reductions of tuples by comparisons and selections, of consecutive seeds, and print those that fail
    Tuples {
        #[command(flatten)]
        seeds: Seeds,
    },
    /// Run random loop nests on memrefs and tensors, raised, of consecutive seeds, and print those that fail
    Loops {
        #[command(flatten)]
        seeds: Seeds,
    },
    /// Run random programs of casts, branches and loops on scalars, of consecutive seeds, and print those that fail
    Control {
        #[command(flatten)]
        seeds: Seeds,
    },
    /// Run random programs whose sizes are computed, with run-time checks, of consecutive seeds, and print those that fail
    Sizes {
        #[command(flatten)]
        seeds: Seeds,
        /// Instrument the code; the run-time library of the sanitizer must be preloaded, and ends the process at the first
        /// invalid access
        #[arg(long, value_name = "WHAT")]
        sanitize: Option<Sanitizer>,
    },
    /// Run random chains of computations, with producers computed in parts, of consecutive seeds, and print those that
    /// fail
    Chains {
        #[command(flatten)]
        seeds: Seeds,
        /// Run on a device, of OpenCL if no engine is given
        #[arg(long, value_name = "ENGINE", num_args = 0..=1, default_missing_value = "opencl")]
        on_device: Option<Engine>,
    },
    /// Lower random chains of computations and programs of linalg of consecutive seeds with default schedules, for a host
    /// and for kernels, and print those whose default schedules are refused
    Defaults {
        #[command(flatten)]
        seeds: Seeds,
    },
    /// Plant errors in the results of random programs of consecutive seeds, and print how many of them the comparison with
    /// the reference evaluator finds
    Plant {
        #[command(flatten)]
        seeds: Seeds,
    },
    /// Run a failing case again, from the folder that it was written to
    Run {
        /// The folder
        folder: PathBuf,
    },
    /// Print the program, the options and the schedule of a seed
    Print {
        /// The seed
        seed: u64,
        /// Print the case for a device
        #[arg(long, value_name = "ENGINE", num_args = 0..=1, default_missing_value = "opencl")]
        on_device: Option<Engine>,
        /// Use the default options instead of random ones
        #[arg(long)]
        default_options: bool,
    },
    /// Print a line with a hash for each function of the programs, target and way to compile it (scripts/check/snapshot.sh)
    Snapshot {
        /// The machine description (JSON) for default schedules
        #[arg(long)]
        machine: PathBuf,
        /// Number of random schedules per function and target
        #[arg(long, default_value_t = 20)]
        schedules: u64,
        /// The programs
        files: Vec<PathBuf>,
    },
    /// Serve cases from the standard input (worker processes)
    #[command(hide = true)]
    Work,
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<bool> {
    match command {
        Command::Work => campaign::work().map(|()| true),
        Command::Print { seed, on_device, default_options } => {
            let case = Case::from_seed(seed, on_device, !default_options);
            let options = serde_json::to_string(&case.options)?;
            let head = format!("// threads {}, options {options}\n", case.threads);
            let text = head + &case.program.text() + &case.schedule_text().unwrap_or_default();
            std::io::stdout().write_all(text.as_bytes())?;
            Ok(true)
        }
        Command::Run { folder } => {
            let case = campaign::read(&folder)?;
            let failure = Worker::start(&std::env::current_exe()?, &vec![])?.case(&case)?;
            match &failure {
                Some(failure) => println!("{failure}"),
                None => println!("passes"),
            }
            Ok(failure.is_none())
        }
        Command::Linalg { seeds, loops } => {
            programs(&seeds, linalg::program, |context, seed| linalg::check(context, seed, loops))
        }
        Command::Control { seeds } => programs(&seeds, control::program, control::check),
        Command::Tuples { seeds } => programs(&seeds, tuples::program, tuples::check),
        Command::Chains { seeds, on_device } => {
            let target = on_device.map(|engine| engine.0).unwrap_or_default();
            programs(&seeds, chains::program, |context, seed| chains::check(context, seed, target))
        }
        Command::Defaults { seeds } => programs(&seeds, chains::program, chains::check_defaults),
        Command::Loops { seeds } => programs(&seeds, loops::program, loops::check),
        Command::Sizes { seeds, sanitize } => {
            let errors = Cell::new(0);
            let passed = programs(&seeds, sizes::program, |context, seed| {
                errors.set(errors.get() + u64::from(!sizes::check(context, seed, sanitize)?));
                Ok(())
            })?;
            if !seeds.print {
                println!("{} of {} programs give an error, as they are to", errors.get(), seeds.number);
            }
            Ok(passed)
        }
        Command::Plant { seeds } => {
            let counts = RefCell::new(plant::Counts::default());
            let passed = programs(&seeds, plant::program, |context, seed| {
                counts.borrow_mut().add(&plant::check(context, seed)?);
                Ok(())
            })?;
            if !seeds.print {
                print!("{}", counts.borrow());
            }
            Ok(passed)
        }
        Command::Snapshot { machine, schedules, files } => print_lines(&files, &machine, schedules).map(|()| true),
        Command::Seeds { number, seed, jobs, failures, enough, on_device, no_shrink, default_options } => {
            let clock = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |time| time.as_secs());
            let processors = thread::available_parallelism().map_or(1, usize::from);
            let campaign = Campaign {
                worker: std::env::current_exe()?,
                seed: seed.unwrap_or_else(clock),
                count: number,
                jobs: jobs.unwrap_or((processors / 2).max(1)),
                failures,
                enough,
                shrink: !no_shrink,
                device: on_device,
                environment: vec![],
                varies: !default_options,
            };
            seeds(&campaign)
        }
    }
}

/// Runs programs of consecutive seeds, or prints the first one. Returns true if none fails.
fn programs(
    seeds: &Seeds,
    program: impl Fn(u64) -> Result<(String, Vec<Array>)>,
    check: impl Fn(&Context, u64) -> Result<()>,
) -> Result<bool> {
    let Seeds { number, seed, enough, print } = *seeds;
    if print {
        std::io::stdout().write_all(program(seed)?.0.as_bytes())?;
        return Ok(true);
    }
    let context = program::context();
    let mut failures = 0;
    for seed in seed..seed.saturating_add(number) {
        if let Err(error) = check(&context, seed) {
            println!("seed {seed}: {error:#}");
            failures += 1;
        }
        if failures >= enough {
            break;
        }
    }
    println!("{failures} of {number} programs fail");
    Ok(failures == 0)
}

/// Prints the snapshots of several programs, computed in parallel, in the order of the files.
fn print_lines(files: &[PathBuf], machine: &Path, schedules: u64) -> Result<()> {
    let lines = files.par_iter().map(|file| snapshot::lines(file, machine, schedules));
    for line in lines.collect::<Result<Vec<_>>>()?.into_iter().flatten() {
        writeln!(std::io::stdout(), "{} {}", line.what, line.outcome)?;
    }
    Ok(())
}

fn seeds(campaign: &Campaign) -> Result<bool> {
    println!("{} cases from seed {}", campaign.count, campaign.seed);
    let bar = ProgressBar::new(campaign.count);
    bar.set_style(ProgressStyle::with_template("{wide_bar} {pos}/{len} {per_sec} eta {eta}")?);
    let findings = campaign.run(&|done, finding| {
        bar.set_position(done);
        if let Some(finding) = finding {
            let line = finding.failure.to_string();
            let line = line.lines().next().unwrap_or_default();
            bar.suspend(|| println!("seed {}: {line}\n  {}", finding.seed, finding.folder.display()));
        }
    })?;
    bar.finish_and_clear();
    println!("{} of {} cases fail", findings.len(), campaign.count);
    Ok(findings.is_empty())
}
