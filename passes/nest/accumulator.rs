//! The destinations of combined results: the user's output buffers, or low-level buffers for the results of a part of
//! the iteration space.
use crate::nest::{
    code::Code,
    index::Index::{self, Constant},
    initial::InitialValues,
    lanes::{Mask, lift},
    loops,
    space::{IterationSpace, Point},
    store::Store,
    tile::PointVector,
    tree::Value,
    types::Lanes,
};
use mdh_dialects::{ir::IntPredicate, schedule::model::Level};

/// The buffers into which a loop nest combines its results, one for each component of the tuple.
#[derive(Clone)]
pub struct Accumulator {
    /// One for each component.
    pub stores: Vec<Store>,
    /// The levels of point-wise (`pw`) dimensions that have been entered since this accumulator was begun. An element
    /// is written for the first time when all part numbers of these levels are zero.
    pub entered: Vec<Level>,
    /// The values that each element starts with, which are stored here once a level is entered. `None` if elements
    /// start with the identity, or with the first value.
    pub inits: Option<InitialValues>,
}

impl Accumulator {
    /// Loads the values at a point.
    pub fn load(&self, b: &Code<'_>, space: &IterationSpace, point: &Point) -> Vec<Value> {
        self.load_element(b, space, &PointVector { point: point.clone(), mask: Mask::default() }, None)
    }

    /// Stores the values at a point.
    pub fn store(&self, b: &Code<'_>, space: &IterationSpace, point: &Point, values: &[Value]) {
        self.store_element(b, space, &PointVector { point: point.clone(), mask: Mask::default() }, None, values);
    }

    /// Loads the values of an element of a tile.
    pub fn load_element(
        &self,
        b: &Code<'_>,
        space: &IterationSpace,
        element: &PointVector,
        lanes: Option<Lanes>,
    ) -> Vec<Value> {
        self.stores.iter().map(|store| lift(b, lanes, store.load(b, space, element, lanes))).collect()
    }

    /// Stores the values of those points of a tile's element that are inside of the iteration space.
    pub fn store_element(
        &self,
        b: &Code<'_>,
        space: &IterationSpace,
        element: &PointVector,
        lanes: Option<Lanes>,
        values: &[Value],
    ) {
        for (store, value) in self.stores.iter().zip(values) {
            store.address(b, space, &element.point, lanes).store(b, lanes, &element.mask, *value);
        }
    }

    /// This accumulator inside of one more level of a point-wise dimension, with temporal stores: the results are read
    /// again.
    pub fn inside(&self, level: Level) -> Self {
        let mut inner = self.cached();
        inner.entered.push(level);
        inner
    }

    /// This accumulator with temporal stores, for results that are read again.
    pub fn cached(&self) -> Self {
        let stores = self.stores.iter().map(Store::cached);
        Self { stores: stores.collect(), ..self.clone() }
    }

    /// All components at a part number.
    pub fn at(&self, number: Index) -> Self {
        Self { stores: self.stores.iter().map(|store| store.at(number)).collect(), ..self.clone() }
    }

    /// True at run time if a point is the first that is combined into its element.
    pub fn is_first(&self, b: &Code<'_>, point: &Point) -> Value {
        let numbers = self.entered.iter().filter_map(|level| {
            point.fixed[level.dimension].iter().find(|(layer, _)| *layer == level.layer).map(|(_, number)| *number)
        });
        let sum = numbers.fold(Constant(0), |sum, number| sum.add(b, number));
        sum.compare(b, IntPredicate::Eq, Constant(0))
    }
}

/// Emits loops over all elements that the free layers of a point reach in these dimensions.
pub fn elements<'t>(
    b: &Code<'t>,
    space: &IterationSpace,
    point: &Point,
    dimensions: &[usize],
    body: &mut dyn FnMut(&Code<'t>, &Point),
) {
    let next = dimensions.iter().find_map(|&d| space.runs(d, &point.free[d]).first().map(|&run| (d, run)));
    let Some((d, (first, last))) = next else { return body(b, point) };
    let trip = space.trip(b, d, first, last, point);
    loops::sequential(&b.over_layers(d, [first, last]), trip, |b, number| {
        elements(b, space, &point.with(d, first, last, number), dimensions, body);
    });
}
