//! Combining functions in a nest.
use super::{
    code::Code,
    tree::{Combine, Operation, Value},
    types::{Element, Type},
};
use crate::nest::types::Lanes;

/// The one function that combines scalar tuples, and its types.
#[derive(Clone, Debug)]
pub struct Combiner {
    /// The types of the tuple.
    pub types: Vec<Element>,
    /// True if the function has an identity.
    pub has_identity: bool,
    /// True if the function can combine vectors.
    pub is_vectorizable: bool,
}

impl Combiner {
    /// The value types of the tuple.
    pub fn scalars(&self) -> Vec<Type> {
        self.types.iter().map(|element| Type::from(*element)).collect()
    }

    /// `left ∘ right`, component by component or by the user's operator; on vectors if there are lanes.
    pub fn combine(&self, b: &Code<'_>, left: &[Value], right: &[Value], lanes: Option<Lanes>) -> Vec<Value> {
        self.record(b, left, right, Combine { lanes: lanes.map(|lanes| lanes.count), accumulates: false })
    }

    /// `left ∘ right` where `left` has been accumulated over many elements: an operator that selects one of the two
    /// tuples will mostly keep `left` (the maximum of n elements in random order changes about ln n times).
    pub fn accumulate(&self, b: &Code<'_>, left: &[Value], right: &[Value]) -> Vec<Value> {
        self.record(b, left, right, Combine { lanes: None, accumulates: true })
    }

    fn record(&self, b: &Code<'_>, left: &[Value], right: &[Value], how: Combine) -> Vec<Value> {
        let lifted = |ty: Type| how.lanes.map_or(ty, |lanes| ty.with_lanes(lanes));
        let types: Vec<_> = self.scalars().into_iter().map(lifted).collect();
        b.statement(Operation::Combine(how), &[left, right].concat(), &types)
    }

    /// The identity of the function, if it has one.
    pub fn identity(&self, b: &Code<'_>) -> Option<Vec<Value>> {
        self.has_identity.then(|| b.statement(Operation::Identity, &[], &self.scalars()))
    }
}
