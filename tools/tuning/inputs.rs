//! Inputs of a function for a tuner that is given none.
use crate::{array::Array, signature::Signature};
use anyhow::{Result, anyhow, bail};
use mdh_passes::schedule::random::Random;

/// The seed of the elements.
const SEED: u64 = 1;
/// Generated integers are at least 0 and less than this.
const INTEGERS: u64 = 16;

/// Generates arrays for the arguments of a function: floats from 0 to 1, integers from 0 to 15. The error names an
/// argument that cannot be generated: a scalar, or an array with a dynamic size.
pub fn generate(signature: &Signature) -> Result<Vec<Array>> {
    let mut random = Random::new(SEED);
    let one = |(i, parameter): (usize, &crate::signature::Parameter)| {
        let requires = |what: &str| {
            anyhow!("argument {} of '{}' ({}) {what}: --input gives one", i + 1, signature.name, parameter.r#type())
        };
        let Some(shape) = &parameter.shape else { bail!(requires("is a scalar, whose value is not known")) };
        let sizes = shape.iter().map(|size| size.map(|size| size as usize)).collect::<Option<Vec<_>>>();
        let sizes = sizes.ok_or_else(|| requires("has a dynamic size"))?;
        let element = parameter.element;
        let mut array = Array::filled(element, &sizes, 0).map_err(anyhow::Error::msg)?;
        for position in 0..array.len() {
            let number = random.next();
            array.set(
                position,
                match element.is_float() {
                    true => element.from_f64((number >> 40) as f64 / (1u64 << 24) as f64),
                    false => element.from_integer(i128::from(number % INTEGERS.min(1 << element.bits().min(32)))),
                },
            );
        }
        Ok(array)
    };
    signature.arguments.iter().enumerate().map(one).collect()
}
