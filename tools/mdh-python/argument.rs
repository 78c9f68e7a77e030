//! Arguments: arrays, which are read where they are, and scalars.
use crate::{buffer::Lent, errors::Kind};
use mdh_execution::{
    array::Element,
    jit::{RawArray, raw},
    signature::Parameter,
};
use pyo3::prelude::*;

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
    let slot = match element.is_float() {
        true => argument.extract::<f64>().map(|value| element.from_f64(value)),
        false => argument.extract::<i128>().map(|value| element.from_integer(value)),
    };
    let slot = slot.map_err(|_| {
        let what = argument.repr().map_or_else(|_| "something else".to_owned(), |text| text.to_string());
        let message = format!("argument {position} requires a number of type {element}, but is {what}");
        Kind::ArgumentType.error(argument.py(), message)
    })?;
    let mut bytes = [0; 16];
    element.store(slot, &mut bytes[..element.bytes()]);
    Ok(bytes)
}
