//! The elements that the points of a register tile read. Points of a stencil read elements of their neighbors, and each
//! one is loaded once.
//!
//! ```text
//! x[i] and x[i + 1] at points 0, 1 and 2 of a tile   ──▶   4 loads instead of 6
//! ```
use super::{construction::Construction, cursor::Cursor};
use crate::analysis::index::Group;
use mdh_dialects::schedule::model::Level;

/// An element of an input, or the lanes that follow it, relative to the first point of a register tile.
#[derive(PartialEq, Eq)]
pub struct RelativeElement {
    buffer: usize,
    /// The position of the group of accesses in those of the buffer.
    group: usize,
    /// The indices, as far as the part numbers of a point say by how much they are larger.
    indices: Vec<i64>,
    /// The other part numbers of the point that the group depends on.
    numbers: Vec<(Level, i64)>,
}

impl Construction<'_, '_> {
    /// The element that an access of a group reads at the point with these part numbers in a register tile.
    pub fn element_read(
        &self,
        cursor: &Cursor<'_>,
        (buffer, group, of_group): (usize, usize, &Group),
        access: usize,
        numbers: &[(Level, i64)],
    ) -> RelativeElement {
        let access = &of_group.accesses()[access];
        let (mut indices, mut others) = (access.origins().to_vec(), vec![]);
        for &(level, number) in numbers.iter().filter(|(level, _)| of_group.depends_on(level.dimension)) {
            let Level { layer, dimension } = level;
            // The part numbers of points outside of the iteration space are replaced when the program runs.
            let stride = self.space.strides[layer][dimension].constant().filter(|_| !cursor.tile.checks(dimension));
            match stride.and_then(|stride| stride.checked_mul(number)) {
                Some(distance) => indices = access.moved(&indices, dimension, distance),
                None => others.push((level, number)),
            }
        }
        RelativeElement { buffer, group, indices, numbers: others }
    }
}
