//! The explanation of a program as JSON, for programs that show it: `mdh explain --json` and the Python package.
//!
//! ```json
//! {
//!   "computations": [{
//!     "function": "matvec", "number": 1, "title": "@matvec, computation 1, on @cpu: memory ..",
//!     "dimensions": [{ "name": "i", "extent": "512", "operator": "cc" }, ..],
//!     "parameters": { "header": ["level", "0", ..], "rows": [["(1, 1) i", "2", ..], ..] },
//!     "buffers": { "header": ["buffer", "step", ..], "rows": [] },
//!     "block": null, "why": "loops: ..", "nest": "@matvec, computation 1: ..", "svg": "<svg .."
//!   }],
//!   "text": "..", "why": "..", "nest": "..", "svg": ".."
//! }
//! ```
//!
//! Dimensions that the program does not name have the name `null`. The tables have all levels, and texts in
//! `computations` no legend. `text` is the output of `mdh explain`; `why`, `nest` and `svg` are those of all computations. A computation that is
//! computed in parts of another one has no nest of its own.
use super::{Nested, explanations, nests, scheduled, selected, svg};
use crate::{device, kernel, machine, program, signature};
use anyhow::Result;
use mdh_dialects::ir;
use mdh_passes::{machine::Machine, pipeline::Options, schedule::tuning::TuningContext, target::Target};
use melior::{Context, ir::Module};
use serde_json::{Value, json};

/// What is explained, and how the program is compiled.
pub struct Request<'a> {
    /// The name of the program in errors.
    pub program: &'a str,
    /// The function; all functions if `None`.
    pub function: Option<&'a str>,
    /// The target of the nests; that of the systems of the schedules if `None`.
    pub target: Option<&'static Target>,
    /// The options of the compilation. The stage at which it stops is not used.
    pub options: Options,
    /// The machine that default schedules are made for.
    pub machine: machine::Options<'a>,
}

/// The report of a program, which is lowered. Functions that are not explained are private.
pub fn of(context: &Context, module: &mut Module<'_>, request: Request<'_>) -> Result<Value> {
    let Request { program, function, target, options, machine } = request;
    let until = |stage: &str, options: Options| Options { stop_after: Some(stage.to_owned()), ..options };
    program::lower(context, module, &until("schedule", options.clone()))?;
    let tuning = TuningContext { machine: machine.machine(Some(module))?, threads: options.threads };
    let of_module = |module: &Module<'_>| -> Result<(String, Vec<Value>)> {
        let all = selected(scheduled(ir::op(module.as_operation()))?, function, program)?;
        let mut explained = explanations(&all, &tuning, true)?;
        let values = all.iter().zip(&explained).map(|(one, explanation)| {
            let mut value = json!({ "function": one.function, "number": one.number + 1 });
            if let (Some(value), Value::Object(fields)) = (value.as_object_mut(), explanation.json()) {
                value.extend(fields);
            }
            value
        });
        let values = values.collect();
        explained.iter_mut().for_each(|explanation| explanation.why.clear());
        Ok((super::text(&explained), values))
    };
    let (text, mut computations) = of_module(module)?;
    // The schedules and the checks are there now: those of the options would be applied again.
    let options = Options { schedule: None, set: vec![], has_runtime_checks: false, ..options };
    program::lower(context, module, &until("bufferize", options))?;
    let all = selected(scheduled(ir::op(module.as_operation()))?, function, program)?;
    let nested = nests(module, &all, target)?;
    for computation in &mut computations {
        let is_own = |nested: &&Nested| {
            computation["function"] == nested.function.as_str() && computation["number"] == nested.number + 1
        };
        let own = nested.iter().find(is_own);
        let (nest, picture) = (own.map(ToString::to_string), own.map(|own| svg(std::slice::from_ref(own), &all)));
        computation["nest"] = nest.into();
        computation["svg"] = picture.into();
    }
    let why: Vec<_> = computations.iter().filter_map(|computation| computation["why"].as_str()).collect();
    let (why, nest) = (why.concat(), nested.iter().map(ToString::to_string).collect::<String>());
    Ok(json!({
        "computations": computations,
        "text": text,
        "why": why,
        "nest": nest,
        "svg": svg(&nested, &all),
    }))
}

/// The report of a function of a program, given as text; of its only public function without a name. The options are
/// those that the function is compiled with; the machine is this one, with the selected device of the target, if any.
pub fn of_text(context: &Context, text: &[u8], function: Option<&str>, options: Options) -> Result<Value> {
    let mut module = program::parse(context, text)?;
    let name = {
        let function = signature::find(ir::op(module.as_operation()), function)?;
        signature::export(&module, &[function]);
        signature::of(function)?.name
    };
    // Without a device, as on a machine that only compiles, the schedules are those for a typical one.
    let device = kernel::Device::selected(options.target).ok().flatten();
    let selected = device.and_then(|device| mdh_runtime::selected(device.api()).ok());
    let described = selected.as_ref().map(|selected| device::description(selected, &Machine::host()));
    let machine = machine::Options { device: described.as_ref(), ..machine::Options::default() };
    machine.attach(&module)?;
    let options = Options { limits: selected.as_ref().map(device::limits), ..options };
    let target = Some(options.target);
    of(context, &mut module, Request { program: "the program", function: Some(&name), target, options, machine })
}
