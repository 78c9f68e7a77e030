//! What is in the buffers that a nest allocates, said where they are allocated; `memory.rs` is for those who ask.
use mdh_dialects::schedule::{
    model::{Level, Placement},
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
