//! The elements that the points of a register tile read. Points of a stencil read elements of their neighbors, and each
//! one is loaded once.
//!
//! ```text
//! x[i] and x[i + 1] at points 0, 1 and 2 of a tile   ──▶   4 loads instead of 6
//!
//! x[i], lanes 0 .. 8 and 8 .. 16, and x[i + 1]       ──▶   load x[0 .. 8], load x[8 .. 16],
//!                                                          x[1 .. 9] from lanes of both
//! ```
use super::{
    construction::Construction,
    cursor::Cursor,
    prefetch,
    tile::PointVector,
    tree::{Operation, Value},
};
use crate::analysis::index::Group;
use mdh_dialects::schedule::model::Level;

/// The bytes of a line of the caches. A vector as long as a line is in two of them unless it begins with one, so loads of
/// it take as long as two, and moving lanes of loaded vectors takes less.
const LINE: u64 = 64;

/// An element of an input, or the lanes that follow it, relative to the first point of a register tile.
#[derive(Clone, PartialEq, Eq)]
struct RelativeElement {
    buffer: usize,
    /// The position of the group of accesses in those of the buffer.
    group: usize,
    /// The indices, as far as the part numbers of a point say by how much they are larger.
    indices: Vec<i64>,
    /// The other part numbers of the point that the group depends on.
    numbers: Vec<(Level, i64)>,
}

impl RelativeElement {
    /// The element at this distance along the last axis.
    fn at(&self, distance: i64) -> Option<Self> {
        let mut other = self.clone();
        let last = other.indices.last_mut()?;
        *last = last.checked_add(distance)?;
        Some(other)
    }
}

/// An element, and where it is read first.
struct Read {
    element: RelativeElement,
    point: usize,
    access: usize,
    value: Option<Value>,
}

/// The reads of the points of a register tile.
pub struct TileReads<'r, 't> {
    cursor: &'r Cursor<'t>,
    /// The points that are read, in the order of the tile.
    points: &'r [PointVector],
    /// The points that are read instead where a source has memory for them, without bounds checks.
    beyond: Option<&'r [PointVector]>,
    /// Masked-off lanes repeat the first one.
    repeats: bool,
    /// Each element once.
    reads: Vec<Read>,
    /// By point and component of the scalar function's arguments: the position in `reads`.
    components: Vec<Vec<Option<usize>>>,
}

/// The reads of the points of a tile. `beyond`: those that are read instead where a source has memory for them, without
/// bounds checks. `repeats`: masked-off lanes repeat the first one.
pub fn reads<'r, 't>(
    nest: &Construction<'_, 't>,
    cursor: &'r Cursor<'t>,
    (points, beyond): (&'r [PointVector], Option<&'r [PointVector]>),
    repeats: bool,
) -> TileReads<'r, 't> {
    let mut found = TileReads { cursor, points, beyond, repeats, reads: vec![], components: vec![] };
    for (point, numbers) in cursor.tile.numbers().iter().enumerate() {
        let mut components = vec![None; nest.workload.input_types.len()];
        for (buffer, groups) in nest.groups.iter().enumerate() {
            for (number, group) in groups.iter().enumerate() {
                for (access, &component) in group.components.iter().enumerate() {
                    let element = element(nest, cursor, (buffer, number, group), access, numbers);
                    components[component] = Some(found.position(&element).unwrap_or_else(|| {
                        found.reads.push(Read { element, point, access, value: None });
                        found.reads.len() - 1
                    }));
                }
            }
        }
        found.components.push(components);
    }
    found
}

/// The element that an access of a group reads at the point with these part numbers in a register tile.
fn element<'t>(
    nest: &Construction<'_, 't>,
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
        let stride = nest.space.strides[layer][dimension].constant().filter(|_| !cursor.tile.checks(dimension));
        match stride.and_then(|stride| stride.checked_mul(number)) {
            Some(distance) => indices = access.moved(&indices, dimension, distance),
            None => others.push((level, number)),
        }
    }
    RelativeElement { buffer, group, indices, numbers: others }
}

/// The arguments of the scalar function at a point of the tile.
pub fn arguments<'t>(nest: &Construction<'_, 't>, reads: &mut TileReads<'_, 't>, point: usize) -> Vec<Value> {
    let positions: Vec<_> = reads.components[point].iter().flatten().copied().collect();
    positions.into_iter().map(|position| read(nest, reads, position)).collect()
}

/// The value of an element.
fn read<'t>(nest: &Construction<'_, 't>, reads: &mut TileReads<'_, 't>, position: usize) -> Value {
    if let Some(known) = reads.reads[position].value {
        return known;
    }
    let value = match neighbors(nest, reads, position) {
        Some((first, next, distance)) => {
            let both = [first, next].map(|neighbor| read(nest, reads, neighbor));
            let b = &reads.cursor.b;
            let ty = b.type_of(both[0]);
            let lanes = reads.cursor.tile.lanes().map_or(0, |lanes| lanes.count);
            b.value(Operation::Permute((distance..distance + lanes).collect()), &both, ty)
        }
        None => load(nest, reads, position),
    };
    reads.reads[position].value = Some(value);
    value
}

/// Loads an element.
fn load<'t>(nest: &Construction<'_, 't>, reads: &TileReads<'_, 't>, position: usize) -> Value {
    let (cursor, read) = (reads.cursor, &reads.reads[position]);
    let (b, lanes) = (&cursor.b, cursor.tile.lanes());
    let RelativeElement { buffer, group, .. } = read.element;
    let (source, group) = (&cursor.sources[buffer][group], &nest.groups[buffer][group]);
    if let Some(next) = prefetch::next_run(nest, cursor, buffer, group, &reads.points[read.point].point) {
        source.access(b, &nest.space, group, read.access, &next, lanes).prefetch(b);
    }
    let has_memory = || cursor.tile.checked().iter().all(|&d| source.has_memory_past_end(d));
    let point = &reads.beyond.filter(|_| has_memory()).unwrap_or(reads.points)[read.point];
    let address = source.access(b, &nest.space, group, read.access, &point.point, lanes);
    address.load(b, nest.workload.inputs[buffer].array.element, lanes, &point.mask, reads.repeats)
}

/// The positions of two loads with all lanes of an element's vector, and the lane where they begin; `None` if it is
/// loaded.
fn neighbors<'t>(
    nest: &Construction<'_, 't>,
    reads: &TileReads<'_, 't>,
    position: usize,
) -> Option<(usize, usize, i64)> {
    let lanes = reads.cursor.tile.lanes()?;
    let Read { element, access, .. } = &reads.reads[position];
    let RelativeElement { buffer, group, .. } = *element;
    let (source, access) = (&reads.cursor.sources[buffer][group], &nest.groups[buffer][group].accesses()[*access]);
    let array = &nest.workload.inputs[buffer].array;
    let Level { layer, dimension } = lanes.level;
    let is_adjacent = nest.space.strides[layer][dimension].constant() == Some(1)
        && access.is_contiguous_along(dimension)
        && access.axis(dimension).is_some()
        && array.has_unit_stride()
        && array.element.is_packed_alike();
    let is_line = array.element.bytes() * lanes.count.unsigned_abs() >= LINE;
    if nest.kernels.is_some() || !source.is_user() || !is_adjacent || !is_line {
        return None;
    }
    let index = |of: &RelativeElement| of.indices.last().copied();
    let (own, outer) = element.indices.split_last()?;
    let is_alike = |other: &&Read| {
        let of = &other.element;
        let is_outer = of.indices.split_last().is_some_and(|(_, others)| others == outer);
        (of.buffer, of.group, &of.numbers) == (buffer, group, &element.numbers) && is_outer
    };
    let first = reads.reads.iter().filter(is_alike).filter_map(|other| index(&other.element)).min()?;
    let distance = own.checked_sub(first)?.checked_rem(lanes.count)?;
    let is_full = |read: &usize| reads.points[reads.reads[*read].point].mask.lanes.is_none();
    let loaded = |distance: i64| reads.position(&element.at(distance)?).filter(is_full);
    if distance == 0 || !is_full(&position) {
        return None;
    }
    Some((loaded(-distance)?, loaded(lanes.count - distance)?, distance))
}

impl TileReads<'_, '_> {
    /// The position of the read of an element.
    fn position(&self, element: &RelativeElement) -> Option<usize> {
        self.reads.iter().position(|read| read.element == *element)
    }
}
