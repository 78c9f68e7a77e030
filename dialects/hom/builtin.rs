//! The built-in combining functions, a row each: everything that the compiler knows of one. What it means is also in the reference evaluator.
use super::Kind;

/// A built-in combining function.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Which one.
    pub kind: Kind,
    /// What attributes call it: `#mdh.pw<add>`.
    pub name: &'static str,
    /// How it combines integers, which are signed.
    pub integers: Form,
    /// How it combines floats; functions of bits do not.
    pub floats: Option<Form>,
}

/// How values of a type are combined.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The operation, on scalars and on vectors, on processors and devices.
    pub operation: &'static str,
    /// What combines with any value to that value.
    pub identity: Identity,
    /// Vector instructions for a vector.
    pub instructions: f64,
}

/// An identity, in any type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Zero; of floats -0.0, because 0.0 would turn a sum of -0.0 into 0.0.
    Zero,
    /// One.
    One,
    /// All bits are set.
    AllBits,
    /// The smallest number; of floats, negative infinity.
    Smallest,
    /// The largest number; of floats, infinity.
    Largest,
}

use Identity::{AllBits, Largest, One, Smallest, Zero};

const fn form(operation: &'static str, identity: Identity, instructions: f64) -> Form {
    Form { operation, identity, instructions }
}

/// The table, in the order of the numbers that the attribute has for them.
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
    /// Its row.
    pub fn builtin(self) -> &'static Builtin {
        &BUILTINS[self as usize]
    }

    /// How it combines values of a type. Verifiers let functions of bits meet integers only.
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
