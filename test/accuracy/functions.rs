//! The functions of `math`, their references, and the ranges of interesting operands.
use crate::mpfr::Operands;
use mdh_tools::array::Element;

/// A function.
#[derive(Debug)]
pub struct Function {
    /// The name in tables: the operation without its dialect, with the index of the result if there are several.
    pub name: &'static str,
    /// The reference for exact results.
    pub judge: Judge,
    /// Its operands.
    pub operands: Shape,
    /// Ranges of interest of the first operand, in addition to its whole range.
    pub ranges: &'static [(f64, f64)],
}

/// The reference for exact results of a function.
#[derive(Debug, PartialEq)]
pub enum Judge {
    /// The reference evaluator, for functions whose result IEEE 754 or the definition determines.
    Evaluator,
    /// A function of MPFR.
    Mpfr(&'static str, Operands),
}

/// The operands of a function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// One float.
    Unary,
    /// Two floats.
    Binary,
    /// A base and an exponent.
    Power,
    /// A base and an integer exponent of 32 bits.
    IntegerPower,
    /// Three floats.
    Ternary,
}

impl Function {
    /// The functions with these names; all functions if the list is empty.
    pub fn named(names: &[String]) -> Result<Vec<&'static Self>, String> {
        let find = |name: &String| {
            let mut found =
                FUNCTIONS.iter().filter(|function| function.name.split('#').next() == name.split('#').next());
            found
                .find(|function| !name.contains('#') || function.name == name)
                .ok_or_else(|| format!("unknown function '{name}'"))
        };
        if names.is_empty() { Ok(FUNCTIONS.iter().collect()) } else { names.iter().map(find).collect() }
    }

    /// The name of the operation without its dialect.
    pub fn operation(&self) -> &'static str {
        self.name.split('#').next().unwrap_or(self.name)
    }

    /// The number of results of the operation, and the index of this one.
    pub fn result(&self) -> (usize, usize) {
        match self.name.split_once('#') {
            Some((_, number)) => (2, number.parse().unwrap_or_default()),
            None => (1, 0),
        }
    }

    /// The types of the operands.
    pub fn types(&self, element: Element) -> Vec<Element> {
        match self.operands {
            Shape::Unary => vec![element],
            Shape::Binary | Shape::Power => vec![element; 2],
            Shape::IntegerPower => vec![element, Element::Integer(32)],
            Shape::Ternary => vec![element; 3],
        }
    }
}

const fn unary(name: &'static str, symbol: &'static str, ranges: &'static [(f64, f64)]) -> Function {
    Function { name, judge: Judge::Mpfr(symbol, Operands::One), operands: Shape::Unary, ranges }
}

const fn exact(name: &'static str, operands: Shape) -> Function {
    Function { name, judge: Judge::Evaluator, operands, ranges: &[(-10.0, 10.0)] }
}

/// Around the zero of logarithms, and larger magnitudes.
const LOGARITHM: &[(f64, f64)] = &[(0.0, 4.0), (0.9, 1.1), (0.0, 1e4)];
/// A few periods around zero, and many, which need a long argument reduction.
const PERIODS: &[(f64, f64)] = &[(-4.0, 4.0), (-100.0, 100.0), (-1e6, 1e6)];
/// Up to the overflow and underflow of exponentials in f64 and in f32, and around zero.
const EXPONENTIAL: &[(f64, f64)] = &[(-750.0, 715.0), (-105.0, 90.0), (-1.0, 1.0)];

/// All functions, in the order of the tables.
pub const FUNCTIONS: &[Function] = &[
    unary("exp", "mpfr_exp", EXPONENTIAL),
    unary("exp2", "mpfr_exp2", &[(-1080.0, 1026.0), (-152.0, 129.0), (-1.0, 1.0)]),
    unary("expm1", "mpfr_expm1", &[(-40.0, 715.0), (-20.0, 90.0), (-1.0, 1.0)]),
    unary("log", "mpfr_log", LOGARITHM),
    unary("log2", "mpfr_log2", LOGARITHM),
    unary("log10", "mpfr_log10", LOGARITHM),
    unary("log1p", "mpfr_log1p", &[(-1.0, 3.0), (-0.1, 0.1), (-1.0, 1e4)]),
    unary("sin", "mpfr_sin", PERIODS),
    unary("cos", "mpfr_cos", PERIODS),
    unary("sincos#0", "mpfr_sin", PERIODS),
    unary("sincos#1", "mpfr_cos", PERIODS),
    unary("tan", "mpfr_tan", PERIODS),
    unary("asin", "mpfr_asin", &[(-1.0, 1.0)]),
    unary("acos", "mpfr_acos", &[(-1.0, 1.0)]),
    unary("atan", "mpfr_atan", &[(-1.0, 1.0), (-10.0, 10.0)]),
    Function {
        name: "atan2",
        judge: Judge::Mpfr("mpfr_atan2", Operands::Two),
        operands: Shape::Binary,
        ranges: &[(-1.0, 1.0), (-100.0, 100.0)],
    },
    unary("sinh", "mpfr_sinh", EXPONENTIAL),
    unary("cosh", "mpfr_cosh", EXPONENTIAL),
    unary("tanh", "mpfr_tanh", &[(-20.0, 20.0), (-1.0, 1.0)]),
    unary("asinh", "mpfr_asinh", &[(-1.0, 1.0), (-100.0, 100.0)]),
    unary("acosh", "mpfr_acosh", &[(1.0, 2.0), (1.0, 100.0)]),
    unary("atanh", "mpfr_atanh", &[(-1.0, 1.0), (0.9, 1.0)]),
    unary("erf", "mpfr_erf", &[(-6.0, 6.0), (-1.0, 1.0)]),
    unary("erfc", "mpfr_erfc", &[(-6.0, 28.0), (-4.0, 11.0), (-1.0, 1.0)]),
    unary("cbrt", "mpfr_cbrt", &[(-8.0, 8.0)]),
    Function {
        name: "rsqrt",
        judge: Judge::Mpfr("mpfr_rec_sqrt", Operands::Inverse),
        operands: Shape::Unary,
        ranges: &[(0.0, 4.0)],
    },
    Function {
        name: "powf",
        judge: Judge::Mpfr("mpfr_pow", Operands::Two),
        operands: Shape::Power,
        ranges: &[(0.0, 10.0), (0.9, 1.1)],
    },
    Function {
        name: "fpowi",
        judge: Judge::Mpfr("mpfr_pow_si", Operands::Integer),
        operands: Shape::IntegerPower,
        ranges: &[(-10.0, 10.0), (0.9, 1.1)],
    },
    exact("sqrt", Shape::Unary),
    exact("fma", Shape::Ternary),
    exact("absf", Shape::Unary),
    exact("copysign", Shape::Binary),
    exact("ceil", Shape::Unary),
    exact("floor", Shape::Unary),
    exact("trunc", Shape::Unary),
    exact("round", Shape::Unary),
    exact("roundeven", Shape::Unary),
];
