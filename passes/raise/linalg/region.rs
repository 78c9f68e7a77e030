//! The region of a structured operation, split into a scalar function and the operator that combines its values with
//! the outputs.
//!
//! ```text
//! ^bb0(%a, %b, %acc):               scalar function      operator
//!   %p = arith.mulf %a, %b     ──▶    yield %p             add
//!   %s = arith.addf %acc, %p
//!   linalg.yield %s
//! ```
//!
//! Outputs that depend on each other are combined by one operator on their tuple (`tuples.rs`).
use super::{
    known::KnownOperator,
    operator::{CombiningOperation, OperatorPart},
    structured::{Structured, StructuredOperand, dependent, live},
    tuples::{TupleOperator, TupleProblem, groups},
};
use crate::check;
use mdh_dialects::{
    hom::{Kind, verify::is_evaluable},
    ir::{self, Op, Val},
};
use melior::ir::{Type, ValueLike};

/// The value of the scalar function for a component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Component<'c> {
    /// A value of the region.
    Value(Val<'c>),
    /// The negative of a value: a difference is the sum with it.
    Negative(Val<'c>),
    /// A constant of a type.
    Constant(f64, Type<'c>),
}

impl<'c> Component<'c> {
    /// The value of the region; a constant has none.
    pub fn value(self) -> Option<Val<'c>> {
        match self {
            Self::Value(value) | Self::Negative(value) => Some(value),
            Self::Constant(..) => None,
        }
    }
}

/// The parts of a region.
pub struct Function<'c> {
    /// The values that the scalar function yields, one for each output.
    pub yields: Vec<Component<'c>>,
    /// The parts of the combining function; `None` if nothing is combined.
    pub parts: Option<Vec<OperatorPart<'c>>>,
    /// The operations that the scalar function does not contain: those of the combining functions, and those that no
    /// output needs.
    pub combining: Vec<Op<'c>>,
    /// The iterator that is scanned, with the carry that comes in.
    pub scan: Option<(usize, Carry<'c>)>,
}

impl Function<'_> {
    /// True if all operations on floats by which values are combined may be reassociated.
    pub fn reassociates(&self) -> bool {
        let mut allowed = self.combining.iter().filter_map(|operation| allows(*operation, "reassoc")).peekable();
        allowed.peek().is_some() && allowed.all(|allowed| allowed)
    }

    /// True if all sums by which values are combined may be fused with products.
    pub fn is_contract(&self) -> bool {
        let is_sum = |operation: &&Op<'_>| ["arith.addf", "arith.subf"].contains(&ir::name(**operation));
        let mut sums = self.combining.iter().filter(is_sum).peekable();
        self.parts.is_some() && sums.peek().is_some() && sums.all(|sum| allows(*sum, "contract") == Some(true))
    }
}

/// True if the flags of an operation on floats allow what one of them says; `None` if it has no flags.
fn allows(operation: Op<'_>, flag: &str) -> Option<bool> {
    let flags = ir::attribute(operation, "fastmath")?.to_string();
    Some(flags.contains(flag) || flags.contains("fast>"))
}

/// The carry that comes into a scan.
#[derive(Clone)]
pub enum Carry<'c> {
    /// A constant of a type, by its bits.
    Constant(Type<'c>, Vec<u64>),
    /// A scalar.
    Value(Val<'c>),
    /// An element for each iteration of the others, which is read before.
    Elements(StructuredOperand<'c>),
}

/// Splits the region of an operation. `scan`: the iterator along which the region combines values with the output, and
/// the carry that comes in. The error is the reason why that is not possible.
pub fn split<'c>(structured: &Structured<'c>, scan: Option<(usize, Carry<'c>)>) -> Result<Function<'c>, String> {
    let mut operations = ir::block_operations(structured.body);
    let terminator = operations.pop().ok_or("requires a region that yields values, but it is empty")?;
    let inner = || operations.iter().copied().flat_map(ir::descendants);
    if let Some(wrong) = inner().find(|inner| !is_evaluable(*inner) && ir::name(*inner) != "linalg.index") {
        let required = "arith, math, scf.if, scf.for, scf.while, func.call or linalg.index, all on scalars";
        return Err(format!("requires operations of {required}, in its region, but it has {}", ir::name(wrong)));
    }
    let is_wrong = |inner: &Op<'c>| ir::name(*inner) == "func.call" && check::calls(*inner).is_some();
    if let Some(call) = inner().find(is_wrong) {
        let callee = ir::callee_symbol(call).unwrap_or_default();
        return Err(format!("requires calls of functions on scalars that have a body, but its region calls @{callee}"));
    }
    let all = ir::operands(terminator);
    let yields: Vec<_> = structured.positions.iter().map(|position| all[*position]).collect();
    if scan.is_none() && !structured.reduces.contains(&true) {
        let kept = live(&operations, &yields);
        let combining = operations.into_iter().filter(|operation| !kept.contains(operation)).collect();
        let yields = yields.into_iter().map(Component::Value).collect();
        return Ok(Function { yields, parts: None, combining, scan: None });
    }
    if let Some(output) = structured.outputs.iter().position(|output| output.argument.is_none()) {
        let number = output + 1;
        return Err(format!("requires a region that combines values with output {number}, but it does not read it"));
    }
    let (mut parts, mut values) = (vec![], vec![None; yields.len()]);
    for group in groups(structured, &operations, &yields) {
        match part(structured, &group, &operations, &yields)? {
            (part @ OperatorPart::Known(output, _), component) => {
                values[output] = component;
                parts.push(part);
            }
            (part, _) => {
                part.values().into_iter().for_each(|(output, value)| values[output] = Some(value));
                parts.push(part);
            }
        }
    }
    let yields: Vec<_> = values.into_iter().flatten().collect();
    let own: Vec<_> = yields.iter().filter_map(|component| component.value()).collect();
    let kept = live(&operations, &own);
    let combining = operations.into_iter().flat_map(ir::descendants).filter(|inner| !kept.contains(inner)).collect();
    Ok(Function { yields, parts: Some(parts), combining, scan })
}

/// The combining function of a group of outputs, and the value of the scalar function if it is a single one.
fn part<'c>(
    structured: &Structured<'c>,
    group: &[usize],
    operations: &[Op<'c>],
    yields: &[Val<'c>],
) -> Result<(OperatorPart<'c>, Option<Component<'c>>), String> {
    let required = |problem: String| {
        let numbers: Vec<_> = group.iter().map(|output| (output + 1).to_string()).collect();
        match &numbers[..] {
            [number] => format!(
                "requires that output {number} is combined by an associative operation on it and a value, but {problem}"
            ),
            all => format!(
                "requires that outputs {} are combined by comparisons and selections, or as log-sum-exp or mean and variance are, but {problem}",
                all.join(", ")
            ),
        }
    };
    let known = match group {
        [output] => known(structured, *output, operations, yields[*output]),
        _ => Err(String::new()),
    };
    let problem = match known {
        Ok((operation, component)) => return Ok((OperatorPart::Known(group[0], operation), Some(component))),
        Err(problem) => problem,
    };
    let tuple = TupleOperator::of(structured, group, operations, yields);
    if let (Err(_), Some(operator)) = (&tuple, KnownOperator::of(structured, group, operations, yields)) {
        return Ok((OperatorPart::Form(operator), None));
    }
    match tuple {
        Ok(tuple) => Ok((OperatorPart::Tuple(tuple), None)),
        Err(TupleProblem::Other(reason)) => Err(reason),
        Err(TupleProblem::Unknown(_)) if group.len() == 1 => Err(required(problem)),
        Err(TupleProblem::Unknown(operation)) => Err(required(format!("{operation} combines them"))),
    }
}

/// The known operation that combines an output with a value, and the value.
fn known<'c>(
    structured: &Structured<'c>,
    output: usize,
    operations: &[Op<'c>],
    value: Val<'c>,
) -> Result<(CombiningOperation, Component<'c>), String> {
    let accumulator = structured.outputs[output].argument.ok_or("the region does not read it")?;
    let (combination, component) = combined(accumulator, value, &live(operations, &[value]))?;
    let own = component.value();
    let is_result = |operation: &Op<'c>| ir::results(*operation).into_iter().any(|result| own == Some(result));
    if own == Some(accumulator) || dependent(operations, &[accumulator]).iter().any(is_result) {
        return Err("the value depends on the output".to_owned());
    }
    Ok((combination, component))
}

/// The combining function of a yielded value, and the value that it combines with the accumulator.
fn combined<'c>(
    accumulator: Val<'c>,
    value: Val<'c>,
    live: &[Op<'c>],
) -> Result<(CombiningOperation, Component<'c>), String> {
    let operation = ir::defining(value).ok_or("the region yields an argument")?;
    let name = ir::name(operation);
    let operands = ir::operands(operation);
    let users: Vec<_> = ir::users(accumulator).into_iter().filter(|user| live.contains(user)).collect();
    if users.len() != 1 || users[0] != operation {
        let other = users.iter().find(|user| **user != operation).map_or("nothing", |user| ir::name(*user));
        return Err(format!("{other} uses it"));
    }
    let difference = ["arith.subf", "arith.subi"].contains(&name);
    let combination = match CombiningOperation::of(name) {
        Some(combination) => combination,
        // The sum with the negative value has the same bits.
        None if difference && operands.first() == Some(&accumulator) => CombiningOperation::BuiltIn(Kind::Add),
        None => return Err(format!("{name} combines it")),
    };
    match operands[..] {
        [left, right] if left == accumulator && difference => Ok((combination, Component::Negative(right))),
        [left, right] if left == accumulator && right != accumulator => Ok((combination, Component::Value(right))),
        [left, right] if right == accumulator && left != accumulator => Ok((combination, Component::Value(left))),
        _ => Err(format!("{name} does not combine it with another value")),
    }
}

/// True if the element type of a component is a float.
pub fn is_float(value: Val<'_>) -> bool {
    use melior::ir::TypeLike;
    value.r#type().is_float()
}
