//! The parts of the iteration space that are evaluated: all points, or a sample of the concatenated indices.
//!
//! ```text
//! all       i 0..4 · j 0..8 · k 0..8     i 4..8 · j 0..8 · k 0..8     …
//! a sample  i 0..1 · j 0..2 · k 0..8     i 7..8 · j 6..8 · k 0..8     i 3..4 · j 5..7 · k 0..8     …
//! ```
//!
//! A result needs all indices of the dimensions that are reduced or scanned, but only its own ones of the concatenated
//! dimensions.
use mdh_passes::schedule::random::Random;
use std::{cmp::Reverse, ops::Range};

/// Number of parts of all points, at most.
const PARTS: usize = 256;
/// Number of boxes of a sample, at most.
const BOXES: u64 = 2048;
/// Number of boxes of a sample, at least, whatever their points are.
const MIN_BOXES: u64 = 8;
/// Number of dimensions of which a sample has all combinations of the first and the last indices.
const CORNER_DIMENSIONS: usize = 4;

/// Returns parts that cover all points: ranges of the longest concatenated dimension.
pub(super) fn all(extents: &[usize], is_concatenated: &[bool]) -> Vec<Vec<Range<usize>>> {
    let whole: Vec<_> = extents.iter().map(|extent| 0..*extent).collect();
    let longest = (0..extents.len()).filter(|d| is_concatenated[*d]).max_by_key(|d| (extents[*d], Reverse(*d)));
    let Some(d) = longest else { return vec![whole] };
    let length = extents[d].div_ceil(PARTS).max(1);
    let part = |start| {
        let mut part = whole.clone();
        part[d] = start..(start + length).min(extents[d]);
        part
    };
    (0..extents[d]).step_by(length).map(part).collect()
}

/// Returns boxes of about `most` points together, which begin at the corners of the iteration space and at random
/// indices; `None` if there are no more points than that, or no concatenated dimension. Boxes may overlap. Equal
/// arguments give equal boxes.
pub(super) fn sample(extents: &[usize], is_concatenated: &[bool], most: u64) -> Option<Vec<Vec<Range<usize>>>> {
    let points = |wanted: bool| {
        let own = extents.iter().zip(is_concatenated).filter(|(_, is)| **is == wanted);
        own.fold(1u64, |product, (extent, _)| product.saturating_mul(*extent as u64))
    };
    let free: Vec<_> = (0..extents.len()).filter(|d| is_concatenated[*d]).collect();
    let of_result = points(false);
    if free.is_empty() || of_result == 0 || of_result.saturating_mul(points(true)) <= most {
        return None;
    }
    // Long runs of the last dimensions, as schedules compute them together.
    let results = (most / of_result).max(MIN_BOXES);
    let mut rest = results.div_ceil(BOXES);
    let mut sizes = extents.to_vec();
    for d in free.iter().rev() {
        sizes[*d] = extents[*d].min(usize::try_from(rest).unwrap_or(usize::MAX));
        rest /= sizes[*d] as u64;
    }
    let corners = &free[..free.len().min(CORNER_DIMENSIONS)];
    let mut random = Random::new(0);
    let mut start = |number: u64, d: usize| {
        let last = extents[d] - sizes[d];
        match corners.iter().position(|corner| *corner == d) {
            Some(bit) if number < 1 << corners.len() => (number >> bit & 1) as usize * last,
            _ => random.below(last + 1),
        }
    };
    let one = |number| {
        let range = |d: usize| {
            let start = if is_concatenated[d] { start(number, d) } else { 0 };
            start..start + sizes[d]
        };
        (0..extents.len()).map(range).collect()
    };
    Some((0..results.min(BOXES).max(1 << corners.len())).map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_all_points_once() {
        let parts = all(&[3, 1000, 2], &[true, true, false]);
        assert_eq!(parts.len(), 250);
        assert!(parts.iter().all(|part| part[0] == (0..3) && part[2] == (0..2)));
        assert_eq!(parts.iter().flat_map(|part| part[1].clone()).collect::<Vec<_>>(), (0..1000).collect::<Vec<_>>());
        assert_eq!(all(&[3, 4], &[false, false]), [[0..3, 0..4]]);
        assert!(all(&[0], &[true]).is_empty());
    }

    #[test]
    fn a_sample_has_corners_and_all_indices_of_reductions() {
        let boxes = sample(&[1024, 1000, 64], &[true, true, false], 1 << 20).unwrap();
        assert_eq!(boxes.len(), 2048);
        assert!(boxes.iter().all(|own| own[0].len() == 1 && own[1].len() == 8 && own[2] == (0..64)));
        assert!(boxes.iter().all(|own| own[0].end <= 1024 && own[1].end <= 1000));
        for corner in [[0..1, 0..8], [1023..1024, 0..8], [0..1, 992..1000], [1023..1024, 992..1000]] {
            assert!(boxes.iter().any(|own| own[..2] == corner), "{corner:?}");
        }
        assert_eq!(Some(&boxes), sample(&[1024, 1000, 64], &[true, true, false], 1 << 20).as_ref());
    }

    #[test]
    fn few_points_are_no_sample() {
        assert_eq!(sample(&[8, 8], &[true, false], 64), None);
        assert_eq!(sample(&[8, 8], &[false, false], 1), None);
        assert_eq!(sample(&[0, 8], &[true, false], 0), None);
        assert_eq!(sample(&[8, 0], &[true, false], 0), None);
        // The results of long reductions are few, but never none.
        assert_eq!(sample(&[100, 1 << 20], &[true, false], 1 << 10).map(|boxes| boxes.len()), Some(8));
    }
}
