//! A search for plans with given loops of some dimensions: the loops of the others are open.
//!
//! ```text
//! threads x 8 · registers x ?   ──▶   threads x 8 · y 4 · x 2 · registers x 4 · vector y 16 · z 512
//! ```
use super::{super::plan::Plan, HostChoices, HostSearch};
use crate::plan::runner::Runner;

/// A loop that a plan must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedLoop {
    /// The dimension.
    pub dimension: usize,
    /// The execution of the parts.
    pub kind: Runner,
    /// The number of parts; `None` if any number will do.
    pub parts: Option<u64>,
}

/// The loops that a plan must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedLoops {
    /// The loops, outermost first.
    pub loops: Vec<FixedLoop>,
    /// By dimension: true if a plan may have any loops of it.
    pub is_open: Vec<bool>,
    /// By input: true if a plan may pack it.
    pub may_pack: Vec<bool>,
}

impl FixedLoops {
    /// Returns the position of each of the loops in a plan, `None` for a loop with one part, which plans omit; `None`
    /// if the plan has other loops of the dimensions that are not open, or another order of them.
    pub fn positions(&self, plan: &Plan) -> Option<Vec<Option<usize>>> {
        if plan.packed.iter().any(|packed| !self.may_pack[packed.buffer]) {
            return None;
        }
        let others = plan.loops.iter().enumerate().filter(|(_, l)| !self.is_open[l.dimension]);
        let mut others = others.peekable();
        let mut positions = vec![];
        for own in &self.loops {
            let is_same = |parts: u64| own.parts.is_none_or(|known| known == parts);
            let next = others.next_if(|(_, l)| l.dimension == own.dimension && l.kind == own.kind && is_same(l.parts));
            match next {
                Some((position, _)) => positions.push(Some(position)),
                None if is_same(1) => positions.push(None),
                None => return None,
            }
        }
        others.peek().is_none().then_some(positions)
    }

    /// Returns the number of points that loops in registers and vectors compute at once, as far as it is known.
    pub fn tile(&self) -> u64 {
        let tile = self.loops.iter().filter(|l| matches!(l.kind, Runner::Unrolled | Runner::Lanes));
        tile.filter_map(|l| l.parts).fold(1, u64::saturating_mul)
    }

    /// The loops of a dimension of a kind, outermost first.
    fn of(&self, d: usize, kind: Runner) -> impl Iterator<Item = &FixedLoop> {
        self.loops.iter().filter(move |l| l.dimension == d && l.kind == kind)
    }

    /// Returns choices with the loops, as far as they express them: an open number of parts keeps that of the choices.
    pub(super) fn applied(&self, search: &HostSearch<'_>, choices: &HostChoices) -> HostChoices {
        let mut choices = choices.clone();
        let is_fixed = |d: usize| !self.is_open[d];
        let vector = self.loops.iter().find(|l| l.kind == Runner::Lanes);
        choices.vector = match vector {
            Some(l) => {
                let known = choices.vector.filter(|(d, _)| *d == l.dimension).map(|(_, lanes)| lanes);
                l.parts.or(known).map(|lanes| (l.dimension, lanes))
            }
            None => choices.vector.filter(|(d, _)| !is_fixed(*d)),
        };
        let unrolled = self.loops.iter().filter(|l| l.kind == Runner::Unrolled);
        let unrolled = unrolled.filter_map(|l| {
            let known = choices.unrolled.iter().find(|(d, _)| *d == l.dimension).map(|(_, count)| *count);
            l.parts.or(known).map(|count| (l.dimension, count))
        });
        // A reduction is unrolled together with its lanes only.
        let has_lanes = |d: usize| choices.vector.is_some_and(|(v, _)| v == d);
        let is_unrolled = |d: usize| search.problem.concatenates(d) || has_lanes(d);
        let open = choices.unrolled.iter().copied().filter(|(d, _)| !is_fixed(*d) && is_unrolled(*d));
        choices.unrolled = unrolled.chain(open).filter(|(_, count)| *count > 1).collect();
        choices.threads = match self.loops.iter().find(|l| l.kind == Runner::THREADS) {
            Some(l) => Some((l.dimension, l.parts.unwrap_or(4 * search.threads))),
            None => choices.threads.filter(|(d, _)| !is_fixed(*d)),
        };
        for d in (0..self.is_open.len()).filter(|d| is_fixed(*d)) {
            let mut sequential = self.of(d, Runner::Loop);
            let (Some(_), Some(inner)) = (sequential.next(), sequential.next()) else { continue };
            let usual = if search.problem.reduces(d) { 128 } else { 8 };
            let tile = search.tile(&choices, d);
            choices.blocks[d] = Some(inner.parts.unwrap_or(usual).saturating_mul(tile));
            choices.block_loops.push(d);
        }
        let place = |d: &usize| self.loops.iter().rposition(|l| l.dimension == *d && l.kind == Runner::Loop);
        let sort = |list: &mut Vec<usize>, place: &dyn Fn(&usize) -> Option<usize>| {
            let mut fixed: Vec<_> = list.iter().copied().filter(|d| is_fixed(*d)).collect();
            fixed.sort_by_key(place);
            let mut fixed = fixed.into_iter();
            list.iter_mut().filter(|d| is_fixed(**d)).zip(&mut fixed).for_each(|(old, new)| *old = new);
        };
        sort(&mut choices.tile_loops, &place);
        sort(&mut choices.reduction_loops, &place);
        let first = |d: &usize| self.loops.iter().position(|l| l.dimension == *d && l.kind == Runner::Loop);
        sort(&mut choices.block_loops, &first);
        choices.packed.retain(|pack| self.may_pack[pack.buffer]);
        choices
    }
}
