//! Vectorized copies: several adjacent elements at once, up to 128 bits.
//!
//! ```mlir
//! // mdh-opt --lower-mdh="target=cuda stop-after=loops print-nest=true"
//! func.func @rows(%M: memref<8x4xf32>, %w: memref<8xf32>) {
//!   %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<8x4xf32>) -> !mdh.mda<8x4, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[1, 1], [8, 1], [1, 1], [1, 4], [1, 1]],
//!       decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]],
//!                    reads = [[["SM[1, 2]", "SM[1, 2]"], ["SM[1, 2]", "SM[1, 2]"], ["SM[1, 2]", "SM[1, 2]"], ["SM[1, 2]", "SM[1, 2]"], ["SM[1, 2]", "SM[1, 2]"]]]},
//!       scalar = {reads = ["SM[1, 2]"]}}} {
//!   ^bb0(%a: f32):
//!     mdh.hom.yield %a : f32
//!   } : !mdh.mda<8x4, f32> -> !mdh.mda<8x1, f32>
//!   mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
//!   return
//! }
//! ```
//! becomes
//! ```text
//! kernel blocks (1, 1, 1) threads (8, 1, 1):
//!   allocate part1: 8 x 4 x f32, shared
//!   barrier
//!   promote input 1 to SM[1, 2]:
//!     %0 = load 4 of device input 1[i32(4 * thread.x) / 4, i32(4 * thread.x) % 4], aligned to 16
//!     store %0 to 4 of part1[i32(4 * thread.x) / 4, i32(4 * thread.x) % 4], aligned to 16
//!   barrier
//! ```
//!
//! Adjacent elements of the user's buffer are loaded as a vector. They are stored as a vector if they are adjacent in
//! the part, too, and one by one otherwise, such as in a transposed part.
use super::{AxisPosition, Copy, PartAxis, StoredDimension, flat::Digit};
use crate::{
    analysis::index::SingleDimension,
    nest::{
        code::Code,
        index::Index,
        tree::{self, Operation, Value, VectorAccess},
        types::{Element, Type},
    },
};

/// Bytes of the widest access.
const BYTES: i64 = 16;

impl<'t> Copy<'_, 't> {
    /// The number of adjacent elements that each of `threads` threads copies at once: the largest power of two for
    /// which accesses are aligned and all threads have work; 1 if sizes are dynamic.
    pub(super) fn width(&self, b: &Code<'_>, digits: &[Digit], bases: &[Index], threads: Index) -> i64 {
        let total = bases.iter().map(|base| base.constant()).product::<Option<i64>>();
        let Some((total, threads)) = total.zip(threads.constant()) else { return 1 };
        let mut width = BYTES / self.promotion.element.bytes() as i64;
        let is_possible = |width: i64| {
            total / width >= threads
                && self.is_aligned(b, digits, bases, width)
                && (!self.is_asynchronous(b) || self.is_stored_whole(b, digits, width))
        };
        while width > 1 && !is_possible(width) {
            width /= 2;
        }
        width.max(1)
    }

    /// True if each group of `width` adjacent elements in the user's buffer is entirely in bounds or entirely out of
    /// bounds, and starts at a multiple of its bytes.
    fn is_aligned(&self, b: &Code<'_>, digits: &[Digit], bases: &[Index], width: i64) -> bool {
        let space = self.promotion.space;
        let (Some(part), Some(&Digit::Run { axis, dimension: d, first, last })) = (&self.to.part, digits.first())
        else {
            return false;
        };
        let PartAxis::Single(SingleDimension { stride: 1, origin, .. }) = part.axes[axis] else { return false };
        let array = b.recorder.array(self.from.buffer);
        let is_memory = array.space == tree::MemorySpace::Global;
        let Some((strides, offset)) = array.strides().filter(|_| is_memory) else { return false };
        let is_multiple = |value: Option<i64>| value.is_some_and(|value| value % width == 0);
        let rows = strides
            .iter()
            .enumerate()
            .all(|(i, stride)| if i == axis { *stride == Some(1) } else { is_multiple(*stride) });
        // All fixed levels, and all levels outside of the run, move by multiples of the width.
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

    /// True if adjacent elements in the user's buffer are adjacent in the part, at a multiple of their bytes.
    fn is_stored_whole(&self, b: &Code<'_>, digits: &[Digit], width: i64) -> bool {
        let (Some(part), Some(&Digit::Run { axis, dimension: d, first, last })) = (&self.to.part, digits.first())
        else {
            return false;
        };
        let layers: Vec<_> =
            self.promotion.space.layers[d].iter().copied().filter(|layer| (first..=last).contains(layer)).collect();
        let is_run = |stored: &StoredDimension| stored.axis == axis && stored.layers == layers;
        let strides = b.recorder.array(self.to.buffer).strides().map(|(strides, _)| strides).unwrap_or_default();
        let rows = strides.split_last().map_or(&[][..], |(_, rows)| rows);
        part.stored_dimensions.last().is_some_and(is_run)
            && rows.iter().all(|stride| stride.is_some_and(|stride| stride % width == 0))
    }

    /// Loads an element, or a vector of `width` adjacent elements starting at this position.
    pub(super) fn read(&self, b: &Code<'t>, first: &[AxisPosition], width: i64) -> Value {
        let (space, element) = (self.promotion.space, self.promotion.element);
        if width == 1 {
            return self.from.load(b, space, first);
        }
        let indices = self.from.address(b, space, first).into_iter().map(|index| index.materialize(b));
        let indices: Vec<_> = indices.collect();
        let operation = Operation::LoadVector(self.from.buffer, self.aligned(width));
        b.value(operation, &indices, Type::Vector(width, element))
    }

    /// Stores an element, or a vector of adjacent elements.
    pub(super) fn write(&self, b: &Code<'t>, digits: &[Digit], positions: &[Vec<AxisPosition>], value: Value) {
        let (space, element) = (self.promotion.space, self.promotion.element);
        let store = |operation: Operation, value: Value, positions: &[AxisPosition]| {
            let indices = self.to.address(b, space, positions).into_iter().map(|index| index.materialize(b));
            let operands: Vec<_> = [value].into_iter().chain(indices).collect();
            b.effect(operation, &operands);
        };
        let width = positions.len() as i64;
        if width == 1 {
            return store(Operation::Store(self.to.buffer), value, &positions[0]);
        }
        if self.is_stored_whole(b, digits, width) {
            return store(Operation::StoreVector(self.to.buffer, self.aligned(width)), value, &positions[0]);
        }
        for (i, positions) in positions.iter().enumerate() {
            let lane = b.value(Operation::Extract(Some(i as i64)), &[value], element.into());
            store(Operation::Store(self.to.buffer), lane, positions);
        }
    }

    /// The alignment of a vector of `width` elements.
    fn aligned(&self, width: i64) -> VectorAccess {
        VectorAccess { alignment: Some(width * self.promotion.element.bytes() as i64), is_nontemporal: false }
    }
}
