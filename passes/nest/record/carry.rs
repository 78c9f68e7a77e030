//! Reductions whose results stay in registers, with register tiles around and inside of their loops.
//!
//! ```mlir
//! // mdh-opt --lower-mdh="stop-after=loops print-nest=true"
//! mdh.lowlevel.system @tiles memory [MM: global, REG: registers] cores [SIMD: lanes] combine [REG]
//! func.func @matmul(%A: memref<2x32xf32>, %B: memref<32x16xf32>, %C: memref<2x16xf32>) {
//!   %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>] : (memref<2x32xf32>, memref<32x16xf32>) -> !mdh.mda<2x16x32, f32, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @tiles, parts = [[1, 1, 32], [2, 1, 1], [1, 16, 1]],
//!       decompose = {tags = [["MM,x", "MM,y", "MM,z"], ["REG,x", "REG,y", "REG,z"], ["SIMD,x", "SIMD,y", "SIMD,z"]]}}} {
//!   ^bb0(%a: f32, %b: f32):
//!     %p = arith.mulf %a, %b : f32
//!     mdh.hom.yield %p : f32
//!   } : !mdh.mda<2x16x32, f32, f32> -> !mdh.mda<2x16x1, f32>
//!   mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] into %C : !mdh.mda<2x16x1, f32>, memref<2x16xf32>
//!   return
//! }
//! ```
//! becomes
//! ```text
//! level (1, 3) carried:
//!   unroll level (2, 1) by 2, vectorize level (3, 2) by 16:
//!     %c, %d = for p1_3 in 0..32 carrying (%e = .., %f = ..):
//!       %x = load input 1[0, p1_3]
//!       %b = load 16 of input 2[p1_3, 0]
//!       %p = scalar (%x, %b) on 16 lanes
//!       %y = load input 1[1, p1_3]
//!       %q = scalar (%y, %b) on 16 lanes
//!       %g = combine (%e) with (%p) on 16 lanes
//!       %h = combine (%f) with (%q) on 16 lanes
//!       yield %g, %h
//!     store %c to 16 of output 1[0, 0]
//!     store %d to 16 of output 1[1, 0]
//! ```
use crate::{
    nest::{
        accumulator::Accumulator,
        code::Code,
        construction::Construction,
        cursor::Cursor,
        index::Index::Constant,
        initialize,
        lanes::{fold, lift, lifted},
        loops,
        operators::Combiner,
        partial_sums::PartialSums,
        record::{deliver, iterate, unroll},
        tile::and,
        tree::Value,
        types::Type,
    },
    plan::{CarryStart, PlanNode, PlannedCarry, PlannedLoop, PlannedTile, Summation, tile::TileAxis},
};
use mdh_dialects::ir::IntPredicate;

/// The innermost reduction: the results are loop-carried in registers and stored once.
pub fn reduce_carried<'t>(
    nest: &Construction<'_, 't>,
    planned: &PlannedCarry,
    cursor: &Cursor<'t>,
    into: &Accumulator,
) {
    let Some(combiner) = &nest.combiner else { return };
    let reduce = |cursor: &Cursor<'t>| {
        let (b, lanes) = (&cursor.b, cursor.tile.lanes());
        let elements = || cursor.tile.elements(b, &nest.space, &cursor.point);
        let initial = match (planned.start, &into.inits) {
            (CarryStart::InitialValues, Some(inits)) => {
                Some(elements().iter().flat_map(|element| inits.load(b, &nest.space, element, lanes)).collect())
            }
            (CarryStart::Results, _) => Some(
                elements()
                    .iter()
                    .flat_map(|element| into.load_element(b, &nest.space, element, lanes))
                    .collect::<Vec<_>>(),
            ),
            _ => None,
        };
        let is_started = initial.is_some();
        let values = carry(nest, &planned.node, cursor, initial);
        let values: Vec<_> = values.chunks(combiner.types.len()).map(<[_]>::to_vec).collect();
        let into = match is_started {
            true if into.entered.is_empty() => Accumulator { inits: None, ..into.clone() },
            true => Accumulator { entered: vec![], inits: None, ..into.cached() },
            false => into.clone(),
        };
        deliver::deliver_tile(nest, cursor, &into, &values);
    };
    let is_empty = |d: &&usize| !combiner.has_identity && !deliver::is_inhabited(nest, **d);
    let empty: Vec<_> = planned.reduced.iter().filter(is_empty).copied().collect();
    unroll::unroll_and_jam(nest, cursor, &planned.tile, Some(into), &[], &mut |cursor| {
        // Without an identity the first value initializes the reduction, but an empty dimension has no values.
        let b = &cursor.b;
        let exists = empty.iter().fold(None, |exists, &d| {
            let extent = nest.space.extent(d);
            Some(and(b, exists, extent.compare(b, IntPredicate::Sgt, Constant(0))))
        });
        let Some(exists) = exists else {
            reduce(cursor);
            return vec![];
        };
        let then = |b: &Code<'t>| {
            reduce(&Cursor { b: *b, ..cursor.clone() });
            vec![]
        };
        let otherwise = |b: &Code<'t>| {
            if let Some(inits) = into.inits.as_ref().filter(|_| into.entered.is_empty()) {
                initialize::fill(nest, &Cursor { b: *b, ..cursor.clone() }, into, inits);
            }
            vec![]
        };
        loops::branch(b, exists, &[], then, otherwise)
    });
}

/// The values of all elements of the register tile, reduced over loops and tiles of the plan. `initial`: the values to
/// accumulate onto; `None` to begin with the identity, or with the first value.
pub fn carry<'t>(
    nest: &Construction<'_, 't>,
    node: &PlanNode,
    cursor: &Cursor<'t>,
    initial: Option<Vec<Value>>,
) -> Vec<Value> {
    let Some(combiner) = &nest.combiner else { return vec![] };
    let PlanNode::Loop(planned) = node else {
        let values = match node {
            PlanNode::Tile(tile) => fold_tile(nest, tile, cursor, combiner),
            _ => deliver::leaf(nest, cursor).concat(),
        };
        return match initial {
            Some(initial) => accumulate(nest, cursor, combiner, &initial, &values),
            None => values,
        };
    };
    let (b, PlannedLoop { level, body, .. }) = (&cursor.b, &**planned);
    let (first, initial) = match (initial, combiner.has_identity) {
        (Some(initial), _) => (Constant(0), initial),
        (None, true) => (Constant(0), identities(cursor, combiner)),
        (None, false) => {
            let mut inner = cursor.inside(b, *level, Constant(0));
            nest.enter(&mut inner, &body.entry);
            (Constant(1), carry(nest, &body.node, &inner, None))
        }
    };
    let identity = match planned.summation {
        Summation::Blocks(_) => identities(cursor, combiner),
        Summation::Whole | Summation::Each => vec![],
    };
    let add = |b: &Code<'t>, left: &[Value], right: &[Value]| {
        combine(&Cursor { b: *b, ..cursor.clone() }, combiner, left, right)
    };
    let partial_sums = match planned.summation {
        Summation::Blocks(block) => Some(PartialSums { block, identity: &identity, add: &add }),
        Summation::Whole | Summation::Each => None,
    };
    let level = planned.collective_level();
    iterate::sequential_in_blocks(
        nest,
        cursor,
        level,
        first,
        &initial,
        partial_sums.as_ref(),
        &mut |mut inner, carried| {
            nest.enter(&mut inner, &body.entry);
            if planned.is_one_sum && planned.summation != Summation::Each {
                return carry(nest, &body.node, &inner, Some(carried.to_vec()));
            }
            let values = carry(nest, &body.node, &inner, None);
            accumulate(nest, &inner, combiner, carried, &values)
        },
    )
}

/// The values of a reduced level of the register tile, combined.
fn fold_tile<'t>(
    nest: &Construction<'_, 't>,
    tile: &PlannedTile,
    cursor: &Cursor<'t>,
    combiner: &Combiner,
) -> Vec<Value> {
    let types = types(cursor, combiner);
    unroll::unroll_and_jam(nest, cursor, &tile.axes, None, &types, &mut |inner| {
        let values = carry(nest, &tile.node, inner, None);
        tile.axes.levels().into_iter().fold(values, |values, axis| fold_axis(nest, inner, combiner, axis, &values))
    })
}

/// The identity at each element of the register tile, of a function that has one.
fn identities<'t>(cursor: &Cursor<'t>, combiner: &Combiner) -> Vec<Value> {
    let (b, lanes) = (&cursor.b, cursor.tile.lanes());
    let identity = combiner.identity(b).unwrap_or_default();
    let identity: Vec<_> = identity.into_iter().map(|value| lift(b, lanes, value)).collect();
    identity.repeat(cursor.tile.values() as usize)
}

/// The types of the values of all elements of the register tile.
fn types<'t>(cursor: &Cursor<'t>, combiner: &Combiner) -> Vec<Type> {
    let lanes = cursor.tile.lanes();
    let types: Vec<_> = combiner.types.iter().map(|element| lifted(lanes, *element)).collect();
    types.repeat(cursor.tile.values() as usize)
}

/// `left ∘ right` at all elements of the register tile.
pub fn combine<'t>(cursor: &Cursor<'t>, combiner: &Combiner, left: &[Value], right: &[Value]) -> Vec<Value> {
    let (b, lanes, width) = (&cursor.b, cursor.tile.lanes(), combiner.types.len());
    left.chunks(width).zip(right.chunks(width)).flat_map(|(x, y)| combiner.combine(b, x, y, lanes)).collect()
}

/// `left ∘ right` at those points of the tile that are inside of the iteration space, `left` elsewhere.
fn accumulate<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    combiner: &Combiner,
    left: &[Value],
    right: &[Value],
) -> Vec<Value> {
    let (b, lanes) = (&cursor.b, cursor.tile.lanes());
    if cursor.tile.axes.is_empty() {
        return combiner.accumulate(b, left, right);
    }
    let combined = combine(cursor, combiner, left, right);
    let reduces = |axis: &TileAxis| nest.workload.operators[axis.level.dimension].reduces();
    if !cursor.tile.axes.iter().any(|axis| reduces(axis) && cursor.tile.checks(axis.level.dimension)) {
        return combined;
    }
    let elements = cursor.tile.elements(b, &nest.space, &cursor.point);
    let width = combiner.types.len();
    let mut values = vec![];
    for ((element, new), old) in elements.iter().zip(combined.chunks(width)).zip(left.chunks(width)) {
        let condition = element.mask.condition(b, lanes);
        values.extend(new.iter().zip(old).map(|(new, old)| condition.map_or(*new, |c| b.select(c, *new, *old))));
    }
    values
}

/// Reduces the innermost axis of the register tile, by combining its parts.
fn fold_axis<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    combiner: &Combiner,
    axis: TileAxis,
    values: &[Value],
) -> Vec<Value> {
    let (b, width) = (&cursor.b, combiner.types.len());
    let elements = cursor.tile.elements(b, &nest.space, &cursor.point);
    if let Some(lanes) = cursor.tile.lanes().filter(|_| axis.is_lanes) {
        let folded = elements.iter().zip(values.chunks(width));
        return folded.flat_map(|(element, values)| fold(b, lanes, element.mask.lanes, values, combiner)).collect();
    }
    let lanes = cursor.tile.lanes();
    let mut folded = vec![];
    let parts: Vec<_> = elements.iter().zip(values.chunks(width)).collect();
    for parts in parts.chunks(axis.count as usize) {
        let Some(((_, first), rest)) = parts.split_first() else { continue };
        folded.extend(rest.iter().fold(first.to_vec(), |sum, (element, values)| {
            let combined = combiner.combine(b, &sum, values, lanes);
            let condition = element.mask.condition(b, lanes).filter(|_| cursor.tile.checks(axis.level.dimension));
            let chosen = combined.iter().zip(&sum);
            chosen.map(|(new, old)| condition.map_or(*new, |c| b.select(c, *new, *old))).collect()
        }));
    }
    folded
}
