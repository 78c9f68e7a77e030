//! The destination of one component of the output tuple: the user's output buffer, or a low-level buffer for the results
//! of a part of the iteration space.
use crate::{
    analysis::index::Access,
    nest::{
        address::{LINE, linear, linear_step},
        code::Code,
        contents::Contents,
        index::Index::{self, Constant},
        lanes,
        loops::Scope,
        space::{IterationSpace, Point},
        tile::PointVector,
        tree::{Array, Buffer, Value},
        types::{Element, Lanes},
    },
};
use mdh_dialects::{hom::CombineOperator, schedule::model::Level};

/// The destination of one component of the output tuple: a buffer, and the addressing of its elements.
#[derive(Clone)]
pub struct Store {
    buffer: Buffer,
    element: Element,
    /// The leading indices that select the copy of this block or thread, if each has its own: the block ID, and part
    /// numbers of levels that are distributed over threads.
    owner: Vec<Index>,
    /// The indices after `owner`: the part number of a private partial result.
    leading: Vec<Index>,
    address: ElementAddress,
    /// True if full cache lines are written with non-temporal stores, because the buffer is written once and is larger
    /// than the caches.
    is_nontemporal: bool,
}

#[derive(Clone)]
enum ElementAddress {
    /// The user's buffer, addressed by its index function on the non-reduction dimensions.
    User(Access),
    /// A low-level buffer: by stored dimension, the iteration dimension and the layers whose parts it enumerates.
    Dense(Vec<(usize, Vec<usize>)>),
}

impl Store {
    /// The user's output buffer.
    pub fn user(buffer: Buffer, element: Element, access: &Access, operators: &[CombineOperator]) -> Self {
        let address = ElementAddress::User(access.at_first(|d| operators[d].reduces()));
        Self { buffer, element, owner: vec![], leading: vec![], address, is_nontemporal: false }
    }

    /// A buffer for a part of the results. `stored`: by axis, the dimension and all of its layers.
    pub fn of_part(buffer: Buffer, element: Element, stored: Vec<(usize, Vec<usize>)>) -> Self {
        let address = ElementAddress::Dense(stored);
        Self { buffer, element, owner: vec![], leading: vec![], address, is_nontemporal: false }
    }

    /// This buffer, aligned to cache lines and written with non-temporal stores.
    pub fn streaming(self) -> Self {
        Self { is_nontemporal: true, ..self }
    }

    /// This buffer with temporal stores.
    pub fn cached(&self) -> Self {
        Self { is_nontemporal: false, ..self.clone() }
    }

    /// True if it is the user's buffer, with temporal stores, which may begin at any element.
    pub fn is_movable(&self) -> bool {
        matches!(self.address, ElementAddress::User(_)) && !self.is_nontemporal
    }

    /// True if the first lane of every element of every tile is at the start of a cache line, and a vector is a whole
    /// number of lines: the strides of all other levels and all constant offsets are multiples of a line.
    pub fn is_aligned(&self, array: &Array, space: &IterationSpace, lanes: Lanes) -> bool {
        let ElementAddress::User(access) = &self.address else { return false };
        let mut stride = self.element.bytes() as i64;
        for (axis, size) in array.sizes.iter().enumerate().rev() {
            let whole = |step: i64| step.wrapping_mul(stride) % LINE == 0;
            let mut levels =
                access.terms(axis).flat_map(|(d, c)| space.layers[d].iter().map(move |&layer| (layer, d, c)));
            let moves_whole = |(layer, d, c): (usize, usize, i64)| {
                let is_lanes = lanes.level == Level { layer, dimension: d };
                is_lanes || space.strides[layer][d].constant().is_some_and(|step| whole(step.wrapping_mul(c)))
            };
            // If rows are multiples of a cache line, the offsets along the outer axes do not matter.
            if !(whole(1) || whole(access.origin(axis)) && levels.all(moves_whole)) {
                return false;
            }
            stride = match size {
                Some(size) => stride.wrapping_mul(*size as i64),
                None if axis == 0 => stride,
                None => return false,
            };
        }
        (lanes.count * self.element.bytes() as i64) % LINE == 0
    }

    /// Allocates a buffer for the elements that the free layers of a point reach in `dimensions`, slowest-varying
    /// first. `leading`: the sizes of additional leading dimensions.
    pub fn allocate(
        scope: &Scope<'_>,
        space: &IterationSpace,
        point: &Point,
        dimensions: &[usize],
        leading: &[Index],
        element: Element,
        contents: Contents,
    ) -> Self {
        let outside = scope.builder();
        let stored: Vec<_> = dimensions.iter().map(|&d| (d, point.free[d].clone())).collect();
        let mut sizes = leading.to_vec();
        sizes.extend(stored.iter().map(|(d, among)| space.size(&outside, *d, among)));
        Self {
            buffer: scope.allocate(&sizes, element, contents),
            element,
            owner: vec![],
            leading: vec![],
            address: ElementAddress::Dense(stored),
            is_nontemporal: false,
        }
    }

    /// This buffer with the leading indices of the block or thread, each of which has its own copy.
    pub fn inside(self, owner: Vec<Index>) -> Self {
        Self { owner, ..self }
    }

    /// The same buffer at a part number.
    pub fn at(&self, number: Index) -> Self {
        Self { leading: vec![number], ..self.clone() }
    }

    /// The address of the element at a point and, for vectors, of the lanes that follow it.
    pub fn address(&self, b: &Code<'_>, space: &IterationSpace, point: &Point, lanes: Option<Lanes>) -> lanes::Address {
        let mut indices = [self.owner.as_slice(), self.leading.as_slice()].concat();
        let mut steps = vec![Constant(0); indices.len()];
        match &self.address {
            ElementAddress::User(access) => {
                for axis in 0..access.rank() {
                    indices.push(linear(b, space, point, access, axis));
                    steps.push(linear_step(b, space, access, axis, lanes));
                }
            }
            ElementAddress::Dense(stored) => {
                indices.extend(stored.iter().map(|(d, among)| point.position(b, space, *d, among)));
                steps.extend(stored.iter().map(|(d, among)| space.step(b, *d, among, lanes)));
            }
        }
        let is_aligned = |lanes: Lanes| self.is_aligned(&b.recorder.array(self.buffer), space, lanes);
        let line = lanes.filter(|lanes| self.is_nontemporal && is_aligned(*lanes)).map(|_| LINE);
        lanes::Address { buffer: self.buffer, indices, steps, line }
    }

    /// Loads the values of an element of a tile; a scalar if all lanes have the same one.
    pub fn load(&self, b: &Code<'_>, space: &IterationSpace, element: &PointVector, lanes: Option<Lanes>) -> Value {
        self.address(b, space, &element.point, lanes).load(b, self.element, lanes, &element.mask, false)
    }
}
