//! What holds of every nest. Messages name a statement as it is printed, what it requires, and what there is.
//!
//! - Each block is the body of one statement, and the first block is that of none.
//! - A value is defined once. A buffer is allocated once. Both are there from then on to the end of the block; a group ends nothing.
//! - A buffer is not used behind the statement that frees it, which stands in the block that allocates it.
//! - Types agree: of operands with each other and with results, of elements with buffers, of what a block yields with what is made of it.
//!   Sizes, bounds and indices are of type index, and a buffer has as many indices as dimensions.
//! - Blocks of loops and branches end with what they yield, and no other block yields anything.
//! - Kernels do not nest. What the host does stands outside of them, what threads do stands inside.
//! - All threads of a block come to each barrier: no branch or loop around it depends on the number of the thread, as far as the flow of
//!   values says.
//!
//! What is not checked: that indices are inside of buffers, that what is allocated is freed, and that there is a barrier wherever one is needed.
mod barriers;
mod blocks;
mod operands;
mod presence;

use super::{
    index::Index::Computed,
    print::names::Names,
    tree::{Block, Nest, Operation, Scalar, Statement, Storage},
};
use blocks::{check_numbers, check_tree, check_yields};
use presence::Present;

/// Whether a nest is as emission takes it; if not, what is wrong first.
pub fn check(nest: &Nest) -> Result<(), String> {
    check_tree(nest)?;
    check_numbers(nest)?;
    let mut checker = Checker { names: Names::of(nest), present: Present::new(nest), is_in_kernel: false };
    for value in &nest.parameters {
        checker.present.define(&checker.names, *value).map_err(|problem| format!("requires {problem}"))?;
    }
    checker.block(Nest::BODY, None, None)?;
    barriers::check(&checker.names)
}

/// The walk through a nest.
struct Checker<'n> {
    names: Names<'n>,
    present: Present,
    is_in_kernel: bool,
}

impl<'n> Checker<'n> {
    /// A block that is no group. `of`: the statement that has it. `yields_to`: the same, if it makes results of what the block yields.
    fn block(&mut self, block: Block, of: Option<&Statement>, yields_to: Option<&Statement>) -> Result<(), String> {
        check_yields(&self.names, block, yields_to)?;
        let around = self.present.begin();
        if let Some(of) = of {
            let arguments = self.arguments(&of.operation);
            self.located(of, arguments)?;
        }
        self.statements(block)?;
        self.present.end(around);
        Ok(())
    }

    /// What a block has for each of its runs.
    fn arguments(&mut self, operation: &Operation) -> Result<(), String> {
        operation.arguments().into_iter().try_for_each(|value| self.present.define(&self.names, value))?;
        let Operation::Kernel(kernel) = operation else { return Ok(()) };
        kernel.shared.iter().try_for_each(|buffer| self.present.allocate(&self.names, *buffer, None))
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

    /// A problem with the statement that has it.
    fn located(&self, statement: &Statement, result: Result<(), String>) -> Result<(), String> {
        result.map_err(|problem| format!("`{}` requires {problem}", self.names.line(statement)))
    }

    /// What holds before a statement's blocks run.
    fn before(&self, statement: &Statement) -> Result<(), String> {
        let Statement { operation, operands, .. } = statement;
        let memory = if let Operation::View { of, .. } = operation { Some(of) } else { None };
        operands.iter().chain(memory).try_for_each(|value| self.present.check_value(&self.names, *value))?;
        operation.used().into_iter().try_for_each(|buffer| self.present.check_buffer(&self.names, buffer))?;
        self.check_place(operation)?;
        operands::check(&self.names, statement)
    }

    /// What there is behind a statement.
    fn after(&mut self, statement: &Statement) -> Result<(), String> {
        let Self { names, present, .. } = self;
        match &statement.operation {
            Operation::Allocate(buffer, storage) => present.allocate(names, *buffer, Some(storage)),
            Operation::Subview { buffer, .. } | Operation::View { buffer, .. } => {
                present.allocate(names, *buffer, None)
            }
            Operation::Free(buffer, storage) => present.free(names, *buffer, storage),
            _ => Ok(()),
        }?;
        statement.results.iter().try_for_each(|value| present.define(names, *value))
    }

    /// The code of the indices of a point, and what it is asked for.
    fn scalar(&mut self, statement: &Statement, scalar: &Scalar) -> Result<(), String> {
        for index in &scalar.indices {
            check_yields(&self.names, index.code, None)?;
            let around = self.present.begin();
            self.statements(index.code)?;
            let asked = [Some(index.first), index.stride, index.inside].into_iter().flatten();
            let mut values = asked.filter_map(|index| if let Computed(value) = index { Some(value) } else { None });
            let problem = values.try_for_each(|value| {
                self.present.check_value(&self.names, value)?;
                operands::check_index(&self.names, value)
            });
            self.located(statement, problem)?;
            self.present.end(around);
        }
        Ok(())
    }

    /// Whether a statement stands where it can run: on the host, or in a kernel.
    fn check_place(&self, operation: &Operation) -> Result<(), String> {
        let is_of_threads = match operation {
            Operation::Barrier
            | Operation::Shuffle(..)
            | Operation::LaunchMemory
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
            | Operation::CopyBefore(_) => false,
            _ => return Ok(()),
        };
        match (is_of_threads, self.is_in_kernel) {
            (true, false) => Err("a kernel, but stands on the host".to_owned()),
            (false, true) => Err("the host, but stands in a kernel".to_owned()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
