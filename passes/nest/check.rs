//! Invariants of every nest. Messages name the printed statement, its requirement, and the actual state.
//!
//! - Each block is the body of exactly one statement, except the first block, which is the body of none.
//! - A value is defined once, and a buffer is allocated once. Both are live until the end of the block; the end of a
//!   group ends no lifetime.
//! - A buffer is not used after the statement that frees it, which is in the block that allocates the buffer.
//! - Types agree: of operands with each other and with results, of elements with buffers, of yielded values with the
//!   results of their statement. Sizes, bounds and indices are of type index, and a buffer has as many indices as
//!   dimensions.
//! - Blocks of loops and branches end with a yield, and no other block has one.
//! - Kernels do not nest. Host statements are outside of kernels, statements of threads inside.
//! - All threads of a block reach each barrier: by dataflow analysis, no branch or loop around a barrier depends on the
//!   thread index.
//!
//! Not checked: that indices are in bounds, that allocated buffers are freed, and that a barrier is present wherever
//! one is needed.
mod barriers;
mod blocks;
mod lifetimes;
mod operands;

use super::{
    index::Index::Computed,
    print::names::Names,
    tree::{Block, Nest, Operation, Scalar, Statement, Storage},
};
use blocks::{check_numbers, check_tree, check_yields};
use lifetimes::Lifetimes;

/// Checks the invariants that emission relies on. The error describes the first violation.
pub fn check(nest: &Nest) -> Result<(), String> {
    check_tree(nest)?;
    check_numbers(nest)?;
    let mut checker = Checker { names: Names::of(nest), lifetimes: Lifetimes::new(nest), is_in_kernel: false };
    for value in &nest.parameters {
        checker.lifetimes.define(&checker.names, *value).map_err(|problem| format!("requires {problem}"))?;
    }
    checker.block(Nest::BODY, None, None)?;
    barriers::check(&checker.names)
}

/// The traversal of a nest.
struct Checker<'n> {
    names: Names<'n>,
    lifetimes: Lifetimes,
    is_in_kernel: bool,
}

impl<'n> Checker<'n> {
    /// Checks a block that is not a group. `of`: the statement that owns it. `yields_to`: the same statement, if its
    /// results are the values that the block yields.
    fn block(&mut self, block: Block, of: Option<&Statement>, yields_to: Option<&Statement>) -> Result<(), String> {
        check_yields(&self.names, block, yields_to)?;
        let around = self.lifetimes.begin();
        if let Some(of) = of {
            let arguments = self.arguments(&of.operation);
            self.located(of, arguments)?;
        }
        self.statements(block)?;
        self.lifetimes.end(around);
        Ok(())
    }

    /// Defines the arguments of a block, and the shared buffers of a kernel.
    fn arguments(&mut self, operation: &Operation) -> Result<(), String> {
        operation.arguments().into_iter().try_for_each(|value| self.lifetimes.define(&self.names, value))?;
        let Operation::Kernel(kernel) = operation else { return Ok(()) };
        kernel.shared.iter().try_for_each(|buffer| self.lifetimes.allocate(&self.names, *buffer, None))
    }

    fn statements(&mut self, block: Block) -> Result<(), String> {
        let statements = self.names.nest().block(block);
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &'n Statement) -> Result<(), String> {
        let before = self.before(statement);
        self.located(statement, before)?;
        let of = Some(statement);
        match &statement.operation {
            Operation::Loop(r#loop) => self.block(r#loop.body, of, of)?,
            Operation::Parallel(r#loop) => self.block(r#loop.body, of, None)?,
            Operation::If { then, otherwise } => {
                self.block(*then, of, of)?;
                self.block(*otherwise, of, of)?;
            }
            Operation::Group(_, block) => {
                check_yields(&self.names, *block, None)?;
                self.statements(*block)?;
            }
            Operation::Kernel(kernel) => {
                self.is_in_kernel = true;
                self.block(kernel.body, of, None)?;
                self.is_in_kernel = false;
            }
            Operation::Scalar(scalar) => self.scalar(statement, scalar)?,
            _ => {}
        }
        let after = self.after(statement);
        self.located(statement, after)
    }

    /// Prefixes a problem with the statement that has it.
    fn located(&self, statement: &Statement, result: Result<(), String>) -> Result<(), String> {
        result.map_err(|problem| format!("`{}` requires {problem}", self.names.line(statement)))
    }

    /// Checks a statement before its blocks are visited.
    fn before(&self, statement: &Statement) -> Result<(), String> {
        let Statement { operation, operands, .. } = statement;
        let memory = if let Operation::View { of, .. } = operation { Some(of) } else { None };
        operands.iter().chain(memory).try_for_each(|value| self.lifetimes.check_value(&self.names, *value))?;
        operation.used().into_iter().try_for_each(|buffer| self.lifetimes.check_buffer(&self.names, buffer))?;
        self.check_place(operation)?;
        operands::check(&self.names, statement)
    }

    /// Updates the live values and buffers after a statement.
    fn after(&mut self, statement: &Statement) -> Result<(), String> {
        let Self { names, lifetimes, .. } = self;
        match &statement.operation {
            Operation::Allocate(buffer, storage) => lifetimes.allocate(names, *buffer, Some(storage)),
            Operation::Subview { buffer, .. } | Operation::View { buffer, .. } => {
                lifetimes.allocate(names, *buffer, None)
            }
            Operation::Free(buffer, storage) => lifetimes.free(names, *buffer, storage),
            _ => Ok(()),
        }?;
        statement.results.iter().try_for_each(|value| lifetimes.define(names, *value))
    }

    /// Checks the code of the indices of a point, and the index values that it must define.
    fn scalar(&mut self, statement: &Statement, scalar: &Scalar) -> Result<(), String> {
        for index in &scalar.indices {
            check_yields(&self.names, index.code, None)?;
            let around = self.lifetimes.begin();
            self.statements(index.code)?;
            let asked = [Some(index.first), index.stride, index.inside].into_iter().flatten();
            let mut values = asked.filter_map(|index| if let Computed(value) = index { Some(value) } else { None });
            let problem = values.try_for_each(|value| {
                self.lifetimes.check_value(&self.names, value)?;
                operands::check_index(&self.names, value)
            });
            self.located(statement, problem)?;
            self.lifetimes.end(around);
        }
        Ok(())
    }

    /// Checks that the execution space of a statement, the host or a kernel, is one in which it can run.
    fn check_place(&self, operation: &Operation) -> Result<(), String> {
        let is_of_threads = match operation {
            Operation::Barrier
            | Operation::Shuffle(..)
            | Operation::DynamicSharedMemory
            | Operation::View { .. }
            | Operation::CopyAsync { .. }
            | Operation::GroupCopies
            | Operation::WaitCopies(_) => true,
            Operation::Allocate(_, Storage::Stack) => return Ok(()),
            Operation::Kernel(_)
            | Operation::Parallel(_)
            | Operation::Allocate(..)
            | Operation::Free(..)
            | Operation::Copy { .. }
            | Operation::CopyPrevious(_) => false,
            _ => return Ok(()),
        };
        match (is_of_threads, self.is_in_kernel) {
            (true, false) => Err("a kernel, but is on the host".to_owned()),
            (false, true) => Err("the host, but is in a kernel".to_owned()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
