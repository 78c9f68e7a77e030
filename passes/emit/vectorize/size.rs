//! The code size of vectorized function bodies.
use super::{callee, is_selectable, is_vectorizable_block};
use mdh_dialects::ir::{self, Blk, Op};

/// The largest number of operations of all per-lane copies together; beyond it, they become a loop over the lanes.
const MAX_LANE_COPIES: u64 = 512;

/// An operation that cannot be vectorized: the number of its operations, and true if one of them is a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalarized {
    operations: u64,
    has_loop: bool,
}

impl Scalarized {
    pub(super) fn of(operation: Op<'_>) -> Self {
        let operations = ir::descendants(operation);
        let has_loop = operations.iter().any(|inner| ["scf.for", "scf.while"].contains(&ir::name(*inner)));
        Self { operations: operations.len() as u64, has_loop }
    }

    pub(super) fn is_looped(self, lanes: u64) -> bool {
        self.has_loop || self.operations.saturating_mul(lanes) > MAX_LANE_COPIES
    }
}

/// The code size of vectorized blocks.
#[derive(Clone, Debug, Default)]
pub struct CodeSize {
    vectors: u64,
    functions: u64,
    apart: Vec<Scalarized>,
}

impl CodeSize {
    /// Adds a block.
    pub fn add(&mut self, block: Blk<'_>) {
        for operation in ir::block_operations(block) {
            match callee(operation).filter(|body| is_vectorizable_block(*body)) {
                Some(body) => self.add(body),
                None if ir::name(operation) == "func.call" => self.apart.push(Scalarized::of(operation)),
                None if ir::regions(operation).is_empty() => self.vectors += 1,
                None if is_selectable(operation) => {
                    ir::blocks(operation).into_iter().for_each(|branch| self.add(branch));
                    self.vectors += ir::results(operation).len() as u64;
                }
                None => self.apart.push(Scalarized::of(operation)),
            }
        }
    }

    /// Adds the vector instructions of expanded math functions.
    pub fn add_functions(&mut self, instructions: f64) {
        self.functions += instructions as u64;
    }

    /// True if all operations are vectorized.
    pub fn is_on_vectors(&self) -> bool {
        self.apart.is_empty()
    }

    /// True if expanded math functions are included.
    pub fn has_functions(&self) -> bool {
        self.functions > 0
    }

    /// The number of operations on vectors with this number of lanes, or on scalars.
    pub fn on_lanes(&self, lanes: u64) -> u64 {
        let apart = self.apart.iter().map(|apart| match lanes {
            0..=1 => apart.operations,
            _ if apart.is_looped(lanes) => apart.operations + 6,
            _ => (apart.operations + 2) * lanes,
        });
        self.vectors + self.functions + apart.sum::<u64>()
    }
}
