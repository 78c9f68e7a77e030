//! What becomes of the arrays of a nest: those with a shape, and the reasons of the others.
use super::{
    polynomial::{Fit, Parameters},
    range::NestRanges,
    shape::{ArrayShape, LinearAccess, ShapeRequirement, ShapeVersion, index_of, is_affine, shape},
    source::PolynomialNest,
};
use crate::analysis::{index::Expression, size::limits};
use mdh_dialects::ir::{self, Op, Val};
use melior::ir::{ValueLike, r#type::MemRefType};

/// An array of a nest with a shape.
#[derive(Clone, Debug)]
pub struct ArrayPlan<'c> {
    /// The memref with one dimension.
    pub memref: Val<'c>,
    /// The positions of its accesses among those of the nest.
    pub accesses: Vec<usize>,
    /// The shape.
    pub shape: ArrayShape,
    /// What must fit for the indices, whatever the version.
    pub requirements: Vec<ShapeRequirement>,
}

/// An array of a nest that stays as it is.
#[derive(Clone, Debug)]
pub struct PlainArray {
    /// The position of the first access.
    pub access: usize,
    /// The requirement that it does not meet.
    pub reason: String,
}

/// A nest with the shapes of its arrays.
#[derive(Clone, Debug)]
pub struct NestPlan<'c> {
    /// The nest.
    pub nest: PolynomialNest<'c>,
    /// The arrays with a shape.
    pub arrays: Vec<ArrayPlan<'c>>,
    /// Arrays with polynomials that have none.
    pub plain: Vec<PlainArray>,
    /// What must fit for the bounds of the loops.
    pub requirements: Vec<ShapeRequirement>,
}

impl<'c> NestPlan<'c> {
    /// The shapes of the arrays of a nest. The error is the requirement that its loops do not meet.
    pub fn of(root: Op<'c>, parameters: &mut Parameters<'c>) -> Result<Self, String> {
        let nest = PolynomialNest::of(root, parameters)?;
        let mut requirements = vec![];
        for (fit, loops) in &nest.fits {
            requirements
                .extend(fitting(fit, loops, &[], &nest.ranges).ok_or("requires bounds that fit in their type")?);
        }
        let mut memrefs: Vec<Val<'c>> = vec![];
        for access in &nest.accesses {
            if !memrefs.contains(&access.memref) {
                memrefs.push(access.memref);
            }
        }
        let mut plan = Self { nest, arrays: vec![], plain: vec![], requirements };
        for memref in memrefs {
            let all = plan.nest.accesses.iter().enumerate().filter(|(_, access)| access.memref == memref);
            let accesses: Vec<_> = all.map(|(position, _)| position).collect();
            if ir::shape(memref.r#type()).is_none_or(|shape| shape.len() != 1) {
                continue;
            }
            match plan.array(memref, accesses.clone()) {
                Ok(Some(array)) => plan.arrays.push(array),
                Ok(None) => {}
                Err(reason) => plan.plain.push(PlainArray { access: accesses[0], reason }),
            }
        }
        Ok(plan)
    }

    /// The plan of an array; `None` if its indices need no other shape.
    fn array(&self, memref: Val<'c>, accesses: Vec<usize>) -> Result<Option<ArrayPlan<'c>>, String> {
        let all: Vec<_> = accesses.iter().map(|position| &self.nest.accesses[*position]).collect();
        let mut linear = vec![];
        for access in &all {
            let indices = access.indices.clone()?;
            let [index] = &indices[..] else { return Ok(None) };
            linear.push(LinearAccess { index: index.clone(), loops: access.loops.clone() });
        }
        let has_polynomials = linear.iter().any(|access| !is_affine(&access.index));
        let mut suggested: Vec<Vec<_>> = vec![];
        for sizes in all.iter().flat_map(|access| &access.suggested) {
            let sizes: Vec<_> = sizes.iter().map(|size| Expression::constant(*size)).collect();
            if !suggested.contains(&sizes) {
                suggested.push(sizes);
            }
        }
        let shape = match shape(&linear, &suggested, &self.nest.ranges) {
            Ok(shape) => shape,
            Err(reason) if has_polynomials => return Err(reason),
            Err(_) if all.iter().all(|access| access.is_linear) => return Ok(None),
            // What is not linear as it is written becomes it: products of parameters, and conversions.
            Err(_) => ArrayShape::linear(linear.into_iter().map(|access| access.index).collect()),
        };
        let ty = memref.r#type();
        let is_in_default_space = MemRefType::try_from(ty).is_ok_and(|memref| memref.memory_space().is_none());
        let has_neighbors = ir::strides(ty).is_some_and(|(strides, _)| strides == [Some(1)]);
        if !has_neighbors || !is_in_default_space {
            return Err(format!("requires a memref with stride 1 in the default memory, but has {ty}"));
        }
        let mut requirements = vec![];
        for access in &all {
            for fit in &access.fits {
                let fitting = fitting(fit, &access.loops, &shape.sizes, &self.nest.ranges);
                requirements.extend(fitting.ok_or("requires indices of fewer than 64 bits that fit in their type")?);
            }
        }
        Ok(Some(ArrayPlan { memref, accesses, shape, requirements }))
    }
}

/// The extremes of an index in an array with these inner sizes, which are positive; `None` if it is not affine there.
pub fn index_extremes(expression: &Expression, sizes: &[Expression], ranges: &NestRanges) -> Option<[Expression; 2]> {
    let mut left = expression.clone();
    let mut subscripts = vec![];
    for size in sizes.iter().rev() {
        let (quotient, rest) = left.divided(size)?;
        subscripts.push(ranges.extremes(&rest)?);
        left = quotient;
    }
    subscripts.push(ranges.extremes(&left)?);
    subscripts.reverse();
    let total = |end: usize| {
        let subscripts: Vec<_> = subscripts.iter().map(|extremes| extremes[end].clone()).collect();
        index_of(&subscripts, sizes)
    };
    Some([total(0)?, total(1)?])
}

/// The requirements that a value fits in its type.
pub fn fitting(fit: &Fit, loops: &[usize], sizes: &[Expression], ranges: &NestRanges) -> Option<[ShapeRequirement; 2]> {
    let [least, most] = index_extremes(&fit.expression, sizes, ranges)?;
    let [low, high] = limits(fit.bits, fit.is_unsigned).map(Expression::constant);
    let requirement = |expression| ShapeRequirement { expression, loops: loops.to_vec() };
    Some([requirement(least.checked_sub(&low)?), requirement(high.checked_sub(&most)?)])
}

/// The subscripts of one version of the array.
pub fn chosen<'p>(array: &'p ArrayPlan<'_>, version: usize) -> &'p ShapeVersion {
    &array.shape.versions[version.min(array.shape.versions.len() - 1)]
}

/// The bounds above the outermost subscripts of the accesses of an array, with the loops around each access; `None` if a
/// number does not fit in 128 bits.
pub fn ends<'p>(
    nest: &'p NestPlan<'_>,
    array: &ArrayPlan<'_>,
    version: usize,
) -> Option<Vec<(Expression, &'p [usize])>> {
    let accesses = array.accesses.iter().zip(&chosen(array, version).subscripts);
    let end = |(access, subscripts): (&usize, &Vec<Expression>)| {
        let [_, most] = nest.nest.ranges.extremes(subscripts.first()?)?;
        let loops = &nest.nest.accesses[*access].loops[..];
        Some((most.checked_add(&Expression::constant(1))?, loops))
    };
    accesses.map(end).collect()
}
