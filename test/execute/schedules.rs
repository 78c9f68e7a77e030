//! Draws random legal schedules that differ from the default in a given aspect.
use mdh_dialects::{
    ir,
    schedule::{
        model::{Level, Placement, Schedule, System, Tag},
        rules,
    },
    tool::register_dialect,
};
use mdh_passes::{
    analysis::computation::Computation,
    expand_compute,
    machine::Machine,
    notation::json,
    plan::check,
    schedule::{
        default::default_schedule,
        random::{Random, random_schedule},
        tuning::TuningContext,
    },
};
use melior::{Context, dialect::DialectRegistry, ir::Module, utility::register_all_dialects};
use std::{fmt::Display, fs, path::Path};

/// Maximum number of schedules to draw.
const TRIES: u64 = 10_000;

/// The aspect in which a schedule differs from the default.
#[derive(Clone, Copy, Debug)]
pub enum Difference {
    /// The three phases traverse the levels in different orders (D1, S1, R1), which gives separate nests.
    Orders,
    /// A level is mapped to different system levels in different phases (D2, S2, R2).
    Tags,
    /// Buffers are read or written in inner memory regions. Layouts are not row-major where a buffer has two dimensions
    /// (D3, D4, S3–S6, R3, R4).
    RegionsAndLayouts,
    /// A part count does not divide the extent (0).
    PartialTiles,
}

impl Difference {
    /// The system to draw schedules for; each aspect has its own.
    fn system(self) -> System {
        let name = match self {
            Self::Orders => "openmp",
            Self::Tags => "cuda",
            Self::RegionsAndLayouts => "cpu",
            Self::PartialTiles => "artificial",
        };
        System::builtin(name).unwrap_or_else(|| panic!("the system {name} is built in"))
    }

    /// True if a schedule for a computation of these extents differs from the default in this aspect.
    fn holds(self, schedule: &Schedule, default: &Schedule, extents: &[u64]) -> bool {
        let phases = |f: fn(&Schedule) -> Vec<(Level, Tag)>| f(schedule);
        let decompose = phases(|s| s.decompose.iter().map(|step| (step.level, step.tag.clone())).collect());
        let scalar = phases(|s| s.scalar.order.clone());
        let recompose = phases(|s| s.recompose.iter().map(|step| (step.level, step.tag.clone())).collect());
        match self {
            Self::Orders => {
                let levels = |phase: &[(Level, Tag)]| phase.iter().map(|(level, _)| *level).collect::<Vec<_>>();
                levels(&scalar) != levels(&default.scalar.order)
                    && levels(&scalar) != levels(&decompose)
                    && levels(&scalar) != levels(&recompose)
            }
            Self::Tags => {
                let tag = |phase: &[(Level, Tag)], level: Level| {
                    phase.iter().find(|(other, _)| *other == level).map(|(_, tag)| tag.clone())
                };
                scalar.iter().any(|(level, own)| tag(&default.scalar.order, *level).as_ref() != Some(own))
                    && scalar.iter().any(|(level, own)| {
                        tag(&decompose, *level).as_ref() != Some(own) || tag(&recompose, *level).as_ref() != Some(own)
                    })
            }
            Self::RegionsAndLayouts => {
                let placements: Vec<&Placement> = (schedule.decompose.iter().chain(&schedule.recompose))
                    .flat_map(|step| &step.placements)
                    .chain(&schedule.scalar.reads)
                    .chain(&schedule.scalar.writes)
                    .collect();
                let inner = |placement: &Placement| placement.region != schedule.system.outermost();
                let permuted = |placement: &Placement| !placement.layout.is_sorted();
                placements.iter().any(|placement| inner(placement))
                    && (placements.iter().any(|placement| inner(placement) && permuted(placement))
                        || placements.iter().all(|placement| placement.layout.len() < 2))
            }
            Self::PartialTiles => extents.iter().enumerate().any(|(dimension, &extent)| {
                let counts: Option<Vec<u64>> = schedule.parts.iter().map(|layer| layer[dimension]).collect();
                counts.is_some_and(|counts| counts.iter().product::<u64>() > extent)
            }),
        }
    }
}

/// Calls `answer` with the computation in a function of a file.
pub fn with_computation<T>(
    file: &Path,
    function: &str,
    answer: impl FnOnce(&Computation<'_>) -> Result<T, String>,
) -> Result<T, String> {
    let describe = |what: &dyn Display| format!("{}: @{function}: {what}", file.display());
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    register_dialect(&registry);
    let context = Context::new_with_registry(&registry, false);
    let text = fs::read_to_string(file).map_err(|error| describe(&error))?;
    let module = Module::parse(&context, &text).ok_or_else(|| describe(&"does not parse"))?;
    let root = ir::op(module.as_operation());
    expand_compute::run(root).map_err(|_| describe(&"does not expand"))?;
    let parent = ir::find(root, "func.func")
        .into_iter()
        .find(|operation| ir::attribute(*operation, "sym_name").and_then(ir::string_attribute) == Some(function))
        .ok_or_else(|| describe(&"is not there"))?;
    let computation = Computation::all(parent).into_iter().next().ok_or_else(|| describe(&"has no computation"))?;
    answer(&computation).map_err(|what| describe(&what))
}

/// The JSON text of a legal schedule with this difference, for the computation in a function of a file.
pub fn find(file: &Path, function: &str, difference: Difference) -> Result<String, String> {
    draw(file, function, &difference.system(), difference, 0, |_| true).map(|(_, text)| text)
}

/// A schedule with this difference that fits a device, described by a system. Returns it with its seed, which is at
/// least `seed`.
pub fn find_for_device(
    file: &Path,
    function: &str,
    system: &str,
    difference: Difference,
    seed: u64,
) -> Result<(u64, String), String> {
    let system = System::builtin(system).ok_or_else(|| format!("no system {system} is built in"))?;
    draw(file, function, &system, difference, seed, |schedule| check::schedule(schedule).is_ok())
}

/// Draws schedules with increasing seeds until one has the difference.
fn draw(
    file: &Path,
    function: &str,
    system: &System,
    difference: Difference,
    first: u64,
    fits: impl Fn(&Schedule) -> bool,
) -> Result<(u64, String), String> {
    with_computation(file, function, |computation| {
        let shape = computation.shape();
        let tuning = TuningContext { machine: Machine::host(), threads: None };
        let default = default_schedule(computation, system, &tuning);
        let extents: Vec<u64> = shape.extents().flatten().collect();
        let (seed, schedule) = (first..TRIES)
            .map(|seed| (seed, random_schedule(&shape, system, &mut Random::new(seed))))
            .find(|(_, schedule)| fits(schedule) && difference.holds(schedule, &default, &extents))
            .ok_or_else(|| format!("no schedule of {TRIES} for @{} has {difference:?}", system.name))?;
        rules::check(&schedule, &shape).map_err(|violations| violations.join("\n"))?;
        Ok((seed, json::several_to_text(&[(function.to_owned(), vec![Some(schedule)])])))
    })
}
