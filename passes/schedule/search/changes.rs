//! The changes of choices in the search, one step each.
use super::{super::climb::Neighbors, Before, HostChoices, HostSearch, PARTS, Pack};

impl HostSearch<'_> {
    /// Adds other loop orders.
    pub(super) fn reorder(&self, changes: &mut Neighbors<'_, HostChoices>) {
        let choices = changes.of();
        for i in 1..choices.tile_loops.len() {
            for j in 0..i {
                changes.add(|changed| changed.tile_loops.swap(i, j));
            }
        }
        if !self.problem.keeps_order {
            for i in 1..choices.reduction_loops.len() {
                changes.add(|changed| changed.reduction_loops.swap(i - 1, i));
            }
        }
        for i in 1..choices.block_loops.len() {
            changes.add(|changed| changed.block_loops.swap(i - 1, i));
        }
    }

    /// Adds other block sizes of dimensions, and other numbers of parts for threads.
    pub(super) fn divide(&self, changes: &mut Neighbors<'_, HostChoices>) {
        let choices = changes.of();
        let is_ordered = |d: usize| self.problem.shape.operators[d].is_ordered();
        for d in (0..self.rank()).filter(|&d| !is_ordered(d)) {
            let reductions = (0..self.rank()).filter(|&d| self.problem.reduces(d)).count();
            // Blocks of a single reduction keep the order.
            let keeps_order = self.problem.keeps(d) || reductions == 1 || !self.problem.keeps_order;
            let tile = self.tile(choices, d);
            let sizes: &[u64] =
                if self.problem.reduces(d) { &[16, 32, 64, 128, 256, 512, 1024] } else { &[2, 4, 8, 16, 32] };
            for &size in sizes.iter().filter(|_| keeps_order && self.most_loops > 1) {
                let block = if self.problem.reduces(d) { size.next_multiple_of(tile) } else { size * tile };
                if block >= self.problem.extent(d) {
                    continue;
                }
                changes.add(|changed| {
                    changed.blocks[d] = Some(block);
                    if !changed.block_loops.contains(&d) {
                        changed.block_loops.push(d);
                    }
                });
            }
            if choices.blocks[d].is_some() {
                changes.add(|changed| {
                    changed.blocks[d] = None;
                    changed.block_loops.retain(|known| *known != d);
                    changed.packed.retain(|pack| pack.before != Before::Blocks(d));
                });
            }
            for parts in self.parts_of_threads(choices, d) {
                changes.add(|changed| changed.threads = Some((d, parts)));
            }
        }
        if choices.threads.is_some() {
            changes.add(|changed| changed.threads = None);
        }
    }

    /// The numbers of parts of a dimension that threads may share; none for an ordered operator.
    pub(super) fn parts_of_threads(&self, choices: &HostChoices, d: usize) -> Vec<u64> {
        if self.threads <= 1 || self.problem.shape.operators[d].is_ordered() {
            return vec![];
        }
        let tiles = self.problem.extent(d).div_ceil(self.tile(choices, d));
        if self.problem.concatenates(d) {
            return [1, 2, 4, 8]
                .map(|factor| tiles.min(self.threads * factor))
                .into_iter()
                .filter(|p| *p > 1)
                .collect();
        }
        // Each part has its own results, which are combined at the end.
        let is_split = self.problem.reduces(d) && self.may_split(d);
        let parts = [1, 2, 4].map(|factor| self.threads * factor).into_iter().chain([PARTS]);
        parts.filter(|&parts| is_split && tiles >= 2 * parts).collect()
    }

    /// Adds choices that pack one more input before a loop, or one input fewer.
    pub(super) fn pack(&self, changes: &mut Neighbors<'_, HostChoices>) {
        let choices = changes.of();
        for access in self.problem.accesses.iter().filter(|access| !access.is_output) {
            let buffer = access.buffer;
            if choices.packed.iter().any(|pack| pack.buffer == buffer) {
                changes.add(|changed| changed.packed.retain(|pack| pack.buffer != buffer));
                continue;
            }
            for is_tiled in [false, true] {
                let mut pack = |before| {
                    let pack = Pack { buffer, before, is_tiled };
                    if self.layout(choices, pack, &[]).is_some() {
                        changes.add(|changed| changed.packed.push(pack));
                    }
                };
                pack(Before::All);
                let is_reused = |d: &&usize| !access.depends_on(**d);
                choices.block_loops.iter().filter(is_reused).for_each(|&d| pack(Before::Blocks(d)));
                choices.tile_loops.iter().filter(is_reused).for_each(|&d| pack(Before::Tiles(d)));
            }
        }
    }
}
