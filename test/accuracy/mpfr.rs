//! MPFR, which computes functions to any precision with one rounding. It is loaded at run time: only this package needs it, and every
//! machine with gcc has it.
use crate::exact::Exact;
use anyhow::{Result, anyhow};
use libloading::Library;
use std::{
    ffi::{c_int, c_long},
    sync::OnceLock,
};

/// The names of the library: that of MPFR 4, with and without its version.
const NAMES: [&str; 2] = ["libmpfr.so.6", "libmpfr.so"];

/// The bits of a result: those of one limb, so eleven more than an f64 has.
const PRECISION: c_long = 64;

/// A number as MPFR's custom interface lays it out: the digits belong to whoever makes it.
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

/// The exponents that stand for what is no ordinary number.
const ZERO: c_long = -c_long::MAX;
const NOT_A_NUMBER: c_long = 1 - c_long::MAX;
const INFINITE: c_long = 2 - c_long::MAX;

/// Rounds to the nearest number.
const NEAREST: c_int = 0;

type Unary = unsafe extern "C" fn(*mut Number, *const Number, c_int) -> c_int;
type Binary = unsafe extern "C" fn(*mut Number, *const Number, *const Number, c_int) -> c_int;
type Power = unsafe extern "C" fn(*mut Number, *const Number, c_long, c_int) -> c_int;

/// A function of MPFR.
#[derive(Clone, Copy, Debug)]
pub enum Function {
    /// Of one number.
    Unary(Unary),
    /// Of two numbers.
    Binary(Binary),
    /// Of a number and an integer.
    Power(Power),
    /// The inverse of the square root, which is an infinity of the sign of a zero: that of MPFR has no sign.
    InverseRoot(Unary),
}

/// Which operands a function has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// A number.
    One,
    /// Two numbers.
    Two,
    /// A number and an integer.
    Integer,
    /// A number, of which it is the inverse of the square root.
    Inverse,
}

impl Function {
    /// The function with a name of MPFR's interface and these operands.
    pub fn new(symbol: &str, operands: Operands) -> Result<Self> {
        let library = library()?;
        // SAFETY: the operands are those of the function in MPFR's interface, as the table of functions says; the library is never unloaded.
        unsafe {
            Ok(match operands {
                Operands::One => Self::Unary(*library.get(symbol.as_bytes())?),
                Operands::Two => Self::Binary(*library.get(symbol.as_bytes())?),
                Operands::Integer => Self::Power(*library.get(symbol.as_bytes())?),
                Operands::Inverse => Self::InverseRoot(*library.get(symbol.as_bytes())?),
            })
        }
    }

    /// The function of operands, rounded to 64 bits.
    pub fn apply(self, operands: &[f64]) -> Exact {
        if let (Self::InverseRoot(_), 0.0) = (self, operands[0]) {
            return Exact::Infinite { negative: operands[0].is_sign_negative() };
        }
        let mut digits = [0u64; 3];
        let [first, second, result] = &mut digits;
        let (first, second) = (number(operands[0], first), number(*operands.get(1).unwrap_or(&0.0), second));
        let mut result = number(0.0, result);
        // SAFETY: the numbers have digits for their precision, which live until after the call, and nothing else refers to them.
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

/// A float as a number of MPFR.
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

/// The library, loaded once and for ever. The error says how to install it.
fn library() -> Result<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    // SAFETY: loading MPFR runs its initialisers, which have no requirements.
    let load = || NAMES.iter().find_map(|name| unsafe { Library::new(name) }.ok());
    let missing = || anyhow!("cannot load MPFR, {}: `make setup` installs it", NAMES[0]);
    LIBRARY.get_or_init(load).as_ref().ok_or_else(missing)
}
