//! Table of the built-in combining functions, one row each, with everything that the compiler knows about them. The
//! reference evaluator also implements their semantics.
use super::Kind;
use crate::ir::Number;

/// A built-in combining function.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// The function.
    pub kind: Kind,
    /// Its name in attributes: `#mdh.pw<add>`.
    pub name: &'static str,
    /// Its form on integers, which are signed.
    pub integers: Form,
    /// Its form on floats; `None` for bitwise functions.
    pub floats: Option<Form>,
}

/// The implementation of a combining function for one class of types.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The operation, valid on scalars and vectors, on processors and devices.
    pub operation: &'static str,
    /// The identity element.
    pub identity: Identity,
    /// Number of vector instructions per vector.
    pub instructions: f64,
}

/// An identity element, independent of the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Zero; for floats -0.0, because 0.0 would turn a sum of -0.0 into 0.0.
    Zero,
    /// One.
    One,
    /// All bits set.
    AllBits,
    /// The smallest number; for floats, negative infinity.
    Smallest,
    /// The largest number; for floats, infinity.
    Largest,
}

impl Identity {
    /// Returns true if a number of a type of this width in bits is this identity, bit for bit; false for integers of more
    /// than 64 bits.
    pub fn is(self, number: Number, width: u32) -> bool {
        match number {
            Number::Float(number) => match self {
                Zero => number == 0.0 && number.is_sign_negative(),
                One => number == 1.0,
                AllBits => false,
                Smallest => number == f64::NEG_INFINITY,
                Largest => number == f64::INFINITY,
            },
            // Truth values are signed integers of one bit: `true` is -1.
            Number::Truth(number) => self.is(Number::Integer(-i128::from(number)), 1),
            Number::Integer(number) if (1..=64).contains(&width) => {
                let half = 1i128 << (width - 1);
                match self {
                    Zero => number == 0,
                    One => number == if width == 1 { -1 } else { 1 },
                    AllBits => number == -1,
                    Smallest => number == -half,
                    Largest => number == half - 1,
                }
            }
            Number::Integer(_) => false,
        }
    }
}

use Identity::{AllBits, Largest, One, Smallest, Zero};

const fn form(operation: &'static str, identity: Identity, instructions: f64) -> Form {
    Form { operation, identity, instructions }
}

/// The table, in the order of the enumeration values of the attribute.
pub const BUILTINS: &[Builtin] = &[
    Builtin {
        kind: Kind::Add,
        name: "add",
        integers: form("arith.addi", Zero, 1.0),
        floats: Some(form("arith.addf", Zero, 1.0)),
    },
    Builtin {
        kind: Kind::Mul,
        name: "mul",
        integers: form("arith.muli", One, 1.0),
        floats: Some(form("arith.mulf", One, 1.0)),
    },
    Builtin {
        kind: Kind::Min,
        name: "min",
        integers: form("arith.minsi", Largest, 1.0),
        floats: Some(form("arith.minimumf", Largest, 3.0)),
    },
    Builtin {
        kind: Kind::Max,
        name: "max",
        integers: form("arith.maxsi", Smallest, 1.0),
        floats: Some(form("arith.maximumf", Smallest, 3.0)),
    },
    Builtin { kind: Kind::And, name: "and", integers: form("arith.andi", AllBits, 1.0), floats: None },
    Builtin { kind: Kind::Or, name: "or", integers: form("arith.ori", Zero, 1.0), floats: None },
    Builtin { kind: Kind::Xor, name: "xor", integers: form("arith.xori", Zero, 1.0), floats: None },
];

impl Kind {
    /// The row of this function.
    pub fn builtin(self) -> &'static Builtin {
        &BUILTINS[self as usize]
    }

    /// The function that an operation computes.
    pub fn of_operation(operation: &str) -> Option<Self> {
        let is_form = |form: &Form| form.operation == operation;
        BUILTINS
            .iter()
            .find(|row| is_form(&row.integers) || row.floats.as_ref().is_some_and(is_form))
            .map(|row| row.kind)
    }

    /// Its form on values of a type. The verifiers restrict bitwise functions to integers.
    pub fn form(self, is_float: bool) -> Form {
        let Builtin { integers, floats, .. } = self.builtin();
        floats.filter(|_| is_float).unwrap_or(*integers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        hom::{CombineOperator, Function, combine_operator},
        tool::register_dialect,
    };
    use melior::{Context, dialect::DialectRegistry, ir::Attribute};

    #[test]
    fn rows_are_found_by_their_kind() {
        let registry = DialectRegistry::new();
        register_dialect(&registry);
        let context = Context::new_with_registry(&registry, false);
        context.load_all_available_dialects();
        for (number, row) in BUILTINS.iter().enumerate() {
            assert_eq!(row.kind as usize, number, "{}", row.name);
            let attribute = Attribute::parse(&context, &format!("#mdh.pw<{}>", row.name)).expect("the name is known");
            let expected = CombineOperator::PointWise(Function::Builtin(vec![row.kind]));
            assert_eq!(combine_operator(attribute, 1), Some(expected));
        }
    }
}
