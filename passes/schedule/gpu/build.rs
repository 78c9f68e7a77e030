//! Conversion of a tiling to a schedule.
use super::{
    super::problem::Problem,
    tiling::{Tiling, TilingLevel},
};
use crate::schedule::gpu::layers::DeviceLayers;
use mdh_dialects::schedule::model::{Level, Placement, ScalarPhase, Schedule, Step, System, Tag};

/// Maximum number of values per component that a thread keeps in registers.
pub(super) const MAX_REGISTER_VALUES: u64 = 64;

impl Tiling {
    /// Returns true if an input is read from shared memory.
    fn is_shared(&self) -> bool {
        self.shared.contains(&true)
    }

    /// Returns true if a level has more than one part, or a dynamic number of parts.
    fn is_loop(&self, d: usize, place: TilingLevel) -> bool {
        let column = &self.columns[d];
        column.of(place) > 1 || column.dynamic == Some(place)
    }

    /// Returns all levels in loop order, outermost first, and the position of the first level inside of the copies to
    /// shared memory.
    fn order(&self, problem: &Problem, has_warps: bool) -> (Vec<(usize, TilingLevel)>, usize) {
        let rank = self.columns.len();
        let distance = |d: usize| {
            problem
                .accesses
                .iter()
                .filter(|access| !access.is_output)
                .map(|access| access.distance(d))
                .max()
                .unwrap_or(0)
        };
        let kept: Vec<_> = (0..rank).filter(|&d| problem.concatenates(d)).collect();
        let scans: Vec<_> = (0..rank).filter(|&d| problem.is_scan(d)).collect();
        let mut reduced: Vec<_> = (0..rank).filter(|&d| problem.reduces(d)).collect();
        // A reduction that is neither tiled nor distributed over threads keeps the order of the definition.
        let is_tiled = reduced.iter().any(|&d| self.is_loop(d, TilingLevel::Inner));
        if is_tiled || reduced.iter().any(|&d| self.columns[d].of(TilingLevel::Threads) > 1) {
            reduced.sort_by_key(|&d| std::cmp::Reverse(distance(d)));
        }
        let all = |place: TilingLevel| [&kept, &scans, &reduced].into_iter().flatten().map(move |&d| (d, place));
        let of =
            |dimensions: &[usize], place: TilingLevel| dimensions.iter().map(move |&d| (d, place)).collect::<Vec<_>>();
        let mut order: Vec<_> = all(TilingLevel::Blocks).collect();
        if has_warps {
            order.extend(all(TilingLevel::Warps));
        }
        order.extend(all(TilingLevel::Threads));
        order.extend(of(&kept, TilingLevel::Outer));
        order.extend(of(&scans, TilingLevel::Outer));
        if self.is_shared() {
            order.extend(of(&reduced, TilingLevel::Outer));
        }
        let copies = order.len();
        order.extend(of(&kept, TilingLevel::Inner));
        order.extend(of(&scans, TilingLevel::Inner));
        order.extend(of(&kept, TilingLevel::Registers));
        order.extend(of(&scans, TilingLevel::Registers));
        // Without copies to shared memory, accumulators stay in registers through all reduction loops.
        if !self.is_shared() {
            order.extend(of(&reduced, TilingLevel::Outer));
        }
        order.extend(of(&reduced, TilingLevel::Inner));
        order.extend(of(&reduced, TilingLevel::Registers));
        (order, copies)
    }

    /// Returns the reduction loops inside all other loops, innermost first, up to the first one of unknown length.
    pub(super) fn inner_reductions(&self, problem: &Problem) -> Vec<(usize, TilingLevel)> {
        let (order, copies) = self.order(problem, false);
        let loops = order.into_iter().skip(copies).rev().filter(|&(d, place)| self.is_loop(d, place));
        loops.take_while(|&(d, place)| problem.reduces(d) && self.columns[d].dynamic != Some(place)).collect()
    }

    /// Returns the position of the first step whose results are in registers, if any.
    fn in_registers(&self, problem: &Problem, order: &[(usize, TilingLevel)]) -> Option<usize> {
        let is_core = |place: TilingLevel| matches!(place, TilingLevel::Warps | TilingLevel::Threads);
        let is_combined = |d: usize| !problem.concatenates(d);
        let combines =
            order.iter().any(|&(d, place)| is_combined(d) && place != TilingLevel::Blocks && self.is_loop(d, place));
        if !combines {
            return None;
        }
        let first = order.iter().position(|(_, place)| is_core(*place))?;
        // Results that several threads combine must be in memory that all of them can access, and the results of all
        // iterations of a loop over a non-reduction dimension would not fit into registers.
        let outside = |(d, place): (usize, TilingLevel)| {
            let is_threads = is_core(place) && is_combined(d);
            let is_kept_loop = matches!(place, TilingLevel::Outer | TilingLevel::Inner) && problem.keeps(d);
            self.is_loop(d, place) && (is_threads || is_kept_loop)
        };
        let last = order.iter().rposition(|&level| outside(level));
        let first = last.map_or(first, |last| first.max(last + 1));
        let values = (0..self.columns.len()).filter(|&d| problem.keeps(d));
        let values = values.fold(1u64, |values, d| values.saturating_mul(self.columns[d].of(TilingLevel::Registers)));
        (first < order.len() && values <= MAX_REGISTER_VALUES).then_some(first)
    }

    /// Returns the schedule with this tiling.
    pub(super) fn schedule(&self, problem: &Problem, system: &System, layers: &DeviceLayers<'_>) -> Schedule {
        let (rank, has_warps) = (self.columns.len(), layers.warps.is_some());
        let (order, copies) = self.order(problem, has_warps);
        let level = |(d, place): (usize, TilingLevel)| {
            let position = self.columns[d].order.levels(has_warps).position(|known| known == place);
            Level { layer: position.unwrap_or(0), dimension: d }
        };
        let tag = |(d, place): (usize, TilingLevel)| {
            let of = |axes: &[usize]| axes.iter().position(|known| *known == d).unwrap_or(d);
            let (layer, dimension) = match place {
                TilingLevel::Blocks => (layers.blocks, of(&self.grid)),
                TilingLevel::Warps => (layers.warps.map_or(layers.threads.0, |warps| warps.0), of(&self.axes)),
                TilingLevel::Threads => (layers.threads.0, of(&self.axes)),
                TilingLevel::Outer => (layers.global, d),
                TilingLevel::Inner => (layers.shared, d),
                TilingLevel::Registers => (layers.registers, d),
            };
            Tag { layer: layer.to_owned(), dimension }
        };
        let mut parts = vec![vec![Some(1); rank]; system.layers()];
        for &(d, place) in &order {
            let column = &self.columns[d];
            parts[level((d, place)).layer][d] = (column.dynamic != Some(place)).then(|| column.of(place));
        }
        let placement = |region: &str, rank: usize| Placement::new(region, 0..rank);
        let reads = |position: usize| -> Vec<Placement> {
            let read = |(buffer, &rank): (usize, &usize)| {
                let is_shared = self.shared[buffer] && position >= copies;
                if !is_shared {
                    return placement(layers.global, rank);
                }
                let (row, pad, buffers) = (self.rows[buffer], self.pads[buffer], self.buffers[buffer]);
                let layout = (0..rank).filter(|&axis| axis != row).chain((rank > 0).then_some(row));
                let layout = problem.orders[buffer].to_buffer(&layout.collect::<Vec<_>>());
                Placement { pad, buffers, ..Placement::new(layers.shared, layout) }
            };
            problem.shape.inputs.iter().enumerate().map(read).collect()
        };
        let registers = self.in_registers(problem, &order).unwrap_or(usize::MAX);
        let writes = |position: usize| -> Vec<Placement> {
            let region = if position >= registers { layers.registers } else { layers.global };
            problem.shape.outputs.iter().map(|&rank| placement(region, rank)).collect()
        };
        let steps = |placements: &dyn Fn(usize) -> Vec<Placement>| -> Vec<Step> {
            let steps = order.iter().enumerate();
            steps.map(|(i, &at)| Step { level: level(at), tag: tag(at), placements: placements(i) }).collect()
        };
        Schedule {
            system: system.clone(),
            parts,
            decompose: steps(&reads),
            scalar: ScalarPhase {
                order: order.iter().map(|&at| (level(at), tag(at))).collect(),
                reads: reads(order.len()),
                // After the last step: in registers if the results of the last step are.
                writes: writes(order.len().saturating_sub(1)),
            },
            recompose: steps(&writes),
            at: None,
        }
    }
}
