//! `mdh-promote-memory`: gives each step the memory regions and layouts of its buffers (D3, D4, S3 to S6, R3, R4). The chain
//! holds all tuning parameters then, so the schedule's attribute goes.
//!
//! ```text
//! mdh.lowlevel.decompose %in level(3, 1) parts 32 tag #mdh.tag<L1, x> : …
//! ->
//! mdh.lowlevel.decompose %in level(3, 1) parts 32 tag #mdh.tag<L1, x> reads [HM[1, 2], L1[1]] : …
//! ```
use super::chain;
use crate::{analysis::computation::Computation, schedule::model::Placement};
use mdh_dialects::{
    ir::{self, Op},
    lowlevel,
    pass::{Failure, MdhPass},
};
use melior::ir::{Attribute, attribute::ArrayAttribute};

/// The pass.
pub struct PromoteMemory;

impl MdhPass for PromoteMemory {
    const NAME: &'static str = "PromoteMemory";
    const ARGUMENT: &'static str = "mdh-promote-memory";
    const DESCRIPTION: &'static str = "Give low-level steps their memory regions and layouts";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        run(module)
    }
}

/// Places the buffers of every chain in and below an operation; a chain with placements stays as it is.
pub fn run<'c>(root: Op<'c>) -> Result<(), Failure<'c>> {
    for computation in Computation::all(root).iter().filter(|c| ir::name(c.hom) == "mdh.lowlevel.scalar") {
        let scalar = computation.hom;
        chain::require(computation, "tag", "tags")?;
        let Some(schedule) = chain::attached(computation)? else {
            chain::require_placements(computation)?;
            continue;
        };
        let set = |operation: Op<'c>, name: &str, placements: &[Placement]| {
            let context = ir::context(operation);
            let attribute = |placement: &Placement| -> Attribute<'c> {
                let region = placement.region.clone();
                let layout = placement.layout.iter().map(|&d| d as i64 + 1).collect();
                let (pad, buffers) = (placement.pad as i64, placement.buffers as i64);
                lowlevel::Placement { region, layout, pad, buffers }.attribute(context)
            };
            let list: Vec<_> = placements.iter().map(attribute).collect();
            ir::set_attribute(operation, name, ArrayAttribute::new(context, &list).into());
        };
        for (operation, step) in computation.decompose.iter().zip(&schedule.decompose) {
            set(*operation, "reads", &step.placements);
        }
        set(scalar, "reads", &schedule.scalar.reads);
        set(scalar, "writes", &schedule.scalar.writes);
        for (operation, step) in computation.recompose.iter().zip(schedule.recompose.iter().rev()) {
            set(*operation, "writes", &step.placements);
        }
        ir::remove_attribute(scalar, chain::SCHEDULE);
    }
    Ok(())
}
