//! Linearized elements: the elements that the free layers of a point reach, enumerated so that threads can be mapped to
//! them without a level.
use super::kernel::delinearize;
use crate::nest::{
    code::Code,
    construction::Construction,
    index::Index::{self, Constant},
    space::Point,
    tile::and,
    tree::Value,
};
use mdh_dialects::{ir::IntPredicate, schedule::model::Level};

/// The linear indices of the elements that the free layers of a point reach in some dimensions.
pub struct Linearized {
    /// The runs of layers that are one digit each, as dimension, first and last layer; slowest-varying first.
    runs: Vec<(usize, usize, usize)>,
    /// The radix of each digit.
    bases: Vec<Index>,
    /// The number of linear indices; the elements of some may be out of bounds.
    pub total: Index,
}

impl Linearized {
    /// Enumerates the elements that the free layers of a point reach in these dimensions. `apart`: a level whose part
    /// number is a digit of its own.
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

    /// The element at a linear index, and the condition that it is inside of the iteration space; `None` if all
    /// elements are.
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
        let mut numbers = delinearize(b, number, &reversed);
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
