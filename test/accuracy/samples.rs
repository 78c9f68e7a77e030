//! Operands for measurements: edge cases, numbers of all magnitudes, and numbers in the ranges of interest of a
//! function.
use crate::functions::{Function, Shape};
use mdh_passes::schedule::random::Random;
use mdh_tools::array::Element;
use std::f64::consts::{FRAC_PI_2, LN_2};

/// Operands, one list per position.
pub type Columns = Vec<Vec<f64>>;

/// The number of a type that is nearest to `value`.
pub fn rounded(element: Element, value: f64) -> f64 {
    element.to_f64(element.from_f64(value))
}

/// The numbers of a type around a value, `count` in each direction.
fn around(element: Element, value: f64, count: i64) -> Vec<f64> {
    let bits = element.from_f64(value) as i64;
    let infinity = element.from_f64(f64::INFINITY) as i64;
    let sign = 1i64 << (element.bits() - 1);
    let magnitude = bits & !sign;
    let near = (magnitude - count..=magnitude + count).filter(|magnitude| (0..=infinity).contains(magnitude));
    near.map(|magnitude| element.to_f64((magnitude | bits & sign) as u64 as u128 & element.mask())).collect()
}

/// All numbers of a 16-bit type.
pub fn all(element: Element) -> Columns {
    vec![(0..1u128 << 16).map(|slot| element.to_f64(slot)).collect()]
}

/// The largest number of a type, and the smallest normal one.
fn extremes(element: Element) -> (f64, f64) {
    match element {
        Element::F16 => (65504.0, 2f64.powi(-14)),
        Element::Bf16 => (f64::from_bits(0x47ef_e000_0000_0000), f64::from(f32::MIN_POSITIVE)),
        Element::F32 => (f64::from(f32::MAX), f64::from(f32::MIN_POSITIVE)),
        _ => (f64::MAX, f64::MIN_POSITIVE),
    }
}

/// Numbers that are special for some function, and their neighbors.
fn edges(element: Element) -> Vec<f64> {
    let (largest, normal) = extremes(element);
    let mut values = vec![f64::NAN];
    let mut both = |value: f64, count: i64| {
        for value in around(element, value, count) {
            values.extend([value, -value]);
        }
    };
    for value in [0.0, normal, largest, f64::INFINITY, 0.5, 1.0, 2.0, FRAC_PI_2] {
        both(value, 8);
    }
    for halves in 0..200 {
        both(f64::from(halves) / 2.0, 1);
    }
    // Where exponentials and hyperbolic functions overflow, underflow or become denormal, by the exponents of the type,
    // and where other functions saturate.
    for power in [
        16.0, 24.0, 25.0, 53.0, 54.0, 126.0, 127.0, 128.0, 129.0, 149.0, 150.0, 1022.0, 1023.0, 1024.0, 1025.0, 1074.0,
        1075.0,
    ] {
        both(power, 2);
        both(power * LN_2, 4);
        both(power * LN_2 / 2.0, 4);
    }
    for value in [3.92, 5.92, 8.67, 9.01, 9.19, 10.05, 18.7, 19.06, 22.0, 26.54, 26.64, 27.23, 103.97] {
        both(value, 4);
    }
    for power in -1074..1024 {
        both(2f64.powi(power), 1);
    }
    for quarters in 1..2000 {
        both(f64::from(quarters) * FRAC_PI_2, 1);
        both(f64::from(quarters) * (FRAC_PI_2 / 2.0), 1);
    }
    // Floats of f64 and of f32 that are exceptionally close to a multiple of pi / 2, found by continued fractions.
    for value in [
        6_381_956_970_095_103.0 * 2f64.powi(797),
        6_411_027_962_775_774.0 * 2f64.powi(-48),
        // 0x1.6ac5b262ca1ffp+849
        f64::from_bits(0x7506_ac5b_262c_a1ff),
        16_367_173.0 * 2f64.powi(72),
        10_845_387.0 * 2f64.powi(40),
        1e22,
        1e300,
    ] {
        both(value, 2);
    }
    values
}

/// Special values for functions of several operands, few enough to try all pairs.
fn crossed(element: Element) -> Vec<f64> {
    let (largest, normal) = extremes(element);
    let digits = match element {
        Element::F16 => 11,
        Element::Bf16 => 8,
        Element::F32 => 24,
        _ => 53,
    };
    let mut values = vec![f64::NAN];
    for value in
        [0.0, 0.5, 1.0 / 3.0, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 10.0, 33.0, 100.0, 127.0, 1023.0, 1024.0, 1074.0]
            .into_iter()
            .chain([largest, largest / 2.0, normal, normal / 2.0, f64::INFINITY])
            .chain(around(element, 1.0, 2))
            .chain(around(element, 0.0, 2))
            // The largest odd numbers, and the even ones after them.
            .chain(around(element, 2f64.powi(digits), 2))
            .chain(around(element, 2f64.powi(digits - 1), 2))
    {
        let value = rounded(element, value);
        values.extend([value, -value]);
    }
    values
}

/// Draws operands for one function and type.
pub struct Samples<'f> {
    function: &'f Function,
    element: Element,
    random: Random,
}

impl<'f> Samples<'f> {
    /// Seeds the generator by function and type, so that each run draws the same operands.
    pub fn new(function: &'f Function, element: Element) -> Self {
        let seed = function.name.bytes().fold(u64::from(element.bits()), |seed, byte| seed * 31 + u64::from(byte));
        Self { function, element, random: Random::new(seed) }
    }

    /// The edge cases of the function.
    pub fn edges(&mut self) -> Columns {
        let element = self.element;
        let lists: Vec<Vec<f64>> = match self.function.operands {
            Shape::Unary => return vec![edges(element)],
            Shape::IntegerPower => {
                let integers = (-40..=40).chain([i32::MIN, i32::MIN + 1, i32::MAX, i32::MAX - 1, 127, 128, 1000, 1001]);
                vec![crossed(element), integers.map(f64::from).collect()]
            }
            _ => vec![crossed(element); 2],
        };
        let mut columns = vec![vec![]; 2];
        for first in &lists[0] {
            for second in &lists[1] {
                columns[0].push(*first);
                columns[1].push(*second);
            }
        }
        if self.function.operands == Shape::Ternary {
            let third = (0..columns[0].len()).map(|_| lists[0][self.random.below(lists[0].len())]);
            columns.push(third.collect());
        }
        columns
    }

    /// Draws `count` random operands.
    pub fn draw(&mut self, count: usize) -> Columns {
        let mut columns = vec![vec![0.0; count]; self.function.types(self.element).len()];
        for i in 0..count {
            match self.function.operands {
                Shape::Unary => columns[0][i] = self.one(),
                Shape::Power => (columns[0][i], columns[1][i]) = self.power(),
                Shape::IntegerPower => {
                    let (base, exponent) = self.power();
                    (columns[0][i], columns[1][i]) = (base, f64::from(exponent as i32));
                }
                Shape::Binary | Shape::Ternary => {
                    // Usually of similar magnitude. Otherwise one operand nearly always absorbs the other.
                    let first = self.one();
                    columns[0][i] = first;
                    for column in &mut columns[1..] {
                        let like = first * (self.unit() * 12.0 - 6.0).exp2() * self.sign();
                        let value = if self.random.once_in(3) { self.one() } else { like };
                        column[i] = rounded(self.element, value);
                    }
                }
            }
        }
        columns
    }

    /// A number in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.random.next() >> 11) as f64 * 2f64.powi(-53)
    }

    fn sign(&mut self) -> f64 {
        if self.random.once_in(2) { -1.0 } else { 1.0 }
    }

    /// A number in the ranges of interest, of any magnitude, near 1, or near a multiple of pi / 2.
    fn one(&mut self) -> f64 {
        let value = match self.random.below(10) {
            0..4 => return self.any(),
            4..8 => self.ranged(),
            8 => self.sign() * (1.0 + self.sign() * self.small()),
            _ => FRAC_PI_2 * (self.unit() * 30.0).exp2().round() * self.sign(),
        };
        rounded(self.element, value)
    }

    /// A number with random bits. All exponents are equally likely, including denormals and infinities. NaNs are made
    /// quiet, because the result for signaling NaNs is unspecified.
    fn any(&mut self) -> f64 {
        let value = self.element.to_f64(u128::from(self.random.next()) & self.element.mask());
        if value.is_nan() { f64::NAN } else { value }
    }

    fn ranged(&mut self) -> f64 {
        let (low, high) = self.function.ranges[self.random.below(self.function.ranges.len())];
        low + (high - low) * self.unit()
    }

    /// A number up to 1/2, of all magnitudes that are significant next to 1.
    fn small(&mut self) -> f64 {
        (-1.0 - self.unit() * 54.0).exp2()
    }

    /// A base and an exponent whose power is usually in range; the exponent is often an integer.
    fn power(&mut self) -> (f64, f64) {
        let base = match self.random.below(4) {
            0 => self.any(),
            1 => self.ranged(),
            2 => 1.0 + self.sign() * self.small(),
            _ => (self.unit() * 20.0 - 10.0).exp2(),
        };
        let base = rounded(self.element, base);
        let range = if self.element == Element::F64 { 1080.0 } else { 152.0 };
        let reach = (self.unit() * 2.0 - 1.0) * range / base.abs().log2();
        let exponent = match self.random.below(8) {
            0 => self.any(),
            1 => self.unit() * 40.0 - 20.0,
            _ if self.function.operands == Shape::IntegerPower || self.random.once_in(3) => reach.round(),
            _ => reach,
        };
        let exponent = rounded(self.element, exponent);
        let signed = exponent.fract() == 0.0 && self.random.once_in(2);
        (if signed { -base } else { base }, exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_next_to_each_other() {
        assert_eq!(around(Element::F64, 1.0, 1), [1f64.next_down(), 1.0, 1f64.next_up()]);
        assert_eq!(around(Element::F32, -1.0, 1), [-1f32.next_down(), -1.0, -1f32.next_up()].map(f64::from));
        assert_eq!(around(Element::F16, 0.0, 1), [0.0, 2f64.powi(-24)]);
        assert_eq!(around(Element::F64, f64::INFINITY, 1), [f64::MAX, f64::INFINITY]);
        assert_eq!(extremes(Element::Bf16).0, rounded(Element::Bf16, f64::from(f32::MAX) * 0.998));
    }

    #[test]
    fn operands_are_numbers_of_their_type() {
        for function in crate::functions::FUNCTIONS {
            for element in [Element::F16, Element::Bf16, Element::F32] {
                let mut samples = Samples::new(function, element);
                for columns in [samples.edges(), samples.draw(1000)] {
                    assert!(columns.iter().all(|column| column.len() == columns[0].len()));
                    for (column, ty) in columns.iter().zip(function.types(element)) {
                        let is_one = |value: &f64| value.is_nan() || ty.to_f64(ty.from_f64(*value)) == *value;
                        assert!(column.iter().all(is_one), "{} of {element}", function.name);
                    }
                }
            }
        }
    }
}
