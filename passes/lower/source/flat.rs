//! Copies of parts by many threads.
//!
//! ```text
//! for x in 0..8: for y in 0..16: part[y][x] = buffer[origin + x][y]                 // by one
//! for n = thread; n < 128; n += threads: part[n % 16][n / 16] = buffer[origin + n / 16][n % 16]
//! ```
//!
//! Neighbouring threads read neighbours in the user's buffer, whatever the layout of the part is.
use super::{Axis, Copy, Position, Promotion, Source, Strip};
use crate::lower::{
    gpu::kernel::digits,
    index::Index::{self, Constant},
    loops,
    tile::and,
};
use mdh_dialects::ir::{Builder, Val};
use melior::ir::{ShapedTypeLike, ValueLike, r#type::MemRefType};

/// What a digit of an element's number counts.
pub(super) enum Digit {
    /// Neighbouring layers of an iteration dimension.
    Run { axis: usize, dimension: usize, first: usize, last: usize },
    /// The elements of an axis.
    Hull { axis: usize },
}

impl<'c> Source<'c> {
    /// Copies a part into its buffer; this thread is one of so many.
    pub fn fill_by_all(
        &self,
        b: &Builder<'c>,
        to: &Self,
        promotion: &Promotion<'_, 'c>,
        (thread, threads): (Index<'c>, Index<'c>),
    ) {
        let copy = Copy { from: self, to, promotion };
        let digits = copy.digits();
        let bases: Vec<_> = digits.iter().map(|digit| copy.base(b, digit)).collect();
        let width = copy.width(&digits, &bases, threads);
        let total = bases.iter().fold(Constant(1), |total, base| total.mul(b, *base));
        let groups = total.ceildiv(b, Constant(width));
        let rounds = groups.ceildiv(b, threads);
        loops::sequential(b, rounds, |b, round| {
            let number = round.mul(b, threads).add(b, thread);
            let first = number.mul(b, Constant(width));
            let is_exact =
                groups.constant().zip(threads.constant()).is_some_and(|(groups, threads)| groups % threads == 0);
            if is_exact {
                return copy.numbered(b, &digits, &bases, first, width);
            }
            let exists = number.compare(b, 2, groups);
            loops::when(b, exists, |b| copy.numbered(b, &digits, &bases, first, width));
        });
    }
}

impl<'c> Copy<'_, 'c> {
    /// Whether the device copies elements by itself: 4 or 8 bytes at a time, from global to shared memory.
    pub(super) fn is_asynchronous(&self) -> bool {
        let is_global = MemRefType::try_from(self.from.memref.r#type())
            .is_ok_and(|memref| memref.memory_space().is_none() && memref.rank() > 0);
        let is_word = ["f32", "f64", "i32", "i64"].contains(&self.promotion.element.to_string().as_str());
        self.promotion.is_asynchronous && is_global && is_word
    }

    /// Begins to copy an element and its neighbours, so many, which are there when their group has been waited for.
    pub(super) fn start(&self, b: &Builder<'c>, positions: &[Position<'c>], width: i64) {
        let space = self.promotion.space;
        let (to, from) = (self.to.address(b, space, positions), self.from.address(b, space, positions));
        let segments = format!("array<i32: 1, {}, 1, {}, 0>", to.len(), from.len());
        let indices = |address: Vec<Index<'c>>| address.into_iter().map(|index| index.materialize(b));
        let mut operands = vec![self.to.memref];
        operands.extend(indices(to));
        operands.push(self.from.memref);
        operands.extend(indices(from));
        let attributes = [
            ("dstElements", b.attribute(&format!("{width} : index"))),
            ("operandSegmentSizes", b.attribute(&segments)),
        ];
        b.value("nvgpu.device_async_copy", &operands, b.r#type("!nvgpu.device.async.token"), &attributes);
    }

    /// The digits of an element's number, the one that counts fastest first: the fastest axis of the user's buffer.
    fn digits(&self) -> Vec<Digit> {
        let Some(part) = &self.to.part else { return vec![] };
        let mut strips: Vec<&Strip> = part.strips.iter().collect();
        strips.sort_by_key(|strip| strip.axis);
        let mut digits = vec![];
        for strip in strips {
            match &part.axes[strip.axis] {
                Axis::Single { dimension, .. } => {
                    let mut layers = strip.layers.clone();
                    while let Some(&(first, last)) = self.promotion.space.runs(*dimension, &layers).first() {
                        let last = self.together(*dimension, &layers, first, last);
                        digits.push(Digit::Run { axis: strip.axis, dimension: *dimension, first, last });
                        layers.retain(|layer| *layer > last);
                    }
                }
                Axis::Hull { .. } => digits.push(Digit::Hull { axis: strip.axis }),
            }
        }
        digits.reverse();
        digits
    }

    /// How many values a digit has at most.
    fn base(&self, b: &Builder<'c>, digit: &Digit) -> Index<'c> {
        let space = self.promotion.space;
        match digit {
            Digit::Run { dimension: d, first, last, .. } => {
                let layers: Vec<_> = (*first..=*last).filter(|layer| space.layers[*d].contains(layer)).collect();
                space.size(b, *d, &layers)
            }
            Digit::Hull { axis } => {
                let size = self.reached(b, *axis, self.promotion.point);
                size.constant().map_or(size, Constant)
            }
        }
    }

    /// Copies the element of a number, and those of the numbers behind it, so many in all.
    fn numbered(&self, b: &Builder<'c>, kinds: &[Digit], bases: &[Index<'c>], number: Index<'c>, width: i64) {
        let numbers = digits(b, number, bases);
        let (first, exists) = self.positions(b, kinds, &numbers);
        let copy = |b: &Builder<'c>| {
            if width == 1 {
                self.element(b, &first);
            } else {
                let mut all = vec![first.clone()];
                for i in 1..width {
                    let mut numbers = numbers.clone();
                    numbers[0] = numbers[0].add(b, Constant(i));
                    all.push(self.positions(b, kinds, &numbers).0);
                }
                self.neighbours(b, kinds, &all);
            }
        };
        match exists {
            Some(exists) => loops::when(b, exists, copy),
            None => copy(b),
        }
    }

    /// The positions of an element by its digits, and the condition under which it exists; it does if this is not given.
    fn positions(
        &self,
        b: &Builder<'c>,
        kinds: &[Digit],
        numbers: &[Index<'c>],
    ) -> (Vec<Position<'c>>, Option<Val<'c>>) {
        let Promotion { space, group, point, .. } = *self.promotion;
        let mut positions = vec![Position { global: Constant(0), point: point.clone() }; group.coefficients.len()];
        let mut exists: Option<Val<'c>> = None;
        let Some(part) = &self.to.part else { return (positions, exists) };
        // Whether the number of a layer exists depends on those outside of it, which count slower.
        for (kind, &number) in kinds.iter().zip(numbers).rev() {
            match *kind {
                Digit::Run { axis, dimension: d, first, last } => {
                    let before = &positions[axis].point;
                    let is_whole = space.runs(d, &space.layers[d]) == [(first, last)];
                    if !space.is_exact(d) && !is_whole {
                        let trip = space.trip(b, d, first, last, before.offset(b, space, d));
                        exists = Some(and(b, exists, number.compare(b, 2, trip)));
                    }
                    positions[axis].point = before.with(d, first, last, number);
                }
                Digit::Hull { axis } => {
                    if let Axis::Hull { origin } = part.axes[axis] {
                        positions[axis].global = origin.add(b, number);
                    }
                }
            }
        }
        for (position, axis) in positions.iter_mut().zip(&part.axes) {
            if let Axis::Single { dimension, coefficient, constant } = axis {
                let index = position.point.offset(b, space, *dimension);
                position.global = index.mul(b, Constant(*coefficient)).add(b, Constant(*constant));
            }
        }
        (positions, exists)
    }
}
