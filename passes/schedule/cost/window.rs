//! Windows of reductions that the lowering unrolls completely: a tile without loops loads an element once that several
//! of its iterations read.
//!
//! ```text
//! 6 rows of one vector, reductions r and c of 5 parts: 6 loads in each of 25 iterations
//!   -> 10 rows of 5 vectors; those of the last iteration of r wait for the next one
//! ```
use super::{
    super::{plan::PlanLoop, problem::BufferAccess},
    geometry::{Geometry, LaneAccess},
};
use crate::convert::unroll_reductions::short::UNROLLED_OPERATIONS;
use crate::plan::runner::Runner;
use std::collections::BTreeSet;

/// How the iterations of unrolled reductions share the vectors of an access.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    /// The fraction of the loads that are left.
    pub(super) fraction: f64,
    /// The number of vectors that wait for their next use, for each one of an iteration.
    pub(super) waiting: f64,
    /// The number of times in an iteration, on average, that a waiting vector is stored and loaded if it has no
    /// register.
    pub(super) moves: f64,
}

/// Nothing is shared.
const SINGLE: Window = Window { fraction: 1.0, waiting: 0.0, moves: 0.0 };

impl Geometry<'_> {
    /// The innermost reductions of a tile that the lowering unrolls completely. `inner`: its loops. `values`: its
    /// vectors.
    pub(super) fn unrolled_reductions<'l, 'p>(&self, inner: &'l [&'p PlanLoop], values: f64) -> &'l [&'p PlanLoop] {
        let (problem, mut seen) = (self.problem, BTreeSet::new());
        // Each value has its own broadcast when the lowering counts operations; a product and a sum count as two.
        let mut operations = 2.0 * values * problem.slots.max(0.5) + values * problem.scalar_cycles;
        for access in problem.accesses.iter().filter(|access| !access.is_output) {
            let is_broadcast = self.vector.is_some() && self.lanes(access) == LaneAccess::Broadcast;
            operations += self.distinct(access, &mut seen) as f64 + if is_broadcast { values } else { 0.0 };
        }
        let is_unrolled = |l: &&&PlanLoop| {
            operations *= l.parts as f64;
            let is_static = problem.known_extent(l.dimension) == Some(l.parts);
            problem.reduces(l.dimension) && is_static && operations <= UNROLLED_OPERATIONS as f64
        };
        &inner[inner.len() - inner.iter().rev().take_while(is_unrolled).count()..]
    }

    /// Returns how iterations of unrolled reductions share the vectors of an access.
    pub(super) fn window(&self, access: &BufferAccess, unrolled: &[&PlanLoop]) -> Window {
        if unrolled.is_empty() || self.lanes(access) != LaneAccess::Contiguous {
            return SINGLE;
        }
        let iterations: f64 = unrolled.iter().map(|l| l.parts as f64).product();
        let lanes = |l: &PlanLoop| self.vector.filter(|v| v.dimension == l.dimension).map_or(1, |v| v.parts);
        let of_axis = |axis: usize| {
            let uses = |l: &PlanLoop| access.map.uses(axis, l.dimension);
            let step = |l: &PlanLoop| access.map.stride(axis, l.dimension).unsigned_abs().max(1);
            let tile = self.plan.loops.iter().find(|l| l.kind == Runner::Unrolled && uses(l))?;
            let position = unrolled.iter().position(|l| uses(l))?;
            let l = unrolled[position];
            let all = tile.parts.saturating_mul(l.parts);
            let places = distinct_sums((tile.parts, step(tile).saturating_mul(lanes(tile))), (l.parts, step(l)));
            // All iterations inside read their vectors before this loop reads some of them again.
            let inside = unrolled[position + 1..].iter().filter(|l| access.depends_on(l.dimension));
            let waiting = inside.map(|l| l.parts as f64).product::<f64>() - 1.0;
            (places < all).then(|| Window {
                fraction: places as f64 / all as f64,
                waiting,
                // It is stored about twice, and each next iteration of the loop loads it.
                moves: (l.parts as f64 + 1.0) / iterations,
            })
        };
        (0..access.map.rank()).filter_map(of_axis).fold(SINGLE, |all, own| Window {
            fraction: all.fraction * own.fraction,
            waiting: all.waiting.max(own.waiting),
            moves: all.moves.max(own.moves),
        })
    }
}

/// The number of different sums of two multiples, each given by its number of factors from 0 on, and its base.
fn distinct_sums((count, step): (u64, u64), (others, other): (u64, u64)) -> u64 {
    let (count, others, apart) = match (step.is_multiple_of(other), other.is_multiple_of(step)) {
        (true, _) => (count, others, step / other),
        (false, true) => (others, count, other / step),
        (false, false) => return count.saturating_mul(others),
    };
    if others > apart { (count - 1) * apart + others } else { count.saturating_mul(others) }
}

#[cfg(test)]
mod tests {
    use super::distinct_sums;
    use std::collections::BTreeSet;

    #[test]
    fn distinct_sums_are_those_of_all_pairs() {
        for (count, step) in [(6, 1), (3, 16), (2, 3), (1, 4), (4, 2)] {
            for (others, other) in [(5, 1), (5, 2), (3, 4), (1, 1), (20, 1)] {
                let pairs = (0..count).flat_map(|i| (0..others).map(move |j| i * step + j * other));
                let different = pairs.collect::<BTreeSet<u64>>().len() as u64;
                let found = distinct_sums((count, step), (others, other));
                let is_multiple = step % other == 0 || other % step == 0;
                assert!(
                    if is_multiple { found == different } else { found >= different },
                    "{count} {step} {others} {other}"
                );
            }
        }
    }
}
