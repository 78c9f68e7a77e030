//! A report of raising: the computations that operations of other dialects become, and the operations that stay.
//!
//! ```json
//! {
//!   "version": 1,
//!   "raised": [{ "at": "net.mlir:7:8", "function": "main", "combine": ["#mdh.cc", "#mdh.pw<[add]>"], "type": ".." }],
//!   "stays": [{ "at": "net.mlir:9:8", "function": "main", "operation": "linalg.generic", "reason": "requires .." }]
//! }
//! ```
use crate::{object, program};
use anyhow::{Result, anyhow};
use mdh_dialects::{
    attributes::RAISED,
    hom::MdHom,
    ir::{self, Op, OpView},
};
use mdh_passes::raise;
use melior::ir::{Module, ValueLike, operation::OperationLike};
use serde_json::{Value, json};
use std::{convert::Infallible, path::Path};

/// The version of the file.
const VERSION: u64 = 1;

/// Writes the report of a module, which does not change, to a file, or to the standard output for `-`.
pub fn write(path: &Path, module: &Module<'_>) -> Result<()> {
    let text = serde_json::to_string_pretty(&of(module)?)?;
    object::write(path, format!("{text}\n").as_bytes())
}

fn of(module: &Module<'_>) -> Result<Value> {
    let copy = Module::from_operation((*module.as_operation()).clone());
    let copy = copy.ok_or_else(|| anyhow!("the program is not a module"))?;
    let root = ir::op(copy.as_operation());
    let mut stays = vec![];
    let Ok(()) = raise::raise_all(root, |operation, reason| {
        let mut entry = entry(operation);
        entry["operation"] = ir::name(operation).into();
        entry["reason"] = reason.into();
        stays.push(entry);
        Ok::<_, Infallible>(())
    });
    let raised = MdHom::all(root).into_iter().filter(|hom| ir::attribute(hom.op(), RAISED).is_some());
    let raised = raised.map(|hom| {
        let mut entry = entry(hom.op());
        entry["combine"] = hom.combine().iter().map(ToString::to_string).collect();
        entry["type"] = hom.result().r#type().to_string().into();
        entry
    });
    Ok(json!({ "version": VERSION, "raised": raised.collect::<Vec<_>>(), "stays": stays }))
}

/// The location of an operation, and the symbol around it.
fn entry(operation: Op<'_>) -> Value {
    let symbol = |outer: Op<'_>| Some(ir::string_attribute(ir::attribute(outer, "sym_name")?)?.to_owned());
    let function = std::iter::successors(ir::parent(operation), |outer| ir::parent(*outer)).find_map(symbol);
    let place = program::place(&operation.location());
    json!({ "at": place.trim_end_matches(": "), "function": function })
}
