//! Index analysis: what computations index, and how far it reaches.
//!
//! ```text
//! Expression   min(16, -4 * d1 + ceildiv(s0, 4))   integers of dimensions and symbols, folded as they are built
//! Domain       10 x s1                             the extents of an iteration space
//! Partition    layer 1: 5 x ?, layer 2: 2 x 1      a domain that a schedule divides: trip counts, strides, spans
//! Access       (d0, d1) -> (d1, 2 * d0 + 3)        from a point of the domain to an element of a buffer
//! Group        … + {3, 5}                          accesses that differ in constants only: footprints of what they share
//! ```
//!
//! Extents and coefficients are private to these modules. Passes ask for trip counts, spans, strides and footprints, so that an extent that
//! depends on other dimensions, or an access that is not linear, changes the answers here and not the places that ask.
//!
//! `nest::index` and `nest::space` build the same arithmetic as generated code. The reference evaluator has definitions of its own
//! (`tools/reference/`): it judges what follows from this analysis.
pub mod access;
pub mod domain;
pub mod expression;
pub mod group;
pub mod partition;

pub use access::Access;
pub use domain::Domain;
pub use expression::{Expression, Variable};
pub use group::{Group, Part, Single};
pub use partition::Partition;
