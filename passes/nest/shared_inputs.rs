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
    construction::{Construction, construction_without_tiles},
    cursor::{Cursor, SharedInput},
    index::Index::Constant,
    producers::depth,
    space::IterationSpace,
    tree::Purpose,
    workload::{PartRange, Producer},
};
use crate::analysis::index::Access;
use mdh_dialects::schedule::model::Placement;

impl<'t> Construction<'_, 't> {
    /// Copies the inputs that all parts of producers read. The cursor is at the entry of the nest.
    pub fn share_inputs(&self, cursor: &mut Cursor<'t>) {
        let inside_loops = |producer: &&Producer| depth(self.schedule, producer.level) > 0;
        let producers = self.workload.producers.iter().zip(&self.producers).enumerate();
        for (number, (producer, sources)) in producers.filter(|(_, (producer, _))| inside_loops(producer)) {
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
            let Producer { workload, schedule, .. } = producer;
            let nest =
                construction_without_tiles(self.recorder, workload, schedule, space, &sources.inputs).with_tiles();
            let mut own = Cursor {
                is_in_parallel_loop: cursor.is_in_parallel_loop,
                ..Cursor::new(&nest, inside.b, cursor.scope.clone())
            };
            for (step, input, placement) in nest.outermost_copies(&own) {
                if !is_shared(producer, input) {
                    continue;
                }
                let is_parallel = self.distributes_inside(cursor);
                nest.promote_input(&mut own, (step, input), &placement, is_parallel, &mut vec![]);
                let sources = own.sources[input].clone();
                cursor.shared.push(SharedInput { producer: number, input, placement, sources });
            }
        }
    }

    /// The inputs that are copied at the entry of the nest, once: the step, the input, and the placement of the copy.
    fn outermost_copies(&self, cursor: &Cursor<'t>) -> Vec<(usize, usize, Placement)> {
        let moves = self.placements_at(cursor, false);
        let Some((step, placements)) = moves.first() else { return vec![] };
        let is_copied = |(input, placement): &(usize, &Placement)| {
            **placement != self.home_inputs[*input] && moves.iter().all(|(_, others)| others[*input] == **placement)
        };
        let copied = placements.iter().enumerate().filter(is_copied);
        copied.map(|(input, placement)| (*step, input, placement.clone())).collect()
    }
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
