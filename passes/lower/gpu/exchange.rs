//! How the threads of a block exchange values: inside of a warp by shuffles, else through shared memory.
//!
//! ```text
//! x of 64 threads in a row   ──▶   for s = 16, 8, 4, 2, 1:  y = gpu.shuffle down x, s;  if k % 32 < s: x += y
//! (warps of 32)                    if k % 32 == 0: exchange[k] = x
//!                                  barrier; if k < 2: x = exchange[32 * k]
//!                                  y = gpu.shuffle down x, 1;  if k < 1: x += y
//! ```
//!
//! A system whose core layers are blocks, warps and threads has warps, which are 32 threads in a row. Elsewhere, and where those who
//! exchange values lie otherwise in their warps, shared memory has a value of each thread, and half of the threads combine theirs with those of
//! the other half, then a quarter, and so on, with a barrier before each; what the last eight have, one thread reads, behind one more. The order
//! of the combination depends on the schedule only, so that each run gives the same bits.
use super::{kernel::Kernel, threads::Share};
use crate::{
    lower::{
        index::Index::{self, Constant},
        loops,
        nest::{Frame, Nest},
        operators::Combiner,
        tile::and,
    },
    schedule::{
        model::{System, Tag},
        systems::WARP,
    },
};
use mdh_dialects::ir::{self, Builder, IntPredicate, ShuffleMode, Val};
use melior::ir::{TypeLike, ValueLike};
use std::cmp::Reverse;

/// How many neighbours of those who share out a level, so many in number and so far apart, are always in one warp; 1 if they
/// exchange values through shared memory only. `threads`: the threads of the block that have a part of something.
pub fn in_warp(system: &System, count: i64, stride: i64, threads: i64) -> i64 {
    if !system.has_warps() || count < 1 || !(1..WARP).contains(&stride) || WARP % stride != 0 {
        return 1;
    }
    let group = count.saturating_mul(stride);
    let is_aligned = group % WARP == 0 || WARP % group == 0 || group >= threads;
    if is_aligned { count.min(WARP / stride) } else { 1 }
}

/// How many values one thread combines with fewer instructions than threads that share them out, and wait for each other.
const FEW: i64 = 8;

/// Levels of threads in this order count slower and slower: of several core layers, the innermost one counts fastest, so that its threads are
/// neighbours in a warp.
pub fn counts_slower(system: &System, tag: &Tag) -> (Reverse<Option<usize>>, usize) {
    (Reverse(system.core(&tag.layer)), tag.dimension)
}

impl<'c> Nest<'_, 'c> {
    /// The combination of the tuples of the first `valid` threads that share out a level, in the first of them. All threads of the block
    /// take part.
    pub fn across(&self, frame: &Frame<'c>, share: Share<'c>, valid: Index<'c>, values: &[Val<'c>]) -> Vec<Val<'c>> {
        let (number, count, stride) = share;
        let (Some(kernel), Some(combiner)) = (frame.kernel(), &self.combiner) else { return values.to_vec() };
        if count <= 1 {
            return values.to_vec();
        }
        let b = &frame.b;
        let own = kernel.thread;
        let segment = in_warp(&self.schedule.system, count, stride, kernel.occupied().max(count * stride));
        if segment == 1 {
            let buffers = buffers(kernel, combiner, 0);
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
        let buffers = buffers(kernel, combiner, 0);
        let leads = of_segment.0.compare(b, IntPredicate::Eq, Constant(0));
        kernel.barrier(b);
        loops::when(b, leads, |b| write(b, &buffers, own, &values));
        let segments = (count as u64).div_ceil(segment as u64) as i64;
        let valid = valid.ceildiv(b, Constant(segment));
        if segments > segment {
            let share = (number.div(b, Constant(segment)), segments, stride * segment);
            return shared_tree(b, kernel, combiner, &buffers, share, valid, Some(leads));
        }
        kernel.barrier(b);
        let ahead = number.mul(b, Constant((segment - 1) * stride));
        let is_first = and_is_there(b, kernel, number.compare(b, IntPredicate::Slt, valid), ahead, count * stride);
        let lead = |b: &Builder<'c>| own.add(b, ahead);
        let types = &combiner.types;
        let values = loops::branch(b, is_first, types, |b| read(b, &buffers, lead(b)), |_| values.clone());
        warp_tree(b, combiner, (number, segments, stride), (number, valid), &values)
    }

    /// For each thread that shares out a level but the first, the combination of the tuples of those before it; for the first one, anything.
    /// All threads of the block take part.
    pub fn before(&self, frame: &Frame<'c>, share: Share<'c>, values: &[Val<'c>]) -> Vec<Val<'c>> {
        let (number, count, stride) = share;
        let (Some(kernel), Some(combiner)) = (frame.kernel(), &self.combiner) else { return values.to_vec() };
        let b = &frame.b;
        let segment = in_warp(&self.schedule.system, count, stride, kernel.occupied().max(count * stride));
        let segments = (count as u64).div_ceil(segment as u64) as i64;
        if segments > segment {
            return self.before_in_memory(frame, share, values);
        }
        let within = if segment == count { number } else { number.rem(b, Constant(segment)) };
        let sums = warp_scan(b, combiner, (within, segment, stride), values);
        let before = shuffle(b, ShuffleMode::Up, stride, &sums);
        if segment == count {
            return before;
        }
        let own = kernel.thread;
        let (totals, carries) = (buffers(kernel, combiner, 0), buffers(kernel, combiner, 1));
        let is_last = within.compare(b, IntPredicate::Eq, Constant(segment - 1));
        kernel.barrier(b);
        loops::when(b, is_last, |b| write(b, &totals, own, &sums));
        kernel.barrier(b);
        // The last segment may not be full, and nobody comes behind it.
        let ahead = number.add(b, Constant(1)).mul(b, Constant((segment - 1) * stride));
        let is_first = number.compare(b, IntPredicate::Slt, Constant(segments - 1));
        let is_first = and_is_there(b, kernel, is_first, ahead, count * stride);
        let last = |b: &Builder<'c>| own.add(b, ahead);
        let types = &combiner.types;
        let of_segment = loops::branch(b, is_first, types, |b| read(b, &totals, last(b)), |_| sums.clone());
        let of_segments = warp_scan(b, combiner, (number, segments, stride), &of_segment);
        loops::when(b, is_first, |b| write(b, &carries, own, &of_segments));
        kernel.barrier(b);
        let follows = number.compare(b, IntPredicate::Sge, Constant(segment));
        let with_carry = |b: &Builder<'c>| {
            let ahead = number.sub(b, number.div(b, Constant(segment))).add(b, Constant(1));
            let carry = read(b, &carries, own.sub(b, ahead.mul(b, Constant(stride))));
            let has_more = within.compare(b, IntPredicate::Sgt, Constant(0));
            loops::branch(b, has_more, types, |b| combiner.combine(b, &carry, &before, None), |_| carry.clone())
        };
        loops::branch(b, follows, types, with_carry, |_| before.clone())
    }

    /// As [`Self::before`], through shared memory.
    fn before_in_memory(&self, frame: &Frame<'c>, share: Share<'c>, values: &[Val<'c>]) -> Vec<Val<'c>> {
        let (number, count, stride) = share;
        let (Some(kernel), Some(combiner)) = (frame.kernel(), &self.combiner) else { return values.to_vec() };
        let b = &frame.b;
        let own = kernel.thread;
        let mut from = buffers(kernel, combiner, 0);
        kernel.barrier(b);
        write(b, &from, own, values);
        let follows = number.compare(b, IntPredicate::Sgt, Constant(0));
        if count <= FEW {
            kernel.barrier(b);
            let all = |b: &Builder<'c>| {
                let first = own.sub(b, number.mul(b, Constant(stride)));
                in_order(b, combiner, &from, (first, number, stride), &read(b, &from, first))
            };
            return loops::branch(b, follows, &combiner.types, all, |_| values.to_vec());
        }
        let mut to = buffers(kernel, combiner, 1);
        let mut width = 1;
        while width < count {
            kernel.barrier(b);
            let values = read(b, &from, own);
            let has_partner = number.compare(b, IntPredicate::Sge, Constant(width));
            let sums = loops::branch(
                b,
                has_partner,
                &combiner.types,
                |b| {
                    let before = read(b, &from, own.sub(b, Constant(width * stride)));
                    combiner.combine(b, &before, &values, None)
                },
                |_| values.clone(),
            );
            write(b, &to, own, &sums);
            std::mem::swap(&mut from, &mut to);
            width *= 2;
        }
        kernel.barrier(b);
        let previous = |b: &Builder<'c>| read(b, &from, own.sub(b, Constant(stride)));
        loops::branch(b, follows, &combiner.types, previous, |_| values.to_vec())
    }
}

/// The combination of what so many threads have in shared memory, so far apart from one on that has these values.
fn in_order<'c>(
    b: &Builder<'c>,
    combiner: &Combiner<'c>,
    buffers: &[Val<'c>],
    (first, count, stride): (Index<'c>, Index<'c>, i64),
    values: &[Val<'c>],
) -> Vec<Val<'c>> {
    loops::carried(b, Constant(1), count, values, &combiner.types, |b, i, sum| {
        let value = read(b, buffers, first.add(b, i.mul(b, Constant(stride))));
        combiner.combine(b, sum, &value, None)
    })
}

/// Reduces what threads have in shared memory; the first of them gets the result. Where `leads` is given, only threads for which it holds have
/// something.
fn shared_tree<'c>(
    b: &Builder<'c>,
    kernel: &Kernel<'c>,
    combiner: &Combiner<'c>,
    buffers: &[Val<'c>],
    (number, count, stride): Share<'c>,
    valid: Index<'c>,
    leads: Option<Val<'c>>,
) -> Vec<Val<'c>> {
    let own = kernel.thread;
    let mut left = count;
    while left > FEW {
        let width = half(left);
        kernel.barrier(b);
        let has_partner = has_partner(b, number, width, (number, valid));
        let has_partner = and_is_there(b, kernel, has_partner, Constant(width * stride), count * stride);
        loops::when(b, and(b, leads, has_partner), |b| {
            let partner = own.add(b, Constant(width * stride));
            let (left, right) = (read(b, buffers, own), read(b, buffers, partner));
            write(b, buffers, own, &combiner.combine(b, &left, &right, None));
        });
        left = width;
    }
    kernel.barrier(b);
    let values = read(b, buffers, own);
    let is_first = number.compare(b, IntPredicate::Eq, Constant(0));
    let is_first = and_is_there(b, kernel, is_first, Constant((left - 1) * stride), count * stride);
    let all = |b: &Builder<'c>| in_order(b, combiner, buffers, (own, valid.min(b, Constant(left)), stride), &values);
    loops::branch(b, and(b, leads, is_first), &combiner.types, all, |_| values.clone())
}

/// Reduces the values of neighbours in a warp, of which those count whose number is less than `valid`.
fn warp_tree<'c>(
    b: &Builder<'c>,
    combiner: &Combiner<'c>,
    (within, count, stride): Share<'c>,
    valid: (Index<'c>, Index<'c>),
    values: &[Val<'c>],
) -> Vec<Val<'c>> {
    let mut values = values.to_vec();
    let mut width = half(count);
    while width > 0 {
        let others = shuffle(b, ShuffleMode::Down, width * stride, &values);
        let has_partner = has_partner(b, within, width, valid);
        let combine = |b: &Builder<'c>| combiner.combine(b, &values, &others, None);
        values = loops::branch(b, has_partner, &combiner.types, combine, |_| values.clone());
        width /= 2;
    }
    values
}

/// Scans the values of neighbours in a warp.
fn warp_scan<'c>(
    b: &Builder<'c>,
    combiner: &Combiner<'c>,
    (within, count, stride): Share<'c>,
    values: &[Val<'c>],
) -> Vec<Val<'c>> {
    let mut values = values.to_vec();
    let mut width = 1;
    while width < count {
        let before = shuffle(b, ShuffleMode::Up, width * stride, &values);
        let has_partner = within.compare(b, IntPredicate::Sge, Constant(width));
        let combine = |b: &Builder<'c>| combiner.combine(b, &before, &values, None);
        values = loops::branch(b, has_partner, &combiner.types, combine, |_| values.clone());
        width *= 2;
    }
    values
}

/// Whether the thread so many numbers further on has a value for this one.
fn has_partner<'c>(b: &Builder<'c>, within: Index<'c>, width: i64, (number, valid): (Index<'c>, Index<'c>)) -> Val<'c> {
    and(
        b,
        Some(within.compare(b, IntPredicate::Slt, Constant(width))),
        number.add(b, Constant(width)).compare(b, IntPredicate::Slt, valid),
    )
}

/// A condition, and that the block has a thread so far ahead. Threads without a part may be numbered like those of a group of so many of which
/// the block has only some.
fn and_is_there<'c>(b: &Builder<'c>, kernel: &Kernel<'c>, condition: Val<'c>, ahead: Index<'c>, group: i64) -> Val<'c> {
    if kernel.threads % group == 0 {
        return condition;
    }
    and(b, Some(condition), kernel.thread.add(b, ahead).compare(b, IntPredicate::Slt, Constant(kernel.threads)))
}

/// The largest power of two below a number.
fn half(count: i64) -> i64 {
    (count.max(1) as u64).next_power_of_two() as i64 / 2
}

/// The values of threads so much further up or down in the warp, of any scalar types.
fn shuffle<'c>(b: &Builder<'c>, mode: ShuffleMode, distance: i64, values: &[Val<'c>]) -> Vec<Val<'c>> {
    values.iter().map(|value| by_words(b, *value, &mut |word| shuffle_word(b, mode, distance, word))).collect()
}

/// Exchanges a value of 32 bits.
fn shuffle_word<'c>(b: &Builder<'c>, mode: ShuffleMode, distance: i64, word: Val<'c>) -> Val<'c> {
    let (bits, bit) = (b.i32(), b.i1());
    let operands = [word, b.constant(distance, bits), b.constant(WARP, bits)];
    let mode = [("mode", b.shuffle_mode(mode))];
    ir::results(b.op("gpu.shuffle", &operands, &[word.r#type(), bit], &mode, vec![]))[0]
}

/// A value made of words of 32 bits that stand for those of another one.
fn by_words<'c>(b: &Builder<'c>, value: Val<'c>, exchange: &mut dyn FnMut(Val<'c>) -> Val<'c>) -> Val<'c> {
    let (r#type, word) = (value.r#type(), b.i32());
    if r#type.is_index() {
        let wide = b.value("arith.index_cast", &[value], b.i64(), &[]);
        return b.value("arith.index_cast", &[by_words(b, wide, exchange)], r#type, &[]);
    }
    if r#type == word || r#type == b.f32() {
        return exchange(value);
    }
    let text = r#type.to_string();
    let bits: u32 = text.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(64);
    let integer = b.integer(bits);
    if r#type.is_float() {
        let plain = b.value("arith.bitcast", &[value], integer, &[]);
        return b.value("arith.bitcast", &[by_words(b, plain, exchange)], r#type, &[]);
    }
    let width = bits.next_multiple_of(32);
    let padded = b.integer(width);
    let resized =
        |name: &str, value: Val<'c>, to| if value.r#type() == to { value } else { b.value(name, &[value], to, &[]) };
    let wide = resized("arith.extui", value, padded);
    let words = (0..width / 32).map(|i| {
        let shift = b.constant(32 * i64::from(i), padded);
        let part = if i == 0 { wide } else { b.value("arith.shrui", &[wide, shift], padded, &[]) };
        let part = resized("arith.extui", exchange(resized("arith.trunci", part, word)), padded);
        if i == 0 { part } else { b.value("arith.shli", &[part, shift], padded, &[]) }
    });
    let words: Vec<_> = words.collect();
    let whole = words.into_iter().reduce(|whole, part| b.value("arith.ori", &[whole, part], padded, &[]));
    resized("arith.trunci", whole.unwrap_or(wide), integer)
}

/// Where each thread has a tuple for an exchange; `set` tells those apart that are in use at once.
fn buffers<'c>(kernel: &Kernel<'c>, combiner: &Combiner<'c>, set: usize) -> Vec<Val<'c>> {
    let types = combiner.types.iter().enumerate();
    types.map(|(i, r#type)| kernel.exchange(*r#type, set * combiner.types.len() + i)).collect()
}

fn read<'c>(b: &Builder<'c>, buffers: &[Val<'c>], thread: Index<'c>) -> Vec<Val<'c>> {
    let load = |buffer: &Val<'c>| {
        let element = ir::element_type(buffer.r#type()).unwrap_or_else(|| buffer.r#type());
        b.value("memref.load", &[*buffer, thread.materialize(b)], element, &[])
    };
    buffers.iter().map(load).collect()
}

fn write<'c>(b: &Builder<'c>, buffers: &[Val<'c>], thread: Index<'c>, values: &[Val<'c>]) {
    for (buffer, value) in buffers.iter().zip(values) {
        b.op("memref.store", &[*value, *buffer, thread.materialize(b)], &[], &[], vec![]);
    }
}
