//! The receiver of modules to report on. Passes do no input or output, so the tool that runs them writes the reports.
use mdh_dialects::ir::Op;
use std::sync::OnceLock;

/// A function of the tool, which gets the file of a report, and a module before it is raised.
pub type Receiver = fn(&str, Op<'_>) -> Result<(), String>;

static RECEIVER: OnceLock<Receiver> = OnceLock::new();

/// Sets the receiver of this process. The first one stays.
pub fn set(receiver: Receiver) {
    RECEIVER.get_or_init(|| receiver);
}

/// Passes a module to the receiver. The error is that of the receiver, or that there is none.
pub fn send(file: &str, module: Op<'_>) -> Result<(), String> {
    let receiver = RECEIVER.get();
    receiver.ok_or("the option report requires a tool that writes reports, such as mdh-opt")?(file, module)
}
