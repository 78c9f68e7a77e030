//! `mdh-tag-operators`: assigns each step to a level of the system (D2, S2, R2).
//!
//! ```text
//! mdh.lowlevel.decompose %in level(1, 1) parts 2 : …
//! ->
//! mdh.lowlevel.decompose %in level(1, 1) parts 2 tag #mdh.tag<COR, x> : …
//! ```
use super::chain;
use crate::{analysis::computation::Computation, schedule::model::Tag};
use mdh_dialects::{
    ir::{self, Op},
    lowlevel::tag_attribute,
    pass::{Failure, MdhPass},
};
use melior::ir::attribute::ArrayAttribute;

/// The pass.
pub struct TagOperators;

impl MdhPass for TagOperators {
    const NAME: &'static str = "TagOperators";
    const ARGUMENT: &'static str = "mdh-tag-operators";
    const DESCRIPTION: &'static str = "Assign low-level steps to levels of the system";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        run(module)
    }
}

/// Tags every step of every chain in and below an operation; a chain with tags stays as it is.
pub fn run<'c>(root: Op<'c>) -> Result<(), Failure<'c>> {
    for computation in Computation::all(root).iter().filter(|c| ir::name(c.hom) == "mdh.lowlevel.scalar") {
        let scalar = computation.hom;
        let Some(schedule) = chain::attached(computation)? else {
            chain::require(computation, "tag", "tags")?;
            continue;
        };
        let context = ir::context(scalar);
        let attribute = |tag: &Tag| tag_attribute(context, &tag.layer, tag.dimension as i64 + 1);
        for (operations, steps) in [
            (&computation.decompose, schedule.decompose.iter().collect::<Vec<_>>()),
            (&computation.recompose, schedule.recompose.iter().rev().collect()),
        ] {
            for (operation, step) in operations.iter().zip(steps) {
                ir::set_attribute(*operation, "tag", attribute(&step.tag));
            }
        }
        let mut order: Vec<_> = schedule.scalar.order.iter().collect();
        order.sort_by_key(|(level, _)| *level);
        let tags: Vec<_> = order.iter().map(|(_, tag)| attribute(tag)).collect();
        ir::set_attribute(scalar, "tags", ArrayAttribute::new(context, &tags).into());
    }
    Ok(())
}
