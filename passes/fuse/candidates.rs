//! The computations that fusion may change.
use crate::analysis::computation::Computation;
use mdh_dialects::{
    attributes::RAISED,
    ir::{self, OpView},
};

/// True if a computation has been raised from another dialect.
pub fn is_raised(computation: &Computation<'_>) -> bool {
    computation.md_hom().is_some_and(|hom| ir::attribute(hom.op(), RAISED).is_some())
}

/// True if a computation can be rebuilt: it has no schedule yet.
pub fn is_fusible(computation: &Computation<'_>) -> bool {
    computation.md_hom().is_some_and(|hom| hom.schedule().is_none())
}
