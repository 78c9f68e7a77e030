//! The contents of the buffers that a nest allocates, recorded at their allocation; `memory.rs` evaluates them.
use crate::plan::Cause;
use mdh_dialects::schedule::model::Placement;
use std::fmt;

/// The contents of a buffer, and the reason for its allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The kind of contents.
    pub what: ContentKind,
    /// The output that they belong to, if there are several.
    pub output: Option<usize>,
    /// The number among several buffers for the same purpose: the group of an input's accesses, or the component of the
    /// tuple.
    pub part: usize,
    /// The step that makes the buffer necessary.
    pub cause: Cause,
    /// The region and layout of the buffer.
    pub placement: Placement,
}

/// The kind of contents of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContentKind {
    /// The values of an input before the computation overwrites it, by input number.
    Copy(usize),
    /// The initial values of a component that the computation overwrites, by component number.
    Initial(usize),
    /// A part of an input, by input number.
    Input(usize),
    /// A part of the results of a producer, by its number among the computations of the function.
    Results(usize),
    /// The results of a separate scalar phase, which the re-composition reads.
    Scalars,
    /// A part of the results of the re-composition.
    Outputs,
    /// Partial results of parallel parts of a reduction.
    Partial,
    /// The combination of all parts before each parallel part of a scan (its carry-in).
    Carried,
    /// A value of each thread, for exchange.
    Exchange,
}

/// The unit that owns a copy of a buffer.
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
    /// The name that `mdh explain` prints.
    pub fn name(self) -> &'static str {
        match self {
            Self::Computation => "computation",
            Self::Block => "block",
            Self::Thread => "thread",
        }
    }
}

impl Contents {
    /// The only contents of their kind in this placement.
    pub fn new(what: ContentKind, cause: Cause, placement: &Placement) -> Self {
        Self { what, output: None, part: 0, cause, placement: placement.clone() }
    }

    /// The sort key of listings: copies of inputs and initial values, results of producers, parts of inputs, results of
    /// the scalar phase, results of re-composition steps, and values that threads exchange.
    pub fn order(&self) -> (usize, usize, ContentKind) {
        let kind = match self.what {
            ContentKind::Copy(_) | ContentKind::Initial(_) => 0,
            ContentKind::Results(_) => 1,
            ContentKind::Input(_) => 2,
            ContentKind::Scalars => 3,
            ContentKind::Outputs | ContentKind::Partial | ContentKind::Carried => 4,
            ContentKind::Exchange => 5,
        };
        let position = match self.cause {
            Cause::Computation | Cause::Producer(_) => 0,
            Cause::Decompose(position, _) | Cause::Recompose(position, _) => position,
            Cause::Scalar => usize::MAX,
        };
        (kind, position, self.what)
    }

    /// The name in messages: the contents, followed by the step that makes them necessary.
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
            ContentKind::Copy(input) => write!(f, "copy of input {}", input + 1),
            ContentKind::Initial(component) => write!(f, "copy of initial value {}", component + 1),
            ContentKind::Input(input) => write!(f, "part of input {}", input + 1),
            ContentKind::Results(number) => write!(f, "part of the results of computation {}", number + 1),
            ContentKind::Scalars => f.write_str("results of the scalar function"),
            ContentKind::Outputs => f.write_str("part of the outputs"),
            ContentKind::Partial => f.write_str("partial results"),
            ContentKind::Carried => f.write_str("carried sums"),
            ContentKind::Exchange => f.write_str("values that threads exchange"),
        }?;
        self.output.map_or(Ok(()), |output| write!(f, ", output {}", output + 1))
    }
}
