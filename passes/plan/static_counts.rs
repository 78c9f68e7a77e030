//! The part counts of levels, as far as they are known before the program runs.
//!
//! The arithmetic is that of the iteration space of a nest (`passes/nest/space.rs`), whose constants are these numbers.
use mdh_dialects::schedule::model::{Level, Schedule};

/// The static part counts of a schedule; `None` if a number follows from a dynamic extent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticCounts {
    /// By dimension.
    extents: Vec<Option<i64>>,
    /// By layer, then dimension.
    parts: Vec<Vec<Option<i64>>>,
    /// By layer, then dimension: the distance of two adjacent parts.
    strides: Vec<Vec<Option<i64>>>,
    /// By dimension, the layers that are loops, outermost first.
    layers: Vec<Vec<usize>>,
    /// By dimension, the layer whose part count follows from the extent.
    open: Vec<Option<usize>>,
}

/// The part numbers of levels around a position: by dimension, pairs of a layer and a number, if it is known.
pub type FixedLayers = [Vec<(usize, Option<i64>)>];

impl StaticCounts {
    /// The part counts for these extents.
    pub fn new(extents: Vec<Option<i64>>, schedule: &Schedule) -> Self {
        let (count, rank) = (schedule.parts.len(), extents.len());
        let mut parts = vec![vec![Some(1); rank]; count];
        let mut strides = parts.clone();
        let mut open = vec![None; rank];
        for d in 0..rank {
            let mut stride = Some(1i64);
            for layer in (0..count).rev() {
                strides[layer][d] = stride;
                parts[layer][d] = match schedule.parts[layer][d] {
                    Some(parts) => Some(parts as i64),
                    None => {
                        let outer = (0..layer).filter_map(|l| schedule.parts[l][d]).product::<u64>() as i64;
                        open[d] = Some(layer);
                        extents[d].zip(stride).map(|(extent, stride)| ceildiv(ceildiv(extent, outer), stride))
                    }
                };
                stride = stride.zip(parts[layer][d]).map(|(stride, parts)| stride.saturating_mul(parts.max(1)));
            }
        }
        let is_loop = |layer, dimension| schedule.is_loop(Level { layer, dimension });
        let layers = (0..rank).map(|d| (0..count).filter(|&layer| is_loop(layer, d)).collect()).collect();
        Self { extents, parts, strides, layers, open }
    }

    /// The number of parts of a level.
    pub fn count(&self, level: Level) -> Option<u64> {
        self.parts[level.layer][level.dimension].and_then(|count| u64::try_from(count).ok())
    }

    /// True if all parts of a dimension are known to be full.
    fn is_exact(&self, d: usize) -> bool {
        let product = self.parts.iter().map(|layer| layer[d]).try_fold(1i64, |all, parts| all.checked_mul(parts?));
        product.is_some() && product == self.extents[d]
    }

    /// The number of parts of a level that start before the end of its dimension, at a position.
    pub fn trip(&self, level: Level, fixed: &FixedLayers) -> Option<i64> {
        let Level { layer, dimension: d } = level;
        let offset = fixed[d].iter().try_fold(0i64, |offset, &(layer, number)| match number? {
            0 => Some(offset),
            number => Some(offset.saturating_add(number.saturating_mul(self.strides[layer][d]?))),
        });
        let (count, is_first) = (self.parts[layer][d], self.layers[d].first() == Some(&layer));
        if self.is_exact(d) || offset == Some(0) && is_first && self.open[d] == Some(layer) {
            return count;
        }
        let rest = self.extents[d].zip(offset).map(|(extent, offset)| extent.saturating_sub(offset));
        let reachable = rest.zip(self.strides[layer][d]).map(|(rest, stride)| ceildiv(rest, stride));
        if is_first && self.layers[d].last() == Some(&layer) {
            return reachable;
        }
        count.zip(reachable).map(|(count, reachable)| count.min(reachable))
    }
}

/// `number / divisor` rounded up, for a positive divisor.
fn ceildiv(number: i64, divisor: i64) -> i64 {
    number.div_euclid(divisor) + i64::from(number.rem_euclid(divisor) != 0)
}
