//! Builds the views and the homomorphism of a structured operation.
use super::{
    apart::are_apart,
    known::literal,
    operator::{self, OperatorPart},
    region::{Carry, Component, Function, is_float},
    structured::{Extent, Structured, StructuredOperand},
};
use crate::analysis::{
    effects::may_overlap,
    extents::dim,
    origin::{argument_attribute, function_of_argument, has_directive, is_of_llvm_ir, part},
};
use mdh_dialects::{
    hom::{CombineOperator, Index, Kind, MdHom, Yield},
    ir::{self, Builder, Op, OpView, Region, Val, ValueMap},
    view::{IndexFunction, InpView, OutView, mda_type_of, size_of_extent},
};
use melior::ir::{Attribute, Type, TypeLike, ValueLike};

/// Replaces a structured operation. The error is the reason why that is not possible; nothing has changed then.
pub fn replace<'c>(structured: &Structured<'c>, function: &Function<'c>) -> Result<(), String> {
    check(structured, function)?;
    let results = build(structured, function);
    let all = ir::results(structured.operation);
    for (position, new) in structured.positions.iter().zip(results) {
        ir::replace_uses(all[*position], new);
    }
    ir::erase(structured.operation);
    Ok(())
}

/// The operands that the scalar function reads.
fn inputs<'c>(structured: &Structured<'c>, function: &Function<'c>) -> Vec<StructuredOperand<'c>> {
    let mut inputs: Vec<_> = structured.inputs.iter().filter(|input| is_used(input, function)).cloned().collect();
    if function.parts.is_none() {
        // An output that the region reads is an input, too.
        inputs.extend(structured.outputs.iter().filter(|output| is_used(output, function)).cloned());
    }
    inputs
}

/// True if new tensors can take the place of all outputs.
fn is_new(structured: &Structured<'_>, function: &Function<'_>) -> bool {
    structured.outputs.iter().all(|output| is_replaced(structured, function, output))
}

/// Requires what the views and the homomorphism require.
pub fn check<'c>(structured: &Structured<'c>, function: &Function<'c>) -> Result<(), String> {
    structured.outputs.iter().enumerate().try_for_each(|(i, output)| check_output(structured, i, output))?;
    let inputs = inputs(structured, function);
    if structured.rank() == 0
        && inputs.iter().any(|input| input.access.as_ref().is_some_and(|access| access.rank() > 0))
    {
        return Err("requires inputs of rank 0 without iterators".to_owned());
    }
    check_aliases(structured, &inputs)?;
    let is_new = is_new(structured, function);
    let is_repeated = |i: usize| structured.outputs[..i].iter().any(|other| other.value == structured.outputs[i].value);
    if let Some(i) = (0..structured.outputs.len()).find(|i| !is_new && is_repeated(*i)) {
        return Err(format!(
            "requires a different tensor or memref for each output, but output {} is another one, too",
            i + 1
        ));
    }
    Ok(())
}

/// Builds the views and the homomorphism before a structured operation that meets the requirements, and returns the
/// new tensors.
pub fn build<'c>(structured: &Structured<'c>, function: &Function<'c>) -> Vec<Val<'c>> {
    let inputs = inputs(structured, function);
    let is_new = is_new(structured, function);
    let b = Builder::before(structured.operation);
    let buffers: Vec<_> = inputs.iter().filter(|input| input.map.is_some()).collect();
    let in_mda = mda(&b, structured, buffers.iter().map(|input| element(input)), |_| false);
    let in_view = view(&b, structured, &buffers, |_| false, in_mda);
    let inits = match (&function.parts, &function.scan) {
        (_, Some((_, Carry::Constant(ty, words)))) => vec![b.wide_literal(words, *ty)],
        (_, Some((_, Carry::Value(value)))) => vec![*value],
        (_, Some((scanned, Carry::Elements(operand)))) => {
            let is_first = |d: usize| d == *scanned;
            let mda = mda(&b, structured, [element(operand)].into_iter(), is_first);
            vec![view(&b, structured, &[operand], is_first, mda).result()]
        }
        (Some(parts), None) => initial_values(&b, structured, parts),
        (None, None) => vec![],
    };
    let outputs: Vec<_> = structured.outputs.iter().map(element).collect();
    let combining = function.parts.as_ref();
    let combining = combining.map(|all| operator::function(structured.operation, all, &outputs));
    let out_mda = mda(&b, structured, outputs.into_iter(), |d| structured.reduces[d]);
    let operators: Vec<_> = (0..dimensions(structured))
        .map(|d| match &combining {
            Some(combining) if structured.reduces.get(d) == Some(&true) => {
                CombineOperator::PointWise(combining.clone()).attribute(b.context)
            }
            Some(combining) if function.scan.as_ref().is_some_and(|(scanned, _)| *scanned == d) => {
                CombineOperator::PrefixSum(combining.clone()).attribute(b.context)
            }
            _ => CombineOperator::Concatenation.attribute(b.context),
        })
        .collect();
    let body = scalar_function(&b, structured, function, &inputs);
    let hom = MdHom::build(&b, in_view.result(), &inits, &operators, body, out_mda);
    hom.set_raised();
    // LLVM IR says for each operation how far its result may differ.
    if is_of_llvm_ir(structured.operation) {
        hom.set_contract(function.is_contract());
        if function.parts.is_some() && !function.reassociates() && !has_directive(structured.operation) {
            hom.set_ordered();
        }
    }
    out_view(&b, structured, is_new, hom.result())
}

/// The number of dimensions: an operation without iterators has one point.
fn dimensions(structured: &Structured<'_>) -> usize {
    structured.rank().max(1)
}

/// True if the scalar function reads an operand.
fn is_used<'c>(operand: &StructuredOperand<'c>, function: &Function<'c>) -> bool {
    let Some(argument) = operand.argument else { return false };
    let is_yielded = function.yields.iter().any(|component| component.value() == Some(argument));
    is_yielded
        || ir::users(argument).into_iter().any(|user| !function.combining.contains(&user) && !is_terminator(user))
}

fn is_terminator(operation: Op<'_>) -> bool {
    ir::name(operation) == "linalg.yield"
}

fn element<'c>(operand: &StructuredOperand<'c>) -> Type<'c> {
    ir::element_type_or_self(operand.value.r#type())
}

/// Requires that each element of an output is written by one point of the parallel iterators.
fn check_output(structured: &Structured<'_>, i: usize, output: &StructuredOperand<'_>) -> Result<(), String> {
    let number = i + 1;
    let Some(access) = &output.access else {
        return Err(format!("requires a buffer for output {number}, but it is a scalar"));
    };
    for (d, reduces) in structured.reduces.iter().enumerate() {
        if *reduces && access.depends_on(d) {
            return Err(format!("requires that output {number} does not depend on reduction iterator {}", d + 1));
        }
        if !reduces && !access.is_alone(d) && structured.extents[d] != Extent::Static(1) {
            return Err(format!(
                "requires that output {number} has parallel iterator {} alone as an index, but it has not",
                d + 1
            ));
        }
    }
    if structured.rank() == 0 && access.rank() > 0 {
        return Err(format!(
            "requires an output of rank 0 without iterators, but output {number} has rank {}",
            access.rank()
        ));
    }
    Ok(())
}

/// Requires that no output shares memory with another operand, except with one that is read by the access that writes
/// it. Tensors are values.
fn check_aliases<'c>(structured: &Structured<'c>, inputs: &[StructuredOperand<'c>]) -> Result<(), String> {
    if !structured.is_on_memrefs() {
        return Ok(());
    }
    for (i, output) in structured.outputs.iter().enumerate() {
        let others = inputs.iter().chain(&structured.outputs[i + 1..]);
        let is_memref = |other: &&StructuredOperand<'c>| other.value.r#type().is_mem_ref();
        let is_same = |other: &StructuredOperand<'c>| other.value == output.value && other.access == output.access;
        let mut shared = others.filter(is_memref).filter(|other| !is_same(other));
        if shared.any(|other| may_overlap(other.value, output.value) && !are_apart(other, output)) {
            return Err(format!(
                "requires memrefs that do not share memory, but output {} may share that of another operand",
                i + 1
            ));
        }
    }
    Ok(())
}

/// The MDA type with these components; extent 1 in dimensions for which `is_first` is true.
fn mda<'c>(
    b: &Builder<'c>,
    structured: &Structured<'c>,
    components: impl Iterator<Item = Type<'c>>,
    is_first: impl Fn(usize) -> bool,
) -> Type<'c> {
    let extents: Vec<_> = (0..dimensions(structured))
        .map(|d| match structured.extents.get(d) {
            None => Some(1),
            Some(_) if is_first(d) => Some(1),
            Some(Extent::Static(extent)) => Some(*extent),
            Some(Extent::Size(..)) => None,
        })
        .collect();
    mda_type_of(b.context, &extents, &components.collect::<Vec<_>>())
}

/// The access of an operand as an attribute.
fn access<'c>(b: &Builder<'c>, structured: &Structured<'c>, operand: &StructuredOperand<'c>) -> Attribute<'c> {
    let map = operand.map.filter(|_| structured.rank() > 0);
    map.unwrap_or_else(|| b.scalar_access(dimensions(structured)))
}

/// The view of some operands. Extents that do not follow from them are operands of their own.
fn view<'c>(
    b: &Builder<'c>,
    structured: &Structured<'c>,
    operands: &[&StructuredOperand<'c>],
    is_first: impl Fn(usize) -> bool,
    mda: Type<'c>,
) -> InpView<'c> {
    let is_same = |left: &&StructuredOperand<'c>, right: &&StructuredOperand<'c>| left.value == right.value;
    let brackets: Vec<_> = operands.chunk_by(is_same).collect();
    let functions = |bracket: &&[&StructuredOperand<'c>]| {
        bracket.iter().filter_map(|operand| operand.access.clone()).collect::<Vec<_>>()
    };
    let functions: Vec<_> = brackets.iter().map(functions).collect();
    let known = |d: usize| size_of_extent(&functions, d).is_some();
    let mut extents = vec![];
    for (d, extent) in structured.extents.iter().enumerate() {
        let Extent::Size(value, axis) = *extent else { continue };
        if is_first(d) || known(d) {
            continue;
        }
        extents.push(dim(b, value, axis));
    }
    let buffers: Vec<_> = brackets.iter().map(|bracket| bracket[0].value).collect();
    let of_bracket = |bracket: &&[&StructuredOperand<'c>]| {
        b.array(&bracket.iter().map(|operand| access(b, structured, operand)).collect::<Vec<_>>())
    };
    let accesses: Vec<_> = brackets.iter().map(of_bracket).collect();
    InpView::build(b, &buffers, &extents, &accesses, mda)
}

/// The initial values of a reduction; none if all of them are identities whose combination changes no bit.
fn initial_values<'c>(b: &Builder<'c>, structured: &Structured<'c>, parts: &[OperatorPart<'c>]) -> Vec<Val<'c>> {
    let is_neutral = |part: &OperatorPart<'c>| match part {
        OperatorPart::Known(output, operation) => {
            let value = structured.outputs[*output].filled;
            value.zip(operation.kind()).is_some_and(|(value, kind)| is_identity(value, kind))
        }
        OperatorPart::Tuple(_) | OperatorPart::Form(_) => false,
    };
    if parts.iter().all(is_neutral) {
        return vec![];
    }
    let one = |output: &StructuredOperand<'c>| {
        output.filled.unwrap_or_else(|| {
            let is_first = |d: usize| structured.reduces[d];
            let mda = mda(b, structured, [element(output)].into_iter(), is_first);
            view(b, structured, &[output], is_first, mda).result()
        })
    };
    structured.outputs.iter().map(one).collect()
}

/// True if a constant is the identity of a function in every order: not for sums and products of floats, whose order
/// with an initial value is another one.
fn is_identity(value: Val<'_>, kind: Kind) -> bool {
    let ty = value.r#type();
    let constant = ir::defining(value).filter(|operation| ir::name(*operation) == "arith.constant");
    let number = constant.and_then(|operation| ir::number_attribute(ir::attribute(operation, "value")?));
    let is_ordered = ty.is_float() && matches!(kind, Kind::Add | Kind::Mul);
    let identity = kind.form(ty.is_float()).identity;
    !is_ordered && number.is_some_and(|number| identity.is(number, ir::integer_width(ty)))
}

/// The scalar function: the region without the operations that combine values with outputs.
fn scalar_function<'c>(
    b: &Builder<'c>,
    structured: &Structured<'c>,
    function: &Function<'c>,
    inputs: &[StructuredOperand<'c>],
) -> Region<'c> {
    let buffers = inputs.iter().filter(|input| input.map.is_some());
    let types: Vec<_> = buffers.clone().map(element).collect();
    let (region, block) = b.region(&types);
    let inside = b.at_end(block);
    let mut map = ValueMap::default();
    let arguments = buffers.filter_map(|input| input.argument).zip(ir::arguments(block));
    let scalars = inputs.iter().filter(|input| input.map.is_none());
    let scalars = scalars.filter_map(|input| Some((input.argument?, input.value)));
    map.extend(arguments.chain(scalars));
    let mut operations = ir::block_operations(structured.body);
    operations.pop();
    let replace_index = &mut |here: &Builder<'c>, inner: Op<'c>| {
        let dimension = (ir::name(inner) == "linalg.index").then(|| ir::attribute(inner, "dim"))??;
        let attribute = [("dimension", dimension)];
        Some(vec![here.value(Index::NAME, &[], here.index(), &attribute)])
    };
    for operation in operations.into_iter().filter(|operation| !function.combining.contains(operation)) {
        let values = inside.copy_mapped(operation, &map, replace_index);
        map.extend(ir::results(operation).into_iter().zip(values));
    }
    let value = |component: &Component<'c>| match component {
        Component::Value(value) => map.get(*value),
        Component::Negative(value) => negative(&inside, map.get(*value)),
        Component::Constant(number, ty) => literal(&inside, *number, *ty),
    };
    let mut yields: Vec<_> = function.yields.iter().map(value).collect();
    for part in function.parts.iter().flatten() {
        let OperatorPart::Tuple(tuple) = part else { continue };
        let values: Vec<_> = tuple.outputs.iter().map(|output| yields[*output]).collect();
        let points = tuple.point(&inside, &values);
        tuple.outputs.iter().zip(points).for_each(|(output, value)| yields[*output] = value);
    }
    Yield::build(&inside, &yields);
    region
}

fn negative<'c>(b: &Builder<'c>, value: Val<'c>) -> Val<'c> {
    let ty = value.r#type();
    match is_float(value) {
        true => b.value("arith.negf", &[value], ty, &[]),
        false => b.value("arith.subi", &[b.constant(0, ty), value], ty, &[]),
    }
}

/// The view of the results: new tensors, or the outputs as destinations.
fn out_view<'c>(b: &Builder<'c>, structured: &Structured<'c>, is_new: bool, mda: Val<'c>) -> Vec<Val<'c>> {
    let accesses: Vec<_> = structured.outputs.iter().map(|output| b.array(&[access(b, structured, output)])).collect();
    let types = structured.outputs.iter().map(|output| output.value.r#type()).filter(|ty| ty.is_tensor());
    let types: Vec<_> = types.collect();
    let destinations: Vec<_> = structured.outputs.iter().map(|output| output.value).collect();
    let destinations = if is_new { vec![] } else { destinations };
    OutView::build(b, mda, &destinations, &accesses, &types).results()
}

/// True if a new tensor can take the place of an output: no element keeps its previous value. The results of a part are
/// written where they belong.
fn is_replaced(structured: &Structured<'_>, function: &Function<'_>, output: &StructuredOperand<'_>) -> bool {
    let ty = output.value.r#type();
    let defining = ir::defining(output.value).map(ir::name);
    let is_unused = match function.parts {
        Some(_) => output.filled.is_some() || function.scan.is_some() || is_read_only(output.value),
        None => {
            !is_used(output, function)
                && (matches!(defining, Some("tensor.empty" | "linalg.fill" | "bufferization.alloc_tensor"))
                    || is_input_only(structured, output))
        }
    };
    let covers = |access: &IndexFunction| {
        let sizes = ir::shape(ty).unwrap_or_default();
        let extents: Vec<_> = structured.extents.iter().map(|extent| extent.as_static()).collect();
        (0..access.rank()).all(|axis| {
            // Loops may leave out elements at the end.
            let is_whole = |d: usize| structured.extents[d].as_static() == sizes[axis];
            let own = (0..structured.rank()).find(|&d| access.axis_of(d) == Some(axis) && is_whole(d));
            // From the last element to the first one.
            let is_reversed = access.row(axis).0.iter().filter(|c| **c != 0).eq([&-1])
                && access.range(axis, &extents).and_then(|(low, high)| Some((low, u64::try_from(high).ok()? + 1)))
                    == sizes[axis].map(|size| (0, size));
            own.is_some() || is_reversed || sizes[axis] == Some(1)
        })
    };
    ty.is_tensor() && is_unused && part(output.value).is_none() && output.access.as_ref().is_some_and(covers)
}

/// True if an output is an input, too, and not to be updated in place: an operation on the elements of tensors has one of
/// its operands as its output, whatever it is. Tensors that loops carry, and those that callers allow to be written, are
/// updated.
fn is_input_only<'c>(structured: &Structured<'c>, output: &StructuredOperand<'c>) -> bool {
    let is_same = |input: &StructuredOperand<'c>| input.value == output.value && input.access == output.access;
    structured.inputs.iter().any(is_same) && (ir::defining(output.value).is_some() || is_read_only(output.value))
}

/// True for an argument of a function that the function must not write.
pub fn is_read_only(value: Val<'_>) -> bool {
    let Some(function) = function_of_argument(value) else { return false };
    let writable = argument_attribute(value, "bufferization.writable");
    writable.is_none_or(|writable| writable == Builder::before(function).truth(false))
}

/// Erases fills, and empty tensors, that nothing uses any more.
pub fn erase_unused_fills(module: Op<'_>) {
    for name in ["linalg.fill", "tensor.empty"] {
        for operation in ir::find(module, name).into_iter().rev() {
            // A fill of a memref has no result, but an effect.
            if !ir::results(operation).is_empty() && ir::is_unused(operation) {
                ir::erase(operation);
            }
        }
    }
}
