//! Techniques: what a strategy knows, and where it looks next.
use super::{super::landscape::Landscape, record::Record};
use crate::schedule::random::Random;

/// Random points that are drawn for each known point before a space counts as exhausted. A space with one unknown point
/// is wrongly taken for exhausted with a probability of e^-16.
const DRAWS_PER_KNOWN_POINT: usize = 16;
/// Random points that are drawn at least.
const MIN_DRAWS: usize = 64;

/// Why a candidate has no time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Failure {
    /// It does not compile, ends with an error, is wrong, or breaks a limit.
    Invalid,
    /// It was stopped after this many seconds: it takes at least as long.
    Slow(f64),
}

/// The result of a measurement: a time in seconds. A time that is not positive and finite counts as
/// [`Failure::Invalid`].
pub type Outcome = Result<f64, Failure>;

/// What a technique may look at: the space, and all that is known of it.
pub(super) struct View<'a, L: Landscape> {
    pub(super) landscape: &'a L,
    /// The promising points of the space.
    pub(super) starts: &'a [L::Point],
    pub(super) record: &'a Record<L::Point>,
}

// Derived implementations would require that spaces can be copied.
impl<L: Landscape> Clone for View<'_, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: Landscape> Copy for View<'_, L> {}

impl<L: Landscape> View<'_, L> {
    /// Returns the first start that is unknown.
    pub(super) fn unknown_start(self) -> Option<L::Point> {
        self.starts.iter().find(|point| !self.record.knows(point)).cloned()
    }

    /// Returns a random unknown point; `None` if none was found.
    pub(super) fn unknown(self, random: &mut Random) -> Option<L::Point> {
        let draws = DRAWS_PER_KNOWN_POINT * self.record.known() + MIN_DRAWS;
        let mut points = (0..draws).map_while(|_| self.landscape.random(random));
        points.find(|point| !self.record.knows(point))
    }
}

/// The part of a strategy that selects points.
pub(super) trait Technique<L: Landscape>: Send {
    /// Returns an unknown point; `None` without an idea.
    fn suggest(&mut self, view: View<'_, L>, random: &mut Random) -> Option<L::Point>;

    /// Learns that a point was observed, whoever suggested it. The record has its outcome already.
    fn learn(&mut self, view: View<'_, L>, point: &L::Point, random: &mut Random);
}

/// Returns a random number in [0, 1).
pub(super) fn fraction(random: &mut Random) -> f64 {
    // The 53 bits of a mantissa.
    (random.next() >> 11) as f64 / (1u64 << 53) as f64
}
