//! Operators on tuples: the part of a region that depends on outputs.
//!
//! ```text
//! ^bb0(%x, %acc, %at):                          scalar function       operator on (a, i) and (b, j)
//!   %i = linalg.index 1                           yield %x, %i          %c = a >= b
//!   %c = arith.cmpf oge, %acc, %x        ──▶                            yield select %c, a, b, select %c, i, j
//!   yield select %c, %acc, %x, select %c, %at, %i
//! ```
//!
//! The values that the operator reads besides the outputs and constants are those of the scalar function. Each takes the
//! place of a component of the right tuple. The operator must be proven associative and commutative (`proof.rs`), or be
//! declared so by the attribute `mdh.associative`, or by a directive.
use super::{
    proof::{self, Claim, Proof, program::SelectionProgram, scalar::ScalarType},
    structured::{Extent, Structured, dependent, live},
};
use crate::analysis::origin::has_directive;
use mdh_dialects::{
    attributes::ASSOCIATIVE,
    ir::{self, Builder, IntPredicate, Number, Op, Val, ValueMap},
};
use melior::ir::{Type, TypeLike, ValueLike};

/// The operator of some outputs.
#[derive(Clone, Debug)]
pub struct TupleOperator<'c> {
    /// The outputs that are its components.
    pub outputs: Vec<usize>,
    /// By component: the value of the scalar function.
    pub values: Vec<Val<'c>>,
    /// The operations.
    pub operations: Vec<Op<'c>>,
    /// By component: the output before the operation.
    accumulators: Vec<Val<'c>>,
    /// The values of the scalar function that it reads, with the component of the right tuple that each one is.
    reads: Vec<(Val<'c>, usize)>,
    /// By component: the result.
    results: Vec<Val<'c>>,
    /// By component: the scalar that all elements of the output are equal to before the operation, if all are known.
    initial: Option<Vec<Val<'c>>>,
    proof: Proof,
}

/// Why outputs are not combined by an operator that is known to be associative.
pub enum TupleProblem {
    /// The region contains this operation on an output, which is no comparison and no selection.
    Unknown(String),
    /// Another reason.
    Other(String),
}

impl From<String> for TupleProblem {
    fn from(reason: String) -> Self {
        Self::Other(reason)
    }
}

/// The outputs, in groups of those that depend on each other. `yields` are their values.
pub fn groups<'c>(structured: &Structured<'c>, operations: &[Op<'c>], yields: &[Val<'c>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = vec![];
    for (output, value) in yields.iter().enumerate() {
        let read: Vec<_> = live(operations, &[*value]).into_iter().flat_map(ir::operands).chain([*value]).collect();
        let is_read =
            |other: &usize| structured.outputs[*other].argument.is_some_and(|argument| read.contains(&argument));
        let mut group: Vec<_> = (0..yields.len()).filter(|other| *other == output || is_read(other)).collect();
        let (joined, apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|known| known.iter().any(|other| group.contains(other)));
        groups = apart;
        group.extend(joined.concat());
        group.sort_unstable();
        group.dedup();
        groups.push(group);
    }
    groups.sort();
    groups
}

impl<'c> TupleOperator<'c> {
    /// The operator that combines a group of outputs with the values of a scalar function. `yields` are the values of
    /// all outputs.
    pub fn of(
        structured: &Structured<'c>,
        outputs: &[usize],
        operations: &[Op<'c>],
        yields: &[Val<'c>],
    ) -> Result<Self, TupleProblem> {
        let missing = || TupleProblem::Unknown("nothing".to_owned());
        let accumulators = structured.accumulators(outputs).ok_or_else(missing)?;
        let results: Vec<_> = outputs.iter().map(|output| yields[*output]).collect();
        let needed = live(operations, &results);
        let operations: Vec<_> = operations.iter().copied().filter(|operation| needed.contains(operation)).collect();
        let (operations, frontier) = cut(&operations, &accumulators, &results);
        let inner = || operations.iter().copied().flat_map(ir::descendants);
        if operations.is_empty() {
            return Err(missing());
        }
        if let Some(index) = inner().find(|inner| ir::name(*inner) == "linalg.index") {
            return Err(TupleProblem::Unknown(ir::name(index).to_owned()));
        }
        let types: Vec<_> = accumulators.iter().map(|accumulator| accumulator.r#type()).collect();
        let is_declared = is_declared(structured)?;
        let mut first_problem = None;
        for places in assignments(&frontier, &accumulators, &operations) {
            let reads: Vec<_> = frontier.iter().copied().zip(places).collect();
            let Some(values) = values(&reads, &types) else { continue };
            let (outputs, accumulators) = (outputs.to_vec(), accumulators.clone());
            let (operations, results) = (operations.clone(), results.clone());
            let initial = outputs.iter().map(|output| structured.outputs[*output].filled).collect();
            let proof = Proof::default();
            let operator = Self { outputs, values, operations, accumulators, reads, results, initial, proof };
            if is_declared {
                match operator.reads.len() == types.len() {
                    true => return Ok(operator),
                    false => break,
                }
            }
            match operator.prove(structured) {
                Ok(proof) => return Ok(Self { proof, ..operator }),
                // A directive promises what is not proven.
                Err(_) if has_directive(structured.operation) && operator.reads.len() == types.len() => {
                    return Ok(operator);
                }
                Err(problem) => first_problem = first_problem.or(Some(problem)),
            }
        }
        Err(first_problem.unwrap_or_else(|| {
            let of = |types: Vec<Type<'_>>| types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
            let read = match &frontier[..] {
                [] => "none".to_owned(),
                values => format!("values of types ({})", of(values.iter().map(|value| value.r#type()).collect())),
            };
            let what = if is_declared { format!("{ASSOCIATIVE} requires") } else { "requires".to_owned() };
            TupleProblem::Other(format!(
                "{what} a value for each output, of types ({}), but the region combines {read} with them",
                of(types)
            ))
        }))
    }

    fn prove(&self, structured: &Structured<'c>) -> Result<Proof, TupleProblem> {
        let types: Vec<_> = self.accumulators.iter().map(|accumulator| accumulator.r#type()).collect();
        let left = self.accumulators.iter().copied().zip(0..);
        let right = self.reads.iter().map(|(value, component)| (*value, types.len() + component));
        let program = SelectionProgram::of(&types, left.chain(right).collect(), &self.operations, &self.results);
        let program = program.map_err(|name| TupleProblem::Unknown(name.to_owned()))?;
        let observed: Vec<_> = self.outputs.iter().map(|output| structured.observed[*output]).collect();
        let initial = self.initial.iter().flatten().zip(&program.types);
        let initial = initial.map(|(value, ty)| ty.bits(constant(*value)?)).collect::<Option<Vec<_>>>();
        let is_index = |value: &Val<'c>| is_reduction_index(structured, *value);
        let claim = Claim {
            program: &program,
            observed: &observed,
            index: self.values.iter().position(is_index),
            initial: initial.filter(|_| self.initial.is_some()),
        };
        Ok(proof::prove(&claim)?)
    }

    /// Builds what the scalar function yields for a point.
    pub fn point(&self, b: &Builder<'c>, values: &[Val<'c>]) -> Vec<Val<'c>> {
        match &self.initial {
            Some(initial) if self.proof.prepares_points => self.combine(b, initial, values),
            _ => values.to_vec(),
        }
    }

    /// Builds the operator on two tuples, and returns the combination by component.
    pub fn build(&self, b: &Builder<'c>, left: &[Val<'c>], right: &[Val<'c>]) -> Vec<Val<'c>> {
        let ordered = self.proof.ordered_by.map(|index| b.cmpi(IntPredicate::Sle, left[index], right[index]));
        let choose = |first: &[Val<'c>], second: &[Val<'c>]| -> Vec<Val<'c>> {
            let Some(condition) = ordered else { return first.to_vec() };
            let pairs = first.iter().zip(second);
            pairs.map(|(x, y)| b.value("arith.select", &[condition, *x, *y], x.r#type(), &[])).collect()
        };
        self.combine(b, &choose(left, right), &choose(right, left))
    }

    /// Builds the combination of two tuples in this order.
    fn combine(&self, b: &Builder<'c>, left: &[Val<'c>], right: &[Val<'c>]) -> Vec<Val<'c>> {
        let mut map: ValueMap<'c> = self.accumulators.iter().copied().zip(left.iter().copied()).collect();
        map.extend(self.reads.iter().map(|(value, component)| (*value, right[*component])));
        let read = self.operations.iter().copied().flat_map(ir::descendants).flat_map(ir::operands);
        let mut constants = vec![];
        for value in read.chain(self.results.iter().copied()).filter(|value| is_constant(*value)) {
            let Some(operation) = ir::defining(value).filter(|_| !constants.contains(&value)) else { continue };
            constants.push(value);
            let copy = b.copy_mapped(operation, &ValueMap::default(), &mut |_, _| None);
            map.extend([value].into_iter().zip(copy));
        }
        for operation in &self.operations {
            let values = b.copy_mapped(*operation, &map, &mut |_, _| None);
            map.extend(ir::results(*operation).into_iter().zip(values));
        }
        self.results.iter().map(|result| map.get(*result)).collect()
    }

    /// True if the operator has an identity.
    pub fn has_identity(&self) -> bool {
        self.proof.identity.is_some()
    }

    /// Builds the identity, if there is one.
    pub fn identity(&self, b: &Builder<'c>) -> Option<Vec<Val<'c>>> {
        let values = self.proof.identity.as_ref()?.iter().zip(&self.accumulators);
        let build = |(bits, accumulator): (&u64, &Val<'c>)| {
            let ty = accumulator.r#type();
            match ty.is_float() {
                true => b.value("arith.constant", &[], ty, &[("value", b.float(f64::from_bits(*bits), ty))]),
                false => b.wide_literal(&[*bits], ty),
            }
        };
        Some(values.map(build).collect())
    }
}

/// True if the program declares that outputs are combined by associative and commutative operators.
fn is_declared(structured: &Structured<'_>) -> Result<bool, String> {
    match ir::attribute(structured.operation, ASSOCIATIVE).map(|attribute| attribute.to_string()).as_deref() {
        None => Ok(false),
        Some("unit") => Ok(true),
        Some(other) => Err(format!("requires that {ASSOCIATIVE} is a unit attribute, but it is {other}")),
    }
}

/// The operations that depend on outputs, and the values of the scalar function that they read. Comparisons of these
/// values alone, such as the test for NaN, belong to the operator, too, if there is no component for their results.
fn cut<'c>(operations: &[Op<'c>], accumulators: &[Val<'c>], results: &[Val<'c>]) -> (Vec<Op<'c>>, Vec<Val<'c>>) {
    let mut own = dependent(operations, accumulators);
    loop {
        let read = frontier(&own, accumulators, results);
        let is_truth = |value: &Val<'c>| !value.r#type().is_index() && ir::integer_width(value.r#type()) == 1;
        let more: Vec<_> = match assignments(&read, accumulators, &own).is_empty() {
            true => read.iter().copied().filter(is_truth).filter_map(ir::defining).collect(),
            false => vec![],
        };
        let all = operations.iter().copied().filter(|operation| own.contains(operation) || more.contains(operation));
        let all: Vec<_> = all.collect();
        if all.len() == own.len() {
            return (own, read);
        }
        own = all;
    }
}

/// The values that operations and results read, except accumulators, constants and values of the operations themselves.
fn frontier<'c>(operations: &[Op<'c>], accumulators: &[Val<'c>], results: &[Val<'c>]) -> Vec<Val<'c>> {
    let inner: Vec<_> = operations.iter().copied().flat_map(ir::descendants).collect();
    let of_blocks = inner.iter().flat_map(|inner| ir::blocks(*inner)).flat_map(ir::arguments);
    let own: Vec<_> = inner.iter().flat_map(|inner| ir::results(*inner)).chain(of_blocks).collect();
    let mut found = vec![];
    for value in inner.iter().flat_map(|inner| ir::operands(*inner)).chain(results.iter().copied()) {
        let is_known = accumulators.contains(&value) || own.contains(&value) || found.contains(&value);
        if !is_known && !is_constant(value) {
            found.push(value);
        }
    }
    found
}

/// The most assignments of values to components that are tried.
const MAX_ASSIGNMENTS: usize = 24;

/// The assignments of values to different components of their types; first those with values that are operands together
/// with their components.
fn assignments<'c>(values: &[Val<'c>], accumulators: &[Val<'c>], operations: &[Op<'c>]) -> Vec<Vec<usize>> {
    let inner: Vec<_> = operations.iter().copied().flat_map(ir::descendants).map(ir::operands).collect();
    let meet = &|value: Val<'c>, component: usize| {
        let both = |operands: &&Vec<Val<'c>>| operands.contains(&value) && operands.contains(&accumulators[component]);
        inner.iter().filter(both).count()
    };
    let mut all: Vec<(usize, Vec<usize>)> = vec![(0, vec![])];
    for value in values {
        let fits = |component: &usize| accumulators[*component].r#type() == value.r#type();
        let extended = all.iter().flat_map(|(score, places)| {
            let free = (0..accumulators.len()).filter(fits).filter(|component| !places.contains(component));
            free.map(move |component| (score + meet(*value, component), [&places[..], &[component]].concat()))
        });
        all = extended.collect();
        all.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        all.truncate(MAX_ASSIGNMENTS);
    }
    all.into_iter().map(|(_, places)| places).collect()
}

/// By component: the value of the scalar function. A component that the operator does not read on the right has any value
/// of its type.
fn values<'c>(reads: &[(Val<'c>, usize)], types: &[Type<'c>]) -> Option<Vec<Val<'c>>> {
    let value = |(component, ty): (usize, &Type<'c>)| {
        let own = reads.iter().find(|(_, place)| *place == component);
        own.or_else(|| reads.iter().find(|(value, _)| value.r#type() == *ty)).map(|(value, _)| *value)
    };
    types.iter().enumerate().map(value).collect()
}

fn is_constant(value: Val<'_>) -> bool {
    ir::defining(value).is_some_and(|operation| ir::name(operation) == "arith.constant")
}

fn constant(value: Val<'_>) -> Option<Number> {
    let constant = ir::defining(value).filter(|_| is_constant(value))?;
    ir::number_attribute(ir::attribute(constant, "value")?)
}

/// True if a value is the index of the only reduction iterator, and its type has a larger number.
fn is_reduction_index(structured: &Structured<'_>, value: Val<'_>) -> bool {
    let cast = ir::defining(value).filter(|operation| ir::name(*operation) == "arith.index_cast");
    let source = cast.and_then(|cast| ir::operands(cast).first().copied()).unwrap_or(value);
    let index = ir::defining(source).filter(|operation| ir::name(*operation) == "linalg.index");
    let dimension = index.and_then(|index| ir::attribute(index, "dim")).and_then(ir::integer_attribute);
    let Some(dimension) = dimension.and_then(|dimension| usize::try_from(dimension).ok()) else { return false };
    let is_only = (0..structured.rank()).all(|d| structured.reduces[d] == (d == dimension));
    let Some(ScalarType::Integer(width)) = ScalarType::of(value.r#type()) else { return false };
    let fits = match structured.extents.get(dimension) {
        Some(Extent::Static(extent)) => width > 1 && *extent <= u64::MAX >> (65 - width),
        Some(Extent::Size(..)) => width == 64,
        None => false,
    };
    is_only && fits
}
