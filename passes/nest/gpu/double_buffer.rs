//! Double buffering: the next part of an input is copied to shared memory while the current one is computed.
//!
//! ```text
//! for i in first..end:                   for i in first..end:
//!   barrier; part = copy i; barrier        barrier
//!   compute with part               ──▶    if i == first: part[i % 2] = copy i
//!                                          if i + 1 < end: part[(i + 1) % 2] = copy i + 1
//!                                          wait for copy i; barrier
//!                                          compute with part[i % 2]
//! ```
//!
//! The first barrier protects the buffer slot of the next part: other threads may still read the previous part in it,
//! in this execution of the loop or in the previous one.
use crate::nest::{
    code::Code,
    construction::Construction,
    cursor::Cursor,
    gpu::kernel::BufferedLoop,
    index::Index::{self, Constant},
    loops,
    record::allocate,
    source::Source,
    tree::{Operation, Purpose, Value},
    types::Type,
};
use mdh_dialects::{
    ir::IntPredicate,
    schedule::{
        model::{Level, Placement},
        roles::Memory,
    },
};

/// A part that is copied ahead of its use.
pub struct Ahead {
    /// The input buffer.
    pub buffer: usize,
    /// The group of its accesses.
    pub group: usize,
    /// The placement of the copy.
    pub placement: Placement,
    /// The source of the copy.
    pub from: Source,
    /// The buffer slots that are copied to.
    pub to: Source,
}

impl<'t> Cursor<'t> {
    /// The multi-buffered loop around the body of a loop over the parts `first..end` of a level. A single iteration is
    /// emitted without a loop, so that the enclosing multi-buffered loop is returned.
    pub fn buffered_loop_of(&self, level: Level, first: Index, end: Index) -> Option<BufferedLoop> {
        match (first, end) {
            (Constant(first), Constant(end)) if first + 1 >= end => self.buffered_loop,
            _ => self.kernel().map(|_| BufferedLoop { level, first, end, depth: self.depth }),
        }
    }
}

/// The loop whose parts rotate through the buffer slots of a placement; `None` if all parts use the same slot.
pub fn buffered_loop<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    buffer: usize,
    placement: &Placement,
) -> Option<BufferedLoop> {
    let has_more = placement.buffers > 1 && allocate::memory(nest, &placement.region) == Memory::Shared;
    // A source that was itself promoted inside of the loop does not contain the next part.
    cursor.buffered_loop.filter(|buffered_loop| has_more && cursor.placed_at[buffer] <= buffered_loop.depth)
}

/// The buffer slot of a part of a loop.
pub fn slot<'t>(b: &Code<'t>, number: Index) -> Index {
    number.rem(b, Constant(Placement::MAX_BUFFERS as i64))
}

/// Starts the copies of the next parts in a loop, and waits for the copies of the current ones. The current parts
/// are copied here only in the first iteration.
pub fn copy_ahead<'t>(nest: &Construction<'_, 't>, cursor: &Cursor<'t>, buffered_loop: BufferedLoop, parts: &[Ahead]) {
    let (Some(kernel), Some(number)) = (cursor.kernel(), cursor.point.number(buffered_loop.level)) else { return };
    let (b, scope) = (&cursor.b, allocate::scope(cursor, Memory::Shared));
    let copy = |b: &Code<'t>, number: Index| {
        let mut point = cursor.point_of(Memory::Shared);
        point.set(buffered_loop.level, number);
        for Ahead { buffer, group, placement, from, to } in parts {
            let purpose = Purpose::Promote { input: *buffer, group: *group, placement: placement.clone() };
            let b = &b.group(purpose);
            let promotion = allocate::promotion(nest, (*buffer, *group), placement, &point, &scope, true);
            let to = to.moved(b, &promotion).at(Some(slot(b, number)));
            from.copy_by_threads(b, &to, &promotion, (kernel.thread, Constant(kernel.threads)));
        }
    };
    let is_first = number.compare(b, IntPredicate::Eq, buffered_loop.first);
    loops::when(b, is_first, |b| copy(b, number));
    end_group(nest, b);
    let next = number.add(b, Constant(1));
    let is_followed = next.compare(b, IntPredicate::Slt, buffered_loop.end);
    loops::when(b, is_followed, |b| copy(b, next));
    // After the last part the group is empty, so that one group may always remain in flight.
    if let Some(group) = end_group(nest, b) {
        b.effect(Operation::WaitCopies(1), &[group]);
    }
}

/// Commits the asynchronous copies that a thread has started as a group.
fn end_group<'t>(nest: &Construction<'_, 't>, b: &Code<'t>) -> Option<Value> {
    let token = || b.value(Operation::GroupCopies, &[], Type::Copies);
    allocate::copies_ahead(nest).then(token)
}
