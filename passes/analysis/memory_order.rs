//! The order of a buffer's axes in memory, for models of the costs of accesses.
//!
//! ```text
//! memref<512x4096xf32>                                          axes 0, 1        sizes 512, 4096
//! memref<512x4096xf32, strided<[1, 512]>>                       axes 1, 0        sizes 4096, 512
//! memref<512x4000xf32, strided<[8192, 2]>>                      axes 0, 1, -     sizes 512, 4096, 2
//! ```
//!
//! A strided buffer counts as one with its axes in the order of their strides, the slowest first, and with the sizes that
//! have these strides. If no axis is contiguous, one of constant index 0 follows.
use super::{computation::AccessedBuffer, index::Access};
use mdh_dialects::ir::{self, Val};
use melior::ir::ValueLike;
use std::cmp::Reverse;

/// The order of the axes of a buffer in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryOrder {
    /// The axes of the buffer, slowest first.
    axes: Vec<usize>,
    /// By position in memory: false for an axis of stride 0, whose index does not change the element.
    moves: Vec<bool>,
    /// By position in memory: the size that the strides imply; `None` if it is dynamic.
    sizes: Vec<Option<u64>>,
}

impl MemoryOrder {
    /// The order of the axes of a tensor or memref, from the strides of its type, or of the memref that it is a cast of.
    /// Axes of unknown strides are the slowest ones, in the order of the type, if another one is contiguous.
    pub fn of(buffer: &AccessedBuffer<'_>) -> Self {
        Self::with_strides(&buffer.shape, &strides(buffer.value, buffer.shape.len()))
    }

    /// The order of axes of some sizes and strides; without strides, that of a row-major buffer.
    fn with_strides(shape: &[Option<u64>], strides: &[Option<u64>]) -> Self {
        let mut axes: Vec<_> = (0..shape.len()).collect();
        let is_clear = |least: &u64| *least == 1 || strides.iter().all(Option::is_some);
        let least = strides.iter().flatten().filter(|stride| **stride > 0).min().copied().filter(is_clear);
        let Some(least) = least else {
            return Self { moves: vec![true; axes.len()], sizes: shape.to_vec(), axes };
        };
        let moves = |axis: &usize| strides[*axis] != Some(0);
        axes.sort_by_key(|axis| Reverse(strides[*axis].filter(|stride| *stride > 0).unwrap_or(u64::MAX)));
        let size = |position: usize| {
            let (axis, around) = (axes[position], position.checked_sub(1).map(|around| axes[around]));
            let ratio = around.and_then(|around| strides[around]?.checked_div(strides[axis]?));
            ratio
                .filter(|ratio| *ratio > 0)
                .or(shape[axis])
                .filter(|_| moves(&axis))
                .or(Some(1).filter(|_| !moves(&axis)))
        };
        let mut sizes: Vec<_> = (0..axes.len()).map(size).collect();
        sizes.extend((least > 1).then_some(Some(least)));
        Self { moves: axes.iter().map(moves).collect(), sizes, axes }
    }

    /// By position in memory: the size; `None` if it is dynamic.
    pub fn sizes(&self) -> &[Option<u64>] {
        &self.sizes
    }

    /// True if the last axis of the buffer is contiguous.
    pub fn has_contiguous_rows(&self) -> bool {
        self.sizes.len() == self.axes.len() && self.axes.last().is_none_or(|last| *last + 1 == self.axes.len())
    }

    /// An access to the buffer with its axes in the order of the memory.
    pub fn access(&self, access: &Access) -> Access {
        let axes = self.axes.iter().zip(&self.moves).map(|(axis, moves)| moves.then_some(*axis));
        access.with_axes(axes.chain((self.axes.len()..self.sizes.len()).map(|_| None)))
    }

    /// The axes of the buffer at these positions in memory.
    pub fn to_buffer(&self, positions: &[usize]) -> Vec<usize> {
        positions.iter().map(|position| self.axes.get(*position).copied().unwrap_or(*position)).collect()
    }

    /// The positions in memory of these axes of the buffer.
    pub fn to_memory(&self, axes: &[usize]) -> Vec<usize> {
        let position = |axis: &usize| self.axes.iter().position(|known| known == axis).unwrap_or(*axis);
        axes.iter().map(position).collect()
    }
}

/// The strides of a memref in elements, those that are known; of a tensor none.
fn strides(value: Val<'_>, rank: usize) -> Vec<Option<u64>> {
    let mut known = vec![None; rank];
    let mut current = Some(value);
    while let Some((strides, _)) = current.and_then(|value| ir::strides(value.r#type())) {
        for (known, stride) in known.iter_mut().zip(strides) {
            *known = known.or(stride.map(i64::unsigned_abs));
        }
        let cast = current.and_then(ir::defining).filter(|operation| ir::name(*operation) == "memref.cast");
        current = cast.and_then(|cast| ir::operands(cast).first().copied());
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(shape: &[u64], strides: &[Option<u64>]) -> MemoryOrder {
        MemoryOrder::with_strides(&shape.iter().copied().map(Some).collect::<Vec<_>>(), strides)
    }

    #[test]
    fn axes_are_in_the_order_of_their_strides() {
        let order = order(&[512, 4096, 3], &[Some(3), Some(1536), Some(1)]);
        assert_eq!(order.sizes(), [Some(4096), Some(512), Some(3)]);
        assert_eq!(order.to_buffer(&[0, 1, 2]), [1, 0, 2]);
        assert_eq!(order.to_memory(&[2, 1, 0]), [2, 0, 1]);
        assert!(order.has_contiguous_rows());
        // (d0, d1) -> (d0, 2 * d1, 1)
        let access = Access::new([(vec![1, 0], 0), (vec![0, 2], 0), (vec![0, 0], 1)]);
        assert_eq!(order.access(&access), Access::new([(vec![0, 2], 0), (vec![1, 0], 0), (vec![0, 0], 1)]));
    }

    #[test]
    fn what_is_not_contiguous_has_one_more_axis() {
        let order = order(&[512, 4000], &[Some(8192), Some(2)]);
        assert_eq!(order.sizes(), [Some(512), Some(4096), Some(2)]);
        assert!(!order.has_contiguous_rows());
        let access = order.access(&Access::new([(vec![1, 0], 0), (vec![0, 1], 0)]));
        assert_eq!(access, Access::new([(vec![1, 0], 0), (vec![0, 1], 0), (vec![0, 0], 0)]));
        assert_eq!(access.distance(1, [512, 4096, 2].into_iter()), 2);
    }

    #[test]
    fn unknown_strides_are_large() {
        let order = order(&[512, 4096], &[Some(1), None]);
        assert_eq!((order.sizes(), order.to_buffer(&[0, 1])), (&[Some(4096), Some(512)][..], vec![1, 0]));
        assert!(!order.has_contiguous_rows());
    }

    #[test]
    fn without_strides_a_buffer_is_row_major() {
        let order = MemoryOrder::with_strides(&[None, Some(3)], &[None, None]);
        assert_eq!((order.sizes(), order.to_memory(&[1, 0])), (&[None, Some(3)][..], vec![1, 0]));
        assert!(order.has_contiguous_rows());
    }

    #[test]
    fn axes_of_stride_0_move_nothing() {
        let order = order(&[8, 16], &[Some(0), Some(1)]);
        assert_eq!(order.sizes(), [Some(1), Some(16)]);
        let access = order.access(&Access::new([(vec![1, 0], 0), (vec![0, 1], 0)]));
        assert_eq!(access, Access::new([(vec![0, 0], 0), (vec![0, 1], 0)]));
    }
}
