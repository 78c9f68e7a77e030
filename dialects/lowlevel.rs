//! A Rust view of `mdh.lowlevel.*`: its operations, tags and placements.
pub(crate) mod chains;
mod ops;
pub mod roles;
pub(crate) mod verify;

pub use ops::*;

use crate::{
    ffi::*,
    schedule::model::{Placement, Tag},
};
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

/// From a number of the IR, which counts from 1. What is below that is out of every range, and the same number in messages.
fn position(number: i64) -> usize {
    number.wrapping_sub(1) as usize
}

impl Tag {
    /// From a `#mdh.tag`.
    pub fn from_attribute(attribute: Attribute<'_>) -> Option<Self> {
        let raw = attribute.to_raw();
        // SAFETY: the attribute is valid, and asked for what it is; it keeps its name.
        unsafe {
            if !mlirAttributeIsAMdhTag(raw) {
                return None;
            }
            let layer = string(mlirMdhTagAttrGetLayer(raw));
            Some(Self { layer, dimension: position(mlirMdhTagAttrGetDimension(raw)) })
        }
    }

    /// As a `#mdh.tag`.
    pub fn attribute<'c>(&self, context: &'c Context) -> Attribute<'c> {
        let (layer, dimension) = (StringRef::new(&self.layer).to_raw(), self.dimension as i64 + 1);
        // SAFETY: the context is valid and copies the name.
        unsafe { Attribute::from_raw(mlirMdhTagAttrGet(context.to_raw(), layer, dimension)) }
    }
}

impl Placement {
    /// From a `#mdh.placement`.
    pub fn from_attribute(attribute: Attribute<'_>) -> Option<Self> {
        let raw = attribute.to_raw();
        // SAFETY: the attribute is valid, and asked for what it is; it has so many dimensions, and keeps its name.
        unsafe {
            if !mlirAttributeIsAMdhPlacement(raw) {
                return None;
            }
            let dimensions = 0..mlirMdhPlacementAttrGetRank(raw);
            Some(Self {
                region: string(mlirMdhPlacementAttrGetRegion(raw)),
                layout: dimensions.map(|i| position(mlirMdhPlacementAttrGetDimension(raw, i))).collect(),
                pad: u64::try_from(mlirMdhPlacementAttrGetPad(raw)).ok()?,
                buffers: u64::try_from(mlirMdhPlacementAttrGetBuffers(raw)).ok()?,
            })
        }
    }

    /// As a `#mdh.placement`.
    pub fn attribute<'c>(&self, context: &'c Context) -> Attribute<'c> {
        let layout: Vec<_> = self.layout.iter().map(|&dimension| dimension as i64 + 1).collect();
        let (region, rank) = (StringRef::new(&self.region).to_raw(), layout.len() as isize);
        let (layout, pad, buffers) = (layout.as_ptr(), self.pad as i64, self.buffers as i64);
        // SAFETY: the context is valid and copies the name and the layout, which has so many numbers.
        unsafe { Attribute::from_raw(mlirMdhPlacementAttrGet(context.to_raw(), region, rank, layout, pad, buffers)) }
    }
}
