//! Data for a program's arguments, and the comparison of two engines' results.
use crate::{
    array::{Array, Element, Slot},
    fuzz::{
        program::{Buffer, Program},
        scalar::DATA,
        text::Argument,
    },
    jit,
    reference::Buffer as Expected,
};
use anyhow::{Result, anyhow, bail, ensure};
use mdh_passes::schedule::random::Random;

impl Program {
    /// The data of all arguments, in order: small integers in floats, any bits in integers.
    pub fn data(&self) -> Result<Vec<Array>> {
        let mut random = Random::new(self.data);
        let argument = |parameter| match parameter {
            Argument::Input(buffer) | Argument::Destination(_, buffer) | Argument::Initial(_, buffer) => {
                array(buffer, self.nan, &mut random)
            }
            Argument::Extent(extent) => Ok(Array::scalar(Element::Index, extent.into())),
        };
        self.parameters().into_iter().map(argument).collect()
    }
}

fn array(buffer: &Buffer, nan: bool, random: &mut Random) -> Result<Array> {
    let element = Element::from_name(buffer.element.name()).ok_or_else(|| anyhow!("no such type"))?;
    let shape: Vec<_> = buffer.sizes.iter().map(|size| size.size as usize).collect();
    let mut array = Array::filled(element, &shape, 0).map_err(anyhow::Error::msg)?;
    for i in 0..array.len() {
        let slot = if !element.is_float() {
            Slot::from(random.next()) & element.mask()
        } else if nan && random.once_in(40) {
            element.from_f64(f64::NAN)
        } else {
            let values = (DATA.1 - DATA.0) as usize + 1;
            element.from_f64(DATA.0 + random.below(values) as f64)
        };
        array.set(i, slot);
    }
    Ok(array)
}

/// An array as the argument of a call.
pub fn argument(array: &Array, is_extent: bool) -> jit::Argument {
    match is_extent {
        true => jit::Argument::Index(array.get(0) as i64),
        false => jit::Argument::Array(array.clone()),
    }
}

/// Compares the results of a program with the reference evaluator's.
pub fn compare_results(expected: &[Expected], results: &[Array]) -> Result<()> {
    ensure!(expected.len() == results.len(), "another number of results");
    let mut pairs = expected.iter().zip(results).enumerate();
    pairs.try_for_each(|(i, (expected, actual))| compare(&format!("result {}", i + 1), expected, actual))
}

/// Compares defined elements exactly, except that NaN equals NaN, and 0 equals -0 if the reference is inexact. The
/// error locates the first difference.
pub fn compare(name: &str, expected: &Expected, actual: &Array) -> Result<()> {
    let wanted = &expected.array;
    if wanted.shape != actual.shape || wanted.element != actual.element {
        bail!("{name} has shape {:?}, but the reference has {:?}", actual.shape, wanted.shape);
    }
    let element = wanted.element;
    let equal = |i: usize| {
        let (x, y) = (wanted.get(i), actual.get(i));
        let (a, b) = (element.to_f64(x), element.to_f64(y));
        x == y || (element.is_float() && ((a == b && expected.error(i) > 0.0) || (a.is_nan() && b.is_nan())))
    };
    let is_defined = |i: &usize| expected.defined.as_ref().is_none_or(|defined| defined[*i]);
    let wrong: Vec<_> = (0..wanted.len()).filter(is_defined).filter(|&i| !equal(i)).collect();
    let Some(&first) = wrong.first() else { return Ok(()) };
    bail!(
        "{name} differs in {} of {} elements, first at {:?}: {} instead of {}",
        wrong.len(),
        wanted.len(),
        wanted.position(first),
        element.text(actual.get(first)),
        element.text(wanted.get(first))
    )
}
