//! The levels of a register tile, and its limits.
use mdh_dialects::schedule::model::Level;

/// The most elements of a tile, per component of the tuple: more would exceed the registers of any machine.
pub const VALUES: i64 = 64;
/// The most lanes of a vector.
pub const LANES: i64 = 128;
/// The most points of a tile: lanes that are not contiguous in memory are loaded one by one, for each element.
const POINTS: i64 = 2048;

/// A level of a register tile, whose parts are all computed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileAxis {
    /// The level.
    pub level: Level,
    /// The number of its parts.
    pub count: i64,
    /// True if its parts are the lanes of vectors; false if they are unrolled.
    pub is_lanes: bool,
}

/// True if a level is an axis of a tile.
pub fn has(axes: &[TileAxis], level: Level) -> bool {
    axes.iter().any(|axis| axis.level == level)
}

/// The number of elements of a tile: vectors, or values.
pub fn values(axes: &[TileAxis]) -> i64 {
    axes.iter().filter(|axis| !axis.is_lanes).fold(1, |values, axis| values.saturating_mul(axis.count))
}

/// A level with `count` parts as one more axis of a tile; `None` if the tile would exceed its limits.
pub fn axis(axes: &[TileAxis], level: Level, count: i64, is_vector: bool) -> Option<TileAxis> {
    let has_lanes = axes.iter().any(|axis| axis.is_lanes);
    let is_lanes = is_vector && !has_lanes && count <= LANES;
    let points = axes.iter().fold(count, |points, axis| points.saturating_mul(axis.count));
    let fits = points <= POINTS && (is_lanes || values(axes).saturating_mul(count) <= VALUES);
    fits.then_some(TileAxis { level, count, is_lanes })
}
