//! Linear forms of indices, and the loops whose induction variables they use.
//!
//! ```text
//! affine.apply (d0, d1) -> (2 * d0 + d1 + 3) (%i, %n)    ──▶    2 * %i + %n + 3
//! ```
use crate::analysis::extents::static_size;
use mdh_dialects::{
    ir::{self, DYNAMIC, Number, Op, Val},
    view::{IndexMap, linear_rows},
};
use melior::ir::{Attribute, TypeLike, ValueLike};

/// A sum of multiples of values, and a constant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linear<'c> {
    /// The values, each once, with factors other than 0.
    pub terms: Vec<(Val<'c>, i64)>,
    /// The constant.
    pub constant: i64,
}

impl<'c> Linear<'c> {
    /// The linear form of an index; a value that is computed in another way is a term.
    pub fn of(value: Val<'c>) -> Option<Self> {
        let itself = || Some(Self { terms: vec![(value, 1)], constant: 0 });
        let Some(operation) = ir::defining(value).filter(|_| value.r#type().is_index()) else { return itself() };
        let operands = ir::operands(operation);
        let form = |position: usize| Self::of(*operands.get(position)?);
        match ir::name(operation) {
            "arith.constant" => match ir::number_attribute(ir::attribute(operation, "value")?)? {
                Number::Integer(constant) => Some(Self { terms: vec![], constant: i64::try_from(constant).ok()? }),
                _ => None,
            },
            "memref.dim" | "tensor.dim" => match static_size(operation).and_then(|size| i64::try_from(size).ok()) {
                Some(constant) => Some(Self { terms: vec![], constant }),
                None => itself(),
            },
            "arith.addi" => form(0)?.plus(&form(1)?, 1),
            "arith.subi" => form(0)?.plus(&form(1)?, -1),
            "arith.muli" => {
                let (left, right) = (form(0)?, form(1)?);
                match (&left.terms[..], &right.terms[..]) {
                    ([], _) => Self::default().plus(&right, left.constant),
                    (_, []) => Self::default().plus(&left, right.constant),
                    _ => itself(),
                }
            }
            "affine.apply" => {
                let mut forms = Self::of_map(ir::attribute(operation, "map")?, &operands)?;
                forms.pop().filter(|_| forms.is_empty())
            }
            _ => itself(),
        }
    }

    /// The results of an affine map of these operands; `None` if one of them is not linear.
    pub fn of_map(map: Attribute<'c>, operands: &[Val<'c>]) -> Option<Vec<Self>> {
        let operands = operands.iter().map(|operand| Self::of(*operand)).collect::<Option<Vec<_>>>()?;
        let form = |(factors, constant): (Vec<i64>, i64)| {
            let constant = Self { terms: vec![], constant };
            factors.iter().zip(&operands).try_fold(constant, |sum, (factor, operand)| sum.plus(operand, *factor))
        };
        linear_rows(map)?.into_iter().map(form).collect()
    }

    /// The sum with a multiple of another form; `None` if a number does not fit in 64 bits.
    pub fn plus(mut self, other: &Self, factor: i64) -> Option<Self> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (value, count) in &other.terms {
            let count = count.checked_mul(factor)?;
            match self.terms.iter_mut().find(|(own, _)| own == value) {
                Some((_, own)) => *own = own.checked_add(count)?,
                None => self.terms.push((*value, count)),
            }
        }
        self.terms.retain(|(_, factor)| *factor != 0);
        Some(self)
    }

    /// The factor of a value.
    pub fn factor(&self, value: Val<'c>) -> i64 {
        self.terms.iter().find(|(term, _)| *term == value).map_or(0, |(_, factor)| *factor)
    }

    /// The constant, if the form has no terms.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }
}

/// An index of an access: the coefficients of the iterators, and the rest.
pub type IndexRow<'c> = (Vec<i64>, Linear<'c>);

/// The iterators with a coefficient other than 0.
pub fn iterators(row: &[i64]) -> Vec<usize> {
    (0..row.len()).filter(|d| row[*d] != 0).collect()
}

/// A loop of one index: `for iv = lower; iv < upper; iv += step`.
#[derive(Clone, Debug)]
pub struct SourceLoop<'c> {
    /// The induction variable.
    pub variable: Val<'c>,
    /// The first value.
    pub lower: Linear<'c>,
    /// The bound above the last value.
    pub upper: Linear<'c>,
    /// The positive distance of the values.
    pub step: i64,
}

impl<'c> SourceLoop<'c> {
    /// An index in the first iteration; `None` if a number does not fit in 64 bits.
    pub fn first(&self, index: &Linear<'c>) -> Option<Linear<'c>> {
        let variable = Linear { terms: vec![(self.variable, 1)], constant: 0 };
        let factor = index.factor(self.variable);
        index.clone().plus(&variable, factor.checked_neg()?)?.plus(&self.lower, factor)
    }
}

/// The names of loops.
pub const LOOPS: [&str; 5] = ["scf.for", "scf.parallel", "scf.forall", "affine.for", "affine.parallel"];

/// The loops of an operation, one for each index; the error is the requirement that it does not meet.
pub fn loops<'c>(operation: Op<'c>) -> Result<Vec<SourceLoop<'c>>, String> {
    let name = ir::name(operation);
    let unknown =
        || format!("requires linear bounds, constant steps and no results of parallel loops, but {name} has others");
    let body = ir::body(operation, 0).ok_or_else(unknown)?;
    let bounds = match name {
        "scf.for" => of_for(operation),
        "scf.parallel" => of_parallel(operation),
        "scf.forall" => of_forall(operation),
        "affine.for" => of_affine_for(operation),
        _ => of_affine_parallel(operation),
    };
    let bounds = bounds.ok_or_else(unknown)?;
    let variables = ir::arguments(body);
    if bounds.iter().any(|(.., step)| *step < 1) || variables.len() < bounds.len() {
        return Err(unknown());
    }
    let loops = bounds.into_iter().zip(variables);
    Ok(loops.map(|((lower, upper, step), variable)| SourceLoop { variable, lower, upper, step }).collect())
}

type Bounds<'c> = Vec<(Linear<'c>, Linear<'c>, i64)>;

fn of_for<'c>(operation: Op<'c>) -> Option<Bounds<'c>> {
    let operands = ir::operands(operation);
    // A bound that is compared without a sign may be beyond the signed numbers.
    if ir::attribute(operation, "unsignedCmp").is_some() || !operands.first()?.r#type().is_index() {
        return None;
    }
    let [lower, upper, step] = [0, 1, 2].map(|position| Linear::of(*operands.get(position)?));
    Some(vec![(lower?, upper?, step?.as_constant()?)])
}

fn of_parallel<'c>(operation: Op<'c>) -> Option<Bounds<'c>> {
    let forms = ir::operands(operation).into_iter().map(Linear::of).collect::<Option<Vec<_>>>()?;
    let count = ir::arguments(ir::body(operation, 0)?).len();
    let is_without_results = ir::results(operation).is_empty() && forms.len() == 3 * count;
    let bounds = |d: usize| Some((forms[d].clone(), forms[count + d].clone(), forms[2 * count + d].as_constant()?));
    (0..count).map(bounds).collect::<Option<_>>().filter(|_| is_without_results)
}

fn of_forall<'c>(operation: Op<'c>) -> Option<Bounds<'c>> {
    let mut dynamic = ir::operands(operation).into_iter();
    let lists = ["staticLowerBound", "staticUpperBound", "staticStep"].map(|name| {
        let numbers = ir::attribute(operation, name).and_then(ir::dense_array_attribute)?;
        let mut form = |number: i64| match number {
            DYNAMIC => Linear::of(dynamic.next()?),
            constant => Some(Linear { terms: vec![], constant }),
        };
        numbers.into_iter().map(&mut form).collect::<Option<Vec<_>>>()
    });
    let [lower, upper, step] = lists;
    let (lower, upper, step) = (lower?, upper?, step?);
    let all = lower.into_iter().zip(upper).zip(step);
    let all = all.map(|((lower, upper), step)| Some((lower, upper, step.as_constant()?))).collect::<Option<_>>();
    all.filter(|_| ir::results(operation).is_empty() && dynamic.next().is_none())
}

fn of_affine_for<'c>(operation: Op<'c>) -> Option<Bounds<'c>> {
    let operands = ir::operands(operation);
    let segments = ir::segments(operation)?;
    let counts: Vec<_> = segments.iter().map(|count| usize::try_from(*count).unwrap_or_default()).collect();
    let bound = |name: &str, operands: &[Val<'c>]| {
        let mut forms = Linear::of_map(ir::attribute(operation, name)?, operands)?;
        forms.pop().filter(|_| forms.is_empty())
    };
    let lower = bound("lowerBoundMap", operands.get(..counts[0])?)?;
    let upper = bound("upperBoundMap", operands.get(counts[0]..counts[0] + counts[1])?)?;
    Some(vec![(lower, upper, ir::attribute(operation, "step").and_then(ir::integer_attribute)?)])
}

fn of_affine_parallel<'c>(operation: Op<'c>) -> Option<Bounds<'c>> {
    let operands = ir::operands(operation);
    let attribute = |name: &str| ir::attribute(operation, name);
    let lower = attribute("lowerBoundsMap")?;
    let upper = attribute("upperBoundsMap")?;
    let count = IndexMap::from_attribute(lower)?;
    let steps = attribute("steps").and_then(ir::array_attribute)?;
    let (of_lower, of_upper) = operands.split_at_checked(count.dimensions + count.symbols)?;
    let (lower, upper) = (Linear::of_map(lower, of_lower)?, Linear::of_map(upper, of_upper)?);
    // A bound may be the maximum or the minimum of several results.
    let is_simple = lower.len() == steps.len() && upper.len() == steps.len() && ir::results(operation).is_empty();
    let all = lower.into_iter().zip(upper).zip(steps);
    let all = all.map(|((lower, upper), step)| Some((lower, upper, ir::integer_attribute(step)?)));
    all.collect::<Option<_>>().filter(|_| is_simple)
}
