//! Errors and exit codes of the tool: one message per error, never a backtrace.
use crate::{
    program::{self, Diagnosed},
    reference::Failure,
};
use anyhow::{Result, anyhow};
use mdh_execution::{failure::os_message, jit::CallError};
use std::{
    io::{ErrorKind, Write},
    panic,
};

/// Exit code of success.
pub const DONE: u8 = 0;
/// Exit code for an invalid program, input, output or option.
const INVALID: u8 = 1;
/// Exit code for results that differ from the reference evaluator's.
pub const DIFFERENT: u8 = 3;
/// Exit code if there is no device to run on.
pub const NO_DEVICE: u8 = 4;
/// Exit code of an error of the tool itself.
pub const INTERNAL: u8 = 70;

/// Runs the tool. A panic becomes one message and an exit code of its own.
pub fn guard(action: impl FnOnce() -> u8 + panic::UnwindSafe) -> u8 {
    panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
        let text = text.unwrap_or("unknown");
        // A closed pipe is not an error, but the standard library panics when it prints to one.
        if !text.contains("Broken pipe") {
            let place =
                info.location().map(|place| format!(" ({}:{})", place.file(), place.line())).unwrap_or_default();
            let _ = writeln!(std::io::stderr(), "internal error: {text}{place}");
        }
    }));
    panic::catch_unwind(action).unwrap_or(INTERNAL)
}

/// Prints an error, and returns its exit code. Diagnostics with a location are printed as MLIR prints them.
pub fn report(error: &anyhow::Error) -> u8 {
    // A check of compiled code knows its location.
    let is_of_check =
        matches!(error.downcast_ref::<CallError>(), Some(CallError::Execution(text)) if text.contains(": error: "));
    let located =
        error.downcast_ref::<Diagnosed>().is_some() || error.downcast_ref::<Failure>().is_some() || is_of_check;
    let text = if located { error.to_string() } else { format!("error: {}", program::causes(error)) };
    let _ = writeln!(std::io::stderr(), "{text}");
    match error.downcast_ref::<mdh_runtime::Error>() {
        Some(mdh_runtime::Error::NoDevice(_)) => NO_DEVICE,
        _ => INVALID,
    }
}

/// Prints to the standard output; a closed pipe is not an error.
pub fn print(text: &str) -> Result<()> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(anyhow!("cannot write to the standard output: {}", os_message(&error)))
        }
        _ => Ok(()),
    }
}
