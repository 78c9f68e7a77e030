//! The shape of an array, the subscripts of its accesses, and the condition under which these are right.
//!
//! ```text
//! n1 * i + n1 + p, j in 0 .. n1    ──▶    [?][n1], three versions: [i + 1][p] if 0 <= p < n1,
//!                                         [i][n1 + p] if -n1 <= p < 0, and [i + 2][p - n1] if n1 <= p < 2 * n1
//! ```
//!
//! Each inner subscript is within its size at all points. Sizes are positive then, so two different lists of subscripts
//! are two different elements.
use super::{
    candidates::candidates,
    inequalities::{are_contradictory, follows},
    range::NestRanges,
};
use crate::analysis::index::{Expression, Variable};

/// The most dimensions of an array.
const MAX_RANK: usize = 8;
/// The most versions of a nest, besides the original one.
pub const MAX_VERSIONS: usize = 3;

/// An access of an array with one dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearAccess {
    /// The index.
    pub index: Expression,
    /// The loops around it, by number.
    pub loops: Vec<usize>,
}

/// An expression that must not be negative where these loops run.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeRequirement {
    /// The expression of symbols.
    pub expression: Expression,
    /// The loops.
    pub loops: Vec<usize>,
}

/// The subscripts of the accesses under a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeVersion {
    /// By access: the subscripts, the outermost one first, affine in the dimensions.
    pub subscripts: Vec<Vec<Expression>>,
    /// What must hold.
    pub requirements: Vec<ShapeRequirement>,
}

/// The shape of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayShape {
    /// The sizes of all dimensions but the outermost one.
    pub sizes: Vec<Expression>,
    /// At least one version.
    pub versions: Vec<ShapeVersion>,
    /// True if the requirements hold whenever all inner subscripts are within their sizes.
    pub is_exact: bool,
}

impl ArrayShape {
    /// One dimension, with these indices.
    pub fn linear(indices: Vec<Expression>) -> Self {
        let subscripts = indices.into_iter().map(|index| vec![index]).collect();
        Self { sizes: vec![], versions: vec![ShapeVersion { subscripts, requirements: vec![] }], is_exact: true }
    }
}

/// How often a size is taken from a subscript and added to the one outside, by subscript and size.
type Shifts = Vec<((Expression, Expression), i128)>;

/// The shape of an array. `suggested`: sizes of its inner dimensions that are tried first. The error is the reason why
/// it has none.
pub fn shape(
    accesses: &[LinearAccess],
    suggested: &[Vec<Expression>],
    nest: &NestRanges,
) -> Result<ArrayShape, String> {
    let indices: Vec<_> = accesses.iter().map(|access| access.index.clone()).collect();
    for index in &indices {
        check_index(index)?;
    }
    let many = |count: usize| format!("requires at most {MAX_RANK} dimensions, but one has {count}");
    for sizes in suggested.iter().cloned().chain(candidates(&indices, nest.loops.len())) {
        if sizes.is_empty() {
            break;
        }
        if sizes.len() >= MAX_RANK {
            return Err(many(sizes.len() + 1));
        }
        let Some(first) = version(accesses, &sizes, nest, &mut |_, choices| choices.first().copied()) else { continue };
        if !depends_on_loops(&first, &sizes) {
            continue;
        }
        let mut found = vec![];
        collect_versions(accesses, &sizes, nest, &vec![], &mut found);
        let versions = if (1..=MAX_VERSIONS).contains(&found.len()) { found } else { vec![first] };
        let is_exact = accesses.iter().all(|access| nest.are_exact(&access.loops));
        return Ok(ArrayShape { sizes, versions, is_exact });
    }
    Err("requires sizes under which every index is affine and can be within them, but there are none".into())
}

/// Requires that an index is a sum of multiples of single dimensions by polynomials of symbols.
fn check_index(index: &Expression) -> Result<(), String> {
    let terms = index.monomials().ok_or("requires indices that are polynomials with coefficients of 128 bits")?;
    let dimensions = |monomial: &[Variable]| monomial.iter().filter(|variable| variable.is_dimension()).count();
    match terms.iter().any(|(monomial, _)| dimensions(monomial) > 1) {
        true => Err("requires indices without products of loop variables".into()),
        false => Ok(()),
    }
}

/// True if each inner subscript of a size that is a number depends on a loop in some access: otherwise the elements of the
/// array are apart, and have no rows.
fn depends_on_loops(version: &ShapeVersion, sizes: &[Expression]) -> bool {
    (0..sizes.len())
        .filter(|position| sizes[*position].value().is_some())
        .all(|position| version.subscripts.iter().any(|subscripts| subscripts[position + 1].has_dimensions()))
}

/// Collects the versions that these shifts begin: one for each choice of the others.
fn collect_versions(
    accesses: &[LinearAccess],
    sizes: &[Expression],
    nest: &NestRanges,
    shifts: &Shifts,
    found: &mut Vec<ShapeVersion>,
) {
    if found.len() > MAX_VERSIONS {
        return;
    }
    let mut open = None;
    let complete = version_with(accesses, sizes, nest, shifts, &mut open);
    match (open, complete) {
        (Some((key, choices)), _) => {
            for choice in choices {
                let shifts = [&shifts[..], &[(key.clone(), choice)]].concat();
                collect_versions(accesses, sizes, nest, &shifts, found);
            }
        }
        (None, Some(version)) => found.push(version),
        (None, None) => {}
    }
}

/// The version with these shifts. `open` becomes the first subscript with several choices that has no shift.
fn version_with(
    accesses: &[LinearAccess],
    sizes: &[Expression],
    nest: &NestRanges,
    shifts: &Shifts,
    open: &mut Option<((Expression, Expression), Vec<i128>)>,
) -> Option<ShapeVersion> {
    version(accesses, sizes, nest, &mut |key, choices| match shifts.iter().find(|(known, _)| known == key) {
        Some((_, shift)) => Some(*shift).filter(|shift| choices.contains(shift)),
        None if choices.len() > 1 => {
            open.get_or_insert_with(|| (key.clone(), choices.to_vec()));
            None
        }
        None => choices.first().copied(),
    })
}

/// Takes a shift of a subscript by a size from those that are possible.
type Choose<'f> = &'f mut dyn FnMut(&(Expression, Expression), &[i128]) -> Option<i128>;

/// The version with the shifts that `choose` takes.
fn version(
    accesses: &[LinearAccess],
    sizes: &[Expression],
    nest: &NestRanges,
    choose: Choose<'_>,
) -> Option<ShapeVersion> {
    let (mut requirements, mut all) = (vec![], vec![]);
    let mut outermost = vec![];
    for access in accesses {
        let (subscripts, required) = subscripts(access, sizes, nest, choose)?;
        let [least, _] = nest.extremes(&subscripts[0])?;
        outermost.push(ShapeRequirement { expression: least, loops: access.loops.clone() });
        all.push(subscripts);
        requirements.extend(required);
    }
    // No element is before the first one of a memref, which is checked with its memory.
    let is_possible = is_possible(&[&requirements[..], &outermost].concat(), nest);
    is_possible.then_some(ShapeVersion { subscripts: all, requirements })
}

/// False if requirements contradict each other where their loops run often.
fn is_possible(requirements: &[ShapeRequirement], nest: &NestRanges) -> bool {
    let mut loops: Vec<_> = requirements.iter().flat_map(|requirement| requirement.loops.clone()).collect();
    loops.sort_unstable();
    loops.dedup();
    let facts = nest.often(&loops);
    !are_contradictory(facts.iter().chain(requirements.iter().map(|requirement| &requirement.expression)))
}

/// The subscripts of an access, and what must hold. `choose` takes a shift of a subscript by a size from those that are
/// possible; where a subscript has an index, or no parameter, it is the first one.
fn subscripts(
    access: &LinearAccess,
    sizes: &[Expression],
    nest: &NestRanges,
    choose: Choose<'_>,
) -> Option<(Vec<Expression>, Vec<ShapeRequirement>)> {
    let mut left = access.index.clone();
    let (mut found, mut required) = (vec![], vec![]);
    for size in sizes.iter().rev() {
        let (quotient, rest) = left.divided(size)?;
        if !is_affine(&rest) {
            return None;
        }
        let shifted = |shift: i128| {
            let subscript = rest.checked_add_multiple(size, -shift)?;
            let [least, most] = nest.extremes(&subscript)?;
            let below = size.checked_sub(&Expression::constant(1))?.checked_sub(&most)?;
            let requirement = |expression| ShapeRequirement { expression, loops: access.loops.clone() };
            Some((subscript, [requirement(least), requirement(below)]))
        };
        let is_choice = |shift: &i128| shifted(*shift).is_some_and(|(_, required)| is_possible(&required, nest));
        let mut choices: Vec<_> = [0, 1, -1].into_iter().filter(is_choice).collect();
        if rest.has_dimensions() || rest.value().is_some() {
            choices.truncate(1);
        }
        let shift = choose(&(rest.clone(), size.clone()), &choices).filter(|_| !choices.is_empty())?;
        let (subscript, own) = shifted(shift)?;
        required.extend(own);
        found.push(subscript);
        left = quotient.checked_add(&Expression::constant(shift))?;
    }
    if !is_affine(&left) {
        return None;
    }
    found.push(left);
    found.reverse();
    (index_of(&found, sizes)? == access.index).then_some((found, required))
}

/// True if each dimension is only multiplied by numbers.
pub fn is_affine(expression: &Expression) -> bool {
    expression.monomials().is_some_and(|terms| {
        terms
            .iter()
            .all(|(monomial, _)| monomial.len() == 1 || !monomial.iter().any(|variable| variable.is_dimension()))
    })
}

/// The index of an element, in an array with these inner sizes.
pub fn index_of(subscripts: &[Expression], sizes: &[Expression]) -> Option<Expression> {
    let (outermost, inner) = subscripts.split_first()?;
    inner
        .iter()
        .zip(sizes)
        .try_fold(outermost.clone(), |index, (subscript, size)| index.checked_mul(size)?.checked_add(subscript))
}

/// The requirements that do not follow from loops that run and from the others, each once.
pub fn necessary(requirements: &[ShapeRequirement], nest: &NestRanges) -> Vec<Expression> {
    let follows_from = |requirement: &ShapeRequirement, others: &[Expression]| {
        let facts = [&nest.once(&requirement.loops)[..], others].concat();
        follows(&requirement.expression, &facts)
    };
    let mut left: Vec<&ShapeRequirement> = vec![];
    for requirement in requirements {
        let is_known = left.iter().any(|known| known.expression == requirement.expression);
        if !is_known && !follows_from(requirement, &[]) {
            left.push(requirement);
        }
    }
    let mut position = 0;
    while position < left.len() {
        let mut others: Vec<_> = left.iter().map(|requirement| requirement.expression.clone()).collect();
        others.remove(position);
        match follows_from(left[position], &others) {
            true => drop(left.remove(position)),
            false => position += 1,
        }
    }
    left.into_iter().map(|requirement| requirement.expression.clone()).collect()
}
