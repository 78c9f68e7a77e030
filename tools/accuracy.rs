//! How far results of the functions of `math` may be from the exact ones, in units of the last place (ulp): the one table that `--check`, the
//! test of accuracy and docs/math.md follow.
use crate::array::Element;

/// What is promised of a function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promise {
    /// The operation without its dialect.
    pub name: &'static str,
    /// The largest error in f32 of code for processors.
    pub f32: f64,
    /// The largest error in f64 of code for processors.
    pub f64: f64,
    /// The largest error that OpenCL allows its devices; CUDA's functions are as exact or more.
    pub device: f64,
}

/// The largest error of the reference evaluator: its functions are correctly rounded, but for some denormal results.
pub const EVALUATOR: f64 = 1.0;

/// The largest error in types of 16 bits: most functions are computed in f32, and rounded once more.
pub const NARROW: f64 = 2.0;

/// The largest error of an integer power for each of its factors where they are multiplied one by one: with exponents of
/// 64 bits, in `--strict`, and on devices.
pub const FACTOR: f64 = 2.0;

const fn promise(name: &'static str, f32: f64, f64: f64, device: f64) -> Promise {
    Promise { name, f32, f64, device }
}

/// What is promised of every function that is rounded; the others are exact.
pub const PROMISES: &[Promise] = &[
    promise("exp", 1.5, 1.5, 3.0),
    promise("exp2", 1.5, 1.5, 3.0),
    promise("expm1", 2.0, 2.5, 3.0),
    promise("log", 1.0, 1.0, 3.0),
    promise("log2", 2.0, 2.0, 3.0),
    promise("log10", 2.5, 2.5, 3.0),
    promise("log1p", 2.0, 2.0, 2.0),
    promise("sin", 2.0, 2.0, 4.0),
    promise("cos", 2.0, 2.0, 4.0),
    promise("sincos", 2.0, 2.0, 4.0),
    promise("tan", 3.5, 3.0, 5.0),
    promise("asin", 2.5, 2.5, 4.0),
    promise("acos", 1.5, 1.5, 4.0),
    promise("atan", 2.0, 2.0, 5.0),
    promise("atan2", 2.5, 2.5, 6.0),
    promise("sinh", 2.5, 2.5, 4.0),
    promise("cosh", 2.5, 2.5, 4.0),
    promise("tanh", 2.5, 2.5, 5.0),
    promise("asinh", 2.5, 2.5, 4.0),
    promise("acosh", 3.0, 3.0, 4.0),
    promise("atanh", 2.5, 2.5, 5.0),
    promise("erf", 2.0, 2.0, 16.0),
    promise("erfc", 4.0, 4.0, 16.0),
    promise("cbrt", 1.0, 1.0, 2.0),
    promise("rsqrt", 1.5, 1.5, 2.0),
    promise("powf", 1.5, 1.5, 16.0),
    promise("fpowi", 1.5, 1.5, 16.0),
    promise("sqrt", 0.5, 0.5, 3.0),
    promise("fma", 0.5, 0.5, 0.5),
];

impl Promise {
    /// That of an operation of `math`; none for those that are exact.
    pub fn of(operation: &str) -> Option<&'static Self> {
        PROMISES.iter().find(|promise| promise.name == operation)
    }

    /// The largest error of a type of code for processors.
    pub fn host(&self, element: Element) -> f64 {
        match element {
            Element::F32 => self.f32,
            Element::F64 => self.f64,
            _ => NARROW,
        }
    }

    /// How far the results of any engine may be from those of the evaluator.
    pub fn between(&self, element: Element) -> f64 {
        EVALUATOR + if element.bits() == 16 { NARROW } else { self.host(element).max(self.device) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_is_there_once() {
        for promise in PROMISES {
            assert_eq!(Promise::of(promise.name), Some(promise), "{} is there twice", promise.name);
        }
    }
}
