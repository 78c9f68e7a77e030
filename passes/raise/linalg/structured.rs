//! Structured operations of `linalg`: operands, index functions, iterators and extents.
use mdh_dialects::{
    ffi::indexing_maps,
    ir::{self, Blk, Op, SEGMENTS, Val},
    view::{IndexFunction, IndexMap, is_scalar},
};
use melior::ir::{Attribute, TypeLike, ValueLike};

/// An operand with its index function.
#[derive(Clone)]
pub struct StructuredOperand<'c> {
    /// The tensor, the memref, or the scalar.
    pub value: Val<'c>,
    /// The index function as an attribute; `None` for a scalar.
    pub map: Option<Attribute<'c>>,
    /// The index function; `None` for a scalar.
    pub access: Option<IndexFunction>,
    /// The argument of the region that has its element; `None` if the region has none.
    pub argument: Option<Val<'c>>,
    /// The scalar that all elements are equal to, if it is known.
    pub filled: Option<Val<'c>>,
}

/// The extent of an iterator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent<'c> {
    /// A static extent.
    Static(u64),
    /// The size of an operand along an axis, also of an output that is left out.
    Size(Val<'c>, usize),
}

impl Extent<'_> {
    /// The extent, if it is static.
    pub fn as_static(self) -> Option<u64> {
        match self {
            Self::Static(extent) => Some(extent),
            Self::Size(..) => None,
        }
    }
}

/// A structured operation.
pub struct Structured<'c> {
    /// The operation.
    pub operation: Op<'c>,
    /// The inputs.
    pub inputs: Vec<StructuredOperand<'c>>,
    /// The outputs, which are also initial values. Outputs whose results nothing uses, and which no other output needs,
    /// are left out.
    pub outputs: Vec<StructuredOperand<'c>>,
    /// By output: its position among all outputs.
    pub positions: Vec<usize>,
    /// By output: true if something uses its result.
    pub observed: Vec<bool>,
    /// By iterator: true for a reduction.
    pub reduces: Vec<bool>,
    /// By iterator: the extent.
    pub extents: Vec<Extent<'c>>,
    /// The region's block.
    pub body: Blk<'c>,
}

impl<'c> Structured<'c> {
    /// The values of some outputs before the operation, as its region reads them; `None` if one is not an argument.
    pub fn accumulators(&self, outputs: &[usize]) -> Option<Vec<Val<'c>>> {
        outputs.iter().map(|output| self.outputs[*output].argument).collect()
    }

    /// Reads a structured operation. The error is the requirement that it does not meet.
    pub fn of(operation: Op<'c>) -> Result<Self, String> {
        let name = ir::name(operation);
        let maps = indexing_maps(operation).and_then(ir::array_attribute);
        let maps =
            maps.ok_or_else(|| format!("requires a structured operation with index functions, but {name} has none"))?;
        let body = ir::body(operation, 0).ok_or_else(|| format!("requires a region, but {name} has none"))?;
        let operands = ir::operands(operation);
        if maps.len() != operands.len() {
            return Err(format!(
                "requires an index function for each of the {} operands, but has {}",
                operands.len(),
                maps.len()
            ));
        }
        let count = inputs(operation, &operands);
        let arguments = ir::arguments(body);
        let has_outputs = arguments.len() == operands.len();
        let mut all = vec![];
        let mut rank = 0;
        for (i, (value, map)) in operands.iter().zip(&maps).enumerate() {
            rank = IndexMap::from_attribute(*map).map_or(0, |map| map.dimensions);
            let argument = arguments.get(i).copied().filter(|_| i < count || has_outputs);
            all.push(operand(i, *value, *map, argument)?);
        }
        let outputs = all.split_off(count);
        let reduces = iterators(operation, rank, &outputs)?;
        let operands: Vec<_> = all.iter().chain(&outputs).collect();
        let extents = (0..rank).map(|d| extent(d, &operands)).collect::<Result<_, _>>()?;
        let results = ir::results(operation);
        let is_used = |position: usize| results.get(position).is_none_or(|result| !ir::users(*result).is_empty());
        let used: Vec<_> = (0..outputs.len()).map(is_used).collect();
        let kept = needed(body, &outputs, &used);
        let observed = kept.iter().map(|position| used[*position]).collect();
        let outputs = kept.iter().map(|position| outputs[*position].clone()).collect();
        let (inputs, positions) = (all, kept);
        Ok(Self { operation, inputs, outputs, positions, observed, reduces, extents, body })
    }

    /// The number of iterators.
    pub fn rank(&self) -> usize {
        self.reduces.len()
    }

    /// True if the operation works on memrefs.
    pub fn is_on_memrefs(&self) -> bool {
        self.outputs.iter().any(|output| output.value.r#type().is_mem_ref())
    }
}

/// The outputs that are used, and those that these depend on; all of them if none is used.
fn needed<'c>(body: Blk<'c>, outputs: &[StructuredOperand<'c>], used: &[bool]) -> Vec<usize> {
    let mut operations = ir::block_operations(body);
    let values = operations.pop().map(ir::operands).unwrap_or_default();
    let mut kept: Vec<_> = (0..outputs.len()).filter(|position| used[*position]).collect();
    loop {
        let yields: Vec<_> = kept.iter().filter_map(|position| values.get(*position).copied()).collect();
        let read: Vec<_> = live(&operations, &yields).into_iter().flat_map(ir::operands).chain(yields).collect();
        let is_read = |position: &usize| outputs[*position].argument.is_some_and(|argument| read.contains(&argument));
        let more: Vec<_> = (0..outputs.len()).filter(|position| !kept.contains(position)).filter(is_read).collect();
        if more.is_empty() {
            break;
        }
        kept.extend(more);
        kept.sort_unstable();
    }
    if kept.is_empty() { (0..outputs.len()).collect() } else { kept }
}

/// The operations of a region, also nested ones, that values depend on.
pub fn live<'c>(operations: &[Op<'c>], values: &[Val<'c>]) -> Vec<Op<'c>> {
    let mut needed: Vec<_> = values.to_vec();
    let mut live = vec![];
    for operation in operations.iter().rev() {
        if ir::results(*operation).iter().any(|result| needed.contains(result)) {
            let inner = ir::descendants(*operation);
            needed.extend(inner.iter().flat_map(|inner| ir::operands(*inner)));
            live.extend(inner);
        }
    }
    live
}

/// The operations that depend on values.
pub fn dependent<'c>(operations: &[Op<'c>], values: &[Val<'c>]) -> Vec<Op<'c>> {
    let mut known = values.to_vec();
    let mut found = vec![];
    for operation in operations {
        let mut used = ir::descendants(*operation).into_iter().flat_map(ir::operands);
        if used.any(|operand| known.contains(&operand)) {
            known.extend(ir::results(*operation));
            found.push(*operation);
        }
    }
    found
}

/// The number of inputs among the operands.
fn inputs(operation: Op<'_>, operands: &[Val<'_>]) -> usize {
    let segments = ir::attribute(operation, SEGMENTS).and_then(ir::dense_array_attribute);
    match (segments, ir::name(operation)) {
        (Some(segments), _) => segments.first().map_or(0, |count| *count as usize),
        (None, "linalg.reduce") => operands.len() / 2,
        // One output, after the inputs.
        (None, _) => operands.len().saturating_sub(1),
    }
}

fn operand<'c>(
    position: usize,
    value: Val<'c>,
    map: Attribute<'c>,
    argument: Option<Val<'c>>,
) -> Result<StructuredOperand<'c>, String> {
    let (ty, number) = (value.r#type(), position + 1);
    let element = ir::element_type_or_self(ty);
    if !is_scalar(element) {
        return Err(format!(
            "requires elements of type f16, bf16, f32, f64, index or a signless integer, but operand {number} has '{element}'"
        ));
    }
    if !ty.is_tensor() && !ty.is_mem_ref() {
        return Ok(StructuredOperand { value, map: None, access: None, argument, filled: None });
    }
    let filled = filled(value).filter(|scalar| scalar.r#type() == element);
    match IndexFunction::from_attribute(map) {
        Some(access) => Ok(StructuredOperand { value, map: Some(map), access: Some(access), argument, filled }),
        None => Err(format!("requires linear index functions without symbols, but operand {number} has {map}")),
    }
}

/// The scalar that a tensor is filled with.
fn filled(value: Val<'_>) -> Option<Val<'_>> {
    let fill = ir::defining(value).filter(|operation| ir::name(*operation) == "linalg.fill")?;
    ir::operands(fill).first().copied().filter(|_| value.r#type().is_tensor())
}

/// By iterator: true for a reduction. Named operations have no attribute: iterators that no output depends on are
/// reductions.
fn iterators(operation: Op<'_>, rank: usize, outputs: &[StructuredOperand<'_>]) -> Result<Vec<bool>, String> {
    let stated = ir::attribute(operation, "iterator_types").and_then(ir::array_attribute);
    let uses = |d: usize| outputs.iter().filter_map(|output| output.access.as_ref()).any(|access| access.depends_on(d));
    let Some(stated) = stated else { return Ok((0..rank).map(|d| !uses(d)).collect()) };
    stated
        .iter()
        .map(|kind| match kind.to_string() {
            kind if kind.contains("parallel") => Ok(false),
            kind if kind.contains("reduction") => Ok(true),
            kind => Err(format!("requires parallel and reduction iterators, but has {kind}")),
        })
        .collect()
}

/// The extent of an iterator: the size of an operand along the axis that the iterator indexes alone.
fn extent<'c>(d: usize, operands: &[&StructuredOperand<'c>]) -> Result<Extent<'c>, String> {
    let mut dynamic = None;
    for operand in operands {
        let Some(axis) = operand.access.as_ref().and_then(|access| access.axis_of(d)) else { continue };
        match ir::shape(operand.value.r#type()).unwrap_or_default().get(axis) {
            Some(Some(size)) => return Ok(Extent::Static(*size)),
            _ => dynamic = dynamic.or(Some(Extent::Size(operand.value, axis))),
        }
    }
    dynamic.ok_or_else(|| format!("requires an operand with iterator {} alone as an index, but there is none", d + 1))
}
