//! The workload of a nest, read from the IR.
use super::coverage;
use crate::{
    analysis::{
        computation::{AccessedBuffer, Computation, InitialValue},
        index::Access,
        origin::may_alias,
    },
    emit::vectorize,
    nest::{
        address::LINE,
        operators::Combiner,
        tree::{Array, Layout, MemorySpace},
        types::Element,
        workload::{Body, Initial, Input, Output, Workload},
    },
};
use mdh_dialects::{
    hom::{self, CombineOperator, Function, Operator},
    ir::{self, Blk, FloatType, OpView, StatedLayout, Val},
};
use melior::ir::{
    Type, TypeLike,
    r#type::{IntegerType, MemRefType},
};

/// The facts about a computation that the construction of its nest needs. Tensors count as contiguous row-major
/// buffers.
pub fn workload(computation: &Computation<'_>) -> Workload {
    let has_results = !computation.out_view.results().is_empty();
    let others = other_types(computation);
    let elements = |types: &[Type<'_>]| types.iter().map(|ty| element(*ty, &others)).collect::<Vec<_>>();
    let input = |input: &AccessedBuffer<'_>| Input {
        array: array(input, &others),
        accesses: input.accesses.clone(),
        first_component: input.first_component,
        is_overwritten: is_written(computation, input, |output| !is_own(computation, input, output)),
        is_updated: is_written(computation, input, |output| is_own(computation, input, output)),
        producer: None,
    };
    let output = |(output, copy): (&AccessedBuffer<'_>, &Option<_>)| Output {
        array: array(output, &others),
        accesses: output.accesses.clone(),
        is_aligned: has_results || is_aligned(output.value),
        is_copied_before: copy.is_some(),
    };
    let output_types = elements(&computation.output_types);
    let copies = coverage::copies(computation);
    let inits = initial_values(computation);
    Workload {
        inits,
        extents: computation.extent_sources.clone(),
        operators: computation.operators.clone(),
        input_types: elements(&computation.input_types),
        combiner: combiner(computation, &output_types),
        output_types,
        inputs: computation.inputs.iter().map(input).collect(),
        outputs: computation.outputs.iter().zip(&copies).map(output).collect(),
        is_outermost: ir::parent(computation.out_view.op()).map(ir::name) == Some("func.func"),
        has_results,
        body: body(computation),
        producers: vec![],
        reassociate: !computation.hom.is_ordered(),
    }
}

/// True if an input may alias an output for which a property holds. Newly allocated results share no memory with inputs.
fn is_written<'c>(
    computation: &Computation<'c>,
    input: &AccessedBuffer<'c>,
    holds: impl Fn(&AccessedBuffer<'c>) -> bool,
) -> bool {
    let mut aliases = computation.outputs.iter().filter(|output| may_alias(input.value, output.value));
    computation.out_view.results().is_empty() && aliases.any(holds)
}

/// True if each point reads just the element of an input that it writes: without reductions and scans, by one access
/// that is the output's.
fn is_own(computation: &Computation<'_>, input: &AccessedBuffer<'_>, output: &AccessedBuffer<'_>) -> bool {
    computation.operators.iter().all(CombineOperator::concatenates)
        && input.value == output.value
        && input.accesses.len() == 1
        && input.accesses == output.accesses
}

/// The initial values of a computation, one for each component; empty if it has none.
pub fn initial_values(computation: &Computation<'_>) -> Vec<Initial> {
    let others = other_types(computation);
    let has_results = !computation.out_view.results().is_empty();
    let destinations = || computation.outputs.iter().filter(|_| !has_results);
    let by_component =
        computation.outputs.iter().flat_map(|output| output.accesses.iter().map(move |access| (output, access)));
    let initial = |(initial, (output, written)): (&InitialValue<'_>, (&AccessedBuffer<'_>, &Access))| match initial {
        InitialValue::Scalar(value) => match ir::defining(*value).map(ir::name) {
            Some("arith.constant") => Initial::Constant,
            _ => Initial::Scalar,
        },
        InitialValue::Elements(_, buffer) => {
            let access = buffer.accesses[0].at_first(|d| computation.operators[d].combines());
            let written = written.at_first(|d| computation.operators[d].reduces());
            if !has_results && buffer.value == output.value && access == written {
                return Initial::InPlace;
            }
            let is_overwritten = destinations().any(|output| may_alias(buffer.value, output.value));
            Initial::Elements { array: array(buffer, &others), access, is_overwritten }
        }
    };
    computation.inits.iter().zip(by_component).map(initial).collect()
}

/// The element types that are not numeric, without duplicates. `Element::Other` is an index into this list.
pub fn other_types<'c>(computation: &Computation<'c>) -> Vec<Type<'c>> {
    let buffers = computation.inputs.iter().chain(&computation.outputs).map(|buffer| buffer.element);
    let types = computation.input_types.iter().chain(&computation.output_types).copied();
    let mut others = vec![];
    for ty in buffers.chain(types).filter(|ty| number(*ty).is_none()) {
        if !others.contains(&ty) {
            others.push(ty);
        }
    }
    others
}

/// The nest's element type for an MLIR type. `others`: the non-numeric types of the computation.
pub fn element(ty: Type<'_>, others: &[Type<'_>]) -> Element {
    let other = || others.iter().position(|other| *other == ty).unwrap_or(others.len());
    number(ty).unwrap_or_else(|| Element::Other(other() as u32))
}

/// The element type of a numeric type; `None` for other types.
fn number(ty: Type<'_>) -> Option<Element> {
    if ty.is_index() {
        return Some(Element::Index);
    }
    match IntegerType::try_from(ty) {
        Ok(integer) => integer.is_signless().then(|| Element::Integer(integer.width())),
        Err(_) => FloatType::of(ty).map(Element::Float),
    }
}

/// The element type, sizes, layout and memory space of a buffer.
fn array(buffer: &AccessedBuffer<'_>, others: &[Type<'_>]) -> Array {
    let element = element(buffer.element, others);
    let is_other = MemRefType::try_from(buffer.ty).is_ok_and(|memref| memref.memory_space().is_some());
    let space = if is_other { MemorySpace::Other } else { MemorySpace::Global };
    Array { element, sizes: buffer.shape.clone(), layout: layout(buffer.ty), space }
}

/// The layout of a memref, as its type is written. An `affine_map` layout is opaque: its strides are not derived.
fn layout(ty: Type<'_>) -> Layout {
    match (ir::stated_layout(ty), ir::strides(ty)) {
        (StatedLayout::Map, _) => Layout::Mapped,
        (StatedLayout::Strided, Some((strides, offset))) => Layout::Strided { strides, offset },
        _ => Layout::RowMajor,
    }
}

/// Returns true if a buffer is known to start at a cache-line boundary.
fn is_aligned(memref: Val<'_>) -> bool {
    let allocation = ir::defining(memref).filter(|operation| ir::name(*operation) == "memref.alloc");
    let alignment = allocation.and_then(|operation| ir::integer_attribute(ir::attribute(operation, "alignment")?));
    alignment.is_some_and(|alignment| alignment % LINE == 0)
}

/// The properties of the combining function, which combines tuples of these types.
fn combiner(computation: &Computation<'_>, types: &[Element]) -> Option<Combiner> {
    let function = computation.operators.iter().find_map(CombineOperator::function)?;
    let (has_identity, is_vectorizable) = match function {
        Function::Builtin(_) => (true, true),
        Function::Symbol(symbol) => {
            let operator = Operator::lookup(computation.hom.op(), symbol);
            let body = operator.and_then(Operator::body);
            (operator.and_then(Operator::identity).is_some(), body.is_some_and(vectorize::is_vectorizable_block))
        }
    };
    Some(Combiner { types: types.to_vec(), has_identity, is_vectorizable })
}

/// The properties of the scalar function.
fn body(computation: &Computation<'_>) -> Body {
    let body = computation.hom.body();
    let is_plain = |body| ir::block_operations(body).into_iter().all(|inner| ir::regions(inner).is_empty());
    let mut indices = vec![];
    if let Some(body) = body {
        add_indices(body, &mut vec![], &mut indices);
    }
    Body {
        is_vectorizable: body.is_some_and(vectorize::is_vectorizable_block),
        is_speculatable: body.is_some_and(vectorize::is_speculatable),
        is_plain: body.is_some_and(is_plain),
        indices,
    }
}

/// Adds the dimensions whose index a block reads, including the functions that it calls. `seen`: the blocks that have
/// been visited.
fn add_indices<'c>(block: Blk<'c>, seen: &mut Vec<Blk<'c>>, indices: &mut Vec<usize>) {
    if seen.contains(&block) {
        return;
    }
    seen.push(block);
    for operation in ir::block_operations(block).into_iter().flat_map(ir::descendants) {
        if let Some(index) = hom::Index::cast(operation)
            && !indices.contains(&index.dimension())
        {
            indices.push(index.dimension());
        }
        if let Some(called) = vectorize::called(operation) {
            add_indices(called, seen, indices);
        }
    }
}
