//! Random views: index functions that stay within their buffers, and outputs whose elements are written once.
use crate::fuzz::buffer::{Access, Buffer, Dimension, IndexFunction, Operator, Scalar, Size};
use mdh_passes::schedule::random::Random;

/// Maximum number of elements of a buffer.
const MAX_ELEMENTS: u64 = 20_000;

/// A generator of views for an iteration space.
pub struct Views<'a> {
    /// The iteration space.
    pub dimensions: &'a [Dimension],
    /// The random-number generator.
    pub random: &'a mut Random,
}

impl Views<'_> {
    fn rank(&self) -> usize {
        self.dimensions.len()
    }

    fn extents(&self) -> Vec<u64> {
        self.dimensions.iter().map(|dimension| dimension.extent).collect()
    }

    fn row(&self, terms: &[(usize, i64)], constant: i64) -> IndexFunction {
        let mut coefficients = vec![0; self.rank()];
        terms.iter().for_each(|&(d, c)| coefficients[d] += c);
        IndexFunction { coefficients, constant }
    }

    /// An input buffer with this type and rank, and a number of accesses.
    pub fn input(&mut self, element: Scalar, memref: bool, accesses: usize, rank: usize) -> Buffer {
        let first = self.input_access(rank);
        let mut all = vec![first];
        while all.len() < accesses {
            let mut next = all[self.random.below(all.len())].clone();
            match self.random.below(5) {
                0 => next = self.input_access(rank),
                1 if rank > 1 => self.random.shuffle(&mut next),
                // A stencil: the same linear part with a nearby offset.
                _ => next.iter_mut().for_each(|row| row.constant += self.random.below(3) as i64),
            }
            all.push(next);
        }
        self.place(&mut all);
        let sizes = self.sizes(&all, true);
        let mut buffer = Buffer { element, sizes, memref, accesses: all };
        if buffer.elements() > MAX_ELEMENTS {
            buffer = self.input(element, memref, accesses, rank - 1);
        }
        buffer
    }

    fn input_access(&mut self, rank: usize) -> Access {
        let mut unused: Vec<_> = (0..self.rank()).collect();
        self.random.shuffle(&mut unused);
        (0..rank)
            .map(|_| {
                let (some, few) = (self.random.below(2) as i64, self.random.below(3) as i64);
                // Usually each dimension occurs once, as in a permutation; sometimes more often, as in a diagonal.
                let mut take = |random: &mut Random| match unused.pop() {
                    Some(d) if !random.once_in(8) => d,
                    _ => random.below(self.dimensions.len()),
                };
                let (d, e, f) = (take(self.random), self.random.below(self.dimensions.len()), take(self.random));
                let extent = self.dimensions[d].extent as i64;
                match self.random.below(20) {
                    0 => self.row(&[], few),
                    1 | 2 => self.row(&[(d, 2 + few)], some),
                    3 | 4 => self.row(&[(d, -1)], extent - 1),
                    5 | 6 => self.row(&[(d, 1), (e, 1)], 0),
                    7 => self.row(&[(d, 2), (e, 1)], 0),
                    8 => self.row(&[(d, 1), (e, -1)], 0),
                    9 => self.row(&[(d, 1), (f, 2), (e, 1)], 1),
                    10 => self.row(&[(d, 1)], 1 + few),
                    _ => self.row(&[(d, 1)], 0),
                }
            })
            .collect()
    }

    /// Shifts all accesses of a buffer by the same offsets, so that no index is negative.
    fn place(&mut self, accesses: &mut [Access]) {
        let extents = self.extents();
        for axis in 0..accesses[0].len() {
            let lowest = accesses.iter().map(|access| access[axis].range(&extents).0).min().unwrap_or(0);
            if lowest < 0 {
                accesses.iter_mut().for_each(|access| access[axis].constant -= lowest);
            }
        }
    }

    /// The sizes that accesses need, sometimes with slack.
    fn sizes(&mut self, accesses: &[Access], larger: bool) -> Vec<Size> {
        let extents = self.extents();
        let needed = needed(accesses, &extents);
        let slack = |random: &mut Random| if larger && random.once_in(6) { 1 + random.below(3) as u64 } else { 0 };
        needed.into_iter().map(|size| Size { size: size + slack(self.random), dynamic: false }).collect()
    }

    /// An output buffer with accesses for several components, which do not overlap.
    pub fn output(&mut self, element: Scalar, memref: bool, components: usize) -> Buffer {
        let mut kept: Vec<_> =
            (0..self.rank()).filter(|&d| self.dimensions[d].operator != Operator::PointWise).collect();
        if self.random.once_in(2) {
            self.random.shuffle(&mut kept);
        }
        // A dimension with one point may be omitted.
        kept.retain(|&d| self.dimensions[d].extent != 1 || self.dimensions[d].dynamic || !self.random.once_in(3));
        let mut rows: Vec<IndexFunction> = vec![];
        let mut rest = kept.as_slice();
        while let Some((&d, others)) = rest.split_first() {
            rest = others;
            let extent = self.dimensions[d].extent as i64;
            let some = self.random.below(2) as i64;
            let next = others.first().copied().filter(|&e| {
                let known = !self.dimensions[e].dynamic;
                known && self.dimensions[e].extent > 0
            });
            let row = match (self.random.below(20), next) {
                (0 | 1, _) => self.row(&[(d, 2)], some),
                (2 | 3, _) => self.row(&[(d, -1)], (extent - 1).max(0)),
                (4, _) => self.row(&[(d, 1)], 1 + some),
                (5, _) => self.row(&[(d, 3)], 0),
                (6 | 7, Some(e)) => {
                    // Linearizes two dimensions.
                    rest = &others[1..];
                    self.row(&[(d, self.dimensions[e].extent as i64), (e, 1)], 0)
                }
                (8, _) if !rows.is_empty() => {
                    // A skewed row: the first row, whose index is determined already, plus this dimension.
                    let mut row = rows[0].clone();
                    row.coefficients[d] += 1;
                    row
                }
                _ => self.row(&[(d, 1)], 0),
            };
            rows.push(row);
        }
        if self.random.once_in(10) {
            let at = self.random.below(rows.len() + 1);
            let constant = self.random.below(2) as i64;
            let row = self.row(&[], constant);
            rows.insert(at, row);
        }
        let mut accesses = self.components(rows, components);
        self.place(&mut accesses);
        let sizes = self.sizes(&accesses, true);
        Buffer { element, sizes, memref, accesses }
    }

    /// Disjoint copies of an access: along a dimension of their own, interleaved, or consecutive.
    fn components(&mut self, rows: Vec<IndexFunction>, count: usize) -> Vec<Access> {
        let mut accesses = vec![rows.clone(); count];
        if count == 1 {
            return accesses;
        }
        let axis = self.random.below(rows.len().max(1));
        let is_static = |row: &IndexFunction| {
            row.coefficients.iter().zip(self.dimensions).all(|(c, dimension)| *c == 0 || !dimension.dynamic)
        };
        match self.random.below(3) {
            0 if !rows.is_empty() => {
                for (i, access) in accesses.iter_mut().enumerate() {
                    let row = &mut access[axis];
                    row.coefficients.iter_mut().for_each(|c| *c *= count as i64);
                    row.constant = row.constant * count as i64 + i as i64;
                }
            }
            1 if !rows.is_empty() && is_static(&rows[axis]) => {
                let (low, high) = rows[axis].range(&self.extents());
                for (i, access) in accesses.iter_mut().enumerate() {
                    access[axis].constant += (high - low + 1) * i as i64;
                }
            }
            _ => {
                let permute = self.random.once_in(3);
                for (i, access) in accesses.iter_mut().enumerate() {
                    if permute {
                        self.random.shuffle(access);
                    }
                    access.insert(
                        axis.min(rows.len()),
                        IndexFunction { coefficients: vec![0; self.dimensions.len()], constant: i as i64 },
                    );
                }
            }
        }
        accesses
    }
}

/// The sizes that accesses need: one more than the largest index of each row.
pub fn needed(accesses: &[Access], extents: &[u64]) -> Vec<u64> {
    let rank = accesses.first().map_or(0, Vec::len);
    let largest = |axis: usize| accesses.iter().map(|access| access[axis].range(extents).1).max().unwrap_or(0);
    (0..rank).map(|axis| (largest(axis) + 1).max(0) as u64).collect()
}
