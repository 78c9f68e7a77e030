//! Exchange of values between the threads of a block: by shuffles inside of a warp, otherwise through shared memory.
//!
//! ```mlir
//! // mdh-opt --lower-mdh="target=cuda stop-after=loops print-nest=true"
//! mdh.lowlevel.system @device memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, WRP: warps, CC: threads] combine [DM, SM, RM]
//! func.func @sum(%x: memref<64xf32>, %s: memref<f32>) {
//!   %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] attributes {schedule = {system = @device, parts = [[1], [1], [64], [1], [1], [1]],
//!       decompose = {tags = [["SMX,x"], ["WRP,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
//!   ^bb0(%a: f32):
//!     mdh.hom.yield %a : f32
//!   } : !mdh.mda<64, f32> -> !mdh.mda<1, f32>
//!   mdh.view.out_view %r[affine_map<(i) -> ()>] into %s : !mdh.mda<1, f32>, memref<f32>
//!   return
//! }
//! ```
//! becomes, for 64 consecutive threads,
//! ```text
//!   level (3, 1) in a tree across threads:
//!     %x = scalar (..)
//!     %y = shuffle %x from thread + 16
//!     %z = if thread.x % 32 < 16 and thread.x + 16 < 64:
//!       %sum = combine (%x) with (%y)
//!     ..
//!     if thread.x % 32 == 0:
//!       store %of_a_warp to part1[thread.x]
//!     barrier
//!     %t = if thread.x < 2:
//!       %u = load part1[thread.x + 31 * thread.x]
//!     ..
//!     %v = shuffle %t from thread + 1
//! ```
//!
//! A system whose core layers are blocks, warps and threads has warps of 32 consecutive threads. In other systems, and
//! if the exchanging threads are not aligned within warps, shared memory has one value per thread: half of the threads
//! combine their values with those of the other half, then a quarter, and so on, with a barrier before each step. After
//! one more barrier, one thread reads and combines the last eight values. The order of the combination depends on the
//! schedule only, so that each run gives the same bits.
use super::kernel::KernelContext;
use crate::nest::{
    code::Code,
    construction::Construction,
    contents::{ContentKind, Contents},
    cursor::Cursor,
    index::Index::{self, Constant},
    loops,
    operators::Combiner,
    tile::and,
    tree::{Buffer, Operation, Value},
};
use crate::plan::Cause;
use mdh_dialects::{
    ir::{IntPredicate, ShuffleMode},
    schedule::{
        model::{Placement, System, Tag},
        roles::MemoryRole,
        systems::WARP,
    },
};
use std::cmp::Reverse;

/// The distribution of a level over threads: the part number of this thread, the number of parts, and the distance of
/// the threads of adjacent parts.
pub type Distribution = (Index, i64, i64);

/// The number of adjacent parts that are always in one warp, for a level of `count` parts whose threads are `stride`
/// apart; 1 if they exchange values through shared memory only. `threads`: the number of threads of the block that have
/// a part of any level.
pub fn in_warp(system: &System, count: i64, stride: i64, threads: i64) -> i64 {
    if !system.has_warps() || count < 1 || !(1..WARP).contains(&stride) || WARP % stride != 0 {
        return 1;
    }
    let group = count.saturating_mul(stride);
    let is_aligned = group % WARP == 0 || WARP % group == 0 || group >= threads;
    if is_aligned { count.min(WARP / stride) } else { 1 }
}

/// Up to this many values, one thread combines them in order in less time than a tree over threads, which has a barrier
/// before each step.
const MAX_SEQUENTIAL: i64 = 8;

/// The sort key of levels of threads, fastest-varying first. Of several core layers, the innermost one varies fastest,
/// so that its threads are adjacent in a warp.
pub fn counts_slower(system: &System, tag: &Tag) -> (Reverse<Option<usize>>, usize) {
    (Reverse(system.core(&tag.layer)), tag.dimension)
}

/// Combines the tuples of the first `valid` threads that a level is distributed over; the first thread gets the
/// result. All threads of the block must execute this.
pub fn across<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    share: Distribution,
    valid: Index,
    cause: Cause,
    values: &[Value],
) -> Vec<Value> {
    let (number, count, stride) = share;
    let (Some(kernel), Some(combiner)) = (cursor.kernel(), &nest.combiner) else { return values.to_vec() };
    if count <= 1 {
        return values.to_vec();
    }
    let b = &cursor.b;
    let own = kernel.thread;
    let segment = in_warp(&nest.schedule.system, count, stride, kernel.occupied().max(count.saturating_mul(stride)));
    if segment == 1 {
        let buffers = exchange(nest, kernel, combiner, cause, 0);
        kernel.barrier(b);
        write(b, &buffers, own, values);
        return shared_tree(b, kernel, combiner, &buffers, share, valid, None);
    }
    let of_segment = (number.rem(b, Constant(segment)), segment, stride);
    let of_segment = if segment == count { share } else { of_segment };
    let values = warp_tree(b, combiner, of_segment, (number, valid), values);
    if segment == count {
        return values;
    }
    let buffers = exchange(nest, kernel, combiner, cause, 0);
    let leads = of_segment.0.compare(b, IntPredicate::Eq, Constant(0));
    kernel.barrier(b);
    loops::when(b, leads, |b| write(b, &buffers, own, &values));
    let segments = (count as u64).div_ceil(segment as u64) as i64;
    let valid = valid.ceildiv(b, Constant(segment));
    if segments > segment {
        let share = (number.div(b, Constant(segment)), segments, stride.saturating_mul(segment));
        return shared_tree(b, kernel, combiner, &buffers, share, valid, Some(leads));
    }
    kernel.barrier(b);
    let ahead = number.mul(b, Constant((segment - 1).saturating_mul(stride)));
    let is_first =
        and_exists(b, kernel, number.compare(b, IntPredicate::Slt, valid), ahead, count.saturating_mul(stride));
    let lead = |b: &Code<'t>| own.add(b, ahead);
    let types = &combiner.scalars();
    let values = loops::branch(b, is_first, types, |b| read(b, &buffers, lead(b)), |_| values.clone());
    warp_tree(b, combiner, (number, segments, stride), (number, valid), &values)
}

/// Exclusive scan: for each thread that a level is distributed over, the combination of the tuples of the threads
/// before it; undefined for the first thread. All threads of the block must execute this.
pub fn before<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    share: Distribution,
    cause: Cause,
    values: &[Value],
) -> Vec<Value> {
    let (number, count, stride) = share;
    let (Some(kernel), Some(combiner)) = (cursor.kernel(), &nest.combiner) else { return values.to_vec() };
    let b = &cursor.b;
    let segment = in_warp(&nest.schedule.system, count, stride, kernel.occupied().max(count.saturating_mul(stride)));
    let segments = (count as u64).div_ceil(segment as u64) as i64;
    if segments > segment {
        return before_in_memory(nest, cursor, share, cause, values);
    }
    let within = if segment == count { number } else { number.rem(b, Constant(segment)) };
    let sums = warp_scan(b, combiner, (within, segment, stride), values);
    let before = shuffle(b, ShuffleMode::Up, stride, &sums);
    if segment == count {
        return before;
    }
    let own = kernel.thread;
    let (totals, carries) = (exchange(nest, kernel, combiner, cause, 0), exchange(nest, kernel, combiner, cause, 1));
    let is_last = within.compare(b, IntPredicate::Eq, Constant(segment - 1));
    kernel.barrier(b);
    loops::when(b, is_last, |b| write(b, &totals, own, &sums));
    kernel.barrier(b);
    // The last segment may not be full, but no segment follows it.
    let ahead = number.add(b, Constant(1)).mul(b, Constant((segment - 1).saturating_mul(stride)));
    let is_first = number.compare(b, IntPredicate::Slt, Constant(segments - 1));
    let is_first = and_exists(b, kernel, is_first, ahead, count.saturating_mul(stride));
    let last = |b: &Code<'t>| own.add(b, ahead);
    let types = &combiner.scalars();
    let of_segment = loops::branch(b, is_first, types, |b| read(b, &totals, last(b)), |_| sums.clone());
    let of_segments = warp_scan(b, combiner, (number, segments, stride), &of_segment);
    loops::when(b, is_first, |b| write(b, &carries, own, &of_segments));
    kernel.barrier(b);
    let follows = number.compare(b, IntPredicate::Sge, Constant(segment));
    let with_carry = |b: &Code<'t>| {
        let ahead = number.sub(b, number.div(b, Constant(segment))).add(b, Constant(1));
        let carry = read(b, &carries, own.sub(b, ahead.mul(b, Constant(stride))));
        let has_more = within.compare(b, IntPredicate::Sgt, Constant(0));
        loops::branch(b, has_more, types, |b| combiner.combine(b, &carry, &before, None), |_| carry.clone())
    };
    loops::branch(b, follows, types, with_carry, |_| before.clone())
}

/// As [`before`], through shared memory.
fn before_in_memory<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    share: Distribution,
    cause: Cause,
    values: &[Value],
) -> Vec<Value> {
    let (number, count, stride) = share;
    let (Some(kernel), Some(combiner)) = (cursor.kernel(), &nest.combiner) else { return values.to_vec() };
    let b = &cursor.b;
    let own = kernel.thread;
    let mut from = exchange(nest, kernel, combiner, cause, 0);
    kernel.barrier(b);
    write(b, &from, own, values);
    let follows = number.compare(b, IntPredicate::Sgt, Constant(0));
    if count <= MAX_SEQUENTIAL {
        kernel.barrier(b);
        let all = |b: &Code<'t>| {
            let first = own.sub(b, number.mul(b, Constant(stride)));
            in_order(b, combiner, &from, (first, number, stride), &read(b, &from, first))
        };
        return loops::branch(b, follows, &combiner.scalars(), all, |_| values.to_vec());
    }
    let mut to = exchange(nest, kernel, combiner, cause, 1);
    let mut width = 1;
    while width < count {
        kernel.barrier(b);
        let values = read(b, &from, own);
        let has_partner = number.compare(b, IntPredicate::Sge, Constant(width));
        let sums = loops::branch(
            b,
            has_partner,
            &combiner.scalars(),
            |b| {
                let before = read(b, &from, own.sub(b, Constant(width.saturating_mul(stride))));
                combiner.combine(b, &before, &values, None)
            },
            |_| values.clone(),
        );
        write(b, &to, own, &sums);
        std::mem::swap(&mut from, &mut to);
        width = width.saturating_mul(2);
    }
    kernel.barrier(b);
    let previous = |b: &Code<'t>| read(b, &from, own.sub(b, Constant(stride)));
    loops::branch(b, follows, &combiner.scalars(), previous, |_| values.to_vec())
}

/// The buffers with a tuple of each thread for an exchange; `set` distinguishes those that are in use at once.
fn exchange<'t>(
    nest: &Construction<'_, 't>,
    kernel: &KernelContext<'_>,
    combiner: &Combiner,
    cause: Cause,
    set: usize,
) -> Vec<Buffer> {
    // Buffers for exchange have no layout.
    let placement = Placement::new(nest.schedule.system.memory_of(MemoryRole::Shared).unwrap_or_default(), []);
    let contents = Contents::new(ContentKind::Exchange, cause, &placement);
    let enumerated = combiner.types.iter().enumerate().map(|(i, element)| (*element, set * combiner.types.len() + i));
    enumerated.map(|(element, part)| kernel.exchange(element, Contents { part, ..contents.clone() })).collect()
}

/// Combines, in order, the tuples of `count` threads in shared memory that are `stride` apart, starting with thread
/// `first`, whose tuple is `values`.
fn in_order<'t>(
    b: &Code<'t>,
    combiner: &Combiner,
    buffers: &[Buffer],
    (first, count, stride): (Index, Index, i64),
    values: &[Value],
) -> Vec<Value> {
    loops::carried(b, Constant(1), count, values, |b, i, sum| {
        let value = read(b, buffers, first.add(b, i.mul(b, Constant(stride))));
        combiner.combine(b, sum, &value, None)
    })
}

/// Reduces the tuples of threads in shared memory; the first thread gets the result. If `leads` is given, only threads
/// for which it is true have a tuple.
fn shared_tree<'t>(
    b: &Code<'t>,
    kernel: &KernelContext<'t>,
    combiner: &Combiner,
    buffers: &[Buffer],
    (number, count, stride): Distribution,
    valid: Index,
    leads: Option<Value>,
) -> Vec<Value> {
    let own = kernel.thread;
    let mut left = count;
    while left > MAX_SEQUENTIAL {
        let width = half(left);
        kernel.barrier(b);
        let has_partner = has_partner(b, number, width, (number, valid));
        let has_partner =
            and_exists(b, kernel, has_partner, Constant(width.saturating_mul(stride)), count.saturating_mul(stride));
        loops::when(b, and(b, leads, has_partner), |b| {
            let partner = own.add(b, Constant(width.saturating_mul(stride)));
            let (left, right) = (read(b, buffers, own), read(b, buffers, partner));
            write(b, buffers, own, &combiner.combine(b, &left, &right, None));
        });
        left = width;
    }
    kernel.barrier(b);
    let values = read(b, buffers, own);
    let is_first = number.compare(b, IntPredicate::Eq, Constant(0));
    let is_first =
        and_exists(b, kernel, is_first, Constant((left - 1).saturating_mul(stride)), count.saturating_mul(stride));
    let all = |b: &Code<'t>| in_order(b, combiner, buffers, (own, valid.min(b, Constant(left)), stride), &values);
    loops::branch(b, and(b, leads, is_first), &combiner.scalars(), all, |_| values.clone())
}

/// Reduces the values of adjacent parts in a warp. `valid`: the part number of this thread, and the number of parts
/// with a value; other parts are left out.
fn warp_tree<'t>(
    b: &Code<'t>,
    combiner: &Combiner,
    (within, count, stride): Distribution,
    valid: (Index, Index),
    values: &[Value],
) -> Vec<Value> {
    let mut values = values.to_vec();
    let mut width = half(count);
    while width > 0 {
        let others = shuffle(b, ShuffleMode::Down, width.saturating_mul(stride), &values);
        let has_partner = has_partner(b, within, width, valid);
        let combine = |b: &Code<'t>| combiner.combine(b, &values, &others, None);
        values = loops::branch(b, has_partner, &combiner.scalars(), combine, |_| values.clone());
        width /= 2;
    }
    values
}

/// Inclusive scan of the values of adjacent parts in a warp.
fn warp_scan<'t>(
    b: &Code<'t>,
    combiner: &Combiner,
    (within, count, stride): Distribution,
    values: &[Value],
) -> Vec<Value> {
    let mut values = values.to_vec();
    let mut width = 1;
    while width < count {
        let before = shuffle(b, ShuffleMode::Up, width.saturating_mul(stride), &values);
        let has_partner = within.compare(b, IntPredicate::Sge, Constant(width));
        let combine = |b: &Code<'t>| combiner.combine(b, &before, &values, None);
        values = loops::branch(b, has_partner, &combiner.scalars(), combine, |_| values.clone());
        width = width.saturating_mul(2);
    }
    values
}

/// True if the thread `width` parts ahead has a value for this one.
fn has_partner<'t>(b: &Code<'t>, within: Index, width: i64, (number, valid): (Index, Index)) -> Value {
    and(
        b,
        Some(within.compare(b, IntPredicate::Slt, Constant(width))),
        number.add(b, Constant(width)).compare(b, IntPredicate::Slt, valid),
    )
}

/// `condition`, and the block has a thread `ahead` thread indices after this one. Without this check, threads without a
/// part could access out of bounds: their indices may belong to a group of `group` threads that is only partly in the
/// block.
fn and_exists<'t>(b: &Code<'t>, kernel: &KernelContext<'t>, condition: Value, ahead: Index, group: i64) -> Value {
    if kernel.threads % group == 0 {
        return condition;
    }
    and(b, Some(condition), kernel.thread.add(b, ahead).compare(b, IntPredicate::Slt, Constant(kernel.threads)))
}

/// The largest power of two less than a number; 0 for 1.
fn half(count: i64) -> i64 {
    (count.max(1) as u64).next_power_of_two() as i64 / 2
}

/// The values of the threads `distance` lanes further up or down in the warp.
fn shuffle(b: &Code<'_>, mode: ShuffleMode, distance: i64, values: &[Value]) -> Vec<Value> {
    values.iter().map(|value| b.value(Operation::Shuffle(mode, distance), &[*value], b.type_of(*value))).collect()
}

fn read(b: &Code<'_>, buffers: &[Buffer], thread: Index) -> Vec<Value> {
    buffers.iter().map(|buffer| b.load(*buffer, &[thread.materialize(b)])).collect()
}

fn write(b: &Code<'_>, buffers: &[Buffer], thread: Index, values: &[Value]) {
    for (buffer, value) in buffers.iter().zip(values) {
        b.store(*buffer, &[thread.materialize(b)], *value);
    }
}
