//! Arrays in the caller's memory: the buffer protocol of Python, without copies.
use crate::errors::Kind;
use mdh_execution::{array::Element, jit::RawArray, signature::Parameter};
use pyo3::{exceptions::PyValueError, ffi, prelude::*};
use std::{ffi::CStr, mem::MaybeUninit};

/// A buffer that Python has lent. It is given back when this value is dropped.
pub struct Lent {
    view: Box<ffi::Py_buffer>,
    sizes: Vec<i64>,
    strides: Vec<i64>,
}

impl Lent {
    /// Asks an object for its buffer. `what` names the argument in errors.
    pub fn new(object: &Bound<'_, PyAny>, parameter: &Parameter, what: &str) -> PyResult<Self> {
        let py = object.py();
        let mut view = Box::new(MaybeUninit::<ffi::Py_buffer>::zeroed());
        let access = if parameter.in_place { ffi::PyBUF_WRITABLE } else { 0 };
        // SAFETY: the object is alive and the memory of the view is writable; it is read only if the call succeeds.
        let status = unsafe {
            ffi::PyObject_GetBuffer(object.as_ptr(), view.as_mut_ptr(), ffi::PyBUF_STRIDES | ffi::PyBUF_FORMAT | access)
        };
        if status != 0 {
            let reason = PyErr::fetch(py);
            let name = object.get_type().name()?;
            let wanted = parameter.r#type();
            // An array that is only read has a buffer, which is not writable.
            if parameter.in_place && reason.is_instance_of::<PyValueError>(py) {
                let message = format!("{what} is written, so it requires a writable {wanted}, but it is read-only");
                return Err(Kind::ArgumentValue.error(py, message));
            }
            return Err(
                Kind::ArgumentType.error(py, format!("{what} requires {wanted}, but is {name}, which has no buffer"))
            );
        }
        // SAFETY: the call has filled the view.
        let view = unsafe { Box::from_raw(Box::into_raw(view).cast::<ffi::Py_buffer>()) };
        let mut lent = Self { view, sizes: vec![], strides: vec![] };
        lent.check(parameter).map_err(|(kind, problem)| kind.error(py, format!("{what} {problem}")))?;
        Ok(lent)
    }

    /// Checks the buffer against the parameter, and reads its sizes and strides.
    fn check(&mut self, parameter: &Parameter) -> Result<(), (Kind, String)> {
        let wrong = |problem: String| Err((Kind::ArgumentValue, problem));
        let rank = usize::try_from(self.view.ndim).unwrap_or_default();
        let bytes = parameter.element.bytes();
        let numbers = |start: *const ffi::Py_ssize_t| {
            if start.is_null() {
                return vec![];
            }
            // SAFETY: a buffer has as many sizes and strides as dimensions.
            unsafe { std::slice::from_raw_parts(start, rank) }.iter().map(|n| *n as i64).collect()
        };
        self.sizes = numbers(self.view.shape);
        let strides: Vec<i64> = numbers(self.view.strides);
        if self.sizes.len() != rank || !parameter.fits(&self.sizes) {
            return wrong(format!("requires {}, but has shape {:?}", parameter.r#type(), self.sizes));
        }
        let format = self.format();
        if self.view.itemsize as usize != bytes || !is_format_of(&format, parameter.element) {
            let problem = format!("requires {}, but has elements of format '{format}'", parameter.r#type());
            return Err((Kind::ArgumentType, problem));
        }
        self.strides = strides.iter().map(|stride| stride / bytes as i64).collect();
        if strides.iter().any(|stride| stride % bytes as i64 != 0) {
            return wrong(format!("requires strides that are multiples of {bytes} bytes, but they are {strides:?}"));
        }
        if !(self.view.buf as usize).is_multiple_of(bytes) {
            return wrong(format!("requires elements at multiples of {bytes} bytes, but they are not aligned"));
        }
        Ok(())
    }

    /// The format of elements, as in Python's module `struct`.
    fn format(&self) -> String {
        match self.view.format.is_null() {
            true => "B".to_owned(),
            // SAFETY: a format is a null-terminated string that lives as long as the buffer.
            false => unsafe { CStr::from_ptr(self.view.format) }.to_string_lossy().into_owned(),
        }
    }

    /// The array in the form of the C interface.
    pub fn raw(&mut self, element: Element) -> RawArray {
        let mut raw = mdh_execution::jit::raw(self.view.buf, &mut self.sizes, element);
        raw.strides = self.strides.as_mut_ptr();
        raw
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // SAFETY: the view was filled by Python, and values of this type are dropped while attached to it.
        unsafe { ffi::PyBuffer_Release(&mut *self.view) };
    }
}

/// True if elements of a format, without its byte order, are those of a type.
fn is_format_of(format: &str, element: Element) -> bool {
    let native = if cfg!(target_endian = "little") { '<' } else { '>' };
    let code = format.trim_start_matches(['@', '=', native]);
    formats(element).iter().any(|known| known.to_bytes() == code.as_bytes())
}

/// The formats of a type's elements, as in Python's module `struct`: first that of results. There is none for integers
/// of other widths, and bf16 is an unsigned integer.
pub fn formats(element: Element) -> &'static [&'static CStr] {
    match element {
        Element::F16 => &[c"e"],
        Element::F32 => &[c"f"],
        Element::F64 => &[c"d"],
        Element::Bf16 => &[c"H"],
        Element::Index => &[c"q", c"l", c"n"],
        Element::Integer(1) => &[c"?"],
        Element::Integer(8) => &[c"b", c"B"],
        Element::Integer(16) => &[c"h", c"H"],
        Element::Integer(32) => &[c"i", c"I"],
        Element::Integer(64) => &[c"q", c"l", c"L", c"Q"],
        Element::Integer(_) => &[],
    }
}
