//! Initial values: the result of each element is `init ∘ fold`, with the initial value leftmost and once.
//!
//! ```text
//! R: i (++), k (+)   ──▶   the loop over k carries on from the initial value of i
//! R: k (+), i (++)   ──▶   the results are filled with the initial values; each part is combined into them
//! R: k (COR, +)      ──▶   partial results start without them; their combination is combined into them
//! R: i (ps +)        ──▶   the value of the first index is combined with the carry that comes in
//! ```
//!
//! An accumulator of the user's results thus begins with contents ([`Accumulator::inits`]), and accumulators of partial
//! results begin without. In a scan, one result continues another, so the carry is combined into the first value
//! instead: that of index 0 in all dimensions that are combined. By associativity both give the same result.
//!
//! ```mlir
//! // mdh-opt --lower-mdh="stop-after=loops print-nest=true"
//! mdh.lowlevel.system @simple memory [MM: global] cores []
//! func.func @rows(%M: memref<6x8xf32>, %c: memref<6xf32>, %w: memref<6xf32>) {
//!   %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
//!   %i = mdh.view.inp_view %c[affine_map<(i, k) -> (i)>] : (memref<6xf32>) -> !mdh.mda<6x1, f32>
//!   %r = mdh.hom.md_hom %in init(%i : !mdh.mda<6x1, f32>) combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple,
//!       parts = [[6, 8]], decompose = {tags = [["MM,x", "MM,y"]]}}} {
//!   ^bb0(%a: f32):
//!     mdh.hom.yield %a : f32
//!   } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
//!   mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<6x1, f32>, memref<6xf32>
//!   return
//! }
//! ```
//! becomes
//! ```text
//! for p1_1 in 0..6:
//!   level (1, 2) carried:
//!     %0 = load initial value 1[p1_1]
//!     %1 = for p1_2 in 0..8 carrying (%2 = %0):
//!       %3 = load input 1[p1_1, p1_2]
//!       %4 = scalar (%3)
//!       %5 = accumulate (%2) with (%4)
//!       yield %5
//!     store %1 to output 1[p1_1]
//! ```
use super::{
    accumulator::{Accumulator, elements},
    code::Code,
    construction::Construction,
    contents::{ContentKind, Contents},
    cursor::Cursor,
    index::Index::Constant,
    initial::{InitialSource, InitialValues, StartValue},
    lanes::{Mask, lift, lifted},
    loops::{self, Scope},
    record::iterate,
    space::Point,
    store::Store,
    tile::{PointVector, and},
    tree::{Purpose, Value},
    types::Element,
    workload::Initial,
};
use crate::{
    analysis::index::Access,
    plan::{Cause, LoopPlan},
};
use mdh_dialects::{ir::IntPredicate, schedule::model::Placement};
use std::rc::Rc;

impl InitialValues {
    /// The initial values of a computation; `None` if it has none. `sources`: by component, the scalar or the buffer;
    /// `None` for constants and updates in place. `outputs`: the destinations of the components. Elements that an
    /// output may overwrite are copied at `b`.
    pub fn new(
        b: &Code<'_>,
        scope: &Scope<'_>,
        nest: &Construction<'_, '_>,
        sources: &[Option<InitialSource>],
        outputs: &[Store],
    ) -> Option<Self> {
        let workload = nest.workload;
        let value = |(i, (initial, source)): (usize, (&Initial, &Option<InitialSource>))| {
            let element = workload.output_types[i];
            match (initial, source) {
                (Initial::InPlace, _) => StartValue::Elements(outputs[i].clone()),
                (_, None) => StartValue::Constant(i, element),
                (_, Some(InitialSource::Scalar(scalar))) => StartValue::Scalar(*scalar),
                (Initial::Elements { access, is_overwritten, .. }, Some(InitialSource::Buffer(buffer))) => {
                    let access = access.at_first(|d| workload.operators[d].combines());
                    let store = Store::user(*buffer, element, &access, &workload.operators);
                    // A device has separate copies of all buffers.
                    StartValue::Elements(match *is_overwritten && nest.kernels.is_none() {
                        true => copy(b, scope, nest, (i, element), &store),
                        false => store,
                    })
                }
                (_, Some(InitialSource::Buffer(buffer))) => {
                    let access = Access::new([]);
                    StartValue::Elements(Store::user(*buffer, element, &access, &workload.operators))
                }
            }
        };
        let values: Vec<_> = workload.inits.iter().zip(sources).enumerate().map(value).collect();
        let are_in_place = workload.inits.iter().all(|initial| matches!(initial, Initial::InPlace));
        (!values.is_empty()).then(|| Self { values: Rc::new(values), are_in_place })
    }
}

/// Copies the elements of an initial value that an output may overwrite.
fn copy(
    b: &Code<'_>,
    scope: &Scope<'_>,
    nest: &Construction<'_, '_>,
    (component, element): (usize, Element),
    from: &Store,
) -> Store {
    let (workload, space) = (nest.workload, &nest.space);
    let kept: Vec<_> = (0..workload.rank()).filter(|&d| workload.operators[d].concatenates()).collect();
    let point = Point::new(space);
    let placement = Placement::new("", (1..=kept.len()).collect::<Vec<_>>());
    let contents = Contents::new(ContentKind::Initial(component), Cause::Computation, &placement);
    let to = Store::allocate(scope, space, &point, &kept, &[], element, contents);
    elements(b, space, &point, &kept, &mut |b, point| {
        let element = PointVector { point: point.clone(), mask: Mask::default() };
        let value = from.load(b, space, &element, None);
        to.address(b, space, point, None).store(b, None, &element.mask, value);
    });
    to
}

/// Begins with initial values: scans with a carry that comes in, other computations with an accumulator that has
/// contents, which is returned.
pub fn start<'t>(nest: &mut Construction<'_, 't>, inits: Option<InitialValues>, outputs: Accumulator) -> Accumulator {
    if nest.workload.has_scan() {
        nest.carry_in = inits;
        return outputs;
    }
    Accumulator { inits, ..outputs }
}

/// Generates all loops. If a reduced dimension inside of a scan is empty, there is no first value: all results are
/// the carry that comes in.
pub fn generate_or_fill<'t>(nest: &Construction<'_, 't>, plan: &LoopPlan, cursor: &Cursor<'t>, outputs: Accumulator) {
    let Some(carry) = nest.carry_in.as_ref().filter(|_| nest.workload.carries_into_reduction()) else {
        return nest.generate(plan, cursor.clone(), outputs);
    };
    let reduced = (0..nest.space.rank()).filter(|&d| nest.workload.operators[d].reduces());
    let extents: Vec<_> = reduced.map(|d| nest.space.extent(d)).collect();
    if extents.iter().any(|extent| extent.constant() == Some(0)) {
        return fill(nest, cursor, &outputs, carry);
    }
    let b = &cursor.b;
    let open = extents.iter().filter(|extent| extent.constant().is_none());
    let exists = open.fold(None, |all, extent| Some(and(b, all, extent.compare(b, IntPredicate::Sgt, Constant(0)))));
    let Some(exists) = exists else { return nest.generate(plan, cursor.clone(), outputs) };
    let version = |b: &Code<'t>, exists: bool| {
        let cursor = Cursor { b: *b, ..cursor.clone() };
        match exists {
            true => nest.generate(plan, cursor, outputs.clone()),
            false => fill(nest, &cursor, &outputs, carry),
        }
        vec![]
    };
    loops::branch(b, exists, &[], |b| version(b, true), |b| version(b, false));
}

/// Fills an accumulator before its first reduction: with the initial values, or else with the identity if the
/// combining function has one.
pub fn initialize<'t>(nest: &Construction<'_, 't>, cursor: &Cursor<'t>, into: &Accumulator) {
    if let Some(inits) = into.inits.as_ref().filter(|_| into.entered.is_empty()) {
        return fill(nest, cursor, into, inits);
    }
    let Some(combiner) = nest.combiner.as_ref().filter(|c| into.entered.is_empty() && c.has_identity) else {
        return;
    };
    let (lanes, into) = (cursor.tile.lanes(), into.cached());
    iterate::each_element(nest, &cursor.within(Purpose::Initialize), &mut |cursor, b, point| {
        cursor.guarded(b, |b| {
            let Some(identity) = combiner.identity(b) else { return };
            for element in cursor.tile.elements(b, &nest.space, point) {
                into.store_element(b, &nest.space, &element, lanes, &identity);
            }
        });
    });
}

/// Fills an accumulator with initial values, unless they are its contents.
pub fn fill<'t>(nest: &Construction<'_, 't>, cursor: &Cursor<'t>, into: &Accumulator, inits: &InitialValues) {
    if inits.are_in_place {
        return;
    }
    let (lanes, into) = (cursor.tile.lanes(), into.cached());
    iterate::each_element(nest, &cursor.within(Purpose::Initialize), &mut |cursor, b, point| {
        cursor.guarded(b, |b| {
            for element in cursor.tile.elements(b, &nest.space, point) {
                let values = inits.load(b, &nest.space, &element, lanes);
                into.store_element(b, &nest.space, &element, lanes, &values);
            }
        });
    });
}

/// Combines the carry that comes into a scan with the values of elements of a tile, if these are the first values:
/// those of index 0 in all dimensions that are combined.
pub fn with_carry_in<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    elements: &[PointVector],
    values: Vec<Vec<Value>>,
) -> Vec<Vec<Value>> {
    let (Some(carry), Some(combiner)) = (&nest.carry_in, &nest.combiner) else { return values };
    if cursor.is_after_first {
        return values;
    }
    let (b, lanes) = (&cursor.b, cursor.tile.lanes());
    let types: Vec<_> = combiner.types.iter().map(|element| lifted(lanes, *element)).collect();
    let operators = &nest.workload.operators;
    let with = |(element, values): (&PointVector, Vec<Value>)| {
        let combined = (0..operators.len()).filter(|&d| operators[d].combines());
        let mut is_first = None;
        for d in combined {
            let numbers = &element.point.fixed[d];
            if numbers.iter().any(|(_, number)| number.constant().is_some_and(|number| number > 0)) {
                return values;
            }
            for (_, number) in numbers.iter().filter(|(_, number)| number.constant() != Some(0)) {
                is_first = Some(and(b, is_first, number.compare(b, IntPredicate::Eq, Constant(0))));
            }
        }
        let values: Vec<_> = values.into_iter().map(|value| lift(b, lanes, value)).collect();
        let combine = |b: &Code<'t>| {
            let carry = carry.load(b, &nest.space, element, lanes);
            combiner.combine(b, &carry, &values, lanes)
        };
        match is_first {
            Some(is_first) => loops::branch(b, is_first, &types, combine, |_| values.clone()),
            None => combine(b),
        }
    };
    elements.iter().zip(values).map(with).collect()
}
