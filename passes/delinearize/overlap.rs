//! Memrefs of nests that may share memory: where their accesses begin and end.
//!
//! ```text
//! %A[i][j], i in 0 .. n, j in 0 .. m, rows of m    ──▶    from 0 to (n - 1) * m + m - 1, in elements after %A
//! ```
//!
//! Two memrefs whose accesses are apart share no memory as far as the nests are concerned.
use super::{
    plan::{NestPlan, chosen, fitting},
    polynomial::{Parameters, SourceParameter},
    range::NestRanges,
    shape::{ShapeRequirement, necessary},
    source::PolynomialAccess,
};
use crate::analysis::{effects::may_overlap, index::Expression};
use mdh_dialects::ir::{self, Op, StatedLayout, Val};
use melior::ir::ValueLike;

/// The most pairs of memrefs that are compared.
const MAX_PAIRS: usize = 32;

/// The extremes of the subscripts of an access.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessRange {
    /// The smallest and the largest subscripts.
    pub ends: [Vec<Expression>; 2],
    /// How far the elements of a dimension are apart.
    pub layout: RangeLayout,
}

/// How far the elements of a dimension are apart.
#[derive(Clone, Debug, PartialEq)]
pub enum RangeLayout {
    /// As far as the sizes of the dimensions inside say. These are the sizes of all dimensions but the outermost one.
    Sizes(Vec<Expression>),
    /// As far as these strides say, which are not negative.
    Strides(Vec<Expression>),
}

impl RangeLayout {
    /// The polynomials.
    pub fn expressions(&self) -> &[Expression] {
        let (Self::Sizes(all) | Self::Strides(all)) = self;
        all
    }
}

/// Where the accesses of a memref are.
#[derive(Clone, Debug, PartialEq)]
pub struct MemrefRange<'c> {
    /// The memref.
    pub memref: Val<'c>,
    /// The number of bytes of an element.
    pub bytes: u32,
    /// The number of elements before the first one.
    pub offset: Expression,
    /// The accesses, each range once.
    pub ranges: Vec<AccessRange>,
    /// What must hold for indices to be these numbers: expressions that must not be negative.
    pub limits: Vec<Expression>,
}

/// Memrefs that must be apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlaps<'c> {
    /// The memrefs.
    pub memrefs: Vec<MemrefRange<'c>>,
    /// Pairs of their positions.
    pub pairs: Vec<[usize; 2]>,
    /// The positions of arrays, whose accesses must be within these numbers of elements.
    pub arrays: Vec<(usize, Expression)>,
}

impl<'c> Overlaps<'c> {
    /// The memrefs of nests that may share memory and of which one is written, with these versions of their arrays.
    pub fn of(nests: &[NestPlan<'c>], versions: &[Vec<usize>], parameters: &mut Parameters<'c>) -> Self {
        let mut memrefs: Vec<(Val<'c>, bool)> = vec![];
        for access in nests.iter().flat_map(|nest| &nest.nest.accesses) {
            match memrefs.iter_mut().find(|(memref, _)| *memref == access.memref) {
                Some((_, is_written)) => *is_written |= access.is_store,
                None => memrefs.push((access.memref, access.is_store)),
            }
        }
        // What is known of memrefs may be known of the operands, which are casts of them.
        let operands: Vec<_> = memrefs.iter().map(|(memref, _)| operands(*memref, nests)).collect();
        let mut pairs = vec![];
        for (i, (one, is_written)) in memrefs.iter().enumerate() {
            let others = memrefs.iter().enumerate().skip(i + 1);
            let may_overlap = |j: usize| operands[i].iter().any(|a| operands[j].iter().any(|b| may_overlap(*a, *b)));
            let is_pair = |(j, (other, is_other_written)): &(usize, &(Val<'c>, bool))| {
                (*is_written || *is_other_written) && may_overlap(*j) && start(*one) != start(*other)
            };
            pairs.extend(others.filter(is_pair).map(|(j, _)| [i, j]));
        }
        let is_array = |memref: Val<'c>| nests.iter().flat_map(|nest| &nest.arrays).any(|array| array.memref == memref);
        let mut all = vec![];
        for (number, (memref, is_written)) in memrefs.iter().enumerate() {
            let is_asked = is_array(*memref) || pairs.iter().any(|pair| pair.contains(&number));
            let mut range = || MemrefRange::of((*memref, *is_written), nests, versions, parameters);
            all.push(if is_asked { range() } else { None });
        }
        pairs.retain(|pair| pair.iter().all(|number| all[*number].is_some()));
        if pairs.len() > MAX_PAIRS {
            pairs.clear();
        }
        let mut found = Self::default();
        let mut positions = vec![0; memrefs.len()];
        for (number, ((memref, _), range)) in memrefs.iter().zip(all).enumerate() {
            let is_needed = is_array(*memref) || pairs.iter().any(|pair| pair.contains(&number));
            let Some(range) = range.filter(|_| is_needed) else { continue };
            positions[number] = found.memrefs.len();
            if is_array(*memref) {
                found.arrays.push((positions[number], size(*memref, 0, parameters)));
            }
            found.memrefs.push(range);
        }
        found.pairs = pairs.into_iter().map(|pair| pair.map(|number| positions[number])).collect();
        found
    }

    /// The number of a memref among those that are apart: that of the first memref with the same start.
    pub fn place(&self, memref: Val<'c>) -> Option<usize> {
        let position = self.memrefs.iter().position(|range| range.memref == memref)?;
        let is_compared = self.pairs.iter().any(|pair| pair.contains(&position));
        let is_same = |range: &MemrefRange<'c>| start(range.memref) == start(memref);
        is_compared.then(|| self.memrefs.iter().position(is_same)).flatten()
    }
}

impl<'c> MemrefRange<'c> {
    /// The range of a memref, which is written or not; `None` if an access has none.
    fn of(
        (memref, is_written): (Val<'c>, bool),
        nests: &[NestPlan<'c>],
        versions: &[Vec<usize>],
        parameters: &mut Parameters<'c>,
    ) -> Option<Self> {
        let ty = memref.r#type();
        let bytes = ir::element_type(ty).and_then(ir::bits)?.div_ceil(8);
        let (mut ranges, mut limits) = (vec![], vec![]);
        let (offset, layout) = match ir::strides(ty)? {
            _ if ir::stated_layout(ty) == StatedLayout::RowMajor => {
                (Expression::constant(0), RangeLayout::Sizes(inner_sizes(memref, parameters)))
            }
            (strides, offset) => {
                let offset =
                    offset.map_or_else(|| parameters.symbol(SourceParameter::Offset(memref)), Expression::constant);
                let strides = strides.into_iter().enumerate().map(|(axis, stride)| match stride {
                    Some(stride) => Expression::constant(stride),
                    None => parameters.symbol(SourceParameter::Stride(memref, axis)),
                });
                let strides: Vec<_> = strides.collect();
                if is_written && strides != [Expression::constant(1)] {
                    limits.extend(distinct(memref, &strides, parameters)?);
                }
                limits.extend(strides.iter().filter(|stride| stride.value().is_none()).cloned());
                if strides.iter().chain(&limits).any(|limit| limit.value().is_some_and(|limit| limit < 0)) {
                    return None;
                }
                (offset, RangeLayout::Strides(strides))
            }
        };
        for (nest, versions) in nests.iter().zip(versions) {
            let mut required = vec![];
            let planned = nest.arrays.iter().zip(versions).find(|(array, _)| array.memref == memref);
            let own = nest.nest.accesses.iter().enumerate().filter(|(_, access)| access.memref == memref);
            for (number, access) in own {
                let (subscripts, layout) = match planned {
                    Some((array, version)) => {
                        let place = array.accesses.iter().position(|access| *access == number)?;
                        let sizes = RangeLayout::Sizes(array.shape.sizes.clone());
                        (chosen(array, *version).subscripts[place].clone(), sizes)
                    }
                    None => {
                        let indices = access.indices.clone().ok()?;
                        required.extend(requirements(memref, access, &indices, (&nest.nest.ranges, parameters))?);
                        (indices, layout.clone())
                    }
                };
                let extremes = subscripts.iter().map(|subscript| nest.nest.ranges.extremes(subscript));
                let (least, most) = extremes.collect::<Option<Vec<_>>>()?.into_iter().map(|[l, m]| (l, m)).unzip();
                let range = AccessRange { ends: [least, most], layout };
                if !ranges.contains(&range) {
                    ranges.push(range);
                }
            }
            limits.extend(necessary(&required, &nest.nest.ranges));
        }
        Some(Self { memref, bytes, offset, ranges, limits })
    }
}

/// The operands by which nests access a memref, each once.
fn operands<'c>(memref: Val<'c>, nests: &[NestPlan<'c>]) -> Vec<Val<'c>> {
    let mut found = vec![];
    for access in nests.iter().flat_map(|nest| &nest.nest.accesses).filter(|access| access.memref == memref) {
        if !found.contains(&access.operand) {
            found.push(access.operand);
        }
    }
    found
}

/// The memref of which a memref is a cast that begins with the same element: two of these are not apart.
fn start(memref: Val<'_>) -> Val<'_> {
    let cast = ir::defining(memref).filter(|cast| match ir::name(*cast) {
        "memref.cast" => true,
        "memref.reinterpret_cast" => keeps_offset(*cast),
        _ => false,
    });
    cast.map_or(memref, |cast| start(ir::operands(cast)[0]))
}

/// True for a `memref.reinterpret_cast` with the offset of its source.
fn keeps_offset(cast: Op<'_>) -> bool {
    let (source, result) = (ir::operands(cast)[0], ir::results(cast)[0]);
    let offset = |memref: Val<'_>| ir::strides(memref.r#type()).and_then(|(_, offset)| offset);
    let is_of_source = |offset: &Val<'_>| {
        let metadata = ir::defining(*offset).filter(|op| ir::name(*op) == "memref.extract_strided_metadata");
        metadata.is_some_and(|metadata| ir::operands(metadata) == [source] && ir::results(metadata)[1] == *offset)
    };
    match offset(result) {
        Some(own) => offset(source) == Some(own),
        None => ir::operands(cast).get(1).is_some_and(is_of_source),
    }
}

/// What must not be negative so that each element of a memref with these strides has an address of its own: those of a
/// dimension are apart as far as all elements of the dimensions inside. Dimensions with known strides are inside.
fn distinct<'c>(memref: Val<'c>, strides: &[Expression], parameters: &mut Parameters<'c>) -> Option<Vec<Expression>> {
    let mut order: Vec<_> = (0..strides.len()).rev().collect();
    order.sort_by_key(|axis| strides[*axis].value().unwrap_or(i128::MAX));
    let mut least = Expression::constant(1);
    let mut found = vec![];
    for axis in order {
        found.push(strides[axis].checked_sub(&least)?);
        least = strides[axis].checked_mul(&size(memref, axis, parameters))?;
    }
    found.retain(|limit| limit.value().is_none_or(|limit| limit < 0));
    Some(found)
}

/// The requirements that each index of an access is within the size of the memref, and that values fit in their types.
fn requirements<'c>(
    memref: Val<'c>,
    access: &PolynomialAccess<'c>,
    indices: &[Expression],
    (ranges, parameters): (&NestRanges, &mut Parameters<'c>),
) -> Option<Vec<ShapeRequirement>> {
    let mut found = vec![];
    for (axis, index) in indices.iter().enumerate() {
        let [least, most] = ranges.extremes(index)?;
        let last = size(memref, axis, parameters).checked_sub(&Expression::constant(1))?;
        let both = [least, last.checked_sub(&most)?];
        found.extend(both.map(|expression| ShapeRequirement { expression, loops: access.loops.clone() }));
    }
    for fit in &access.fits {
        found.extend(fitting(fit, &access.loops, &[], ranges)?);
    }
    Some(found)
}

/// The sizes of all dimensions of a memref but the outermost one.
fn inner_sizes<'c>(memref: Val<'c>, parameters: &mut Parameters<'c>) -> Vec<Expression> {
    let rank = ir::shape(memref.r#type()).unwrap_or_default().len();
    (1..rank).map(|axis| size(memref, axis, parameters)).collect()
}

/// The size of a memref along an axis.
fn size<'c>(memref: Val<'c>, axis: usize, parameters: &mut Parameters<'c>) -> Expression {
    match ir::shape(memref.r#type()).and_then(|shape| *shape.get(axis)?) {
        Some(size) => Expression::constant(size),
        None => parameters.symbol(SourceParameter::Size(memref, axis)),
    }
}
