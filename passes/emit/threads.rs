//! Cooperation of the threads of a block: values exchanged by shuffles, and asynchronous copies.
use super::emission::{Emission, Site};
use crate::nest::tree::Buffer;
use mdh_dialects::{
    ir::{self, Builder, ShuffleMode, Val},
    schedule::systems::WARP,
};
use melior::ir::{TypeLike, ValueLike};

/// Waits until at most `count` groups of asynchronous copies are in flight.
pub(super) fn wait<'c>(site: &Site<'c>, count: i64) -> Vec<Val<'c>> {
    site.with("nvgpu.device_async_wait", &[("numGroups", site.b.number(count, site.b.i32()))])
}

/// Bytes of the widest asynchronous copy.
const WIDEST_COPY: i64 = 16;

impl<'c> Emission<'_, 'c> {
    /// Starts an asynchronous copy of `width` contiguous elements. The first `rank` operands are the indices in the
    /// target.
    pub(super) fn copy_async(
        &self,
        site: &Site<'c>,
        (to, from): (Buffer, Buffer),
        rank: usize,
        width: i64,
    ) -> Vec<Val<'c>> {
        let b = &site.b;
        let (target, source) = site.operands.split_at(rank);
        let operands = [&[self.buffer(to)], target, &[self.buffer(from)], source].concat();
        let segments = b.segments(&[1, target.len(), 1, source.len(), 0]);
        let mut attributes = vec![("dstElements", b.number(width, b.index())), segments];
        // Only the widest copies can leave out the first cache, which has no use for them.
        if width * self.nest.array(to).element.bytes() as i64 == WIDEST_COPY {
            attributes.push(("bypassL1", b.unit()));
        }
        vec![b.value("nvgpu.device_async_copy", &operands, b.copy_token(), &attributes)]
    }
}

/// The value of the thread that is `distance` lanes away in the warp; of any scalar type.
pub(super) fn shuffle<'c>(b: &Builder<'c>, mode: ShuffleMode, distance: i64, value: Val<'c>) -> Val<'c> {
    map_words(b, value, &mut |word| shuffle_word(b, mode, distance, word))
}

/// Shuffles a 32-bit value.
fn shuffle_word<'c>(b: &Builder<'c>, mode: ShuffleMode, distance: i64, word: Val<'c>) -> Val<'c> {
    let (bits, bit) = (b.i32(), b.i1());
    let operands = [word, b.constant(distance, bits), b.constant(WARP, bits)];
    let mode = [("mode", b.shuffle_mode(mode))];
    ir::results(b.op("gpu.shuffle", &operands, &[word.r#type(), bit], &mode, vec![]))[0]
}

/// Applies a function to the 32-bit words of a value, and reassembles a value of the same type.
fn map_words<'c>(b: &Builder<'c>, value: Val<'c>, exchange: &mut dyn FnMut(Val<'c>) -> Val<'c>) -> Val<'c> {
    let (ty, word) = (value.r#type(), b.i32());
    if ty.is_index() {
        let wide = b.value("arith.index_cast", &[value], b.i64(), &[]);
        return b.value("arith.index_cast", &[map_words(b, wide, exchange)], ty, &[]);
    }
    if ty == word || ty == b.f32() {
        return exchange(value);
    }
    let bits = ir::bits(ty).unwrap_or(64);
    let integer = b.integer(bits);
    if ty.is_float() {
        let plain = b.value("arith.bitcast", &[value], integer, &[]);
        return b.value("arith.bitcast", &[map_words(b, plain, exchange)], ty, &[]);
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
