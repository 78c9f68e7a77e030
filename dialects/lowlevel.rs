//! A Rust view of `mdh.lowlevel.*`: tags and placements.
pub(crate) mod chains;
pub(crate) mod verify;

use crate::ffi::*;
use melior::{
    Context, StringRef,
    ir::{Attribute, AttributeLike},
};

/// # Safety
/// It must point to that many bytes.
unsafe fn string(raw: mlir_sys::MlirStringRef) -> String {
    // SAFETY: the caller's promise.
    unsafe { crate::ir::text(raw) }.unwrap_or_default().to_owned()
}

/// The layer and the dimension (from 1) of a `#mdh.tag`.
pub fn tag(attribute: Attribute<'_>) -> Option<(String, i64)> {
    let raw = attribute.to_raw();
    // SAFETY: the attribute is a valid tag, which keeps its name.
    unsafe {
        mlirAttributeIsAMdhTag(raw).then(|| (string(mlirMdhTagAttrGetLayer(raw)), mlirMdhTagAttrGetDimension(raw)))
    }
}

/// A `#mdh.tag`; the dimension counts from 1.
pub fn tag_attribute<'c>(context: &'c Context, layer: &str, dimension: i64) -> Attribute<'c> {
    // SAFETY: the context is valid and copies the name.
    unsafe { Attribute::from_raw(mlirMdhTagAttrGet(context.to_raw(), StringRef::new(layer).to_raw(), dimension)) }
}

/// A `#mdh.placement`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The memory layer.
    pub region: String,
    /// The buffer's dimensions from 1, slowest first.
    pub layout: Vec<i64>,
    /// The elements that the fastest dimension is stored longer; 0 if nothing is said.
    pub pad: i64,
    /// The places in memory that parts use in turn; 1 if nothing is said.
    pub buffers: i64,
}

/// What a `#mdh.placement` says.
pub fn placement(attribute: Attribute<'_>) -> Option<Placement> {
    let raw = attribute.to_raw();
    // SAFETY: the attribute is a valid placement with so many dimensions, which keeps its name.
    unsafe {
        mlirAttributeIsAMdhPlacement(raw).then(|| {
            let rank = mlirMdhPlacementAttrGetRank(raw);
            let layout = (0..rank).map(|i| mlirMdhPlacementAttrGetDimension(raw, i)).collect();
            Placement {
                region: string(mlirMdhPlacementAttrGetRegion(raw)),
                layout,
                pad: mlirMdhPlacementAttrGetPad(raw),
                buffers: mlirMdhPlacementAttrGetBuffers(raw),
            }
        })
    }
}

impl Placement {
    /// As an attribute.
    pub fn attribute<'c>(&self, context: &'c Context) -> Attribute<'c> {
        let (region, rank) = (StringRef::new(&self.region).to_raw(), self.layout.len() as isize);
        let (layout, pad, buffers) = (self.layout.as_ptr(), self.pad, self.buffers);
        // SAFETY: the context is valid and copies the name and the layout, which has so many numbers.
        unsafe { Attribute::from_raw(mlirMdhPlacementAttrGet(context.to_raw(), region, rank, layout, pad, buffers)) }
    }
}
