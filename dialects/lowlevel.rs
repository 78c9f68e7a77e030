//! A Rust view of `mdh.lowlevel.*`: tags and placements.
use crate::ffi::*;
use melior::{
    Context, StringRef,
    ir::{Attribute, AttributeLike},
};

fn string(raw: mlir_sys::MlirStringRef) -> String {
    crate::ir::text(raw).unwrap_or_default().to_owned()
}

/// The layer and the dimension (from 1) of a `#mdh.tag`.
pub fn tag(attribute: Attribute<'_>) -> Option<(String, i64)> {
    let raw = attribute.to_raw();
    unsafe {
        mlirAttributeIsAMdhTag(raw).then(|| (string(mlirMdhTagAttrGetLayer(raw)), mlirMdhTagAttrGetDimension(raw)))
    }
}

/// A `#mdh.tag`; the dimension counts from 1.
pub fn tag_attribute<'c>(context: &'c Context, layer: &str, dimension: i64) -> Attribute<'c> {
    unsafe { Attribute::from_raw(mlirMdhTagAttrGet(context.to_raw(), StringRef::new(layer).to_raw(), dimension)) }
}

/// The region and the layout (dimensions from 1) of a `#mdh.placement`.
pub fn placement(attribute: Attribute<'_>) -> Option<(String, Vec<i64>)> {
    let raw = attribute.to_raw();
    unsafe {
        mlirAttributeIsAMdhPlacement(raw).then(|| {
            let rank = mlirMdhPlacementAttrGetRank(raw);
            let layout = (0..rank).map(|i| mlirMdhPlacementAttrGetDimension(raw, i)).collect();
            (string(mlirMdhPlacementAttrGetRegion(raw)), layout)
        })
    }
}

/// A `#mdh.placement`; the dimensions of the layout count from 1.
pub fn placement_attribute<'c>(context: &'c Context, region: &str, layout: &[i64]) -> Attribute<'c> {
    let region = StringRef::new(region).to_raw();
    unsafe {
        Attribute::from_raw(mlirMdhPlacementAttrGet(context.to_raw(), region, layout.len() as isize, layout.as_ptr()))
    }
}
