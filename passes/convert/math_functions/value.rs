//! Values in the bodies of math functions: floats, their bits, and truth values, of one lane or of many, written as expressions.
//!
//! Operators round as IEEE 754 says, and nothing changes their order. Where a product and a sum may be rounded once or twice,
//! [`Float::multiply_add`] says so: not every processor can round once.
mod float;
mod integer;
mod lanes;
mod truth;
pub use float::{Float, Operand};
pub use integer::Integer;
pub use lanes::{Format, Lanes};
pub use truth::Truth;
