//! The combining functions of raised reductions: built-in ones, and operators for other operations.
//!
//! ```text
//! %m = arith.maxui %acc, %x    ──▶   mdh.hom.operator @maxui_i32 commutative (%a: i32, %b: i32) -> (i32) {
//!                                      yield maxui(%a, %b)
//!                                    } identity { yield 0 }
//! ```
use mdh_dialects::{
    attributes::RAISED,
    hom::{Function, Kind, Operator, Yield},
    ir::{self, Builder, Op, OpView, Region, Val},
};
use melior::ir::{Attribute, Type, TypeLike, attribute::TypeAttribute, r#type::FunctionType};

/// How one output is combined with a value.
#[derive(Clone, Copy, Debug)]
pub enum CombiningOperation {
    /// By a built-in function.
    BuiltIn(Kind),
    /// By another operation that is associative and commutative.
    Other(&'static Other),
}

/// An operation that is associative and commutative, also for NaN and zeros, which the compiler orders.
#[derive(Debug)]
pub struct Other {
    operation: &'static str,
    identity: Identity,
}

#[derive(Clone, Copy, Debug)]
enum Identity {
    /// A float: each operand that is no NaN is the result.
    NotANumber,
    /// An integer.
    Integer(i64),
}

/// The operations without a built-in function.
static OTHERS: [Other; 4] = [
    Other { operation: "arith.maxnumf", identity: Identity::NotANumber },
    Other { operation: "arith.minnumf", identity: Identity::NotANumber },
    Other { operation: "arith.maxui", identity: Identity::Integer(0) },
    Other { operation: "arith.minui", identity: Identity::Integer(-1) },
];

impl CombiningOperation {
    /// The combination by an operation; `None` if it is not known to be associative and commutative.
    pub fn of(operation: &str) -> Option<Self> {
        let other = || OTHERS.iter().find(|other| other.operation == operation).map(Self::Other);
        Kind::of_operation(operation).map(Self::BuiltIn).or_else(other)
    }

    /// The built-in function, if it is one.
    pub fn kind(self) -> Option<Kind> {
        match self {
            Self::BuiltIn(kind) => Some(kind),
            Self::Other(_) => None,
        }
    }

    /// The operation on values of a type.
    fn operation(self, ty: Type<'_>) -> &'static str {
        match self {
            Self::BuiltIn(kind) => kind.form(ty.is_float()).operation,
            Self::Other(other) => other.operation,
        }
    }

    /// The identity of an operation without a built-in function.
    fn identity<'c>(self, b: &Builder<'c>, ty: Type<'c>) -> Option<Val<'c>> {
        let Self::Other(other) = self else { return None };
        Some(match other.identity {
            Identity::NotANumber => b.value("arith.constant", &[], ty, &[("value", b.float(f64::NAN, ty))]),
            Identity::Integer(value) => b.literal(value.into(), ty),
        })
    }
}

/// The combining function of a tuple with these types. An operator is built before the function that contains `user`,
/// unless raising has built it already.
pub fn function<'c>(user: Op<'c>, combinations: &[CombiningOperation], types: &[Type<'c>]) -> Function {
    if let Some(kinds) = combinations.iter().map(|combination| combination.kind()).collect() {
        return Function::Builtin(kinds);
    }
    let parts = combinations.iter().zip(types);
    let parts = parts.map(|(of, ty)| format!("{}_{ty}", of.operation(*ty).trim_start_matches("arith.")));
    let first = parts.collect::<Vec<_>>().join("_");
    let is_built = |name: &str| Operator::lookup(user, name).is_some_and(|o| ir::attribute(o.op(), RAISED).is_some());
    let name = ir::symbol_where(user, &first, is_built);
    if !is_built(&name) {
        build(user, &name, combinations, types);
    }
    Function::Symbol(name)
}

fn build<'c>(user: Op<'c>, name: &str, combinations: &[CombiningOperation], types: &[Type<'c>]) {
    let table = |operation: &Op<'c>| ir::parent(*operation).is_none_or(|parent| ir::name(parent) == "builtin.module");
    let in_module = std::iter::successors(Some(user), |operation| ir::parent(*operation)).find(table);
    let b = Builder::before(in_module.unwrap_or(user));
    let pairs = [types, types].concat();
    let (body, block) = b.region(&pairs);
    let inside = b.at_end(block);
    let arguments = ir::arguments(block);
    let (left, right) = arguments.split_at(types.len());
    let values: Vec<_> = (combinations.iter().zip(types).zip(left.iter().zip(right)))
        .map(|((of, ty), (left, right))| inside.value(of.operation(*ty), &[*left, *right], *ty, &[]))
        .collect();
    Yield::build(&inside, &values);
    let has_identity = combinations.iter().all(|combination| combination.kind().is_none());
    let identity = if has_identity { identity(&b, combinations, types) } else { Region::new() };
    let ty: Attribute<'_> = TypeAttribute::new(FunctionType::new(b.context, &pairs, types).into()).into();
    let operator = Operator::build(&b, name, ty, true, body, identity);
    ir::set_attribute(operator.op(), RAISED, b.unit());
}

fn identity<'c>(b: &Builder<'c>, combinations: &[CombiningOperation], types: &[Type<'c>]) -> Region<'c> {
    let (region, block) = b.region(&[]);
    let inside = b.at_end(block);
    let values: Vec<_> = combinations.iter().zip(types).filter_map(|(of, ty)| of.identity(&inside, *ty)).collect();
    Yield::build(&inside, &values);
    region
}
