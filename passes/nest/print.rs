//! Prints a nest for readers: one line per statement, blocks by indentation, and index arithmetic inline at its uses.
//!
//! ```text
//! input 1: 512 x 4096 x f32
//! input 2: 4096 x f32
//! output 1: 512 x f32
//! parallel for p1_1 in 0..64:
//!   for p2_1 in 0..8:
//!     level (2, 2) carried:
//!       %0 = identity
//!       %1 = for p2_2 in 0..4096 carrying (%2 = %0):
//!         %3 = load input 1[8 * p1_1 + p2_1, p2_2]
//!         %4 = load input 2[p2_2]
//!         %5 = scalar (%3, %4)
//!         %6 = accumulate (%2) with (%5)
//!         yield %6
//!       store %1 to output 1[8 * p1_1 + p2_1]
//! ```
//!
//! `names.rs` defines the names of values and buffers. Zeros, constants and masks of lanes are printed inline, like
//! index arithmetic. There is no parser for this text.
mod expression;
pub mod names;
pub mod simplified;
pub mod statement;

use super::tree::{Block, Nest, Operation, Purpose, Statement};
use names::Names;
use std::fmt;

impl fmt::Display for Nest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer { names: &Names::of(self), text: String::new() };
        for buffer in self.user_buffers() {
            printer.line(0, &printer.names.declared(buffer, &[]));
        }
        printer.block(Self::BODY, 0);
        f.write_str(&printer.text)
    }
}

impl Nest {
    /// The text of a block, with the same names as in the text of the nest.
    pub fn block_text(&self, block: Block) -> String {
        let mut printer = Printer { names: &Names::of(self), text: String::new() };
        printer.block(block, 0);
        printer.text
    }
}

/// The text printed so far.
struct Printer<'a, 'n> {
    names: &'a Names<'n>,
    text: String,
}

impl Printer<'_, '_> {
    fn line(&mut self, depth: usize, text: &str) {
        self.text += &"  ".repeat(depth);
        self.text += text;
        self.text.push('\n');
    }

    fn block(&mut self, block: Block, depth: usize) {
        self.names.nest().block(block).iter().for_each(|statement| self.statement(statement, depth));
    }

    /// Prints the block of a statement; `nothing` if it has nothing to print.
    fn inside(&mut self, block: Block, depth: usize) {
        let before = self.text.len();
        self.block(block, depth + 1);
        if self.text.len() == before {
            self.line(depth + 1, "nothing");
        }
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        let line = match &statement.operation {
            // A yield without values carries no information.
            Operation::Yield if statement.operands.is_empty() => return,
            Operation::Group(Purpose::Allocations, block) => return self.block(*block, depth),
            Operation::If { then, otherwise } => return self.branch(statement, [*then, *otherwise], depth),
            _ if self.names.is_inlined(statement) => return,
            _ => self.names.line(statement),
        };
        self.line(depth, &line);
        match &statement.operation {
            Operation::Scalar(_) => {
                statement.operation.blocks().into_iter().for_each(|block| self.block(block, depth + 1));
            }
            Operation::Kernel(kernel) => {
                for share in kernel.levels.iter().flatten() {
                    self.line(depth + 1, &self.names.share(share));
                }
                for buffer in &kernel.shared {
                    self.line(depth + 1, &format!("allocate {}", self.names.declared(*buffer, &[])));
                }
                self.inside(kernel.body, depth);
            }
            operation => operation.blocks().into_iter().for_each(|block| self.inside(block, depth)),
        }
    }

    fn branch(&mut self, statement: &Statement, [then, otherwise]: [Block; 2], depth: usize) {
        let line = self.names.line(statement);
        let is_empty = |block| {
            let statements = self.names.nest().block(block);
            statements.iter().all(|s| s.operation == Operation::Yield && s.operands.is_empty())
        };
        match (is_empty(then), is_empty(otherwise)) {
            (true, false) => {
                self.line(depth, &line.replacen("if ", "unless ", 1));
                self.inside(otherwise, depth);
            }
            (_, is_empty) => {
                self.line(depth, &line);
                self.inside(then, depth);
                if !is_empty {
                    self.line(depth, "else:");
                    self.inside(otherwise, depth);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
