//! Values that are stored and then read again are forwarded.
//!
//! ```text
//! c[i] = 0                    cells whose values are only stored           y[i] = 0
//! c[i] = c[i] + A[i, k]       are the elements that they are stored to     y[i] = y[i] + A[i, k]
//! y[i] = c[i]                                                     ──▶
//!
//! c = 0                       a value that is stored as it is carried      y = scan of A, 0 before
//! c = c + A[i]                is a scan
//! y[i] = c + A[i]                                                 ──▶
//!
//! y[i] = 0                    a value that all elements have               y[i] = y[i] + A[i, k], 0 before
//! y[i] = y[i] + A[i, k]       is an initial value                 ──▶
//! ```
use super::{
    nest::SourceNest,
    store::{ElementAccess, Memory, RunningValue, ScanCarry, StoreStatement},
};
use mdh_dialects::ir;

impl<'c> SourceNest<'c> {
    /// Replaces cells whose values are only stored, with the elements that they are stored to.
    pub fn forward_cells(&mut self) {
        for number in 0..self.cells.len() {
            let cell = &self.cells[number];
            let [user] = ir::users(cell.result)[..] else { continue };
            let is_store = |statement: &StoreStatement<'c>| {
                statement.at == user
                    && statement.others.is_empty()
                    && statement.value == cell.result
                    && statement.loops == cell.loops
            };
            let is_scanned = self.statements.iter().any(|statement| statement.scans_cell(number));
            let Some(store) = self.statements.iter().position(is_store).filter(|_| !is_scanned) else { continue };
            let target = self.statements[store].target.clone();
            let all = self.statements.iter().flat_map(StoreStatement::targets);
            let all = all.chain(self.reads.iter().map(|(_, access)| access));
            if all.filter(|access| access.memory.may_overlap(target.memory)).count() != 1 {
                continue;
            }
            self.statements.remove(store);
            let targets = self.statements.iter_mut().flat_map(StoreStatement::targets_mut);
            let all = targets.chain(self.reads.iter_mut().map(|(_, access)| access));
            for access in all.filter(|access| access.memory == Memory::Cell(number)) {
                *access = ElementAccess { position: access.position, ..target.clone() };
            }
        }
    }

    /// Marks the stores of the values that loops carry, as scans, and removes cells that nothing else reads.
    pub fn mark_scans(&mut self) {
        for number in 0..self.cells.len() {
            let of_cell = |statement: &&StoreStatement<'c>| statement.target.memory == Memory::Cell(number);
            let cell: Vec<_> = self.statements.iter().filter(of_cell).collect();
            let [first, next] = cell[..] else { continue };
            if self.is_inside(first.value) || next.loops.len() != first.loops.len() + 1 {
                continue;
            }
            let (initial, value, loops, is_alone) =
                (first.value, next.value, next.loops.clone(), next.others.is_empty());
            let variables: Vec<_> = loops.iter().map(|l| self.loops[*l].variable).collect();
            for statement in self.statements.iter_mut() {
                let is_buffer = matches!(statement.target.memory, Memory::Buffer(_));
                let has_all = variables.iter().all(|variable| statement.target.depends_on(*variable));
                if is_buffer && has_all && statement.value == value && statement.loops == loops {
                    let carry = ScanCarry::Cell(number, initial);
                    statement.scan = Some(RunningValue { position: loops.len() - 1, carry });
                }
            }
            self.split_exclusive(number, initial, value, &loops);
            let reads = |statement: &StoreStatement<'c>| {
                statement.target.memory != Memory::Cell(number)
                    && self.reads_of(statement).iter().any(|access| access.memory == Memory::Cell(number))
            };
            if is_alone && ir::users(self.cells[number].result).is_empty() && !self.statements.iter().any(reads) {
                self.statements.retain(|statement| statement.target.memory != Memory::Cell(number));
            }
        }
    }

    /// Removes statements that write a value from outside of the nest to the elements that the next statement on this
    /// memory combines values with. Statements may be executed one after the other.
    pub fn forward_initial_values(&mut self) {
        let mut number = 0;
        while number < self.statements.len() {
            let first = &self.statements[number];
            let uses = |statement: &StoreStatement<'c>| {
                let reads = self.reads_of(statement).into_iter();
                reads.chain(statement.targets()).any(|access| access.memory.may_overlap(first.target.memory))
            };
            let next = (number + 1..self.statements.len()).find(|later| uses(&self.statements[*later]));
            let Some(next) = next.filter(|_| !self.is_inside(first.value)) else {
                number += 1;
                continue;
            };
            let later = &self.statements[next];
            let is_same = |access: &ElementAccess<'c>| access.is_same(&first.target);
            let is_index = |l: &usize| later.targets().any(|target| target.depends_on(self.loops[*l].variable));
            let kept: Vec<_> = later.loops.iter().copied().filter(is_index).collect();
            let accumulates = kept.len() < later.loops.len() && self.reads_of(later).into_iter().any(is_same);
            let position = later.targets().position(is_same).filter(|_| accumulates && kept == first.loops);
            if let Some(position) = position.filter(|_| first.others.is_empty()) {
                let initial = Some(first.value);
                match position.checked_sub(1) {
                    None => self.statements[next].initial = initial,
                    Some(other) => self.statements[next].others[other].initial = initial,
                }
                self.statements.remove(number);
            } else {
                number += 1;
            }
        }
    }
}
