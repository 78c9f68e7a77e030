//! Tiles of computations, for upstream's tiling and fusion: which tiles can be computed by themselves, and the blocks of
//! buffers that they reach. `Tiling.cpp` builds the operations.
use super::{IndexFunction, InpView, OutView, ops::accesses, size_of_extent};
use crate::{
    hom::{MdHom, combine_operator},
    ir::{self, Op, OpView},
    pass::guard,
    verify::mda,
};
use melior::ir::{
    Attribute, AttributeLike, Type, TypeLike, ValueLike,
    attribute::{ArrayAttribute, IntegerAttribute, StringAttribute},
};
use mlir_sys::{MlirAttribute, MlirOperation};
use std::slice;

/// The block of a buffer that accesses reach from a tile.
struct Block {
    /// Its offsets, as functions of the offsets and then the sizes of the tile.
    offsets: IndexFunction,
    /// Its sizes, as functions of the same values.
    sizes: IndexFunction,
    /// The accesses, from a point of the tile to an element of the block.
    accesses: Vec<IndexFunction>,
}

impl Block {
    /// The block of accesses that differ in constants only. `None` if an index decreases in a dimension of dynamic size:
    /// constants of index functions are static.
    fn new(accesses: &[IndexFunction], tile: &[Option<i64>]) -> Option<Self> {
        let (first, zeros) = (accesses.first()?, vec![0; tile.len()]);
        let (mut offsets, mut sizes) = (vec![], vec![]);
        for axis in 0..first.rank() {
            let (row, (low, high)) = (first.row(axis).0, constants(accesses, axis));
            let mut origin = low;
            for (coefficient, size) in row.iter().zip(tile).filter(|(coefficient, _)| **coefficient < 0) {
                origin = origin.checked_add(coefficient.checked_mul((*size)?.checked_sub(1)?)?)?;
            }
            let steps =
                row.iter().zip(tile).map(|(coefficient, size)| if *size == Some(1) { 0 } else { coefficient.abs() });
            let steps: Vec<_> = steps.collect();
            let length = high - low + 1 - steps.iter().sum::<i64>();
            offsets.push(([row, &zeros].concat(), origin));
            sizes.push(([&zeros[..], &steps].concat(), length));
        }
        let shifted = |access: &IndexFunction| {
            let rows = offsets.iter().enumerate().map(|(axis, (_, origin))| {
                let (row, constant) = access.row(axis);
                (row.to_vec(), constant - origin)
            });
            IndexFunction::new(rows)
        };
        let accesses = accesses.iter().map(shifted).collect();
        Some(Self { offsets: IndexFunction::new(offsets), sizes: IndexFunction::new(sizes), accesses })
    }
}

/// True if two accesses to a buffer differ in constants only.
fn are_parallel(a: &IndexFunction, b: &IndexFunction) -> bool {
    (0..a.rank()).all(|axis| a.row(axis).0 == b.row(axis).0)
}

/// The smallest and the largest constant of accesses in a buffer dimension.
fn constants(accesses: &[IndexFunction], axis: usize) -> (i64, i64) {
    let constants = || accesses.iter().map(|access| access.row(axis).1);
    (constants().min().unwrap_or(0), constants().max().unwrap_or(0))
}

/// The blocks that a tile of a view reaches, an array for each: the number of the buffer, the index functions, and maps
/// of the offsets and of the sizes. The maps have no results if an input is needed as a whole.
///
/// An access to an input has a block of its own, except for neighbours in a tile of static size: a dynamic extent is the
/// size of the block whose index it is.
fn blocks<'c>(view: Op<'c>, tile: &[Option<i64>], is_partial: &[bool]) -> Result<Attribute<'c>, String> {
    if let Some(obstacle) = OutView::cast(view).and_then(|view| obstacle(view, is_partial)) {
        return Err(obstacle);
    }
    let context = ir::context(view);
    let is_input = InpView::cast(view).is_some();
    let is_joined = !is_input || tile.iter().all(Option::is_some);
    let array = |elements: &[Attribute<'c>]| Attribute::from(ArrayAttribute::new(context, elements));
    let maps = |accesses: &[IndexFunction]| {
        array(&accesses.iter().map(|access| access.attribute(context, tile.len())).collect::<Vec<_>>())
    };
    let mut blocks = vec![];
    for (buffer, bracket) in accesses(view).unwrap_or_default().iter().enumerate() {
        for neighbours in bracket.chunk_by(|a, b| is_joined && are_parallel(a, b)) {
            let number = IntegerAttribute::new(Type::index(context), buffer as i64).into();
            let is_whole = (0..tile.len()).all(|d| !is_partial[d] || !neighbours[0].depends_on(d));
            let none = || IndexFunction::new([]);
            let block = match is_input && is_whole {
                true => Block { offsets: none(), sizes: none(), accesses: neighbours.to_vec() },
                false => Block::new(neighbours, tile)
                    .ok_or("requires tiles of static size in dimensions in which an index decreases")?,
            };
            let [offsets, sizes] = [block.offsets, block.sizes].map(|map| map.attribute(context, 2 * tile.len()));
            blocks.push(array(&[number, maps(&block.accesses), offsets, sizes]));
        }
    }
    Ok(array(&blocks))
}

/// Why a tile of a computation that is partial in some dimensions cannot be computed by itself; `None` if it can.
fn obstacle(view: OutView<'_>, is_partial: &[bool]) -> Option<String> {
    let is_input = |value: &_| mda(Some(value)).0.is_empty() || ir::defining(*value).and_then(InpView::cast).is_some();
    let hom = ir::defining(view.mda()).and_then(MdHom::cast).filter(|hom| ir::operands(hom.op()).iter().all(is_input));
    let Some(hom) = hom else {
        return Some(format!("requires an {} of an {}", MdHom::NAME, InpView::NAME));
    };
    let inputs = ir::operands(hom.op()).into_iter().filter_map(|value| InpView::cast(ir::defining(value)?));
    if inputs.flat_map(InpView::buffers).chain(view.buffers()).any(|buffer| buffer.r#type().is_mem_ref()) {
        return Some("requires a computation on tensors, but it reads or writes memrefs".to_owned());
    }
    let (extents, scalars) = mda(Some(&view.mda()));
    if let Some(d) = mda(Some(&hom.mda())).0.iter().position(|extent| *extent == Some(0)) {
        return Some(format!("requires extents larger than 0, but that of dimension {} is 0", d + 1));
    }
    let partial = || is_partial.iter().enumerate().filter(|(_, partial)| **partial).map(|(d, _)| d);
    let operators = hom.combine();
    for d in partial() {
        let operator = operators.get(d).and_then(|operator| combine_operator(*operator, scalars.len()));
        if operator.is_none_or(|operator| operator.combines()) {
            return Some(format!(
                "requires tiles with the whole extent of dimension {}, because its points are combined by {}",
                d + 1,
                operators[d]
            ));
        }
    }
    for (i, bracket) in view.accesses()?.iter().enumerate() {
        if let Some(other) = bracket.iter().position(|access| !are_parallel(access, &bracket[0])) {
            return Some(format!(
                "requires index functions of result {} that differ in constants only, but those of accesses 1 and {} have different coefficients",
                i + 1,
                other + 1
            ));
        }
        // The blocks of two tiles are disjoint if they are so along one dimension of the buffer.
        let separates = |axis: usize, d: usize| {
            let (row, (low, high)) = (bracket[0].row(axis).0, constants(bracket, axis));
            let is_alone = (0..row.len()).all(|other| other == d || row[other] == 0 || extents[other] == Some(1));
            is_alone && row[d].abs() > high - low
        };
        if let Some(d) = partial().find(|d| !(0..bracket[0].rank()).any(|axis| separates(axis, *d))) {
            return Some(format!(
                "requires tiles that write separate blocks of result {}, but those along dimension {} do not",
                i + 1,
                d + 1
            ));
        }
        if !view.destinations().is_empty() && !view.overwrites(i) {
            return Some(format!(
                "requires destinations of static size that are overwritten as a whole, because loops over tiles begin with new tensors, but destination {} is not",
                i + 1
            ));
        }
    }
    None
}

/// By dimension of a result, the iteration dimension that is its index and whose extent is its size: there is none if
/// the result has several accesses.
fn result_dimensions(view: OutView<'_>, result: usize) -> Vec<Option<usize>> {
    let (extents, _) = mda(Some(&view.mda()));
    let accesses = view.accesses().unwrap_or_default();
    let access = accesses.get(result).filter(|bracket| bracket.len() == 1).map(|bracket| &bracket[0]);
    let dimension = |(axis, size): (usize, &Option<u64>)| {
        let is_index = |d: &usize| access.is_some_and(|access| access.axis_of(*d) == Some(axis));
        (0..extents.len()).find(|d| extents[*d] == *size && *size != Some(1) && is_index(d))
    };
    result_sizes(view, result).iter().enumerate().map(dimension).collect()
}

/// The sizes of a result.
fn result_sizes(view: OutView<'_>, result: usize) -> Vec<Option<u64>> {
    view.results().get(result).and_then(|result| ir::shape(result.r#type())).unwrap_or_default()
}

/// A tile that C++ passes: by dimension, its size, negative if dynamic, and whether the tile is partial.
#[repr(C)]
struct Tile {
    dimensions: usize,
    sizes: *const i64,
    is_partial: *const bool,
}

impl Tile {
    /// # Safety
    /// Both pointers must be to a value for each dimension.
    unsafe fn read(&self) -> (Vec<Option<i64>>, Vec<bool>) {
        // SAFETY: guaranteed by the caller.
        let (sizes, is_partial) = unsafe {
            let sizes = slice::from_raw_parts(self.sizes, self.dimensions);
            (sizes, slice::from_raw_parts(self.is_partial, self.dimensions))
        };
        (sizes.iter().map(|size| Some(*size).filter(|size| *size >= 0)).collect(), is_partial.to_vec())
    }
}

/// The result of [`blocks`], or a string attribute with the reason why there is none.
///
/// # Safety
/// The view and the tile must be valid, and nothing may change the view during the call.
#[unsafe(no_mangle)]
unsafe extern "C" fn mdhTileBlocks(view: MlirOperation, tile: Tile) -> MlirAttribute {
    // SAFETY: guaranteed by the caller.
    let (view, (sizes, is_partial)) = unsafe { (Op::from_raw(view), tile.read()) };
    let found = guard(Err("fails unexpectedly".to_owned()), || blocks(view, &sizes, &is_partial));
    let text = |reason: String| StringAttribute::new(ir::context(view), &reason).into();
    found.unwrap_or_else(text).to_raw()
}

/// The result of [`OutView::overwrites`].
///
/// # Safety
/// The out_view must be valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn mdhOverwrites(view: MlirOperation, destination: usize) -> bool {
    // SAFETY: guaranteed by the caller.
    let view = unsafe { Op::from_raw(view) };
    guard(false, || OutView::cast(view).is_some_and(|view| view.overwrites(destination)))
}

/// A dimension of a buffer.
#[repr(C)]
struct Axis {
    is_found: bool,
    buffer: usize,
    axis: usize,
}

/// The result of [`size_of_extent`]. `accesses` has an array of index functions for each buffer.
///
/// # Safety
/// The attribute must be valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn mdhAxisOf(accesses: MlirAttribute, d: usize) -> Axis {
    // SAFETY: guaranteed by the caller.
    let accesses = unsafe { Attribute::from_raw(accesses) };
    let functions = |bracket| {
        let accesses = ir::array_attribute(bracket).unwrap_or_default();
        accesses.into_iter().filter_map(IndexFunction::from_attribute).collect::<Vec<_>>()
    };
    let found = guard(None, || {
        let brackets: Vec<_> = ir::array_attribute(accesses)?.into_iter().map(functions).collect();
        size_of_extent(&brackets, d)
    });
    let (buffer, axis) = found.unwrap_or_default();
    Axis { is_found: found.is_some(), buffer, axis }
}

/// Writes the result of [`result_dimensions`], with -1 for none. Returns false if a dimension without one has several
/// indices.
///
/// # Safety
/// The out_view must be valid, and the pointer must be to a number for each dimension of the result.
#[unsafe(no_mangle)]
unsafe extern "C" fn mdhResultDimensions(view: MlirOperation, result: usize, dimensions: *mut i64) -> bool {
    // SAFETY: guaranteed by the caller.
    let view = unsafe { Op::from_raw(view) };
    let found = guard(None, || {
        let view = OutView::cast(view)?;
        Some(result_dimensions(view, result).into_iter().zip(result_sizes(view, result)).collect::<Vec<_>>())
    });
    let found = found.unwrap_or_default();
    for (axis, (dimension, _)) in found.iter().enumerate() {
        // SAFETY: guaranteed by the caller.
        unsafe { *dimensions.add(axis) = dimension.map_or(-1, |d| d as i64) };
    }
    found.iter().all(|(dimension, size)| dimension.is_some() || *size == Some(1))
}
