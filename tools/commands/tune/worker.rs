//! `mdh tune-worker`: the process of a candidate, which `mdh tune` starts.
use super::program::Program;
use crate::{
    commands::{failure, inputs},
    jit::Compiled,
    program,
    signal::DriverCrashHandler,
    signature,
    tuning::worker,
};
use anyhow::Result;
use clap::Args;
use mdh_dialects::{
    ir::{self, OpView},
    lowlevel::script::ScriptOp,
};
use std::{path::PathBuf, sync::Arc};

/// Compile a function with schedules from a file, and run it as 'mdh tune' says on the standard input
#[derive(Args, Clone, Debug)]
pub struct TuneWorker {
    /// The program, in MLIR
    file: PathBuf,
    #[command(flatten)]
    program: Program,
    /// The schedules of its computations
    #[arg(long, value_name = "FILE")]
    schedule: PathBuf,
    /// The folder that outputs are written to
    #[arg(long, value_name = "DIR")]
    outputs: PathBuf,
}

impl TuneWorker {
    /// Runs the command.
    pub fn run(&self) -> Result<u8> {
        self.program.select()?;
        let _drivers = self.program.engine.api().map(|_| DriverCrashHandler::report()).transpose()?;
        let context = program::context();
        let mut module = program::read(&context, &self.file)?;
        let (signature, written) = {
            let function = signature::find(ir::op(module.as_operation()), self.program.function.as_deref())?;
            (signature::of(function)?, inputs::written(function))
        };
        let arguments = inputs::read(&signature, &self.program.input)?;
        let compile = || -> Result<Arc<Compiled>> {
            // The schedules of the file replace those of scripts, which are among the candidates.
            ScriptOp::all(ir::op(module.as_operation())).into_iter().for_each(|script| ir::erase(script.op()));
            let session = self.program.session(&self.schedule)?;
            let (compiled, _) = session.compile(&context, &mut module, &signature.name)?;
            compiled.set_threads(self.program.threads())?;
            Ok(compiled)
        };
        worker::run(compile, &arguments, &written, &self.outputs)?;
        Ok(failure::DONE)
    }
}
