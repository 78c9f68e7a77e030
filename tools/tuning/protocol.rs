//! The messages between a tuner and the process of a candidate: a line of JSON each.
//!
//! ```text
//! process: {"event": "compiled"}          tuner: {"command": "first"}
//! process: {"event": "ran", "seconds": …} tuner: {"command": "measure", "count": 20}
//! process: {"event": "measured", …}       tuner closes the pipe: the process ends
//! ```
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What a tuner asks of a process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum WorkerCommand {
    /// Run once, and write the outputs.
    First,
    /// Run once to warm up, then this many times.
    Measure {
        /// Number of measured runs.
        count: usize,
    },
}

/// What a process reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The function is compiled.
    Compiled,
    /// The function ran once.
    Ran {
        /// Time of the run in seconds.
        seconds: f64,
        /// The files of its outputs: results, then memrefs that it writes.
        outputs: Vec<PathBuf>,
    },
    /// The function ran several times.
    Measured {
        /// Times in seconds: of the kernels if there are any, otherwise of the whole call.
        seconds: Vec<f64>,
    },
    /// The schedule does not compile, or the call failed.
    Failed {
        /// The reason.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_lines() {
        let text = serde_json::to_string(&WorkerCommand::Measure { count: 3 }).unwrap();
        assert_eq!(text, r#"{"command":"measure","count":3}"#);
        let event = Event::Failed { reason: "two\nlines".to_owned() };
        let text = serde_json::to_string(&event).unwrap();
        assert!(!text.contains('\n'));
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
    }
}
