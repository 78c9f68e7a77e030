//! Calls of linked functions.
use super::{
    Compiled,
    arguments::{Argument, Given, RawArray, raw},
    offload::Offload,
};
use crate::{
    array::Array,
    memory::Bytes,
    signature::{Parameter, Signature},
};
use anyhow::{Context as _, Result, bail, ensure};
use std::{
    ptr::null_mut,
    time::{Duration, Instant},
};

impl Compiled {
    /// Calls the function. If an argument does not match, the error names it and the function is not called.
    pub fn call(&self, arguments: &mut [Argument]) -> Result<Vec<Array>> {
        Ok(self.measure(arguments)?.0)
    }

    /// Calls the function with arrays in the caller's memory, on this number of threads. Several threads may do so at a
    /// time.
    ///
    /// # Safety
    /// There is an array for each argument and each result, with the type and the sizes of its parameter. Their memory
    /// is valid until the call ends, and arguments that the function may write are not read or written by others.
    pub unsafe fn call_in_place(&self, arguments: &[RawArray], results: &mut [RawArray], threads: usize) -> Result<()> {
        if self.is_parallel {
            self.set_threads(threads)?;
        }
        // SAFETY: as required of the caller.
        let status = unsafe { (self.entry)(arguments.as_ptr(), results.as_mut_ptr(), null_mut()) };
        self.offload.as_ref().map_or(Ok(()), Offload::error)?;
        ensure!(status == 0, "no memory for the arrays of '{}'", self.signature.name);
        Ok(())
    }

    /// Calls the function, and measures its time without the conversion of arguments and results.
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
        let start = Instant::now();
        // SAFETY: there is an array for each argument and each result of the function's signature. Each argument has
        // the type and the sizes of its parameter, and lives until after the call; the caller owns the memory of
        // arguments that the function may write.
        let status = unsafe { (self.entry)(inputs.as_ptr(), outcome.as_mut_ptr(), null_mut()) };
        let time = start.elapsed();
        let problem = self.offload.as_ref().map_or(Ok(()), Offload::error);
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
        problem?;
        ensure!(status == 0, "no memory for the arrays of '{name}'");
        Ok((arrays, time))
    }
}
