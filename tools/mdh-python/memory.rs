//! Results: memory that a compiled function has allocated, lent to Python by the buffer protocol.
use crate::buffer::formats;
use mdh_execution::{
    array::Element,
    jit::{RawArray, raw},
    signature::Parameter,
};
use pyo3::{exceptions::PyBufferError, ffi, prelude::*};
use std::{
    ffi::{c_int, c_void},
    ptr::null_mut,
};

/// A result: its elements in row-major order.
#[pyclass(frozen, module = "mdh._native")]
pub struct Memory {
    element: Element,
    sizes: Vec<i64>,
    bytes: Vec<ffi::Py_ssize_t>,
    shape: Vec<ffi::Py_ssize_t>,
    data: *mut c_void,
    allocation: *mut c_void,
}

// SAFETY: the memory belongs to this value, and Python synchronizes accesses to it.
unsafe impl Send for Memory {}
// SAFETY: as above; nothing changes the value after the call has ended.
unsafe impl Sync for Memory {}

impl Memory {
    /// A result that has not been computed.
    pub fn new(parameter: &Parameter) -> Self {
        let rank = parameter.shape.as_ref().map_or(0, Vec::len);
        Self {
            element: parameter.element,
            sizes: vec![0; rank],
            bytes: vec![],
            shape: vec![],
            data: null_mut(),
            allocation: null_mut(),
        }
    }

    /// The result in the form of the C interface: the function allocates it.
    pub fn raw(&mut self) -> RawArray {
        raw(null_mut(), &mut self.sizes, self.element)
    }

    /// Takes the memory that the function has allocated; `None` if there is no memory for a copy.
    pub fn take(&mut self, raw: &RawArray) -> Option<()> {
        (self.data, self.allocation) = (raw.data, raw.allocation);
        let bytes = self.sizes.iter().product::<i64>() as usize * self.element.bytes();
        if raw.allocation.is_null() && !raw.data.is_null() {
            // The memory belongs to an argument, or to a previous result.
            // SAFETY: any size is allowed. The function has stored this many bytes there, and the new memory has as many.
            unsafe {
                self.allocation = libc::malloc(bytes.max(1));
                if self.allocation.is_null() {
                    return None;
                }
                self.allocation.cast::<u8>().copy_from_nonoverlapping(raw.data.cast(), bytes);
            }
            self.data = self.allocation;
        }
        self.shape = self.sizes.iter().map(|size| *size as ffi::Py_ssize_t).collect();
        let mut stride = self.element.bytes() as ffi::Py_ssize_t;
        self.bytes = vec![0; self.shape.len()];
        for (bytes, size) in self.bytes.iter_mut().zip(&self.shape).rev() {
            *bytes = stride;
            stride *= size;
        }
        Some(())
    }
}

#[pymethods]
impl Memory {
    /// Lends the memory.
    ///
    /// # Safety
    /// Python calls it with a view that it owns.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, _flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("no view"));
        }
        let this = slf.get();
        let Some(format) = formats(this.element).first() else {
            return Err(PyBufferError::new_err(format!("no format of buffers has elements of type {}", this.element)));
        };
        let items: ffi::Py_ssize_t = this.shape.iter().product();
        // SAFETY: the caller owns the view. What it points to lives as long as this object, which the view keeps alive.
        unsafe {
            (*view).buf = this.data;
            (*view).itemsize = this.element.bytes() as ffi::Py_ssize_t;
            (*view).len = items * (*view).itemsize;
            (*view).readonly = 0;
            (*view).ndim = this.shape.len() as c_int;
            (*view).format = format.as_ptr().cast_mut();
            (*view).shape = this.shape.as_ptr().cast_mut();
            (*view).strides = this.bytes.as_ptr().cast_mut();
            (*view).suboffsets = null_mut();
            (*view).internal = null_mut();
            (*view).obj = slf.clone().into_any().into_ptr();
        }
        Ok(())
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: compiled code has allocated it with `malloc`, and this value owns it.
        unsafe { libc::free(self.allocation) };
    }
}
