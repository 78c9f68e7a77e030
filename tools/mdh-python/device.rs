//! Arguments in the memory of a GPU.
//!
//! ```text
//! (address, (sizes, ..))  ──▶  an array of the C interface
//! a number for an array without dimensions  ──▶  new memory of the device, freed after the call
//! ```
use crate::{
    argument::{Given, number},
    errors::Kind,
};
use mdh_execution::{
    array::Element,
    jit::{RawArray, raw},
    signature::Parameter,
};
use pyo3::prelude::*;
use std::ptr;

/// An argument of a function with arrays in device memory.
pub enum OnDevice {
    /// An array of the caller in row-major order.
    Array { address: usize, sizes: Vec<i64> },
    /// A number in the memory of the host.
    Scalar(Given),
    /// A number in device memory of its own.
    Number { address: usize, stream: usize },
}

impl OnDevice {
    /// Checks an argument. `position` counts from 1 and names it in errors. `stream`: that of the call.
    pub fn new(argument: &Bound<'_, PyAny>, parameter: &Parameter, position: usize, stream: usize) -> PyResult<Self> {
        if parameter.shape.is_none() {
            return Given::new(argument, parameter, position).map(Self::Scalar);
        }
        if let Ok((address, sizes)) = argument.extract::<(usize, Vec<i64>)>() {
            return match parameter.fits(&sizes) {
                true => Ok(Self::Array { address, sizes }),
                false => {
                    let wanted = parameter.r#type();
                    let message = format!("argument {position} requires {wanted}, but has shape {sizes:?}");
                    Err(Kind::ArgumentValue.error(argument.py(), message))
                }
            };
        }
        let (py, bytes) = (argument.py(), number(argument, parameter.element, position)?);
        let count = parameter.element.bytes();
        // Other threads may wait for the device, and for Python, while they keep the run-time library.
        match py.detach(|| mdh_runtime::number_on_device(&bytes[..count], stream)) {
            Ok(address) => Ok(Self::Number { address, stream }),
            Err(problem) => Err(Kind::Execution.error(py, problem)),
        }
    }

    /// The argument in the form of the C interface.
    pub fn raw(&mut self, element: Element) -> RawArray {
        match self {
            Self::Array { address, sizes } => raw(ptr::with_exposed_provenance_mut(*address), sizes, element),
            Self::Scalar(given) => given.raw(element),
            Self::Number { address, .. } => raw(ptr::with_exposed_provenance_mut(*address), &mut [], element),
        }
    }
}

impl Drop for OnDevice {
    fn drop(&mut self) {
        if let Self::Number { address, stream } = *self {
            Python::attach(|py| py.detach(|| mdh_runtime::free_number(address, stream)));
        }
    }
}
