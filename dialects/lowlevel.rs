//! A Rust view of `mdh.lowlevel.*`: its operations, tags and placements.
pub(crate) mod chains;
mod ops;
pub mod roles;
pub mod script;
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
/// The pointer must refer to `length` bytes.
unsafe fn string(raw: mlir_sys::MlirStringRef) -> String {
    // SAFETY: guaranteed by the caller.
    unsafe { crate::ir::text(raw) }.unwrap_or_default().to_owned()
}

/// Converts an index of the IR, which counts from 1, to one from 0. Values below 1 wrap to out-of-range values, which
/// messages convert back.
fn position(number: i64) -> usize {
    number.wrapping_sub(1) as usize
}

impl Tag {
    /// Converts from a `#mdh.tag`.
    pub fn from_attribute(attribute: Attribute<'_>) -> Option<Self> {
        let raw = attribute.to_raw();
        // SAFETY: the attribute is valid, its kind is checked first, and it owns its name.
        unsafe {
            if !mlirAttributeIsAMdhTag(raw) {
                return None;
            }
            let layer = string(mlirMdhTagAttrGetLayer(raw));
            Some(Self { layer, dimension: position(mlirMdhTagAttrGetDimension(raw)) })
        }
    }

    /// Converts to a `#mdh.tag`.
    pub fn attribute<'c>(&self, context: &'c Context) -> Attribute<'c> {
        let (layer, dimension) = (StringRef::new(&self.layer).to_raw(), self.dimension as i64 + 1);
        // SAFETY: the context is valid and copies the name.
        unsafe { Attribute::from_raw(mlirMdhTagAttrGet(context.to_raw(), layer, dimension)) }
    }
}

impl Placement {
    /// Converts from a `#mdh.placement`.
    pub fn from_attribute(attribute: Attribute<'_>) -> Option<Self> {
        let raw = attribute.to_raw();
        // SAFETY: the attribute is valid, its kind is checked first, the indices are below its rank, and it owns its
        // name.
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

    /// Converts to a `#mdh.placement`.
    pub fn attribute<'c>(&self, context: &'c Context) -> Attribute<'c> {
        let layout: Vec<_> = self.layout.iter().map(|&dimension| dimension as i64 + 1).collect();
        let (region, rank) = (StringRef::new(&self.region).to_raw(), layout.len() as isize);
        let (layout, pad, buffers) = (layout.as_ptr(), self.pad as i64, self.buffers as i64);
        // SAFETY: the context is valid and copies the name and the layout, whose length is the rank.
        unsafe { Attribute::from_raw(mlirMdhPlacementAttrGet(context.to_raw(), region, rank, layout, pad, buffers)) }
    }
}
