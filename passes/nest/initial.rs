//! The initial values of the results of a nest (`initialize.rs` explains their use).
use super::{
    code::Code,
    lanes::lift,
    space::IterationSpace,
    store::Store,
    tile::PointVector,
    tree::{Buffer, Operation, Value},
    types::{Element, Lanes},
};
use std::rc::Rc;

/// The initial value of a component.
#[derive(Clone)]
pub enum StartValue {
    /// The constant of this component.
    Constant(usize, Element),
    /// A value that is defined before the nest.
    Scalar(Value),
    /// The elements of a buffer. For an update in place: those of the output.
    Elements(Store),
}

/// The initial values of all components of the result.
#[derive(Clone)]
pub struct InitialValues {
    /// By component.
    pub values: Rc<Vec<StartValue>>,
    /// True if all of them are the previous contents of the elements that the results are written to.
    pub are_in_place: bool,
}

/// A value or a buffer that the user's initial value is read from.
#[derive(Clone, Copy, Debug)]
pub enum InitialSource {
    /// A scalar.
    Scalar(Value),
    /// A buffer.
    Buffer(Buffer),
}

impl InitialValues {
    /// Loads the initial values of an element of a tile.
    pub fn load(
        &self,
        b: &Code<'_>,
        space: &IterationSpace,
        element: &PointVector,
        lanes: Option<Lanes>,
    ) -> Vec<Value> {
        let load = |value: &StartValue| match value {
            StartValue::Constant(component, ty) => b.value(Operation::Initial(*component), &[], (*ty).into()),
            StartValue::Scalar(value) => *value,
            StartValue::Elements(store) => store.load(b, space, element, lanes),
        };
        self.values.iter().map(|value| lift(b, lanes, load(value))).collect()
    }
}
