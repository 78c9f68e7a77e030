//! What some places of a tiling touch of a buffer.
use super::super::{
    super::problem::{Access, Problem},
    tiling::{Place, Tiling},
};
use crate::lower::source::padded;

/// The bytes that memory moves at least.
pub(super) const SECTOR: u64 = 32;

/// What is free inside of a part in shared memory: the threads of a block share it.
const OF_PART: [Place; 4] = [Place::Inner, Place::Registers, Place::Warps, Place::Threads];

/// The distance of the first and the last constant in an axis, over the accesses that share what they touch.
fn constants(problem: &Problem, access: &Access, axis: usize) -> u64 {
    let shares = problem.accesses.iter().filter(|other| {
        (other.is_output, other.buffer) == (access.is_output, access.buffer)
            && other.function.coefficients == access.function.coefficients
    });
    let constants = shares.map(|other| other.function.constants[axis]);
    let (low, high) = constants.fold((i64::MAX, i64::MIN), |(low, high), c| (low.min(c), high.max(c)));
    high.abs_diff(low)
}

/// The only dimension of an axis, if there is one and all accesses have the same constant.
fn single(problem: &Problem, access: &Access, axis: usize) -> Option<usize> {
    let mut used = access.function.coefficients[axis].iter().enumerate().filter(|(_, c)| **c != 0);
    let (d, _) = used.next()?;
    (used.next().is_none() && constants(problem, access, axis) == 0).then_some(d)
}

/// From the first to the last index of an axis that some places reach, both included.
fn span(problem: &Problem, access: &Access, axis: usize, covered: &dyn Fn(usize) -> u64) -> u64 {
    let row = access.function.coefficients[axis].iter().enumerate().filter(|(_, c)| **c != 0);
    let distance = row.map(|(d, c)| c.unsigned_abs().saturating_mul(covered(d).saturating_sub(1)));
    distance.fold(constants(problem, access, axis).saturating_add(1), u64::saturating_add)
}

/// The bytes of an access that some places reach, in whole transactions.
pub(super) fn touched(problem: &Problem, access: &Access, tiling: &Tiling, places: &[Place]) -> f64 {
    let covered = |d: usize| tiling.columns[d].covered(places).min(problem.extents[d]);
    let axes = access.function.coefficients.len();
    let mut elements = 1.0;
    for axis in 0..axes {
        let row = &access.function.coefficients[axis];
        let points = (0..row.len()).filter(|&d| row[d] != 0).fold(1u64, |points, d| points.saturating_mul(covered(d)));
        let points = points.saturating_add(constants(problem, access, axis));
        let span = span(problem, access, axis, &covered).min(access.sizes[axis].max(1));
        let count = points.min(span);
        elements *= if axis + 1 == axes {
            let sectors = span.saturating_mul(access.bytes).div_ceil(SECTOR).min(count);
            (sectors * SECTOR) as f64
        } else {
            count as f64
        };
    }
    if axes == 0 { access.bytes as f64 } else { elements }
}

/// The sizes of a part in shared memory, the slowest axis first; rows that would meet in few banks are longer.
fn sizes_of_part(problem: &Problem, access: &Access, tiling: &Tiling) -> Vec<u64> {
    let covered = |d: usize| tiling.columns[d].covered(&OF_PART);
    let size = |axis: usize| match single(problem, access, axis) {
        Some(d) => covered(d),
        None => span(problem, access, axis, &covered),
    };
    let mut sizes: Vec<_> = (0..access.function.coefficients.len()).map(size).collect();
    if let [_, .., last] = sizes.as_mut_slice() {
        *last = padded(*last, access.bytes);
    }
    sizes
}

/// The bytes of a part in shared memory.
pub(super) fn bytes_of_part(problem: &Problem, access: &Access, tiling: &Tiling) -> u64 {
    sizes_of_part(problem, access, tiling).into_iter().fold(access.bytes, u64::saturating_mul)
}

/// By dimension how many elements apart neighbours are in a part in shared memory.
pub(super) fn strides_of_part(problem: &Problem, access: &Access, tiling: &Tiling) -> Vec<i64> {
    let mut strides = vec![0i64; tiling.columns.len()];
    let mut size = 1i64;
    let sizes = sizes_of_part(problem, access, tiling);
    for (axis, extent) in sizes.iter().enumerate().rev() {
        let is_single = single(problem, access, axis).is_some();
        for (d, c) in access.function.coefficients[axis].iter().enumerate() {
            let step = if is_single { c.signum() } else { *c };
            strides[d] = strides[d].saturating_add(step.saturating_mul(size));
        }
        size = size.saturating_mul(i64::try_from(*extent).unwrap_or(i64::MAX));
    }
    strides
}
