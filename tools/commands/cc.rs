//! `mdh cc`: clang, with the loop nests of C programs raised.
use super::failure;
use crate::{
    program,
    source::{
        clang::Clang,
        compile::{self, RaiseRequest},
        jobs::{self, Job},
    },
    temporary,
};
use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use std::{
    ffi::OsString,
    io::IsTerminal as _,
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
};

const AFTER_HELP: &str = "\
Options, in addition to those of clang:
  --mdh-report=FILE    write what is raised, and what stays for which reason, to this file (JSON)
  --mdh-function=NAME  raise only the nests of this function
  --mdh-database=FILE  use the tuned schedules of this database
  --mdh-threads=N      run nests on N threads; defaults to 1, and with -fopenmp to the cores of this machine
  --mdh-least-points=N run nests with fewer points as loops of C; defaults to 256
  --mdh-required       a nest that is not raised is an error
  --mdh-off            only run clang
  -Rpass-missed=mdh    print which loops are not raised, and why
  -Rpass=mdh           print which loops are raised

Examples:
  mdh cc -O3 -march=native -c gemm.c -o gemm.o
  make CC=mdh-cc";

/// Compile C and C++ as clang does, with loop nests raised.
#[derive(Args, Clone, Debug)]
#[command(disable_help_flag = true, after_help = AFTER_HELP)]
pub struct Cc {
    /// The arguments of clang, and those that begin with --mdh-
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
}

impl Cc {
    /// Runs the command; returns its exit code.
    pub fn run(&self) -> Result<u8> {
        run(&self.arguments)
    }
}

/// Own options, and the arguments that clang gets.
#[derive(Clone, Debug, Default)]
struct CommandLine {
    request: RaiseRequest,
    is_off: bool,
    /// Print what is not raised.
    prints_missed: bool,
    clang: Vec<OsString>,
}

impl CommandLine {
    /// Reads a command line.
    fn of(arguments: &[OsString]) -> Result<Self> {
        let mut options = Self { request: RaiseRequest::default(), ..Self::default() };
        let mut has_errno = false;
        for argument in arguments {
            let text = argument.to_str().unwrap_or_default();
            let Some(own) = text.strip_prefix("--mdh-") else {
                has_errno |= text == "-fmath-errno";
                let names = |pattern: &str| pattern.contains("mdh") || [".*", "."].contains(&pattern);
                options.request.prints_raised |= text.strip_prefix("-Rpass=").is_some_and(names);
                options.prints_missed |= text.strip_prefix("-Rpass-missed=").is_some_and(names);
                options.clang.push(argument.clone());
                continue;
            };
            let request = &mut options.request;
            match own.split_once('=') {
                Some(("report", file)) => request.report = Some(file.into()),
                Some(("function", name)) => request.function = Some(name.to_owned()),
                Some(("database", file)) => request.passes.database = Some(file.to_owned()),
                Some(("threads", count)) => {
                    let count = count.parse().ok().filter(|count| (1..=crate::jit::MAX_THREADS).contains(count));
                    request.threads = Some(count.with_context(|| {
                        format!("--mdh-threads requires a number from 1 to {}, got '{text}'", crate::jit::MAX_THREADS)
                    })?);
                }
                Some(("least-points", count)) => {
                    let count = count.parse().ok().filter(|count| *count < 1 << 31);
                    request.least_points = Some(count.with_context(|| {
                        format!("--mdh-least-points requires a number from 0 to 2147483647, got '{text}'")
                    })?);
                }
                None if own == "required" => request.is_required = true,
                None if own == "off" => options.is_off = true,
                _ => bail!(
                    "unknown option '{text}': expects --mdh-report=FILE, --mdh-function=NAME, --mdh-database=FILE, \
                     --mdh-threads=N, --mdh-least-points=N, --mdh-required or --mdh-off"
                ),
            }
        }
        if !has_errno {
            // The first argument, which -fmath-errno and -ffast-math come after.
            options.clang.insert(0, "-fno-math-errno".into());
        }
        Ok(options)
    }
}

/// Runs clang with nests raised; returns the exit code.
pub fn run(arguments: &[OsString]) -> Result<u8> {
    let options = CommandLine::of(arguments)?;
    // The driver prints its version together with the jobs.
    let question: Vec<_> = [OsString::from("-###")].into_iter().chain(options.clang.iter().cloned()).collect();
    let (clang, jobs) = if options.is_off {
        (Clang::find()?, None)
    } else {
        let (clang, answer) = Clang::answer(&question)?;
        (clang, jobs::jobs(answer))
    };
    let Some(jobs) = jobs.filter(|jobs| jobs.iter().any(|job| job.source().is_some())) else {
        return code(Command::new(&clang.program).args(&options.clang).status());
    };
    program::report_with(match options.prints_missed {
        true => |text, _| eprintln!("{} [-Rpass-missed=mdh]", text.trim_end()),
        false => |_, _| {},
    });
    let _temporaries = Temporaries::of(&jobs, &options.clang);
    for job in &jobs {
        let code = options.run(job)?;
        if code != 0 {
            return Ok(code);
        }
    }
    Ok(0)
}

impl CommandLine {
    /// Runs a job; returns its exit code.
    fn run(&self, job: &Job) -> Result<u8> {
        let Some(source) = job.source() else { return code(job.command().status()) };
        let folder = temporary::folder_in(&std::env::temp_dir()).context("cannot create a temporary folder")?;
        let bitcode = folder.path().join("program.bc");
        // Both read the source, at the same time.
        let preprocessed = job.to_preprocessed().command().stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut command = job.to_bitcode(&bitcode).command();
        if std::io::stderr().is_terminal() {
            command.arg("-fcolor-diagnostics");
        }
        let status = code(command.status())?;
        let preprocessed = preprocessed.and_then(Child::wait_with_output).context("cannot run clang")?;
        if status != 0 {
            return Ok(status);
        }
        let directives = program::directives(&String::from_utf8_lossy(&preprocessed.stdout))?;
        let program = std::fs::read(&bitcode).context("cannot read the bitcode of clang")?;
        let threads = compile::threads(self.request.threads, job.has("-fopenmp"));
        let request =
            RaiseRequest { directives, has_debug_info: job.has_debug_info(), threads, ..self.request.clone() };
        if let Some(function) = &self.request.function {
            compile::check_function(&program, &source, function)?;
        }
        // What the compiler cannot do is no reason to have no object.
        let changed = std::panic::catch_unwind(|| compile::raised(&program, &source, &request));
        let changed = match changed.unwrap_or_else(|_| Err(anyhow!("internal error"))) {
            Err(error) if !request.is_required && request.directives.is_empty() => {
                let causes = program::causes(&error);
                eprintln!("{}: warning: no loop nest is raised: {causes} [-Wmdh]", source.display());
                compile::unchanged(&program, &source, &request)
            }
            result => result,
        };
        std::fs::write(&bitcode, changed?).context("cannot write bitcode")?;
        code(job.of_bitcode(&bitcode).command().status())
    }
}

/// Files that clang's driver makes for other jobs and deletes at the end.
struct Temporaries(Vec<PathBuf>);

impl Temporaries {
    fn of(jobs: &[Job], given: &[OsString]) -> Self {
        let folder = std::env::temp_dir();
        let outputs = jobs.iter().filter_map(|job| job.value("-o")).map(PathBuf::from);
        let is_temporary = |path: &PathBuf| {
            path.parent() == Some(&folder) && !given.iter().any(|argument| argument.as_os_str() == path.as_os_str())
        };
        Self(outputs.filter(is_temporary).collect())
    }
}

impl Drop for Temporaries {
    fn drop(&mut self) {
        for path in &self.0 {
            // A job that has failed has made no file.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The exit code of a program that has run.
fn code(status: std::io::Result<ExitStatus>) -> Result<u8> {
    let status = status.context("cannot run clang")?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(failure::INTERNAL))
}
