//! A CUDA driver in software: tests of kernels load it as `libcuda.so.1` where there is no GPU.
//!
//! It has the functions that `mdh-runtime` calls, and runs PTX by interpretation, thread by thread. A device would do most of what programs do
//! wrong without a word. Here it is an error: an access outside of a variable or an allocation, or at an address of another alignment; threads
//! that wait for each other forever; accesses to shared memory that no barrier orders; an instruction that is not known. What CUDA leaves
//! open happens at the worst time: copies to shared memory when a thread waits for them, kernels when the host does, and memory holds something
//! before it is written.
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
