//! Values in the bodies of math functions, written as expressions: floats, their bits as integers, and booleans, of one
//! lane or of many.
//!
//! Operators round according to IEEE 754, and are never reordered. [`Float::multiply_add`] marks where a product and a
//! sum may be rounded once or twice: not every processor has a fused multiply-add.
mod float;
mod integer;
mod lanes;
mod truth;
pub use float::Float;
pub use integer::Integer;
pub use lanes::{Format, LaneType};
pub use truth::Boolean;
