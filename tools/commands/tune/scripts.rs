//! The scripts of a function that is tuned: the schedules that they make are chosen, and the scripts erased, in one stage.
//!
//! ```text
//! program ──▶ stage before the schedules: scripts ──▶ their commands, by computation
//!         └─▶ schedules
//! ```
use crate::{program, signature};
use anyhow::Result;
use mdh_dialects::ir;
use mdh_passes::{
    analysis::computation::Computation,
    pipeline::Options,
    schedule::script::{find, steps::ScriptSteps},
};
use melior::Context;

/// Returns the commands of the scripts of a function, by computation.
pub fn of(context: &Context, source: &[u8], function: &str, options: &Options) -> Result<Vec<Option<ScriptSteps>>> {
    let mut module = program::parse(context, source)?;
    let found = signature::find(ir::op(module.as_operation()), Some(function))?;
    signature::export(&module, &[found]);
    // Raising and fusion decide the computations.
    let options = Options { stop_after: Some("check".to_owned()), ..options.clone() };
    program::lower(context, &mut module, &options)?;
    let operation = ir::op(module.as_operation());
    let computations = Computation::all(operation);
    find::steps(operation, &computations, function).map_err(|failure| program::wrong_at(operation, &failure.message))
}
