//! Scans in memory: each iteration of a loop combines a value with the element that the one before has written.
//!
//! ```text
//! for %r { for %i = 1 to n {                            y[r, i] for i >= 1: scan of x along i,
//!   y[%r, %i] = y[%r, %i - 1] + x[%r, %i] } }    ──▶    whose carry is y[r, 0]
//!
//! for %i = 0 to n iter_args(%c = %s) {                  y[0] = s
//!   y[%i] = %c                                          y[i + 1] for i < n - 1: scan of x, whose carry is s
//!   yield %c + x[%i] }                           ──▶
//!
//! for %i { for %j {                                     y[i, j]: scan of x along i, whose carry is c[j]
//!   c[%j] = c[%j] + x[%i, %j]                           c[j] = c[j] + the sum of x[i, j] over i
//!   y[%i, %j] = c[%j] } }                        ──▶
//! ```
use super::{
    linear::{Linear, SourceLoop},
    nest::SourceNest,
    statement::{StatementBuilder, extent},
    store::{ElementAccess, Memory, RunningValue, ScanCarry, StoreStatement},
};
use crate::{
    analysis::origin::is_of_llvm_ir,
    raise::linalg::{region::Carry, structured::StructuredOperand},
};
use mdh_dialects::ir::{self, Builder, Val};
use melior::ir::ValueLike;

impl<'c> SourceNest<'c> {
    /// Marks the statements that read the element that the iteration before of one loop writes, once and no other one.
    pub fn mark_element_scans(&mut self) {
        for number in 0..self.statements.len() {
            let statement = &self.statements[number];
            if !statement.others.is_empty() {
                continue;
            }
            let reads = self.reads_of(statement).into_iter();
            let mut carries = reads.filter_map(|read| Some((self.scanned(statement, read)?, read.clone())));
            let (Some((position, carry)), None) = (carries.next(), carries.next()) else { continue };
            if statement.scan.is_none() {
                self.statements[number].scan = Some(RunningValue { position, carry: ScanCarry::Element(carry) });
            }
        }
    }

    /// Marks the statements that store what another statement accumulates in an element, after each iteration of the loop
    /// that the element does not depend on, as scans. They come first, because their carry is the element before the nest.
    pub fn mark_stored_sums(&mut self) {
        for number in 0..self.statements.len() {
            let Some((position, carry)) = self.accumulated(&self.statements[number]) else { continue };
            let sum = &self.statements[number];
            let is_stored = |statement: &StoreStatement<'c>| {
                let is_again = self.read(statement.value).is_some_and(|access| {
                    access.is_same(&sum.target)
                        && sum.target.position < access.position
                        && !self.is_between(sum, statement, access.memory)
                });
                let is_other = !statement.target.memory.may_overlap(sum.target.memory);
                (statement.value == sum.value || is_again)
                    && statement.loops == sum.loops
                    && statement.scan.is_none()
                    && statement.others.is_empty()
                    && self.has_all_loops(statement)
                    && is_other
            };
            let Some(stored) = self.statements.iter().position(is_stored) else { continue };
            let value = sum.value;
            let mut stored = self.statements.remove(stored);
            stored.value = value;
            stored.scan = Some(RunningValue { position, carry: ScanCarry::Element(carry) });
            let sum = self.statements.iter().position(|statement| statement.value == value);
            self.statements.insert(sum.unwrap_or(number), stored);
        }
    }

    /// True if a statement writes an element of its own in each iteration of all loops around it.
    fn has_all_loops(&self, statement: &StoreStatement<'c>) -> bool {
        statement.loops.iter().all(|l| statement.target.depends_on(self.loops[*l].variable))
    }

    /// True if a statement between two others of the same loops writes to a memory.
    fn is_between(&self, first: &StoreStatement<'c>, last: &StoreStatement<'c>, memory: Memory<'c>) -> bool {
        self.statements.iter().any(|statement| {
            let target = &statement.target;
            let range = first.target.position + 1..last.target.position;
            range.contains(&target.position) && target.memory.may_overlap(memory)
        })
    }

    /// The position of the only loop that an element does not depend on which a statement accumulates a value in, and the
    /// access that reads it.
    fn accumulated(&self, statement: &StoreStatement<'c>) -> Option<(usize, ElementAccess<'c>)> {
        let is_plain = statement.scan.is_none() && statement.others.is_empty() && !statement.target.is_cell();
        let is_free = |position: &usize| !statement.target.depends_on(self.loops[statement.loops[*position]].variable);
        let mut free = (0..statement.loops.len()).filter(is_free);
        let (position, None) = (free.next().filter(|_| is_plain)?, free.next()) else { return None };
        let reads = self.reads_of(statement).into_iter();
        let mut own = reads.filter(|read| read.memory.may_overlap(statement.target.memory));
        let (read, None) = (own.next()?, own.next()) else { return None };
        read.is_same(&statement.target).then(|| (position, read.clone()))
    }

    /// Replaces stores of the value that the innermost of `loops` carries into an iteration, before `value` is combined with
    /// it: the first one stores the initial value, and the others are a scan that stores one iteration later.
    pub fn split_exclusive(&mut self, cell: usize, initial: Val<'c>, value: Val<'c>, loops: &[usize]) {
        let Some((&last, around)) = loops.split_last() else { return };
        let l = self.loops[last].clone();
        let Some(count) = extent(&l).and_then(|extent| i64::try_from(extent).ok()).filter(|count| *count > 1) else {
            return;
        };
        let shifted = |index: &Linear<'c>| {
            let constant = index.factor(l.variable).checked_mul(l.step)?.checked_add(index.constant)?;
            Some(Linear { constant, ..index.clone() })
        };
        let upper = |l: &SourceLoop<'c>| {
            let length = Linear { terms: vec![], constant: l.step.checked_mul(count - 1)? };
            l.lower.clone().plus(&length, 1)
        };
        for number in 0..self.statements.len() {
            let statement = &self.statements[number];
            let is_carried = ir::owner(statement.value).is_some()
                && self.read(statement.value).is_some_and(|access| access.memory == Memory::Cell(cell));
            let target = &statement.target;
            if !is_carried
                || !statement.others.is_empty()
                || statement.loops != loops
                || !self.has_all_loops(statement)
                || target.memory == Memory::Cell(cell)
                || !self.is_apart(number, cell, value)
            {
                continue;
            }
            let first = target.indices.iter().map(|index| l.first(index)).collect::<Option<Vec<_>>>();
            let later = target.indices.iter().map(shifted).collect::<Option<Vec<_>>>();
            let (Some(first), Some(later), Some(upper)) = (first, later, upper(&l)) else { continue };
            let scan = RunningValue { position: around.len(), carry: ScanCarry::Cell(cell, initial) };
            let start = StoreStatement {
                loops: around.to_vec(),
                target: ElementAccess { indices: first, ..target.clone() },
                value: initial,
                scan: None,
                others: vec![],
                ..*statement
            };
            let rest = StoreStatement {
                loops: [around, &[self.loops.len()]].concat(),
                target: ElementAccess { indices: later, ..target.clone() },
                value,
                scan: Some(scan),
                others: vec![],
                ..*statement
            };
            self.loops.push(SourceLoop { upper, ..l.clone() });
            self.statements.splice(number..=number, [start, rest]);
            return;
        }
    }

    /// True if no other statement of the innermost loop around a statement accesses what the statement writes, or writes what
    /// `value` depends on, except a cell. Then the iterations of the statement may be executed on their own.
    fn is_apart(&self, number: usize, cell: usize, value: Val<'c>) -> bool {
        let statement = &self.statements[number];
        let read: Vec<_> = self.slice([value].into_iter()).into_iter().filter_map(|value| self.read(value)).collect();
        let written = statement.target.memory;
        let is_other = |(other, one): &(usize, &StoreStatement<'c>)| {
            *other != number && statement.loops.last().is_some_and(|l| one.loops.contains(l))
        };
        let mut others = self.statements.iter().enumerate().filter(is_other).map(|(_, other)| other);
        others.all(|other| {
            let mut targets =
                other.targets().map(|target| target.memory).filter(|memory| *memory != Memory::Cell(cell));
            let is_read = |memory: Memory<'c>| read.iter().any(|access| access.memory.may_overlap(memory));
            targets.all(|memory| !memory.may_overlap(written) && !is_read(memory))
                && self.reads_of(other).iter().all(|access| !access.memory.may_overlap(written))
        })
    }

    /// The position of the loop whose iteration before writes the element that is read.
    fn scanned(&self, statement: &StoreStatement<'c>, read: &ElementAccess<'c>) -> Option<usize> {
        let target = &statement.target;
        if read.memory != target.memory {
            return None;
        }
        let pairs = target.indices.iter().zip(&read.indices);
        let shifts = pairs.map(|(to, from)| to.clone().plus(from, -1)?.as_constant()).collect::<Option<Vec<_>>>()?;
        let is_shift = |l: &usize| {
            let l = &self.loops[*l];
            let steps = target.indices.iter().map(|index| index.factor(l.variable).checked_mul(l.step));
            steps.eq(shifts.iter().map(|shift| Some(*shift)))
        };
        statement.loops.iter().position(is_shift).filter(|_| self.has_all_loops(statement))
    }
}

impl<'c> StatementBuilder<'_, 'c> {
    /// The builder of a statement: before the nest, or in a condition before it, if loops may not run and elements may not
    /// exist then: the one before the first one of a scan of elements, and those that a reduction of a C program begins with,
    /// whose pointer may be null. The condition has the tensors that the statement changes as results.
    pub fn guarded(&self, statement: &StoreStatement<'c>) -> Self {
        let lengths = statement.loops.iter().filter_map(|l| self.extents[*l].err());
        let is_of_elements = matches!(statement.scan, Some(RunningValue { carry: ScanCarry::Element(_), .. }));
        let is_reduced = |target: &ElementAccess<'c>| {
            let is_kept = |l: &usize| target.depends_on(self.nest.loops[*l].variable);
            target.tensor().is_none() && !target.is_cell() && !statement.loops.iter().all(is_kept)
        };
        let others = statement.others.iter().map(|other| (&other.target, &other.initial));
        let mut targets = [(&statement.target, &statement.initial)].into_iter().chain(others);
        let begins_with_memory =
            is_of_llvm_ir(self.nest.root) && targets.any(|(target, initial)| initial.is_none() && is_reduced(target));
        let is_of_elements = is_of_elements || begins_with_memory;
        let b = self.b;
        let runs = |length| {
            let greater = [("predicate", b.i64_number(4))];
            b.value("arith.cmpi", &[length, b.constant(0, b.index())], b.i1(), &greater)
        };
        let all = lengths.filter(|_| is_of_elements).map(runs);
        let Some(run) = all.reduce(|all, one| b.value("arith.andi", &[all, one], b.i1(), &[])) else {
            return Self { reversed: self.falling(statement), ..self.clone() };
        };
        let tensors: Vec<_> = statement.targets().filter_map(ElementAccess::tensor).collect();
        let types: Vec<_> = tensors.iter().map(|tensor| tensor.r#type()).collect();
        let branch = || {
            let (region, block) = b.region(&[]);
            (region, b.at_end(block).op("scf.yield", &tensors, &[], &[], vec![]))
        };
        let ((region, end), (otherwise, _)) = (branch(), branch());
        b.op("scf.if", &[run], &types, &[], vec![region, otherwise]);
        Self { b: Builder::before(end), anchor: end, ..self.clone() }
    }

    /// The scanned iterator of a statement, with the carry that comes in, if it is a scan.
    pub fn scan(&self, statement: &StoreStatement<'c>) -> Result<Option<(usize, Carry<'c>)>, String> {
        let Some(RunningValue { position, carry }) = &statement.scan else { return Ok(None) };
        let carry = match carry {
            ScanCarry::Cell(_, value) => Carry::Value(*value),
            ScanCarry::Element(access) => Carry::Elements(self.first(access, *position, statement)?),
        };
        Ok(Some((*position, carry)))
    }

    /// The elements that the first iteration of a loop reads, as a part of their memref.
    fn first(
        &self,
        access: &ElementAccess<'c>,
        position: usize,
        statement: &StoreStatement<'c>,
    ) -> Result<StructuredOperand<'c>, String> {
        let l = &self.nest.loops[statement.loops[position]];
        let indices = access.indices.iter().map(|index| l.first(index)).collect::<Option<_>>();
        let indices = indices.ok_or("requires indices of 64 bits")?;
        Ok(self.operand(&ElementAccess { indices, ..access.clone() }, statement, true)?.0)
    }
}
