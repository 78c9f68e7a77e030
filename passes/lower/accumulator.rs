//! Where combined parts are written: the user's output buffers, or low-level buffers that hold what a part of the space yields.
use crate::{
    lower::{
        index::Index::{self, Constant},
        lanes::{self, Lanes, Mask, lift},
        loops::{self, Scope},
        source::{linear, linear_step},
        space::{Point, Space},
        tile::Element,
    },
    schedule::model::{Level, Placement},
};
use mdh_dialects::{
    hom::CombineOperator,
    ir::{Builder, Val},
    view::IndexFunction,
};
use melior::ir::Type;

/// The memory of one component of the scalar tuple.
#[derive(Clone)]
pub struct Store<'c> {
    memref: Val<'c>,
    element: Type<'c>,
    /// Indices before all others: the part number of a private partial result.
    lead: Vec<Index<'c>>,
    address: Address,
}

#[derive(Clone)]
enum Address {
    /// The user's buffer, addressed by its index function on the dimensions that are not collapsed.
    User(IndexFunction),
    /// A low-level buffer: by stored dimension, the iteration dimension and the layers that it counts.
    Dense(Vec<(usize, Vec<usize>)>),
}

impl<'c> Store<'c> {
    /// The user's output buffer.
    pub fn user(memref: Val<'c>, element: Type<'c>, function: &IndexFunction, operators: &[CombineOperator]) -> Self {
        let mut function = function.clone();
        for row in &mut function.coefficients {
            for (coefficient, operator) in row.iter_mut().zip(operators) {
                if operator.collapses() {
                    *coefficient = 0;
                }
            }
        }
        Self { memref, element, lead: vec![], address: Address::User(function) }
    }

    /// A new buffer for what the free layers of a point reach in these dimensions, slowest first.
    pub fn allocate(
        scope: &Scope<'c>,
        space: &Space<'c>,
        point: &Point<'c>,
        dimensions: &[usize],
        lead: Option<Index<'c>>,
        element: Type<'c>,
    ) -> Self {
        let outside = scope.builder();
        let stored: Vec<_> = dimensions.iter().map(|&d| (d, point.free[d].clone())).collect();
        let mut sizes: Vec<_> = lead.into_iter().collect();
        sizes.extend(stored.iter().map(|(d, among)| space.size(&outside, *d, among)));
        Self { memref: scope.allocate(&sizes, element), element, lead: vec![], address: Address::Dense(stored) }
    }

    /// The same buffer at a part number.
    pub fn at(&self, number: Index<'c>) -> Self {
        Self { lead: vec![number], ..self.clone() }
    }

    /// Where the elements at a point, and behind it in the lanes of vectors, are.
    pub fn address(
        &self,
        b: &Builder<'c>,
        space: &Space<'c>,
        point: &Point<'c>,
        lanes: Option<Lanes>,
    ) -> lanes::Address<'c> {
        let mut indices = self.lead.clone();
        let mut steps = vec![Constant(0); indices.len()];
        match &self.address {
            Address::User(function) => {
                for (row, constant) in function.coefficients.iter().zip(&function.constants) {
                    indices.push(linear(b, space, point, row, *constant));
                    steps.push(linear_step(b, space, row, lanes));
                }
            }
            Address::Dense(stored) => {
                indices.extend(stored.iter().map(|(d, among)| point.position(b, space, *d, among)));
                steps.extend(stored.iter().map(|(d, among)| space.step(b, *d, among, lanes)));
            }
        }
        lanes::Address { memref: self.memref, indices, steps }
    }
}

/// The buffers into which a loop nest combines its results, one for each component of the tuple.
#[derive(Clone)]
pub struct Accumulator<'c> {
    /// One for each component.
    pub stores: Vec<Store<'c>>,
    /// Where the schedule placed them, by output buffer.
    pub placements: Vec<Placement>,
    /// The levels of point-wise dimensions that have been opened since this accumulator was begun: an element is written for
    /// the first time when all of their part numbers are zero.
    pub opened: Vec<Level>,
}

impl<'c> Accumulator<'c> {
    /// The values at a point.
    pub fn load(&self, b: &Builder<'c>, space: &Space<'c>, point: &Point<'c>) -> Vec<Val<'c>> {
        self.load_element(b, space, &Element { point: point.clone(), mask: Mask::default() }, None)
    }

    /// Writes the values at a point.
    pub fn store(&self, b: &Builder<'c>, space: &Space<'c>, point: &Point<'c>, values: &[Val<'c>]) {
        self.store_element(b, space, &Element { point: point.clone(), mask: Mask::default() }, None, values);
    }

    /// The values of an element of a tile.
    pub fn load_element(
        &self,
        b: &Builder<'c>,
        space: &Space<'c>,
        element: &Element<'c>,
        lanes: Option<Lanes>,
    ) -> Vec<Val<'c>> {
        let load = |store: &Store<'c>| {
            let address = store.address(b, space, &element.point, lanes);
            lift(b, lanes, address.load(b, store.element, lanes, &element.mask, false))
        };
        self.stores.iter().map(load).collect()
    }

    /// Writes the values of an element of a tile that are inside of the iteration space.
    pub fn store_element(
        &self,
        b: &Builder<'c>,
        space: &Space<'c>,
        element: &Element<'c>,
        lanes: Option<Lanes>,
        values: &[Val<'c>],
    ) {
        for (store, value) in self.stores.iter().zip(values) {
            store.address(b, space, &element.point, lanes).store(b, lanes, &element.mask, *value);
        }
    }

    /// This accumulator inside one more level of a point-wise dimension.
    pub fn inside(&self, level: Level) -> Self {
        let mut inner = self.clone();
        inner.opened.push(level);
        inner
    }

    /// Each component at a part number.
    pub fn at(&self, number: Index<'c>) -> Self {
        Self { stores: self.stores.iter().map(|store| store.at(number)).collect(), ..self.clone() }
    }

    /// Whether a point is the first that is combined into its element.
    pub fn is_first(&self, b: &Builder<'c>, point: &Point<'c>) -> Val<'c> {
        let numbers = self.opened.iter().filter_map(|level| {
            point.fixed[level.dimension].iter().find(|(layer, _)| *layer == level.layer).map(|(_, number)| *number)
        });
        let sum = numbers.fold(Constant(0), |sum, number| sum.add(b, number));
        sum.compare(b, 0, Constant(0))
    }
}

/// Loops over all elements that the free layers of a point reach in these dimensions.
pub fn elements<'c>(
    b: &Builder<'c>,
    space: &Space<'c>,
    point: &Point<'c>,
    dimensions: &[usize],
    body: &mut dyn FnMut(&Builder<'c>, &Point<'c>),
) {
    let next = dimensions.iter().find_map(|&d| point.runs(space, d).first().map(|&run| (d, run)));
    let Some((d, (first, last))) = next else { return body(b, point) };
    let trip = space.trip(b, d, first, last, point.offset(b, space, d));
    loops::sequential(b, trip, |b, number| elements(b, space, &point.with(d, first, last, number), dimensions, body));
}
