//! The changes of choices in the search, one step each.
use super::{super::super::climb::Neighbors, DeviceChoices, DeviceSearch, MAX_EXACT_THREADS, Padding};

impl DeviceSearch<'_> {
    /// Adds other numbers of threads, registers, parts and blocks of a dimension.
    pub(super) fn divide(&self, changes: &mut Neighbors<'_, DeviceChoices>, d: usize) {
        let choices = changes.of();
        let extent = self.problem.extent(d);
        let most = extent.next_power_of_two().min(self.most_threads);
        let powers = |most: u64| (0..=most.ilog2()).map(|power| 1u64 << power);
        if self.may_split(d) {
            powers(most).for_each(|count| changes.add(|changed| changed.dimensions[d].threads = count));
            if self.warps.is_none() && extent <= MAX_EXACT_THREADS {
                changes.add(|changed| changed.dimensions[d].threads = extent);
            }
        }
        if self.may_unroll(d) {
            [1, 2, 3, 4, 5, 6, 7, 8, 12, 16]
                .into_iter()
                .filter(|count| *count <= extent && (self.problem.concatenates(d) || count.is_power_of_two()))
                .for_each(|count| {
                    changes.add(|changed| changed.dimensions[d].registers = count);
                });
        }
        if choices.dimensions[d].registers > 1 && self.problem.concatenates(d) {
            changes.add(|changed| changed.dimensions[d].is_blocked = !changed.dimensions[d].is_blocked);
        }
        if self.may_tile(d) {
            // If the count divides the extent, all loops have the same trip count.
            let divisors = (3..=extent.min(256)).filter(|count| extent.is_multiple_of(*count));
            powers(extent.min(256))
                .chain(divisors)
                .chain([extent.min(256)])
                .for_each(|count| changes.add(|changed| changed.dimensions[d].inner = count));
        }
        if self.may_split_blocks(d) {
            powers(extent.min(1 << 16)).for_each(|count| changes.add(|changed| changed.dimensions[d].blocks = count));
        }
        // Move threads from this dimension to another one.
        for other in
            (0..self.rank()).filter(|&other| other != d && choices.dimensions[d].threads > 1 && self.may_split(other))
        {
            changes.add(|changed| {
                changed.dimensions[d].threads /= 2;
                changed.dimensions[other].threads *= 2;
            });
            changes.add(|changed| changed.swap_threads(d, other));
        }
    }

    /// Adds other sets of inputs in shared memory, and other row axes and paddings for them.
    pub(super) fn share(&self, changes: &mut Neighbors<'_, DeviceChoices>) {
        let choices = changes.of();
        let is_shared = choices.is_shared();
        changes.add(|changed| {
            for (buffer, input) in changed.inputs.iter_mut().enumerate() {
                input.is_shared = !is_shared && self.may_share(buffer);
            }
        });
        for buffer in (0..choices.inputs.len()).filter(|&buffer| self.may_share(buffer)) {
            changes.add(|changed| changed.inputs[buffer].is_shared = !changed.inputs[buffer].is_shared);
        }
        if is_shared {
            changes.add(|changed| changed.is_double_buffered = !changed.is_double_buffered);
            for buffer in (0..choices.inputs.len()).filter(|&buffer| choices.inputs[buffer].is_shared) {
                for padding in [Padding::None, Padding::Odd, Padding::Aligned, Padding::Shifted] {
                    changes.add(|changed| changed.inputs[buffer].padding = padding);
                }
                for row in 0..self.problem.shape.inputs[buffer] {
                    changes.add(|changed| changed.inputs[buffer].row = row);
                    changes.add(|changed| {
                        (changed.inputs[buffer].row, changed.inputs[buffer].padding) = (row, Padding::Shifted)
                    });
                }
            }
        }
    }
}

impl DeviceChoices {
    fn swap_threads(&mut self, a: usize, b: usize) {
        let threads = self.dimensions[a].threads;
        self.dimensions[a].threads = std::mem::replace(&mut self.dimensions[b].threads, threads);
    }
}
