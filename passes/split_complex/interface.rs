//! Functions with complex arguments and results, and calls of them.
//!
//! ```text
//! public:  tensor<4xcomplex<f32>>  -->  tensor<4x2xf32>
//! private: tensor<4xcomplex<f32>>  -->  tensor<4xf32>, tensor<4xf32>
//! ```
use super::{
    parts::{ComplexParts, Splitter, flat_types, is_complex, part_type},
    rebuild::{attributes, named},
};
use crate::analysis::extents::dim;
use mdh_dialects::{
    attributes::COMPLEX,
    hom::{CombineOperator, MdHom, Yield},
    ir::{self, Builder, Op, Val},
    pass::Failure,
    view::{IndexFunction, InpView, OutView, mda_type_of},
};
use melior::ir::{Attribute, Type, TypeLike, ValueLike, attribute::TypeAttribute, r#type::FunctionType};

/// Replaces a function with complex values.
pub fn split<'c>(function: Op<'c>) -> Result<(), Failure<'c>> {
    let (inputs, results) = signature(function)?;
    let Some(block) = ir::body(function, 0).filter(|_| ir::blocks(function).len() == 1) else {
        let found = ir::blocks(function).len();
        return Err(Failure::new(
            function,
            format!("requires one block in a function with complex numbers, but has {found}"),
        ));
    };
    let b = Builder::before(function);
    let flat = |types: &[Type<'c>]| match is_public(function) {
        true => types.iter().map(|ty| interleaved(&b, *ty)).collect(),
        false => flat_types(types),
    };
    let (new_inputs, new_results) = (flat(&inputs), flat(&results));
    let mut own = attributes(function, &["function_type", "arg_attrs", "res_attrs"]);
    own.push(("function_type".to_owned(), b.type_of(b.function(&new_inputs, &new_results))));
    for (name, types) in [("arg_attrs", &inputs), ("res_attrs", &results)] {
        own.extend(dictionaries(&b, function, name, types).map(|value| (name.to_owned(), value)));
    }
    let (region, body) = b.region(&new_inputs);
    let inside = b.at_end(body);
    let mut splitter = Splitter::default();
    let (old, new) = (ir::arguments(block), ir::arguments(body));
    match is_public(function) {
        true => splitter.unpacked(&inside, &old, &new),
        false => splitter.take(&old, &new),
    }
    splitter.block(&inside, block, None)?;
    b.op("func.func", &[], &[], &named(&own), vec![region]);
    ir::erase(function);
    Ok(())
}

/// The types of the arguments and the results of a function. The error names a type that has no parts.
fn signature(function: Op<'_>) -> Result<(Vec<Type<'_>>, Vec<Type<'_>>), Failure<'_>> {
    let ty = ir::attribute(function, "function_type").and_then(|ty| TypeAttribute::try_from(ty).ok());
    let ty = ty.and_then(|ty| FunctionType::try_from(ty.value()).ok());
    let ty = ty.ok_or_else(|| Failure::new(function, "requires a function type"))?;
    let inputs: Vec<_> = (0..ty.input_count()).filter_map(|i| ty.input(i).ok()).collect();
    let results: Vec<_> = (0..ty.result_count()).filter_map(|i| ty.result(i).ok()).collect();
    for (what, types) in [("argument", &inputs), ("result", &results)] {
        for (number, ty) in types.iter().enumerate().filter(|(_, ty)| part_type(**ty).is_some()) {
            if ir::shape(*ty).is_none() && *ty != ir::element_type_or_self(*ty) || ty.is_mem_ref() {
                let message =
                    format!("requires ranked tensors of complex numbers, but {what} {} has type {ty}", number + 1);
                return Err(Failure::new(function, message));
            }
        }
    }
    Ok((inputs, results))
}

fn is_public(function: Op<'_>) -> bool {
    ir::attribute(function, "sym_visibility").and_then(ir::string_attribute) != Some("private")
}

/// The type with a last dimension of the two parts.
fn interleaved<'c>(b: &Builder<'c>, ty: Type<'c>) -> Type<'c> {
    let Some(part) = part_type(ty) else { return ty };
    let mut sizes = ir::shape(ty).unwrap_or_default();
    sizes.push(Some(2));
    b.ranked_tensor(&sizes, ir::element_type_or_self(part))
}

/// The attributes of arguments or results: complex ones are marked. `None` if there are none.
fn dictionaries<'c>(b: &Builder<'c>, function: Op<'c>, name: &str, types: &[Type<'c>]) -> Option<Attribute<'c>> {
    let given = ir::attribute(function, name).and_then(ir::array_attribute).unwrap_or_default();
    if given.is_empty() && !is_public(function) {
        return None;
    }
    let one = |(number, ty): (usize, &Type<'c>)| {
        let mut entries = given.get(number).and_then(|one| ir::dictionary(*one)).unwrap_or_default();
        let is_complex = part_type(*ty).is_some();
        entries.extend((is_complex && is_public(function)).then(|| (COMPLEX, b.unit())));
        vec![ir::dictionary_of(b.context, &entries); 1 + usize::from(is_complex && !is_public(function))]
    };
    Some(b.array(&types.iter().enumerate().flat_map(one).collect::<Vec<_>>()))
}

impl<'c> Splitter<'c> {
    /// Takes interleaved values in place of complex ones.
    fn unpacked(&mut self, b: &Builder<'c>, old: &[Val<'c>], new: &[Val<'c>]) {
        for (old, new) in old.iter().zip(new) {
            match is_complex(*old) {
                true => self.define(*old, [0, 1].map(|part| unpack(b, *new, part, ir::shape(old.r#type()).is_none()))),
                false => self.values.extend([(*old, *new)]),
            }
        }
    }

    /// The new values, interleaved for complex ones.
    fn packed(&self, b: &Builder<'c>, values: &[Val<'c>]) -> Vec<Val<'c>> {
        let one = |value: &Val<'c>| match is_complex(*value) {
            true => pack(b, self.pair(*value), interleaved(b, value.r#type())),
            false => self.values.get(*value),
        };
        values.iter().map(one).collect()
    }

    /// Builds the end of a function.
    pub fn end(&self, b: &Builder<'c>, operation: Op<'c>) {
        let operands = ir::operands(operation);
        let values = match ir::parent(operation).is_some_and(is_public) {
            true => self.packed(b, &operands),
            false => self.flat(&operands),
        };
        b.op(ir::name(operation), &values, &[], &[], vec![]);
    }

    /// Builds a call.
    pub fn call(&mut self, b: &Builder<'c>, operation: Op<'c>) -> Result<(), Failure<'c>> {
        let (operands, results) = (ir::operands(operation), ir::results(operation));
        let types: Vec<_> = results.iter().map(|result| result.r#type()).collect();
        let callee = ir::callee(operation).filter(|callee| ir::body(*callee, 0).is_some());
        let required = "requires a function with a body, because it is called with complex numbers";
        let is_public = is_public(callee.ok_or_else(|| Failure::new(operation, required))?);
        let (values, types) = match is_public {
            true => (self.packed(b, &operands), types.iter().map(|ty| interleaved(b, *ty)).collect()),
            false => (self.flat(&operands), flat_types(&types)),
        };
        let call = b.op(ir::name(operation), &values, &types, &named(&attributes(operation, &[])), vec![]);
        match is_public {
            true => self.unpacked(b, &results, &ir::results(call)),
            false => self.take(&results, &ir::results(call)),
        }
        Ok(())
    }
}

/// A part of an interleaved tensor; of one with a single number as a scalar if `is_scalar` is set.
fn unpack<'c>(b: &Builder<'c>, tensor: Val<'c>, part: i64, is_scalar: bool) -> Val<'c> {
    let element = ir::element_type_or_self(tensor.r#type());
    if is_scalar {
        return b.value("tensor.extract", &[tensor, b.constant(part, b.index())], element, &[]);
    }
    let mut shape = ir::shape(tensor.r#type()).unwrap_or_default();
    let rank = shape.len();
    let dynamic = (0..rank).filter(|axis| shape[*axis].is_none()).map(|axis| dim(b, tensor, axis)).collect::<Vec<_>>();
    let mut sizes: Vec<_> = shape.iter().map(|size| size.map_or(ir::DYNAMIC, |size| size as i64)).collect();
    let mut offsets = vec![0; rank];
    (sizes[rank - 1], offsets[rank - 1]) = (1, part);
    shape.pop();
    let ty = b.ranked_tensor(&shape, element);
    if shape.contains(&Some(0)) {
        // A slice has elements.
        return b.value("tensor.empty", &dynamic, ty, &[]);
    }
    let attributes = [
        ("static_offsets", b.numbers(&offsets)),
        ("static_sizes", b.numbers(&sizes)),
        ("static_strides", b.numbers(&vec![1; rank])),
        b.segments(&[1, 0, dynamic.len(), 0]),
    ];
    b.value("tensor.extract_slice", &[&[tensor], &dynamic[..]].concat(), ty, &attributes)
}

/// Both parts as one tensor.
fn pack<'c>(b: &Builder<'c>, pair: ComplexParts<'c>, ty: Type<'c>) -> Val<'c> {
    let element = ir::element_type_or_self(ty);
    let Some(sizes) = ir::shape(pair[0].r#type()) else { return b.value("tensor.from_elements", &pair, ty, &[]) };
    // A computation has at least one dimension.
    let extents = if sizes.is_empty() { vec![Some(1)] } else { sizes.clone() };
    let rank = extents.len();
    let access = |last: Option<i64>| {
        let unit = |axis: usize| ((0..rank).map(|other| i64::from(other == axis)).collect::<Vec<_>>(), 0);
        let part = last.map(|last| (vec![0; rank], last));
        IndexFunction::new((0..sizes.len()).map(unit).chain(part)).attribute(b.context, rank)
    };
    let mda = mda_type_of(b.context, &extents, &[element; 2]);
    let read = b.array(&[access(None)]);
    let view = InpView::build(b, &pair, &[], &[read; 2], mda);
    let (region, block) = b.region(&[element; 2]);
    Yield::build(&b.at_end(block), &ir::arguments(block));
    let operators = vec![CombineOperator::Concatenation.attribute(b.context); rank];
    let hom = MdHom::build(b, view.result(), &[], &operators, region, mda);
    hom.set_raised();
    let written = b.array(&[access(Some(0)), access(Some(1))]);
    OutView::build(b, hom.result(), &[], &[written], &[ty]).results()[0]
}
