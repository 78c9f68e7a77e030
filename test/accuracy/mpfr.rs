//! Bindings of MPFR, which computes correctly rounded functions in any precision. The library is loaded at run time:
//! only this crate needs it, and it comes with gcc.
use crate::exact::Exact;
use anyhow::{Result, anyhow};
use libloading::Library;
use std::{
    ffi::{c_int, c_long},
    sync::OnceLock,
};

/// Library names of MPFR 4, with and without the version.
const NAMES: [&str; 2] = ["libmpfr.so.6", "libmpfr.so"];

/// Precision of a result in bits: one limb, eleven bits more than an f64.
const PRECISION: c_long = 64;

/// A number in the layout of MPFR's custom interface. The caller owns the digits.
#[repr(C)]
#[derive(Debug)]
pub struct Number {
    /// Only MPFR reads it.
    #[allow(dead_code)]
    precision: c_long,
    sign: c_int,
    exponent: c_long,
    digits: *mut u64,
}

/// Exponents that encode zeros, infinities and NaN.
const ZERO: c_long = -c_long::MAX;
const NOT_A_NUMBER: c_long = 1 - c_long::MAX;
const INFINITE: c_long = 2 - c_long::MAX;

/// Round to nearest.
const NEAREST: c_int = 0;

type Unary = unsafe extern "C" fn(*mut Number, *const Number, c_int) -> c_int;
type Binary = unsafe extern "C" fn(*mut Number, *const Number, *const Number, c_int) -> c_int;
type Power = unsafe extern "C" fn(*mut Number, *const Number, c_long, c_int) -> c_int;

/// A function of MPFR.
#[derive(Clone, Copy, Debug)]
pub enum Function {
    /// One float.
    Unary(Unary),
    /// Two floats.
    Binary(Binary),
    /// A float and an integer.
    Power(Power),
    /// The inverse square root of a float. For a zero, it is an infinity of the sign of the zero, while MPFR's has no
    /// sign.
    InverseRoot(Unary),
}

/// The operands of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// One float.
    One,
    /// Two floats.
    Two,
    /// A float and an integer.
    Integer,
    /// One float; the function is the inverse square root.
    Inverse,
}

impl Function {
    /// Looks up a function by its symbol in MPFR.
    pub fn new(symbol: &str, operands: Operands) -> Result<Self> {
        let library = library()?;
        // SAFETY: the operands match the signature of the function in MPFR, by the table of functions; the library is
        // never unloaded.
        unsafe {
            Ok(match operands {
                Operands::One => Self::Unary(*library.get(symbol.as_bytes())?),
                Operands::Two => Self::Binary(*library.get(symbol.as_bytes())?),
                Operands::Integer => Self::Power(*library.get(symbol.as_bytes())?),
                Operands::Inverse => Self::InverseRoot(*library.get(symbol.as_bytes())?),
            })
        }
    }

    /// Applies the function and rounds to 64 bits.
    pub fn apply(self, operands: &[f64]) -> Exact {
        if let (Self::InverseRoot(_), 0.0) = (self, operands[0]) {
            return Exact::Infinite { negative: operands[0].is_sign_negative() };
        }
        let mut digits = [0u64; 3];
        let [first, second, result] = &mut digits;
        let (first, second) = (number(operands[0], first), number(*operands.get(1).unwrap_or(&0.0), second));
        let mut result = number(0.0, result);
        // SAFETY: the digits of each number have the given precision, live until after the call, and are not aliased.
        unsafe {
            match self {
                Self::Unary(function) | Self::InverseRoot(function) => function(&mut result, &first, NEAREST),
                Self::Binary(function) => function(&mut result, &first, &second, NEAREST),
                Self::Power(function) => function(&mut result, &first, operands[1] as c_long, NEAREST),
            };
            let negative = result.sign < 0;
            match result.exponent {
                NOT_A_NUMBER => Exact::NotANumber,
                INFINITE => Exact::Infinite { negative },
                ZERO => Exact::Zero { negative },
                exponent => Exact::Finite { negative, exponent, digits: *result.digits },
            }
        }
    }
}

/// Converts a float to an MPFR number.
fn number(value: f64, digits: &mut u64) -> Number {
    let sign = if value.is_sign_negative() { -1 } else { 1 };
    let exponent = match Exact::of(value) {
        Exact::NotANumber => NOT_A_NUMBER,
        Exact::Infinite { .. } => INFINITE,
        Exact::Zero { .. } => ZERO,
        Exact::Finite { exponent, digits: given, .. } => {
            *digits = given;
            exponent as c_long
        }
    };
    Number { precision: PRECISION, sign, exponent, digits }
}

/// The library, loaded once. The error explains how to install it.
fn library() -> Result<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    // SAFETY: the initializers of MPFR have no requirements.
    let load = || NAMES.iter().find_map(|name| unsafe { Library::new(name) }.ok());
    let missing = || anyhow!("cannot load MPFR, {}: `make setup` installs it", NAMES[0]);
    LIBRARY.get_or_init(load).as_ref().ok_or_else(missing)
}
