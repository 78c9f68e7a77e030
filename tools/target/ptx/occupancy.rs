//! The number of blocks of a kernel that a multiprocessor should hold at a time, which `ptxas` is told (`minctasm`): it
//! limits the registers of a thread.
//!
//! ```text
//! 128 threads, a loop that carries 64 values, 4096 blocks     ──▶   3 blocks: at most 168 registers for a thread
//! ```
//!
//! Without a number, `ptxas` keeps addresses and loaded values in up to 255 registers, and few warps are resident: a
//! MatMul with 64 accumulators takes 226 registers instead of 151, and is 1.16 times as slow (H100). With a number that is
//! too large, values are spilled.
use mdh_dialects::ir::{self, Op};
use mdh_passes::target::limits::{MANY_VALUES, OTHER_REGISTERS};
use melior::ir::{TypeLike, ValueLike, attribute::DenseI32ArrayAttribute};

/// Registers of a multiprocessor, 32 bits each.
const REGISTERS: u64 = 65536;
/// Multiprocessors of a large device. A kernel with fewer blocks than that for each resident one has no use for more.
const MULTIPROCESSORS: u64 = 128;

/// The number of blocks for a kernel in the LLVM dialect; 1 if no loop carries many values, or if sizes are arguments, which
/// need an unknown number of registers.
pub fn blocks(kernel: Op<'_>) -> u64 {
    let blocks = ir::blocks(kernel);
    let (first, others) =
        blocks.split_first().map_or((vec![], &[][..]), |(first, others)| (ir::arguments(*first), others));
    if first.iter().any(|argument| argument.r#type().is_integer()) {
        return 1;
    }
    let carried = others.iter().map(|block| words(&ir::arguments(*block))).max().unwrap_or(0);
    let size = |name: &str| -> Option<u64> {
        let sizes = DenseI32ArrayAttribute::try_from(ir::attribute(kernel, name)?).ok()?;
        (0..sizes.len()).map(|i| sizes.element(i).ok().and_then(|size| u64::try_from(size).ok())).product()
    };
    let (threads, grid) = (size("gpu.known_block_size"), size("gpu.known_grid_size"));
    let Some(threads) = threads.filter(|threads| *threads > 0 && carried >= MANY_VALUES) else { return 1 };
    let of_registers = REGISTERS / (threads * (carried + OTHER_REGISTERS));
    let of_grid = grid.map_or(u64::MAX, |blocks| blocks.div_ceil(MULTIPROCESSORS));
    of_registers.min(of_grid).max(1)
}

/// The registers that values take.
fn words(values: &[ir::Val<'_>]) -> u64 {
    let of = |value: &ir::Val<'_>| {
        let ty = value.r#type();
        let sizes = ir::shape(ty).filter(|_| ty.is_vector()).unwrap_or_default();
        let lanes = sizes.first().copied().flatten().unwrap_or(1);
        let element = ir::element_type_or_self(ty);
        let is_word = element.is_integer() && ir::integer_width(element) == 64;
        let is_wide = is_word || element.is_f64() || ty.is_llvm_pointer_type();
        lanes * if is_wide { 2 } else { 1 }
    };
    values.iter().map(of).sum()
}
