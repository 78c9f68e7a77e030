//! Arguments: arrays, which are read where they are, and scalars.
use crate::{
    buffer::Lent,
    errors::{Kind, described},
};
use mdh_execution::{
    array::Element,
    jit::{RawArray, raw},
    signature::Parameter,
};
use pyo3::{exceptions::PyOverflowError, prelude::*};

/// An argument that has been checked against its parameter.
pub enum Given {
    /// A buffer of the caller.
    Buffer(Lent),
    /// The bytes of a scalar.
    Scalar([u8; 16]),
}

impl Given {
    /// Checks an argument. `position` counts from 1 and names it in errors.
    pub fn new(argument: &Bound<'_, PyAny>, parameter: &Parameter, position: usize) -> PyResult<Self> {
        if parameter.shape.is_some() {
            return Lent::new(argument, parameter, &format!("argument {position}")).map(Self::Buffer);
        }
        number(argument, parameter.element, position).map(Self::Scalar)
    }

    /// The argument in the form of the C interface.
    pub fn raw(&mut self, element: Element) -> RawArray {
        match self {
            Self::Buffer(lent) => lent.raw(element),
            Self::Scalar(bytes) => raw(bytes.as_mut_ptr().cast(), &mut [], element),
        }
    }
}

/// The bytes of a number of a type. `position` counts from 1 and names the argument in errors.
pub fn number(argument: &Bound<'_, PyAny>, element: Element, position: usize) -> PyResult<[u8; 16]> {
    let py = argument.py();
    let out_of_range = || {
        let range = range(element);
        let message =
            format!("argument {position} requires a number of type {element}, {range}, but is {}", described(argument));
        Kind::ArgumentValue.error(py, message)
    };
    let slot = match element.is_float() {
        true => argument.extract::<f64>().map(|value| of_float(element, value)),
        false => argument.extract::<i128>().map(|value| of_integer(element, value, is_unsigned(argument, element))),
    };
    let slot = slot.map_err(|error| match error.is_instance_of::<PyOverflowError>(py) {
        true => out_of_range(),
        false => {
            let message =
                format!("argument {position} requires a number of type {element}, but is {}", described(argument));
            Kind::ArgumentType.error(py, message)
        }
    })?;
    let slot = slot.ok_or_else(out_of_range)?;
    let mut bytes = [0; 16];
    element.store(slot, &mut bytes[..element.bytes()]);
    Ok(bytes)
}

/// A float, unless it is finite and rounds to an infinity.
fn of_float(element: Element, value: f64) -> Option<u128> {
    let slot = element.from_f64(value);
    (element.to_f64(slot).is_finite() || !value.is_finite()).then_some(slot)
}

/// An integer, unless the type does not have it.
fn of_integer(element: Element, value: i128, is_unsigned: bool) -> Option<u128> {
    let slot = element.from_integer(value);
    let is_value = match is_unsigned || element == Element::Integer(1) {
        true => u128::try_from(value) == Ok(slot),
        false => element.signed(slot) == value,
    };
    is_value.then_some(slot)
}

/// True for an unsigned integer of NumPy of the width of a type: those are integers of the same width, as in arrays.
fn is_unsigned(argument: &Bound<'_, PyAny>, element: Element) -> bool {
    let of = |name: &str| argument.getattr("dtype").and_then(|dtype| dtype.getattr(name));
    let kind = of("kind").and_then(|kind| kind.extract::<String>());
    let size = of("itemsize").and_then(|size| size.extract::<usize>());
    kind.is_ok_and(|kind| kind == "u") && size.is_ok_and(|size| size == element.bytes()) && element != Element::Index
}

/// The numbers of a type, for messages.
fn range(element: Element) -> String {
    let bits = match element {
        Element::Integer(1) => return "from 0 to 1".to_owned(),
        Element::Integer(bits) => bits,
        Element::Index => 64,
        // The largest finite numbers; infinities and NaNs are numbers, too.
        Element::F16 => return "from -65504 to 65504".to_owned(),
        Element::Bf16 => return "from -3.3895314e38 to 3.3895314e38".to_owned(),
        Element::F32 => return format!("from {:e} to {:e}", f32::MIN, f32::MAX),
        Element::F64 => return format!("from {:e} to {:e}", f64::MIN, f64::MAX),
    };
    let largest = i128::MAX >> (128 - bits.min(128));
    format!("from {} to {largest}", -largest - 1)
}
