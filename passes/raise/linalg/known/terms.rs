//! Expressions of arithmetic, which are matched against regions and built in operators.
//!
//! A term is matched modulo the order of the operands of sums, products, maxima and equality. A function has one spelling
//! when it is built, and those that `readings` lists when it is matched.
use mdh_dialects::ir::{self, Builder, FloatPredicate, IntPredicate, Number, Op, Val};
use melior::ir::{Type, TypeLike, ValueLike};
use std::{cell::RefCell, ops::Range};

/// A function of terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TermFunction {
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The product.
    Multiply,
    /// The quotient.
    Divide,
    /// The larger value, NaN if one is NaN.
    Maximum,
    /// The larger value, the other one if one is NaN.
    MaximumNumber,
    /// The second value if it is larger than the first one, which a NaN is not. Built as the larger value or the number:
    /// results are equal up to the sign of zero, if the initial value is no NaN.
    Larger,
    /// The exponential.
    Exponential,
    /// The power of 2.
    PowerOfTwo,
    /// An integer as a float; the float itself.
    Float,
    /// True if two numbers are equal.
    Equal,
    /// The second value if the first one is true, the third one otherwise.
    Select,
}

/// A term by its number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TermId(usize);

/// A term.
#[derive(Clone, Debug)]
enum TermNode {
    /// A component of the left tuple; in a region, the output before the operation.
    Left(usize),
    /// A component of the right tuple; in a region, a value that depends on no output.
    Right(usize),
    /// A constant of the type of the values that it meets.
    Number(f64),
    Apply(TermFunction, Vec<TermId>),
    /// One of several terms with the same meaning. The first one is built.
    Either(Vec<TermId>),
}

/// Terms that refer to each other.
#[derive(Debug, Default)]
pub struct Terms {
    terms: RefCell<Vec<TermNode>>,
}

impl Terms {
    fn add_term(&self, term: TermNode) -> TermId {
        let mut terms = self.terms.borrow_mut();
        terms.push(term);
        TermId(terms.len() - 1)
    }

    fn get(&self, term: TermId) -> TermNode {
        self.terms.borrow()[term.0].clone()
    }

    /// Components of the left tuple; in a region, the outputs before the operation.
    pub fn left(&self, components: Range<usize>) -> Vec<TermId> {
        components.map(|component| self.add_term(TermNode::Left(component))).collect()
    }

    /// Components of the right tuple; in a region, values that depend on no output.
    pub fn right(&self, components: Range<usize>) -> Vec<TermId> {
        components.map(|component| self.add_term(TermNode::Right(component))).collect()
    }

    /// A constant of the type of the values that it meets.
    pub fn number(&self, number: f64) -> TermId {
        self.add_term(TermNode::Number(number))
    }

    /// A function of terms.
    pub fn apply(&self, function: TermFunction, operands: &[TermId]) -> TermId {
        self.add_term(TermNode::Apply(function, operands.to_vec()))
    }

    /// One of several terms with the same meaning.
    pub fn either(&self, terms: &[TermId]) -> TermId {
        self.add_term(TermNode::Either(terms.to_vec()))
    }

    /// The ways in which a value of a region is a term, given what is known.
    pub fn matches<'c>(
        &self,
        term: TermId,
        value: Val<'c>,
        region: &Updates<'c>,
        known: &Matched<'c>,
    ) -> Vec<Matched<'c>> {
        let if_new = |is_free: bool, of: &dyn Fn(&mut Matched<'c>)| {
            let mut new = known.clone();
            of(&mut new);
            Vec::from_iter(is_free.then_some(new))
        };
        match self.get(term) {
            TermNode::Left(component) => {
                let Some(output) = region.accumulators.iter().position(|own| *own == value) else { return vec![] };
                match known.outputs[component] {
                    Some(other) => if_new(other == output, &|_| ()),
                    None => {
                        if_new(!known.outputs.contains(&Some(output)), &|new| new.outputs[component] = Some(output))
                    }
                }
            }
            TermNode::Right(component) => match known.elements[component] {
                Some(other) => if_new(other == value, &|_| ()),
                None => if_new(!region.depends_on_outputs(value), &|new| new.elements[component] = Some(value)),
            },
            TermNode::Number(number) => if_new(constant(value) == Some(number), &|_| ()),
            TermNode::Either(terms) => {
                terms.iter().flat_map(|term| self.matches(*term, value, region, known)).collect()
            }
            TermNode::Apply(function, operands) => {
                let all = readings(value).into_iter().filter(|(own, _)| *own == function);
                all.flat_map(|(_, values)| {
                    operands.iter().zip(values).fold(vec![known.clone()], |found, (operand, value)| {
                        found.iter().flat_map(|known| self.matches(*operand, value, region, known)).collect()
                    })
                })
                .collect()
            }
        }
    }
}

/// The updates of some outputs in a region.
pub struct Updates<'c> {
    /// By output: its value before the operation.
    pub accumulators: Vec<Val<'c>>,
    /// By output: its value after the operation.
    pub results: Vec<Val<'c>>,
    /// The values that depend on outputs.
    pub dependent: Vec<Val<'c>>,
}

impl<'c> Updates<'c> {
    fn depends_on_outputs(&self, value: Val<'c>) -> bool {
        self.accumulators.contains(&value) || self.dependent.contains(&value)
    }
}

/// What has been matched.
#[derive(Clone, Debug)]
pub struct Matched<'c> {
    /// By component: the output, by its position in `Updates`.
    pub outputs: Vec<Option<usize>>,
    /// By component: the value that depends on no output.
    pub elements: Vec<Option<Val<'c>>>,
}

/// The functions that a value may be read as, with their operands.
fn readings<'c>(value: Val<'c>) -> Vec<(TermFunction, Vec<Val<'c>>)> {
    use TermFunction as F;
    let itself = || value.r#type().is_float().then(|| (F::Float, vec![value]));
    let Some(operation) = ir::defining(value) else { return itself().into_iter().collect() };
    let operands = ir::operands(operation);
    let both = |function| match operands[..] {
        [x, y] => vec![(function, vec![x, y]), (function, vec![y, x])],
        _ => vec![],
    };
    let one = |function| vec![(function, operands.clone())];
    let own = match ir::name(operation) {
        "arith.addf" | "arith.addi" => both(F::Add),
        "arith.mulf" => both(F::Multiply),
        "arith.maximumf" => both(F::Maximum),
        "arith.maxnumf" => both(F::MaximumNumber),
        "arith.subf" => one(F::Subtract),
        "arith.divf" => one(F::Divide),
        "math.exp" => one(F::Exponential),
        "math.exp2" => one(F::PowerOfTwo),
        "arith.sitofp" => vec![(F::Float, operands.iter().map(|x| without_casts(*x)).collect())],
        "arith.cmpf" => match FloatPredicate::of(operation) {
            Some(FloatPredicate::Oeq) => both(F::Equal),
            _ => vec![],
        },
        "arith.select" => {
            larger(&operands).map(|operands| (F::Larger, operands)).into_iter().chain(one(F::Select)).collect()
        }
        _ => vec![],
    };
    own.into_iter().chain(itself()).collect()
}

/// An integer before it is cast to another type.
fn without_casts(value: Val<'_>) -> Val<'_> {
    let is_cast = |operation: &Op<'_>| ["arith.index_cast", "arith.extsi"].contains(&ir::name(*operation));
    let source = ir::defining(value).filter(is_cast).and_then(|cast| ir::operands(cast).first().copied());
    source.map_or(value, without_casts)
}

/// The operands of a selection of the second value if it is larger than the first one.
fn larger<'c>(operands: &[Val<'c>]) -> Option<Vec<Val<'c>>> {
    use FloatPredicate as P;
    let [condition, x, y] = operands else { return None };
    let comparison = ir::defining(*condition).filter(|operation| ir::name(*operation) == "arith.cmpf")?;
    let is_same = ir::operands(comparison) == [*x, *y];
    if !is_same && ir::operands(comparison) != [*y, *x] {
        return None;
    }
    match (FloatPredicate::of(comparison)?, is_same) {
        // x > y ? x : y, and y < x ? x : y
        (P::Ogt | P::Oge, true) | (P::Olt | P::Ole, false) => Some(vec![*y, *x]),
        // !(y > x) ? x : y, and !(x < y) ? x : y
        (P::Ule | P::Ult, false) | (P::Uge | P::Ugt, true) => Some(vec![*x, *y]),
        _ => None,
    }
}

/// The number that a constant is.
pub fn constant(value: Val<'_>) -> Option<f64> {
    let constant = ir::defining(value).filter(|operation| ir::name(*operation) == "arith.constant")?;
    match ir::number_attribute(ir::attribute(constant, "value")?)? {
        Number::Float(number) => Some(number),
        Number::Integer(number) => Some(number as f64),
        Number::Truth(_) => None,
    }
}

/// Builds terms; a term that several others contain is built once.
pub struct TermBuilder<'a, 'c> {
    terms: &'a Terms,
    b: &'a Builder<'c>,
    /// The components of the two tuples.
    tuples: [&'a [Val<'c>]; 2],
    /// The type of floats.
    float: Type<'c>,
    built: Vec<Option<Val<'c>>>,
}

impl<'a, 'c> TermBuilder<'a, 'c> {
    /// Builds terms of two tuples. `float`: the type of floats.
    pub fn new(terms: &'a Terms, b: &'a Builder<'c>, tuples: [&'a [Val<'c>]; 2], float: Type<'c>) -> Self {
        let built = vec![None; terms.terms.borrow().len()];
        Self { terms, b, tuples, float, built }
    }

    /// Builds a term.
    pub fn build(&mut self, term: TermId) -> Val<'c> {
        if let Some(value) = self.built[term.0] {
            return value;
        }
        let value = match self.terms.get(term) {
            TermNode::Left(component) => self.tuples[0][component],
            TermNode::Right(component) => self.tuples[1][component],
            TermNode::Either(terms) => self.build(terms[0]),
            TermNode::Apply(function, operands) => self.apply(function, &operands),
            TermNode::Number(number) => literal(self.b, number, self.float),
        };
        self.built[term.0] = Some(value);
        value
    }

    fn apply(&mut self, function: TermFunction, operands: &[TermId]) -> Val<'c> {
        let number = |term: &TermId| match self.terms.get(*term) {
            TermNode::Number(number) => Some(number),
            _ => None,
        };
        let numbers: Vec<_> = operands.iter().map(number).collect();
        let others = operands.iter().zip(&numbers).map(|(term, number)| number.is_none().then(|| self.build(*term)));
        let others: Vec<_> = others.collect();
        // A number has the type of the last operand that is none: the first one of a selection is a truth value.
        let ty = others.iter().flatten().last().map_or(self.float, |value| value.r#type());
        let literal = |number: &Option<f64>| number.map(|number| literal(self.b, number, ty));
        let values = others.iter().zip(&numbers).filter_map(|(value, number)| value.or_else(|| literal(number)));
        let values: Vec<_> = values.collect();
        let is_float = ty.is_float();
        let operation = match function {
            TermFunction::Add => {
                if is_float {
                    "arith.addf"
                } else {
                    "arith.addi"
                }
            }
            TermFunction::Subtract => "arith.subf",
            TermFunction::Multiply => "arith.mulf",
            TermFunction::Divide => "arith.divf",
            TermFunction::Maximum => "arith.maximumf",
            TermFunction::MaximumNumber | TermFunction::Larger => "arith.maxnumf",
            TermFunction::Exponential => "math.exp",
            TermFunction::PowerOfTwo => "math.exp2",
            TermFunction::Select => "arith.select",
            TermFunction::Float => return self.float(values[0]),
            TermFunction::Equal if is_float => return self.b.cmpf(FloatPredicate::Oeq, values[0], values[1]),
            TermFunction::Equal => return self.b.cmpi(IntPredicate::Eq, values[0], values[1]),
        };
        self.b.value(operation, &values, ty, &[])
    }

    /// A number as a float.
    fn float(&self, value: Val<'c>) -> Val<'c> {
        let ty = value.r#type();
        if ty.is_float() {
            return value;
        }
        let word = self.b.i64();
        let integer = if ty.is_index() { self.b.value("arith.index_cast", &[value], word, &[]) } else { value };
        self.b.value("arith.sitofp", &[integer], self.float, &[])
    }
}

/// A constant of a scalar type.
pub fn literal<'c>(b: &Builder<'c>, number: f64, ty: Type<'c>) -> Val<'c> {
    match ty.is_float() {
        true => b.value("arith.constant", &[], ty, &[("value", b.float(number, ty))]),
        false => b.constant(number as i64, ty),
    }
}
