//! Explanations of the schedules of a program: the paper's table, the buffers, the prediction of the cost model, and the
//! loop nest, as text and as a picture, each with a legend.
pub mod candidates;
mod figure;
mod layout;
mod legend;
mod outline;
pub mod report;
mod scheduled;
pub mod space;
mod statements;
mod svg;

use crate::program;
use anyhow::{Result, bail};
use comfy_table::presets::UTF8_BORDERS_ONLY;
use mdh_dialects::{
    hom::CombineOperator,
    ir::{self, Op},
    pass::Failure,
    schedule::{model::Level, rules},
};
use mdh_passes::{
    analysis::computation::Computation,
    lower::{NestTarget, producers, titled},
    machine::Machine,
    nest::{self, tree::Nest},
    notation::chain,
    schedule::{
        explain::{self, Table},
        tuning::TuningContext,
    },
    target::{KernelFlavour, Target, limits::Limits},
};
use melior::ir::Module;
use serde_json::{Value, json};
use std::fmt;

pub use scheduled::Scheduled;

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
    /// The dimensions of the computation, in order.
    dimensions: Vec<Dimension>,
    /// The tuning parameters: a row for each level.
    parameters: Table,
    /// The table without the levels that have no effect, and these levels.
    folded: (Table, Vec<Level>),
    /// The buffers that the generated code allocates in addition to the user's.
    buffers: Table,
    /// The threads and the memory of a block of a device.
    block: Option<String>,
    /// What the cost model predicts; empty if it is not wanted.
    why: String,
}

/// A dimension of a computation.
struct Dimension {
    /// The name that the program gives it.
    name: Option<String>,
    /// Its extent; `?` if it is dynamic.
    extent: String,
    /// Its combine operator.
    operator: String,
}

impl Dimension {
    fn all(computation: &Computation<'_>) -> Vec<Self> {
        let names = computation.dimension_names();
        let of = |(d, (extent, operator)): (usize, (Option<u64>, &CombineOperator))| Self {
            name: names.get(d).map(|name| (*name).to_owned()),
            extent: rules::count_text(extent),
            operator: explain::operator(operator),
        };
        computation.domain.extents().zip(&computation.operators).enumerate().map(of).collect()
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dimensions = self.dimensions.iter().enumerate().map(|(d, Dimension { name, extent, operator })| {
            let name = name.as_ref().map(|name| format!(", {name}")).unwrap_or_default();
            format!("{}{name}: {extent}, {operator}", d + 1)
        });
        let dimensions = dimensions.collect::<Vec<_>>().join("; ");
        let (parameters, idle) = &self.folded;
        writeln!(formatter, "{}\ndimensions: {dimensions}\n{}", self.title, draw(parameters))?;
        if !idle.is_empty() {
            writeln!(formatter, "levels without effect: {}", legend::levels(idle, self.dimensions.len()))?;
        }
        writeln!(formatter)?;
        match self.buffers.rows.is_empty() {
            true => writeln!(formatter, "no buffers beyond the user's")?,
            false => writeln!(formatter, "buffers beyond the user's\n{}", draw(&self.buffers))?,
        }
        self.block.iter().try_for_each(|block| writeln!(formatter, "{block}"))?;
        writeln!(formatter, "{}", self.why)
    }
}

impl Explanation {
    /// The text with a row for each level, also for those without effect.
    pub fn unfold(&mut self) {
        self.folded = (self.parameters.clone(), vec![]);
    }

    /// The explanation as an object of JSON; tables have a `header` and `rows`, with all levels.
    pub fn json(&self) -> Value {
        let table = |table: &Table| json!({ "header": table.header, "rows": table.rows });
        let dimension = |Dimension { name, extent, operator }: &Dimension| json!({ "name": name, "extent": extent, "operator": operator });
        let dimensions: Vec<_> = self.dimensions.iter().map(dimension).collect();
        json!({
            "title": self.title,
            "dimensions": dimensions,
            "parameters": table(&self.parameters),
            "buffers": table(&self.buffers),
            "block": self.block,
            "why": self.why,
        })
    }
}

/// Explanations as text, with a legend below.
pub fn text(explanations: &[Explanation]) -> String {
    let texts: String = explanations.iter().map(ToString::to_string).collect();
    texts + &legend::table(explanations.iter().any(|one| !one.folded.1.is_empty()))
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
        let nest = nest::of(&workload, schedule);
        let names = computation.dimension_names();
        Ok(Explanation {
            title,
            dimensions: Dimension::all(computation),
            parameters: explain::table(schedule, &names),
            folded: explain::folded(schedule, &names),
            buffers: explain::memory_table(&nest),
            block: explain::block(&nest, system),
            why: if why { explain::why(computation, schedule, tuning) } else { String::new() },
        })
    };
    all.iter().map(explanation).collect()
}

/// The plans of computations, which are all of a module, with a legend.
pub fn plans(all: &[Scheduled<'_>]) -> Result<String> {
    let computations: Vec<_> = all.iter().map(|one| one.computation.clone()).collect();
    let numbered = producers::numbered(&computations);
    let plan = |one: &Scheduled<'_>| {
        let Scheduled { function, number, computation, schedule } = one;
        let producers = producers::of(computation, &numbered).map_err(|failure| failed(one, failure))?;
        let system = &schedule.system;
        let kernels = KernelFlavour::of_system(system).filter(|_| system.is_device());
        let goal = NestTarget { kernels, limits: Limits::default(), cache: None };
        let (_, plan) = goal
            .plan((computation, &producers), schedule)
            .map_err(|message| program::wrong_at(computation.hom.op(), &message))?;
        Ok(format!("@{function}, computation {}, on @{}:\n{plan}\n", number + 1, system.name))
    };
    let text = all.iter().map(plan).collect::<Result<String>>()?;
    Ok(format!("{text}{}", legend::plan(&text)))
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
    /// The picture of the nest. `all` has the schedules of its computation and of the producers in it.
    fn picture(&self, all: &[Scheduled<'_>]) -> svg::Picture {
        let of_function: Vec<_> = all.iter().filter(|one| one.function == self.function).collect();
        let own = of_function.iter().find(|one| one.number == self.number);
        svg::Picture {
            title: format!("@{}, computation {}", self.function, self.number + 1),
            subtitle: own.map_or(String::new(), |own| format!("on @{}", own.schedule.system.name)),
            figures: figure::figures(&self.nest, &of_function, self.number),
        }
    }
}

/// The nests as text, statement by statement, with a legend.
pub fn statements(nests: &[Nested]) -> String {
    let text: String = nests.iter().map(ToString::to_string).collect();
    format!("{text}\n{}", legend::nest(&text))
}

/// The nests as short texts, their loops, kernels, buffers and copies, with a legend.
pub fn outlines(nests: &[Nested], all: &[Scheduled<'_>]) -> String {
    let pictures: Vec<_> = nests.iter().map(|nested| nested.picture(all)).collect();
    let text = |picture: &svg::Picture| {
        format!("{}, {}:\n{}\n", picture.title, picture.subtitle, outline::lines(&picture.figures))
    };
    let texts: String = pictures.iter().map(text).collect();
    let legend = legend::outline(&figures(&pictures), &texts);
    texts + &legend
}

/// The pictures of nests below each other, as SVG, with a legend.
pub fn svg(nests: &[Nested], all: &[Scheduled<'_>]) -> String {
    let pictures: Vec<_> = nests.iter().map(|nested| nested.picture(all)).collect();
    let legend = svg::Picture {
        title: "legend".to_owned(),
        subtitle: legend::BOX.to_owned(),
        figures: legend::boxes(&figures(&pictures)),
    };
    svg::Picture::document(&pictures, &legend)
}

fn figures(pictures: &[svg::Picture]) -> Vec<figure::Figure> {
    pictures.iter().flat_map(|picture| picture.figures.clone()).collect()
}

/// The nests of computations on memrefs, which are all of a module: a nest depends on aliasing. A producer that is
/// computed in parts is in the nest of its consumer. The default target is that of a schedule's system.
pub fn nests(module: &Module<'_>, all: &[Scheduled<'_>], target: Option<&'static Target>) -> Result<Vec<Nested>> {
    let cache = NestTarget::cache_of(&Machine::of(ir::op(module.as_operation())).map_err(anyhow::Error::msg)?);
    let computations: Vec<_> = all.iter().map(|one| one.computation.clone()).collect();
    let numbered = producers::numbered(&computations);
    let nested = |one: &Scheduled<'_>| {
        let system = &one.schedule.system;
        let kernels = match target {
            Some(target) => target.kernels.as_ref(),
            None => KernelFlavour::of_system(system).filter(|_| system.is_device()),
        };
        let goal = NestTarget { kernels, limits: Limits::default(), cache };
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
