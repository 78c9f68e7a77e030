//! The region of a structured operation, split into a scalar function and the operator that combines its values with
//! the outputs.
//!
//! ```text
//! ^bb0(%a, %b, %acc):               scalar function      operator
//!   %p = arith.mulf %a, %b     ──▶    yield %p             add
//!   %s = arith.addf %acc, %p
//!   linalg.yield %s
//! ```
use super::{operator::CombiningOperation, structured::Structured};
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
}

/// The parts of a region.
#[derive(Debug)]
pub struct Function<'c> {
    /// The values that the scalar function yields, one for each output.
    pub yields: Vec<Component<'c>>,
    /// The combining functions, one for each output; `None` if nothing is combined.
    pub combinations: Option<Vec<CombiningOperation>>,
    /// The operations that the scalar function does not contain: those of the combining functions, and those that no
    /// output needs.
    pub combining: Vec<Op<'c>>,
    /// The iterator that is scanned, with the carry that comes in.
    pub scan: Option<(usize, Carry<'c>)>,
}

/// The carry that comes into a scan.
#[derive(Clone, Debug)]
pub enum Carry<'c> {
    /// A constant of a type, by its bits.
    Constant(Type<'c>, Vec<u64>),
    /// A scalar.
    Value(Val<'c>),
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
    let live = live(&operations, &yields);
    if scan.is_none() && !structured.reduces.contains(&true) {
        return Ok(Function {
            yields: yields.into_iter().map(Component::Value).collect(),
            combinations: None,
            combining: vec![],
            scan: None,
        });
    }
    let (mut combinations, mut values, mut combining) = (vec![], vec![], vec![]);
    for (i, (output, value)) in structured.outputs.iter().zip(yields).enumerate() {
        let number = i + 1;
        let Some(accumulator) = output.argument else {
            return Err(format!(
                "requires a region that combines values with output {number}, but it does not read it"
            ));
        };
        let (combination, component, operation) = combined(accumulator, value, &live).map_err(|problem| {
            format!(
                "requires that output {number} is combined by an associative operation on it and a value, but {problem}"
            )
        })?;
        if depends_on_outputs(structured, &operations, component) {
            return Err(format!(
                "requires values that depend on inputs alone, but the value for output {number} depends on an output"
            ));
        }
        combinations.push(combination);
        values.push(component);
        combining.push(operation);
    }
    combining.extend(operations.iter().copied().filter(|operation| !live.contains(operation)));
    Ok(Function { yields: values, combinations: Some(combinations), combining, scan })
}

/// The operations of a region, also nested ones, that yielded values depend on.
fn live<'c>(operations: &[Op<'c>], yields: &[Val<'c>]) -> Vec<Op<'c>> {
    let mut needed: Vec<_> = yields.to_vec();
    let mut live = vec![];
    for operation in operations.iter().rev() {
        if ir::results(*operation).iter().any(|result| needed.contains(result)) {
            let inner = ir::descendants(*operation);
            needed.extend(inner.iter().flat_map(|inner| ir::operands(*inner)));
            live.extend(inner);
        }
    }
    live
}

/// The combining function of a yielded value, the value that it combines with the accumulator, and its operation.
fn combined<'c>(
    accumulator: Val<'c>,
    value: Val<'c>,
    live: &[Op<'c>],
) -> Result<(CombiningOperation, Component<'c>, Op<'c>), String> {
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
        [left, right] if left == accumulator && difference => Ok((combination, Component::Negative(right), operation)),
        [left, right] if left == accumulator && right != accumulator => {
            Ok((combination, Component::Value(right), operation))
        }
        [left, right] if right == accumulator && left != accumulator => {
            Ok((combination, Component::Value(left), operation))
        }
        _ => Err(format!("{name} does not combine it with another value")),
    }
}

/// True if the value of a component depends on an output.
fn depends_on_outputs<'c>(structured: &Structured<'c>, operations: &[Op<'c>], component: Component<'c>) -> bool {
    let (Component::Value(value) | Component::Negative(value)) = component;
    let mut dependent: Vec<Val<'c>> = structured.outputs.iter().filter_map(|output| output.argument).collect();
    for operation in operations {
        let used = ir::descendants(*operation).into_iter().flat_map(ir::operands);
        if used.into_iter().any(|operand| dependent.contains(&operand)) {
            dependent.extend(ir::results(*operation));
        }
    }
    dependent.contains(&value)
}

/// True if the element type of a component is a float.
pub fn is_float(value: Val<'_>) -> bool {
    use melior::ir::TypeLike;
    value.r#type().is_float()
}
