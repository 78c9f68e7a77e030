//! Indices as people write them, for messages.
//!
//! ```text
//! arith.addi (arith.muli %i, %n), %j    ──▶    i * %arg0 + j
//! ```
use crate::analysis::{
    constants::integers,
    origin::{argument_attribute, function_argument},
};
use mdh_dialects::{
    attributes::SOURCE_NAME,
    ir::{self, Val},
    view::{AffineTerm, affine_results},
};
use melior::ir::Attribute;

/// The names of loop variables, outer ones first.
const NAMES: [&str; 6] = ["i", "j", "k", "l", "m", "n"];

/// The most operations that an index is spelled through.
const MAX_DEPTH: usize = 8;

/// The requirement that an index does not meet.
pub fn refused(text: &str) -> String {
    format!("requires linear indices, but one is {text}")
}

/// The name of a loop variable; the variables after those with letters have numbers.
pub fn variable(number: usize) -> String {
    NAMES.get(number).map_or_else(|| format!("d{number}"), |name| (*name).to_owned())
}

/// The name of an argument of a function, that of the source if it is known; `None` for other values.
pub fn argument(value: Val<'_>) -> Option<String> {
    let name = || argument_attribute(value, SOURCE_NAME).and_then(ir::string_attribute).map(str::to_owned);
    function_argument(value).map(|(_, position)| name().unwrap_or_else(|| format!("%arg{position}")))
}

/// A value in terms of loop variables.
pub fn value<'c>(of: Val<'c>, variables: &[Val<'c>]) -> String {
    spell(of, variables, MAX_DEPTH).0
}

/// The first result of an affine map that is not linear; `None` if it cannot be spelled.
pub fn map<'c>(map: Attribute<'c>, operands: &[Val<'c>], variables: &[Val<'c>]) -> Option<String> {
    let results = affine_results(map)?;
    let text = results.iter().find(|result| has_product(result))?;
    Some(term(text, operands, variables).0)
}

/// True if operands are multiplied by each other.
fn has_product(of: &AffineTerm) -> bool {
    let has_operand = |term: &AffineTerm| !matches!(term, AffineTerm::Constant(_));
    match of {
        AffineTerm::Constant(_) | AffineTerm::Operand(_) => false,
        AffineTerm::Sum(pair) => has_product(&pair.0) || has_product(&pair.1),
        AffineTerm::Product(pair) => has_operand(&pair.0) && has_operand(&pair.1),
    }
}

/// The text, and true if it is a sum.
type Spelled = (String, bool);

fn term<'c>(of: &AffineTerm, operands: &[Val<'c>], variables: &[Val<'c>]) -> Spelled {
    match of {
        AffineTerm::Constant(number) => (number.to_string(), *number < 0),
        AffineTerm::Operand(position) => {
            operands.get(*position).map_or_else(|| ("?".to_owned(), false), |value| spell(*value, variables, MAX_DEPTH))
        }
        AffineTerm::Sum(pair) => {
            let [left, right] = [&pair.0, &pair.1].map(|side| term(side, operands, variables).0);
            (format!("{left} + {right}"), true)
        }
        AffineTerm::Product(pair) => product([&pair.0, &pair.1].map(|side| term(side, operands, variables))),
    }
}

/// A product, with sums in parentheses.
fn product(sides: [Spelled; 2]) -> Spelled {
    let [left, right] = sides.map(|(text, is_sum)| if is_sum { format!("({text})") } else { text });
    (format!("{left} * {right}"), false)
}

fn spell<'c>(of: Val<'c>, variables: &[Val<'c>], depth: usize) -> Spelled {
    if let Some(number) = variables.iter().position(|variable| *variable == of) {
        return (variable(number), false);
    }
    if let Some(&[number]) = integers(of).as_deref() {
        return (number.to_string(), number < 0);
    }
    let Some(operation) = ir::defining(of) else {
        return (argument(of).unwrap_or_else(|| "a loop variable".to_owned()), false);
    };
    let operands = ir::operands(operation);
    match (ir::name(operation), &operands[..]) {
        (name, _) if depth == 0 => (name.to_owned(), false),
        ("arith.addi", [left, right]) => {
            let [left, right] = [left, right].map(|side| spell(*side, variables, depth - 1).0);
            (format!("{left} + {right}"), true)
        }
        ("arith.subi", [left, right]) => {
            let (left, (right, is_sum)) = (spell(*left, variables, depth - 1).0, spell(*right, variables, depth - 1));
            (if is_sum { format!("{left} - ({right})") } else { format!("{left} - {right}") }, true)
        }
        ("arith.muli", [left, right]) => product([left, right].map(|side| spell(*side, variables, depth - 1))),
        ("arith.index_cast" | "arith.index_castui" | "arith.extsi" | "arith.extui", [source]) => {
            spell(*source, variables, depth - 1)
        }
        (name, _) => (format!("the result of {name}"), false),
    }
}
