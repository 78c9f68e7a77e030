//! A report of raising: the shapes of arrays with one dimension, the computations that operations of other dialects become,
//! and the operations that stay.
//!
//! ```json
//! {
//!   "version": 1,
//!   "arrays": [{ "at": "net.mlir:5:8", "function": "main", "type": "memref<?xf32>", "shape": "[?][%arg1]", "versions": [..],
//!                "condition_is": "exact" }],
//!   "raised": [{ "at": "net.mlir:7:8", "function": "main", "combine": ["#mdh.cc", "#mdh.pw<[add]>"], "type": ".." }],
//!   "stays": [{ "at": "net.mlir:9:8", "function": "main", "operation": "linalg.generic", "reason": "requires .." }]
//! }
//! ```
use crate::{object, program};
use anyhow::Result;
use mdh_dialects::{
    attributes::RAISED,
    hom::MdHom,
    ir::{self, Op, OpView},
};
use mdh_passes::{
    analysis::location,
    delinearize::{self, report::ArrayReport},
    pipeline::defined,
    raise,
};
use melior::{
    Context,
    ir::{Module, ValueLike, operation::OperationLike},
};
use serde_json::{Value, json};
use std::{convert::Infallible, path::Path};

/// The version of the file.
const VERSION: u64 = 1;

/// What is raised in one or several modules, and what stays.
#[derive(Default)]
pub struct RaisingReport {
    arrays: Vec<Value>,
    raised: Vec<Value>,
    stays: Vec<Value>,
}

impl RaisingReport {
    /// Adds a module, which does not change. The error is that it cannot be copied.
    pub fn add(&mut self, module: Op<'_>) -> Result<()> {
        self.raise(ir::context(module), &mut program::copy(&module)?)
    }

    /// Adds a module, and raises it.
    fn raise(&mut self, context: &Context, module: &mut Module<'_>) -> Result<()> {
        program::run(context, module, &format!("builtin.module({})", defined()))?;
        ir::rewrite(module, |root| {
            delinearize::run(root, 0, &mut |array| self.arrays.push(shape(&array)));
            let Ok(()) = raise::raise_all(root, |operation, reason| {
                let mut entry = entry(operation);
                entry["operation"] = ir::name(operation).into();
                entry["reason"] = reason.into();
                self.stays.push(entry);
                Ok::<_, Infallible>(())
            });
            let raised = MdHom::all(root).into_iter().filter(|hom| ir::attribute(hom.op(), RAISED).is_some());
            self.raised.extend(raised.map(|hom| {
                let mut entry = entry(hom.op());
                entry["combine"] = hom.combine().iter().map(ToString::to_string).collect();
                entry["type"] = hom.result().r#type().to_string().into();
                entry
            }));
        });
        Ok(())
    }

    /// Writes the report to a file, whole or not at all, or to the standard output for `-`.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(&json!({
            "version": VERSION,
            "arrays": self.arrays,
            "raised": self.raised,
            "stays": self.stays,
        }))?;
        object::write(path, format!("{text}\n").as_bytes())
    }
}

/// Writes the report of a program: of the functions that are compiled, and those that they refer to.
pub fn write(path: &Path, module: &Module<'_>) -> Result<()> {
    let root = ir::op(module.as_operation());
    let mut copy = program::copy(&root)?;
    ir::rewrite(&mut copy, program::erase_unused);
    let mut report = RaisingReport::default();
    report.raise(ir::context(root), &mut copy)?;
    report.write(path)
}

/// The location of an operation, and the symbol around it.
fn entry(operation: Op<'_>) -> Value {
    let symbol = |outer: Op<'_>| Some(ir::string_attribute(ir::attribute(outer, "sym_name")?)?.to_owned());
    let function = std::iter::successors(ir::parent(operation), |outer| ir::parent(*outer)).find_map(symbol);
    let place = location::place(&operation.location());
    json!({ "at": place.trim_end_matches(": "), "function": function })
}

/// The shape of an array.
fn shape(array: &ArrayReport<'_>) -> Value {
    let mut entry = entry(array.at);
    entry["type"] = array.ty.clone().into();
    match &array.shape {
        Ok(shape) => {
            let version = |(subscripts, condition): &(Vec<String>, String)| json!({ "subscripts": subscripts, "condition": condition });
            entry["shape"] = shape.sizes.clone().into();
            entry["versions"] = shape.versions.iter().map(version).collect();
            entry["condition_is"] = if shape.is_exact { "exact" } else { "sufficient" }.into();
        }
        Err(reason) => entry["reason"] = reason.clone().into(),
    }
    entry
}
