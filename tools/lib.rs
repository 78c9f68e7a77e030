//! The library of the programs `mdh` and `mdh-opt`: all input and output, compilation, and execution.
pub mod accuracy;
pub mod cache;
pub mod checks;
pub mod commands;
pub mod compare;
pub mod device;
pub mod explain;
pub mod fuzz;
pub mod header;
pub mod interface;
pub mod isolation;
pub mod jit;
pub mod kernel;
pub mod llvm;
pub mod machine;
pub mod npy;
pub mod object;
pub mod opt;
pub mod program;
pub mod reference;
pub mod report;
pub mod session;
pub mod show;
pub mod signature;
pub mod target;
pub mod tuning;

pub use mdh_execution::{array, memory, signal, temporary};
