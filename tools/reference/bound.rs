//! Error bounds: how far an element of an engine may differ from the evaluator's, derived from the roundings that lead
//! to it and the magnitudes that they round.
//!
//! Both sides round to the type of each operation, so one rounding of a number v makes them differ by at most
//! `eps * |v|`, where `eps` is the distance from 1 to the next number. Bounds are propagated through a scalar function
//! operation by operation: each adds its own rounding to the effect of its operands' errors on its result. A combine
//! operator may be applied in any order: the bound of a sum follows from its addends (`bound/addends.rs`), and that of a product
//! from the number of its roundings.
mod addends;

use super::kernel::Kernel;
use crate::{
    accuracy::{EVALUATOR, FACTOR, Promise},
    array::{Element, Slot},
};
use addends::{Addends, independent, is_exact_product, is_exact_sum};
use mdh_dialects::hom::Kind;

/// The error bound of a number: an inherited error, and the errors of the operator that has computed it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bound {
    /// The inherited error, from before the operator.
    error: f64,
    /// The magnitude of the number.
    magnitude: f64,
    /// The number of roundings of a product in any order.
    rounding_count: f64,
    /// The addends of a sum in any order.
    addends: Option<Addends>,
}

/// The rounding behavior of an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rounding {
    /// A sum.
    Sum,
    /// A difference.
    Difference,
    /// A product.
    Product,
    /// Minimum or maximum.
    Extreme,
    /// The second or third operand, selected by the first.
    Choice,
    /// The operand's bits as another type.
    Bits,
    /// A power with an integer exponent: as many products as the exponent says, and at least this many ulps of error.
    Power(f64),
    /// Any other operation, with an error of this many ulps of its result.
    Other(f64),
}

/// The propagation rule of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    rounding: Rounding,
    operands: [Element; 3],
    result: Element,
}

impl Rule {
    /// The rule of an operation of `arith` or `math` by its name and types.
    pub fn new(name: &str, operands: &[Element], result: Element) -> Self {
        let rounding = match name {
            "arith.addf" => Rounding::Sum,
            "arith.subf" => Rounding::Difference,
            "arith.mulf" => Rounding::Product,
            "arith.maximumf" | "arith.minimumf" | "arith.maxnumf" | "arith.minnumf" => Rounding::Extreme,
            "arith.select" => Rounding::Choice,
            "arith.bitcast" => Rounding::Bits,
            "arith.truncf" | "arith.sitofp" | "arith.uitofp" => Rounding::Other(1.0),
            // The error that OpenCL allows its devices.
            "arith.divf" => Rounding::Other(3.0),
            // Both sides round the exact result to one of its two neighbors.
            "math.fma" => Rounding::Other(1.0),
            _ => match name.strip_prefix("math.").and_then(Promise::of).map(|promise| promise.between(result)) {
                Some(distances) if name == "math.fpowi" => Rounding::Power(distances),
                Some(distances) => Rounding::Other(distances),
                None => Rounding::Other(0.0),
            },
        };
        let mut all = [result; 3];
        all.iter_mut().zip(operands).for_each(|(to, from)| *to = *from);
        Self { rounding, operands: all, result }
    }

    /// The rule of a built-in combining function.
    pub fn of_operator(kind: Kind, element: Element) -> Self {
        // Integers follow the rules of floats with an `eps` of zero.
        let form = kind.builtin().floats.unwrap_or(kind.builtin().integers);
        Self::new(form.operation, &[element; 2], element)
    }

    /// The bound of a result from those of the operands. `in_any_order` is true for operations of a combine operator.
    pub fn apply(&self, kernel: &Kernel, given: &[(Slot, Bound)], value: Slot, in_any_order: bool) -> Bound {
        if let ([x, y], true) = (given, in_any_order)
            && let Some(bound) = self.apply_in_any_order([x, y], value)
        {
            return bound;
        }
        // The most frequent case, so it does not apply the kernel.
        if let ([(_, x), (_, y)], Rounding::Product, true) = (given, self.rounding, self.result.is_float()) {
            let magnitude = magnitude(self.result, value);
            let exact = x.error + y.error == 0.0;
            let is_rounded = magnitude.is_finite() && !(exact && self.is_exact(given, value));
            let rounded = if is_rounded { epsilon(self.result) * magnitude } else { 0.0 };
            let inherited = x.error * y.magnitude + y.error * x.magnitude + x.error * y.error;
            // Rounding error of subnormal results.
            let is_small = magnitude < smallest(self.result) / epsilon(self.result);
            let lost = if is_small && x.magnitude * y.magnitude > 0.0 { smallest(self.result) } else { 0.0 };
            return Bound {
                error: rounded + lost + if exact { 0.0 } else { inherited },
                magnitude,
                ..Bound::default()
            };
        }
        let totals = [0, 1, 2].map(|i| given.get(i).map_or(0.0, |(_, bound)| bound.total(self.operands[i])));
        if let (Rounding::Choice, [(condition, _), yes, no]) = (self.rounding, given) {
            let chosen = if *condition == 0 { no } else { yes }.1;
            let other = if totals[0] > 0.0 { self.distance(yes.0, no.0) } else { 0.0 };
            return Bound { error: chosen.error + other, ..chosen };
        }
        let result = magnitude(self.result, value);
        let own = |count: f64| if result.is_finite() { count * epsilon(self.result) * result } else { 0.0 };
        let any_zero = || given.iter().zip(self.operands).any(|((slot, _), element)| magnitude(element, *slot) == 0.0);
        let error = match self.rounding {
            Rounding::Sum | Rounding::Difference if totals == [0.0; 3] && self.is_exact(given, value) => 0.0,
            Rounding::Sum | Rounding::Difference => totals[0] + totals[1] + own(1.0),
            Rounding::Extreme => totals[0].max(totals[1]),
            Rounding::Bits | Rounding::Choice | Rounding::Product if totals == [0.0; 3] => 0.0,
            Rounding::Bits | Rounding::Choice | Rounding::Product => f64::INFINITY,
            Rounding::Other(_) | Rounding::Power(_) => {
                let count = self.distances(given);
                let lost = count > 1.0 && result < smallest(self.result) / epsilon(self.result) && !any_zero();
                let inherited: f64 = (0..given.len()).map(|i| self.moved(kernel, given, i, totals[i], value)).sum();
                let inverse = if self.has_infinite_inverse(given, result) { result } else { 0.0 };
                inherited + own(count) + inverse + if lost { count * smallest(self.result) } else { 0.0 }
            }
        };
        Bound { error, magnitude: result, ..Bound::default() }
    }

    /// The bound of a sum, product or extreme that an engine may compute in any order.
    fn apply_in_any_order(&self, [x, y]: [&(Slot, Bound); 2], value: Slot) -> Option<Bound> {
        let element = self.result;
        match self.rounding {
            Rounding::Sum | Rounding::Difference if element.is_float() => {
                let values = [x, y].map(|(slot, _)| element.to_f64(*slot));
                let [left, right] = [x, y].map(|(slot, bound)| bound.as_sum(element, *slot));
                let (right, second) = match self.rounding {
                    Rounding::Difference => {
                        (Bound { addends: right.addends.map(Addends::negated), ..right }, -values[1])
                    }
                    _ => (right, values[1]),
                };
                let addends = left.addends?.and(&right.addends?, element, [values[0], second], element.to_f64(value));
                Some(Bound {
                    error: left.error + right.error,
                    magnitude: addends.magnitude(),
                    rounding_count: 0.0,
                    addends: Some(addends),
                })
            }
            Rounding::Product => {
                let [x, y] = [x, y].map(|(slot, bound)| bound.as_product(element, *slot));
                Some(Bound {
                    error: x.error * y.magnitude + y.error * x.magnitude + x.error * y.error + self.lost(&x, &y),
                    magnitude: x.magnitude * y.magnitude,
                    rounding_count: x.rounding_count + y.rounding_count + 1.0,
                    addends: None,
                })
            }
            Rounding::Extreme => {
                let error = x.1.total(element).max(y.1.total(element));
                Some(Bound::of(element, value, error))
            }
            _ => None,
        }
    }

    /// Returns true if a sum, difference or product of floats is not rounded.
    fn is_exact(&self, given: &[(Slot, Bound)], value: Slot) -> bool {
        let [(x, _), (y, _)] = given else { return false };
        let element = self.result;
        let [x, y, value] = [*x, *y, value].map(|slot| element.to_f64(slot));
        match self.rounding {
            _ if !element.is_float() => false,
            Rounding::Product => is_exact_product(element, x, y, value),
            Rounding::Sum => is_exact_sum(x, y, value),
            Rounding::Difference => is_exact_sum(x, -y, value),
            _ => false,
        }
    }

    /// The error of the operation itself, in ulps of the result.
    fn distances(&self, given: &[(Slot, Bound)]) -> f64 {
        match (self.rounding, given) {
            (Rounding::Power(least), [_, (exponent, _)]) => {
                least.max(EVALUATOR + FACTOR * magnitude(self.operands[1], *exponent))
            }
            (Rounding::Power(count) | Rounding::Other(count), _) => count,
            _ => 0.0,
        }
    }

    /// Returns true if the result is a power with a negative exponent whose reciprocal overflows. Engines compute the
    /// reciprocal first, and then return zero.
    fn has_infinite_inverse(&self, given: &[(Slot, Bound)], result: f64) -> bool {
        let exponent = given.get(1).map_or(0, |(slot, _)| self.operands[1].signed(*slot));
        matches!(self.rounding, Rounding::Power(_))
            && exponent < 0
            && result < 2.0 * smallest(self.result) / epsilon(self.result)
    }

    /// Rounding error of subnormal products, one for each multiplication, because the order decides where a product
    /// becomes subnormal.
    fn lost(&self, x: &Bound, y: &Bound) -> f64 {
        let product = x.magnitude * y.magnitude;
        let is_small = product > 0.0 && product < smallest(self.result) / epsilon(self.result);
        if is_small { (x.rounding_count + y.rounding_count + 1.0) * smallest(self.result) } else { 0.0 }
    }

    /// How far the result moves if an operand moves by its error.
    fn moved(&self, kernel: &Kernel, given: &[(Slot, Bound)], i: usize, error: f64, value: Slot) -> f64 {
        if error == 0.0 {
            return 0.0;
        }
        if !error.is_finite() {
            return f64::INFINITY;
        }
        let element = self.operands[i];
        let at = element.to_f64(given[i].0);
        // At least to the next representable number.
        let error = if element.is_float() { error.max(epsilon(element) * at.abs()) } else { error.max(1.0).ceil() };
        let mut slots: Vec<_> = given.iter().map(|(slot, _)| *slot).collect();
        let distances = [at - error, at + error].map(|moved| {
            slots[i] = element.from_f64(moved);
            kernel.apply(&slots).map_or(f64::INFINITY, |moved| self.distance(moved, value))
        });
        distances[0].max(distances[1])
    }

    fn distance(&self, x: Slot, y: Slot) -> f64 {
        let (a, b) = (self.result.to_f64(x), self.result.to_f64(y));
        match (a - b).abs() {
            _ if x == y || a == b || a.is_nan() && b.is_nan() => 0.0,
            distance if distance.is_nan() => f64::INFINITY,
            distance => distance,
        }
    }
}

impl Bound {
    /// The bound of a number with a known error.
    pub fn of(element: Element, value: Slot, error: f64) -> Self {
        Self { error, magnitude: magnitude(element, value), ..Self::default() }
    }

    /// The maximum error of a number of a type. An infinity or NaN must match exactly.
    pub fn total(&self, element: Element) -> f64 {
        let own = match &self.addends {
            Some(addends) => addends.error(element),
            None if self.magnitude.is_finite() => independent(self.rounding_count) * epsilon(element) * self.magnitude,
            None => 0.0,
        };
        let total = self.error + own;
        if total.is_nan() { f64::INFINITY } else { total }
    }

    /// The number as a sum.
    fn as_sum(&self, element: Element, slot: Slot) -> Self {
        if self.addends.is_some() {
            return *self;
        }
        let error = self.total(element);
        let addends = Addends::of(element.to_f64(slot), error == 0.0);
        Self { error, magnitude: addends.magnitude(), rounding_count: 0.0, addends: Some(addends) }
    }

    /// The number as a product.
    fn as_product(&self, element: Element, slot: Slot) -> Self {
        if self.addends.is_none() { *self } else { Self::of(element, slot, self.total(element)) }
    }
}

fn magnitude(element: Element, slot: Slot) -> f64 {
    if element.is_float() { element.to_f64(slot).abs() } else { element.signed(slot).unsigned_abs() as f64 }
}

/// The distance from 1 to the next float; zero for integers.
pub fn epsilon(element: Element) -> f64 {
    match element {
        Element::F16 => 2f64.powi(-10),
        Element::Bf16 => 2f64.powi(-7),
        Element::F32 => f64::from(f32::EPSILON),
        Element::F64 => f64::EPSILON,
        Element::Integer(_) | Element::Index => 0.0,
    }
}

/// The largest finite float; infinite for integers.
fn largest(element: Element) -> f64 {
    match element {
        Element::F16 => 65504.0,
        Element::Bf16 => f64::from(f32::from_bits(0x7f7f_0000)),
        Element::F32 => f64::from(f32::MAX),
        Element::F64 => f64::MAX,
        Element::Integer(_) | Element::Index => f64::INFINITY,
    }
}

/// The smallest positive (subnormal) float. Its quotient by [`epsilon`] is the smallest normal number.
fn smallest(element: Element) -> f64 {
    match element {
        Element::F16 => 2f64.powi(-24),
        Element::Bf16 => 2f64.powi(-133),
        Element::F32 => f64::from(f32::from_bits(1)),
        Element::F64 => f64::from_bits(1),
        Element::Integer(_) | Element::Index => 0.0,
    }
}

/// An observer of a program's execution that tracks errors.
pub trait Observer {
    /// An operation has computed a result from its operands, all given by their slots.
    fn applied(&mut self, rule: &Rule, kernel: &Kernel, operands: &[usize], slots: &[Slot], result: usize);
    /// A slot has been copied to another one.
    fn copied(&mut self, from: usize, to: usize);
    /// A slot has been set to an exact value.
    fn exact(&mut self, to: usize);
}

/// Tracks nothing.
impl Observer for () {
    #[inline]
    fn applied(&mut self, _: &Rule, _: &Kernel, _: &[usize], _: &[Slot], _: usize) {}
    #[inline]
    fn copied(&mut self, _: usize, _: usize) {}
    #[inline]
    fn exact(&mut self, _: usize) {}
}

/// Tracks the bounds of all slots.
pub struct BoundTracker<'a> {
    /// By slot.
    pub bounds: &'a mut [Bound],
    /// True if the program is that of a combine operator.
    pub in_any_order: bool,
}

impl Observer for BoundTracker<'_> {
    #[inline]
    fn applied(&mut self, rule: &Rule, kernel: &Kernel, operands: &[usize], slots: &[Slot], result: usize) {
        let mut given = [(0, Bound::default()); 3];
        for (given, operand) in given.iter_mut().zip(operands) {
            *given = (slots[*operand], self.bounds[*operand]);
        }
        self.bounds[result] = rule.apply(kernel, &given[..operands.len()], slots[result], self.in_any_order);
    }

    fn copied(&mut self, from: usize, to: usize) {
        self.bounds[to] = self.bounds[from];
    }

    fn exact(&mut self, to: usize) {
        self.bounds[to] = Bound::default();
    }
}
