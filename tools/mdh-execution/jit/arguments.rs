//! Arguments and results in the form of the C interface.
use crate::{
    array::{Array, Element},
    memory::bytes_of,
    signature::Parameter,
};
use anyhow::{Result, bail, ensure};
use std::{ffi::c_void, ptr::null_mut};

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A buffer, or a scalar of any type as an array of rank 0. It is updated in place if the function may write it,
    /// else only read.
    Array(Array),
    /// A scalar of type index.
    Index(i64),
}

/// An array in the form of the C interface (`interface/array.c`).
#[repr(C)]
pub struct RawArray {
    /// The element at index 0 in all dimensions; null for a result that the function allocates.
    pub data: *mut c_void,
    sizes: *mut i64,
    /// The stride of each dimension in elements; null for row-major order.
    pub strides: *mut i64,
    /// Of a result: the memory to free; null if it belongs to the caller.
    pub allocation: *mut c_void,
    number: i32,
    rank: i32,
}

/// An argument that has been checked against its parameter, in the caller's memory.
pub struct Given<'a> {
    data: &'a mut [u8],
    sizes: Vec<i64>,
    element: Element,
}

impl<'a> Given<'a> {
    /// Checks an argument against its parameter. The error says what does not match.
    pub fn new(argument: &'a mut Argument, parameter: &Parameter) -> Result<Self> {
        let array = match (argument, &parameter.shape) {
            (Argument::Index(value), None) if parameter.element == Element::Index => {
                return Ok(Self { data: bytes_of(value), sizes: vec![], element: Element::Index });
            }
            (Argument::Index(_), _) => bail!("requires {}, but is an index", parameter.r#type()),
            (Argument::Array(array), _) => array,
        };
        let fits = parameter.fits(&array.shape);
        ensure!(fits, "requires {}, but has shape {:?}", parameter.r#type(), array.shape);
        ensure!(
            array.element == parameter.element,
            "requires {}, but has elements of type {}",
            parameter.r#type(),
            array.element
        );
        let count = array.shape.iter().try_fold(1usize, |count, size| count.checked_mul(*size));
        let bytes = count.and_then(|count| count.checked_mul(array.element.bytes()));
        ensure!(
            bytes == Some(array.data.len()),
            "has {} bytes, which do not fit its shape {:?}",
            array.data.len(),
            array.shape
        );
        let sizes = array.shape.iter().map(|size| *size as i64).collect();
        Ok(Self { data: &mut array.data, sizes, element: parameter.element })
    }

    /// The argument in the form of the C interface.
    pub fn raw(&mut self) -> RawArray {
        raw(self.data.as_mut_ptr().cast(), &mut self.sizes, self.element)
    }
}

/// A row-major array in the form of the C interface.
pub fn raw(data: *mut c_void, sizes: &mut [i64], element: Element) -> RawArray {
    let rank = sizes.len() as i32;
    RawArray {
        data,
        sizes: sizes.as_mut_ptr(),
        strides: null_mut(),
        allocation: null_mut(),
        number: element.type_number(),
        rank,
    }
}
