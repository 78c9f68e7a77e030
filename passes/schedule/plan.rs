//! Plans: the loops of a schedule whose three phases coincide, outermost first. They are the candidates of the search
//! for processors.
//!
//! ```text
//! threads j 8 · k 4 · j 4 · [pack B] · i 128 · registers i 8, j 2 · vector j 16 · k 256   ──▶   a schedule
//! ```
use super::problem::Problem;
use crate::plan::{outline::Outline, runner::Runner};
use mdh_dialects::schedule::{
    model::{Level, Placement, ScalarPhase, Schedule, Step, System, Tag},
    roles::{CoreRole, MemoryRole},
};

/// A loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanLoop {
    /// The dimension.
    pub dimension: usize,
    /// The number of parts; for a dynamic extent, the expected number.
    pub parts: u64,
    /// The execution of the parts.
    pub kind: Runner,
}

impl PlanLoop {
    /// Returns true if all parts are computed at once: the loop belongs to the register tile.
    pub fn is_in_registers(&self) -> bool {
        matches!(self.kind, Runner::Unrolled | Runner::Lanes)
    }
}

/// The loops of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The loops, outermost first.
    pub loops: Vec<PlanLoop>,
    /// The input buffers that are read from packed parts.
    pub packed: Vec<Packed>,
}

/// An input buffer that is read from packed parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The input buffer.
    pub buffer: usize,
    /// The position of the loop before which a part is packed.
    pub before: usize,
    /// The layout of a part, as in a [`Placement`], with axes as their positions in memory.
    pub layout: Vec<usize>,
}

/// The layers of a system that a plan uses: threads, memory from the outermost layer to the caches, registers, vectors.
pub struct HostLayers<'a> {
    threads: &'a str,
    memory: Vec<&'a str>,
    registers: &'a str,
    vectors: &'a str,
}

impl<'a> HostLayers<'a> {
    /// Returns the layers of a system; `None` if it lacks one of them, or has others.
    pub fn of(system: &'a System) -> Option<Self> {
        let (registers, memory) = system.memory.split_last()?;
        system.memory_of(MemoryRole::Cache)?;
        (system.memory_role(registers) == Some(MemoryRole::Registers)
            && system.core_roles == [CoreRole::Threads, CoreRole::Lanes])
        .then_some(Self {
            threads: system.core_of(CoreRole::Threads)?,
            memory: memory.iter().map(String::as_str).collect(),
            registers,
            vectors: system.core_of(CoreRole::Lanes)?,
        })
    }

    /// Returns the names in the order of the de-composition.
    fn names(&self) -> Vec<&'a str> {
        [self.threads].into_iter().chain(self.memory.iter().copied()).chain([self.registers, self.vectors]).collect()
    }

    /// Returns the region of packed inputs.
    pub fn packed(&self) -> &'a str {
        self.memory[self.memory.len() - 2]
    }

    /// Returns the maximum number of sequential loops of a dimension.
    pub fn sequential(&self) -> usize {
        self.memory.len()
    }
}

impl Plan {
    /// Returns the loops of a schedule, and the outermost promotion of each input, from the outline of its plan.
    pub fn of(outline: &Outline, schedule: &Schedule, problem: &Problem) -> Self {
        let partition = problem.partition(schedule);
        let count = |level: Level| partition.count(level).unwrap_or(1);
        let loops = outline.levels.iter().map(|(level, runner)| PlanLoop {
            dimension: level.dimension,
            parts: count(*level),
            kind: match runner {
                Runner::Cores(_) => Runner::THREADS,
                other => *other,
            },
        });
        let packed = (0..problem.shape.inputs.len()).filter_map(|buffer| {
            let promotion = outline.promotions.iter().find(|promotion| promotion.input == buffer)?;
            Some(Packed {
                buffer,
                before: promotion.inside,
                layout: problem.orders[buffer].to_memory(&promotion.placement.layout),
            })
        });
        Self { loops: loops.collect(), packed: packed.collect() }
    }

    /// Returns how often the threads of the nest are started: once in each iteration of the loops around the outermost
    /// one of theirs.
    pub fn starts(&self) -> f64 {
        let first = self.loops.iter().position(|l| l.kind == Runner::THREADS).unwrap_or(0);
        self.loops[..first].iter().map(|l| l.parts as f64).product()
    }

    /// Returns the plan that a schedule of coinciding phases describes; `None` if a step places fewer inputs than there
    /// are.
    pub(in crate::schedule) fn of_schedule(schedule: &Schedule, problem: &Problem) -> Option<Self> {
        let partition = problem.partition(schedule);
        let loops = schedule.scalar_loops().into_iter().map(|(level, tag)| PlanLoop {
            dimension: level.dimension,
            parts: partition.count(level).unwrap_or(1),
            kind: match () {
                () if schedule.is_threaded(tag) => Runner::THREADS,
                () if schedule.is_vector(tag) => Runner::Lanes,
                () if schedule.is_register(tag) => Runner::Unrolled,
                () => Runner::Loop,
            },
        });
        let mut packed = vec![];
        for (buffer, &rank) in problem.shape.inputs.iter().enumerate() {
            let home = schedule.home(rank);
            for (before, step) in schedule.decompose.iter().filter(|step| schedule.is_loop(step.level)).enumerate() {
                let placement = step.placements.get(buffer)?;
                if *placement != home {
                    packed.push(Packed { buffer, before, layout: problem.orders[buffer].to_memory(&placement.layout) });
                    break;
                }
            }
        }
        Some(Self { loops: loops.collect(), packed })
    }

    /// Returns the schedule with these loops.
    pub fn schedule(&self, problem: &Problem, system: &System, layers: &HostLayers<'_>) -> Schedule {
        let (names, rank) = (layers.names(), problem.rank());
        let mut parts = vec![vec![Some(1); rank]; names.len()];
        let mut levels: Vec<Level> = vec![];
        for (position, l) in self.loops.iter().enumerate() {
            let d = l.dimension;
            let same = |kind| self.loops[position + 1..].iter().filter(move |o| o.dimension == d && o.kind == kind);
            let layer = match l.kind {
                Runner::Cores(_) => 0,
                // The innermost loop of a dimension belongs to the innermost cache.
                Runner::Loop => names.len() - 3 - same(Runner::Loop).count(),
                Runner::Unrolled => names.len() - 2,
                Runner::Lanes => names.len() - 1,
            };
            parts[layer][d] = Some(l.parts);
            levels.push(Level { layer, dimension: d });
        }
        let planned = levels.clone();
        // The part count of a dynamic extent is dynamic in its outermost sequential loop. A loop that the plan lacks is
        // inside of the dimension's threads, which would start in each of its iterations otherwise.
        for d in (0..rank).filter(|&d| problem.known_extent(d).is_none_or(|extent| extent == 0)) {
            let sequential =
                planned.iter().zip(&self.loops).find(|(level, l)| level.dimension == d && l.kind == Runner::Loop);
            let layer = sequential.map_or(1, |(level, _)| level.layer);
            parts[layer][d] = None;
            if sequential.is_none() {
                let threads = levels.iter().position(|level| *level == Level { layer: 0, dimension: d });
                levels.insert(threads.map_or(0, |threads| threads + 1), Level { layer, dimension: d });
            }
        }
        let order = complete(&levels, names.len(), problem);
        let place = |level: Level| order.iter().position(|known| *known == level);
        let home = |rank: usize| Placement::new(system.outermost(), 0..rank);
        let region = layers.packed();
        let packed = |buffer: usize| self.packed.iter().find(|packed| packed.buffer == buffer);
        let first = |buffer: usize| packed(buffer).and_then(|packed| place(planned[packed.before]));
        let pack = |packed: &Packed| Placement::new(region, problem.orders[packed.buffer].to_buffer(&packed.layout));
        let read = |level: Option<Level>| -> Vec<Placement> {
            let at = level.map_or(Some(order.len()), place);
            let is_packed = |buffer: usize| first(buffer).is_some_and(|first| Some(first) <= at);
            let part = |buffer: usize| packed(buffer).filter(|_| is_packed(buffer)).map(pack);
            let buffers = problem.shape.inputs.iter().enumerate();
            buffers.map(|(buffer, &rank)| part(buffer).unwrap_or_else(|| home(rank))).collect()
        };
        let tag = |level: Level| Tag { layer: names[level.layer].to_owned(), dimension: level.dimension };
        let outputs: Vec<_> = problem.shape.outputs.iter().map(|&rank| home(rank)).collect();
        let step = |level: Level, placements| Step { level, tag: tag(level), placements };
        Schedule {
            system: system.clone(),
            parts,
            decompose: order.iter().map(|&level| step(level, read(Some(level)))).collect(),
            scalar: ScalarPhase {
                order: order.iter().map(|&level| (level, tag(level))).collect(),
                reads: read(None),
                writes: outputs.clone(),
            },
            recompose: order.iter().map(|&level| step(level, outputs.clone())).collect(),
            at: None,
        }
    }
}

/// Returns an order of all levels: those with loops as given, and the others inside of them. The levels of a prefix sum
/// are in the order of the layers (rule S7).
fn complete(levels: &[Level], layers: usize, problem: &Problem) -> Vec<Level> {
    let is_scan = |d: usize| problem.is_scan(d);
    let mut order: Vec<Level> = vec![];
    for &level in levels {
        if is_scan(level.dimension) {
            let before = (0..level.layer).map(|layer| Level { layer, ..level });
            let missing: Vec<_> = before.filter(|level| !order.contains(level) && !levels.contains(level)).collect();
            order.extend(missing);
        }
        order.push(level);
    }
    let all = (0..layers).flat_map(|layer| (0..problem.rank()).map(move |dimension| Level { layer, dimension }));
    let rest: Vec<_> = all.filter(|level| !order.contains(level)).collect();
    order.extend(rest);
    order
}

#[cfg(test)]
mod tests;
