//! Vectors: the values of adjacent points, and their loads and stores.
//!
//! ```text
//! the next element for the next lane   ──▶   vector.load, vector.store, or masked ones
//! the same element for all lanes       ──▶   memref.load, vector.broadcast where it meets vectors
//! anything else                        ──▶   memref.load lane by lane, vector.from_elements
//! ```
use super::{
    code::Code,
    index::Index::{self, Computed, Constant},
    loops,
    operators::Combiner,
    tree::{Buffer, Operation, Value, VectorAccess},
    types::{Element, Lanes, Type},
};
use mdh_dialects::ir::IntPredicate;

/// The points of a tile's element that are inside of the iteration space.
#[derive(Clone, Copy, Default)]
pub struct Mask {
    /// True at run time if any point is inside; `None` if all elements are inside.
    pub element: Option<Value>,
    /// The number of leading lanes that are inside; `None` for all lanes.
    pub lanes: Option<Index>,
}

impl Mask {
    /// The mask as an `i1`, or as a vector of `i1` if there are lanes; `None` if all points are inside.
    pub fn condition(&self, b: &Code<'_>, lanes: Option<Lanes>) -> Option<Value> {
        let Some(Lanes { count, .. }) = lanes else { return self.element };
        let ty = Type::Vector(count, Element::BIT);
        match (self.element, self.lanes) {
            (None, None) => None,
            (Some(element), None) => Some(b.value(Operation::Broadcast, &[element], ty)),
            (element, Some(inside)) => {
                let mut inside = inside.materialize(b);
                if let Some(element) = element {
                    let none = Constant(0).materialize(b);
                    inside = b.select(element, inside, none);
                }
                Some(b.value(Operation::FirstLanes, &[inside], ty))
            }
        }
    }
}

/// The type of an element's value.
pub fn lifted(lanes: Option<Lanes>, element: Element) -> Type {
    lanes.map_or(Type::Scalar(element), |lanes| Type::Vector(lanes.count, element))
}

/// Broadcasts a scalar to all lanes.
pub fn lift(b: &Code<'_>, lanes: Option<Lanes>, value: Value) -> Value {
    let ty = b.type_of(value);
    match lanes {
        Some(lanes) if !ty.is_vector() => b.value(Operation::Broadcast, &[value], ty.with_lanes(lanes.count)),
        _ => value,
    }
}

/// Extracts one lane of a vector.
pub fn extract(b: &Code<'_>, vector: Value, lane: Index) -> Value {
    let Type::Vector(_, element) = b.type_of(vector) else { return vector };
    let (operands, number) = match lane {
        Constant(lane) => (vec![vector], Some(lane)),
        Computed(lane) => (vec![vector, lane], None),
    };
    b.value(Operation::Extract(number), &operands, element.into())
}

/// A vector of these scalars.
fn from_elements(b: &Code<'_>, scalars: &[Value]) -> Value {
    let ty = b.type_of(scalars[0]).with_lanes(scalars.len() as i64);
    b.value(Operation::FromElements, scalars, ty)
}

/// The addresses of the lanes of a vector in a buffer.
pub struct Address {
    /// The buffer.
    pub buffer: Buffer,
    /// The indices of the first lane.
    pub indices: Vec<Index>,
    /// By buffer dimension, the distance of two adjacent lanes; all 0 without lanes.
    pub steps: Vec<Index>,
    /// The alignment in bytes, if full vectors are to be written with non-temporal stores; `None` for ordinary stores.
    pub line: Option<i64>,
}

impl Address {
    fn is_uniform(&self) -> bool {
        self.steps.iter().all(|step| step.constant() == Some(0))
    }

    /// True if adjacent lanes are adjacent in memory.
    fn is_contiguous(&self, b: &Code<'_>) -> bool {
        let Some((last, outer)) = self.steps.split_last() else { return false };
        last.constant() == Some(1)
            && outer.iter().all(|step| step.constant() == Some(0))
            && b.recorder.inspect(|nest| {
                let array = nest.array(self.buffer);
                array.has_unit_stride() && array.element.is_packed_alike()
            })
    }

    fn indices(&self, b: &Code<'_>, lane: Index) -> Vec<Value> {
        let indices = self.indices.iter().zip(&self.steps);
        indices.map(|(index, step)| index.add(b, step.mul(b, lane)).materialize(b)).collect()
    }

    /// Loads the elements; a scalar if all lanes load the same one. Lanes outside of the iteration space load the first
    /// lane's element if `repeats`, and zero or an arbitrary value otherwise.
    pub fn load(&self, b: &Code<'_>, element: Element, lanes: Option<Lanes>, mask: &Mask, repeats: bool) -> Value {
        let scalar = |lane| b.load(self.buffer, &self.indices(b, lane));
        let Some(lanes) = lanes.filter(|_| !self.is_uniform()) else { return scalar(Constant(0)) };
        let ty = lifted(Some(lanes), element);
        match mask.lanes {
            None if self.is_contiguous(b) => {
                b.value(Operation::LoadVector(self.buffer, VectorAccess::default()), &self.indices(b, Constant(0)), ty)
            }
            Some(inside) if self.is_contiguous(b) => {
                let condition = Mask { element: None, lanes: Some(inside) }.condition(b, Some(lanes));
                let otherwise =
                    if repeats { lift(b, Some(lanes), scalar(Constant(0))) } else { b.value(Operation::Zero, &[], ty) };
                let mut operands = self.indices(b, Constant(0));
                operands.extend(condition);
                operands.push(otherwise);
                b.value(Operation::LoadMasked(self.buffer), &operands, ty)
            }
            None => from_elements(b, &(0..lanes.count).map(|lane| scalar(Constant(lane))).collect::<Vec<_>>()),
            Some(inside) => {
                let lane = |lane: i64| scalar(inside_or_first(b, Constant(lane), inside));
                from_elements(b, &(0..lanes.count).map(lane).collect::<Vec<_>>())
            }
        }
    }

    /// Prefetches the elements.
    pub fn prefetch(&self, b: &Code<'_>) {
        if !self.is_contiguous(b) {
            return;
        }
        b.effect(Operation::Prefetch(self.buffer), &self.indices(b, Constant(0)));
    }

    /// Stores the elements that are inside of the iteration space.
    pub fn store(&self, b: &Code<'_>, lanes: Option<Lanes>, mask: &Mask, value: Value) {
        let write = |b: &Code<'_>, value: Value, lane: Index| {
            b.store(self.buffer, &self.indices(b, lane), value);
        };
        let Some(lanes) = lanes else { return guarded(b, mask.element, |b| write(b, value, Constant(0))) };
        let value = lift(b, Some(lanes), value);
        if !self.is_contiguous(b) {
            let count = mask.lanes.unwrap_or(Constant(lanes.count));
            if mask.element.is_none() && mask.lanes.is_none() {
                return (0..lanes.count).for_each(|lane| write(b, extract(b, value, Constant(lane)), Constant(lane)));
            }
            // Partial vectors are rare, and one guarded store per lane is long code: emit a loop.
            return guarded(b, mask.element, |b| {
                loops::sequential(b, count, |b, lane| write(b, extract(b, value, lane), lane));
            });
        }
        match mask.condition(b, Some(lanes)) {
            Some(condition) => {
                let mut operands = self.indices(b, Constant(0));
                operands.extend([condition, value]);
                b.effect(Operation::StoreMasked(self.buffer), &operands);
            }
            None => {
                let mut operands = vec![value];
                operands.extend(self.indices(b, Constant(0)));
                let access = VectorAccess { alignment: self.line, is_nontemporal: self.line.is_some() };
                b.effect(Operation::StoreVector(self.buffer, access), &operands);
            }
        }
    }
}

fn guarded<'t>(b: &Code<'t>, condition: Option<Value>, body: impl FnOnce(&Code<'t>)) {
    let Some(condition) = condition else { return body(b) };
    let then = |b: &Code<'t>| {
        body(b);
        vec![]
    };
    loops::branch(b, condition, &[], then, |_| vec![]);
}

/// A lane if it is among the first `inside` lanes, which are inside of the iteration space; otherwise the first lane.
fn inside_or_first<'t>(b: &Code<'t>, lane: Index, inside: Index) -> Index {
    let is_inside = lane.compare(b, IntPredicate::Slt, inside);
    let chosen = [is_inside, lane.materialize(b), Constant(0).materialize(b)];
    Computed(b.select(chosen[0], chosen[1], chosen[2]))
}

/// Reduces the lanes of a tuple of vectors to a tuple of scalars, by combining one half with the other, or lane by lane
/// if their number is odd or 2. With a mask, only the first `inside` lanes count.
pub fn fold<'t>(
    b: &Code<'t>,
    lanes: Lanes,
    inside: Option<Index>,
    values: &[Value],
    combiner: &Combiner,
) -> Vec<Value> {
    let half = |from: i64, to: i64| -> Vec<Value> {
        let of = |vector: &Value| {
            let ty = b.type_of(*vector).with_lanes(to - from);
            b.value(Operation::Permute((from..to).collect()), &[*vector, *vector], ty)
        };
        values.iter().map(of).collect()
    };
    if lanes.count % 2 != 0 || lanes.count == 2 {
        let lane =
            |lane: i64| -> Vec<Value> { values.iter().map(|vector| extract(b, *vector, Constant(lane))).collect() };
        return (1..lanes.count).fold(lane(0), |sum, number| {
            let combined = combiner.combine(b, &sum, &lane(number), None);
            let Some(inside) = inside else { return combined };
            let condition = Constant(number).compare(b, IntPredicate::Slt, inside);
            combined.iter().zip(sum).map(|(new, old)| b.select(condition, *new, old)).collect()
        });
    }
    let part = Lanes { count: lanes.count / 2, ..lanes };
    let (low, high) = (half(0, part.count), half(part.count, lanes.count));
    let mut sums = combiner.combine(b, &low, &high, Some(part));
    if let Some(inside) = inside {
        let rest = Mask { element: None, lanes: Some(inside.sub(b, Constant(part.count))) };
        if let Some(condition) = rest.condition(b, Some(part)) {
            sums = sums.iter().zip(low).map(|(new, old)| b.select(condition, *new, old)).collect();
        }
    }
    fold(b, part, inside, &sums, combiner)
}
