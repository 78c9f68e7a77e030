//! Explanations of the schedules of a program: the paper's table, the buffers, the prediction of the cost model, and the
//! loop nest, as text and as a picture.
pub mod candidates;
mod figure;
mod layout;
mod outline;
pub mod report;
pub mod space;
mod statements;
mod svg;

use crate::program;
use anyhow::{Result, bail};
use comfy_table::presets::UTF8_BORDERS_ONLY;
use mdh_dialects::{
    ir::{self, Op},
    pass::Failure,
    schedule::{model::Schedule, rules},
};
use mdh_passes::{
    analysis::computation::Computation,
    lower::{FastMath, NestTarget, producers, titled},
    machine::Machine,
    nest::{self, gpu::limits::Limits, tree::Nest},
    notation::chain,
    schedule::{
        explain::{self, Table},
        tuning::TuningContext,
    },
    target::{KernelFlavour, Target},
};
use melior::ir::Module;
use serde_json::{Value, json};
use std::fmt;

/// A computation with its schedule.
pub struct Scheduled<'c> {
    /// The name of its function.
    pub function: String,
    /// Its number in the function, from 0.
    pub number: usize,
    /// The computation.
    pub computation: Computation<'c>,
    /// Its schedule.
    pub schedule: Schedule,
}

/// All computations with their schedules, in program order.
pub fn scheduled(module: Op<'_>) -> Result<Vec<Scheduled<'_>>> {
    let computations = Computation::all(module);
    let names = Computation::numbered(&computations);
    let all = computations.into_iter().zip(names).map(|(computation, (function, number))| {
        let schedule = chain::schedule(&computation).map_err(anyhow::Error::msg)?;
        Ok(Scheduled { function, number, computation, schedule })
    });
    all.collect()
}

/// The computations of a function, or all of them. `program` names the program in errors.
pub fn selected<'c>(mut all: Vec<Scheduled<'c>>, function: Option<&str>, program: &str) -> Result<Vec<Scheduled<'c>>> {
    if let Some(function) = function {
        all.retain(|one| one.function == function);
        if all.is_empty() {
            bail!("{program} has no function @{function} with a computation");
        }
    }
    if all.is_empty() {
        bail!("{program} has no computation");
    }
    Ok(all)
}

/// The explanation of a schedule.
pub struct Explanation {
    /// The computation, the system of its schedule, and the layers of the system.
    title: String,
    /// The tuning parameters: a row for each level.
    parameters: Table,
    /// The buffers that the generated code allocates in addition to the user's.
    buffers: Table,
    /// The threads and the memory of a block of a device.
    block: Option<String>,
    /// What the cost model predicts; empty if it is not wanted.
    why: String,
}

impl fmt::Display for Explanation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}\n{}\n", self.title, draw(&self.parameters))?;
        match self.buffers.rows.is_empty() {
            true => writeln!(formatter, "no buffers beyond the user's")?,
            false => writeln!(formatter, "buffers beyond the user's\n{}", draw(&self.buffers))?,
        }
        self.block.iter().try_for_each(|block| writeln!(formatter, "{block}"))?;
        writeln!(formatter, "{}", self.why)
    }
}

impl Explanation {
    /// The explanation as an object of JSON; tables have a `header` and `rows`.
    pub fn json(&self) -> Value {
        let table = |table: &Table| json!({ "header": table.header, "rows": table.rows });
        json!({
            "title": self.title,
            "parameters": table(&self.parameters),
            "buffers": table(&self.buffers),
            "block": self.block,
            "why": self.why,
        })
    }
}

/// The explanations of computations, which are all of a module; with `why`, what the cost model predicts.
pub fn explanations(all: &[Scheduled<'_>], tuning: &TuningContext, why: bool) -> Result<Vec<Explanation>> {
    let computations: Vec<_> = all.iter().map(|one| one.computation.clone()).collect();
    let numbered = producers::numbered(&computations);
    let explanation = |one: &Scheduled<'_>| {
        let Scheduled { function, number, computation, schedule } = one;
        let system = &schedule.system;
        let mut title =
            format!("@{function}, computation {}, on @{}: {}", number + 1, system.name, explain::layers(system));
        if let Some(at) = schedule.at {
            let (level, consumer) = (rules::name(at.level), at.consumer + 1);
            title += &format!("\ncomputed in parts, at level {level} of computation {consumer}");
        }
        let producers = producers::of(computation, &numbered).map_err(|failure| failed(one, failure))?;
        let workload = producers::workload(computation, schedule, &producers).map_err(anyhow::Error::msg)?;
        let nest = nest::of(&workload, schedule, tuning.fast_math());
        Ok(Explanation {
            title,
            parameters: explain::table(schedule),
            buffers: explain::memory_table(&nest),
            block: explain::block(&nest, system),
            why: if why { explain::why(computation, schedule, tuning) } else { String::new() },
        })
    };
    all.iter().map(explanation).collect()
}

/// A computation with its nest.
pub struct Nested {
    /// The name of its function.
    function: String,
    /// Its number in the function, from 0.
    number: usize,
    /// The nest.
    nest: Nest,
}

impl fmt::Display for Nested {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&titled(&self.function, self.number, &self.nest))
    }
}

impl Nested {
    /// The nest as a short text: its loops, kernels, buffers and copies. `all` as for the picture.
    fn outline(&self, all: &[Scheduled<'_>]) -> String {
        let picture = self.picture(all);
        format!("{}, {}:\n{}\n", picture.title, picture.subtitle, outline::lines(&picture.figures))
    }

    /// The picture of the nest. `all` has the schedules of its computation and of the producers in it.
    fn picture(&self, all: &[Scheduled<'_>]) -> svg::Picture {
        let of_function = all.iter().filter(|one| one.function == self.function);
        let schedules: Vec<_> = of_function.map(|one| (one.number, &one.schedule)).collect();
        let own = schedules.iter().find(|(number, _)| *number == self.number);
        svg::Picture {
            title: format!("@{}, computation {}", self.function, self.number + 1),
            subtitle: own.map_or(String::new(), |(_, schedule)| format!("on @{}", schedule.system.name)),
            figures: figure::figures(&self.nest, &schedules, self.number),
        }
    }
}

/// The nests as short texts, with a legend.
pub fn outlines(nests: &[Nested], all: &[Scheduled<'_>]) -> String {
    let texts: String = nests.iter().map(|nested| nested.outline(all)).collect();
    texts + outline::legend()
}

/// The pictures of nests below each other, as SVG.
pub fn svg(nests: &[Nested], all: &[Scheduled<'_>]) -> String {
    let pictures: Vec<_> = nests.iter().map(|nested| nested.picture(all)).collect();
    svg::Picture::document(&pictures)
}

/// The nests of computations on memrefs, which are all of a module: a nest depends on aliasing. A producer that is
/// computed in parts is in the nest of its consumer. The default target is that of a schedule's system.
pub fn nests(
    module: &Module<'_>,
    all: &[Scheduled<'_>],
    target: Option<&'static Target>,
    strict: bool,
) -> Result<Vec<Nested>> {
    let cache = NestTarget::cache_of(&Machine::of(ir::op(module.as_operation())).map_err(anyhow::Error::msg)?);
    let computations: Vec<_> = all.iter().map(|one| one.computation.clone()).collect();
    let numbered = producers::numbered(&computations);
    let nested = |one: &Scheduled<'_>| {
        let system = &one.schedule.system;
        let kernels = match target {
            Some(target) => target.kernels.as_ref(),
            None => KernelFlavour::of_system(system).filter(|_| system.is_device()),
        };
        let fast_math = FastMath { contract: !strict, reassociate: !strict };
        let goal = NestTarget { fast_math, kernels, limits: Limits::default(), cache };
        let nest = producers::of(&one.computation, &numbered);
        let nest = nest.and_then(|producers| goal.nest(&one.computation, &producers));
        let nest = nest.map_err(|failure| failed(one, failure))?;
        Ok(Nested { function: one.function.clone(), number: one.number, nest })
    };
    all.iter().filter(|one| one.schedule.at.is_none()).map(nested).collect()
}

fn failed(one: &Scheduled<'_>, failure: Failure<'_>) -> anyhow::Error {
    program::wrong_at(failure.at.unwrap_or(one.computation.hom.op()), &failure.message)
}

fn draw(table: &Table) -> String {
    let mut drawn = comfy_table::Table::new();
    drawn.load_preset(UTF8_BORDERS_ONLY).set_header(&table.header).add_rows(&table.rows);
    drawn.to_string()
}
