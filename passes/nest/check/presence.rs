//! Lifetimes: which values and buffers are live at a position in the nest.
use crate::nest::{
    print::{names::Names, statement::stored},
    tree::{Buffer, Nest, Storage, Value},
};
use std::mem::discriminant;

/// The state of a value or a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    /// Not defined or allocated yet.
    Missing,
    /// Live: defined or allocated in an enclosing block.
    There,
    /// Defined or allocated in a block that has ended.
    Ended,
    /// Freed.
    Freed,
}

/// A definition or an allocation.
#[derive(Clone, Copy, Debug)]
enum Brought {
    Value(Value),
    Buffer(Buffer),
}

/// The number of definitions and allocations before a block began.
pub type Beginning = usize;

/// The state of all values and buffers.
pub struct Present {
    values: Vec<Presence>,
    buffers: Vec<Presence>,
    /// The storage of a buffer, and the block that allocates it.
    allocations: Vec<Option<(Storage, Beginning)>>,
    /// Live until their block ends, in the order of definition.
    brought: Vec<Brought>,
    /// The beginning of the innermost block.
    block: Beginning,
}

impl Present {
    /// The initial state: only the user's buffers, which come first, are live.
    pub fn new(nest: &Nest) -> Self {
        let allocated = nest.blocks.iter().flatten().flat_map(|statement| statement.operation.allocated());
        let users = allocated.map(|buffer| buffer.0 as usize).min().unwrap_or(nest.buffers.len());
        let mut buffers = vec![Presence::Missing; nest.buffers.len()];
        buffers[..users].fill(Presence::There);
        let (values, allocations) = (vec![Presence::Missing; nest.types.len()], vec![None; nest.buffers.len()]);
        Self { values, buffers, allocations, brought: vec![], block: 0 }
    }

    /// Begins a block; returns the beginning of the enclosing block, for [`Self::end`].
    pub fn begin(&mut self) -> Beginning {
        std::mem::replace(&mut self.block, self.brought.len())
    }

    /// Ends a block, and continues in the enclosing one.
    pub fn end(&mut self, around: Beginning) {
        for brought in self.brought.drain(self.block..) {
            match brought {
                Brought::Value(value) => self.values[value.0 as usize] = Presence::Ended,
                Brought::Buffer(buffer) => self.buffers[buffer.0 as usize] = Presence::Ended,
            }
        }
        self.block = around;
    }

    /// Defines a value.
    pub fn define(&mut self, names: &Names<'_>, value: Value) -> Result<(), String> {
        let presence = &mut self.values[value.0 as usize];
        if *presence != Presence::Missing {
            return Err(format!("values that are defined once, but {} is defined before", names.value(value)));
        }
        *presence = Presence::There;
        self.brought.push(Brought::Value(value));
        Ok(())
    }

    /// Requires a value to be live.
    pub fn check_value(&self, names: &Names<'_>, value: Value) -> Result<(), String> {
        let state = match self.values[value.0 as usize] {
            Presence::There => return Ok(()),
            Presence::Missing => "not defined yet",
            Presence::Ended | Presence::Freed => "defined in a block that has ended",
        };
        Err(format!("values that are defined before, but {} is {state}", names.value(value)))
    }

    /// Requires a buffer to be live.
    pub fn check_buffer(&self, names: &Names<'_>, buffer: Buffer) -> Result<(), String> {
        let state = match self.buffers[buffer.0 as usize] {
            Presence::There => return Ok(()),
            Presence::Missing => "not allocated yet",
            Presence::Ended => "allocated in a block that has ended",
            Presence::Freed => "freed",
        };
        Err(format!("buffers that are allocated before, but {} is {state}", names.buffer(buffer)))
    }

    /// Allocates a buffer; without storage it is a view of another one.
    pub fn allocate(&mut self, names: &Names<'_>, buffer: Buffer, storage: Option<&Storage>) -> Result<(), String> {
        let presence = &mut self.buffers[buffer.0 as usize];
        if *presence != Presence::Missing {
            return Err(format!("buffers that are allocated once, but {} is allocated before", names.buffer(buffer)));
        }
        *presence = Presence::There;
        self.allocations[buffer.0 as usize] = storage.map(|storage| (storage.clone(), self.block));
        self.brought.push(Brought::Buffer(buffer));
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
                return Err(format!("the block that allocates {}, but stands in another one", name()));
            }
            Some(_) => {}
        }
        self.buffers[buffer.0 as usize] = Presence::Freed;
        Ok(())
    }
}
