//! What the programs `mdh` and `mdh-opt` are made of: everything that reads or writes files, and everything that runs programs.
pub mod array;
pub mod cache;
pub mod compare;
pub mod fuzz;
pub mod header;
pub mod jit;
pub mod kernel;
pub mod machine;
pub mod memory;
pub mod npy;
pub mod object;
pub mod program;
pub mod reference;
pub mod session;
pub mod signal;
pub mod signature;
pub mod target;
