//! Addresses of the rows that a register tile reads and writes. Rows of static length are at constant distances of each
//! other; of those of dynamic length, each has a register of its own, or is kept on the stack.
use super::{super::plan::PlanLoop, geometry::Geometry};
use crate::plan::runner::Runner;
use std::collections::BTreeSet;

/// The number of general registers for addresses of rows; the others are for loops and for indices.
const ADDRESS_REGISTERS: usize = 10;

impl Geometry<'_> {
    /// The number of addresses of rows that are loaded from the stack for each iteration of a tile. `has_loops`: the tile
    /// has loops inside, after which results are written.
    pub(super) fn loaded_addresses(&self, has_loops: bool) -> f64 {
        let mut rows: BTreeSet<(bool, usize, Vec<i64>)> = BTreeSet::new();
        let accesses = self.problem.accesses.iter().filter(|access| !access.has_static_rows);
        for access in accesses.filter(|access| !(has_loops && access.is_output) && self.packed(access).is_none()) {
            let mut places = BTreeSet::from([access.map.origins().to_vec()]);
            let outer = access.map.rank().saturating_sub(1);
            let selects_row = |l: &&PlanLoop| (0..outer).any(|axis| access.map.uses(axis, l.dimension));
            for l in self.plan.loops.iter().filter(|l| l.kind == Runner::Unrolled).filter(selects_row) {
                let moved = |place: &Vec<i64>, n: u64| access.map.moved(place, l.dimension, n as i64);
                places = places.iter().flat_map(|place| (0..l.parts).map(move |n| moved(place, n))).collect();
            }
            rows.extend(places.into_iter().map(|mut place| {
                place.pop();
                (access.is_output, access.buffer, place)
            }));
        }
        rows.len().saturating_sub(ADDRESS_REGISTERS) as f64
    }
}
