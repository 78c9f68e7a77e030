//! The statements of a nest, and the elements that they access.
use super::linear::Linear;
use crate::analysis::effects::may_overlap;
use mdh_dialects::ir::{Op, Val};
use melior::ir::{Type, TypeLike, ValueLike};

/// The memory that a nest accesses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Memory<'c> {
    /// A memref or a tensor from outside of the nest, or a tensor that the nest changes, by its result.
    Buffer(Val<'c>),
    /// The cells of a value that a loop carries, by number.
    Cell(usize),
}

impl Memory<'_> {
    /// True if both may have an element in common.
    pub fn may_overlap(self, other: Self) -> bool {
        match (self, other) {
            (Memory::Buffer(one), Memory::Buffer(other))
                if one.r#type().is_mem_ref() && other.r#type().is_mem_ref() =>
            {
                may_overlap(one, other)
            }
            (one, other) => one == other,
        }
    }
}

/// An access of an element.
#[derive(Clone, Debug)]
pub struct ElementAccess<'c> {
    /// The memory.
    pub memory: Memory<'c>,
    /// The index of each axis.
    pub indices: Vec<Linear<'c>>,
    /// The position in the order of execution within an iteration.
    pub position: usize,
    /// The load or the store; the nest for an access of a carried value.
    pub at: Op<'c>,
}

impl<'c> ElementAccess<'c> {
    /// True if both access the same element in each iteration.
    pub fn is_same(&self, other: &Self) -> bool {
        self.memory == other.memory && self.indices == other.indices
    }

    /// True for an access of a carried value.
    pub fn is_cell(&self) -> bool {
        matches!(self.memory, Memory::Cell(_))
    }

    /// The tensor, if it is one that the nest changes or reads.
    pub fn tensor(&self) -> Option<Val<'c>> {
        match self.memory {
            Memory::Buffer(value) => Some(value).filter(|value| value.r#type().is_tensor()),
            Memory::Cell(_) => None,
        }
    }

    /// True if an index depends on a value.
    pub fn depends_on(&self, value: Val<'c>) -> bool {
        self.indices.iter().flat_map(|index| &index.terms).any(|(term, _)| *term == value)
    }
}

/// The cells of a carried value.
#[derive(Debug)]
pub struct Cell<'c> {
    /// The type of the value.
    pub ty: Type<'c>,
    /// The loops around the loop that carries it: its axes.
    pub loops: Vec<usize>,
    /// The result of the loop.
    pub result: Val<'c>,
}

/// A store, or the definition of a carried value.
#[derive(Debug)]
pub struct StoreStatement<'c> {
    /// The operation.
    pub at: Op<'c>,
    /// The loops around it, by number, outermost first.
    pub loops: Vec<usize>,
    /// The element that it writes.
    pub target: ElementAccess<'c>,
    /// The value.
    pub value: Val<'c>,
    /// The value from outside of the nest that all of its elements have before, if it is known.
    pub initial: Option<Val<'c>>,
    /// The scan that the statement stores, if it is one.
    pub scan: Option<RunningValue<'c>>,
    /// What it writes in the same iterations, because the values depend on each other.
    pub others: Vec<TupleComponent<'c>>,
}

/// A further element that a statement writes.
#[derive(Clone, Debug)]
pub struct TupleComponent<'c> {
    /// The element.
    pub target: ElementAccess<'c>,
    /// The value.
    pub value: Val<'c>,
    /// As [`StoreStatement::initial`].
    pub initial: Option<Val<'c>>,
}

/// A scan along a loop: each iteration combines a value with the result of the one before.
#[derive(Clone, Debug)]
pub struct RunningValue<'c> {
    /// The position of the loop among those around the statement.
    pub position: usize,
    /// Where the result of the iteration before is.
    pub carry: ScanCarry<'c>,
}

/// Where the result of the iteration before is.
#[derive(Clone, Debug)]
pub enum ScanCarry<'c> {
    /// In a cell, with the value before the first iteration.
    Cell(usize, Val<'c>),
    /// In the memory of the results.
    Element(ElementAccess<'c>),
}

impl<'c> StoreStatement<'c> {
    /// The elements that it writes.
    pub fn targets(&self) -> impl Iterator<Item = &ElementAccess<'c>> {
        [&self.target].into_iter().chain(self.others.iter().map(|other| &other.target))
    }

    /// As [`targets`](Self::targets).
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut ElementAccess<'c>> {
        [&mut self.target].into_iter().chain(self.others.iter_mut().map(|other| &mut other.target))
    }

    /// The values of these elements.
    pub fn values(&self) -> impl Iterator<Item = Val<'c>> {
        [self.value].into_iter().chain(self.others.iter().map(|other| other.value))
    }

    /// True if it writes an element that is accessed.
    pub fn writes(&self, access: &ElementAccess<'c>) -> bool {
        self.targets().any(|target| target.is_same(access))
    }

    /// True for the access of the result of the iteration before, if the statement is a scan.
    pub fn is_carry(&self, access: &ElementAccess<'c>) -> bool {
        match self.scan.as_ref().map(|scan| &scan.carry) {
            Some(ScanCarry::Cell(cell, _)) => access.memory == Memory::Cell(*cell),
            Some(ScanCarry::Element(carry)) => access.is_same(carry),
            None => false,
        }
    }

    /// True if the statement is a scan of the values of a cell.
    pub fn scans_cell(&self, number: usize) -> bool {
        matches!(self.scan, Some(RunningValue { carry: ScanCarry::Cell(cell, _), .. }) if cell == number)
    }
}
