//! Values that are stored and then read again are forwarded.
//!
//! ```text
//! c[i] = 0                    cells whose values are only stored           y[i] = 0
//! c[i] = c[i] + A[i, k]       are the elements that they are stored to     y[i] = y[i] + A[i, k]
//! y[i] = c[i]                                                     ──▶
//!
//! y[i] = 0                    a value that all elements have               y[i] = y[i] + A[i, k], 0 before
//! y[i] = y[i] + A[i, k]       is an initial value                 ──▶
//! ```
use super::nest::{ElementAccess, Memory, Nest, Statement};
use crate::{analysis::effects::may_share, raise::build::is_separate};
use mdh_dialects::ir;

impl<'c> Nest<'c> {
    /// Replaces cells whose values are only stored, with the elements that they are stored to.
    pub fn forward_cells(&mut self) {
        for number in 0..self.cells.len() {
            let cell = &self.cells[number];
            let [user] = ir::users(cell.result)[..] else { continue };
            let is_store = |statement: &Statement<'c>| {
                statement.at == user && statement.value == cell.result && statement.loops == cell.loops
            };
            let Some(store) = self.statements.iter().position(is_store) else { continue };
            let target = self.statements[store].target.clone();
            let all = self.statements.iter().map(|statement| &statement.target);
            let all = all.chain(self.reads.iter().map(|(_, access)| access));
            if all.filter(|access| shares(access.memory, target.memory)).count() != 1 {
                continue;
            }
            self.statements.remove(store);
            let targets = self.statements.iter_mut().map(|statement| &mut statement.target);
            let all = targets.chain(self.reads.iter_mut().map(|(_, access)| access));
            for access in all.filter(|access| access.memory == Memory::Cell(number)) {
                *access = ElementAccess { position: access.position, ..target.clone() };
            }
        }
    }

    /// Removes statements that write a value from outside of the nest to the elements that the next statement on this
    /// memory combines values with. Statements may be executed one after the other.
    pub fn forward_initial_values(&mut self) {
        let mut number = 0;
        while number < self.statements.len() {
            let first = &self.statements[number];
            let uses = |statement: &Statement<'c>| {
                let reads = self.reads_of(statement).into_iter();
                reads.chain([&statement.target]).any(|access| shares(access.memory, first.target.memory))
            };
            let next = (number + 1..self.statements.len()).find(|later| uses(&self.statements[*later]));
            let Some(next) = next.filter(|_| !self.is_inside(first.value)) else {
                number += 1;
                continue;
            };
            let later = &self.statements[next];
            let is_same = |access: &ElementAccess<'c>| {
                access.memory == first.target.memory && access.indices == first.target.indices
            };
            let variable = |l: &usize| self.loops[*l].variable;
            let is_index = |l: &usize| {
                let terms = later.target.indices.iter().flat_map(|index| &index.terms);
                terms.into_iter().any(|(value, _)| *value == variable(l))
            };
            let kept: Vec<_> = later.loops.iter().copied().filter(is_index).collect();
            let accumulates = kept.len() < later.loops.len() && self.reads_of(later).into_iter().any(is_same);
            if is_same(&later.target) && accumulates && kept == first.loops {
                let initial = first.value;
                self.statements[next].initial = Some(initial);
                self.statements.remove(number);
            } else {
                number += 1;
            }
        }
    }
}

fn shares<'c>(one: Memory<'c>, other: Memory<'c>) -> bool {
    match (one, other) {
        (Memory::Buffer(one), Memory::Buffer(other)) => may_share(one, other) && !is_separate(one, other),
        (one, other) => one == other,
    }
}
