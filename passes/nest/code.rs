//! Insertion points in a nest under construction: statements are appended to the end of a block.
use super::{
    contents::{Contents, Owner},
    tree::{Array, Binary, Block, Buffer, Nest, Operation, Purpose, Statement, Value},
    types::{Element, Type},
};
use mdh_dialects::{ir::IntPredicate, schedule::model::Level};
use std::cell::RefCell;

/// A nest under construction.
#[derive(Debug)]
pub struct Recorder {
    nest: RefCell<Nest>,
}

impl Default for Recorder {
    fn default() -> Self {
        Self { nest: RefCell::new(Nest { blocks: vec![vec![]], ..Nest::default() }) }
    }
}

impl Recorder {
    /// Returns the completed nest.
    pub fn finish(self) -> Nest {
        self.nest.into_inner()
    }

    /// A value that is defined before the nest, by its parameters.
    pub fn parameter(&self, ty: Type) -> Value {
        let value = self.value(ty);
        self.nest.borrow_mut().parameters.push(value);
        value
    }

    /// A new value that no statement has computed yet.
    fn value(&self, ty: Type) -> Value {
        let types = &mut self.nest.borrow_mut().types;
        types.push(ty);
        Value(types.len() as u32 - 1)
    }

    /// A new buffer that no statement has allocated yet, or a buffer of the user.
    pub fn buffer(&self, array: Array) -> Buffer {
        let buffers = &mut self.nest.borrow_mut().buffers;
        buffers.push(array);
        Buffer(buffers.len() as u32 - 1)
    }

    /// Records the contents of a buffer, and which unit owns a copy of it.
    pub fn record_contents(&self, buffer: Buffer, contents: Contents, owner: Owner) {
        self.nest.borrow_mut().contents.push((buffer, contents, owner));
    }

    /// Queries the nest built so far.
    pub fn inspect<T>(&self, ask: impl FnOnce(&Nest) -> T) -> T {
        ask(&self.nest.borrow())
    }

    /// The element type, sizes, layout and memory space of a buffer.
    pub fn array(&self, buffer: Buffer) -> Array {
        self.nest.borrow().array(buffer).clone()
    }

    /// The element type of a buffer.
    pub fn element(&self, buffer: Buffer) -> Element {
        self.nest.borrow().array(buffer).element
    }

    /// The type of a value.
    pub fn type_of(&self, value: Value) -> Type {
        self.nest.borrow().type_of(value)
    }

    /// A new, empty block.
    fn block(&self) -> Block {
        let blocks = &mut self.nest.borrow_mut().blocks;
        blocks.push(vec![]);
        Block(blocks.len() as u32 - 1)
    }

    /// The insertion point at the beginning of the nest.
    pub fn begin(&self) -> Code<'_> {
        Code { recorder: self, block: Nest::BODY, level: None }
    }
}

/// An insertion point: the end of a block.
#[derive(Clone, Copy, Debug)]
pub struct Code<'t> {
    /// The nest.
    pub recorder: &'t Recorder,
    block: Block,
    level: Option<Level>,
}

impl<'t> Code<'t> {
    /// The block.
    pub fn block(&self) -> Block {
        self.block
    }

    /// The end of a new block, to become the body of a later statement.
    pub fn inside(&self) -> Self {
        Self { recorder: self.recorder, block: self.recorder.block(), level: None }
    }

    /// Adds a group of statements with a common purpose here, and returns the insertion point inside of it.
    pub fn group(&self, purpose: Purpose) -> Self {
        let inside = self.inside();
        self.statement(Operation::Group(purpose, inside.block), &[], &[]);
        inside
    }

    /// This insertion point, for a loop over a level.
    pub fn over(&self, level: Level) -> Self {
        Self { level: Some(level), ..*self }
    }

    /// This insertion point, for one loop over the parts of the layers from `first` to `last` of a dimension together.
    pub fn over_layers(&self, dimension: usize, [first, last]: [usize; 2]) -> Self {
        Self { level: (first == last).then_some(Level { layer: first, dimension }), ..*self }
    }

    /// This insertion point, for loops over elements.
    pub fn of_no_level(&self) -> Self {
        Self { level: None, ..*self }
    }

    /// The level of the next loop.
    pub fn level(&self) -> Option<Level> {
        self.level
    }

    /// Adds a statement and returns its results.
    pub fn statement(&self, operation: Operation, operands: &[Value], types: &[Type]) -> Vec<Value> {
        let results: Vec<_> = types.iter().map(|ty| self.recorder.value(*ty)).collect();
        let statement = Statement { operation, operands: operands.to_vec(), results: results.clone() };
        self.recorder.nest.borrow_mut().blocks[self.block.0 as usize].push(statement);
        results
    }

    /// Adds a statement with one result.
    pub fn value(&self, operation: Operation, operands: &[Value], ty: Type) -> Value {
        self.statement(operation, operands, &[ty])[0]
    }

    /// Adds a statement without results.
    pub fn effect(&self, operation: Operation, operands: &[Value]) {
        self.statement(operation, operands, &[]);
    }

    /// A block argument, with a new value on each execution of the block.
    pub fn argument(&self, ty: Type) -> Value {
        self.recorder.value(ty)
    }

    /// The type of a value.
    pub fn type_of(&self, value: Value) -> Type {
        self.recorder.type_of(value)
    }

    /// A constant.
    pub fn constant(&self, value: i64, ty: Type) -> Value {
        self.value(Operation::Constant(value), &[], ty)
    }

    /// `left operation right`
    pub fn binary(&self, operation: Binary, left: Value, right: Value, ty: Type) -> Value {
        self.value(Operation::Binary(operation), &[left, right], ty)
    }

    /// `left predicate right`
    pub fn compare(&self, predicate: IntPredicate, left: Value, right: Value) -> Value {
        self.value(Operation::Compare(predicate), &[left, right], Type::BIT)
    }

    /// `value` if the condition is true, else `otherwise`; lane by lane for a vector of conditions.
    pub fn select(&self, condition: Value, value: Value, otherwise: Value) -> Value {
        self.value(Operation::Select, &[condition, value, otherwise], self.type_of(value))
    }

    /// Loads an element of a buffer.
    pub fn load(&self, buffer: Buffer, indices: &[Value]) -> Value {
        self.value(Operation::Load(buffer), indices, self.recorder.element(buffer).into())
    }

    /// Stores an element of a buffer.
    pub fn store(&self, buffer: Buffer, indices: &[Value], value: Value) {
        self.effect(Operation::Store(buffer), &[&[value], indices].concat());
    }
}
