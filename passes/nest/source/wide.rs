//! Copies of several neighbouring elements at once, 128 bits at most.
//!
//! ```text
//! part[n / 16][n % 16] = buffer[origin + n / 16][n % 16]         // n by n
//! vector.store (vector.load buffer[origin + n / 4][n % 4 * 4]), part[n / 4][n % 4 * 4]
//! ```
//!
//! Neighbours of the user's buffer are read together, and written together where they are neighbours in the part, too: a transposed part
//! gets them one by one.
use super::{Axis, Copy, Position, Strip, flat::Digit};
use crate::{
    analysis::index::Single,
    nest::{
        code::Code,
        index::Index,
        tree::{self, Access, Operation, Value},
        types::{Element, Type},
    },
};

/// The bytes of the widest access.
const BYTES: i64 = 16;

impl<'t> Copy<'_, 't> {
    /// How many neighbours one thread of so many copies at once: as many as leave work for all threads.
    pub(super) fn width(&self, b: &Code<'_>, kinds: &[Digit], bases: &[Index], threads: Index) -> i64 {
        let total = bases.iter().map(|base| base.constant()).product::<Option<i64>>();
        let Some((total, threads)) = total.zip(threads.constant()) else { return 1 };
        let mut width = BYTES / self.promotion.element.bytes() as i64;
        let is_possible = |width: i64| {
            total / width >= threads
                && self.is_aligned(b, kinds, bases, width)
                && (!self.is_asynchronous(b) || self.is_stored_whole(b, kinds, width))
        };
        while width > 1 && !is_possible(width) {
            width /= 2;
        }
        width.max(1)
    }

    /// Whether so many neighbours in the user's buffer are there together or not at all, at a multiple of their bytes.
    fn is_aligned(&self, b: &Code<'_>, kinds: &[Digit], bases: &[Index], width: i64) -> bool {
        let space = self.promotion.space;
        let (Some(part), Some(&Digit::Run { axis, dimension: d, first, last })) = (&self.to.part, kinds.first()) else {
            return false;
        };
        let Axis::Single(Single { stride: 1, origin, .. }) = part.axes[axis] else { return false };
        let array = b.recorder.array(self.from.buffer);
        let is_memory = array.space == tree::Space::Global;
        let Some((strides, offset)) = array.strides().filter(|_| is_memory) else { return false };
        let is_multiple = |value: Option<i64>| value.is_some_and(|value| value % width == 0);
        let rows = strides
            .iter()
            .enumerate()
            .all(|(i, stride)| if i == axis { *stride == Some(1) } else { is_multiple(*stride) });
        // Whatever is fixed or counted outside of the run goes by multiples.
        let others = space.layers[d].iter().filter(|layer| !(first..=last).contains(layer));
        let is_whole = space.is_whole(d, first, last);
        self.from.part.is_none()
            && self.from.number.is_none()
            && rows
            && is_multiple(offset)
            && is_multiple(Some(origin))
            && is_multiple(bases.first().and_then(|base| base.constant()))
            && space.strides[last][d].constant() == Some(1)
            && others.into_iter().all(|&layer| is_multiple(space.strides[layer][d].constant()))
            && (space.is_exact(d) || is_whole || is_multiple(space.extent(d).constant()))
            && self.promotion.element != Element::BIT
    }

    /// Whether neighbours in the user's buffer are neighbours in the part, at a multiple of their bytes.
    fn is_stored_whole(&self, b: &Code<'_>, kinds: &[Digit], width: i64) -> bool {
        let (Some(part), Some(&Digit::Run { axis, dimension: d, first, last })) = (&self.to.part, kinds.first()) else {
            return false;
        };
        let layers: Vec<_> =
            self.promotion.space.layers[d].iter().copied().filter(|layer| (first..=last).contains(layer)).collect();
        let is_run = |strip: &Strip| strip.axis == axis && strip.layers == layers;
        let strides = b.recorder.array(self.to.buffer).strides().map(|(strides, _)| strides).unwrap_or_default();
        let rows = strides.split_last().map_or(&[][..], |(_, rows)| rows);
        part.strips.last().is_some_and(is_run)
            && rows.iter().all(|stride| stride.is_some_and(|stride| stride % width == 0))
    }

    /// Reads an element, or a vector of so many neighbours, of which this is the position of the first.
    pub(super) fn read(&self, b: &Code<'t>, first: &[Position], width: i64) -> Value {
        let (space, element) = (self.promotion.space, self.promotion.element);
        if width == 1 {
            return self.from.load(b, space, first);
        }
        let indices = self.from.address(b, space, first).into_iter().map(|index| index.materialize(b));
        let indices: Vec<_> = indices.collect();
        let operation = Operation::LoadVector(self.from.buffer, self.aligned(width));
        b.value(operation, &indices, Type::Vector(width, element))
    }

    /// Writes an element, or a vector of neighbours.
    pub(super) fn write(&self, b: &Code<'t>, kinds: &[Digit], positions: &[Vec<Position>], value: Value) {
        let (space, element) = (self.promotion.space, self.promotion.element);
        let store = |operation: Operation, value: Value, positions: &[Position]| {
            let indices = self.to.address(b, space, positions).into_iter().map(|index| index.materialize(b));
            let operands: Vec<_> = [value].into_iter().chain(indices).collect();
            b.effect(operation, &operands);
        };
        let width = positions.len() as i64;
        if width == 1 {
            return store(Operation::Store(self.to.buffer), value, &positions[0]);
        }
        if self.is_stored_whole(b, kinds, width) {
            return store(Operation::StoreVector(self.to.buffer, self.aligned(width)), value, &positions[0]);
        }
        for (i, positions) in positions.iter().enumerate() {
            let lane = b.value(Operation::Extract(Some(i as i64)), &[value], element.into());
            store(Operation::Store(self.to.buffer), lane, positions);
        }
    }

    /// The alignment of so many neighbours.
    fn aligned(&self, width: i64) -> Access {
        Access { alignment: Some(width * self.promotion.element.bytes() as i64), streams: false }
    }
}
