//! `mdh tune-worker`: the process of a candidate, which `mdh tune` starts.
use super::options::Tune;
use crate::{
    commands::{failure, inputs},
    jit::Compiled,
    program,
    session::Session,
    signal::DriverCrashHandler,
    signature,
    tuning::worker,
};
use anyhow::{Result, anyhow};
use clap::Args;
use mdh_dialects::{
    ir::{self, OpView},
    lowlevel::script::ScriptOp,
};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Compile a function with schedules from a file, and run it as 'mdh tune' says on the standard input
#[derive(Args, Clone, Debug)]
pub struct TuneWorker {
    /// The command line of the session. Its program, function and inputs are in the folder
    #[command(flatten)]
    tune: Tune,
    /// The function that is tuned
    #[arg(long, value_name = "NAME")]
    tuned: String,
    /// The folder of the session
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
    /// The schedules of the function's computations
    #[arg(long, value_name = "FILE")]
    schedule: PathBuf,
    /// The folder that outputs are written to
    #[arg(long, value_name = "DIR")]
    outputs: PathBuf,
}

/// The command line of the process of a candidate, up to that of the session.
pub(super) fn arguments(function: &str, folder: &Path, schedule: &Path, outputs: &Path) -> Vec<OsString> {
    let own = ["tune-worker".into(), "--tuned".into(), function.into(), "--folder".into(), folder.into()];
    let files = ["--schedule".into(), schedule.into(), "--outputs".into(), outputs.into()];
    own.into_iter().chain(files).collect()
}

/// The file of the program in the folder of a session.
pub(super) fn program(folder: &Path) -> PathBuf {
    folder.join("program.mlir")
}

/// The file of an input in the folder of a session, counted from 0.
pub(super) fn input(folder: &Path, i: usize) -> PathBuf {
    folder.join(format!("input-{}.npy", i + 1))
}

impl TuneWorker {
    /// Runs the command.
    pub fn run(&self) -> Result<u8> {
        let tune = &self.tune;
        tune.select()?;
        let _drivers = tune.execution.engine.api().map(|_| DriverCrashHandler::report()).transpose()?;
        let context = program::context();
        let mut module = program::read(&context, &program(&self.folder), &[])?;
        let (signature, written) = {
            let function = signature::find(ir::op(module.as_operation()), Some(&self.tuned))?;
            (signature::of(function)?, inputs::written(function))
        };
        let file = |i| {
            let path = input(&self.folder, i).into_os_string().into_string();
            path.map_err(|path| anyhow!("the path '{}' is not UTF-8", path.display()))
        };
        let files = (0..signature.arguments.len()).map(file).collect::<Result<Vec<_>>>()?;
        let arguments = inputs::read(&signature, &files)?;
        let compile = || -> Result<Arc<Compiled>> {
            // The schedules of the file replace those of scripts, which are among the candidates.
            ScriptOp::all(ir::op(module.as_operation())).into_iter().for_each(|script| ir::erase(script.op()));
            let session = Session::new(tune.passes(Some(&self.schedule))?, tune.lowering.machine.clone(), None);
            let (compiled, _) = session.compile(&context, &mut module, &signature.name)?;
            compiled.set_threads(tune.lowering.running_threads())?;
            Ok(compiled)
        };
        worker::run(compile, &arguments, &written, &self.outputs)?;
        Ok(failure::DONE)
    }
}
