//! `mdh-partition`: md_hom becomes a chain of steps in the orders D1, S1, R1 with the part counts of the schedule.
//!
//! ```mlir
//! mdh.lowlevel.system @simple memory [MM] cores []
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
use super::chain;
use crate::{
    analysis::computation::Computation,
    schedule::{
        attribute,
        model::{Level, Schedule, Step},
        rules,
    },
};
use mdh_dialects::{
    hom::mda_operand,
    ir::{self, Builder, Op},
    pass::{Failure, MdhPass},
};
use melior::ir::{Type, ValueLike};

/// The pass.
pub struct Partition;

impl MdhPass for Partition {
    const NAME: &'static str = "Partition";
    const ARGUMENT: &'static str = "mdh-partition";
    const DESCRIPTION: &'static str = "Expand md_hom to low-level steps, with orders and part counts";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        run(module)
    }
}

/// Partitions every homomorphism in and below an operation.
pub fn run<'c>(root: Op<'c>) -> Result<(), Failure<'c>> {
    for computation in Computation::all(root) {
        if ir::name(computation.hom) == "mdh.hom.md_hom" {
            partition(&computation)?;
        }
    }
    Ok(())
}

fn partition<'c>(computation: &Computation<'c>) -> Result<(), Failure<'c>> {
    let hom = computation.hom;
    let fail = |message: String| Failure::new(hom, message);
    let attribute =
        ir::attribute(hom, "schedule").ok_or_else(|| fail("requires a schedule: run mdh-schedule first".into()))?;
    let shape = computation.shape();
    let schedule = attribute::read(attribute, &shape, hom).map_err(fail)?;
    rules::check(&schedule, &shape).map_err(|violations| fail(rules::summary(&violations)))?;
    let combine = ir::attribute(hom, "combine").and_then(ir::array_attribute).unwrap_or_default();
    let Some(mut value) = mda_operand(hom) else { return Ok(()) };
    let b = Builder::before(hom);
    let number = |number: usize| b.attribute(&format!("{number} : i64"));
    let count = |level: Level| {
        let count = schedule.parts[level.layer][level.dimension];
        b.attribute(&format!("{} : i64", count.map_or(i64::MIN, |count| count as i64)))
    };
    let at = |step: &Step| {
        let Level { layer, dimension } = step.level;
        [("layer", number(layer + 1)), ("dimension", number(dimension + 1)), ("parts", count(step.level))]
    };
    for step in &schedule.decompose {
        value = b.value("mdh.lowlevel.decompose", &[value], value.r#type(), &at(step));
    }
    let system = b.attribute(&format!("@{}", crate::schedule::attribute::quoted(&schedule.system.name)));
    let levels: Vec<_> = schedule.scalar.order.iter().map(|(level, _)| *level).collect();
    let order = b.attribute(&order_text(&levels, schedule.parts.len(), shape.extents.len()));
    let mut attributes = vec![("system", system), ("order", order), (chain::SCHEDULE, attribute)];
    if let Some(declared) = ir::attribute(hom, "homomorphism") {
        attributes.push(("homomorphism", declared));
    }
    let scalar_type = mda(&b, &shape.extents, &computation.output_types);
    let scalar = b.op("mdh.lowlevel.scalar", &[value], &[scalar_type], &attributes, vec![b.clone_region(hom, 0)]);
    value = ir::results(scalar)[0];
    for (i, step) in schedule.recompose.iter().enumerate().rev() {
        let r#type = mda(&b, &extents(&schedule, computation, &schedule.recompose[..i]), &computation.output_types);
        let mut attributes = at(step).to_vec();
        attributes.push(("combine", combine[step.level.dimension]));
        value = b.value("mdh.lowlevel.recompose", &[value], r#type, &attributes);
    }
    ir::replace_uses(ir::results(hom)[0], value);
    ir::erase(hom);
    Ok(())
}

/// The extents while these steps of the re-composition are still to come: a point-wise dimension has one entry for each part.
fn extents(schedule: &Schedule, computation: &Computation<'_>, to_come: &[Step]) -> Vec<Option<u64>> {
    let extent = |(d, extent): (usize, &Option<u64>)| {
        if computation.operators[d].keeps() {
            return *extent;
        }
        let levels: Vec<_> = to_come.iter().map(|step| step.level).filter(|level| level.dimension == d).collect();
        if levels.len() == schedule.parts.len() {
            // Nothing is combined yet, and parts may be partial.
            return *extent;
        }
        levels
            .iter()
            .map(|level| schedule.parts[level.layer][d])
            .try_fold(1u64, |product, count| product.checked_mul(count?))
    };
    computation.extents.iter().enumerate().map(extent).collect()
}

fn mda<'c>(b: &Builder<'c>, extents: &[Option<u64>], scalars: &[Type<'c>]) -> Type<'c> {
    let extents: Vec<_> = extents.iter().map(|extent| extent.map_or("?".to_owned(), |e| e.to_string())).collect();
    let scalars: String = scalars.iter().map(|scalar| format!(", {scalar}")).collect();
    b.r#type(&format!("!mdh.mda<{}{scalars}>", extents.join("x")))
}

/// The matrix of positions: a row a layer, a column a dimension.
fn order_text(levels: &[Level], layers: usize, rank: usize) -> String {
    let position = |level: Level| levels.iter().position(|known| *known == level).map_or(0, |p| p + 1).to_string();
    let row = |layer| (0..rank).map(|dimension| position(Level { layer, dimension })).collect::<Vec<_>>().join(", ");
    let rows: Vec<_> = (0..layers).map(|layer| format!("array<i64: {}>", row(layer))).collect();
    format!("[{}]", rows.join(", "))
}
