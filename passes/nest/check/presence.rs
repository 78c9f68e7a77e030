//! Which values and buffers are there at a place of a nest.
use crate::nest::{
    print::{names::Names, statement::stored},
    tree::{Buffer, Nest, Storage, Value},
};
use std::mem::discriminant;

/// Whether a value or a buffer is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    /// Not yet.
    Missing,
    /// From a statement of a block around.
    There,
    /// It was, in a block that has ended.
    Ended,
    /// It is freed.
    Freed,
}

/// What a statement brings.
#[derive(Clone, Copy, Debug)]
enum Brought {
    Value(Value),
    Buffer(Buffer),
}

/// How many things were there when a block began.
pub type Beginning = usize;

/// What is there.
pub struct Present {
    values: Vec<Presence>,
    buffers: Vec<Presence>,
    /// How a buffer is allocated, and in which block.
    allocations: Vec<Option<(Storage, Beginning)>>,
    /// Until its block ends, in order.
    brought: Vec<Brought>,
    /// Of the innermost block.
    block: Beginning,
}

impl Present {
    /// The user's buffers, which come first.
    pub fn new(nest: &Nest) -> Self {
        let allocated = nest.blocks.iter().flatten().flat_map(|statement| statement.operation.allocated());
        let users = allocated.map(|buffer| buffer.0 as usize).min().unwrap_or(nest.buffers.len());
        let mut buffers = vec![Presence::Missing; nest.buffers.len()];
        buffers[..users].fill(Presence::There);
        let (values, allocations) = (vec![Presence::Missing; nest.types.len()], vec![None; nest.buffers.len()]);
        Self { values, buffers, allocations, brought: vec![], block: 0 }
    }

    /// Begins a block; this is the one around.
    pub fn begin(&mut self) -> Beginning {
        std::mem::replace(&mut self.block, self.brought.len())
    }

    /// Ends a block inside of another one.
    pub fn end(&mut self, around: Beginning) {
        for brought in self.brought.drain(self.block..) {
            match brought {
                Brought::Value(value) => self.values[value.0 as usize] = Presence::Ended,
                Brought::Buffer(buffer) => self.buffers[buffer.0 as usize] = Presence::Ended,
            }
        }
        self.block = around;
    }

    /// A value from here on.
    pub fn define(&mut self, names: &Names<'_>, value: Value) -> Result<(), String> {
        let presence = &mut self.values[value.0 as usize];
        if *presence != Presence::Missing {
            return Err(format!("values that are defined once, but {} is defined before", names.value(value)));
        }
        *presence = Presence::There;
        self.brought.push(Brought::Value(value));
        Ok(())
    }

    /// Whether a value is there.
    pub fn check_value(&self, names: &Names<'_>, value: Value) -> Result<(), String> {
        let state = match self.values[value.0 as usize] {
            Presence::There => return Ok(()),
            Presence::Missing => "not defined yet",
            Presence::Ended | Presence::Freed => "defined in a block that has ended",
        };
        Err(format!("values that are defined before, but {} is {state}", names.value(value)))
    }

    /// Whether a buffer is there.
    pub fn check_buffer(&self, names: &Names<'_>, buffer: Buffer) -> Result<(), String> {
        let state = match self.buffers[buffer.0 as usize] {
            Presence::There => return Ok(()),
            Presence::Missing => "not allocated yet",
            Presence::Ended => "allocated in a block that has ended",
            Presence::Freed => "freed",
        };
        Err(format!("buffers that are allocated before, but {} is {state}", names.buffer(buffer)))
    }

    /// A buffer from here on; without storage it is a part of another one.
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

    /// No such buffer from here on. What memory of a device is for says only the statement that allocates it.
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
