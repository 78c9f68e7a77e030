//! Places in a nest that is built: statements go to the end of a block.
use super::{
    contents::{Contents, Owner},
    memory::{Held, held_in},
    tree::{Array, Binary, Block, Buffer, Nest, Operation, Purpose, Statement, Value},
    types::{Element, Type},
};
use mdh_dialects::{ir::IntPredicate, schedule::model::Level};
use std::cell::RefCell;

/// A nest that is built.
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
    /// The nest, complete.
    pub fn finish(self) -> Nest {
        self.nest.into_inner()
    }

    /// A value that is there before the nest.
    pub fn parameter(&self, r#type: Type) -> Value {
        let value = self.value(r#type);
        self.nest.borrow_mut().parameters.push(value);
        value
    }

    /// A value that no statement has computed yet.
    fn value(&self, r#type: Type) -> Value {
        let types = &mut self.nest.borrow_mut().types;
        types.push(r#type);
        Value(types.len() as u32 - 1)
    }

    /// A buffer that no statement has allocated yet, or that the user has.
    pub fn buffer(&self, array: Array) -> Buffer {
        let buffers = &mut self.nest.borrow_mut().buffers;
        buffers.push(array);
        Buffer(buffers.len() as u32 - 1)
    }

    /// Says what is in a buffer, and who has one of its own.
    pub fn hold(&self, buffer: Buffer, contents: Contents, owner: Owner) {
        self.nest.borrow_mut().contents.push((buffer, contents, owner));
    }

    /// What some buffers hold.
    pub fn held(&self, buffers: &[Buffer]) -> Vec<Held> {
        held_in(&self.nest.borrow(), |buffer| buffers.contains(&buffer))
    }

    /// What is known of a buffer.
    pub fn array(&self, buffer: Buffer) -> Array {
        self.nest.borrow().array(buffer).clone()
    }

    /// The type of the elements of a buffer.
    pub fn element(&self, buffer: Buffer) -> Element {
        self.nest.borrow().array(buffer).element
    }

    /// The type of a value.
    pub fn type_of(&self, value: Value) -> Type {
        self.nest.borrow().type_of(value)
    }

    /// An empty block.
    fn block(&self) -> Block {
        let blocks = &mut self.nest.borrow_mut().blocks;
        blocks.push(vec![]);
        Block(blocks.len() as u32 - 1)
    }

    /// Where the nest begins.
    pub fn begin(&self) -> Code<'_> {
        Code { recorder: self, block: Nest::BODY, level: None }
    }
}

/// The end of a block of a nest that is built.
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

    /// The end of a new block, which the next statement may have.
    pub fn inside(&self) -> Self {
        Self { recorder: self.recorder, block: self.recorder.block(), level: None }
    }

    /// Statements that belong together, here.
    pub fn group(&self, purpose: Purpose) -> Self {
        let inside = self.inside();
        self.statement(Operation::Group(purpose, inside.block), &[], &[]);
        inside
    }

    /// This place for a loop over a level.
    pub fn over(&self, level: Level) -> Self {
        Self { level: Some(level), ..*self }
    }

    /// This place for a loop over the parts of some layers of a dimension together, the first and the last one given.
    pub fn over_layers(&self, dimension: usize, [first, last]: [usize; 2]) -> Self {
        Self { level: (first == last).then_some(Level { layer: first, dimension }), ..*self }
    }

    /// This place for loops over elements.
    pub fn of_no_level(&self) -> Self {
        Self { level: None, ..*self }
    }

    /// The level that the next loop goes over.
    pub fn level(&self) -> Option<Level> {
        self.level
    }

    /// A statement, and what it computes.
    pub fn statement(&self, operation: Operation, operands: &[Value], types: &[Type]) -> Vec<Value> {
        let results: Vec<_> = types.iter().map(|r#type| self.recorder.value(*r#type)).collect();
        let statement = Statement { operation, operands: operands.to_vec(), results: results.clone() };
        self.recorder.nest.borrow_mut().blocks[self.block.0 as usize].push(statement);
        results
    }

    /// A statement that computes one value.
    pub fn value(&self, operation: Operation, operands: &[Value], r#type: Type) -> Value {
        self.statement(operation, operands, &[r#type])[0]
    }

    /// A statement that computes nothing.
    pub fn effect(&self, operation: Operation, operands: &[Value]) {
        self.statement(operation, operands, &[]);
    }

    /// A value that a block has for each of its runs.
    pub fn argument(&self, r#type: Type) -> Value {
        self.recorder.value(r#type)
    }

    /// The type of a value.
    pub fn type_of(&self, value: Value) -> Type {
        self.recorder.type_of(value)
    }

    /// A number.
    pub fn constant(&self, value: i64, r#type: Type) -> Value {
        self.value(Operation::Constant(value), &[], r#type)
    }

    /// `left operation right`
    pub fn binary(&self, operation: Binary, left: Value, right: Value, r#type: Type) -> Value {
        self.value(Operation::Binary(operation), &[left, right], r#type)
    }

    /// `left predicate right`
    pub fn compare(&self, predicate: IntPredicate, left: Value, right: Value) -> Value {
        self.value(Operation::Compare(predicate), &[left, right], Type::BIT)
    }

    /// `value` where the condition holds, `otherwise` elsewhere.
    pub fn select(&self, condition: Value, value: Value, otherwise: Value) -> Value {
        self.value(Operation::Select, &[condition, value, otherwise], self.type_of(value))
    }

    /// An element of a buffer.
    pub fn load(&self, buffer: Buffer, indices: &[Value]) -> Value {
        self.value(Operation::Load(buffer), indices, self.recorder.element(buffer).into())
    }

    /// Writes an element of a buffer.
    pub fn store(&self, buffer: Buffer, indices: &[Value], value: Value) {
        self.effect(Operation::Store(buffer), &[&[value], indices].concat());
    }
}
