//! Proves that index functions reach different elements at different points: C8 and C9.
use super::IndexFunction;
use std::collections::HashSet;

/// The maximum number of points of a space to enumerate.
const MAX_POINTS: u64 = 1 << 16;

/// The rank of a matrix modulo a large prime, a lower bound of its rank over the integers.
fn rank(mut matrix: Vec<Vec<i64>>) -> usize {
    const PRIME: i128 = (1 << 61) - 1;
    let reduce = |value: i128| value.rem_euclid(PRIME) as i64;
    let product = |a: i64, b: i64| reduce(i128::from(a) * i128::from(b));
    let inverse = |value: i64| {
        let (mut result, mut power, mut exponent) = (1, value, PRIME - 2);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = product(result, power);
            }
            power = product(power, power);
            exponent >>= 1;
        }
        result
    };
    for value in matrix.iter_mut().flatten() {
        *value = reduce((*value).into());
    }
    let (mut rank, columns) = (0, matrix.first().map_or(0, Vec::len));
    for column in 0..columns {
        let Some(pivot) = (rank..matrix.len()).find(|&row| matrix[row][column] != 0) else { continue };
        matrix.swap(pivot, rank);
        let scale = inverse(matrix[rank][column]);
        let (above, below) = matrix.split_at_mut(rank + 1);
        for row in below {
            let factor = product(row[column], scale);
            for (value, known) in row.iter_mut().zip(&above[rank]).skip(column) {
                *value = reduce(i128::from(*value) - i128::from(factor) * i128::from(*known));
            }
        }
        rank += 1;
    }
    rank
}

/// True if one row distinguishes all of its dimensions: each coefficient is larger than the sum that the smaller ones
/// reach.
fn is_mixed_radix(row: &[i64], dimensions: &[usize], extents: &[Option<u64>]) -> bool {
    let mut order = dimensions.to_vec();
    order.sort_by_key(|&d| row[d].unsigned_abs());
    let mut reach = 0u64;
    for (i, &d) in order.iter().enumerate() {
        let size = row[d].unsigned_abs();
        if size <= reach {
            return false;
        }
        if i + 1 == order.len() {
            break;
        }
        let term = extents[d].and_then(|extent| size.checked_mul(extent - 1));
        match term.and_then(|term| reach.checked_add(term)) {
            Some(further) => reach = further,
            None => return false,
        }
    }
    true
}

/// The number of points of a space; `None` if there are too many to enumerate.
fn point_count(extents: &[Option<u64>]) -> Option<u64> {
    extents
        .iter()
        .try_fold(1u64, |points, extent| points.checked_mul((*extent)?).filter(|&points| points <= MAX_POINTS))
}

/// Adds all elements that an access reaches; returns false if one is reached twice.
fn enumerate(access: &IndexFunction, extents: &[Option<u64>], points: u64, reached: &mut HashSet<Vec<i64>>) -> bool {
    (0..points).all(|mut rest| {
        let mut point = vec![];
        for extent in extents.iter().map(|extent| extent.unwrap_or(1)) {
            point.push((rest % extent) as i64);
            rest /= extent;
        }
        let rows = access.coefficients.iter().zip(&access.constants);
        let index =
            |(row, constant): (&Vec<i64>, &i64)| row.iter().zip(&point).map(|(c, i)| c * i).sum::<i64>() + constant;
        reached.insert(rows.map(index).collect())
    })
}

/// True if different points reach different elements; `None` if unknown. No extent is zero.
pub(super) fn is_injective(access: &IndexFunction, extents: &[Option<u64>]) -> Option<bool> {
    let mut open: Vec<_> = (0..extents.len()).filter(|&d| extents[d] != Some(1)).collect();
    let matrix = access.coefficients.iter().map(|row| open.iter().map(|&d| row[d]).collect()).collect();
    if rank(matrix) == open.len() {
        return Some(true);
    }
    // Iterate over the rows: dimensions that one row distinguishes are known in the others.
    let mut is_progress = true;
    while is_progress && !open.is_empty() {
        is_progress = false;
        for row in &access.coefficients {
            let used: Vec<_> = open.iter().copied().filter(|&d| row[d] != 0).collect();
            if !used.is_empty() && is_mixed_radix(row, &used, extents) {
                open.retain(|d| !used.contains(d));
                is_progress = true;
            }
        }
    }
    if open.is_empty() {
        return Some(true);
    }
    // A dimension that no row uses writes the same elements repeatedly.
    if open.iter().any(|&d| access.coefficients.iter().all(|row| row[d] == 0)) {
        return Some(false);
    }
    point_count(extents).map(|points| enumerate(access, extents, points, &mut HashSet::new()))
}

/// True if two accesses reach different elements; `None` if unknown. No extent is zero.
pub(super) fn are_disjoint(left: &IndexFunction, right: &IndexFunction, extents: &[Option<u64>]) -> Option<bool> {
    for axis in 0..left.coefficients.len() {
        let ranges = left.range(axis, extents).zip(right.range(axis, extents));
        if ranges.is_some_and(|(first, second)| first.1 < second.0 || second.1 < first.0) {
            return Some(true);
        }
        let used = (0..extents.len()).filter(|&d| extents[d] != Some(1));
        let factors = used.flat_map(|d| [left.coefficients[axis][d], right.coefficients[axis][d]]);
        let divisor = factors.fold(0, |divisor, factor| gcd(divisor, factor.unsigned_abs()));
        let difference = left.constants[axis].abs_diff(right.constants[axis]);
        if !difference.is_multiple_of(divisor) {
            return Some(true);
        }
    }
    let points = point_count(extents)?;
    let mut reached = HashSet::new();
    enumerate(left, extents, points, &mut reached);
    Some(enumerate(right, extents, points, &mut reached))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
