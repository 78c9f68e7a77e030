//! Vectors: the values of a run of points, and how they get to memory and back.
//!
//! ```text
//! the next element for the next lane   ──▶   vector.load, vector.store, or masked ones
//! the same element for all lanes       ──▶   memref.load, vector.broadcast where it meets vectors
//! anything else                        ──▶   memref.load lane by lane, vector.from_elements
//! ```
use crate::{
    lower::{
        index::Index::{self, Constant, Value},
        loops,
        operators::Combiner,
    },
    schedule::model::Level,
};
use mdh_dialects::ir::{self, Builder, DYNAMIC, IntPredicate, Val};
use melior::ir::{Attribute, Type, TypeLike, ValueLike};

/// The level whose parts are the lanes of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// The level.
    pub level: Level,
    /// Its number of parts.
    pub count: i64,
}

/// Which points of an element of a tile are inside of the iteration space.
#[derive(Clone, Copy, Default)]
pub struct Mask<'c> {
    /// Whether any is; all elements are if this is not given.
    pub element: Option<Val<'c>>,
    /// How many lanes are, the first ones; all if this is not given.
    pub lanes: Option<Index<'c>>,
}

impl<'c> Mask<'c> {
    /// As a condition on a value: an `i1`, or a vector of them; none where all points are inside.
    pub fn condition(&self, b: &Builder<'c>, lanes: Option<Lanes>) -> Option<Val<'c>> {
        let Some(Lanes { count, .. }) = lanes else { return self.element };
        let r#type = b.vector(count, b.i1());
        match (self.element, self.lanes) {
            (None, None) => None,
            (Some(element), None) => Some(b.value("vector.broadcast", &[element], r#type, &[])),
            (element, Some(inside)) => {
                let mut inside = inside.materialize(b);
                if let Some(element) = element {
                    let none = Constant(0).materialize(b);
                    inside = b.value("arith.select", &[element, inside, none], b.index(), &[]);
                }
                Some(b.value("vector.create_mask", &[inside], r#type, &[]))
            }
        }
    }
}

/// Whether values of a type can be elements of vectors.
pub fn is_vectorizable(r#type: Type<'_>) -> bool {
    r#type.is_integer() || r#type.is_float() || r#type.is_index()
}

/// Whether an element in memory is as large as one in a vector, which packs other types more tightly.
pub fn is_packed_alike(r#type: Type<'_>) -> bool {
    !r#type.is_integer() || [8, 16, 32, 64].contains(&ir::integer_width(r#type))
}

/// The type of an element's value.
pub fn lifted<'c>(b: &Builder<'c>, lanes: Option<Lanes>, element: Type<'c>) -> Type<'c> {
    lanes.map_or(element, |lanes| b.vector(lanes.count, element))
}

/// A value as one of all lanes.
pub fn lift<'c>(b: &Builder<'c>, lanes: Option<Lanes>, value: Val<'c>) -> Val<'c> {
    match lanes {
        Some(_) if !value.r#type().is_vector() => {
            let r#type = lifted(b, lanes, value.r#type());
            b.value("vector.broadcast", &[value], r#type, &[])
        }
        _ => value,
    }
}

/// One lane of a vector.
pub fn extract<'c>(b: &Builder<'c>, vector: Val<'c>, lane: Index<'c>) -> Val<'c> {
    let Some(element) = ir::element_type(vector.r#type()) else { return vector };
    let (dynamic, position) = position(b, lane);
    let operands: Vec<_> = [vector].into_iter().chain(dynamic).collect();
    b.value("vector.extract", &operands, element, &[("static_position", position)])
}

/// A vector with another value in one lane.
pub fn insert<'c>(b: &Builder<'c>, value: Val<'c>, vector: Val<'c>, lane: Index<'c>) -> Val<'c> {
    let (dynamic, position) = position(b, lane);
    let operands: Vec<_> = [value, vector].into_iter().chain(dynamic).collect();
    b.value("vector.insert", &operands, vector.r#type(), &[("static_position", position)])
}

/// A position in a vector: an operand if it is not known, and the attribute, in which the least integer stands for it.
fn position<'c>(b: &Builder<'c>, lane: Index<'c>) -> (Option<Val<'c>>, Attribute<'c>) {
    let (operand, number) = match lane {
        Constant(lane) => (None, lane),
        Value(lane) => (Some(lane), DYNAMIC),
    };
    (operand, b.numbers(&[number]))
}

/// A vector of so many scalars.
pub fn from_elements<'c>(b: &Builder<'c>, scalars: &[Val<'c>]) -> Val<'c> {
    let r#type = b.vector(scalars.len() as i64, scalars[0].r#type());
    b.value("vector.from_elements", scalars, r#type, &[])
}

/// `value` where the condition holds, `otherwise` elsewhere.
pub fn select<'c>(b: &Builder<'c>, condition: Val<'c>, value: Val<'c>, otherwise: Val<'c>) -> Val<'c> {
    b.value("arith.select", &[condition, value, otherwise], value.r#type(), &[])
}

/// The elements of a buffer that the lanes of a vector stand for.
pub struct Address<'c> {
    /// The buffer.
    pub memref: Val<'c>,
    /// Where the first lane is.
    pub indices: Vec<Index<'c>>,
    /// By buffer dimension, how far apart two lanes are; without lanes all 0.
    pub steps: Vec<Index<'c>>,
    /// If full vectors are to be written past the caches: the bytes that they are aligned to.
    pub line: Option<i64>,
}

impl<'c> Address<'c> {
    fn is_uniform(&self) -> bool {
        self.steps.iter().all(|step| step.constant() == Some(0))
    }

    /// Whether neighbouring lanes are neighbours in memory.
    fn is_contiguous(&self) -> bool {
        let Some((last, outer)) = self.steps.split_last() else { return false };
        last.constant() == Some(1)
            && outer.iter().all(|step| step.constant() == Some(0))
            && has_unit_stride(self.memref.r#type())
            && ir::element_type(self.memref.r#type()).is_some_and(is_packed_alike)
    }

    fn operands(&self, b: &Builder<'c>, lane: Index<'c>) -> Vec<Val<'c>> {
        let indices = self.indices.iter().zip(&self.steps);
        let indices = indices.map(|(index, step)| index.add(b, step.mul(b, lane)).materialize(b));
        [self.memref].into_iter().chain(indices).collect()
    }

    /// Reads the elements; a scalar where all lanes read the same one. Lanes outside of the iteration space read the first lane's
    /// element if `repeats`, and zero or anything else otherwise.
    pub fn load(
        &self,
        b: &Builder<'c>,
        element: Type<'c>,
        lanes: Option<Lanes>,
        mask: &Mask<'c>,
        repeats: bool,
    ) -> Val<'c> {
        let scalar = |lane| b.value("memref.load", &self.operands(b, lane), element, &[]);
        let Some(lanes) = lanes.filter(|_| !self.is_uniform()) else { return scalar(Constant(0)) };
        let r#type = lifted(b, Some(lanes), element);
        match mask.lanes {
            None if self.is_contiguous() => b.value("vector.load", &self.operands(b, Constant(0)), r#type, &[]),
            Some(inside) if self.is_contiguous() => {
                let condition = Mask { element: None, lanes: Some(inside) }.condition(b, Some(lanes));
                let otherwise = if repeats { lift(b, Some(lanes), scalar(Constant(0))) } else { zero(b, r#type) };
                let mut operands = self.operands(b, Constant(0));
                operands.extend(condition);
                operands.push(otherwise);
                b.value("vector.maskedload", &operands, r#type, &[])
            }
            None => from_elements(b, &(0..lanes.count).map(|lane| scalar(Constant(lane))).collect::<Vec<_>>()),
            Some(inside) => {
                let lane = |lane: i64| scalar(inside_or_first(b, Constant(lane), inside));
                from_elements(b, &(0..lanes.count).map(lane).collect::<Vec<_>>())
            }
        }
    }

    /// Asks for elements that will be read soon.
    pub fn prefetch(&self, b: &Builder<'c>) {
        if !self.is_contiguous() {
            return;
        }
        let attributes =
            [("isWrite", b.truth(false)), ("localityHint", b.i32_number(3)), ("isDataCache", b.truth(true))];
        b.op("memref.prefetch", &self.operands(b, Constant(0)), &[], &attributes, vec![]);
    }

    /// Writes the elements that are inside of the iteration space.
    pub fn store(&self, b: &Builder<'c>, lanes: Option<Lanes>, mask: &Mask<'c>, value: Val<'c>) {
        let write = |b: &Builder<'c>, value: Val<'c>, lane: Index<'c>| {
            let mut operands = vec![value];
            operands.extend(self.operands(b, lane));
            b.op("memref.store", &operands, &[], &[], vec![]);
        };
        let Some(lanes) = lanes else { return guarded(b, mask.element, |b| write(b, value, Constant(0))) };
        let value = lift(b, Some(lanes), value);
        if !self.is_contiguous() {
            let count = mask.lanes.unwrap_or(Constant(lanes.count));
            if mask.element.is_none() && mask.lanes.is_none() {
                return (0..lanes.count).for_each(|lane| write(b, extract(b, value, Constant(lane)), Constant(lane)));
            }
            // Parts at the end of a dimension are few, and a copy for each lane is long.
            return guarded(b, mask.element, |b| {
                loops::sequential(b, count, |b, lane| write(b, extract(b, value, lane), lane));
            });
        }
        match mask.condition(b, Some(lanes)) {
            Some(condition) => {
                let mut operands = self.operands(b, Constant(0));
                operands.extend([condition, value]);
                b.op("vector.maskedstore", &operands, &[], &[], vec![]);
            }
            None => {
                let mut operands = vec![value];
                operands.extend(self.operands(b, Constant(0)));
                let attributes =
                    self.line.map(|line| [("nontemporal", b.truth(true)), ("alignment", b.i64_number(line))]);
                b.op("vector.store", &operands, &[], attributes.as_ref().map_or(&[], |list| list), vec![]);
            }
        }
    }
}

fn guarded<'c>(b: &Builder<'c>, condition: Option<Val<'c>>, body: impl FnOnce(&Builder<'c>)) {
    let Some(condition) = condition else { return body(b) };
    let then = |b: &Builder<'c>| {
        body(b);
        vec![]
    };
    loops::branch(b, condition, &[], then, |_| vec![]);
}

/// Zeros of a type of vectors.
pub fn zero<'c>(b: &Builder<'c>, r#type: Type<'c>) -> Val<'c> {
    b.literal(0, r#type)
}

/// Whether a memref's type says that the elements of its last dimension are neighbours.
fn has_unit_stride(r#type: Type<'_>) -> bool {
    let text = r#type.to_string();
    match (text.split_once("strided<["), text.contains("affine_map<")) {
        (Some((_, strides)), _) => {
            let strides = strides.split(']').next().unwrap_or_default();
            strides.rsplit(", ").next() == Some("1")
        }
        (None, is_mapped) => !is_mapped,
    }
}

/// A lane if it is among the first so many, which are inside of the iteration space, and the first one otherwise.
fn inside_or_first<'c>(b: &Builder<'c>, lane: Index<'c>, inside: Index<'c>) -> Index<'c> {
    let is_inside = lane.compare(b, IntPredicate::Slt, inside);
    let chosen = [is_inside, lane.materialize(b), Constant(0).materialize(b)];
    Value(b.value("arith.select", &chosen, b.index(), &[]))
}

/// The index of a dimension in all lanes that differ by a stride, or in one of them; lanes behind the last one inside of the iteration
/// space get the index of the first one.
pub fn index<'c>(
    b: &Builder<'c>,
    lanes: Option<(Lanes, Index<'c>)>,
    first: Index<'c>,
    lane: Option<Index<'c>>,
    inside: Option<Index<'c>>,
) -> Val<'c> {
    let Some((lanes, stride)) = lanes else { return first.materialize(b) };
    let index = b.index();
    if let Some(lane) = lane {
        let number = match inside {
            Some(inside) => inside_or_first(b, lane, inside),
            None => lane,
        };
        return first.add(b, number.mul(b, stride)).materialize(b);
    }
    let r#type = lifted(b, Some(lanes), index);
    let mut numbers = b.value("vector.step", &[], r#type, &[]);
    if let Some(condition) = (Mask { element: None, lanes: inside }).condition(b, Some(lanes)) {
        numbers = select(b, condition, numbers, lift(b, Some(lanes), Constant(0).materialize(b)));
    }
    let [first, stride] = [first, stride].map(|value| lift(b, Some(lanes), value.materialize(b)));
    let distance = b.value("arith.muli", &[numbers, stride], r#type, &[]);
    b.value("arith.addi", &[first, distance], r#type, &[])
}

/// Combines the lanes of a tuple of vectors to one tuple of scalars, each half of them with the other half; of a mask the first lanes.
pub fn fold<'c>(
    b: &Builder<'c>,
    lanes: Lanes,
    inside: Option<Index<'c>>,
    values: &[Val<'c>],
    combiner: &Combiner<'c>,
) -> Vec<Val<'c>> {
    let half = |from: i64, to: i64| -> Vec<Val<'c>> {
        let mask = b.numbers(&(from..to).collect::<Vec<_>>());
        let part = Some(Lanes { count: to - from, ..lanes });
        let of = |vector: &Val<'c>| {
            let element = ir::element_type(vector.r#type()).unwrap_or_else(|| vector.r#type());
            b.value("vector.shuffle", &[*vector, *vector], lifted(b, part, element), &[("mask", mask)])
        };
        values.iter().map(of).collect()
    };
    if lanes.count % 2 != 0 || lanes.count == 2 {
        let lane =
            |lane: i64| -> Vec<Val<'c>> { values.iter().map(|vector| extract(b, *vector, Constant(lane))).collect() };
        return (1..lanes.count).fold(lane(0), |sum, number| {
            let combined = combiner.combine(b, &sum, &lane(number), None);
            let Some(inside) = inside else { return combined };
            let condition = Constant(number).compare(b, IntPredicate::Slt, inside);
            combined.iter().zip(sum).map(|(new, old)| select(b, condition, *new, old)).collect()
        });
    }
    let part = Lanes { count: lanes.count / 2, ..lanes };
    let (low, high) = (half(0, part.count), half(part.count, lanes.count));
    let mut sums = combiner.combine(b, &low, &high, Some(part));
    if let Some(inside) = inside {
        let rest = Mask { element: None, lanes: Some(inside.sub(b, Constant(part.count))) };
        if let Some(condition) = rest.condition(b, Some(part)) {
            sums = sums.iter().zip(low).map(|(new, old)| select(b, condition, *new, old)).collect();
        }
    }
    fold(b, part, inside, &sums, combiner)
}
