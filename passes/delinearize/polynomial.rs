//! Indices as polynomials of loop variables and of values from outside of the loops.
//!
//! ```text
//! %0 = arith.muli %i, %n : index
//! %1 = arith.addi %0, %j : index                 ──▶    d0 * s0 + d1, with %i and %j as d0 and d1, %n as s0
//! ```
//!
//! Sums and products of 64 bits are those of the polynomial modulo 2^64, which is enough where the polynomial is known to
//! be within the array. Where fewer bits are extended, the value before must fit in its type, unless the operations
//! promise that (`nsw`, `nuw`).
use crate::analysis::{
    constants::integers,
    extents::static_size,
    index::Expression,
    origin::is_defined_in,
    size::{integer_bits, limits},
};
use mdh_dialects::{
    ir::{self, Op, Val},
    view::{AffineTerm, affine_results},
};
use melior::ir::{Attribute, ValueLike};

/// What a symbol stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceParameter<'c> {
    /// A value from outside of the loops. `is_unsigned`: its bits are those of a number without a sign.
    Value {
        /// An index or an integer of at most 64 bits.
        value: Val<'c>,
        /// How its bits are read.
        is_unsigned: bool,
    },
    /// The last value of a loop with this step, if the loop runs.
    Last {
        /// The first value.
        lower: Expression,
        /// The bound above all values.
        upper: Expression,
        /// The distance of the values.
        step: i128,
    },
    /// The size of a memref along an axis.
    Size(Val<'c>, usize),
    /// The number of elements before the first one of a memref.
    Offset(Val<'c>),
    /// How far elements that are neighbours along an axis of a memref are apart.
    Stride(Val<'c>, usize),
}

/// The symbols of the polynomials of some nests.
#[derive(Clone, Debug, Default)]
pub struct Parameters<'c> {
    /// By symbol.
    pub all: Vec<SourceParameter<'c>>,
}

impl<'c> Parameters<'c> {
    /// The symbol of a parameter.
    pub fn symbol(&mut self, parameter: SourceParameter<'c>) -> Expression {
        let known = self.all.iter().position(|known| *known == parameter);
        let number = known.unwrap_or(self.all.len());
        if known.is_none() {
            self.all.push(parameter);
        }
        Expression::symbol(number)
    }

    /// What is known of the parameters: expressions that are not negative.
    pub fn facts(&self) -> Vec<Expression> {
        let mut facts = vec![];
        for (number, parameter) in self.all.iter().enumerate() {
            let symbol = || Expression::symbol(number);
            let [least, most] = match parameter {
                SourceParameter::Value { value, is_unsigned } => {
                    let is_size = ir::defining(*value).is_some_and(|dim| ir::name(dim) == "memref.dim");
                    match integer_bits(*value) {
                        Some(64) | None => [is_size.then_some(0), None],
                        Some(bits) => limits(bits, *is_unsigned).map(Some),
                    }
                }
                SourceParameter::Last { .. } | SourceParameter::Stride(..) => [None; 2],
                SourceParameter::Size(..) | SourceParameter::Offset(_) => [Some(0), None],
            };
            facts.extend(least.map(|least| symbol() - Expression::constant(least)));
            facts.extend(most.map(|most| Expression::constant(most) - symbol()));
        }
        facts
    }
}

/// A value that must fit in a type of fewer than 64 bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The value.
    pub expression: Expression,
    /// The number of bits.
    pub bits: u32,
    /// True if the numbers of the type have no sign.
    pub is_unsigned: bool,
}

/// A polynomial that a value is, modulo a power of two.
struct Reading {
    expression: Expression,
    /// True if it is the value itself.
    is_exact: bool,
}

/// Reads polynomials in a nest.
pub struct PolynomialReader<'n, 'c> {
    /// The outermost loop.
    pub root: Op<'c>,
    /// By dimension: the loop variable.
    pub variables: &'n [Val<'c>],
    /// The symbols.
    pub parameters: &'n mut Parameters<'c>,
    /// What must fit for the values that were read.
    pub fits: Vec<Fit>,
}

/// The most terms of a polynomial while it is read.
const MAX_TERMS: usize = 64;

impl<'c> PolynomialReader<'_, 'c> {
    /// The polynomial of an index. The error is the requirement that it does not meet.
    pub fn read(&mut self, value: Val<'c>) -> Result<Expression, String> {
        Ok(self.reading(value, false)?.expression)
    }

    /// The polynomials of the results of an affine map of these operands. The error is the requirement that one does not
    /// meet.
    pub fn read_map(&mut self, map: Attribute<'c>, operands: &[Val<'c>]) -> Result<Vec<Expression>, String> {
        let terms = affine_results(map).ok_or("requires maps without mod, floordiv and ceildiv")?;
        let operands = operands.iter().map(|operand| self.read(*operand)).collect::<Result<Vec<_>, _>>()?;
        terms.iter().map(|term| self.term(term, &operands)).collect()
    }

    fn term(&self, term: &AffineTerm, operands: &[Expression]) -> Result<Expression, String> {
        match term {
            AffineTerm::Constant(number) => Ok(Expression::constant(*number)),
            AffineTerm::Operand(position) => operands.get(*position).cloned().ok_or_else(too_large),
            AffineTerm::Sum(pair) => limited(self.term(&pair.0, operands)?.checked_add(&self.term(&pair.1, operands)?)),
            AffineTerm::Product(pair) => {
                limited(self.term(&pair.0, operands)?.checked_mul(&self.term(&pair.1, operands)?))
            }
        }
    }

    fn reading(&mut self, value: Val<'c>, is_unsigned: bool) -> Result<Reading, String> {
        let width = integer_bits(value).filter(|bits| (2..=64).contains(bits));
        let width = width.ok_or_else(|| format!("requires integers of 2 to 64 bits, but has {}", value.r#type()))?;
        let exact = |expression| Ok(Reading { expression, is_exact: true });
        if let Some(dimension) = self.variables.iter().position(|variable| *variable == value) {
            return Ok(Reading { expression: Expression::dimension(dimension), is_exact: !is_unsigned });
        }
        if let Some(&[number]) = integers(value).as_deref() {
            let is_negative = is_unsigned && number < 0 && width < 64;
            return exact(Expression::constant(if is_negative { number + (1 << width) } else { number }));
        }
        if let Some(operation) = ir::defining(value)
            && let Some(reading) = self.result(operation, width, is_unsigned)?
        {
            return Ok(reading);
        }
        if is_defined_in(value, self.root) {
            let name = ir::defining(value).map_or("the argument of a region", ir::name);
            return Err(format!(
                "requires indices that are polynomials of loop variables and of values from outside of the loops, but \
                 one depends on {name}"
            ));
        }
        exact(self.parameters.symbol(SourceParameter::Value { value, is_unsigned: is_unsigned && width < 64 }))
    }

    /// The result of an operation; `None` if it is not looked through.
    fn result(&mut self, operation: Op<'c>, width: u32, is_unsigned: bool) -> Result<Option<Reading>, String> {
        let operands = ir::operands(operation);
        let name = ir::name(operation);
        let reading = match name {
            "arith.addi" | "arith.subi" | "arith.muli" | "arith.shli" => {
                let left = self.reading(operands[0], is_unsigned)?;
                let right = match name {
                    "arith.shli" => match integers(operands[1]).as_deref() {
                        Some(&[shift]) if (0..i128::from(width)).contains(&shift) => {
                            Reading { expression: Expression::constant(1i128 << shift), is_exact: true }
                        }
                        _ => return Ok(None),
                    },
                    _ => self.reading(operands[1], is_unsigned)?,
                };
                let (one, other) = (&left.expression, &right.expression);
                let expression = match name {
                    "arith.addi" => one.checked_add(other),
                    "arith.subi" => one.checked_sub(other),
                    _ => one.checked_mul(other),
                };
                let promise = if is_unsigned { "nuw" } else { "nsw" };
                let is_exact = left.is_exact && right.is_exact && ir::promises(operation, promise);
                Reading { expression: limited(expression)?, is_exact }
            }
            "arith.index_cast" | "arith.index_castui" | "arith.extsi" | "arith.extui" | "arith.trunci" => {
                let is_extended_unsigned = ["arith.index_castui", "arith.extui"].contains(&name);
                return self.converted(operands[0], width, (is_extended_unsigned, is_unsigned)).map(Some);
            }
            "affine.apply" => {
                let map = ir::attribute(operation, "map").ok_or_else(too_large)?;
                let mut results = self.read_map(map, &operands)?;
                let expression = results.pop().filter(|_| results.is_empty()).ok_or_else(too_large)?;
                Reading { expression, is_exact: false }
            }
            "memref.dim" => match static_size(operation) {
                Some(size) => Reading { expression: Expression::constant(size), is_exact: true },
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(reading))
    }

    /// A value that is converted to another number of bits. `signs`: whether it is extended with zeros, and whether the
    /// result is read without a sign.
    fn converted(&mut self, value: Val<'c>, width: u32, signs: (bool, bool)) -> Result<Reading, String> {
        let (is_extended_unsigned, is_unsigned) = signs;
        let before = integer_bits(value).ok_or_else(|| format!("requires integers, but has {}", value.r#type()))?;
        if width == before {
            return self.reading(value, is_unsigned);
        }
        let is_read_unsigned = if width > before { is_extended_unsigned } else { is_unsigned };
        let Reading { expression, is_exact } = self.reading(value, is_read_unsigned)?;
        if width < before {
            // A loop variable of 64 bits whose bounds are those of fewer.
            let is_short = expression.degree() <= 1;
            if is_short {
                self.fits.push(Fit { expression: expression.clone(), bits: width, is_unsigned });
            }
            return Ok(Reading { expression, is_exact: is_short });
        }
        if !is_exact {
            self.fits.push(Fit { expression: expression.clone(), bits: before, is_unsigned: is_extended_unsigned });
        }
        Ok(Reading { expression, is_exact: is_extended_unsigned || !is_unsigned })
    }
}

fn too_large() -> String {
    format!("requires polynomials of at most {MAX_TERMS} terms with coefficients of 128 bits")
}

/// A polynomial that is not too large.
fn limited(expression: Option<Expression>) -> Result<Expression, String> {
    expression.filter(|expression| expression.count_of_terms() <= MAX_TERMS).ok_or_else(too_large)
}
