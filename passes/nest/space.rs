//! The partitioned iteration space: part counts, strides, and the part that a loop nest has reached.
//!
//! The index of a point in dimension d is the sum over the layers l of `p[l] * T[l][d]`, where `p[l]` is the part
//! number in layer l and the stride `T[l][d]` is the product of the part counts of the layers inside of l. Loops skip
//! parts that would start past the end of the dimension; partial parts need no other handling.
use crate::nest::{
    code::Code,
    index::Index::{self, Constant},
    types::Lanes,
};
use mdh_dialects::schedule::model::{Level, Schedule};
use std::rc::Rc;

/// Part counts and strides of a schedule for actual extents.
#[derive(Clone)]
pub struct IterationSpace {
    /// By dimension.
    extents: Vec<Index>,
    /// By dimension: the index of the first point. It is 0, except in the space of a part of the results of a producer.
    first: Vec<Index>,
    /// By layer, then dimension.
    pub parts: Vec<Vec<Index>>,
    /// By layer, then dimension.
    pub strides: Vec<Vec<Index>>,
    /// By dimension, the layers with more than one part, outermost first.
    pub layers: Vec<Vec<usize>>,
    /// By dimension, true if all parts are known to be full, so that loops need no bounds checks.
    exact: Vec<bool>,
    /// By dimension, the layer whose part count follows from the extent (`?` in the schedule); `None` if all counts are
    /// given.
    open: Vec<Option<usize>>,
    /// The space whose extents are upper bounds of these, for the sizes of buffers; `None` if they are their own bounds.
    largest: Option<Rc<IterationSpace>>,
}

impl IterationSpace {
    /// Computes part counts and strides; arithmetic on dynamic extents is emitted at `b`.
    pub fn new(b: &Code<'_>, extents: Vec<Index>, schedule: &Schedule) -> Self {
        let (count, rank) = (schedule.parts.len(), extents.len());
        let mut parts = vec![vec![Constant(1); rank]; count];
        let mut strides = vec![vec![Constant(1); rank]; count];
        let mut open = vec![None; rank];
        for d in 0..rank {
            let mut stride = Constant(1);
            for layer in (0..count).rev() {
                strides[layer][d] = stride;
                parts[layer][d] = match schedule.parts[layer][d] {
                    Some(parts) => Constant(parts as i64),
                    None => {
                        let outer: i64 = (0..layer).filter_map(|l| schedule.parts[l][d]).product::<u64>() as i64;
                        open[d] = Some(layer);
                        extents[d].ceildiv(b, Constant(outer)).ceildiv(b, stride)
                    }
                };
                // A layer of an empty dimension may have 0 parts, but the stride is a divisor in the part counts of
                // outer layers.
                stride = stride.mul(b, parts[layer][d].max(b, Constant(1)));
            }
        }
        let is_loop = |layer, dimension| schedule.is_loop(Level { layer, dimension });
        let layers = (0..rank).map(|d| (0..count).filter(|&layer| is_loop(layer, d)).collect()).collect();
        let exact = (0..rank)
            .map(|d| {
                let product = (0..count).map(|l| parts[l][d].constant()).product::<Option<i64>>();
                product.is_some() && product == extents[d].constant()
            })
            .collect();
        let first = vec![Constant(0); rank];
        Self { extents, first, parts, strides, layers, exact, open, largest: None }
    }

    /// This space with a space of upper bounds of its extents, which are known where buffers are allocated.
    pub fn within(self, largest: Self) -> Self {
        Self { largest: Some(Rc::new(largest)), ..self }
    }

    /// This space for a part of the iteration space, whose first point has these indices.
    pub fn starting_at(self, first: Vec<Index>) -> Self {
        Self { first, ..self }
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.extents.len()
    }

    /// The extents, as far as they are known before the program runs.
    pub fn static_extents(&self) -> Vec<Option<i64>> {
        self.extents.iter().map(|extent| extent.constant()).collect()
    }

    /// The extent of a dimension.
    pub fn extent(&self, d: usize) -> Index {
        self.extents[d]
    }

    /// The trip count of a loop over the parts of the layers `first..=last` (without a gap between them) at this point:
    /// the parts that start before the end of the dimension.
    pub fn trip(&self, b: &Code<'_>, d: usize, first: usize, last: usize, point: &Point) -> Index {
        let offset = point.offset(b, self, d);
        let count = self.product(b, d, |l| first <= l && l <= last);
        let from_start = offset.constant() == Some(0) && self.layers[d].first() == Some(&first);
        if self.exact[d] || (from_start && first == last && self.open[d] == Some(first)) {
            return count;
        }
        let reachable = self.extents[d].sub(b, offset).ceildiv(b, self.strides[last][d]);
        if self.layers[d].first() == Some(&first) && self.layers[d].last() == Some(&last) {
            return reachable;
        }
        count.min(b, reachable)
    }

    /// The product of the part counts of some layers.
    pub fn product(&self, b: &Code<'_>, d: usize, chosen: impl Fn(usize) -> bool) -> Index {
        let chosen = self.layers[d].iter().filter(|&&l| chosen(l));
        chosen.fold(Constant(1), |product, &l| product.mul(b, self.parts[l][d]))
    }

    /// The number of distinct indices that the layers in `free` reach, as an upper bound over all parts.
    pub fn size(&self, b: &Code<'_>, d: usize, free: &[usize]) -> Index {
        if let Some(largest) = &self.largest {
            return largest.size(b, d, free);
        }
        if free == self.layers[d].as_slice() {
            return self.extents[d];
        }
        self.product(b, d, |l| free.contains(&l))
    }

    /// The distance from the first to the last index that the layers in `free` reach, as an upper bound over all parts.
    pub fn span(&self, b: &Code<'_>, d: usize, free: &[usize]) -> Index {
        if free == self.layers[d].as_slice() {
            return self.extents[d].sub(b, Constant(1));
        }
        free.iter()
            .fold(Constant(0), |span, &l| span.add(b, self.parts[l][d].sub(b, Constant(1)).mul(b, self.strides[l][d])))
    }

    /// [`Self::span`], limited to the whole dimension. A static bound is preferred: memory of static size is the cheapest.
    pub fn bounded_span(&self, b: &Code<'_>, d: usize, free: &[usize]) -> Index {
        if let Some(largest) = &self.largest {
            return largest.bounded_span(b, d, free);
        }
        let (span, full) = (self.span(b, d, free), self.extents[d].sub(b, Constant(1)));
        if span.constant().is_some() && full.constant().is_none() { span } else { span.min(b, full) }
    }

    /// The distance of two adjacent lanes among the indices that the layers in `among` reach, enumerated without gaps.
    pub fn step(&self, b: &Code<'_>, d: usize, among: &[usize], lanes: Option<Lanes>) -> Index {
        match lanes.map(|lanes| lanes.level) {
            Some(level) if level.dimension == d && among.contains(&level.layer) => {
                self.product(b, d, |l| l > level.layer && among.contains(&l))
            }
            _ => Constant(0),
        }
    }

    /// The runs of adjacent layers among some layers of a dimension, outermost first. One loop can iterate over each
    /// run.
    pub fn runs(&self, d: usize, among: &[usize]) -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = vec![];
        let mut previous = false;
        for &layer in &self.layers[d] {
            let is_among = among.contains(&layer);
            match runs.last_mut() {
                Some(run) if is_among && previous => run.1 = layer,
                _ if is_among => runs.push((layer, layer)),
                _ => {}
            }
            previous = is_among;
        }
        runs
    }

    /// True if the layers `first..=last` are all layers of a dimension.
    pub fn is_whole(&self, d: usize, first: usize, last: usize) -> bool {
        self.runs(d, &self.layers[d]) == [(first, last)]
    }

    /// True if every part of the dimension is full.
    pub fn is_exact(&self, d: usize) -> bool {
        self.exact[d]
    }
}

/// The position of a loop nest in the iteration space: by dimension, the layers whose part number is fixed.
#[derive(Clone, Debug)]
pub struct Point {
    /// By dimension, pairs of layer and part number. A loop over several adjacent layers is recorded at the innermost
    /// of them.
    pub fixed: Vec<Vec<(usize, Index)>>,
    /// By dimension, the layers without a part number, outermost first.
    pub free: Vec<Vec<usize>>,
    /// By dimension, the distance by which a register tile has been moved, so that all of its points are inside of the
    /// iteration space (`partial_tiles.rs`). User's buffers are addressed with it, and parts are not.
    moved: Vec<Index>,
}

impl Point {
    /// The point with no fixed layers.
    pub fn new(space: &IterationSpace) -> Self {
        let rank = space.layers.len();
        Self { fixed: vec![vec![]; rank], free: space.layers.clone(), moved: vec![Constant(0); rank] }
    }

    /// This point moved by a distance along a dimension.
    pub fn moved(&self, b: &Code<'_>, d: usize, distance: Index) -> Self {
        let mut point = self.clone();
        point.moved[d] = self.moved[d].add(b, distance);
        point
    }

    /// This point with a part number for the layers `first..=last` of a dimension.
    pub fn with(&self, d: usize, first: usize, last: usize, number: Index) -> Self {
        let mut point = self.clone();
        point.fixed[d].push((last, number));
        point.free[d].retain(|l| *l < first || *l > last);
        point
    }

    /// The part number of a level, if the level is fixed.
    pub fn number(&self, level: Level) -> Option<Index> {
        let fixed = self.fixed[level.dimension].iter().find(|(layer, _)| *layer == level.layer);
        fixed.map(|(_, number)| *number)
    }

    /// Replaces the part number of a level, if the level is fixed.
    pub fn set(&mut self, level: Level, number: Index) {
        let fixed = self.fixed[level.dimension].iter_mut().find(|(layer, _)| *layer == level.layer);
        if let Some(fixed) = fixed {
            fixed.1 = number;
        }
    }

    /// Removes the part number of a level, which becomes free.
    pub fn unfix(&mut self, level: Level) {
        let Level { layer, dimension } = level;
        let before = self.fixed[dimension].len();
        self.fixed[dimension].retain(|(known, _)| *known != layer);
        if self.fixed[dimension].len() < before {
            self.free[dimension].push(layer);
            self.free[dimension].sort_unstable();
        }
    }

    /// The smallest index of a dimension in the current part.
    pub fn index(&self, b: &Code<'_>, space: &IterationSpace, d: usize) -> Index {
        self.offset(b, space, d).add(b, space.first[d])
    }

    /// The largest index of a dimension in the current part, or an upper bound of it.
    pub fn last_index(&self, b: &Code<'_>, space: &IterationSpace, d: usize) -> Index {
        self.last(b, space, d).add(b, space.first[d])
    }

    /// The index in the current part at which `stride` times the index is the smallest, or an upper bound of it.
    pub fn outermost_index(&self, b: &Code<'_>, space: &IterationSpace, d: usize, stride: i64) -> Index {
        if stride > 0 { self.index(b, space, d) } else { self.last_index(b, space, d) }
    }

    /// The distance from the smallest to the largest index of a dimension in the current part, within the extent.
    pub fn reach(&self, b: &Code<'_>, space: &IterationSpace, d: usize) -> Index {
        if space.is_exact(d) || self.free[d] == space.layers[d] {
            return space.span(b, d, &self.free[d]);
        }
        self.last(b, space, d).sub(b, self.offset(b, space, d))
    }

    /// The distance from the first index of a dimension to the smallest one in the current part.
    pub fn offset(&self, b: &Code<'_>, space: &IterationSpace, d: usize) -> Index {
        let terms = self.fixed[d].iter().map(|&(layer, number)| number.mul(b, space.strides[layer][d]));
        terms.fold(self.moved[d], |offset, term| offset.add(b, term))
    }

    /// The distance from the first index of a dimension to the largest one in the current part, or an upper bound within
    /// the extent.
    pub fn last(&self, b: &Code<'_>, space: &IterationSpace, d: usize) -> Index {
        let last = self.offset(b, space, d).add(b, space.span(b, d, &self.free[d]));
        if space.is_exact(d) || self.free[d] == space.layers[d] {
            return last;
        }
        last.min(b, space.extent(d).sub(b, Constant(1)))
    }

    /// The position among the indices that the layers in `among` reach, enumerated without gaps.
    pub fn position(&self, b: &Code<'_>, space: &IterationSpace, d: usize, among: &[usize]) -> Index {
        let terms = self.fixed[d]
            .iter()
            .filter(|(layer, _)| among.contains(layer))
            .map(|&(layer, number)| number.mul(b, space.product(b, d, |l| l > layer && among.contains(&l))));
        terms.fold(Constant(0), |position, term| position.add(b, term))
    }
}
