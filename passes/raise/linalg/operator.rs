//! The combining functions of raised reductions: built-in ones, and operators for other operations.
//!
//! ```text
//! %m = arith.maxui %acc, %x    ──▶   mdh.hom.operator @maxui_i32 commutative (%a: i32, %b: i32) -> (i32) {
//!                                      yield maxui(%a, %b)
//!                                    } identity { yield 0 }
//! ```
use super::{known::KnownOperator, region::Component, tuples::TupleOperator};
use mdh_dialects::{
    attributes::RAISED,
    hom::{Function, Kind, Operator, Yield},
    ir::{self, Builder, Op, OpView, Region, Val},
};
use melior::ir::{Attribute, Type, TypeLike, attribute::TypeAttribute, r#type::FunctionType};

/// A part of a combining function.
#[derive(Clone, Debug)]
pub enum OperatorPart<'c> {
    /// The operation that combines an output with a value.
    Known(usize, CombiningOperation),
    /// The operator of several outputs.
    Tuple(TupleOperator<'c>),
    /// The operator of several outputs in a known form.
    Form(KnownOperator<'c>),
}

impl<'c> OperatorPart<'c> {
    /// The outputs that it combines.
    fn outputs(&self) -> &[usize] {
        match self {
            Self::Known(output, _) => std::slice::from_ref(output),
            Self::Tuple(tuple) => &tuple.outputs,
            Self::Form(operator) => &operator.outputs,
        }
    }

    /// The values of its outputs, from those of all outputs.
    fn own(&self, all: &[Val<'c>]) -> Vec<Val<'c>> {
        self.outputs().iter().map(|output| all[*output]).collect()
    }

    /// The values of the scalar function for several outputs.
    pub fn values(&self) -> Vec<(usize, Component<'c>)> {
        let values = match self {
            Self::Known(..) => vec![],
            Self::Tuple(tuple) => tuple.values.iter().copied().map(Component::Value).collect(),
            Self::Form(operator) => operator.values.clone(),
        };
        self.outputs().iter().copied().zip(values).collect()
    }
}

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
pub fn function<'c>(user: Op<'c>, parts: &[OperatorPart<'c>], types: &[Type<'c>]) -> Function {
    let kind = |part: &OperatorPart<'c>| match part {
        OperatorPart::Known(_, operation) => operation.kind(),
        OperatorPart::Tuple(_) | OperatorPart::Form(_) => None,
    };
    if let Some(kinds) = parts.iter().map(kind).collect() {
        return Function::Builtin(kinds);
    }
    let name = |part: &OperatorPart<'c>| match part {
        OperatorPart::Known(output, of) => {
            format!("{}_{}", of.operation(types[*output]).trim_start_matches("arith."), types[*output])
        }
        OperatorPart::Tuple(_) | OperatorPart::Form(_) => {
            let types = part.outputs().iter().map(|output| types[*output].to_string());
            ["combine".to_owned()].into_iter().chain(types).collect::<Vec<_>>().join("_")
        }
    };
    let name = ir::unused_symbol(user, &parts.iter().map(name).collect::<Vec<_>>().join("_"));
    let new = build(user, &name, parts, types);
    // Computations share operators that are equal except for their names.
    let text = |operator: Op<'c>| {
        let name = ir::attribute(operator, "sym_name").and_then(ir::string_attribute)?;
        Some((operator.to_string().replacen(&format!("@{name}"), "@", 1), name))
    };
    let own = text(new.op()).map(|(text, _)| text);
    let others = module(user).into_iter().flat_map(|module| ir::find(module, Operator::NAME));
    let others = others.filter(|other| *other != new.op() && ir::attribute(*other, RAISED).is_some());
    let equal = others.filter_map(text).find(|(other, _)| own.as_ref() == Some(other));
    let Some((_, equal)) = equal else { return Function::Symbol(name) };
    ir::erase(new.op());
    Function::Symbol(equal.to_owned())
}

/// The symbol table around an operation.
fn module(user: Op<'_>) -> Option<Op<'_>> {
    let outer = std::iter::successors(Some(user), |operation| ir::parent(*operation));
    outer.into_iter().find(|operation| ir::name(*operation) == "builtin.module")
}

fn build<'c>(user: Op<'c>, name: &str, parts: &[OperatorPart<'c>], types: &[Type<'c>]) -> Operator<'c> {
    let in_module = |operation: &Op<'c>| ir::parent(*operation) == module(user);
    let outer = std::iter::successors(Some(user), |operation| ir::parent(*operation));
    let b = Builder::before(outer.into_iter().find(in_module).unwrap_or(user));
    let pairs = [types, types].concat();
    let (body, block) = b.region(&pairs);
    let inside = b.at_end(block);
    let arguments = ir::arguments(block);
    let (left, right) = arguments.split_at(types.len());
    let combined = by_output(parts, types, |part| match part {
        OperatorPart::Known(output, of) => Some(vec![inside.value(
            of.operation(types[*output]),
            &[left[*output], right[*output]],
            types[*output],
            &[],
        )]),
        OperatorPart::Tuple(tuple) => Some(tuple.build(&inside, &part.own(left), &part.own(right))),
        OperatorPart::Form(operator) => Some(operator.build(&inside, &part.own(left), &part.own(right))),
    });
    Yield::build(&inside, &combined.unwrap_or_default());
    let identity = identity(&b, parts, types);
    let ty: Attribute<'_> = TypeAttribute::new(FunctionType::new(b.context, &pairs, types).into()).into();
    let operator = Operator::build(&b, name, ty, true, body, identity);
    ir::set_attribute(operator.op(), RAISED, b.unit());
    operator
}

/// Values of each part, in the order of the outputs; `None` if a part has none.
fn by_output<'c>(
    parts: &[OperatorPart<'c>],
    types: &[Type<'c>],
    values: impl Fn(&OperatorPart<'c>) -> Option<Vec<Val<'c>>>,
) -> Option<Vec<Val<'c>>> {
    let mut all = vec![None; types.len()];
    for part in parts {
        for (output, value) in part.outputs().iter().zip(values(part)?) {
            all[*output] = Some(value);
        }
    }
    all.into_iter().collect()
}

/// The identity, if all parts have one; that of a built-in function is not built.
fn identity<'c>(b: &Builder<'c>, parts: &[OperatorPart<'c>], types: &[Type<'c>]) -> Region<'c> {
    let has_identity = |part: &OperatorPart<'c>| match part {
        OperatorPart::Known(_, of) => of.kind().is_none(),
        OperatorPart::Tuple(tuple) => tuple.has_identity(),
        OperatorPart::Form(_) => false,
    };
    if !parts.iter().all(has_identity) {
        return Region::new();
    }
    let (region, block) = b.region(&[]);
    let inside = b.at_end(block);
    let values = by_output(parts, types, |part| match part {
        OperatorPart::Known(output, of) => of.identity(&inside, types[*output]).map(|value| vec![value]),
        OperatorPart::Tuple(tuple) => tuple.identity(&inside),
        OperatorPart::Form(_) => None,
    });
    Yield::build(&inside, &values.unwrap_or_default());
    region
}
