//! The loads of a thread from a buffer: the elements that it needs at once, and which of them are adjacent.
use super::{
    super::{
        super::problem::Problem,
        tiling::{Tiling, TilingLevel},
    },
    footprint::AccessView,
};
use crate::convert::unroll_reductions::{MAX_UNROLL_FACTOR, short::UNROLLED_OPERATIONS};

/// Maximum number of elements that are enumerated. No thread has registers for more, so their number is enough.
const MAX_ENUMERATED: u64 = 1 << 16;

/// A loop (dimension and level of the tiling), and how many of its iterations are computed at once.
type UnrolledLoop = (usize, TilingLevel, u64);

/// The iterations that a thread computes at once, in addition to its values in registers.
pub(super) struct Unrolled {
    /// The reductions inside all other loops, innermost first. They are fully unrolled, except for the last one, which
    /// may be partially unrolled.
    loops: Vec<UnrolledLoop>,
    /// The trip count of the remaining loops around them.
    pub(super) turns: f64,
    /// The number of repetitions in code without a loop: LLVM fully unrolls the remaining loops if they are short.
    pub(super) straight_line_repetitions: u64,
}

impl Unrolled {
    /// Unrolls as many reductions as the lowering and LLVM do.
    pub(super) fn of(problem: &Problem, views: &[AccessView<'_>], tiling: &Tiling) -> Self {
        let tile = tiling.count(TilingLevel::Registers) as f64;
        let inputs = views.iter().filter(|view| !view.access.is_output);
        let read = inputs.map(|view| view.values(tiling) as f64).sum::<f64>();
        let mut operations = read + tile * (2.0 * problem.slots.max(0.5) + problem.scalar_cycles);
        let fits = |operations: f64| operations <= UNROLLED_OPERATIONS as f64;
        let mut loops = vec![];
        for (d, place) in tiling.inner_reductions(problem) {
            let count = tiling.columns[d].of(place);
            if fits(operations * count as f64) {
                operations *= count as f64;
                loops.push((d, place, count));
                continue;
            }
            let wide = if problem.widest > 4 { 2.0 } else { 1.0 };
            let powers = std::iter::successors(Some(MAX_UNROLL_FACTOR as u64), |some| Some(some / 2))
                .take_while(|some| *some > 1);
            let some =
                powers.into_iter().find(|some| count.is_multiple_of(*some) && fits(wide * operations * *some as f64));
            operations *= some.unwrap_or(1) as f64;
            loops.extend(some.map(|some| (d, place, some)));
            break;
        }
        let unroll_factor: f64 = loops.iter().map(|(_, _, count)| *count as f64).product();
        let iterations = (tiling.count(TilingLevel::Outer) as f64) * tiling.count(TilingLevel::Inner) as f64;
        let turns = iterations / unroll_factor;
        let is_known =
            tiling.columns.iter().all(|column| column.dynamic.is_none_or(|place| place == TilingLevel::Blocks));
        let is_row = is_known && fits(operations * turns);
        Self { loops, turns, straight_line_repetitions: if is_row { turns.max(1.0) as u64 } else { 1 } }
    }

    /// The number of iterations of a loop that are computed at once.
    fn unroll_factor(&self, d: usize, place: TilingLevel) -> u64 {
        self.loops.iter().find(|(known, of, _)| (*known, *of) == (d, place)).map_or(1, |(.., count)| *count)
    }

    /// Returns true if a loop remains after unrolling.
    fn is_loop(&self, tiling: &Tiling, d: usize, place: TilingLevel) -> bool {
        tiling.columns[d].of(place) > self.unroll_factor(d, place)
    }

    /// Returns true if a thread reads the same elements in all iterations of the loops, and therefore only once.
    pub(super) fn is_carried(&self, view: &AccessView<'_>, tiling: &Tiling) -> bool {
        let is_looped =
            |d: usize| [TilingLevel::Outer, TilingLevel::Inner].iter().any(|place| self.is_loop(tiling, d, *place));
        !(0..tiling.columns.len()).any(|d| view.access.depends_on(d) && is_looped(d))
    }
}

/// The elements that a thread reads of a buffer at once.
pub(super) struct Loads {
    /// Number of elements; an element that several values need is read once.
    pub(super) elements: u64,
    /// By the number of adjacent elements per load: the number of loads.
    pub(super) by_width: Vec<(u64, f64)>,
    /// The number of iterations of reductions whose elements are loaded at once and wait in registers.
    pub(super) ahead: u64,
}

impl AccessView<'_> {
    /// Returns the elements that a thread reads at once, with at most `most` adjacent ones per load.
    pub(super) fn loads(&self, problem: &Problem, tiling: &Tiling, unrolled: &Unrolled, most: u64) -> Loads {
        let elements = self.reads(tiling, unrolled);
        let is_listed = self.product(tiling, unrolled) <= MAX_ENUMERATED;
        if self.access.is_output || !tiling.shared[self.access.buffer] || !is_listed {
            let (width, along) = match self.window(problem, tiling, unrolled, most) {
                Some(width) => (width, None),
                None => self.vector(problem, tiling, most),
            };
            let ahead = along.filter(|&d| problem.reduces(d)).map_or(1, |_| width);
            return Loads { elements, by_width: vec![(width, elements as f64 / width as f64)], ahead };
        }
        let strides = self.strides_of_part(tiling);
        let step = |d: usize, place: TilingLevel| strides[d].saturating_mul(tiling.columns[d].apart(place));
        // Adjacent elements are loaded together if all offsets around them are multiples of the width of the load.
        let mut aligned = most.max(1);
        while tiling.slots(self.access.buffer) > 1
            && !self.bytes_of_part(tiling).is_multiple_of(aligned * self.access.bytes)
        {
            aligned /= 2;
        }
        for d in (0..tiling.columns.len()).filter(|&d| self.access.depends_on(d)) {
            for place in [TilingLevel::Inner, TilingLevel::Warps, TilingLevel::Threads] {
                let (parts, own) = (tiling.columns[d].of(place), unrolled.unroll_factor(d, place));
                while parts > own && aligned > 1 && step(d, place).saturating_mul(own as i64) % aligned as i64 != 0 {
                    aligned /= 2;
                }
            }
        }
        let levels: Vec<_> = self.levels(tiling, unrolled).collect();
        let of_registers = levels.iter().filter(|(_, place, _)| *place == TilingLevel::Registers);
        let widths = |levels: &mut dyn Iterator<Item = &UnrolledLoop>| {
            let reached = levels.map(|&(d, place, count)| (step(d, place), count));
            neighbours(reached.fold(vec![0], spread), aligned)
        };
        let by_width = widths(&mut levels.iter());
        let widest = |by_width: &[(u64, f64)]| by_width.iter().map(|(width, _)| *width).max().unwrap_or(1);
        let ahead = widest(&by_width) / widest(&widths(&mut of_registers.into_iter()));
        Loads { elements, by_width, ahead: ahead.max(1) }
    }

    /// The number of adjacent elements per load of the windows of adjacent values in registers, which the unrolled
    /// iterations read completely; `None` if the last axis has no such windows.
    fn window(&self, problem: &Problem, tiling: &Tiling, unrolled: &Unrolled, most: u64) -> Option<u64> {
        let last = self.access.sizes.len().checked_sub(1)?;
        let registers = |d: usize| tiling.columns[d].of(TilingLevel::Registers);
        let mut terms = self.access.map.terms(last);
        let is_blocked = |d: usize| registers(d) > 1 && tiling.columns[d].apart(TilingLevel::Registers) == 1;
        let (d, _) = terms.clone().find(|&(d, stride)| stride == 1 && is_blocked(d))?;
        let is_exact = problem.known_extent(d) == Some(tiling.columns[d].covered(&TilingLevel::ALL));
        let is_read = |other: usize| {
            let inner = tiling.columns[other].of(TilingLevel::Inner);
            let loops = [TilingLevel::Outer, TilingLevel::Inner].map(|place| unrolled.is_loop(tiling, other, place));
            !loops.contains(&true)
                && tiling.columns[other].covered(&TilingLevel::ALL)
                    <= inner.max(unrolled.unroll_factor(other, TilingLevel::Outer))
        };
        if !is_exact || terms.clone().count() < 2 || !terms.all(|(other, _)| other == d || is_read(other)) {
            return None;
        }
        let row = if last == 0 { most } else { self.access.sizes[last] };
        [most, registers(d), row].into_iter().map(u64::trailing_zeros).min().map(|width| 1 << width)
    }

    /// The levels whose parts a thread computes at once and for which it needs different elements.
    fn levels(&self, tiling: &Tiling, unrolled: &Unrolled) -> impl Iterator<Item = UnrolledLoop> {
        let registers = (0..tiling.columns.len())
            .map(|d| (d, TilingLevel::Registers, tiling.columns[d].of(TilingLevel::Registers)));
        let levels = registers.chain(unrolled.loops.iter().copied());
        levels.filter(|(d, _, count)| *count > 1 && self.access.depends_on(*d))
    }

    /// The number of elements that a thread reads at once if all of them differ.
    fn product(&self, tiling: &Tiling, unrolled: &Unrolled) -> u64 {
        self.levels(tiling, unrolled).fold(1u64, |reads, (.., count)| reads.saturating_mul(count))
    }

    /// The number of elements that a thread reads at once.
    fn reads(&self, tiling: &Tiling, unrolled: &Unrolled) -> u64 {
        let product = self.product(tiling, unrolled);
        if !self.has_overlaps() || product > MAX_ENUMERATED {
            return product;
        }
        let reached = self.levels(tiling, unrolled);
        let reached =
            reached.map(|(d, place, count)| (self.strides[d].saturating_mul(tiling.columns[d].apart(place)), count));
        let mut reached = reached.fold(vec![0], spread);
        reached.sort_unstable();
        reached.dedup();
        reached.len() as u64
    }
}

/// Replaces each index by `count` indices that start there and are `step` apart.
fn spread(from: Vec<i64>, (step, count): (i64, u64)) -> Vec<i64> {
    let numbers = |index: i64| (0..count as i64).map(move |number| index.saturating_add(step.saturating_mul(number)));
    from.into_iter().flat_map(numbers).collect()
}

/// By width: the number of loads that these indices need. A load has at most `aligned` indices and starts at a multiple
/// of its width.
fn neighbours(mut indices: Vec<i64>, aligned: u64) -> Vec<(u64, f64)> {
    indices.sort_unstable();
    indices.dedup();
    let mut by_width: Vec<(u64, f64)> = vec![];
    let mut i = 0;
    while i < indices.len() {
        let fits = |width: u64| {
            let last = indices.get(i + width as usize - 1);
            indices[i] % width as i64 == 0 && last.is_some_and(|last| last - indices[i] == width as i64 - 1)
        };
        let mut width = aligned;
        while width > 1 && !fits(width) {
            width /= 2;
        }
        match by_width.iter_mut().find(|(known, _)| *known == width) {
            Some((_, count)) => *count += 1.0,
            None => by_width.push((width, 1.0)),
        }
        i += width as usize;
    }
    by_width
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_loaded_together_from_where_they_are_aligned() {
        assert_eq!(neighbours(vec![0, 1, 2, 3, 4, 5, 6], 4), [(4, 1.0), (2, 1.0), (1, 1.0)]);
        assert_eq!(neighbours(vec![3, 4, 5, 6, 7, 4], 4), [(1, 1.0), (4, 1.0)]);
        assert_eq!(neighbours(vec![0, 8, 16, 1, 9, 17], 2), [(2, 3.0)]);
        assert_eq!(neighbours(vec![0, 1, 2, 3], 1), [(1, 4.0)]);
        assert_eq!(neighbours(vec![-4, -3, -2, -1, 0], 4), [(4, 1.0), (1, 1.0)]);
    }
}
