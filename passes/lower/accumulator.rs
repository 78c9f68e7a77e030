//! Where combined parts are written: the user's output buffers, or low-level buffers that hold what a part of the space yields.
use crate::{
    analysis::index::Access,
    lower::{
        index::Index::{self, Constant},
        lanes::{self, Lanes, Mask, lift},
        loops::{self, Scope},
        source::{linear, linear_step},
        space::{Point, Space},
        tile::Element,
    },
    schedule::{
        memory,
        model::{Level, Placement},
    },
};
use mdh_dialects::{
    hom::CombineOperator,
    ir::{self, Builder, IntPredicate, Val},
};
use melior::ir::{Type, ValueLike};

/// The memory of one component of the scalar tuple.
#[derive(Clone)]
pub struct Store<'c> {
    memref: Val<'c>,
    element: Type<'c>,
    /// Indices before all others: of the block or thread that has the buffer for itself.
    owner: Vec<Index<'c>>,
    /// Indices behind these: the part number of a private partial result.
    lead: Vec<Index<'c>>,
    address: Address,
    /// Whether full lines go to memory past the caches: what is written once and larger than these.
    streams: bool,
}

#[derive(Clone)]
enum Address {
    /// The user's buffer, addressed by its index function on the dimensions that are not reduced.
    User(Access),
    /// A low-level buffer: by stored dimension, the iteration dimension and the layers that it counts.
    Dense(Vec<(usize, Vec<usize>)>),
}

impl<'c> Store<'c> {
    /// The user's output buffer.
    pub fn user(memref: Val<'c>, element: Type<'c>, access: &Access, operators: &[CombineOperator]) -> Self {
        let address = Address::User(access.at_first(|d| operators[d].reduces()));
        Self { memref, element, owner: vec![], lead: vec![], address, streams: false }
    }

    /// This buffer as one whose memory is aligned to lines and is written past the caches.
    pub fn streaming(self) -> Self {
        Self { streams: true, ..self }
    }

    /// Whether the first lane of every element of every tile begins a line: all other levels and constants move by whole lines.
    pub fn is_aligned(&self, space: &Space<'c>, lanes: Lanes) -> bool {
        let (Address::User(access), Some(sizes)) = (&self.address, ir::shape(self.memref.r#type())) else {
            return false;
        };
        let mut stride = memory::bytes(self.element) as i64;
        for (axis, size) in sizes.iter().enumerate().rev() {
            let whole = |step: i64| step.wrapping_mul(stride) % LINE == 0;
            let mut levels =
                access.terms(axis).flat_map(|(d, c)| space.layers[d].iter().map(move |&layer| (layer, d, c)));
            let moves_whole = |(layer, d, c): (usize, usize, i64)| {
                let is_lanes = lanes.level == Level { layer, dimension: d };
                is_lanes || space.strides[layer][d].constant().is_some_and(|step| whole(step.wrapping_mul(c)))
            };
            // Rows of whole lines need no more.
            if !(whole(1) || whole(access.origin(axis)) && levels.all(moves_whole)) {
                return false;
            }
            stride = match size {
                Some(size) => stride.wrapping_mul(*size as i64),
                None if axis == 0 => stride,
                None => return false,
            };
        }
        (lanes.count * memory::bytes(self.element) as i64) % LINE == 0
    }

    /// A new buffer for what the free layers of a point reach in these dimensions, slowest first; behind dimensions of these sizes.
    pub fn allocate(
        scope: &Scope<'c>,
        space: &Space<'c>,
        point: &Point<'c>,
        dimensions: &[usize],
        lead: &[Index<'c>],
        element: Type<'c>,
    ) -> Self {
        let outside = scope.builder();
        let stored: Vec<_> = dimensions.iter().map(|&d| (d, point.free[d].clone())).collect();
        let mut sizes = lead.to_vec();
        sizes.extend(stored.iter().map(|(d, among)| space.size(&outside, *d, among)));
        Self {
            memref: scope.allocate(&sizes, element),
            element,
            owner: vec![],
            lead: vec![],
            address: Address::Dense(stored),
            streams: false,
        }
    }

    /// This buffer as the one of a block or thread, which have one of it each.
    pub fn inside(self, owner: Vec<Index<'c>>) -> Self {
        Self { owner, ..self }
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
        let mut indices = [self.owner.as_slice(), self.lead.as_slice()].concat();
        let mut steps = vec![Constant(0); indices.len()];
        match &self.address {
            Address::User(access) => {
                for axis in 0..access.rank() {
                    indices.push(linear(b, space, point, access, axis));
                    steps.push(linear_step(b, space, access, axis, lanes));
                }
            }
            Address::Dense(stored) => {
                indices.extend(stored.iter().map(|(d, among)| point.position(b, space, *d, among)));
                steps.extend(stored.iter().map(|(d, among)| space.step(b, *d, among, lanes)));
            }
        }
        let line = lanes.filter(|lanes| self.streams && self.is_aligned(space, *lanes)).map(|_| LINE);
        lanes::Address { memref: self.memref, indices, steps, line }
    }
}

/// The bytes of a line of the caches, to which buffers are aligned.
pub const LINE: i64 = 64;

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
        let mut inner = self.cached();
        inner.opened.push(level);
        inner
    }

    /// This accumulator as one that is read again.
    pub fn cached(&self) -> Self {
        let stores = self.stores.iter().map(|store| Store { streams: false, ..store.clone() });
        Self { stores: stores.collect(), ..self.clone() }
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
        sum.compare(b, IntPredicate::Eq, Constant(0))
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
    let next = dimensions.iter().find_map(|&d| space.runs(d, &point.free[d]).first().map(|&run| (d, run)));
    let Some((d, (first, last))) = next else { return body(b, point) };
    let trip = space.trip(b, d, first, last, point.offset(b, space, d));
    loops::sequential(b, trip, |b, number| elements(b, space, &point.with(d, first, last, number), dimensions, body));
}
