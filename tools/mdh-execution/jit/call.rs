//! Calls of linked functions.
use super::{
    Compiled,
    arguments::{Argument, Given, RawArray, raw},
    guarded_call,
    linker::Entry,
    offload::Offload,
};
use crate::{
    array::Array,
    memory::Bytes,
    signature::{Parameter, Signature},
};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use std::{
    ffi::{CStr, c_char, c_void},
    fmt,
    ptr::null_mut,
    time::{Duration, Instant},
};

/// Why a call has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallError {
    /// An argument does not match; nothing has been computed.
    Argument(String),
    /// The function could not go on.
    Execution(String),
}

impl fmt::Display for CallError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Argument(message) | Self::Execution(message)) = self;
        formatter.write_str(message)
    }
}

impl std::error::Error for CallError {}

/// `MDH_MESSAGE` in the C interface: the size of a message in bytes.
const MESSAGE: usize = 256;

/// `MDH_INVALID` in the C interface: the status of a call whose arguments do not match.
const INVALID: i32 = 1;

/// `MDH_FAILED` in the C interface: the status of a call whose device has failed.
const FAILED: i32 = 3;

/// An error of a call that is not one of its arguments.
fn failed(error: anyhow::Error) -> CallError {
    CallError::Execution(error.to_string())
}

impl Compiled {
    /// Calls the function. If an argument does not match, the error names it and the function is not called.
    pub fn call(&self, arguments: &mut [Argument]) -> Result<Vec<Array>> {
        Ok(self.measure(arguments)?.0)
    }

    /// Calls the function with arrays in the caller's memory, on this number of threads. Several threads may do so at a
    /// time. After an error, results that the function allocates are null. `stream`: that of a function whose arrays are
    /// in device memory; the call ends when its work has been submitted.
    ///
    /// # Safety
    /// There is an array for each argument and each result, with the type and the rank of its parameter, and with its
    /// sizes unless the code was compiled with checks. Their memory is valid until the call ends, in device memory until
    /// the submitted work has ended, and arguments that the function may write are not read or written by others. A
    /// stream is one of the driver.
    pub unsafe fn call_in_place(
        &self,
        arguments: &[RawArray],
        results: &mut [RawArray],
        threads: usize,
        stream: *mut c_void,
    ) -> Result<(), CallError> {
        if self.is_parallel {
            self.set_threads(threads).map_err(failed)?;
        }
        // SAFETY: as required of the caller.
        unsafe { self.enter(arguments, results, stream) }
    }

    /// Calls the function.
    ///
    /// # Safety
    /// As for [`Self::call_in_place`].
    unsafe fn enter(
        &self,
        arguments: &[RawArray],
        results: &mut [RawArray],
        stream: *mut c_void,
    ) -> Result<(), CallError> {
        let mut message = [0 as c_char; MESSAGE];
        // SAFETY: as required of the caller; the message has its size in the C interface.
        let status = unsafe { guarded_call::call(self.entry, arguments, results, stream, message.as_mut_ptr()) };
        let is_on_host = matches!(self.entry, Entry::Host(_));
        if status.is_err()
            && let Some(offload) = &self.offload
        {
            if is_on_host { offload.release() } else { offload.abandon() }
        }
        let status = status.map_err(CallError::Execution)?;
        // A function with arrays in device memory returns the error of its own call.
        let offload = self.offload.as_ref().filter(|_| is_on_host);
        offload.map_or(Ok(()), Offload::error).map_err(failed)?;
        // SAFETY: the function writes a terminating zero, and the message was zero before.
        let text = || unsafe { CStr::from_ptr(message.as_ptr()) }.to_string_lossy().into_owned();
        match status {
            0 => Ok(()),
            INVALID => Err(CallError::Argument(text())),
            FAILED => Err(CallError::Execution(text())),
            _ => Err(failed(anyhow!("no memory for the arrays of '{}'", self.signature.name))),
        }
    }

    /// Calls the function, and measures its time without the conversion of arguments and results. The error of a check that
    /// fails is a [`CallError`].
    pub fn measure(&self, arguments: &mut [Argument]) -> Result<(Vec<Array>, Duration)> {
        let Signature { name, arguments: parameters, results } = &self.signature;
        if arguments.len() != parameters.len() {
            bail!("'{name}' requires {} arguments, but {} are given", parameters.len(), arguments.len());
        }
        let mut given = vec![];
        for (i, (argument, parameter)) in arguments.iter_mut().zip(parameters).enumerate() {
            given.push(Given::new(argument, parameter).with_context(|| format!("argument {} of '{name}'", i + 1))?);
        }
        let inputs: Vec<_> = given.iter_mut().map(Given::raw).collect();
        let rank = |result: &Parameter| result.shape.as_ref().map_or(0, Vec::len);
        let mut sizes: Vec<Vec<i64>> = results.iter().map(|result| vec![0; rank(result)]).collect();
        let mut outcome: Vec<_> =
            results.iter().zip(&mut sizes).map(|(r, sizes)| raw(null_mut(), sizes, r.element)).collect();
        ensure!(matches!(self.entry, Entry::Host(_)), "'{name}' requires arrays in device memory");
        let start = Instant::now();
        // SAFETY: there is an array for each argument and each result of the function's signature. Each argument has
        // the type and the sizes of its parameter, and lives until after the call; the caller owns the memory of
        // arguments that the function may write.
        let entered = unsafe { self.enter(&inputs, &mut outcome, null_mut()) };
        let time = start.elapsed();
        let outcome: Vec<_> = outcome.into_iter().map(|raw| (raw.data, raw.allocation)).collect();
        let mut arrays = vec![];
        for ((result, sizes), (data, allocation)) in results.iter().zip(sizes).zip(outcome) {
            let shape: Vec<usize> = sizes.iter().map(|size| usize::try_from(*size).unwrap_or_default()).collect();
            let length = if data.is_null() { 0 } else { shape.iter().product::<usize>() * result.element.bytes() };
            // SAFETY: the function has stored this many elements there, in row-major order, and its caller owns what it
            // has allocated.
            let mut data = unsafe { Bytes::taken(data.cast(), length, allocation) };
            if allocation.is_null() {
                // The memory belongs to an argument, or to a previous result.
                let copy = data.clone();
                data = copy;
            }
            arrays.push(Array { element: result.element, shape, data });
        }
        entered?;
        Ok((arrays, time))
    }
}
