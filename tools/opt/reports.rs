//! The reports of raising that passes ask for with `report=FILE`.
//!
//! The modules of a run, of which `--split-input-file` makes several, share the report of a file.
use crate::{program, report::RaisingReport};
use mdh_dialects::ir::Op;
use mdh_passes::raise::receiver;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

static REPORTS: Mutex<BTreeMap<PathBuf, RaisingReport>> = Mutex::new(BTreeMap::new());

/// Runs a tool, and then writes the reports, also if a pass has failed. Returns the exit status.
pub fn run(tool: impl FnOnce() -> i32) -> i32 {
    receiver::set(add);
    let mut status = tool();
    for (file, report) in &*REPORTS.lock().unwrap_or_else(PoisonError::into_inner) {
        if let Err(error) = report.write(file) {
            eprintln!("error: {}", program::causes(&error));
            status = 1;
        }
    }
    status
}

/// Adds a module to the report of a file.
fn add(file: &str, module: Op<'_>) -> Result<(), String> {
    let mut reports = REPORTS.lock().unwrap_or_else(PoisonError::into_inner);
    reports.entry(Path::new(file).to_owned()).or_default().add(module).map_err(|error| program::causes(&error))
}
