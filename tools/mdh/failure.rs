//! How the tool ends: one message for what is wrong, never a back-trace.
use anyhow::{Result, anyhow};
use mdh_passes::failure::plain;
use mdh_tools::{program::Diagnosed, reference::Failure};
use std::{
    io::{ErrorKind, Write},
    panic,
    process::ExitCode,
};

/// The exit code for results that differ from the reference evaluator's.
pub const DIFFERENT: u8 = 3;
/// The exit code where there is nothing to run on.
pub const NO_DEVICE: u8 = 4;
const INTERNAL: u8 = 70;

/// Runs the tool; what should never happen becomes one message and an exit code of its own.
pub fn guard(action: impl FnOnce() -> ExitCode + panic::UnwindSafe) -> ExitCode {
    panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
        let text = text.unwrap_or("unknown");
        // A reader that has seen enough is no error; the standard library panics when it prints.
        if !text.contains("Broken pipe") {
            let place =
                info.location().map(|place| format!(" ({}:{})", place.file(), place.line())).unwrap_or_default();
            let _ = writeln!(std::io::stderr(), "internal error: {text}{place}");
        }
    }));
    panic::catch_unwind(action).unwrap_or(ExitCode::from(INTERNAL))
}

/// Prints an error; diagnostics with a location are printed as MLIR does.
pub fn report(error: &anyhow::Error) -> ExitCode {
    let located = error.downcast_ref::<Diagnosed>().is_some() || error.downcast_ref::<Failure>().is_some();
    let causes = error.chain().map(|cause| cause.downcast_ref().map_or_else(|| cause.to_string(), plain));
    let text = if located { error.to_string() } else { format!("error: {}", causes.collect::<Vec<_>>().join(": ")) };
    let _ = writeln!(std::io::stderr(), "{text}");
    match error.downcast_ref::<mdh_runtime::Error>() {
        Some(mdh_runtime::Error::NoDevice(_)) => ExitCode::from(NO_DEVICE),
        _ => ExitCode::FAILURE,
    }
}

/// Prints to the standard output; nobody reading it is no error.
pub fn print(text: &str) -> Result<()> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(anyhow!("cannot write to the standard output: {}", plain(&error)))
        }
        _ => Ok(()),
    }
}
