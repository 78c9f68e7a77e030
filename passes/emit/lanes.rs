//! Vectors: broadcast, extraction and insertion of lanes, and indices per lane.
use super::index::EmittedIndex::{self, Constant, Value};
use mdh_dialects::ir::{self, Builder, DYNAMIC, IntPredicate, Val};
use melior::ir::{Attribute, Type, TypeLike, ValueLike};

/// Returns true if values of a type can be vector elements.
pub fn is_vectorizable(ty: Type<'_>) -> bool {
    ty.is_integer() || ty.is_float() || ty.is_index()
}

/// The type of a value with this number of lanes: a vector, or the element type itself if `lanes` is `None`.
pub fn lifted<'c>(b: &Builder<'c>, lanes: Option<i64>, element: Type<'c>) -> Type<'c> {
    lanes.map_or(element, |lanes| b.vector(lanes, element))
}

/// Broadcasts a scalar to all lanes; a vector is returned unchanged.
pub fn lift<'c>(b: &Builder<'c>, lanes: Option<i64>, value: Val<'c>) -> Val<'c> {
    match lanes {
        Some(_) if !value.r#type().is_vector() => {
            let ty = lifted(b, lanes, value.r#type());
            b.value("vector.broadcast", &[value], ty, &[])
        }
        _ => value,
    }
}

/// Extracts one lane of a vector; a scalar is returned unchanged.
pub fn extract<'c>(b: &Builder<'c>, vector: Val<'c>, lane: EmittedIndex<'c>) -> Val<'c> {
    let Some(element) = ir::element_type(vector.r#type()) else { return vector };
    let (dynamic, position) = position(b, lane);
    let operands: Vec<_> = [vector].into_iter().chain(dynamic).collect();
    b.value("vector.extract", &operands, element, &[("static_position", position)])
}

/// Inserts a value into one lane of a vector.
pub fn insert<'c>(b: &Builder<'c>, value: Val<'c>, vector: Val<'c>, lane: EmittedIndex<'c>) -> Val<'c> {
    let (dynamic, position) = position(b, lane);
    let operands: Vec<_> = [value, vector].into_iter().chain(dynamic).collect();
    b.value("vector.insert", &operands, vector.r#type(), &[("static_position", position)])
}

/// The position of a lane: an operand if it is dynamic, and the static-position attribute, which is `DYNAMIC` (the
/// least integer) then.
fn position<'c>(b: &Builder<'c>, lane: EmittedIndex<'c>) -> (Option<Val<'c>>, Attribute<'c>) {
    let (operand, number) = match lane {
        Constant(lane) => (None, lane),
        Value(lane) => (Some(lane), DYNAMIC),
    };
    (operand, b.numbers(&[number]))
}

/// Builds a vector from scalars.
pub fn from_elements<'c>(b: &Builder<'c>, scalars: &[Val<'c>]) -> Val<'c> {
    let ty = b.vector(scalars.len() as i64, scalars[0].r#type());
    b.value("vector.from_elements", scalars, ty, &[])
}

/// Selects `value` in lanes where the condition is true, and `otherwise` in the others.
pub fn select<'c>(b: &Builder<'c>, condition: Val<'c>, value: Val<'c>, otherwise: Val<'c>) -> Val<'c> {
    b.value("arith.select", &[condition, value, otherwise], value.r#type(), &[])
}

/// Clamps a lane to the iteration space: the lane itself if it is less than `inside`, and lane 0 otherwise.
fn inside_or_first<'c>(b: &Builder<'c>, lane: EmittedIndex<'c>, inside: EmittedIndex<'c>) -> EmittedIndex<'c> {
    let is_inside = lane.compare(b, IntPredicate::Slt, inside);
    let chosen = [is_inside, lane.materialize(b), Constant(0).materialize(b)];
    Value(b.value("arith.select", &chosen, b.index(), &[]))
}

/// The index of a dimension in lanes that differ by a stride, or in one of these lanes. Out-of-bounds lanes, from
/// `inside` on, get the index of the first lane.
pub fn index<'c>(
    b: &Builder<'c>,
    lanes: Option<(i64, EmittedIndex<'c>)>,
    first: EmittedIndex<'c>,
    lane: Option<EmittedIndex<'c>>,
    inside: Option<EmittedIndex<'c>>,
) -> Val<'c> {
    let Some((lanes, stride)) = lanes else { return first.materialize(b) };
    if let Some(lane) = lane {
        let number = match inside {
            Some(inside) => inside_or_first(b, lane, inside),
            None => lane,
        };
        return first.add(b, number.mul(b, stride)).materialize(b);
    }
    let ty = b.vector(lanes, b.index());
    let mut numbers = b.value("vector.step", &[], ty, &[]);
    if let Some(inside) = inside {
        let condition = b.value("vector.create_mask", &[inside.materialize(b)], b.vector(lanes, b.i1()), &[]);
        numbers = select(b, condition, numbers, lift(b, Some(lanes), Constant(0).materialize(b)));
    }
    let [first, stride] = [first, stride].map(|value| lift(b, Some(lanes), value.materialize(b)));
    let distance = b.value("arith.muli", &[numbers, stride], ty, &[]);
    b.value("arith.addi", &[first, distance], ty, &[])
}
