//! Copies of parts by many threads, each of which copies elements at linear indices.
//!
//! ```mlir
//! // mdh-opt --lower-mdh="target=cuda stop-after=loops print-nest=true"
//! func.func @rows(%M: memref<4x3xf32>, %w: memref<4xf32>) {
//!   %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<4x3xf32>) -> !mdh.mda<4x3, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[1, 1], [4, 1], [1, 1], [1, 3], [1, 1]],
//!       decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]],
//!                    reads = [[["SM[2, 1]", "SM[2, 1]"], ["SM[2, 1]", "SM[2, 1]"], ["SM[2, 1]", "SM[2, 1]"], ["SM[2, 1]", "SM[2, 1]"], ["SM[2, 1]", "SM[2, 1]"]]]},
//!       scalar = {reads = ["SM[2, 1]"]}}} {
//!   ^bb0(%a: f32):
//!     mdh.hom.yield %a : f32
//!   } : !mdh.mda<4x3, f32> -> !mdh.mda<4x1, f32>
//!   mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<4x1, f32>, memref<4xf32>
//!   return
//! }
//! ```
//! becomes, with a transposed part,
//! ```text
//! kernel blocks (1, 1, 1) threads (4, 1, 1):
//!   allocate part1: 3 x 4 x f32, shared
//!   barrier
//!   promote input 1 to SM[2, 1]:
//!     %0 = load device input 1[i32(thread.x) / 3, i32(thread.x) % 3]
//!     %1 = load device input 1[i32(thread.x + 4) / 3, i32(thread.x + 4) % 3]
//!     %2 = load device input 1[i32(thread.x + 8) / 3, i32(thread.x + 8) % 3]
//!     store %0 to part1[i32(thread.x) % 3, i32(thread.x) / 3]
//!     store %1 to part1[i32(thread.x + 4) % 3, i32(thread.x + 4) / 3]
//!     store %2 to part1[i32(thread.x + 8) % 3, i32(thread.x + 8) / 3]
//!   barrier
//! ```
//!
//! Adjacent threads read adjacent elements of the user's buffer (coalesced), for any layout of the part.
use super::{AxisPosition, Copy, PartAxis, Promotion, Source, StoredDimension, single_index};
use crate::analysis::index::SingleDimension;
use crate::nest::{
    code::Code,
    gpu::kernel::delinearize,
    index::Index::{self, Constant},
    loops,
    tile::and,
    tree::{MemorySpace, Operation, Value},
    types::Element,
};
use mdh_dialects::ir::{FloatType, IntPredicate};

/// A digit of the linear index of an element, in a mixed-radix system.
pub(super) enum Digit {
    /// The part number of a run of adjacent layers of an iteration dimension.
    Run { axis: usize, dimension: usize, first: usize, last: usize },
    /// The position along an axis.
    Hull { axis: usize },
}

impl Source {
    /// Copies a part into its buffer with `threads` threads, of which this is `thread`.
    pub fn copy_by_threads(
        &self,
        b: &Code<'_>,
        to: &Self,
        promotion: &Promotion<'_, '_>,
        (thread, threads): (Index, Index),
    ) {
        let copy = Copy { from: self, to, promotion };
        let digits = copy.digits();
        let bases: Vec<_> = digits.iter().map(|digit| copy.base(b, digit)).collect();
        let width = copy.width(b, &digits, &bases, threads);
        let total = bases.iter().fold(Constant(1), |total, base| total.mul(b, *base));
        let groups = total.ceildiv(b, Constant(width));
        let rounds = groups.ceildiv(b, threads);
        let is_exact = groups.constant().zip(threads.constant()).is_some_and(|(groups, threads)| groups % threads == 0);
        let go = |b: &Code<'_>, rounds: &[Index]| {
            let load = |round: &Index| {
                let number = round.mul(b, threads).add(b, thread);
                let exists = (!is_exact).then(|| number.compare(b, IntPredicate::Slt, groups));
                let number = if is_exact { number } else { number.min(b, groups.sub(b, Constant(1))) };
                copy.load(b, &digits, &bases, (number.mul(b, Constant(width)), width), exists)
            };
            // All loads are in flight before the first store.
            let loaded: Vec<_> = rounds.iter().map(load).collect();
            loaded.into_iter().for_each(|loaded| copy.store(b, &digits, loaded));
        };
        let all = |b: &Code<'_>| {
            let Some(count) = rounds.constant() else {
                return loops::sequential(b, rounds, |b, round| go(b, &[round]));
            };
            loops::sequential(b, Constant(count / LOADS_IN_FLIGHT), |b, i| {
                let first = i.mul(b, Constant(LOADS_IN_FLIGHT));
                go(b, &(0..LOADS_IN_FLIGHT).map(|round| first.add(b, Constant(round))).collect::<Vec<_>>());
            });
            go(b, &(count - count % LOADS_IN_FLIGHT..count).map(Constant).collect::<Vec<_>>());
        };
        match copy.inhabited(b) {
            Some(condition) => loops::when(b, condition, all),
            None => all(b),
        }
    }
}

/// The number of loads of a thread in flight.
const LOADS_IN_FLIGHT: i64 = 8;

/// Elements that a thread has loaded and will store.
struct Loaded {
    /// The source position of the first of the adjacent elements.
    from: Vec<AxisPosition>,
    /// The target positions of the adjacent elements, including those out of bounds.
    positions: Vec<Vec<AxisPosition>>,
    /// The element, or a vector of adjacent elements; `None` if it is loaded at the store.
    value: Option<Value>,
    /// The condition of the store; `None` if it is unconditional.
    exists: Option<Value>,
}

impl<'t> Copy<'_, 't> {
    /// True if the device copies the elements asynchronously: 4 or 8 bytes each, from global to shared memory.
    pub(super) fn is_asynchronous(&self, b: &Code<'_>) -> bool {
        let array = b.recorder.array(self.from.buffer);
        let is_global = array.space == MemorySpace::Global && !array.sizes.is_empty();
        let is_word = matches!(
            self.promotion.element,
            Element::Float(FloatType::F32 | FloatType::F64) | Element::Integer(32 | 64)
        );
        self.promotion.is_asynchronous && is_global && is_word
    }

    /// Starts an asynchronous copy of `width` adjacent elements, which is complete after a wait for its group.
    pub(super) fn start(&self, b: &Code<'t>, from: &[AxisPosition], to: &[AxisPosition], width: i64) {
        let space = self.promotion.space;
        let (to, from) = (self.to.address(b, space, to), self.from.address(b, space, from));
        let rank = to.len();
        let operands: Vec<_> = to.into_iter().chain(from).map(|index| index.materialize(b)).collect();
        b.effect(Operation::CopyAsync { to: self.to.buffer, from: self.from.buffer, rank, width }, &operands);
    }

    /// The digits of the linear index of an element, fastest-varying first: the fastest axis of the user's buffer.
    fn digits(&self) -> Vec<Digit> {
        let Some(part) = &self.to.part else { return vec![] };
        let mut stored_dimensions: Vec<&StoredDimension> = part.stored_dimensions.iter().collect();
        stored_dimensions.sort_by_key(|stored| stored.axis);
        let mut digits = vec![];
        for stored in stored_dimensions {
            match &part.axes[stored.axis] {
                PartAxis::Single(SingleDimension { dimension, .. }) => {
                    let mut layers = stored.layers.clone();
                    while let Some(&(first, last)) = self.promotion.space.runs(*dimension, &layers).first() {
                        let last = self.together(*dimension, &layers, first, last);
                        digits.push(Digit::Run { axis: stored.axis, dimension: *dimension, first, last });
                        layers.retain(|layer| *layer > last);
                    }
                }
                PartAxis::Hull { .. } => digits.push(Digit::Hull { axis: stored.axis }),
            }
        }
        digits.reverse();
        digits
    }

    /// The upper bound of a digit (its radix).
    fn base(&self, b: &Code<'t>, digit: &Digit) -> Index {
        let space = self.promotion.space;
        match digit {
            Digit::Run { dimension: d, first, last, .. } => {
                let layers: Vec<_> = (*first..=*last).filter(|layer| space.layers[*d].contains(layer)).collect();
                space.size(b, *d, &layers)
            }
            Digit::Hull { axis } => {
                let size = self.reached(b, *axis, self.promotion.point);
                // Division by a constant is the fastest way to decompose a linear index.
                let most = self.promotion.hull(b, *axis);
                let is_bounded = size.constant().is_none() && most.constant().is_some() && self.is_clamped_along(*axis);
                if is_bounded { most } else { size }
            }
        }
    }

    /// Loads `width` adjacent elements from linear index `number` on.
    fn load(
        &self,
        b: &Code<'t>,
        digits: &[Digit],
        bases: &[Index],
        (number, width): (Index, i64),
        exists: Option<Value>,
    ) -> Loaded {
        let digit_values = delinearize(b, number, bases);
        let neighbour = |i: i64| {
            let mut digit_values = digit_values.clone();
            if let Some(first) = digit_values.first_mut() {
                *first = first.add(b, Constant(i));
            }
            self.positions(b, digits, &digit_values)
        };
        let (first, inside) = neighbour(0);
        let positions: Vec<_> = std::iter::once(first).chain((1..width).map(|i| neighbour(i).0)).collect();
        let from = self.clamped(b, digits, &positions[0], width);
        let value = (inside.is_none() && !self.is_asynchronous(b)).then(|| self.read(b, &from, width));
        let exists = [exists, inside].into_iter().flatten().fold(None, |all, condition| Some(and(b, all, condition)));
        Loaded { from, positions, value, exists }
    }

    fn store(&self, b: &Code<'t>, digits: &[Digit], loaded: Loaded) {
        let Loaded { from, positions, value, exists } = &loaded;
        let width = positions.len() as i64;
        let store = |b: &Code<'t>| match value {
            None if self.is_asynchronous(b) => self.start(b, from, &positions[0], width),
            value => {
                let value = value.unwrap_or_else(|| self.read(b, from, width));
                self.write(b, digits, positions, value);
            }
        };
        match *exists {
            Some(exists) => loops::when(b, exists, store),
            None => store(b),
        }
    }

    /// True if indices past the end of a dimension are clamped to the end, so that the load needs no condition.
    fn is_clamped(&self, d: usize) -> bool {
        let Promotion { space, point, .. } = *self.promotion;
        let is_inhabited = space.extent(d).constant().map_or(!point.fixed[d].is_empty(), |extent| extent > 0);
        self.from.part.is_none() && is_inhabited
    }

    /// The condition under which clamped positions have an element to read: non-empty dimensions. `None` if this is
    /// known.
    fn inhabited(&self, b: &Code<'t>) -> Option<Value> {
        let Promotion { space, group, .. } = *self.promotion;
        let dimensions = (0..space.rank()).filter(|&d| group.depends_on(d) && self.is_clamped(d));
        let unknown = dimensions.filter(|&d| space.extent(d).constant().is_none());
        unknown.fold(None, |all, d| Some(and(b, all, space.extent(d).compare(b, IntPredicate::Sgt, Constant(0)))))
    }

    /// True if all dimensions that an axis depends on are clamped.
    fn is_clamped_along(&self, axis: usize) -> bool {
        self.promotion.group.terms(axis).all(|(d, _)| self.is_clamped(d))
    }

    /// The positions of an element by its digits, and the condition under which it can be read; `None` if it always
    /// can.
    fn positions(&self, b: &Code<'t>, digits: &[Digit], digit_values: &[Index]) -> (Vec<AxisPosition>, Option<Value>) {
        let Promotion { space, group, point, .. } = *self.promotion;
        let mut positions = vec![AxisPosition { global: Constant(0), point: point.clone() }; group.rank()];
        let mut exists: Option<Value> = None;
        let Some(part) = &self.to.part else { return (positions, exists) };
        // The bounds of an inner layer depend on the outer layers, which vary slower.
        for (kind, &number) in digits.iter().zip(digit_values).rev() {
            match *kind {
                Digit::Run { axis, dimension: d, first, last } => {
                    let before = &positions[axis].point;
                    if !space.is_exact(d) && !space.is_whole(d, first, last) && !self.is_clamped(d) {
                        let trip = space.trip(b, d, first, last, before);
                        exists = Some(and(b, exists, number.compare(b, IntPredicate::Slt, trip)));
                    }
                    positions[axis].point = before.with(d, first, last, number);
                }
                Digit::Hull { axis } => {
                    if let PartAxis::Hull { origin } = part.axes[axis] {
                        positions[axis].global = origin.add(b, number);
                    }
                }
            }
        }
        for (position, axis) in positions.iter_mut().zip(&part.axes) {
            if let PartAxis::Single(single) = axis {
                position.global = single_index(b, *single, position.point.index(b, space, single.dimension));
            }
        }
        (positions, exists)
    }

    /// The source positions of `width` adjacent elements, clamped to the end of the dimension if they are out of
    /// bounds.
    fn clamped(&self, b: &Code<'t>, digits: &[Digit], positions: &[AxisPosition], width: i64) -> Vec<AxisPosition> {
        let Promotion { space, point, .. } = *self.promotion;
        let mut positions = positions.to_vec();
        let Some(part) = &self.to.part else { return positions };
        let is_open = |d: usize, axis: usize| {
            let is_whole = |digit: &Digit| match *digit {
                Digit::Run { axis: of, first, last, .. } => of == axis && space.is_whole(d, first, last),
                Digit::Hull { .. } => false,
            };
            !space.is_exact(d) && self.is_clamped(d) && !digits.iter().any(is_whole)
        };
        let fastest = digits.first().map(|kind| match *kind {
            Digit::Run { axis, .. } | Digit::Hull { axis } => axis,
        });
        for (number, (position, axis)) in positions.iter_mut().zip(&part.axes).enumerate() {
            match axis {
                PartAxis::Single(single) if is_open(single.dimension, number) => {
                    // Elements that are loaded as a vector are either all in bounds or all out of bounds.
                    let last = if fastest == Some(number) { width } else { 1 };
                    let index = position.point.offset(b, space, single.dimension);
                    let end = space.extent(single.dimension).sub(b, Constant(last));
                    position.global = single_index(b, *single, index.min(b, end));
                }
                PartAxis::Hull { origin } if self.is_clamped_along(number) => {
                    let reached = self.reached(b, number, point);
                    if reached.constant().is_none() {
                        let last = origin.add(b, reached).sub(b, Constant(1));
                        position.global = position.global.min(b, last);
                    }
                }
                _ => {}
            }
        }
        positions
    }
}
