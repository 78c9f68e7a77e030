//! Plans as text.
//!
//! ```text
//! for level (1, 1), 2 parts:
//!   promote input 1 to L1[2, 1] (D (2, 1))
//!   unroll level (2, 1) by 4:
//!     in registers:
//!       for level (1, 2), 16 parts, carried:
//!         scalar function
//! ```
use super::{
    CarryStart, Cause, DistributedLevels, KernelPhase, LoopPlan, PlanNode, PlannedAxes, PlannedBody, PlannedEntry,
    PlannedLoop, PlannedScalarPhase, Summation,
    runner::{Combination, Runner},
    tile::TileAxis,
};
use mdh_dialects::schedule::{
    model::{Level, Placement},
    rules::name,
};
use std::fmt;

impl fmt::Display for LoopPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = PlanPrinter { text: String::new() };
        printer.body(&self.body, 0);
        f.write_str(&printer.text)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Computation => Ok(()),
            Self::Producer(level) => write!(f, "at {}", name(*level)),
            Self::Decompose(_, level) => write!(f, "D {}", name(*level)),
            Self::Scalar => f.write_str("S"),
            Self::Recompose(_, level) => write!(f, "R {}", name(*level)),
        }
    }
}

struct PlanPrinter {
    text: String,
}

impl PlanPrinter {
    fn line(&mut self, depth: usize, text: &str) {
        self.text += &"  ".repeat(depth);
        self.text += text;
        self.text.push('\n');
    }

    fn body(&mut self, body: &PlannedBody, depth: usize) {
        self.entry(&body.entry, depth);
        self.node(&body.node, depth);
    }

    fn entry(&mut self, entry: &PlannedEntry, depth: usize) {
        for producer in &entry.producers {
            self.line(depth, &format!("compute a part of producer {}", producer + 1));
        }
        for step in &entry.promotions {
            for promotion in &step.inputs {
                let (input, cause) = (promotion.input + 1, promotion.cause);
                let how = match (step.has_barriers, entry.is_parallel) {
                    (true, _) => ", between barriers",
                    (false, true) => ", on threads",
                    (false, false) => "",
                };
                self.line(
                    depth,
                    &match promotion.is_home {
                        true => format!("read input {input} from the user's buffer ({cause})"),
                        false => format!("promote input {input} to {}{how} ({cause})", promotion.placement),
                    },
                );
            }
        }
        if let Some(phase) = &entry.scalar_phase {
            self.scalar_phase(phase, depth);
        }
    }

    fn scalar_phase(&mut self, phase: &PlannedScalarPhase, depth: usize) {
        let alone = if phase.is_redundant { ", in each thread" } else { "" };
        self.line(depth, &format!("scalar phase into {}{alone}:", placements(&phase.placements)));
        let mut depth = depth + 1;
        if let Some(kernel) = &phase.kernel {
            self.kernel(kernel, depth);
            depth += 1;
        }
        self.entry(&phase.entry, depth);
        for planned in &phase.loops {
            self.line(depth, &format!("{}:", runner(planned.runner, planned.level, planned.count)));
            depth += 1;
            self.entry(&planned.entry, depth);
        }
        self.line(depth, "scalar function");
    }

    fn kernel(&mut self, kernel: &DistributedLevels, depth: usize) {
        let level = |known: &super::DistributedLevel| {
            let phase = match known.phase {
                KernelPhase::Both => "",
                KernelPhase::Scalar => " of S",
                KernelPhase::Recompose => " of R",
            };
            let count = known.count.map_or(String::new(), |count| format!(" × {count}"));
            format!("{} {}{count}{phase}", known.role.name(), name(known.level))
        };
        let levels: Vec<_> = kernel.levels.iter().map(level).collect();
        let levels = if levels.is_empty() { "one thread".to_owned() } else { levels.join(", ") };
        self.line(depth, &format!("kernel of {levels}:"));
    }

    fn node(&mut self, node: &PlanNode, depth: usize) {
        match node {
            PlanNode::Kernel(kernel) => {
                self.kernel(&kernel.distributed, depth);
                self.body(&kernel.body, depth + 1);
            }
            PlanNode::Accumulate(buffer) => {
                self.line(depth, &format!("results in {} ({}):", placements(&buffer.placements), buffer.cause));
                self.node(&buffer.node, depth + 1);
            }
            PlanNode::Tile(tile) => self.tile(&tile.axes, &tile.node, depth),
            PlanNode::Carry(carry) => {
                let start = match carry.start {
                    CarryStart::Anew => "",
                    CarryStart::InitialValues => ", from the initial values",
                    CarryStart::Results => ", from the results so far",
                };
                self.line(depth, &format!("in registers{start}:"));
                self.tile(&carry.tile, &carry.node, depth + 1);
            }
            PlanNode::Loop(planned) => self.parts(planned, depth),
            PlanNode::Leaf { is_loaded: true } => self.line(depth, "results of the scalar phase"),
            PlanNode::Leaf { is_loaded: false } => self.line(depth, "scalar function"),
        }
    }

    fn tile(&mut self, axes: &PlannedAxes, node: &PlanNode, depth: usize) {
        if axes.axes.is_empty() {
            return self.node(node, depth);
        }
        let axis = |axis: &TileAxis| {
            let word = if axis.is_lanes { "vectorize" } else { "unroll" };
            format!("{word} level {} by {}", name(axis.level), axis.count)
        };
        let text: Vec<_> = axes.levels().iter().map(axis).collect();
        self.line(depth, &format!("{}:", text.join(", ")));
        axes.axes.iter().for_each(|(_, entry)| self.entry(entry, depth + 1));
        self.node(node, depth + 1);
    }

    fn parts(&mut self, planned: &PlannedLoop, depth: usize) {
        let mut depth = depth;
        if let Some(reduction) = &planned.reduction {
            self.line(depth, "reduction of each part:");
            self.parts(reduction, depth + 1);
        }
        if let Some(kernel) = &planned.kernel {
            self.kernel(kernel, depth);
            depth += 1;
        }
        let mut text = runner(planned.runner, planned.level, planned.count);
        if let Some(combination) = planned.combination {
            text += &format!(", {combination}");
        }
        if let Some(partial) = &planned.partial {
            let is_scan = matches!(planned.combination, Some(Combination::ScanAcross(_)));
            let what = if is_scan { "carries" } else { "results of a part" };
            text += &format!(", {what} in {}", placements(partial));
        }
        match planned.summation {
            Summation::Whole => {}
            Summation::Each => text += ", each part summed alone",
            Summation::Blocks(length) => text += &format!(", summed in blocks of {length}"),
        }
        if planned.is_peeled {
            text += ", the first part apart";
        }
        self.line(depth, &format!("{text}:"));
        self.body(&planned.body, depth + 1);
    }
}

fn runner(runner: Runner, level: Level, count: Option<u64>) -> String {
    let how = match runner {
        Runner::Cores(role) => format!("{} for level", role.name()),
        Runner::Loop => "for level".to_owned(),
        Runner::Unrolled => "unroll level".to_owned(),
        Runner::Lanes => "vectorize level".to_owned(),
    };
    let parts = match count {
        Some(1) => ", 1 part".to_owned(),
        Some(count) => format!(", {count} parts"),
        None => String::new(),
    };
    format!("{how} {}{parts}", name(level))
}

fn placements(placements: &[Placement]) -> String {
    placements.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
