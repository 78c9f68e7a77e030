//! Choices as points of a search space that a tuner explores: more neighbors than the cost model considers, numbers that
//! describe choices, and the choices of a plan.
//!
//! ```text
//! threads j 8 · k 4 · j 4 · registers i 8, j 2 · vector j 16 · k 256   ──▶   the choices that give this plan
//! ```
use super::{Before, HostChoices, HostSearch, PARTS, Pack};
use crate::plan::runner::Runner;
use crate::schedule::{
    climb::Neighbors,
    plan::{Plan, PlanLoop},
};

/// The unroll factors of a dimension.
const FACTORS: [u64; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16];

impl HostSearch<'_> {
    /// Adds other vectorized dimensions and unroll factors.
    pub(super) fn retile(&self, changes: &mut Neighbors<'_, HostChoices>) {
        let (problem, choices) = (self.problem, changes.of());
        for (d, lanes) in (0..self.rank()).flat_map(|d| self.lanes(d).into_iter().map(move |lanes| (d, lanes))) {
            changes.add(|changed| self.set_vector(changed, Some((d, lanes))));
        }
        changes.add(|changed| self.set_vector(changed, None));
        for d in 0..self.rank() {
            let is_vector = choices.vector.is_some_and(|(v, _)| v == d);
            let lanes = choices.vector.filter(|_| is_vector).map_or(1, |(_, lanes)| lanes);
            let most = problem.extent(d).div_ceil(lanes);
            for count in FACTORS.into_iter().filter(|count| *count <= most) {
                if is_vector || problem.concatenates(d) {
                    changes.add(|changed| self.set_unrolled(changed, d, count));
                }
            }
        }
    }

    /// Adds distributions of other dimensions over threads that also move a loop: the tiles that threads share no more
    /// become a loop of each thread, which may read the same data again as the innermost loop over tiles only.
    pub(super) fn exchange_threads(&self, changes: &mut Neighbors<'_, HostChoices>) {
        let choices = changes.of();
        let Some((before, _)) = choices.threads.filter(|(before, _)| self.problem.keeps(*before)) else { return };
        if choices.tile_loops.last() == Some(&before) {
            return;
        }
        for d in (0..self.rank()).filter(|d| *d != before) {
            for parts in self.parts_of_threads(choices, d) {
                changes.add(|changed| {
                    changed.threads = Some((d, parts));
                    changed.tile_loops.retain(|known| *known != before);
                    changed.tile_loops.push(before);
                });
            }
        }
    }

    /// Adds vectors of half the width.
    pub(super) fn halve(&self, changes: &mut Neighbors<'_, HostChoices>) {
        for d in 0..self.rank() {
            let half = self.lanes(d).first().map(|lanes| lanes / 2).filter(|lanes| *lanes > 1);
            if let Some(lanes) = half {
                changes.add(|changed| self.set_vector(changed, Some((d, lanes))));
            }
        }
    }

    /// Adds blocks of twice and half the size, and of the points of two and three tiles more.
    pub(super) fn resize(&self, changes: &mut Neighbors<'_, HostChoices>) {
        let choices = changes.of();
        for d in 0..self.rank() {
            let (Some(block), tile) = (choices.blocks[d], self.tile(choices, d)) else { continue };
            for size in [2 * block, block / 2, block + tile, block.saturating_sub(tile)] {
                let size = size.next_multiple_of(tile);
                if size >= tile && size < self.problem.extent(d) {
                    changes.add(|changed| changed.blocks[d] = Some(size));
                }
            }
        }
    }

    /// Adds the distribution of prefix sums over threads, which traverses their results twice.
    pub(super) fn distribute_scans(&self, changes: &mut Neighbors<'_, HostChoices>) {
        let may_distribute = |d: &usize| self.problem.is_scan(*d) && !self.problem.keeps_order && self.threads > 1;
        for d in (0..self.rank()).filter(may_distribute) {
            let tiles = self.problem.extent(d).div_ceil(self.tile(changes.of(), d));
            for parts in [self.threads, 4 * self.threads, PARTS].into_iter().filter(|parts| *parts <= tiles) {
                changes.add(|changed| changed.threads = Some((d, parts)));
            }
        }
    }

    fn set_vector(&self, choices: &mut HostChoices, vector: Option<(usize, u64)>) {
        choices.vector = vector;
        // Only the lanes of a reduction may be unrolled.
        let is_vector = |d: usize| vector.is_some_and(|(v, _)| v == d);
        choices.unrolled.retain(|(d, _)| is_vector(*d) || self.problem.concatenates(*d));
        for (d, count) in &mut choices.unrolled {
            let lanes = vector.filter(|(v, _)| v == d).map_or(1, |(_, lanes)| lanes);
            *count = (*count).min(self.problem.extent(*d).div_ceil(lanes));
        }
        choices.unrolled.retain(|(_, count)| *count > 1);
        choices.unrolled.sort_by_key(|(d, _)| (is_vector(*d), *d));
    }

    fn set_unrolled(&self, choices: &mut HostChoices, d: usize, count: u64) {
        choices.unrolled.retain(|(known, _)| *known != d);
        if count > 1 {
            choices.unrolled.push((d, count));
        }
        let values: u64 = choices.unrolled.iter().map(|(_, count)| count).product();
        if values * self.problem.components as u64 > self.machine.vector_registers {
            choices.unrolled.retain(|(known, _)| *known == d);
        }
        self.set_vector(choices, choices.vector);
    }

    /// Returns numbers that describe choices, as many for all choices: logarithms of sizes, positions of loops, and
    /// where inputs are packed.
    pub(in crate::schedule) fn features(&self, choices: &HostChoices) -> Vec<f64> {
        let logarithm = |number: u64| (number.max(1) as f64).log2();
        let mut features = vec![];
        for d in 0..self.rank() {
            let position = |loops: &[usize]| loops.iter().position(|known| *known == d).map_or(-1.0, |i| i as f64);
            features.extend([
                logarithm(self.tile(choices, d)),
                choices.vector.filter(|(v, _)| *v == d).map_or(0.0, |(_, lanes)| logarithm(lanes)),
                choices.threads.filter(|(t, _)| *t == d).map_or(0.0, |(_, parts)| logarithm(parts)),
                logarithm(choices.blocks[d].unwrap_or_else(|| self.problem.extent(d))),
                position(&choices.block_loops),
                position(&choices.tile_loops),
                position(&choices.reduction_loops),
            ]);
        }
        for buffer in 0..self.problem.shape.inputs.len() {
            let pack = choices.packed.iter().find(|pack| pack.buffer == buffer);
            let before = pack.map_or(0.0, |pack| match pack.before {
                Before::All => 1.0,
                Before::Blocks(_) => 2.0,
                Before::Tiles(_) => 3.0,
            });
            features.extend([before, f64::from(u8::from(pack.is_some_and(|pack| pack.is_tiled)))]);
        }
        features
    }

    /// Returns the choices that give a plan; `None` if no choices give it.
    pub(in crate::schedule) fn choices(&self, plan: &Plan) -> Option<HostChoices> {
        let loops = &plan.loops;
        let of_kind = |kind: Runner| loops.iter().filter(move |l| l.kind == kind).map(|l| (l.dimension, l.parts));
        let tile = self.first_of_tile(loops);
        let sequential = |range: std::ops::Range<usize>| -> Vec<(usize, PlanLoop)> {
            range.map(|i| (i, loops[i])).filter(|(_, l)| l.kind == Runner::Loop).collect()
        };
        let outer = sequential(0..tile);
        // The innermost loop of a dimension outside of the tile goes over tiles, unless the dimension is reduced. Loops
        // over blocks are outside of all those over tiles: what is around one of them goes over blocks, too.
        let is_of_blocks = |(i, l): &(usize, PlanLoop)| {
            !self.problem.keeps(l.dimension) || outer.iter().any(|(o, other)| o > i && other.dimension == l.dimension)
        };
        let blocks = outer.iter().rposition(is_of_blocks).map_or(0, |last| last + 1);
        // An input that is packed inside of all of them is packed before a loop over tiles of one part, which is not in the
        // plan: if all dimensions had a loop over several tiles, these go over blocks.
        let kept = (0..self.rank()).filter(|d| self.problem.keeps(*d)).count();
        let is_inside = plan.packed.iter().any(|packed| packed.before == tile) && outer.len() - blocks == kept;
        let (of_blocks, of_tiles) = outer.split_at(if is_inside { outer.len() } else { blocks });
        let dimensions = |loops: &[(usize, PlanLoop)]| loops.iter().map(|(_, l)| l.dimension).collect::<Vec<_>>();
        let with_rest = |mut order: Vec<usize>, is_wanted: &dyn Fn(usize) -> bool| {
            let rest: Vec<_> = (0..self.rank()).filter(|d| is_wanted(*d) && !order.contains(d)).collect();
            order.extend(rest);
            order
        };
        let inner = sequential(tile..loops.len());
        let mut choices = HostChoices {
            vector: of_kind(Runner::Lanes).next(),
            unrolled: of_kind(Runner::Unrolled).collect(),
            threads: of_kind(Runner::THREADS).next(),
            blocks: vec![None; self.rank()],
            block_loops: dimensions(of_blocks),
            tile_loops: with_rest(dimensions(of_tiles), &|d| self.problem.keeps(d)),
            reduction_loops: with_rest(dimensions(&inner), &|d| self.problem.reduces(d)),
            packed: vec![],
        };
        for d in choices.block_loops.clone() {
            let within = of_tiles.iter().chain(&inner).find(|(_, l)| l.dimension == d);
            choices.blocks[d] = Some(within.map_or(1, |(_, l)| l.parts) * self.tile(&choices, d));
        }
        for packed in &plan.packed {
            let d = loops.get(packed.before)?.dimension;
            let is_of = |loops: &[(usize, PlanLoop)]| loops.iter().any(|(i, _)| *i == packed.before);
            let before = match packed.before {
                0 => Before::All,
                _ if is_of(of_tiles) => Before::Tiles(d),
                _ if is_of(of_blocks) => Before::Blocks(d),
                _ => Before::Tiles(choices.tile_loops.iter().copied().nth(of_tiles.len())?),
            };
            let pack = |is_tiled: bool| Pack { buffer: packed.buffer, before, is_tiled };
            let fits = |pack: &Pack| self.layout(&choices, *pack, loops).as_ref() == Some(&packed.layout);
            let pack = [pack(false), pack(true)].into_iter().find(fits)?;
            choices.packed.push(pack);
        }
        (self.plan(&choices) == *plan).then_some(choices)
    }

    /// Returns the position of the first loop of the register tile; of the loops over reductions if there is no tile.
    fn first_of_tile(&self, loops: &[PlanLoop]) -> usize {
        loops.iter().position(PlanLoop::is_in_registers).unwrap_or_else(|| {
            let is_last = |i: usize| {
                let d = loops[i].dimension;
                self.problem.reduces(d) && !loops[i + 1..].iter().any(|other| other.dimension == d)
            };
            let reductions = (0..loops.len()).rev().take_while(|&i| is_last(i)).count();
            loops.len() - reductions
        })
    }
}
