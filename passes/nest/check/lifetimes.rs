//! Lifetimes: which values and buffers are live at a position in the nest.
use crate::nest::{
    print::{names::Names, statement::stored},
    tree::{Buffer, Nest, Storage, Value},
};
use std::mem::discriminant;

/// The state of a value or a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lifetime {
    /// Not defined or allocated yet.
    Missing,
    /// Live: defined or allocated in an enclosing block.
    Live,
    /// Defined or allocated in a block that has ended.
    Ended,
    /// Freed.
    Freed,
}

/// A definition or an allocation.
#[derive(Clone, Copy, Debug)]
enum Definition {
    Value(Value),
    Buffer(Buffer),
}

/// The number of definitions and allocations before a block began.
pub type Beginning = usize;

/// The state of all values and buffers.
pub struct Lifetimes {
    values: Vec<Lifetime>,
    buffers: Vec<Lifetime>,
    /// The storage of a buffer, and the block that allocates it.
    allocations: Vec<Option<(Storage, Beginning)>>,
    /// Live until their block ends, in the order of definition.
    definitions: Vec<Definition>,
    /// The beginning of the innermost block.
    block: Beginning,
}

impl Lifetimes {
    /// The initial state: only the user's buffers, which come first, are live.
    pub fn new(nest: &Nest) -> Self {
        let allocated = nest.blocks.iter().flatten().flat_map(|statement| statement.operation.allocated());
        let user_buffers = allocated.map(|buffer| buffer.0 as usize).min().unwrap_or(nest.buffers.len());
        let mut buffers = vec![Lifetime::Missing; nest.buffers.len()];
        buffers[..user_buffers].fill(Lifetime::Live);
        let (values, allocations) = (vec![Lifetime::Missing; nest.types.len()], vec![None; nest.buffers.len()]);
        Self { values, buffers, allocations, definitions: vec![], block: 0 }
    }

    /// Begins a block; returns the beginning of the enclosing block, for [`Self::end`].
    pub fn begin(&mut self) -> Beginning {
        std::mem::replace(&mut self.block, self.definitions.len())
    }

    /// Ends a block, and continues in the enclosing one.
    pub fn end(&mut self, around: Beginning) {
        for definitions in self.definitions.drain(self.block..) {
            match definitions {
                Definition::Value(value) => self.values[value.0 as usize] = Lifetime::Ended,
                Definition::Buffer(buffer) => self.buffers[buffer.0 as usize] = Lifetime::Ended,
            }
        }
        self.block = around;
    }

    /// Defines a value.
    pub fn define(&mut self, names: &Names<'_>, value: Value) -> Result<(), String> {
        let lifetimes = &mut self.values[value.0 as usize];
        if *lifetimes != Lifetime::Missing {
            return Err(format!("values that are defined once, but {} is defined before", names.value(value)));
        }
        *lifetimes = Lifetime::Live;
        self.definitions.push(Definition::Value(value));
        Ok(())
    }

    /// Requires a value to be live.
    pub fn check_value(&self, names: &Names<'_>, value: Value) -> Result<(), String> {
        let state = match self.values[value.0 as usize] {
            Lifetime::Live => return Ok(()),
            Lifetime::Missing => "not defined yet",
            Lifetime::Ended | Lifetime::Freed => "defined in a block that has ended",
        };
        Err(format!("values that are defined before, but {} is {state}", names.value(value)))
    }

    /// Requires a buffer to be live.
    pub fn check_buffer(&self, names: &Names<'_>, buffer: Buffer) -> Result<(), String> {
        let state = match self.buffers[buffer.0 as usize] {
            Lifetime::Live => return Ok(()),
            Lifetime::Missing => "not allocated yet",
            Lifetime::Ended => "allocated in a block that has ended",
            Lifetime::Freed => "freed",
        };
        Err(format!("buffers that are allocated before, but {} is {state}", names.buffer(buffer)))
    }

    /// Allocates a buffer; without storage it is a view of another one.
    pub fn allocate(&mut self, names: &Names<'_>, buffer: Buffer, storage: Option<&Storage>) -> Result<(), String> {
        let lifetimes = &mut self.buffers[buffer.0 as usize];
        if *lifetimes != Lifetime::Missing {
            return Err(format!("buffers that are allocated once, but {} is allocated before", names.buffer(buffer)));
        }
        *lifetimes = Lifetime::Live;
        self.allocations[buffer.0 as usize] = storage.map(|storage| (storage.clone(), self.block));
        self.definitions.push(Definition::Buffer(buffer));
        Ok(())
    }

    /// Frees a buffer. Of memory of a device, only the kind of storage is compared: its role is known to the allocation
    /// only.
    pub fn free(&mut self, names: &Names<'_>, buffer: Buffer, storage: &Storage) -> Result<(), String> {
        let name = || names.buffer(buffer);
        match &self.allocations[buffer.0 as usize] {
            None => return Err(format!("memory of its own, but {} has none", name())),
            Some((actual, _)) if discriminant(actual) != discriminant(storage) => {
                return Err(format!("{} to be{}, but it is{}", name(), stored(storage), stored(actual)));
            }
            Some((_, block)) if *block != self.block => {
                return Err(format!("the block that allocates {}, but is in another one", name()));
            }
            Some(_) => {}
        }
        self.buffers[buffer.0 as usize] = Lifetime::Freed;
        Ok(())
    }
}
