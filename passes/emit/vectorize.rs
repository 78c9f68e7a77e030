//! Vectorization of function bodies, operation by operation.
//!
//! ```text
//! %p = arith.mulf %m, %x : f32     ──▶   %p = arith.mulf %m, %x : vector<16xf32>
//! %r = func.call @g(%p)            ──▶   the operations of @g, where it is one block
//! %r = scf.if %differs ..          ──▶   both branches, and arith.select, where both can be computed for all lanes
//! %r = scf.if %same ..             ──▶   scf.if with vectors as results
//! %r = func.call @f(%p)            ──▶   lane by lane: vector.extract, func.call, vector.from_elements
//! %r = scf.while ..                ──▶   %v = scf.for %lane iter_args(..): vector.extract, scf.while, vector.insert
//! ```
//!
//! Values that are uniform over the lanes are computed once, on scalars.
use super::{
    index::EmittedIndex::{self, Constant},
    lanes::{extract, from_elements, insert, is_vectorizable, lift, lifted},
    loops,
};
use mdh_dialects::{
    hom,
    ir::{self, Blk, Builder, Op, OpView, Val, ValueMap},
};
use melior::ir::{TypeLike, ValueLike};

mod branches;
mod size;
pub use branches::is_selectable;
pub use size::CodeSize;
use size::Scalarized;

/// The largest number of operations of an inlined function, including its callees: functions may be recursive, or call
/// others repeatedly.
const BUDGET: usize = 1024;

/// A callback that may provide the results of an operation instead of copying it; with the lane if the operation is
/// copied per lane.
pub type Replace<'a, 'c> = dyn FnMut(&Builder<'c>, Op<'c>, Option<EmittedIndex<'c>>) -> Option<Vec<Val<'c>>> + 'a;

/// Copies the operations of a block, except its terminator, to the insertion point; returns the values of the
/// terminator's operands. Arguments and results are vectors if they differ between lanes, and scalars if they are
/// uniform.
pub fn inline<'c>(
    b: &Builder<'c>,
    block: Blk<'c>,
    arguments: &[Val<'c>],
    lanes: Option<i64>,
    replace: &mut Replace<'_, 'c>,
) -> Vec<Val<'c>> {
    match lanes {
        Some(lanes) => Vectorizer { lanes, is_speculated: false }.call(b, block, arguments, replace),
        None => b.inline_block(block, arguments, &mut |b, operation| replace(b, operation, None)),
    }
}

/// The mode of vectorization.
#[derive(Clone, Copy)]
struct Vectorizer {
    /// The number of lanes.
    lanes: i64,
    /// True if operations may execute for lanes that would not have reached them. Conditions of such lanes may have any
    /// value, or be poison.
    is_speculated: bool,
}

impl Vectorizer {
    /// Vectorizes a block that uses only its arguments and constants.
    fn call<'c>(
        self,
        b: &Builder<'c>,
        block: Blk<'c>,
        arguments: &[Val<'c>],
        replace: &mut Replace<'_, 'c>,
    ) -> Vec<Val<'c>> {
        let mut map: ValueMap<'c> = ir::arguments(block).into_iter().zip(arguments.iter().copied()).collect();
        self.block(b, block, &mut map, replace)
    }

    /// Vectorizes the operations of a block, and maps their results.
    fn block<'c>(
        self,
        b: &Builder<'c>,
        block: Blk<'c>,
        map: &mut ValueMap<'c>,
        replace: &mut Replace<'_, 'c>,
    ) -> Vec<Val<'c>> {
        let operations = ir::block_operations(block);
        let Some((terminator, rest)) = operations.split_last() else { return vec![] };
        for &operation in rest {
            let values = self.one(b, operation, map, replace);
            map.extend(ir::results(operation).into_iter().zip(values));
        }
        ir::operands(*terminator).into_iter().map(|value| map.get(value)).collect()
    }

    fn one<'c>(
        self,
        b: &Builder<'c>,
        operation: Op<'c>,
        map: &mut ValueMap<'c>,
        replace: &mut Replace<'_, 'c>,
    ) -> Vec<Val<'c>> {
        if let Some(values) = replace(b, operation, None) {
            return values;
        }
        if let Some(body) = callee(operation).filter(|body| is_vectorizable_block(*body)) {
            let arguments: Vec<_> = ir::operands(operation).into_iter().map(|value| map.get(value)).collect();
            return self.call(b, body, &arguments, replace);
        }
        if is_elementwise(operation) {
            return self.elementwise(b, operation, map);
        }
        let used: Vec<_> = ir::descendants(operation).iter().flat_map(|inner| ir::operands(*inner)).collect();
        if !self.is_speculated && !self.differs(operation, &used, map) {
            return self.copy(b, operation, &used, map, None, replace);
        }
        if let Some(values) = self.branches(b, operation, map, replace) {
            return values;
        }
        if is_looped(operation, self.lanes) {
            let types = ir::results(operation).into_iter().map(|result| lifted(b, Some(self.lanes), result.r#type()));
            let types: Vec<_> = types.collect();
            let none: Vec<_> = types.iter().map(|ty| b.literal(0, *ty)).collect();
            return loops::carried(b, Constant(0), Constant(self.lanes), &none, &types, |b, lane, vectors| {
                let values = self.copy(b, operation, &used, map, Some(lane), replace);
                values.into_iter().zip(vectors).map(|(value, vector)| insert(b, value, *vector, lane)).collect()
            });
        }
        let by_lane: Vec<_> =
            (0..self.lanes).map(|lane| self.copy(b, operation, &used, map, Some(Constant(lane)), replace)).collect();
        let result = |i: usize| from_elements(b, &by_lane.iter().map(|values| values[i]).collect::<Vec<_>>());
        (0..ir::results(operation).len()).map(result).collect()
    }

    /// Vectorizes an operation that computes each lane of its results from the same lane of its operands.
    fn elementwise<'c>(self, b: &Builder<'c>, operation: Op<'c>, map: &ValueMap<'c>) -> Vec<Val<'c>> {
        let operands: Vec<_> = ir::operands(operation).into_iter().map(|value| map.get(value)).collect();
        let is_uniform = operands.iter().all(|operand| !operand.r#type().is_vector());
        let copy = b.clone_mapped(operation, map);
        for (i, operand) in operands.into_iter().enumerate().filter(|_| !is_uniform) {
            ir::set_operand(copy, i, lift(&b.at(copy), Some(self.lanes), operand));
        }
        let results = ir::results(copy);
        if !is_uniform {
            results.iter().for_each(|result| result.set_type(lifted(b, Some(self.lanes), result.r#type())));
        }
        results
    }

    /// Returns true if an operation that uses these values has different results in different lanes.
    fn differs<'c>(self, operation: Op<'c>, used: &[Val<'c>], map: &ValueMap<'c>) -> bool {
        let has_index = || ir::descendants(operation).iter().any(|inner| hom::Index::is(*inner));
        used.iter().any(|value| map.get(*value).r#type().is_vector()) || has_index()
    }

    /// Copies an operation on scalars: on the values of one lane, or on uniform values.
    fn copy<'c>(
        self,
        b: &Builder<'c>,
        operation: Op<'c>,
        used: &[Val<'c>],
        map: &ValueMap<'c>,
        lane: Option<EmittedIndex<'c>>,
        replace: &mut Replace<'_, 'c>,
    ) -> Vec<Val<'c>> {
        let at = |value: Val<'c>| match lane {
            Some(lane) if value.r#type().is_vector() => extract(b, value, lane),
            _ => value,
        };
        // Map only the values that the operation uses: the map may be large.
        let mut needed = ValueMap::default();
        for value in used.iter().filter(|value| map.get(**value) != **value) {
            if needed.get(*value) == *value {
                needed.extend([(*value, at(map.get(*value)))]);
            }
        }
        b.copy_mapped(operation, &needed, &mut |b, inner| replace(b, inner, lane))
    }
}

/// Returns true if an operation that cannot be vectorized is emitted in a loop over the lanes. A copy per lane gains
/// nothing if the operation is a loop itself, or long.
fn is_looped(operation: Op<'_>, lanes: i64) -> bool {
    Scalarized::of(operation).is_looped(lanes as u64)
}

/// The body of the function that an operation calls, if it is a single block, and small including its own callees.
pub fn callee(operation: Op<'_>) -> Option<Blk<'_>> {
    let body = called(operation)?;
    size(body, BUDGET).map(|_| body)
}

/// The number of operations of a block and of the functions that it calls; `None` if the callees have more than
/// `budget`.
fn size(block: Blk<'_>, budget: usize) -> Option<usize> {
    ir::block_operations(block).into_iter().try_fold(0usize, |size, operation| {
        let blocks = called(operation).map_or_else(|| ir::blocks(operation), |body| vec![body]);
        blocks.into_iter().try_fold(size + 1, |size, block| Some(size + self::size(block, budget.checked_sub(size)?)?))
    })
}

/// The body of the function that an operation calls, if it is a single block.
pub fn called(operation: Op<'_>) -> Option<Blk<'_>> {
    let function = ir::callee(operation).filter(|_| ir::name(operation) == "func.call")?;
    match ir::blocks(function)[..] {
        [body] if ir::name(function) == "func.func" => Some(body),
        _ => None,
    }
}

/// Returns true if an operation computes each lane of its results from the same lane of its operands.
fn is_elementwise(operation: Op<'_>) -> bool {
    let name = ir::name(operation);
    ir::regions(operation).is_empty() && (name.starts_with("arith.") || name.starts_with("math."))
}

/// Returns true if all values of a block can be vector elements.
pub fn is_vectorizable_block(block: Blk<'_>) -> bool {
    let values = ir::block_operations(block).into_iter().flat_map(|operation| ir::results(operation));
    ir::arguments(block).into_iter().chain(values).all(|value| is_vectorizable(value.r#type()))
}

/// Returns true if a block may execute on values of no point of the iteration space: it contains no operation that can
/// trap or diverge.
pub fn is_speculatable(block: Blk<'_>) -> bool {
    ir::block_operations(block).split_last().is_none_or(|(_, operations)| {
        let is_call = |operation| callee(operation).is_some_and(is_speculatable);
        operations.iter().all(|&operation| is_total(operation) || is_call(operation))
    })
}

/// Returns true if an elementwise operation, or `mdh.hom.index`, is defined for all operands.
fn is_total(operation: Op<'_>) -> bool {
    let traps = ["div", "rem", "ipowi"];
    let name = ir::name(operation);
    let is_float = ir::results(operation).iter().all(|result| result.r#type().is_float());
    let can_trap = !is_float && traps.iter().any(|trap| name.contains(trap));
    name == hom::Index::NAME || (is_elementwise(operation) && !can_trap)
}
