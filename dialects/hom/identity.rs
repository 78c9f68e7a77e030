//! The identities of combining functions as code.
use super::{Function, Kind, Operator, builtin::Identity};
use crate::ir::{self, Builder, FloatType, Op, Val};
use melior::ir::{Type, TypeLike};

impl Function {
    /// Emits the identity of the function on tuples of these types, if it has one. `scope`: an operation from which
    /// symbols are looked up.
    pub fn identity<'c>(&self, b: &Builder<'c>, scope: Op<'c>, types: &[Type<'c>]) -> Option<Vec<Val<'c>>> {
        match self {
            Self::Builtin(kinds) => {
                let identity = |(kind, ty): (&Kind, &Type<'c>)| {
                    b.wide_literal(&words(kind.form(ty.is_float()).identity, *ty), *ty)
                };
                Some(kinds.iter().zip(types).map(identity).collect())
            }
            Self::Symbol(symbol) => {
                let block = Operator::lookup(scope, symbol).and_then(Operator::identity)?;
                Some(b.inline_block(block, &[], &mut |_, _| None))
            }
        }
    }
}

/// An identity as 64-bit words, least significant first: the bits of a float, or a signed integer.
fn words(identity: Identity, ty: Type<'_>) -> Vec<u64> {
    if ty.is_float() {
        let float = FloatType::of(ty).unwrap_or(FloatType::F64);
        return vec![match identity {
            Identity::Zero | Identity::AllBits => float.negative_zero(),
            Identity::One => float.one(),
            Identity::Largest => float.infinity(),
            Identity::Smallest => float.negative_zero() | float.infinity(),
        }];
    }
    match identity {
        Identity::Zero => vec![0],
        Identity::One => vec![1],
        Identity::AllBits => vec![u64::MAX],
        Identity::Largest => largest(ir::integer_width(ty)),
        Identity::Smallest => largest(ir::integer_width(ty)).into_iter().map(|word| !word).collect(),
    }
}

/// The largest signed integer of a width, as 64-bit words, least significant first.
fn largest(width: u32) -> Vec<u64> {
    let mut words = vec![u64::MAX; width.div_ceil(64) as usize];
    if let Some(last) = words.last_mut() {
        *last = (1 << ((width - 1) % 64)) - 1;
    }
    words
}
