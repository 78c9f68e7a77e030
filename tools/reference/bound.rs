//! How far an engine's results may be from the evaluator's: a bound of the error of each number, from the roundings on the way to it and
//! the magnitudes that enter them.
//!
//! Both sides round to the type of each operation, so one rounding of a number v is an error of at most `eps * |v|` between them, where
//! `eps` is the distance from 1 to the next number. A scalar function is followed operation by operation: each adds its own rounding to
//! what the errors of its operands make of its result. An operator combines values in any order, so its sums are bounded by the sum of
//! the magnitudes instead of the sum itself, and by the number of all roundings.
use super::kernel::Kernel;
use crate::{
    accuracy::{EVALUATOR, FACTOR, Promise},
    array::{Element, Slot},
};
use mdh_dialects::hom::Kind;

/// What is known of the error of a number: at most `error + roundings * eps * magnitude`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bound {
    /// What has come from before the operator.
    error: f64,
    /// The sum of the magnitudes of what has been added.
    magnitude: f64,
    /// How many operations of the operator have rounded.
    roundings: f64,
}

/// How an operation rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rounding {
    /// A sum or difference.
    Sum,
    /// A product.
    Product,
    /// The larger or smaller operand.
    Extreme,
    /// The second or third operand, by the first.
    Choice,
    /// The operand's bits as another type.
    Bits,
    /// A power with an integer exponent: as many products as it says, and at least an error of so many distances.
    Power(f64),
    /// Any other, with an error of so many distances between numbers next to its result.
    Other(f64),
}

/// What an operation does to errors.
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
            "arith.addf" | "arith.subf" => Rounding::Sum,
            "arith.mulf" => Rounding::Product,
            "arith.maximumf" | "arith.minimumf" | "arith.maxnumf" | "arith.minnumf" => Rounding::Extreme,
            "arith.select" => Rounding::Choice,
            "arith.bitcast" => Rounding::Bits,
            "arith.truncf" | "arith.sitofp" | "arith.uitofp" => Rounding::Other(1.0),
            // What OpenCL allows its devices.
            "arith.divf" => Rounding::Other(3.0),
            // Both sides round the exact result to one of its neighbours.
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
        // Integers have the rules of floats, with a distance of zero from 1 to the next one.
        let form = kind.builtin().floats.unwrap_or(kind.builtin().integers);
        Self::new(form.operation, &[element; 2], element)
    }

    /// The bound of a result by those of its operands. `in_any_order` is that of an operator.
    pub fn apply(&self, kernel: &Kernel, given: &[(Slot, Bound)], value: Slot, in_any_order: bool) -> Bound {
        if let ([(_, x), (_, y)], Rounding::Sum | Rounding::Product | Rounding::Extreme, true) =
            (given, self.rounding, in_any_order)
        {
            return match self.rounding {
                Rounding::Sum => Bound {
                    error: x.error + y.error,
                    magnitude: x.magnitude + y.magnitude,
                    roundings: x.roundings + y.roundings + 1.0,
                },
                Rounding::Product => Bound {
                    error: x.error * y.magnitude + y.error * x.magnitude + x.error * y.error + self.lost(x, y),
                    magnitude: x.magnitude * y.magnitude,
                    roundings: x.roundings + y.roundings + 1.0,
                },
                _ => Bound {
                    error: x.error.max(y.error),
                    magnitude: x.magnitude.max(y.magnitude),
                    roundings: x.roundings.max(y.roundings),
                },
            };
        }
        // Most often, so without a look at the numbers.
        if let ([(_, x), (_, y)], Rounding::Product, true) = (given, self.rounding, self.result.is_float()) {
            let magnitude = magnitude(self.result, value);
            let rounded = if magnitude.is_finite() { epsilon(self.result) * magnitude } else { 0.0 };
            let exact = x.error + y.error == 0.0;
            let inherited = x.error * y.magnitude + y.error * x.magnitude + x.error * y.error;
            // What is lost below the normal numbers.
            let is_small = magnitude < smallest(self.result) / epsilon(self.result);
            let lost = if is_small && x.magnitude * y.magnitude > 0.0 { smallest(self.result) } else { 0.0 };
            return Bound { error: rounded + lost + if exact { 0.0 } else { inherited }, magnitude, roundings: 0.0 };
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
            Rounding::Sum => totals[0] + totals[1] + own(1.0),
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
        Bound { error, magnitude: result, roundings: 0.0 }
    }

    /// By how many distances between numbers the operation itself may be off.
    fn distances(&self, given: &[(Slot, Bound)]) -> f64 {
        match (self.rounding, given) {
            (Rounding::Power(least), [_, (exponent, _)]) => {
                least.max(EVALUATOR + FACTOR * magnitude(self.operands[1], *exponent))
            }
            (Rounding::Power(count) | Rounding::Other(count), _) => count,
            _ => 0.0,
        }
    }

    /// Whether the result is a power whose inverse is too large for the type: engines compute it first, and then give a zero.
    fn has_infinite_inverse(&self, given: &[(Slot, Bound)], result: f64) -> bool {
        let exponent = given.get(1).map_or(0, |(slot, _)| self.operands[1].signed(*slot));
        matches!(self.rounding, Rounding::Power(_))
            && exponent < 0
            && result < 2.0 * smallest(self.result) / epsilon(self.result)
    }

    /// What products of many values may lose below the normal numbers, each at the place where its order gets there.
    fn lost(&self, x: &Bound, y: &Bound) -> f64 {
        let product = x.magnitude * y.magnitude;
        let is_small = product > 0.0 && product < smallest(self.result) / epsilon(self.result);
        if is_small { (x.roundings + y.roundings + 1.0) * smallest(self.result) } else { 0.0 }
    }

    /// How far the result moves when an operand does by its error.
    fn moved(&self, kernel: &Kernel, given: &[(Slot, Bound)], i: usize, error: f64, value: Slot) -> f64 {
        if error == 0.0 {
            return 0.0;
        }
        if !error.is_finite() {
            return f64::INFINITY;
        }
        let element = self.operands[i];
        let at = element.to_f64(given[i].0);
        // So far that it is another number.
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
    /// That of a number whose error is known.
    pub fn of(element: Element, value: Slot, error: f64) -> Self {
        Self { error, magnitude: magnitude(element, value), roundings: 0.0 }
    }

    /// The largest error of a number of a type. What is infinite or NaN must be so on both sides.
    pub fn total(&self, element: Element) -> f64 {
        let own = self.roundings * epsilon(element) * self.magnitude;
        let total = self.error + if self.magnitude.is_finite() { own } else { 0.0 };
        if total.is_nan() { f64::INFINITY } else { total }
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

/// The smallest float above zero; below its quotient by [`epsilon`], floats are as far from each other as from zero.
fn smallest(element: Element) -> f64 {
    match element {
        Element::F16 => 2f64.powi(-24),
        Element::Bf16 => 2f64.powi(-133),
        Element::F32 => f64::from(f32::from_bits(1)),
        Element::F64 => f64::from_bits(1),
        Element::Integer(_) | Element::Index => 0.0,
    }
}

/// Follows errors while a program runs on slots.
pub trait Follow {
    /// An operation has made a result of its operands, all by their slots.
    fn applied(&mut self, rule: &Rule, kernel: &Kernel, operands: &[usize], slots: &[Slot], result: usize);
    /// A slot has become that of another one.
    fn copied(&mut self, from: usize, to: usize);
    /// A slot holds a number without error.
    fn exact(&mut self, to: usize);
}

/// Nothing is followed.
impl Follow for () {
    #[inline]
    fn applied(&mut self, _: &Rule, _: &Kernel, _: &[usize], _: &[Slot], _: usize) {}
    #[inline]
    fn copied(&mut self, _: usize, _: usize) {}
    #[inline]
    fn exact(&mut self, _: usize) {}
}

/// The bounds of all slots.
pub struct Bounds<'a> {
    /// By slot.
    pub bounds: &'a mut [Bound],
    /// Whether the program is that of an operator.
    pub in_any_order: bool,
}

impl Follow for Bounds<'_> {
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
