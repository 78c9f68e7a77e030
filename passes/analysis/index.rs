//! Index analysis: iteration domains, index functions, and footprints.
//!
//! ```text
//! Expression   min(16, ceildiv(s0, 4) - 4 * d1)   integers of dimensions and symbols, folded as they are built
//! Domain       10 x s1                             the extents of an iteration space
//! Partition    layer 1: 5 x ?, layer 2: 2 x 1      a domain that a schedule divides: trip counts, strides, spans
//! Access       (d0, d1) -> (d1, 2 * d0 + 3)        from a point of the domain to an element of a buffer
//! Group        … + {3, 5}                          accesses that differ in constants only: footprints of what they share
//! ```
//!
//! Extents and coefficients are private to these modules. Passes query trip counts, spans, strides and footprints.
//! Support for extents that depend on other dimensions, or for nonlinear accesses, thus changes the answers here, and
//! not the callers.
//!
//! `nest::index` and `nest::space` build the same arithmetic as generated code. The reference evaluator has its own
//! definitions (`tools/reference/`), because it validates the results of this analysis.
pub mod access;
pub mod domain;
pub mod expression;
pub mod group;
pub mod partition;

pub use access::Access;
pub use domain::Domain;
pub use expression::{Expression, Facts, Variable, VariableRange};
pub use group::{AxisFootprint, Group, SingleDimension};
pub use partition::Partition;
