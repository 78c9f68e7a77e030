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
use crate::{analysis::index::Single, lower::index::Index, schedule::memory};
use mdh_dialects::ir::{self, Builder, Val};
use melior::ir::{Attribute, ValueLike, r#type::MemRefType};

/// The bytes of the widest access.
const BYTES: i64 = 16;

impl<'c> Copy<'_, 'c> {
    /// How many neighbours one thread of so many copies at once: as many as leave work for all threads.
    pub(super) fn width(&self, kinds: &[Digit], bases: &[Index<'c>], threads: Index<'c>) -> i64 {
        let total = bases.iter().map(|base| base.constant()).product::<Option<i64>>();
        let Some((total, threads)) = total.zip(threads.constant()) else { return 1 };
        let mut width = BYTES / memory::bytes(self.promotion.element) as i64;
        let is_possible = |width: i64| {
            total / width >= threads
                && self.is_aligned(kinds, bases, width)
                && (!self.is_asynchronous() || self.is_stored_whole(kinds, width))
        };
        while width > 1 && !is_possible(width) {
            width /= 2;
        }
        width.max(1)
    }

    /// Whether so many neighbours in the user's buffer are there together or not at all, at a multiple of their bytes.
    fn is_aligned(&self, kinds: &[Digit], bases: &[Index<'c>], width: i64) -> bool {
        let space = self.promotion.space;
        let (Some(part), Some(&Digit::Run { axis, dimension: d, first, last })) = (&self.to.part, kinds.first()) else {
            return false;
        };
        let Axis::Single(Single { stride: 1, origin, .. }) = part.axes[axis] else { return false };
        let r#type = self.from.memref.r#type();
        let is_memory = MemRefType::try_from(r#type).is_ok_and(|memref| memref.memory_space().is_none());
        let Some((strides, offset)) = ir::strides(r#type).filter(|_| is_memory) else { return false };
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
            && self.promotion.element.to_string() != "i1"
    }

    /// Whether neighbours in the user's buffer are neighbours in the part, at a multiple of their bytes.
    fn is_stored_whole(&self, kinds: &[Digit], width: i64) -> bool {
        let (Some(part), Some(&Digit::Run { axis, dimension: d, first, last })) = (&self.to.part, kinds.first()) else {
            return false;
        };
        let layers: Vec<_> =
            self.promotion.space.layers[d].iter().copied().filter(|layer| (first..=last).contains(layer)).collect();
        let is_run = |strip: &Strip| strip.axis == axis && strip.layers == layers;
        let strides = ir::strides(self.to.memref.r#type()).map(|(strides, _)| strides).unwrap_or_default();
        let rows = strides.split_last().map_or(&[][..], |(_, rows)| rows);
        part.strips.last().is_some_and(is_run)
            && rows.iter().all(|stride| stride.is_some_and(|stride| stride % width == 0))
    }

    /// Reads an element, or a vector of so many neighbours, of which this is the position of the first.
    pub(super) fn read(&self, b: &Builder<'c>, first: &[Position<'c>], width: i64) -> Val<'c> {
        let (space, element) = (self.promotion.space, self.promotion.element);
        if width == 1 {
            return self.from.load(b, space, first, element);
        }
        let mut operands = vec![self.from.memref];
        operands.extend(self.from.address(b, space, first).into_iter().map(|index| index.materialize(b)));
        let r#type = b.vector(width, element);
        b.value("vector.load", &operands, r#type, &self.aligned(b, width))
    }

    /// Writes an element, or a vector of neighbours.
    pub(super) fn write(&self, b: &Builder<'c>, kinds: &[Digit], positions: &[Vec<Position<'c>>], value: Val<'c>) {
        let (space, element) = (self.promotion.space, self.promotion.element);
        let store = |name: &str, value: Val<'c>, positions: &[Position<'c>], attributes: &[_]| {
            let mut operands = vec![value, self.to.memref];
            let address = self.to.address(b, space, positions);
            operands.extend(address.into_iter().map(|index| index.materialize(b)));
            b.op(name, &operands, &[], attributes, vec![]);
        };
        let width = positions.len() as i64;
        if width == 1 {
            return store("memref.store", value, &positions[0], &[]);
        }
        if self.is_stored_whole(kinds, width) {
            return store("vector.store", value, &positions[0], &self.aligned(b, width));
        }
        for (i, positions) in positions.iter().enumerate() {
            let position = [("static_position", b.numbers(&[i as i64]))];
            store("memref.store", b.value("vector.extract", &[value], element, &position), positions, &[]);
        }
    }

    /// The alignment of so many neighbours.
    fn aligned(&self, b: &Builder<'c>, width: i64) -> [(&'static str, Attribute<'c>); 1] {
        let bytes = width * memory::bytes(self.promotion.element) as i64;
        [("alignment", b.i64_number(bytes))]
    }
}
