//! What the code of a kernel knows: which block and thread runs it, whether its results count, and where buffers are.
use super::{Memory, Place};
use crate::nest::{
    build::{Construction, Frame},
    code::Code,
    contents::Contents,
    index::Index::{self, Computed, Constant},
    loops::{self, Scope},
    source::Source,
    space::Point,
    tile::and,
    tree::{Binary, Buffer, Operation, Value},
    types::{Element, Type},
};
use mdh_dialects::{
    ir::IntPredicate,
    schedule::model::{Level, Placement},
};
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
    fn takes_part(&self, b: &Code<'t>, phase: Phase) -> Option<Value> {
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

impl<'t> Frame<'t> {
    /// The kernel that this code is in.
    pub fn kernel(&self) -> Option<&Kernel<'t>> {
        if let Place::Kernel(kernel) = &self.place { Some(kernel) } else { None }
    }

    /// This frame with another state of its kernel.
    pub fn in_kernel(&self, change: impl FnOnce(&mut Kernel<'t>)) -> Self {
        let mut frame = self.clone();
        if let Place::Kernel(kernel) = &mut frame.place {
            change(kernel);
        }
        frame
    }

    /// Code that only those threads run whose results count.
    pub fn guarded(&self, b: &Code<'t>, body: impl FnOnce(&Code<'t>)) {
        let Some(guard) = self.kernel().and_then(|kernel| kernel.guard(b)) else { return body(b) };
        loops::when(b, guard, body);
    }

    /// This frame where a phase begins: threads for which it has no part do not count.
    pub fn begin(&self, phase: Phase) -> Self {
        let condition = self.kernel().and_then(|kernel| kernel.takes_part(&self.b, phase));
        self.in_kernel(|kernel| kernel.takes_part = condition)
    }

    /// The part of a level that a thread has; one that has none goes along with the last one, and writes nothing.
    fn at_part(&self, level: Level, number: Index, trip: Index) -> Self {
        let b = &self.b;
        let exists = number.compare(b, IntPredicate::Slt, trip);
        let last = if trip.constant() == Some(1) { Constant(0) } else { number.min(b, trip.sub(b, Constant(1))) };
        self.inside(b, level, last).in_kernel(|kernel| kernel.active = Some(and(b, kernel.active, exists)))
    }

    /// A part of a loop that all threads go through alike, and whether it is one of this thread: others go along with the first thread
    /// of the dimension, which has all of them, and write nothing.
    pub fn together(&self, b: &Code<'t>, level: Level, number: Index, trip: Index) -> (Self, Value) {
        let exists = number.compare(b, IntPredicate::Slt, trip);
        let mut frame = self.inside(b, level, number);
        let fixed = self.kernel().map_or(vec![], |kernel| kernel.fixed.clone());
        for thread in fixed.into_iter().filter(|thread| thread.dimension == level.dimension) {
            let Some(number) = self.point.number(thread) else { continue };
            let chosen = [exists, number.materialize(b), Constant(0).materialize(b)];
            frame.point.set(thread, Computed(b.select(chosen[0], chosen[1], chosen[2])));
        }
        // The part of the first thread is not among what this one has for itself.
        for groups in &mut frame.sources {
            *groups = groups.drain(..).map(Source::confined).collect();
        }
        (frame.in_kernel(|kernel| kernel.active = Some(and(b, kernel.active, exists))), exists)
    }

    /// The point with nothing fixed that the threads of a block share out, or that a register tile computes at once.
    pub fn point_of(&self, memory: Memory) -> Point {
        let mut point = self.point.clone();
        let tile = self.tile.axes.iter().map(|axis| axis.level);
        let threads = self.kernel().filter(|_| memory != Memory::Private).map_or(&[][..], |kernel| &kernel.fixed);
        for level in threads.iter().copied().chain(tile) {
            point.unfix(level);
        }
        point
    }
}

impl<'t> Construction<'_, 't> {
    /// A frame with the part of a level that this block or thread has.
    pub fn fix(&self, frame: &Frame<'t>, phase: Phase, level: Level) -> Frame<'t> {
        let Some(kernel) = frame.kernel() else { return frame.clone() };
        let Some(mapped) = kernel.mapped(phase, level).cloned() else { return frame.clone() };
        let trip = self.trip(frame, level);
        let inner = if self.space.is_exact(level.dimension) && mapped.is_bounded {
            frame.inside(&frame.b, level, mapped.number)
        } else {
            frame.at_part(level, mapped.number, trip)
        };
        let inner = Frame { turn: frame.turn, ..inner };
        inner.in_kernel(|kernel| {
            if mapped.stride.is_some() {
                kernel.fixed.push(level);
            }
            kernel.waiting.retain(|waiting| *waiting != level);
        })
    }

    /// A frame with what its thread has of every result: its part of the concatenated levels that are not fixed.
    pub fn owned(&self, frame: &Frame<'t>) -> Frame<'t> {
        let waiting = frame.kernel().map_or(vec![], |kernel| kernel.waiting.clone());
        let concatenates = |level: &Level| self.workload.operators[level.dimension].concatenates();
        waiting.into_iter().filter(concatenates).fold(frame.clone(), |frame, level| Frame {
            depth: frame.depth,
            ..self.fix(&frame, Phase::Recompose, level)
        })
    }

    /// The number of parts of a level that some thread of the block has.
    pub fn uniform_trip(&self, frame: &Frame<'t>, level: Level) -> Index {
        let mut first = frame.clone();
        for fixed in frame.kernel().map_or(&[][..], |kernel| &kernel.fixed) {
            first.point.set(*fixed, Constant(0));
        }
        self.trip(&first, level)
    }

    /// Whether all threads have the same number of parts of a level.
    pub fn is_uniform(&self, frame: &Frame<'t>, d: usize) -> bool {
        let fixed = frame.kernel().map_or(&[][..], |kernel| &kernel.fixed);
        self.space.is_exact(d) || !fixed.iter().any(|level| level.dimension == d)
    }

    /// Whether threads may have to wait for each other behind a frame.
    pub fn is_collective(&self, frame: &Frame<'t>) -> bool {
        let Some(kernel) = frame.kernel() else { return false };
        if kernel.is_collective {
            return true;
        }
        let is_shared = |region: &str| self.schedule.system.device_memory(region) != Memory::Private;
        if frame.results.is_none() {
            if self.shared < self.schedule.scalar_loops().len() && frame.depth <= self.shared {
                return true;
            }
            let moves = |new: &[Placement], old: &[Placement]| {
                new.iter().zip(old).any(|(new, old)| new != old && is_shared(&new.region))
            };
            let (mut depth, mut around) = (0, &self.home_inputs[..]);
            for step in &self.schedule.decompose {
                if moves(&step.placements, around) && depth.min(self.decomposed) > frame.depth {
                    return true;
                }
                depth += usize::from(self.schedule.is_loop(step.level));
                around = &step.placements;
            }
            if moves(&self.schedule.scalar.reads, around) && depth > frame.depth {
                return true;
            }
        }
        let loops = self.schedule.recompose.iter().filter(|step| self.schedule.is_loop(step.level));
        let combines = |level: Level| self.workload.operators[level.dimension].combines();
        loops.skip(frame.depth).any(|step| self.schedule.is_core(&step.tag) && combines(step.level))
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
