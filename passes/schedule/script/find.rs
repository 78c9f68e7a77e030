//! The scripts of a module or a function, by computation.
//!
//! ```text
//! mdh.lowlevel.schedule @f computation 2   ──▶   the second computation of @f
//! ```
use super::steps::ScriptSteps;
use crate::analysis::computation::Computation;
use mdh_dialects::{
    ir::{self, Op, OpView},
    lowlevel::script::ScriptOp,
    pass::Failure,
};

/// Returns by computation the script that schedules it, if any. On a function, the scripts are in the block around it.
pub fn scripts<'c>(root: Op<'c>, computations: &[Computation<'c>]) -> Result<Vec<Option<ScriptOp<'c>>>, Failure<'c>> {
    let mut found = vec![None; computations.len()];
    for (script, function) in with_functions(root) {
        let is_inside = |computation: &Computation<'c>| {
            let mut scope = ir::parent(computation.out_view.op());
            while scope.is_some_and(|operation| operation != function) {
                scope = scope.and_then(ir::parent);
            }
            scope.is_some()
        };
        let own: Vec<_> = (0..computations.len()).filter(|i| is_inside(&computations[*i])).collect();
        let Some(i) = own.get(script.computation()).copied() else {
            let (name, number, count) = (script.function(), script.computation() + 1, own.len());
            let message =
                format!("requires the number of one of the {count} computations of @{name}, but it is {number}");
            return Err(Failure::new(script.op(), message));
        };
        if let Some(other) = found[i].replace(script) {
            let message = "requires one schedule for a computation, but there is another one";
            return Err(Failure::new(script.op(), message).with_note(other.op(), "the other schedule is here"));
        }
    }
    Ok(found)
}

/// Returns the commands of the scripts of a function by computation, all `None` if there are no scripts.
pub fn steps<'c>(
    root: Op<'c>,
    computations: &[Computation<'c>],
    function: &str,
) -> Result<Vec<Option<ScriptSteps>>, Failure<'c>> {
    let all = scripts(root, computations)?.into_iter().zip(Computation::numbered(computations));
    Ok(all.filter(|(_, (name, _))| name == function).map(|(script, _)| script.map(ScriptSteps::of)).collect())
}

/// The scripts for functions in an operation, each with its function.
fn with_functions<'c>(root: Op<'c>) -> Vec<(ScriptOp<'c>, Op<'c>)> {
    // Other functions may be transformed at the same time, so only scripts of the block around a function are read.
    let around = ir::block(root).map(ir::block_operations).unwrap_or_default();
    let name = ir::attribute(root, "sym_name").and_then(ir::string_attribute);
    let of_root = around.into_iter().filter_map(ScriptOp::cast).filter(|script| Some(script.function()) == name);
    let inside = ScriptOp::all(root).into_iter().filter(|script| script.op() != root);
    let inside = inside.filter_map(|script| Some((script, script.function_op()?)));
    of_root.map(|script| (script, root)).chain(inside).collect()
}

/// Erases all scripts in an operation.
pub fn erase(root: Op<'_>) {
    ScriptOp::all(root).into_iter().for_each(|script| ir::erase(script.op()));
}
