//! `mdh-partition`: lowers md_hom to a chain of steps, in the orders D1, S1, R1 and with the part counts of the
//! schedule.
//!
//! ```mlir
//! mdh.lowlevel.system @simple memory [MM: global] cores []
//! func.func @mv(%M: tensor<6x8xf32>, %v: tensor<8xf32>) -> tensor<6xf32> {
//!   %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
//!       : (tensor<6x8xf32>, tensor<8xf32>) -> !mdh.mda<6x8, f32, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>]
//!       attributes {schedule = {decompose = {tags = [["MM,x", "MM,y"]]}, parts = [array<i64: 6, 8>], system = @simple}} {
//!   ^bb0(%a: f32, %b: f32):
//!     %p = arith.mulf %a, %b : f32
//!     mdh.hom.yield %p : f32
//!   } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x1, f32>
//!   %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
//!   return %w : tensor<6xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! %i = mdh.lowlevel.decompose %in level(1, 1) parts 6 : !mdh.mda<6x8, f32, f32>
//! %k = mdh.lowlevel.decompose %i level(1, 2) parts 8 : !mdh.mda<6x8, f32, f32>
//! %s = mdh.lowlevel.scalar %k on @simple order [[1, 2]] attributes {mdh.schedule = ..} {
//! } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
//! %c = mdh.lowlevel.recompose %s combine #mdh.pw<add> level(1, 2) parts 8 : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
//! %r = mdh.lowlevel.recompose %c combine #mdh.cc level(1, 1) parts 6 : !mdh.mda<6x1, f32> -> !mdh.mda<6x1, f32>
//! ```
use crate::{analysis::computation::Computation, notation::attribute};
use mdh_dialects::{
    attributes::CONTRACT,
    hom::MdHom,
    ir::{self, Builder, Op, OpView},
    lowlevel::{Decompose, Recompose, Scalar, ScalarParts, StepView},
    pass::{Failure, MdhPass},
    schedule::{
        model::{Level, Schedule, Step},
        rules,
    },
    view::mda_type_of,
};

/// The pass.
pub struct PartitionPass;

impl MdhPass for PartitionPass {
    const NAME: &'static str = "Partition";
    const ARGUMENT: &'static str = "mdh-partition";
    const DESCRIPTION: &'static str = "Lower md_hom to low-level steps, with orders and part counts";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        run(module)
    }
}

/// Partitions every homomorphism among an operation and its descendants.
pub fn run<'c>(root: Op<'c>) -> Result<(), Failure<'c>> {
    for computation in &Computation::all(root) {
        if let Some(hom) = computation.md_hom() {
            partition(computation, hom)?;
        }
    }
    Ok(())
}

fn partition<'c>(computation: &Computation<'c>, hom: MdHom<'c>) -> Result<(), Failure<'c>> {
    let fail = |message: String| Failure::new(hom.op(), message);
    let attribute = hom.schedule().ok_or_else(|| fail("requires a schedule: run mdh-schedule first".into()))?;
    let shape = computation.shape();
    let schedule = attribute::read(attribute, &shape, hom.op()).map_err(fail)?;
    rules::check(&schedule, &shape).map_err(|violations| fail(rules::summary(&violations)))?;
    let combine = hom.combine();
    let b = Builder::before(hom.op());
    let parts = |level: Level| schedule.parts[level.layer][level.dimension];
    let mda = |extents: &[Option<u64>]| mda_type_of(b.context, extents, &computation.output_types);
    let mut value = hom.mda();
    for step in &schedule.decompose {
        value = Decompose::build(&b, value, step.level, parts(step.level)).result();
    }
    let levels: Vec<_> = schedule.scalar.order.iter().map(|(level, _)| *level).collect();
    let scalar = ScalarParts {
        system: schedule.system.name.clone(),
        order: order(&levels, schedule.parts.len(), shape.rank()),
        schedule: attribute,
        at: schedule.at,
        is_homomorphism: hom.is_homomorphism(),
        is_ordered: hom.is_ordered(),
        dimension_names: hom.dimension_names(),
        inits: hom.inits(),
        scalar: b.clone_region(hom.op(), 0),
    };
    let scalar = Scalar::build(&b, value, scalar, mda(&shape.extents().collect::<Vec<_>>()));
    if let Some(contract) = ir::attribute(hom.op(), CONTRACT) {
        ir::set_attribute(scalar.op(), CONTRACT, contract);
    }
    value = scalar.result();
    for (i, step) in schedule.recompose.iter().enumerate().rev() {
        let ty = mda(&extents(&schedule, computation, &schedule.recompose[..i]));
        let combine = combine[step.level.dimension];
        value = Recompose::build(&b, value, combine, step.level, parts(step.level), ty).result();
    }
    ir::replace_uses(hom.result(), value);
    ir::erase(hom.op());
    Ok(())
}

/// The extents before the remaining steps `to_come` of the re-composition: a point-wise dimension has one entry for
/// each of their parts.
fn extents(schedule: &Schedule, computation: &Computation<'_>, to_come: &[Step]) -> Vec<Option<u64>> {
    let extent = |(d, extent): (usize, Option<u64>)| {
        if computation.operators[d].keeps() {
            return extent;
        }
        let levels: Vec<_> = to_come.iter().map(|step| step.level).filter(|level| level.dimension == d).collect();
        if levels.len() == schedule.parts.len() {
            // Nothing has been combined yet, and parts may be partial.
            return extent;
        }
        levels
            .iter()
            .map(|level| schedule.parts[level.layer][d])
            .try_fold(1u64, |product, count| product.checked_mul(count?))
    };
    computation.domain.extents().enumerate().map(extent).collect()
}

/// The matrix of positions: one row per layer, one column per dimension.
fn order(levels: &[Level], layers: usize, rank: usize) -> Vec<Vec<i64>> {
    let position = |level: Level| levels.iter().position(|known| *known == level).map_or(0, |p| p as i64 + 1);
    let row = |layer| (0..rank).map(|dimension| position(Level { layer, dimension })).collect();
    (0..layers).map(row).collect()
}
