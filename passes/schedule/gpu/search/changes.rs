//! How a search changes choices: one step each.
use super::{super::super::climb, Choices, Padding, SHORT, Search};

type Changes<'a> = climb::Changes<'a, Choices>;

impl Search<'_> {
    /// Other threads, registers, parts and blocks of a dimension.
    pub(super) fn divide(&self, changes: &mut Changes<'_>, d: usize) {
        let choices = changes.of();
        let extent = self.problem.extent(d);
        let most = extent.next_power_of_two().min(self.most_threads);
        let powers = |most: u64| (0..=most.ilog2()).map(|power| 1u64 << power);
        if self.may_split(d) {
            powers(most).for_each(|count| changes.add(|changed| changed.threads[d] = count));
            if self.warps.is_none() && extent <= SHORT {
                changes.add(|changed| changed.threads[d] = extent);
            }
        }
        if self.may_unroll(d) {
            [1, 2, 3, 4, 5, 6, 7, 8, 12, 16]
                .into_iter()
                .filter(|count| *count <= extent && (self.problem.concatenates(d) || count.is_power_of_two()))
                .for_each(|count| {
                    changes.add(|changed| changed.registers[d] = count);
                });
        }
        if choices.registers[d] > 1 && self.problem.concatenates(d) {
            changes.add(|changed| changed.blocked[d] = !changed.blocked[d]);
        }
        if self.may_tile(d) {
            // Parts of one size have loops of one length.
            let divisors = (3..=extent.min(256)).filter(|count| extent.is_multiple_of(*count));
            powers(extent.min(256))
                .chain(divisors)
                .chain([extent.min(256)])
                .for_each(|count| changes.add(|changed| changed.inner[d] = count));
        }
        if self.may_split_blocks(d) {
            powers(extent.min(1 << 16)).for_each(|count| changes.add(|changed| changed.blocks[d] = count));
        }
        // Threads move from a dimension to another one.
        for other in (0..self.rank()).filter(|&other| other != d && choices.threads[d] > 1 && self.may_split(other)) {
            changes.add(|changed| {
                changed.threads[d] /= 2;
                changed.threads[other] *= 2;
            });
            changes.add(|changed| changed.threads.swap(d, other));
        }
    }

    /// Other inputs in shared memory, and other rows of them.
    pub(super) fn share(&self, changes: &mut Changes<'_>) {
        let choices = changes.of();
        let is_shared = choices.shared.contains(&true);
        changes.add(|changed| {
            let shared = changed.shared.iter_mut().enumerate();
            shared.for_each(|(buffer, shared)| *shared = !is_shared && self.may_share(buffer));
        });
        for buffer in (0..choices.shared.len()).filter(|&buffer| self.may_share(buffer)) {
            changes.add(|changed| changed.shared[buffer] = !changed.shared[buffer]);
        }
        if is_shared {
            changes.add(|changed| changed.is_ahead = !changed.is_ahead);
            for buffer in (0..choices.shared.len()).filter(|&buffer| choices.shared[buffer]) {
                for padding in [Padding::None, Padding::Odd, Padding::Aligned, Padding::Shifted] {
                    changes.add(|changed| changed.padding[buffer] = padding);
                }
                for row in 0..self.problem.shape.inputs[buffer] {
                    changes.add(|changed| changed.rows[buffer] = row);
                    changes.add(|changed| (changed.rows[buffer], changed.padding[buffer]) = (row, Padding::Shifted));
                }
            }
        }
    }
}
