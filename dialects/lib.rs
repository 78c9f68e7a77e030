//! The mdh dialect: ODS definitions, their C++, and a Rust view of each.
pub mod attributes;
pub mod ffi;
pub mod hom;
pub mod ir;
pub mod lowlevel;
pub mod nesting;
pub mod pass;
pub mod schedule;
pub mod tool;
mod verify;
pub mod view;
