//! What the code of a kernel knows: which block and thread runs it, whether its results count, and where buffers are.
use crate::nest::{
    code::Code,
    contents::Contents,
    index::Index::{self, Computed, Constant},
    loops::Scope,
    tile::and,
    tree::{Binary, Buffer, Operation, Value},
    types::{Element, Type},
};
use mdh_dialects::{ir::IntPredicate, schedule::model::Level};
use std::{cell::RefCell, rc::Rc};

/// The phases that have a mapping of levels to blocks and threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The loops that the scalar phase and the re-composition share.
    Both,
    /// The scalar phase, where it has loops of its own.
    Scalar,
    /// The re-composition behind the common loops.
    Recompose,
}

/// A level that blocks or threads share out.
#[derive(Clone, Debug)]
pub struct Mapped {
    /// The phase.
    pub phase: Phase,
    /// The level.
    pub level: Level,
    /// Its number of parts.
    pub count: Index,
    /// The part of this block or thread; behind the last one for those that have none.
    pub number: Index,
    /// Whether all have one.
    pub is_bounded: bool,
    /// How far apart the threads of two neighbouring parts are; none if blocks share it out.
    pub stride: Option<i64>,
}

/// The state of code in a kernel.
#[derive(Clone)]
pub struct Kernel<'t> {
    /// The memory of the device, as the host allocates it.
    pub global: Scope<'t>,
    /// Where a thread's own buffers are allocated.
    pub private: Scope<'t>,
    /// The number of the block among all.
    pub block: Index,
    /// The number of blocks.
    pub blocks: Index,
    /// The number of the thread in its block.
    pub thread: Index,
    /// The number of threads of a block.
    pub threads: i64,
    /// What is shared out.
    pub mapped: Rc<Vec<Mapped>>,
    /// Whether the phase has something for this thread; it has if this is not given.
    pub takes_part: Option<Value>,
    /// Whether this thread has a part of everything that is fixed; it has if this is not given.
    pub active: Option<Value>,
    /// The levels that threads share out and that are fixed.
    pub fixed: Vec<Level>,
    /// Levels that threads share out and that are not fixed: the threads of their first parts write.
    pub waiting: Vec<Level>,
    /// Whether all threads of a block must take the same way through what is behind.
    pub is_collective: bool,
    /// Whether each thread computes everything for itself.
    pub is_redundant: bool,
    /// Buffers for exchange among threads, by their element type and how many of one type are in use at once.
    pub exchange: Rc<RefCell<Vec<(Element, usize, Buffer)>>>,
}

impl<'t> Kernel<'t> {
    /// What is known of a level.
    pub fn mapped(&self, phase: Phase, level: Level) -> Option<&Mapped> {
        self.mapped.iter().find(|mapped| [phase, Phase::Both].contains(&mapped.phase) && mapped.level == level)
    }

    /// The condition under which this thread writes; none if it always does.
    pub fn guard(&self, b: &Code<'t>) -> Option<Value> {
        let waiting = self.waiting.iter().filter_map(|level| self.mapped(Phase::Recompose, *level));
        let conditions = self.takes_part.into_iter().chain(self.active);
        let guard = conditions.fold(None, |guard, condition| Some(and(b, guard, condition)));
        waiting
            .fold(guard, |guard, mapped| Some(and(b, guard, mapped.number.compare(b, IntPredicate::Eq, Constant(0)))))
    }

    /// The condition for a thread to have a part of what a phase shares out; none if all have one.
    pub fn takes_part(&self, b: &Code<'t>, phase: Phase) -> Option<Value> {
        let mapped = self.mapped.iter().filter(|mapped| [phase, Phase::Both].contains(&mapped.phase));
        let counts = mapped.filter(|mapped| mapped.stride.is_some()).map(|mapped| mapped.count.constant().unwrap_or(1));
        let count = counts.fold(1, i64::saturating_mul);
        (count < self.threads).then(|| self.thread.compare(b, IntPredicate::Slt, Constant(count)))
    }

    /// The threads of a block that have a part of something.
    pub fn occupied(&self) -> i64 {
        let last =
            |mapped: &Mapped| mapped.stride.map(|stride| stride.saturating_mul(mapped.count.constant().unwrap_or(1)));
        self.mapped.iter().filter_map(last).max().unwrap_or(1)
    }

    /// Waits until all threads of the block have come here, and sees what they have written.
    pub fn barrier(&self, b: &Code<'t>) {
        if self.threads > 1 {
            b.effect(Operation::Barrier, &[]);
        }
    }

    /// A buffer of an element for each thread of the block, for one exchange at a time; of one type there are as many as parts.
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

/// Numbers below this have room for what is behind their last digit in 32 bits.
const NARROW: i64 = 1 << 30;

/// The numbers of the digits of a number, the first digit counting fastest; the last one has what is left.
pub fn digits<'t>(b: &Code<'t>, number: Index, bases: &[Index]) -> Vec<Index> {
    let total = bases.iter().map(|base| base.constant()).try_fold(1i64, |total, base| total.checked_mul(base?));
    // Devices divide numbers of 32 bits several times as fast as those of 64.
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

fn narrow_digits(b: &Code<'_>, number: Value, bases: &[Index]) -> Vec<Index> {
    let cast = |value: Value, r#type| b.value(Operation::Cast, &[value], r#type);
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

/// A loop whose parts are copied in turn.
#[derive(Clone, Copy)]
pub struct Turn {
    /// The level that it goes through.
    pub level: Level,
    /// The first part.
    pub first: Index,
    /// Behind the last part.
    pub end: Index,
    /// The number of levels that are fixed around the loop.
    pub depth: usize,
}
