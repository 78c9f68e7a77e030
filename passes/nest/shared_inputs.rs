//! Inputs of producers that all parts read: they are copied once, before the loops of the consumer.
//!
//! A producer copies an input at its outermost position for each of its parts. If the copy does not depend on the part,
//! as that of the second matrix of a product whose rows are computed in parts, one copy serves all of them.
//!
//! ```text
//! for i in 0..8:                                      for all parts of computation 1:
//!   compute a part of computation 1:                    promote input 2 to L2[2, 1, 2]:
//!     promote input 2 to L2[2, 1, 2]:          ──▶        ..
//!       ..                                            for i in 0..8:
//!     ..                                                compute a part of computation 1:
//!                                                         ..
//! ```
use super::{
    construction::Construction,
    cursor::{Cursor, SharedInput},
    index::Index::Constant,
    record::promote,
    space::IterationSpace,
    tree::Purpose,
    workload::{PartRange, Producer},
};
use crate::{
    analysis::index::Access,
    plan::{LoopPlan, PlannedPromotion, order::Phases},
};

/// Copies the inputs that all parts of producers read. The cursor is at the entry of the nest. `is_parallel`: true if
/// threads copy them.
pub fn share_inputs<'t>(nest: &Construction<'_, 't>, cursor: &mut Cursor<'t>, is_parallel: bool) {
    let inside_loops = |number: &usize| nest.places[*number].depth > 0;
    let producers = nest.workload.producers.iter().zip(&nest.producers).enumerate();
    for (number, (producer, sources)) in producers.filter(|(number, _)| inside_loops(number)) {
        if !(0..producer.workload.inputs.len()).any(|input| is_shared(producer, input)) {
            continue;
        }
        let inside = cursor.within(Purpose::Share { producer: number });
        // The sizes of the copies depend on the part counts.
        let b = cursor.scope.builder();
        let part = |d: usize, range: &PartRange| match (Constant(range.low), range.spread()) {
            part if range.coefficients.is_empty() => range.inside(&b, part, sources.extents[d]),
            // A dimension that moves with the part is in no index of these inputs, so any extent of it will do.
            part => part,
        };
        let (firsts, extents): (Vec<_>, Vec<_>) = producer.dimensions(&sources.extents, part).unzip();
        let space = IterationSpace::new(&b, extents, &producer.schedule).starting_at(firsts);
        let phases = Phases::of(&producer.schedule);
        let nest = Construction::new(nest.recorder, &producer.workload, &phases, space, &sources.inputs, None);
        let mut own = Cursor {
            is_in_parallel_loop: cursor.is_in_parallel_loop,
            ..Cursor::new(&nest, inside.b, cursor.scope.clone())
        };
        let plan = nest.plan(&own, nest.home_placements());
        for promotion in outermost_copies(&plan).filter(|promotion| is_shared(producer, promotion.input)) {
            promote::promote_input(&nest, &mut own, promotion, is_parallel, &mut vec![]);
            let (promotion, sources) = (promotion.clone(), own.sources[promotion.input].clone());
            cursor.shared.push(SharedInput { producer: number, promotion, sources });
        }
    }
}

/// The inputs that are copied at the entry of a nest, once.
fn outermost_copies(plan: &LoopPlan) -> impl Iterator<Item = &PlannedPromotion> {
    let steps = &plan.body.entry.promotions;
    let first = steps.iter().take_while(|step| step.position == 0).flat_map(|step| &step.inputs);
    let is_once = |promotion: &&PlannedPromotion| {
        let all = steps.iter().flat_map(|step| &step.inputs);
        !promotion.is_home && all.filter(|other| other.input == promotion.input).count() == 1
    };
    first.filter(is_once)
}

/// True if the elements of an input that a part of a producer reads are the same for all parts.
pub fn is_shared(producer: &Producer, input: usize) -> bool {
    let input = &producer.workload.inputs[input];
    input.producer.is_none() && input.accesses.iter().all(|access| !depends_on_parts(&producer.ranges, access))
}

/// True if the elements of an access depend on the part, whose indices are these ranges.
pub fn depends_on_parts(ranges: &[Option<PartRange>], access: &Access) -> bool {
    let is_moving = |range: &PartRange| !range.coefficients.is_empty();
    ranges.iter().enumerate().any(|(d, range)| range.as_ref().is_some_and(is_moving) && access.depends_on(d))
}
