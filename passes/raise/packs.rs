//! Changes between a tensor and its tiles as computations that copy.
//!
//! ```text
//! %p = linalg.pack %x inner_dims_pos = [0, 1]               p[i, j, k, l] = x[4 i + k, 8 j + l]
//!        inner_tiles = [4, 8] into %e              ──▶
//! %x = linalg.unpack %p … into %e                           t[i, k, j, l] = p[i, j, k, l]
//!                                                           x[4 i + k, 8 j + l] = t[i, k, j, l], a reshape
//! ```
//!
//! A tensor that is not divided without rest is padded before, and the rest is cut off after.
use super::copies::{Parts, copied, sizes, tensor};
use mdh_dialects::ir::{self, Builder, Op, Val};
use melior::ir::{Attribute, ValueLike};

/// The operation that divides a tensor into tiles.
pub const PACK: &str = "linalg.pack";
/// The operation that puts tiles together.
pub const UNPACK: &str = "linalg.unpack";

/// Replaces an operation by what it computes. The error is the reason why it stays.
pub fn raise(operation: Op<'_>) -> Result<(), String> {
    let result = match ir::name(operation) {
        PACK => pack(operation),
        _ => unpack(operation),
    };
    let result = result.ok_or("requires tensors of numbers with static sizes and tiles")?;
    ir::replace_uses(ir::results(operation)[0], result);
    ir::erase(operation);
    Ok(())
}

/// The tiles of a tensor.
struct Tiles {
    /// By dimension of the tensor: its axis among the outer ones of the packed tensor.
    outer: Vec<usize>,
    /// By dimension of the tensor: its inner axis of the packed tensor, and the size of a tile, if it has tiles.
    inner: Vec<Option<(usize, i64)>>,
}

impl Tiles {
    /// The tiles of an operation with a tensor of this rank; `None` if a size is dynamic.
    fn of(operation: Op<'_>, rank: usize) -> Option<Self> {
        let numbers = |name: &str| ir::attribute(operation, name).and_then(ir::dense_array_attribute);
        let axes = |name: &str| -> Option<Vec<usize>> {
            numbers(name)?.into_iter().map(|axis| usize::try_from(axis).ok()).collect()
        };
        let order = match numbers("outer_dims_perm").filter(|order| !order.is_empty()) {
            Some(_) => axes("outer_dims_perm")?,
            None => (0..rank).collect(),
        };
        let (positions, tiles) = (axes("inner_dims_pos")?, numbers("static_inner_tiles")?);
        let outer = (0..rank).map(|d| order.iter().position(|other| *other == d)).collect::<Option<_>>()?;
        let inner = |d: usize| {
            let tile = positions.iter().position(|other| *other == d)?;
            Some((rank + tile, *tiles.get(tile)?))
        };
        let is_static = tiles.iter().all(|tile| *tile > 0);
        is_static.then(|| Self { outer, inner: (0..rank).map(inner).collect() })
    }

    fn tile(&self, d: usize) -> i64 {
        self.inner[d].map_or(1, |(_, tile)| tile)
    }

    /// The sizes of the tensor that has all elements of the packed one; `None` if they are smaller than its own ones.
    fn whole(&self, packed: &[i64], own: &[i64]) -> Option<Vec<i64>> {
        let size = |d: usize| packed.get(self.outer[d])?.checked_mul(self.tile(d)).filter(|size| *size >= own[d]);
        (0..self.outer.len()).map(size).collect()
    }
}

/// The packed tensor; `None` if a size is dynamic.
fn pack(pack: Op<'_>) -> Option<Val<'_>> {
    let (source, result) = (*ir::operands(pack).first()?, *ir::results(pack).first()?);
    let (own, packed) = (sizes(source)?, sizes(result)?);
    let tiles = Tiles::of(pack, own.len())?;
    let whole = tiles.whole(&packed, &own)?;
    let b = Builder::before(pack);
    let source = match whole == own {
        true => source,
        false => {
            let padding = *ir::operands(pack).get(2)?;
            let high: Vec<_> = whole.iter().zip(&own).map(|(whole, own)| whole - own).collect();
            Parts::of(b, tensor(&whole, source)).padded(source, padding, &vec![0; own.len()], &high)?
        }
    };
    let row = |d: usize| {
        let mut row = vec![0; packed.len()];
        row[tiles.outer[d]] = tiles.tile(d);
        tiles.inner[d].into_iter().for_each(|(axis, _)| row[axis] = 1);
        row
    };
    Some(copied(&b, source, &(0..own.len()).map(row).collect::<Vec<_>>(), &packed))
}

/// The tensor whose tiles an operation puts together; `None` if a size is dynamic.
fn unpack(unpack: Op<'_>) -> Option<Val<'_>> {
    let (source, result) = (*ir::operands(unpack).first()?, *ir::results(unpack).first()?);
    let (packed, own) = (sizes(source)?, sizes(result)?);
    let tiles = Tiles::of(unpack, own.len())?;
    let whole = tiles.whole(&packed, &own)?;
    let b = Builder::before(unpack);
    // Each dimension, followed by that of its tiles.
    let axes: Vec<Vec<usize>> = (0..own.len())
        .map(|d| [tiles.outer[d]].into_iter().chain(tiles.inner[d].map(|(axis, _)| axis)).collect())
        .collect();
    let order = axes.concat();
    let extents: Vec<_> = order.iter().map(|axis| packed[*axis]).collect();
    let row = |axis: usize| order.iter().map(|other| i64::from(*other == axis)).collect::<Vec<_>>();
    let ordered = copied(&b, source, &(0..packed.len()).map(row).collect::<Vec<_>>(), &extents);
    let mut next = 0..;
    let group = |axes: &Vec<usize>| {
        let numbers: Vec<_> = next.by_ref().take(axes.len()).map(|axis| b.i64_number(axis)).collect();
        b.array(&numbers)
    };
    let groups: Vec<_> = axes.iter().map(group).collect();
    let ty = tensor(&whole, source);
    let all = b.value("tensor.collapse_shape", &[ordered], ty, &[("reassociation", b.array(&groups))]);
    if whole == own {
        return Some(all);
    }
    let numbers = |value: i64| b.numbers(&vec![value; own.len()]);
    let attributes: [(&str, Attribute<'_>); 4] = [
        ("static_offsets", numbers(0)),
        ("static_sizes", b.numbers(&own)),
        ("static_strides", numbers(1)),
        b.segments(&[1, 0, 0, 0]),
    ];
    Some(b.value("tensor.extract_slice", &[all], result.r#type(), &attributes))
}
