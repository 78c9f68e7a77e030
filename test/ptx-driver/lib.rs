//! A CUDA driver in software. Tests of kernels load it as `libcuda.so.1` where there is no GPU.
//!
//! It implements the functions that `mdh-runtime` and ordinary programs for the driver call, and interprets PTX thread by
//! thread.
//! A device silently accepts most invalid programs. This driver reports an error for:
//! - an access outside of a variable or an allocation, or a misaligned one;
//! - a deadlock of threads;
//! - a data race on shared memory: accesses that no barrier orders;
//! - an unknown instruction.
//!
//! Where CUDA leaves timing or contents undefined, the driver picks the worst case: an asynchronous copy to shared
//! memory happens when a thread waits for it, a kernel runs when the host synchronizes, and uninitialized memory is not
//! zero.
mod api;
mod block;
mod compare;
mod convert;
mod decode;
mod driver;
mod fault;
mod float;
mod integer;
mod launch;
mod memory;
mod program;
mod shared;
mod syntax;
#[cfg(test)]
mod tests;
mod thread;
mod types;
