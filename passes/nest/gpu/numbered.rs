//! The elements that the free layers of a point reach, by number: what threads share out that have nothing else to tell them apart.
use super::kernel::digits;
use crate::nest::{
    code::Code,
    frame::Construction,
    index::Index::{self, Constant},
    space::Point,
    tile::and,
    tree::Value,
};
use mdh_dialects::{ir::IntPredicate, schedule::model::Level};

/// Numbers of the elements that the free layers of a point reach in some dimensions.
pub struct Numbered {
    /// Dimensions and first and last layers of what has a digit of its own, the one that counts slowest first.
    runs: Vec<(usize, usize, usize)>,
    /// How many each digit counts.
    bases: Vec<Index>,
    /// How many numbers there are; some of them may be behind the end of a dimension.
    pub total: Index,
}

impl Numbered {
    /// The numbers of the elements that the free layers of a point reach in these dimensions; the part numbers of a level are told apart.
    pub fn new(
        b: &Code<'_>,
        nest: &Construction<'_, '_>,
        point: &Point,
        dimensions: &[usize],
        apart: Option<Level>,
    ) -> Self {
        let space = &nest.space;
        let runs = dimensions.iter().flat_map(|&d| {
            let level = apart.filter(|level| level.dimension == d && point.free[d].contains(&level.layer));
            let mut runs: Vec<_> = level.map(|level| (level.layer, level.layer)).into_iter().collect();
            let rest = point.free[d].iter().copied().filter(|layer| level.is_none_or(|level| level.layer != *layer));
            runs.extend(space.runs(d, &rest.collect::<Vec<_>>()));
            runs.into_iter().map(move |(first, last)| (d, first, last))
        });
        let runs: Vec<_> = runs.collect();
        let bases: Vec<_> = runs
            .iter()
            .map(|&(d, first, last)| match space.is_whole(d, first, last) {
                true => space.extent(d),
                false => space.product(b, d, |layer| first <= layer && layer <= last),
            })
            .collect();
        let total = bases.iter().fold(Constant(1), |total: Index, base| total.mul(b, *base));
        Self { runs, bases, total }
    }

    /// The element of a number, and the condition for it to be inside of the iteration space; none if all are.
    pub fn at(
        &self,
        b: &Code<'_>,
        nest: &Construction<'_, '_>,
        point: &Point,
        number: Index,
    ) -> (Point, Option<Value>) {
        let space = &nest.space;
        let mut reversed = self.bases.clone();
        reversed.reverse();
        let mut numbers = digits(b, number, &reversed);
        numbers.reverse();
        let (mut point, mut exists) = (point.clone(), None);
        for (&(d, first, last), number) in self.runs.iter().zip(numbers) {
            let mut number = number;
            if !space.is_exact(d) && !space.is_whole(d, first, last) {
                let trip = space.trip(b, d, first, last, &point);
                exists = Some(and(b, exists, number.compare(b, IntPredicate::Slt, trip)));
                number = number.min(b, trip.sub(b, Constant(1)));
            }
            point = point.with(d, first, last, number);
        }
        (point, exists)
    }
}
