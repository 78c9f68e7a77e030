//! Parts of complex constants.
use super::parts::{ComplexParts, part_type};
use mdh_dialects::{
    ir::{self, Builder, Op},
    pass::Failure,
};
use melior::ir::{Type, ValueLike};

/// The parts of a `complex.constant`.
pub fn scalar<'c>(b: &Builder<'c>, operation: Op<'c>) -> Result<ComplexParts<'c>, Failure<'c>> {
    let ty = part(operation)?;
    let parts = ir::attribute(operation, "value").and_then(ir::array_attribute).unwrap_or_default();
    let [re, im] = parts[..] else { return Err(Failure::new(operation, "requires a real and an imaginary part")) };
    Ok([re, im].map(|value| b.value("arith.constant", &[], ty, &[("value", value)])))
}

/// The parts of an `arith.constant` of complex numbers.
pub fn tensor<'c>(b: &Builder<'c>, operation: Op<'c>) -> Result<ComplexParts<'c>, Failure<'c>> {
    let ty = part(operation)?;
    let dense = ir::attribute(operation, "value").and_then(ir::complex_elements);
    let parts = dense.and_then(|[re, im]| Some([b.dense_of_bytes(&re, ty)?, b.dense_of_bytes(&im, ty)?]));
    let parts =
        parts.ok_or_else(|| Failure::new(operation, "requires the elements of a constant as a dense attribute"))?;
    Ok(parts.map(|value| b.value("arith.constant", &[], ty, &[("value", value)])))
}

fn part<'c>(operation: Op<'c>) -> Result<Type<'c>, Failure<'c>> {
    let result = ir::results(operation).first().and_then(|result| part_type(result.r#type()));
    result.ok_or_else(|| Failure::new(operation, "requires a complex result"))
}
