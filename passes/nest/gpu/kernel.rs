//! The state of code in a kernel: its block and thread, predicates of its stores, and the scopes of its buffers.
use crate::nest::{
    code::Code,
    contents::Contents,
    index::Index::{self, Computed, Constant},
    loops::Scope,
    tile::and,
    tree::{Binary, Buffer, Operation, Value},
    types::{Element, Type},
};
use crate::plan::KernelPhase;
use mdh_dialects::{ir::IntPredicate, schedule::model::Level};
use std::{cell::RefCell, rc::Rc};

/// A level that is mapped to blocks or threads.
#[derive(Clone, Debug)]
pub struct Mapped {
    /// The phase.
    pub phase: KernelPhase,
    /// The level.
    pub level: Level,
    /// Its number of parts.
    pub count: Index,
    /// The part number of this block or thread; past the last part for blocks and threads without a part.
    pub number: Index,
    /// True if every block or thread has a part number less than `count`.
    pub is_bounded: bool,
    /// The distance of the threads of two adjacent parts; `None` if the level is mapped to blocks.
    pub stride: Option<i64>,
}

/// The state of code in a kernel.
#[derive(Clone)]
pub struct KernelContext<'t> {
    /// The scope of device memory, which the host allocates.
    pub global: Scope<'t>,
    /// The scope of a thread's private buffers.
    pub private: Scope<'t>,
    /// The linearized block ID.
    pub block: Index,
    /// The number of blocks.
    pub blocks: Index,
    /// The linearized thread index in the block.
    pub thread: Index,
    /// The number of threads of a block.
    pub threads: i64,
    /// The levels that are mapped to blocks and threads.
    pub mapped: Rc<Vec<Mapped>>,
    /// True at run time if the phase has a part for this thread; `None` if it always has one.
    pub takes_part: Option<Value>,
    /// True at run time if this thread has a part of every fixed level; `None` if it always has one.
    pub active: Option<Value>,
    /// The fixed levels that are mapped to threads.
    pub fixed: Vec<Level>,
    /// The levels that are mapped to threads and not fixed yet: only threads with part number 0 of them write.
    pub unfixed: Vec<Level>,
    /// Buffers for exchange between threads, by element type and by number among the buffers of this type that are in
    /// use at once.
    pub exchange: Rc<RefCell<Vec<(Element, usize, Buffer)>>>,
}

impl<'t> KernelContext<'t> {
    /// The mapping of a level in a phase, if it is mapped.
    pub fn mapped(&self, phase: KernelPhase, level: Level) -> Option<&Mapped> {
        self.mapped.iter().find(|mapped| [phase, KernelPhase::Both].contains(&mapped.phase) && mapped.level == level)
    }

    /// The predicate of this thread's stores; `None` if it always writes.
    pub fn guard(&self, b: &Code<'t>) -> Option<Value> {
        let unfixed = self.unfixed.iter().filter_map(|level| self.mapped(KernelPhase::Recompose, *level));
        let conditions = self.takes_part.into_iter().chain(self.active);
        let guard = conditions.fold(None, |guard, condition| Some(and(b, guard, condition)));
        unfixed
            .fold(guard, |guard, mapped| Some(and(b, guard, mapped.number.compare(b, IntPredicate::Eq, Constant(0)))))
    }

    /// The condition that a thread has a part of the levels of a phase; `None` if all threads have one.
    pub fn takes_part(&self, b: &Code<'t>, phase: KernelPhase) -> Option<Value> {
        let mapped = self.mapped.iter().filter(|mapped| [phase, KernelPhase::Both].contains(&mapped.phase));
        let counts = mapped.filter(|mapped| mapped.stride.is_some()).map(|mapped| mapped.count.constant().unwrap_or(1));
        let count = counts.fold(1, i64::saturating_mul);
        (count < self.threads).then(|| self.thread.compare(b, IntPredicate::Slt, Constant(count)))
    }

    /// The number of threads of a block that have a part of any level.
    pub fn occupied(&self) -> i64 {
        let last =
            |mapped: &Mapped| mapped.stride.map(|stride| stride.saturating_mul(mapped.count.constant().unwrap_or(1)));
        self.mapped.iter().filter_map(last).max().unwrap_or(1)
    }

    /// A barrier: waits for all threads of the block, and makes their writes visible.
    pub fn barrier(&self, b: &Code<'t>) {
        if self.threads > 1 {
            b.effect(Operation::Barrier, &[]);
        }
    }

    /// A shared buffer with one element per thread of the block, for one exchange at a time. Exchanges reuse the buffer
    /// of the same element type and the same part of the contents.
    pub fn exchange(&self, element: Element, contents: Contents) -> Buffer {
        let part = contents.part;
        let is_same = |known: &&(Element, usize, Buffer)| known.0 == element && known.1 == part;
        let known = self.exchange.borrow().iter().find(is_same).map(|known| known.2);
        known.unwrap_or_else(|| {
            let scope = self.private.shared();
            let buffer = scope.allocate(&[Constant(self.threads)], element, contents);
            self.exchange.borrow_mut().push((element, part, buffer));
            buffer
        })
    }
}

/// A linear index with a product of radices below this fits in 32 bits, even if its last digit exceeds its radix.
const NARROW: i64 = 1 << 30;

/// Decomposes a linear index into mixed-radix digits, fastest-varying first; the last digit is the remaining quotient.
pub fn delinearize<'t>(b: &Code<'t>, number: Index, bases: &[Index]) -> Vec<Index> {
    let total = bases.iter().map(|base| base.constant()).try_fold(1i64, |total, base| total.checked_mul(base?));
    // Devices divide integers of 32 bits several times as fast as those of 64 bits.
    if let (Computed(number), Some(..NARROW), [_, _, ..]) = (number, total, bases) {
        return narrow_digits(b, number, bases);
    }
    let mut rest = number;
    let mut found = vec![];
    for (i, base) in bases.iter().enumerate() {
        let is_last = i + 1 == bases.len();
        found.push(if is_last { rest } else { rest.rem(b, *base) });
        if !is_last {
            rest = rest.div(b, *base);
        }
    }
    found
}

/// The digits of [`delinearize`], computed with 32-bit divisions.
fn narrow_digits(b: &Code<'_>, number: Value, bases: &[Index]) -> Vec<Index> {
    let cast = |value: Value, ty| b.value(Operation::Cast, &[value], ty);
    let Some((_, bases)) = bases.split_last() else { return vec![] };
    let mut rest = cast(number, Type::WORD);
    let mut found = vec![];
    for base in bases.iter().filter_map(|base| base.constant()) {
        if base == 1 {
            found.push(Constant(0));
            continue;
        }
        let base = b.constant(base, Type::WORD);
        found.push(Computed(cast(b.binary(Binary::Remainder, rest, base, Type::WORD), Type::INDEX)));
        rest = b.binary(Binary::Divide, rest, base, Type::WORD);
    }
    found.push(Computed(cast(rest, Type::INDEX)));
    found
}

/// A loop with multi-buffered parts.
#[derive(Clone, Copy)]
pub struct BufferedLoop {
    /// The level that the loop iterates over.
    pub level: Level,
    /// The first part.
    pub first: Index,
    /// One past the last part.
    pub end: Index,
    /// The number of levels that are fixed around the loop.
    pub depth: usize,
}
