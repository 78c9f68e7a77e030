//! A Rust view of `mdh.hom.*`: combine operators and their functions.
use crate::ir::{self, Op, Val};
use melior::ir::Attribute;

/// A built-in combining function on scalars: integers are signed, `min` and `max` on floats propagate NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Kind {
    Add,
    Mul,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// The function of a point-wise or prefix-sum operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// One kind for each component of the scalar tuple (already expanded: `pw<add>` on a tuple of two is `[Add, Add]`).
    Builtin(Vec<Kind>),
    /// The symbol of an `mdh.hom.operator`.
    Symbol(String),
}

/// A combine operator (paper, Definition 2 and Examples 1 to 3).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CombineOperator {
    /// `#mdh.cc`: keeps the index set.
    Concatenation,
    /// `#mdh.pw<…>`: collapses the index set to one point.
    PointWise(Function),
    /// `#mdh.ps<…>`: keeps the index set; position i holds the combination of positions 0 to i.
    PrefixSum(Function),
}

impl CombineOperator {
    /// The combining function; none for concatenation.
    pub fn function(&self) -> Option<&Function> {
        match self {
            Self::Concatenation => None,
            Self::PointWise(function) | Self::PrefixSum(function) => Some(function),
        }
    }

    /// Whether the dimension becomes one point.
    pub fn collapses(&self) -> bool {
        matches!(self, Self::PointWise(_))
    }
}

/// A combine operator from its attribute; `arity` is the number of components of the scalar tuple that it combines.
pub fn combine_operator(attribute: Attribute<'_>, arity: usize) -> Option<CombineOperator> {
    // The printed form is the contract of the IR, so it is what is read here.
    let text = attribute.to_string();
    if text == "#mdh.cc" {
        return Some(CombineOperator::Concatenation);
    }
    let (wrap, rest): (fn(Function) -> CombineOperator, &str) = match text.strip_prefix("#mdh.pw<") {
        Some(rest) => (CombineOperator::PointWise, rest),
        None => (CombineOperator::PrefixSum, text.strip_prefix("#mdh.ps<")?),
    };
    let inner = rest.strip_suffix('>')?;
    if let Some(symbol) = inner.strip_prefix('@') {
        return Some(wrap(Function::Symbol(symbol.trim_matches('"').to_owned())));
    }
    let list = inner.strip_prefix('[').and_then(|list| list.strip_suffix(']'));
    let kinds = list.unwrap_or(inner).split(',').map(|kind| kind_from_name(kind.trim())).collect::<Option<Vec<_>>>()?;
    let kinds = if list.is_none() { vec![kinds[0]; arity] } else { kinds };
    Some(wrap(Function::Builtin(kinds)))
}

/// A kind from its name in the IR.
pub fn kind_from_name(name: &str) -> Option<Kind> {
    Some(match name {
        "add" => Kind::Add,
        "mul" => Kind::Mul,
        "min" => Kind::Min,
        "max" => Kind::Max,
        "and" => Kind::And,
        "or" => Kind::Or,
        "xor" => Kind::Xor,
        _ => return None,
    })
}

/// The body of an `mdh.hom.operator`: its block takes the left tuple, then the right one.
pub fn operator_body<'c>(from: Op<'c>, symbol: &str) -> Option<ir::Blk<'c>> {
    ir::body(ir::lookup_symbol(from, symbol)?, 0)
}

/// The block that yields the identity of an `mdh.hom.operator`, where it declares one.
pub fn operator_identity<'c>(from: Op<'c>, symbol: &str) -> Option<ir::Blk<'c>> {
    ir::body(ir::lookup_symbol(from, symbol)?, 1)
}

/// The operand of an operation that is the only one (md_hom, out_view and the low-level steps take one MDA first).
pub fn mda_operand<'c>(operation: Op<'c>) -> Option<Val<'c>> {
    ir::operands(operation).first().copied()
}
