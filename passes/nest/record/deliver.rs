//! The values at a point, and their delivery into an accumulator.
//!
//! ```text
//! scalar function, or results of a scalar phase   ──▶   stored, combined with the results so far, or with initial values
//! ```
use crate::nest::{
    accumulator::Accumulator,
    code::Code,
    construction::Construction,
    cursor::Cursor,
    initialize,
    lanes::{Mask, lift, lifted},
    loops, reads,
    space::Point,
    tile::PointVector,
    tree::{Operation, PointIndex, Scalar, Value},
    types::Lanes,
};

/// True if a dimension is known to be non-empty, so that every loop over its parts has at least one iteration.
pub fn is_inhabited<'t>(nest: &Construction<'_, 't>, dimension: usize) -> bool {
    nest.space.extent(dimension).constant().is_some_and(|extent| extent > 0)
}

/// Combines values into the element of an accumulator at a point.
pub fn deliver<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    b: &Code<'t>,
    point: &Point,
    into: &Accumulator,
    values: &[Value],
) {
    let element = PointVector { point: point.clone(), mask: Mask::default() };
    cursor.guarded(b, |b| deliver_element(nest, b, &element, None, into, values));
}

/// Combines the values of all elements of the register tile into an accumulator.
pub fn deliver_tile<'t>(nest: &Construction<'_, 't>, cursor: &Cursor<'t>, into: &Accumulator, values: &[Vec<Value>]) {
    let lanes = cursor.tile.lanes();
    cursor.guarded(&cursor.b, |b| {
        for (element, values) in cursor.tile.elements(b, &nest.space, &cursor.point).iter().zip(values) {
            deliver_element(nest, b, element, lanes, into, values);
        }
    });
}

/// Combines the values of one element of the register tile into an accumulator, or stores the first ones.
fn deliver_element<'t>(
    nest: &Construction<'_, 't>,
    b: &Code<'t>,
    element: &PointVector,
    lanes: Option<Lanes>,
    into: &Accumulator,
    values: &[Value],
) {
    let inits = into.inits.as_ref();
    let Some(combiner) = nest.combiner.as_ref().filter(|_| !into.entered.is_empty() || inits.is_some()) else {
        return into.store_element(b, &nest.space, element, lanes, values);
    };
    if let Some(inits) = inits.filter(|_| into.entered.is_empty()) {
        let first = inits.load(b, &nest.space, element, lanes);
        let values: Vec<_> = values.iter().map(|value| lift(b, lanes, *value)).collect();
        let combined = combiner.combine(b, &first, &values, lanes);
        return into.store_element(b, &nest.space, element, lanes, &combined);
    }
    let combine = |b: &Code<'t>| {
        let old = into.load_element(b, &nest.space, element, lanes);
        let combined = combiner.combine(b, &old, values, lanes);
        into.store_element(b, &nest.space, element, lanes, &combined);
        vec![]
    };
    if combiner.has_identity || inits.is_some() {
        combine(b);
        return;
    }
    let first = into.is_first(b, &element.point);
    let store = |b: &Code<'t>| {
        into.store_element(b, &nest.space, element, lanes, values);
        vec![]
    };
    loops::branch(b, first, &[], store, combine);
}

/// The results at the elements of the register tile: computed by the scalar function, or loaded from the results of
/// a separate scalar phase.
pub fn leaf<'t>(nest: &Construction<'_, 't>, cursor: &Cursor<'t>) -> Vec<Vec<Value>> {
    let (b, lanes) = (&cursor.b, cursor.tile.lanes());
    let elements = cursor.tile.elements(b, &nest.space, &cursor.point);
    match &cursor.results {
        Some(results) => elements.iter().map(|element| results.load_element(b, &nest.space, element, lanes)).collect(),
        None => initialize::with_carry_in(nest, cursor, &elements, scalar(nest, cursor, &elements)),
    }
}

/// Evaluates the scalar function at elements of the register tile; elements that share an input value load it once.
fn scalar<'t>(nest: &Construction<'_, 't>, cursor: &Cursor<'t>, elements: &[PointVector]) -> Vec<Vec<Value>> {
    let (b, lanes) = (&cursor.b, cursor.tile.lanes());
    let body = &nest.workload.body;
    // Masked-off lanes read zeros. If the scalar function cannot be evaluated on zeros, they repeat the first lane
    // instead.
    let repeats = lanes.is_some() && !body.is_speculatable;
    // Results of out-of-bounds points are not used. If a promoted part has memory for these points, they read it
    // without bounds checks, whatever its contents.
    let checked = cursor.tile.checked();
    let is_free = nest.kernels.is_some() && lanes.is_none() && !checked.is_empty() && body.is_speculatable;
    let beyond = is_free.then(|| cursor.tile.unchecked().elements(b, &nest.space, &cursor.point));
    let mut reads = reads::reads(nest, cursor, (elements, beyond.as_deref()), repeats);
    let value = |(i, element): (usize, &PointVector)| {
        let arguments = reads::arguments(nest, &mut reads, i);
        at(nest, b, element, lanes, repeats, &arguments)
    };
    elements.iter().enumerate().map(value).collect()
}

/// Applies the scalar function to arguments, at the points of an element of a tile.
fn at<'t>(
    nest: &Construction<'_, 't>,
    b: &Code<'t>,
    element: &PointVector,
    lanes: Option<Lanes>,
    repeats: bool,
    arguments: &[Value],
) -> Vec<Value> {
    let index = |&dimension: &usize| {
        let code = b.inside();
        let first = element.point.index(&code, &nest.space, dimension);
        let along = lanes.filter(|lanes| lanes.level.dimension == dimension);
        let stride = along.map(|lanes| nest.space.strides[lanes.level.layer][dimension]);
        let inside = element.mask.lanes.filter(|_| repeats);
        PointIndex { dimension, code: code.block(), first, stride, inside }
    };
    let indices = nest.workload.body.indices.iter().map(index).collect();
    let types: Vec<_> = nest.workload.output_types.iter().map(|element| lifted(lanes, *element)).collect();
    let scalar = Scalar { lanes: lanes.map(|lanes| lanes.count), indices };
    b.statement(Operation::Scalar(scalar), arguments, &types)
}
