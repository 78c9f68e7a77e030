//! Candidates for the sizes of the inner dimensions of an array, from the polynomials of its accesses.
//!
//! ```text
//! n0 * n1 * i + n1 * j + k    coefficients n0 * n1, n1    ──▶    [?][n0][n1]
//! ```
use crate::analysis::index::{Expression, Variable, expression::division::Monomial};

/// The most numbers among the coefficients whose chains are candidates.
const MAX_NUMBERS: usize = 8;

/// The candidates of sizes, the outermost one first, in the order in which they are taken. `loops`: the number of loops.
pub fn candidates(indices: &[Expression], loops: usize) -> Vec<Vec<Expression>> {
    let mut found: Vec<Vec<Expression>> = vec![];
    for has_content in [false, true] {
        for list in [coefficients(indices, loops, has_content), monomials(indices, has_content)] {
            let sizes = list.and_then(chain).filter(|sizes| !sizes.is_empty());
            if let Some(sizes) = sizes.filter(|sizes| !found.contains(sizes)) {
                found.push(sizes);
            }
        }
    }
    let symbolic = found.into_iter().chain([vec![]]);
    symbolic.flat_map(|sizes| with_numbers(sizes, indices, loops)).collect()
}

/// The polynomials of symbols that dimensions are multiplied by, without their contents unless `has_content`.
fn coefficients(indices: &[Expression], loops: usize, has_content: bool) -> Option<Vec<Expression>> {
    let mut found = vec![];
    for index in indices {
        for d in 0..loops {
            let coefficient = index.coefficient(Variable::Dimension(d))?;
            if coefficient.value().is_some() {
                continue;
            }
            let content = coefficient.content()?;
            let divisor = if has_content { content.signum() } else { content };
            let primitive = coefficient.exact_quotient(divisor)?;
            if !found.contains(&primitive) {
                found.push(primitive);
            }
        }
    }
    Some(found)
}

/// The products of symbols in the terms with a dimension, with the absolute values of their coefficients if
/// `has_content`.
fn monomials(indices: &[Expression], has_content: bool) -> Option<Vec<Expression>> {
    let mut found = vec![];
    for index in indices {
        for (monomial, coefficient) in index.monomials()? {
            let (dimensions, symbols): (Monomial, Monomial) =
                monomial.into_iter().partition(|variable| variable.is_dimension());
            if dimensions.is_empty() || symbols.is_empty() {
                continue;
            }
            let factor = if has_content { coefficient.checked_abs()? } else { 1 };
            let product = Expression::of_monomials([(symbols, factor)])?;
            if !found.contains(&product) {
                found.push(product);
            }
        }
    }
    Some(found)
}

/// The sizes whose products are these strides, if each of them divides the one before.
fn chain(mut strides: Vec<Expression>) -> Option<Vec<Expression>> {
    strides.sort_by_key(|stride| std::cmp::Reverse((stride.degree(), stride.content())));
    let mut sizes = vec![];
    for (i, stride) in strides.iter().enumerate() {
        let size = match strides.get(i + 1) {
            Some(next) => {
                let (size, rest) = stride.divided(next)?;
                (rest.value() == Some(0)).then_some(size)?
            }
            None => stride.clone(),
        };
        sizes.push(size);
    }
    Some(sizes)
}

/// The candidates that divide the innermost dimension by numbers, and that without.
fn with_numbers(sizes: Vec<Expression>, indices: &[Expression], loops: usize) -> Vec<Vec<Expression>> {
    let Some(rests) = indices.iter().map(|index| remainder(index, &sizes)).collect::<Option<Vec<_>>>() else {
        return vec![sizes];
    };
    let mut numbers: Vec<i128> = vec![];
    for rest in &rests {
        let factors = (0..loops).filter_map(|d| rest.coefficient(Variable::Dimension(d))?.value()?.checked_abs());
        let factors: Vec<_> = factors.filter(|factor| *factor > 0).collect();
        // A dimension whose elements are apart is no reason for another one.
        if factors.len() > 1 {
            numbers.extend(factors.into_iter().filter(|factor| *factor > 1));
        }
    }
    numbers.sort_by_key(|number| std::cmp::Reverse(*number));
    numbers.dedup();
    numbers.truncate(MAX_NUMBERS);
    let mut chains: Vec<Vec<i128>> = vec![];
    for set in 0u32..1 << numbers.len() {
        let chosen: Vec<_> =
            (0..numbers.len()).filter(|position| set >> position & 1 == 1).map(|position| numbers[position]).collect();
        if chosen.windows(2).all(|pair| pair[0] % pair[1] == 0) {
            chains.push(chosen);
        }
    }
    chains.sort_by(|one, other| (other.len(), other).cmp(&(one.len(), one)));
    let extended = |chain: Vec<i128>| {
        let ends = chain.iter().skip(1).copied().chain([1]);
        // The innermost symbolic size is a multiple of the numbers of elements below it.
        let inner: Vec<_> = chain.iter().zip(ends).map(|(stride, end)| Expression::constant(stride / end)).collect();
        let outer = match (sizes.split_last(), chain.first()) {
            (Some((innermost, outer)), Some(stride)) => {
                let quotient = innermost.exact_quotient(*stride)?;
                [outer, &[quotient]].concat()
            }
            _ => sizes.clone(),
        };
        Some([outer, inner].concat())
    };
    chains.into_iter().filter_map(extended).collect()
}

/// The remainder of an index by all sizes: the innermost subscript.
fn remainder(index: &Expression, sizes: &[Expression]) -> Option<Expression> {
    match sizes.last() {
        Some(size) => Some(index.divided(size)?.1),
        None => Some(index.clone()),
    }
}
