//! Error bounds of the functions of `math`, in units in the last place (ulp). `--check`, the accuracy test and
//! docs/math.md all follow this table.
use crate::array::Element;

/// The error bounds of a function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promise {
    /// The operation's name without its dialect.
    pub name: &'static str,
    /// Maximum error in f32 on processors.
    pub f32: f64,
    /// Maximum error in f64 on processors.
    pub f64: f64,
    /// Maximum error that OpenCL allows devices; CUDA's functions are at least as accurate.
    pub device: f64,
}

/// Maximum error of the reference evaluator: its functions are correctly rounded, except for some subnormal results.
pub const EVALUATOR: f64 = 1.0;

/// Maximum error in 16-bit types: most functions are computed in f32, and rounded once more.
pub const NARROW: f64 = 2.0;

/// Maximum error of an integer power per factor if the factors are multiplied one by one: for 64-bit exponents, in
/// `--strict`, and on devices.
pub const FACTOR: f64 = 2.0;

const fn promise(name: &'static str, f32: f64, f64: f64, device: f64) -> Promise {
    Promise { name, f32, f64, device }
}

/// The bounds of all functions that round; the others are exact.
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
    /// The bounds of an operation of `math`; `None` if it is exact.
    pub fn of(operation: &str) -> Option<&'static Self> {
        PROMISES.iter().find(|promise| promise.name == operation)
    }

    /// Maximum error of a type on processors.
    pub fn host(&self, element: Element) -> f64 {
        match element {
            Element::F32 => self.f32,
            Element::F64 => self.f64,
            _ => NARROW,
        }
    }

    /// Maximum difference between the results of any engine and those of the evaluator.
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
