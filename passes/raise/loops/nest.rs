//! Loop nests as statements: stores, each with the loops around it, and with the elements that its value depends on.
//!
//! ```text
//! for %i                                      statements          loops
//!   %s = for %k iter_args(%a = %zero)         c0[i] = %zero       i
//!     %n = %a + A[%i, %k] * x[%k]       ──▶   c0[i] = %n          i, k    reads c0[i], A[i, k], x[k]
//!     yield %n                                y[i] = c0[i]        i
//!   y[%i] = %s
//! ```
//!
//! A value that a loop carries is a cell: an element of its own for each iteration of the loops around that loop.
use super::{
    linear::{LOOPS, Linear, SourceLoop, loops},
    spelled,
    store::{Cell, ElementAccess, Memory, StoreStatement, TupleComponent},
    tensors::CarriedTensors,
};
use crate::analysis::origin::is_defined_in;
use mdh_dialects::{
    hom::verify::is_evaluable,
    ir::{self, Blk, Op, Val},
};
use melior::ir::{BlockLike, TypeLike, ValueLike};

/// A nest.
#[derive(Debug)]
pub struct SourceNest<'c> {
    /// The outermost loop.
    pub root: Op<'c>,
    /// All loops, outer ones first.
    pub loops: Vec<SourceLoop<'c>>,
    /// The cells.
    pub cells: Vec<Cell<'c>>,
    /// The values that are read from memory.
    pub reads: Vec<(Val<'c>, ElementAccess<'c>)>,
    /// The statements in the order of execution.
    pub statements: Vec<StoreStatement<'c>>,
    /// The tensors that the nest changes.
    pub tensors: CarriedTensors<'c>,
    position: usize,
}

/// True for an operation that loops of a nest may contain.
pub fn is_part(operation: Op<'_>) -> bool {
    let name = ir::name(operation);
    let is_end = ["affine.yield", "scf.yield", "scf.reduce", "scf.forall.in_parallel"].contains(&name);
    let accesses = is_load(name) || is_store(name) || ["affine.apply", "affine.if"].contains(&name);
    LOOPS.contains(&name) || accesses || is_end || (is_evaluable(operation) && name != "func.call")
}

/// True for a load of an element.
pub fn is_load(name: &str) -> bool {
    ["memref.load", "affine.load", "tensor.extract"].contains(&name)
}

/// True for a store of an element.
pub fn is_store(name: &str) -> bool {
    ["memref.store", "affine.store", "tensor.insert"].contains(&name)
}

impl<'c> SourceNest<'c> {
    /// Reads a nest whose operations all are parts. The error is the requirement that it does not meet.
    pub fn of(root: Op<'c>) -> Result<Self, String> {
        let mut nest = Self {
            root,
            loops: vec![],
            cells: vec![],
            reads: vec![],
            statements: vec![],
            tensors: CarriedTensors::of(root),
            position: 0,
        };
        nest.enter(root, &[])?;
        Ok(nest)
    }

    fn enter(&mut self, operation: Op<'c>, around: &[usize]) -> Result<(), String> {
        let body = ir::body(operation, 0).ok_or("requires loops with a body")?;
        let own = loops(operation)?;
        let first = self.loops.len();
        self.loops.extend(own);
        let inner: Vec<_> = around.iter().copied().chain(first..self.loops.len()).collect();
        let all = ir::results(operation);
        let is_number = |position: &usize| !all[*position].r#type().is_tensor();
        // Tensors are memory, the others are cells.
        let numbers: Vec<_> = (0..all.len()).filter(is_number).collect();
        let select =
            |values: &[Val<'c>]| numbers.iter().filter_map(|position| values.get(*position).copied()).collect();
        let carried: Vec<_> = ir::arguments(body).into_iter().skip(self.loops.len() - first).collect();
        let operands = ir::operands(operation);
        let inits = &operands[operands.len() - all.len()..];
        let end = ir::block_operations(body).pop().ok_or("requires loops with a terminator")?;
        let yields = ir::operands(end);
        let tensors = self.tensors.enter(inits, &carried, &all)?;
        let (carried, inits, results): (Vec<_>, Vec<_>, Vec<_>) = (select(&carried), select(inits), select(&all));
        let mut own_cells = vec![];
        for (result, init) in results.iter().zip(&inits) {
            let shared = self.shared_cell(operation, *init, *result);
            own_cells.push(shared.unwrap_or(self.cells.len()));
            if shared.is_none() {
                self.cells.push(Cell { ty: result.r#type(), loops: around.to_vec(), result: *result });
                self.define(self.cells.len() - 1, around, *init, operation);
            }
        }
        self.position += 1;
        for (cell, argument) in own_cells.iter().zip(carried) {
            let access = self.cell(*cell);
            self.reads.push((argument, access));
        }
        self.block(body, &inner)?;
        self.tensors.leave(&tensors, &yields, &all)?;
        let yields: Vec<_> = select(&yields);
        for (cell, value) in own_cells.iter().zip(yields) {
            // A loop in this one that has the same cell has already defined it.
            let is_defined = self.reads.iter().any(|(read, access)| {
                *read == value && access.memory == Memory::Cell(*cell) && ir::defining(value).is_some()
            });
            if !is_defined {
                self.define(*cell, &inner, value, end);
            }
        }
        self.join_statements(end);
        self.position += 1;
        for (cell, result) in own_cells.into_iter().zip(results) {
            let access = self.cell(cell);
            self.reads.push((result, access));
        }
        Ok(())
    }

    /// Joins the definitions of carried values at the end of a loop that depend on each other.
    fn join_statements(&mut self, end: Op<'c>) {
        let is_own = |statement: &StoreStatement<'c>| statement.at == end && statement.target.is_cell();
        let mut number = self.statements.iter().position(is_own).unwrap_or(self.statements.len());
        while number < self.statements.len() {
            let reads = |one: &StoreStatement<'c>, other: &StoreStatement<'c>| {
                self.reads_of(one).into_iter().any(|read| other.targets().any(|target| target.memory == read.memory))
            };
            let first = &self.statements[number];
            let is_joined = |other: &usize| {
                let other = &self.statements[*other];
                reads(first, other) || reads(other, first)
            };
            match (number + 1..self.statements.len()).find(is_joined) {
                Some(next) => {
                    let StoreStatement { target, value, initial, others, .. } = self.statements.remove(next);
                    let first = &mut self.statements[number].others;
                    first.push(TupleComponent { target, value, initial });
                    first.extend(others);
                }
                None => number += 1,
            }
        }
    }

    /// The cell of the loop around a loop, if that only passes its value to this loop and on to the next iteration.
    fn shared_cell(&self, operation: Op<'c>, init: Val<'c>, result: Val<'c>) -> Option<usize> {
        let end = ir::block_operations(ir::block(operation)?).pop()?;
        let outer = ir::parent(operation)?;
        let argument = ir::owner(init).filter(|block| ir::body(outer, 0) == Some(*block))?;
        let arguments = ir::arguments(argument);
        let number = arguments.iter().position(|argument| *argument == init)?;
        let first = arguments.len() - ir::results(outer).len();
        let is_passed = ir::operands(end).get(number.checked_sub(first)?) == Some(&result);
        let is_only = ir::users(init) == [operation] && ir::users(result) == [end];
        match self.read(init)?.memory {
            Memory::Cell(cell) if is_passed && is_only => Some(cell),
            _ => None,
        }
    }

    fn block(&mut self, body: Blk<'c>, around: &[usize]) -> Result<(), String> {
        for operation in ir::block_operations(body) {
            self.position += 1;
            let (name, operands) = (ir::name(operation), ir::operands(operation));
            let inside = || ir::descendants(operation).into_iter().map(ir::name).skip(1);
            match name {
                _ if LOOPS.contains(&name) && ir::results(operation).is_empty() => self.enter(operation, around)?,
                "affine.for" | "scf.for" if inside().any(|name| is_load(name) || is_store(name)) => {
                    self.enter(operation, around)?;
                }
                _ if is_load(name) => {
                    let access = self.access(operation, &operands)?;
                    self.reads.push((ir::results(operation)[0], access));
                }
                _ if is_store(name) => {
                    let target = self.access(operation, &operands[1..])?;
                    self.tensors.store(operands[1], &ir::results(operation))?;
                    self.add(operation, around, target, operands[0]);
                }
                _ if inside().any(is_store) => return Err("requires stores without conditions".into()),
                _ if inside().any(is_load) || name == "affine.if" => {
                    return Err("requires loads without conditions".into());
                }
                // Computations belong to the statements that need them.
                _ => {}
            }
        }
        Ok(())
    }

    fn define(&mut self, cell: usize, loops: &[usize], value: Val<'c>, at: Op<'c>) {
        let target = self.cell(cell);
        self.add(at, loops, target, value);
    }

    fn add(&mut self, at: Op<'c>, loops: &[usize], target: ElementAccess<'c>, value: Val<'c>) {
        self.statements.push(StoreStatement {
            at,
            loops: loops.to_vec(),
            target,
            value,
            initial: None,
            scan: None,
            others: vec![],
        });
    }

    /// The access of a cell in all iterations of the loops around its loop.
    fn cell(&self, number: usize) -> ElementAccess<'c> {
        let index = |outer: &usize| Linear { terms: vec![(self.loops[*outer].variable, 1)], constant: 0 };
        let indices = self.cells[number].loops.iter().map(index).collect();
        ElementAccess { memory: Memory::Cell(number), indices, position: self.position, at: self.root }
    }

    /// An access by a memref and indices, with an affine map for those of `affine`.
    fn access(&self, operation: Op<'c>, operands: &[Val<'c>]) -> Result<ElementAccess<'c>, String> {
        let not_linear = || format!("requires linear indices, but {} has others", ir::name(operation));
        let variables: Vec<_> = self.loops.iter().map(|l| l.variable).collect();
        let (accessed, indices) = operands.split_first().ok_or_else(not_linear)?;
        let memory = self.tensors.memory(*accessed);
        if self.is_inside(memory) {
            return Err(match memory.r#type().is_tensor() {
                true => "requires the last values of tensors, but a loop uses one from before a change".into(),
                false => "requires memrefs from outside of the loops".into(),
            });
        }
        let ty = memory.r#type();
        let is_number = ir::element_type(ty).is_some_and(mdh_dialects::view::is_scalar);
        if !is_number || !ty.is_mem_ref() && !ty.is_tensor() {
            return Err(format!("requires memrefs and tensors of numbers, but has {ty}"));
        }
        let found = match ir::attribute(operation, "map") {
            Some(map) => Linear::of_map(map, indices),
            None => indices.iter().map(|index| Linear::of(*index)).collect(),
        };
        let indices = found.ok_or_else(|| match ir::attribute(operation, "map") {
            Some(map) => spelled::map(map, indices, &variables).map_or_else(not_linear, |text| spelled::refused(&text)),
            None => not_linear(),
        })?;
        Ok(ElementAccess { memory: Memory::Buffer(memory), indices, position: self.position, at: operation })
    }

    /// True if a value is defined in the nest.
    pub fn is_inside(&self, value: Val<'c>) -> bool {
        is_defined_in(value, self.root)
    }

    /// The values of the nest that some values depend on, each after those that it depends on: elements that are read,
    /// induction variables, and results of operations.
    pub fn slice(&self, values: impl Iterator<Item = Val<'c>>) -> Vec<Val<'c>> {
        let mut found = vec![];
        values.for_each(|value| self.extend_slice(value, &mut found));
        found
    }

    fn extend_slice(&self, value: Val<'c>, found: &mut Vec<Val<'c>>) {
        if found.contains(&value) || !self.is_inside(value) {
            return;
        }
        if self.read(value).is_none()
            && let Some(operation) = ir::defining(value)
        {
            for inner in ir::descendants(operation) {
                for operand in ir::operands(inner) {
                    let is_of_operation = std::iter::successors(place(operand), |outer| ir::parent(*outer))
                        .any(|outer| outer == operation);
                    if !is_of_operation {
                        self.extend_slice(operand, found);
                    }
                }
            }
        }
        found.push(value);
    }

    /// The element that a value is read from.
    pub fn read(&self, value: Val<'c>) -> Option<&ElementAccess<'c>> {
        self.reads.iter().find(|(read, _)| *read == value).map(|(_, access)| access)
    }

    /// The elements that a statement reads, except cells that carry a scan.
    pub fn reads_of(&self, statement: &StoreStatement<'c>) -> Vec<&ElementAccess<'c>> {
        let is_carry = |access: &ElementAccess<'c>| match access.memory {
            Memory::Cell(_) => statement.is_carry(access),
            Memory::Buffer(_) => false,
        };
        let reads = self.slice(statement.values()).into_iter().filter_map(|value| self.read(value));
        reads.filter(|access| !is_carry(access)).collect()
    }
}

/// The operation that defines a value, or that has the block whose argument it is.
fn place(value: Val<'_>) -> Option<Op<'_>> {
    ir::defining(value).or_else(|| ir::owner(value).and_then(|block| block.parent_operation().map(ir::op)))
}
