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
use super::copies::{Parts, copied, sizes};
use mdh_dialects::ir::{self, Builder, Op, Val};
use melior::ir::ValueLike;

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

/// A tensor and its tiles.
struct Tiles {
    /// The sizes of the tensor.
    own: Vec<i64>,
    /// The sizes of the packed tensor.
    packed: Vec<i64>,
    /// By dimension of the tensor: its axis among the outer ones of the packed tensor.
    outer: Vec<usize>,
    /// By dimension of the tensor: its inner axis of the packed tensor, and the size of a tile, if it has tiles.
    inner: Vec<Option<(usize, i64)>>,
    /// The sizes of the tensor that has all elements of the packed one.
    whole: Vec<i64>,
}

impl Tiles {
    /// The tiles of an operation on a tensor and a packed one; `None` if a size is dynamic, or if the packed tensor is
    /// smaller.
    fn of<'c>(operation: Op<'c>, tensor: Val<'c>, packed: Val<'c>) -> Option<Self> {
        let (own, packed) = (sizes(tensor)?, sizes(packed)?);
        let rank = own.len();
        let numbers = |name: &str| ir::attribute(operation, name).and_then(ir::dense_array_attribute);
        let axes = |name: &str| -> Option<Vec<usize>> {
            numbers(name)?.into_iter().map(|axis| usize::try_from(axis).ok()).collect()
        };
        let order = match numbers("outer_dims_perm").filter(|order| !order.is_empty()) {
            Some(_) => axes("outer_dims_perm")?,
            None => (0..rank).collect(),
        };
        let (positions, tiles) = (axes("inner_dims_pos")?, numbers("static_inner_tiles")?);
        let outer = (0..rank).map(|d| order.iter().position(|other| *other == d)).collect::<Option<Vec<_>>>()?;
        let inner = |d: usize| {
            let tile = positions.iter().position(|other| *other == d)?;
            Some((rank + tile, *tiles.get(tile)?))
        };
        let inner: Vec<_> = (0..rank).map(inner).collect();
        let size = |d: usize| packed.get(outer[d])?.checked_mul(tile(inner[d])).filter(|size| *size >= own[d]);
        let whole = (0..rank).map(size).collect::<Option<_>>()?;
        let is_static = tiles.iter().all(|tile| *tile > 0);
        is_static.then_some(Self { own, packed, outer, inner, whole })
    }
}

/// The size of the tiles of a dimension.
fn tile(inner: Option<(usize, i64)>) -> i64 {
    inner.map_or(1, |(_, tile)| tile)
}

/// The packed tensor; `None` if a size is dynamic.
fn pack(pack: Op<'_>) -> Option<Val<'_>> {
    let source = *ir::operands(pack).first()?;
    let Tiles { own, packed, outer, inner, whole } = Tiles::of(pack, source, *ir::results(pack).first()?)?;
    let b = Builder::before(pack);
    let source = match whole == own {
        true => source,
        false => {
            let padding = *ir::operands(pack).get(2)?;
            let high: Vec<_> = whole.iter().zip(&own).map(|(whole, own)| whole - own).collect();
            let ty = b.tensor(&whole, ir::element_type_or_self(source.r#type()));
            Parts::of(b, ty).padded(source, padding, &vec![0; own.len()], &high)?
        }
    };
    let row = |d: usize| {
        let mut row = vec![0; packed.len()];
        row[outer[d]] = tile(inner[d]);
        inner[d].into_iter().for_each(|(axis, _)| row[axis] = 1);
        row
    };
    Some(copied(&b, source, &(0..own.len()).map(row).collect::<Vec<_>>(), &packed))
}

/// The tensor whose tiles an operation puts together; `None` if a size is dynamic.
fn unpack(unpack: Op<'_>) -> Option<Val<'_>> {
    let source = *ir::operands(unpack).first()?;
    let Tiles { own, packed, outer, inner, whole } = Tiles::of(unpack, *ir::results(unpack).first()?, source)?;
    let b = Builder::before(unpack);
    // Each dimension, followed by that of its tiles.
    let axes = |d: usize| [outer[d]].into_iter().chain(inner[d].map(|(axis, _)| axis));
    let order: Vec<_> = (0..own.len()).flat_map(axes).collect();
    let extents: Vec<_> = order.iter().map(|axis| packed[*axis]).collect();
    let row = |axis: usize| order.iter().map(|other| i64::from(*other == axis)).collect::<Vec<_>>();
    let ordered = copied(&b, source, &(0..packed.len()).map(row).collect::<Vec<_>>(), &extents);
    let mut next = 0..;
    let group = |d: usize| next.by_ref().take(axes(d).count()).collect();
    let all = b.collapsed(ordered, &(0..own.len()).map(group).collect::<Vec<_>>());
    Some(if whole == own { all } else { b.slice(all, &vec![0; own.len()], &own) })
}
