//! Function bodies on vectors, operation by operation.
//!
//! ```text
//! %p = arith.mulf %m, %x : f32     ──▶   %p = arith.mulf %m, %x : vector<16xf32>
//! %r = func.call @g(%p)            ──▶   the operations of @g, where it is one block
//! %r = func.call @f(%p)            ──▶   lane by lane: vector.extract, func.call, vector.from_elements
//! %r = scf.while ..                ──▶   %v = scf.for %lane iter_args(..): vector.extract, scf.while, vector.insert
//! ```
//!
//! What is the same for all lanes is computed once, on scalars.
use crate::lower::{
    index::Index::{self, Constant},
    lanes::{Lanes, extract, from_elements, insert, is_vectorizable, lift, lifted, zero},
    loops,
};
use mdh_dialects::ir::{self, Blk, Builder, Op, Val, ValueMap};
use melior::ir::{TypeLike, ValueLike};

/// How many operations calls are looked into for: functions may call themselves, or others again and again.
const BUDGET: usize = 1024;
/// The most operations that all lanes together may have as copies; more are in a loop over the lanes.
const COPIES: u64 = 512;

/// Gives values for the results of an operation, at a lane if it is copied for each, instead of copying it.
pub type Replace<'a, 'c> = dyn FnMut(&Builder<'c>, Op<'c>, Option<Index<'c>>) -> Option<Vec<Val<'c>>> + 'a;

/// Copies the operations of a block, but for its terminator, to here; returns what the terminator's operands become. Arguments and
/// results are vectors where lanes differ, and scalars where all lanes have the same value.
pub fn inline<'c>(
    b: &Builder<'c>,
    block: Blk<'c>,
    arguments: &[Val<'c>],
    lanes: Option<Lanes>,
    replace: &mut Replace<'_, 'c>,
) -> Vec<Val<'c>> {
    match lanes {
        Some(lanes) => on_lanes(b, block, arguments, lanes, replace),
        None => b.inline_block(block, arguments, &mut |b, operation| replace(b, operation, None)),
    }
}

fn on_lanes<'c>(
    b: &Builder<'c>,
    block: Blk<'c>,
    arguments: &[Val<'c>],
    lanes: Lanes,
    replace: &mut Replace<'_, 'c>,
) -> Vec<Val<'c>> {
    let mut map: ValueMap<'c> = ir::arguments(block).into_iter().zip(arguments.iter().copied()).collect();
    let operations = ir::block_operations(block);
    let Some((terminator, rest)) = operations.split_last() else { return vec![] };
    for &operation in rest {
        let values = one(b, operation, &map, lanes, replace);
        map.extend(ir::results(operation).into_iter().zip(values));
    }
    ir::operands(*terminator).into_iter().map(|value| map.get(value)).collect()
}

fn one<'c>(
    b: &Builder<'c>,
    operation: Op<'c>,
    map: &ValueMap<'c>,
    lanes: Lanes,
    replace: &mut Replace<'_, 'c>,
) -> Vec<Val<'c>> {
    if let Some(values) = replace(b, operation, None) {
        return values;
    }
    if let Some(body) = callee(operation).filter(|body| is_vectorizable_block(*body)) {
        let arguments: Vec<_> = ir::operands(operation).into_iter().map(|value| map.get(value)).collect();
        return on_lanes(b, body, &arguments, lanes, replace);
    }
    if is_elementwise(operation) {
        let operands: Vec<_> = ir::operands(operation).into_iter().map(|value| map.get(value)).collect();
        let is_uniform = operands.iter().all(|operand| !operand.r#type().is_vector());
        let copy = b.clone_operation(operation);
        for (i, operand) in operands.into_iter().enumerate() {
            ir::set_operand(copy, i, if is_uniform { operand } else { lift(&b.at(copy), Some(lanes), operand) });
        }
        let results = ir::results(copy);
        if !is_uniform {
            results.iter().for_each(|result| result.set_type(lifted(b, Some(lanes), result.r#type())));
        }
        return results;
    }
    let operations = ir::descendants(operation);
    let used: Vec<_> = operations.iter().flat_map(|inner| ir::operands(*inner)).collect();
    let has_index = operations.iter().any(|inner| ir::name(*inner) == "mdh.hom.index");
    let differs = has_index || used.iter().any(|value| map.get(*value).r#type().is_vector());
    let mut copy = |b: &Builder<'c>, lane: Option<Index<'c>>| {
        let at = |value: Val<'c>| match lane {
            Some(lane) if value.r#type().is_vector() => extract(b, value, lane),
            _ => value,
        };
        // Of the values before, only those that it uses: there may be many.
        let mut needed = ValueMap::default();
        for value in used.iter().filter(|value| map.get(**value) != **value) {
            if needed.get(*value) == *value {
                needed.extend([(*value, at(map.get(*value)))]);
            }
        }
        b.copy_mapped(operation, &needed, &mut |b, inner| replace(b, inner, lane))
    };
    if !differs {
        return copy(b, None);
    }
    if is_looped(operation, lanes) {
        let types = ir::results(operation).into_iter().map(|result| lifted(b, Some(lanes), result.r#type()));
        let types: Vec<_> = types.collect();
        let none: Vec<_> = types.iter().map(|r#type| zero(b, *r#type)).collect();
        return loops::carried(b, Constant(0), Constant(lanes.count), &none, &types, |b, lane, vectors| {
            let values = copy(b, Some(lane));
            values.into_iter().zip(vectors).map(|(value, vector)| insert(b, value, *vector, lane)).collect()
        });
    }
    let by_lane: Vec<_> = (0..lanes.count).map(|lane| copy(b, Some(Constant(lane)))).collect();
    let result = |i: usize| from_elements(b, &by_lane.iter().map(|values| values[i]).collect::<Vec<_>>());
    (0..ir::results(operation).len()).map(result).collect()
}

/// Whether what no vector computes is in a loop over the lanes: a copy for each gains nothing where it is a loop itself, or long.
fn is_looped(operation: Op<'_>, lanes: Lanes) -> bool {
    Apart::of(operation).is_looped(lanes.count as u64)
}

/// An operation that no vector computes: how many operations it has, and whether one of them is a loop.
#[derive(Clone, Copy, Debug)]
struct Apart {
    operations: u64,
    has_loop: bool,
}

impl Apart {
    fn of(operation: Op<'_>) -> Self {
        let operations = ir::descendants(operation);
        let has_loop = operations.iter().any(|inner| ["scf.for", "scf.while"].contains(&ir::name(*inner)));
        Self { operations: operations.len() as u64, has_loop }
    }

    fn is_looped(self, lanes: u64) -> bool {
        self.has_loop || self.operations.saturating_mul(lanes) > COPIES
    }
}

/// How much code blocks become.
#[derive(Clone, Debug, Default)]
pub struct Size {
    vectors: u64,
    apart: Vec<Apart>,
}

impl Size {
    /// Adds a block.
    pub fn add(&mut self, block: Blk<'_>) {
        for operation in ir::block_operations(block) {
            match callee(operation).filter(|body| is_vectorizable_block(*body)) {
                Some(body) => self.add(body),
                None if ir::name(operation) == "func.call" => self.apart.push(Apart::of(operation)),
                None if ir::regions(operation).is_empty() => self.vectors += 1,
                None => self.apart.push(Apart::of(operation)),
            }
        }
    }

    /// Whether all of it is on vectors.
    pub fn is_on_vectors(&self) -> bool {
        self.apart.is_empty()
    }

    /// How many operations that are on so many lanes, or on scalars.
    pub fn on_lanes(&self, lanes: u64) -> u64 {
        let apart = self.apart.iter().map(|apart| match lanes {
            0..=1 => apart.operations,
            _ if apart.is_looped(lanes) => apart.operations + 6,
            _ => (apart.operations + 2) * lanes,
        });
        self.vectors + apart.sum::<u64>()
    }
}

/// The body of the function that an operation calls, if it is one block, and small with all that it calls itself.
pub fn callee(operation: Op<'_>) -> Option<Blk<'_>> {
    let body = called(operation)?;
    size(body, BUDGET).map(|_| body)
}

/// How many operations a block has with those of the functions that it calls, if these are no more than a budget.
fn size(block: Blk<'_>, budget: usize) -> Option<usize> {
    ir::block_operations(block).into_iter().try_fold(0usize, |size, operation| {
        let rest = budget.checked_sub(size + 1)?;
        let own = called(operation).map_or(Some(0), |body| self::size(body, rest))?;
        Some(size + 1 + own)
    })
}

fn called(operation: Op<'_>) -> Option<Blk<'_>> {
    let symbol = ir::symbol_attribute(ir::attribute(operation, "callee")?)?;
    let function = ir::lookup_symbol(operation, symbol).filter(|_| ir::name(operation) == "func.call")?;
    match ir::blocks(function)[..] {
        [body] if ir::name(function) == "func.func" => Some(body),
        _ => None,
    }
}

/// Whether an operation computes each lane of its results from the same lane of its operands.
fn is_elementwise(operation: Op<'_>) -> bool {
    let name = ir::name(operation);
    ir::regions(operation).is_empty() && (name.starts_with("arith.") || name.starts_with("math."))
}

/// Whether all values of a block can be elements of vectors.
pub fn is_vectorizable_block(block: Blk<'_>) -> bool {
    let values = ir::block_operations(block).into_iter().flat_map(|operation| ir::results(operation));
    ir::arguments(block).into_iter().chain(values).all(|value| is_vectorizable(value.r#type()))
}

/// Whether a block may be computed for values that no point of the iteration space has: no operation of it can trap or go on forever.
pub fn is_speculatable(block: Blk<'_>) -> bool {
    let traps = ["div", "rem", "ipowi"];
    ir::block_operations(block).split_last().is_none_or(|(_, operations)| {
        operations.iter().all(|&operation| {
            let name = ir::name(operation);
            let is_float = ir::results(operation).iter().all(|result| result.r#type().is_float());
            let can_trap = !is_float && traps.iter().any(|trap| name.contains(trap));
            name == "mdh.hom.index"
                || (is_elementwise(operation) && !can_trap)
                || callee(operation).is_some_and(is_speculatable)
        })
    })
}
