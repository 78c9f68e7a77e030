//! The search for schedules on CPUs: enumerates register tiles, and improves the loops around the best ones by small
//! changes as long as the cost model predicts a gain.
//!
//! ```text
//! threads · blocks of reductions and tiles · loops over tiles · registers · vector · reductions
//! ```
mod candidates;
mod changes;
pub mod fixed;
mod points;

use super::{
    climb::{self, Changes, ClimbLimits, ClimbStage, Estimate, Neighbors, SearchSpace},
    cost::{self, Prediction},
    plan::{Packed, Plan, PlanLoop},
    problem::{BufferAccess, Problem},
};
use crate::machine::Machine;
use crate::plan::runner::Runner;
use fixed::FixedLoops;

/// Number of register tiles per kind and ranking that are improved, and of plans that remain after the first stage.
const IMPROVED_PER_KIND: usize = 3;
/// Number of kinds per ranking whose register tiles are improved.
const IMPROVED_KINDS: usize = 3;
/// Maximum number of changes of a plan in the last stage.
const LAST_ROUNDS: usize = 12;
/// Maximum number of changes of each plan in the first stage, before the best plans are selected.
const FIRST_ROUNDS: usize = 2;
/// Number of parts of a reduction on threads at the start of the search.
const PARTS: u64 = 64;

/// Maximum number of operations in the loops of a default schedule, except for loops that compute one point at a time.
pub const MAX_OPERATIONS: u64 = 3000;
/// Relative time penalty of code with [`MAX_OPERATIONS`] operations that do not all run on vectors: their unrolled
/// copies share nothing.
const SCALAR_CODE_PENALTY: f64 = 0.01;
/// Relative time penalty of code with [`MAX_OPERATIONS`] operations, some of them in `math` functions: copies of long
/// functions share little, because processors execute several iterations of a loop at once anyway.
const FUNCTION_CODE_PENALTY: f64 = 0.25;

/// The inputs of the search.
pub struct HostSearch<'a> {
    /// The computation.
    pub problem: &'a Problem,
    /// The machine.
    pub machine: &'a Machine,
    /// Number of threads.
    pub threads: u64,
    /// Maximum number of sequential loops per dimension.
    pub most_loops: usize,
    /// The loops that plans must have; `None` if they may have any.
    pub fixed: Option<&'a FixedLoops>,
}

/// The choices that determine a plan: a point of the search space.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostChoices {
    /// The vectorized dimension and the number of lanes.
    vector: Option<(usize, u64)>,
    /// The unrolled dimensions and their unroll factors.
    unrolled: Vec<(usize, u64)>,
    /// The dimension on threads and its number of parts.
    threads: Option<(usize, u64)>,
    /// By dimension: the points of a block, a multiple of its tile; `None` without blocks.
    blocks: Vec<Option<u64>>,
    /// The dimensions of the loops over blocks, outermost first.
    block_loops: Vec<usize>,
    /// The dimensions of the loops over tiles, outermost first: all non-reduction dimensions.
    tile_loops: Vec<usize>,
    /// The dimensions of the reduction loops inside a tile, outermost first.
    reduction_loops: Vec<usize>,
    /// Packed inputs.
    packed: Vec<Pack>,
}

/// The loop before which an input is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Before {
    /// The outermost loop.
    All,
    /// The loop over blocks of a dimension.
    Blocks(usize),
    /// The loop over tiles of a dimension.
    Tiles(usize),
}

/// A packed input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Pack {
    buffer: usize,
    before: Before,
    /// True if the elements that a register tile reads become contiguous.
    is_tiled: bool,
}

impl SearchSpace for HostSearch<'_> {
    type Choices = HostChoices;
    /// The vectorized dimension, and true if nothing is packed. Both determine how much the loops around a tile can
    /// gain.
    type Kind = (Option<usize>, bool);

    const LIMITS: ClimbLimits = ClimbLimits {
        // Ranked by compute time, too: blocking and packing help tiles that wait for memory.
        rankings: &[|estimate| estimate.seconds, |estimate| estimate.compute],
        max_per_kind: IMPROVED_PER_KIND,
        max_kinds: IMPROVED_KINDS,
        all: usize::MAX,
        // A plan that is not among the best after a few changes does not become the best one.
        stages: &[
            ClimbStage { rounds: FIRST_ROUNDS, kept: IMPROVED_PER_KIND, changes: Changes::Neighbors },
            ClimbStage { rounds: LAST_ROUNDS, kept: 1, changes: Changes::Neighbors },
            // The loops around a tile are known now: another tile may suit them better.
            ClimbStage { rounds: LAST_ROUNDS, kept: 1, changes: Changes::All },
        ],
    };

    fn starts(&self) -> Vec<HostChoices> {
        let tiles = self.tiles();
        let Some(fixed) = self.fixed else { return tiles };
        let mut starts = vec![];
        for choices in tiles.iter().map(|choices| fixed.applied(self, choices)) {
            if !starts.contains(&choices) {
                starts.push(choices);
            }
        }
        starts
    }

    fn kind(&self, choices: &HostChoices) -> Self::Kind {
        (choices.vector.map(|(d, _)| d), choices.packed.is_empty())
    }

    /// Returns the predicted cost of choices, with a penalty for code size.
    fn cost(&self, choices: &HostChoices, limit: Option<f64>) -> Option<Estimate> {
        let is_one_by_one = choices.vector.is_none() && choices.unrolled.is_empty();
        let plan = self.plan(choices);
        let is_allowed = self.fixed.is_none_or(|fixed| fixed.positions(&plan).is_some());
        is_allowed.then(|| self.cost_of_plan(&plan, is_one_by_one, limit))?
    }

    fn neighbors(&self, changes: &mut Neighbors<'_, HostChoices>) {
        self.reorder(changes);
        self.divide(changes);
        self.pack(changes);
        self.distribute_scans(changes);
    }

    /// Returns all choices that differ from these by one change of the loops or of the register tile.
    fn refined(&self, choices: &HostChoices) -> Vec<HostChoices> {
        Neighbors::by(choices, |changes| {
            self.neighbors(changes);
            self.retile(changes);
            self.resize(changes);
            self.exchange_threads(changes);
        })
    }

    /// Returns all choices that differ from these by one change, those with vectors of half the width included.
    fn around(&self, choices: &HostChoices) -> Vec<HostChoices> {
        let halved = Neighbors::by(choices, |changes| self.halve(changes));
        self.refined(choices).into_iter().chain(halved).collect()
    }
}

impl HostSearch<'_> {
    /// Returns the best plan found and its prediction.
    pub fn run(&self) -> (Plan, Prediction) {
        let plan = self.best().unwrap_or_default();
        let prediction = self.model().predict(&plan);
        (plan, prediction)
    }

    /// Returns the best plan found; `None` if none has the fixed loops.
    pub fn best(&self) -> Option<Plan> {
        let best = climb::search(self).best.into_iter().next()?;
        Some(self.plan(&best.choices))
    }

    /// Returns the predicted cost of a plan, with a penalty for code size; `None` if it is impossible, and possibly if
    /// it costs at least `limit` seconds. `is_one_by_one`: nothing is unrolled or vectorized, so that code size is no
    /// concern.
    pub(super) fn cost_of_plan(&self, plan: &Plan, is_one_by_one: bool, limit: Option<f64>) -> Option<Estimate> {
        let weight = |code: u64| match code > MAX_OPERATIONS && !is_one_by_one {
            true => f64::INFINITY,
            false => 1.0 + self.code_size_penalty() * code as f64 / MAX_OPERATIONS as f64,
        };
        self.is_possible(plan).then(|| self.model().estimate(plan, weight, limit))?
    }

    fn model(&self) -> cost::HostModel<'_> {
        cost::HostModel { problem: self.problem, machine: self.machine, threads: self.threads }
    }

    /// Relative time penalty of code with [`MAX_OPERATIONS`] operations.
    fn code_size_penalty(&self) -> f64 {
        match &self.problem.code {
            code if !code.is_on_vectors() => SCALAR_CODE_PENALTY,
            code if code.has_functions() => FUNCTION_CODE_PENALTY,
            _ => 0.0,
        }
    }

    fn rank(&self) -> usize {
        self.problem.rank()
    }

    /// Returns true if the parts of a dimension may be combined in another order than that of the definition.
    fn may_reorder(&self, d: usize) -> bool {
        let operator = &self.problem.shape.operators[d];
        operator.concatenates() || operator.reduces() && !self.problem.keeps_order
    }

    /// The largest distance in memory, in elements, of consecutive indices of a dimension: among outputs, then among
    /// inputs.
    fn distance(&self, d: usize) -> (u64, u64) {
        let strides = |is_output: bool| {
            let accesses = self.problem.accesses.iter().filter(move |access| access.is_output == is_output);
            accesses.map(|access| access.distance(d)).fold(0u64, u64::max)
        };
        (strides(true), strides(false))
    }

    /// Returns all register tiles, with loops in the order of memory and no blocks.
    fn tiles(&self) -> Vec<HostChoices> {
        let (problem, rank) = (self.problem, self.rank());
        let mut tile_loops: Vec<_> = (0..rank).filter(|&d| problem.keeps(d)).collect();
        tile_loops.sort_by_key(|&d| std::cmp::Reverse(self.distance(d)));
        let mut reduction_loops: Vec<_> = (0..rank).filter(|&d| problem.reduces(d)).collect();
        if !self.problem.keeps_order {
            reduction_loops.sort_by_key(|&d| std::cmp::Reverse(self.distance(d).1));
        }
        let base = HostChoices {
            vector: None,
            unrolled: vec![],
            threads: None,
            blocks: vec![None; rank],
            block_loops: vec![],
            tile_loops,
            reduction_loops,
            packed: vec![],
        };
        let extent = |d: usize| problem.extent(d);
        let lanes = |d: usize| self.lanes(d).into_iter().map(move |lanes| Some((d, lanes)));
        let mut vectors: Vec<Option<(usize, u64)>> = (0..rank).flat_map(lanes).collect();
        vectors.push(None);
        let mut tiles = vec![];
        for vector in vectors {
            let own: Vec<_> = match vector {
                Some((d, lanes)) => [1, 2, 3, 4, 6, 8]
                    .into_iter()
                    .filter(|&count| count == 1 || count <= extent(d).div_ceil(lanes))
                    .map(|count| vec![(d, count)])
                    .collect(),
                None => vec![vec![]],
            };
            // Unrolled values of other dimensions reuse the loaded vectors.
            let mut others: Vec<Vec<(usize, u64)>> = vec![vec![]];
            let free = |d: &usize| problem.concatenates(*d) && vector.is_none_or(|(v, _)| v != *d) && extent(*d) > 1;
            for d in (0..rank).filter(free) {
                let counts = [2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16].into_iter();
                // A dynamic extent may be small: powers of two waste little.
                let is_dynamic = problem.known_extent(d).is_none();
                let counts = counts.filter(|&count| count <= extent(d) && (!is_dynamic || [2, 4, 8].contains(&count)));
                others.extend(counts.map(|count| vec![(d, count)]));
            }
            // Each vector along a reduction contributes to one value only. Two unrolled dimensions give more reuse.
            if vector.is_some_and(|(d, _)| problem.reduces(d)) {
                let pairs = others.iter().flat_map(|one| others.iter().map(move |other| (one, other)));
                let pairs = pairs.filter_map(|(one, other)| match (&one[..], &other[..]) {
                    ([(a, _)], [(b, _)]) if a < b => Some([&one[..], other].concat()),
                    _ => None,
                });
                others.extend(pairs.collect::<Vec<_>>());
            }
            for unrolled in own.iter().flat_map(|own| others.iter().map(move |other| [other, own.as_slice()].concat()))
            {
                let unrolled: Vec<_> = unrolled.into_iter().filter(|(_, count)| *count > 1).collect();
                let values: u64 = unrolled.iter().map(|(_, count)| count).product();
                if values * problem.components as u64 <= self.machine.vector_registers {
                    let mut choices = HostChoices { vector, unrolled, ..base.clone() };
                    choices.threads = self.threads_of(&choices);
                    // Inputs with strided lanes may be packed first, so that lanes are contiguous.
                    let inputs = 0..problem.shape.inputs.len();
                    let apart = inputs.filter(|&buffer| vector.is_some_and(|(d, _)| self.apart(buffer, d).is_some()));
                    let apart: Vec<_> = apart.collect();
                    if !apart.is_empty() {
                        let pack = |&buffer: &usize| {
                            let tiled = Pack { buffer, before: Before::All, is_tiled: true };
                            Pack { is_tiled: self.layout(&choices, tiled, &[]).is_some(), ..tiled }
                        };
                        let packed = apart.iter().map(pack).collect();
                        tiles.push(HostChoices { packed, ..choices.clone() });
                    }
                    tiles.push(choices);
                }
            }
        }
        tiles
    }

    /// The numbers of lanes of vectors along a dimension, the largest one first; none if it cannot be vectorized. Vectors
    /// of the width of the units take as many cycles as wider ones, and may leave fewer lanes idle.
    fn lanes(&self, d: usize) -> Vec<u64> {
        let (problem, machine, extent) = (self.problem, self.machine, self.problem.extent(d));
        if !problem.is_vectorizable || extent <= 1 || !self.may_reorder(d) {
            return vec![];
        }
        let most = machine.lanes(problem.widest).min(extent.next_power_of_two());
        let units = (machine.datapath_bits / 8 / problem.widest.max(1)).max(1);
        let fits = units < most && extent.div_ceil(units) * units < extent.div_ceil(most) * most;
        [Some(most), Some(units).filter(|_| fits)].into_iter().flatten().filter(|lanes| *lanes > 1).collect()
    }

    /// The points of a register tile along a dimension.
    fn tile(&self, choices: &HostChoices, d: usize) -> u64 {
        let unrolled: u64 = choices.unrolled.iter().filter(|(known, _)| *known == d).map(|(_, count)| count).product();
        unrolled * choices.vector.filter(|(known, _)| *known == d).map_or(1, |(_, lanes)| lanes)
    }

    /// The axis that must become the last one so that lanes along a dimension are contiguous in an input; `None` if
    /// lanes are contiguous already, or if no axis makes them contiguous for all accesses.
    fn apart(&self, buffer: usize, d: usize) -> Option<usize> {
        let mut accesses = self.problem.accesses.iter().filter(|access| !access.is_output && access.buffer == buffer);
        let first = accesses.next()?;
        let axis = first.axis(d)?;
        let is_contiguous = first.has_contiguous_rows && axis + 1 == first.map.rank();
        (!is_contiguous
            && axis < self.problem.shape.inputs[buffer]
            && accesses.all(|access| access.axis(d) == Some(axis)))
        .then_some(axis)
    }

    /// The layout of an input that is packed for some loops; `None` for a tiled layout if no axis has tiles, or accesses
    /// differ in other axes than constants, such as those of real and imaginary parts. Tiles are stored in the order of the
    /// loops over them, so that prefetchers follow long rows.
    fn layout(&self, choices: &HostChoices, pack: Pack, loops: &[PlanLoop]) -> Option<Vec<usize>> {
        let rank = self.problem.shape.inputs[pack.buffer];
        let last = choices.vector.and_then(|(d, _)| self.apart(pack.buffer, d));
        if !pack.is_tiled {
            let others = (0..rank).filter(|axis| Some(*axis) != last);
            return Some(others.chain(last).collect());
        }
        let mut accesses =
            self.problem.accesses.iter().filter(|access| !access.is_output && access.buffer == pack.buffer);
        let first = accesses.next()?;
        let dimensions = |axis: usize| first.map.terms(axis).map(|(d, _)| d).collect::<Vec<_>>();
        let is_constant = |axis: &usize| dimensions(*axis).is_empty();
        let is_alike = |access: &BufferAccess| {
            let is_same = |axis: usize| is_constant(&axis) || access.map.origin(axis) == first.map.origin(axis);
            access.map.is_parallel_to(&first.map) && (0..rank).all(is_same)
        };
        if !accesses.all(is_alike) {
            return None;
        }
        let is_split = |axis: &usize| matches!(dimensions(*axis)[..], [d] if self.tile(choices, d) > 1);
        let is_vector = |axis: &usize| choices.vector.is_some_and(|(v, _)| dimensions(*axis) == [v]);
        let mut split: Vec<_> = (0..rank).filter(is_split).collect();
        split.sort_by_key(is_vector);
        if split.is_empty() {
            return None;
        }
        // Axes that are neither tiled nor reduced are traversed outside the tiles.
        let is_outer = |axis: &usize| !dimensions(*axis).iter().any(|&d| self.problem.reduces(d));
        let (constants, rest): (Vec<_>, Vec<_>) = (0..rank).filter(|axis| !split.contains(axis)).partition(is_constant);
        let (mut tile_loops, mut reduction_loops): (Vec<_>, Vec<_>) = rest.into_iter().partition(is_outer);
        tile_loops.extend(&split);
        let around = |d: usize| loops.iter().rposition(|l| l.dimension == d && !l.is_in_registers());
        let place = |axis: &usize| dimensions(*axis).into_iter().filter_map(around).min().unwrap_or(usize::MAX);
        tile_loops.sort_by_key(place);
        reduction_loops.sort_by_key(place);
        // What is read at one point is side by side.
        Some([&tile_loops[..], &reduction_loops, &constants, &split].concat())
    }

    /// The initial dimension for the threads, with its number of parts: the outermost dimension that gives each thread
    /// work.
    fn threads_of(&self, choices: &HostChoices) -> Option<(usize, u64)> {
        // A single thread needs no parts.
        if self.threads < 2 {
            return None;
        }
        let tiles = |d: usize| self.problem.extent(d).div_ceil(self.tile(choices, d));
        let kept = choices.tile_loops.iter().copied().filter(|&d| self.problem.concatenates(d));
        let most = kept.max_by_key(|&d| (tiles(d).min(4 * self.threads), self.distance(d)));
        let enough = most.filter(|&d| tiles(d) >= self.threads);
        if let Some(d) = enough {
            return Some((d, tiles(d).min(4 * self.threads)));
        }
        let points = self.problem.extents().fold(1u64, u64::saturating_mul);
        let other =
            (0..self.rank()).filter(|&d| !self.problem.concatenates(d) && self.may_split(d) && tiles(d) >= 2 * PARTS);
        let longest = other.max_by_key(|&d| tiles(d)).filter(|_| points >= 1 << 17);
        longest.map(|d| (d, PARTS)).or_else(|| most.filter(|&d| tiles(d) > 1).map(|d| (d, tiles(d))))
    }

    /// Returns true if a dimension whose parts must be combined may be distributed over threads.
    fn may_split(&self, d: usize) -> bool {
        if !self.problem.is_scan(d) {
            return self.may_reorder(d);
        }
        // A scan traverses the result twice, which is cheap if each element takes much work.
        let others = (0..self.rank()).filter(|&other| other != d);
        let work = others.fold(1u64, |work, other| work.saturating_mul(self.problem.extent(other)));
        work >= 64 && !self.problem.keeps_order
    }

    /// Returns false if the nest of a plan would have loops for levels of its register tile: without an identity, the
    /// first value starts a reduction in registers, which one loop alone can peel.
    fn is_possible(&self, plan: &Plan) -> bool {
        let reduces = |l: &&PlanLoop| self.problem.reduces(l.dimension);
        let tile = plan.loops.iter().rposition(PlanLoop::is_in_registers).unwrap_or_default();
        let is_tiled = plan.loops.iter().filter(reduces).any(PlanLoop::is_in_registers);
        self.problem.has_identity || !is_tiled || plan.loops[tile..].iter().skip(1).filter(reduces).count() <= 1
    }

    /// Returns the plan of choices; part counts are rounded up.
    pub(in crate::schedule) fn plan(&self, choices: &HostChoices) -> Plan {
        let problem = self.problem;
        let mut loops = vec![];
        let mut tiled = vec![0u64; self.rank()];
        let mut blocked = vec![0u64; self.rank()];
        for d in 0..self.rank() {
            let (tile, extent) = (self.tile(choices, d), problem.extent(d));
            let threads = choices.threads.filter(|(known, _)| *known == d).map_or(1, |(_, parts)| parts);
            let share = extent.div_ceil(threads);
            let block = choices.blocks[d].filter(|block| *block < share);
            tiled[d] = block.unwrap_or(share).div_ceil(tile).max(1);
            blocked[d] = share.div_ceil(tiled[d] * tile).max(1);
            let parts = extent.div_ceil(blocked[d] * tiled[d] * tile);
            if threads > 1 && parts > 1 {
                loops.push(PlanLoop { dimension: d, parts, kind: Runner::THREADS });
            }
        }
        let first = choices.packed.iter().filter(|pack| pack.before == Before::All);
        let mut packed: Vec<_> = first.map(|pack| (*pack, 0)).collect();
        let blocks = choices.block_loops.iter().map(|&d| (Before::Blocks(d), d, blocked[d]));
        let tiles = choices.tile_loops.iter().map(|&d| (Before::Tiles(d), d, tiled[d]));
        for (before, d, parts) in blocks.chain(tiles) {
            let here = choices.packed.iter().filter(|pack| pack.before == before);
            packed.extend(here.map(|pack| (*pack, loops.len())));
            loops.push(PlanLoop { dimension: d, parts, kind: Runner::Loop });
        }
        for kept in [true, false] {
            let unrolled = choices.unrolled.iter().filter(|(d, _)| problem.reduces(*d) != kept);
            loops.extend(unrolled.map(|&(dimension, parts)| PlanLoop { dimension, parts, kind: Runner::Unrolled }));
            let vector = choices.vector.filter(|(d, _)| problem.reduces(*d) != kept);
            loops.extend(vector.map(|(dimension, parts)| PlanLoop { dimension, parts, kind: Runner::Lanes }));
        }
        let reduction_loops = |&d: &usize| PlanLoop { dimension: d, parts: tiled[d], kind: Runner::Loop };
        loops.extend(choices.reduction_loops.iter().map(reduction_loops));
        // A loop of one part is dropped, unless the extent is dynamic and the number of parts is unknown.
        let is_loop =
            |l: &PlanLoop| l.parts > 1 || (l.kind == Runner::Loop && problem.known_extent(l.dimension).is_none());
        let dynamic_twice = |loops: &[PlanLoop], i: usize| {
            let l = loops[i];
            l.parts == 1 && loops[..i].iter().any(|o| o.kind == Runner::Loop && o.dimension == l.dimension)
        };
        let keeps: Vec<bool> = (0..loops.len()).map(|i| is_loop(&loops[i]) && !dynamic_twice(&loops, i)).collect();
        let place = |position: usize| keeps[..position].iter().filter(|keep| **keep).count();
        let loops: Vec<_> = loops.iter().zip(&keeps).filter(|(_, keep)| **keep).map(|(l, _)| *l).collect();
        let packed = packed.into_iter().filter_map(|(pack, position)| {
            let layout = self.layout(choices, pack, &loops)?;
            Some(Packed { buffer: pack.buffer, before: place(position), layout })
        });
        // A part that would be packed inside the innermost loop has no loop that reads it.
        let mut packed: Vec<_> = packed.filter(|packed| packed.before < loops.len()).collect();
        // The order of a schedule, whose plan has these choices again.
        packed.sort_by_key(|packed: &Packed| packed.buffer);
        Plan { loops, packed }
    }
}
