//! The condition under which a version of some nests is right.
//!
//! ```text
//! 0 <= o1 and o1 + s1 <= n1      of subscripts
//! n1 * (s0 + o0) * 8 <= 2^62     of numbers: no address wraps around
//! ```
//!
//! It is computed in 128 bits, from parameters that are so small that nothing wraps around.
use super::{
    inequalities::follows,
    overlap::{Overlaps, RangeLayout},
    plan::{ArrayPlan, NestPlan, chosen, ends},
    polynomial::Parameters,
    shape::{index_of, necessary},
};
use crate::analysis::index::Expression;
use mdh_dialects::ir;
use melior::ir::ValueLike;

/// The largest number of bytes of an array, as a power of two.
pub const MAX_BYTES: u32 = 62;
/// The smallest limit of parameters, as a power of two.
const MIN_BITS: u32 = 31;

/// The condition of a version.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunCondition<'c> {
    /// What subscripts and types require: expressions that must not be negative.
    pub requirements: Vec<Expression>,
    /// What numbers of 64 bits require, likewise.
    pub numbers: Vec<Expression>,
    /// Numbers that are not negative, whose product must be at most 2^62.
    pub products: Vec<Vec<Expression>>,
    /// Memrefs that must be apart.
    pub overlaps: Overlaps<'c>,
    /// Parameters must be below this power of two; `None` if all values of 64 bits are.
    pub bits: Option<u32>,
}

impl<'c> RunCondition<'c> {
    /// The condition of nests, with a version for each of their arrays: `versions` by nest and array. The error is the
    /// requirement that it does not meet.
    pub fn of(
        nests: &[NestPlan<'c>],
        versions: &[Vec<usize>],
        parameters: &mut Parameters<'c>,
    ) -> Result<Self, String> {
        let mut condition = Self { overlaps: Overlaps::of(nests, versions, parameters), ..Self::default() };
        let mut words = vec![];
        let is_apart = !condition.overlaps.pairs.is_empty();
        for (nest, versions) in nests.iter().zip(versions).filter(|(nest, _)| is_apart || !nest.arrays.is_empty()) {
            let mut requirements = nest.requirements.clone();
            for (array, version) in nest.arrays.iter().zip(versions) {
                requirements.extend(chosen(array, *version).requirements.iter().chain(&array.requirements).cloned());
                condition.add_numbers(nest, array, *version).ok_or_else(too_large)?;
            }
            condition.requirements.extend(necessary(&requirements, &nest.nest.ranges));
            words.extend(bounds(nest).ok_or_else(too_large)?);
        }
        condition.numbers.extend(condition.overlaps.memrefs.iter().flat_map(|memref| memref.limits.clone()));
        for word in words.iter().filter(|word| word.degree() > 1) {
            let limit = Expression::constant(i64::MAX);
            let both = [limit.checked_sub(word), word.checked_add(&limit)];
            condition.numbers.extend(both.into_iter().collect::<Option<Vec<_>>>().ok_or_else(too_large)?);
        }
        unique(&mut condition.requirements);
        unique(&mut condition.numbers);
        condition.products.sort();
        condition.products.dedup();
        condition.set_bits(&words)?;
        Ok(condition)
    }

    /// True if nothing is left to be checked.
    pub fn is_true(&self) -> bool {
        let is_in_range = self.requirements.is_empty() && self.numbers.is_empty() && self.products.is_empty();
        is_in_range
            && self.overlaps.pairs.is_empty()
            && self.overlaps.arrays.iter().all(|(array, size)| self.is_within(*array, size))
    }

    /// True if the accesses of an array are known to be within its elements.
    pub fn is_within(&self, array: usize, size: &Expression) -> bool {
        self.overlaps.memrefs[array].ranges.iter().all(|range| {
            let RangeLayout::Sizes(sizes) = &range.layout else { return false };
            let [least, most] = [0, 1].map(|end| index_of(&range.ends[end], sizes).and_then(|index| index.value()));
            least.is_some_and(|least| least >= 0) && most.zip(size.value()).is_some_and(|(most, size)| most < size)
        })
    }

    /// True if it never holds.
    pub fn is_false(&self) -> bool {
        self.requirements.iter().chain(&self.numbers).any(|expression| expression.value().is_some_and(|v| v < 0))
    }

    fn add_numbers(&mut self, nest: &NestPlan<'_>, array: &ArrayPlan<'_>, version: usize) -> Option<()> {
        let element = ir::element_type(array.memref.r#type()).and_then(ir::bits)?.div_ceil(8);
        let ranges = &nest.nest.ranges;
        // An end that is never larger than another one needs no check.
        let mut largest: Vec<Expression> = vec![];
        for (end, loops) in ends(nest, array, version)? {
            let facts = ranges.once(loops);
            let is_below = |one: &Expression, other: &Expression| {
                other.checked_sub(one).is_some_and(|difference| follows(&difference, &facts))
            };
            if !largest.iter().any(|known| is_below(&end, known)) {
                largest.retain(|known| !is_below(known, &end));
                largest.push(end);
            }
        }
        for end in largest {
            let factors = [&array.shape.sizes[..], &[end]].concat();
            let (numbers, symbols): (Vec<_>, Vec<_>) = factors.into_iter().partition(|factor| factor.value().is_some());
            let mut number = i128::from(element);
            for factor in numbers {
                number = number.checked_mul(factor.value()?)?;
            }
            let limit = 1i128 << MAX_BYTES;
            match symbols.is_empty() {
                true if number <= limit => {}
                true => self.numbers.push(Expression::constant(-1)),
                false => self.products.push([&[Expression::constant(number)], &symbols[..]].concat()),
            }
        }
        Some(())
    }

    /// Sets the limit of parameters below which all values are exact. The error is the requirement that it does not meet.
    fn set_bits(&mut self, words: &[Expression]) -> Result<(), String> {
        let of_condition = self.requirements.iter().chain(&self.numbers).chain(self.products.iter().flatten());
        let ranges = self.overlaps.memrefs.iter().flat_map(|memref| &memref.ranges);
        let of_ranges = ranges.flat_map(|range| range.ends.iter().flatten().chain(range.layout.expressions()));
        let wide = of_condition.chain(of_ranges).map(|expression| (expression, 127));
        let all: Vec<_> = wide.chain(words.iter().filter(|word| word.degree() == 1).map(|word| (word, 63))).collect();
        let fits = |bits: u32| all.iter().all(|(expression, limit)| magnitude(expression, bits) < f64::from(*limit));
        let bits = (MIN_BITS..=63).rev().find(|bits| fits(*bits)).ok_or_else(too_large)?;
        self.bits = (bits < 63).then_some(bits);
        Ok(())
    }
}

fn too_large() -> String {
    "requires polynomials whose values fit in 128 bits for parameters of 31 bits".into()
}

fn unique(expressions: &mut Vec<Expression>) {
    let mut known: Vec<Expression> = vec![];
    for expression in std::mem::take(expressions) {
        if !known.contains(&expression) {
            known.push(expression);
        }
    }
    *expressions = known;
}

/// The binary logarithm of the largest absolute value for parameters of at most so many bits, rounded up.
fn magnitude(expression: &Expression, bits: u32) -> f64 {
    let terms = expression.monomials().unwrap_or_default();
    let exponent = |(monomial, coefficient): &(Vec<_>, i128)| {
        f64::from(128 - coefficient.unsigned_abs().leading_zeros()) + f64::from(bits) * monomial.len() as f64
    };
    let largest = terms.iter().map(exponent).fold(0.0, f64::max);
    largest + (terms.len().max(1) as f64).log2().ceil()
}

/// The extremes of the bounds of the loops, which the loops take as numbers of 64 bits, if they are not single values.
fn bounds(nest: &NestPlan<'_>) -> Option<Vec<Expression>> {
    let ranges = &nest.nest.ranges;
    let mut found = vec![];
    for range in &ranges.loops {
        for bound in [&range.lower, &range.upper] {
            for extreme in ranges.extremes(bound)? {
                let is_symbol = extreme.degree() == 1 && extreme.count_of_terms() == 1;
                let is_itself = is_symbol && extreme.content() == Some(1);
                if extreme.value().is_none() && !is_itself {
                    found.push(extreme);
                }
            }
        }
    }
    Some(found)
}
