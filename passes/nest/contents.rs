//! What is in the buffers that a nest allocates, said where they are allocated; `memory.rs` is for those who ask.
use super::frame::Construction;
use mdh_dialects::schedule::{
    model::{Level, Placement, Schedule, Step},
    rules::name,
};
use std::fmt;

/// What is in a buffer, and why it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// What it is.
    pub what: What,
    /// The output that it is of, if there are several.
    pub output: Option<usize>,
    /// Which of several buffers for the same it is: that of a group of an input's accesses, or of a component of tuples.
    pub part: usize,
    /// What makes it necessary.
    pub cause: Cause,
    /// Its region and layout.
    pub placement: Placement,
}

/// What there can be in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// An input that the computation overwrites, by its number, as it was before.
    Copy(usize),
    /// A part of an input, by its number.
    Input(usize),
    /// What a separate scalar phase leaves for the re-composition.
    Scalars,
    /// A part of what the re-composition yields.
    Outputs,
    /// What parallel parts of a reduction yield.
    Partial,
    /// What comes before each of the parallel parts of a scan.
    Carried,
    /// A value of each thread.
    Exchange,
}

/// What makes a buffer necessary: a step, with its position in its phase and its level in the schedule as it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Nothing in the schedule.
    Computation,
    /// A step of the de-composition.
    Decompose(usize, Level),
    /// The scalar phase.
    Scalar,
    /// A step of the re-composition.
    Recompose(usize, Level),
}

/// What has a buffer of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The whole computation.
    Computation,
    /// Each block of a kernel.
    Block,
    /// Each thread.
    Thread,
}

impl Owner {
    /// As `mdh explain` prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Computation => "computation",
            Self::Block => "block",
            Self::Thread => "thread",
        }
    }
}

impl Contents {
    /// What is in a buffer in this placement, the only one for it.
    pub fn new(what: What, cause: Cause, placement: &Placement) -> Self {
        Self { what, output: None, part: 0, cause, placement: placement.clone() }
    }

    /// The order in which contents are listed: inputs, then results of the scalar function, then those of steps, then what threads exchange.
    pub fn order(&self) -> (usize, usize, What) {
        let kind = match self.what {
            What::Copy(_) => 0,
            What::Input(_) => 1,
            What::Scalars => 2,
            What::Outputs | What::Partial | What::Carried => 3,
            What::Exchange => 4,
        };
        let position = match self.cause {
            Cause::Computation => 0,
            Cause::Decompose(position, _) | Cause::Recompose(position, _) => position,
            Cause::Scalar => usize::MAX,
        };
        (kind, position, self.what)
    }

    /// Where a message names it: behind what it is, with the step that makes it necessary.
    pub fn of_step(&self) -> String {
        match self.cause {
            Cause::Computation => self.to_string(),
            cause => format!("{self} of step {cause}"),
        }
    }
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what {
            What::Copy(input) => write!(f, "copy of input {}", input + 1),
            What::Input(input) => write!(f, "part of input {}", input + 1),
            What::Scalars => f.write_str("results of the scalar function"),
            What::Outputs => f.write_str("part of the outputs"),
            What::Partial => f.write_str("partial results"),
            What::Carried => f.write_str("carried sums"),
            What::Exchange => f.write_str("values that threads exchange"),
        }?;
        self.output.map_or(Ok(()), |output| write!(f, ", output {}", output + 1))
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Computation => Ok(()),
            Self::Decompose(_, level) => write!(f, "D {}", name(*level)),
            Self::Scalar => f.write_str("S"),
            Self::Recompose(_, level) => write!(f, "R {}", name(*level)),
        }
    }
}

impl Construction<'_, '_> {
    /// What makes a part of an input necessary at step `i` of the de-composition, or behind the last one: the first of the steps up to there
    /// that agree on its placement.
    pub fn because_of_decompose(&self, i: usize, buffer: usize) -> Cause {
        let Schedule { decompose, scalar, .. } = self.schedule;
        let placement = |i: usize| decompose.get(i).map_or(&scalar.reads[buffer], |step| &step.placements[buffer]);
        let before = (0..i).rev().take_while(|earlier| placement(*earlier) == placement(i));
        let first = before.last().unwrap_or(i);
        decompose
            .get(first)
            .map_or(Cause::Scalar, |step| Cause::Decompose(first, self.original_level(step, &self.original.decompose)))
    }

    /// Step `j` of the re-composition, or the scalar phase behind the last one, as what makes a buffer necessary.
    pub fn because_of_recompose(&self, j: usize) -> Cause {
        let step = self.schedule.recompose.get(j);
        step.map_or(Cause::Scalar, |step| Cause::Recompose(j, self.original_level(step, &self.original.recompose)))
    }

    /// The level of a step in the schedule as it was given: a step of one part that only has the placements of a hoisted one has its level.
    fn original_level(&self, step: &Step, original: &[Step]) -> Level {
        let is_kept = step.level.layer >= self.original.parts.len();
        let is_same = |known: &&Step| {
            known.level.dimension == step.level.dimension
                && known.placements == step.placements
                && self.original.is_loop(known.level)
        };
        original.iter().find(is_same).filter(|_| is_kept).map_or(step.level, |known| known.level)
    }
}
