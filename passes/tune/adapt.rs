//! Schedules for other extents: the starting points of a size that was not tuned.
//!
//! ```text
//! 512 = threads 4 · loop 16 · registers 8   ──▶   1000 = threads 4 · loop 32 · registers 8
//! ```
use crate::{analysis::computation::Computation, schedule::tuned};
use mdh_dialects::schedule::{
    model::{Level, Schedule, System},
    rules::Shape,
};

/// Returns the schedules of a text, as [`crate::schedule::tuned::to_text`] writes them, for the extents of these
/// computations; `None` if they are not for such computations, or violate a rule. `resolve` maps a name to its system.
pub fn adapted(
    text: &str,
    computations: &[&Computation<'_>],
    resolve: &dyn Fn(&str) -> Option<System>,
) -> Option<Vec<Schedule>> {
    let fit_all = |schedule: &mut Schedule, shape: &Shape| {
        shape.extents().enumerate().for_each(|(d, extent)| fit(schedule, d, extent));
    };
    tuned::from_text_with(text, computations, resolve, &fit_all).ok()
}

/// Changes the part counts of a dimension so that they cover an extent: those of one sequential loop as far as possible.
fn fit(schedule: &mut Schedule, d: usize, extent: Option<u64>) {
    let layers = schedule.parts.len();
    let is_open = (0..layers).any(|layer| schedule.parts[layer][d].is_none());
    let Some(extent) = extent.filter(|extent| *extent > 0 && !is_open) else { return };
    let count = |schedule: &Schedule, layer: usize| schedule.parts[layer][d].unwrap_or(1).max(1);
    let loop_of = |schedule: &Schedule, is_wanted: &dyn Fn(usize) -> bool| {
        let tag = |layer: usize| {
            let level = Level { layer, dimension: d };
            schedule.scalar.order.iter().find(|(known, _)| *known == level).map(|(_, tag)| tag.clone())
        };
        let is_sequential =
            |layer: &usize| tag(*layer).is_some_and(|tag| !schedule.is_core(&tag) && !schedule.is_register(&tag));
        (0..layers).filter(is_sequential).find(|layer| is_wanted(*layer))
    };
    let absorbing = loop_of(schedule, &|layer| count(schedule, layer) > 1).or_else(|| loop_of(schedule, &|_| true));
    if let Some(layer) = absorbing {
        let others = (0..layers).filter(|other| *other != layer).map(|other| count(schedule, other));
        let others = others.fold(1u64, u64::saturating_mul);
        schedule.parts[layer][d] = Some(extent.div_ceil(others).max(1));
    }
    // No part may be empty: outer levels get what inner ones leave.
    let mut size = 1u64;
    for layer in (0..layers).rev() {
        let (own, needed) = (count(schedule, layer), extent.div_ceil(size));
        // There may be as many lanes as the smallest vector that covers the extent.
        let most = if size == 1 && own.is_power_of_two() { extent.next_power_of_two() } else { needed };
        let own = own.min(most);
        schedule.parts[layer][d] = Some(own);
        size = size.saturating_mul(own);
    }
    if size < extent {
        let outermost = (0..layers).find(|layer| count(schedule, *layer) > 1).unwrap_or(0);
        let inside = size / count(schedule, outermost);
        schedule.parts[outermost][d] = Some(extent.div_ceil(inside));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        decompose::tests::context,
        machine::Machine,
        schedule::{default::default_schedule, tuned::to_text, tuning::TuningContext},
    };
    use mdh_dialects::{ir, schedule::rules};
    use melior::ir::Module;

    fn program(extents: [u64; 2]) -> String {
        let [i, k] = extents;
        format!(
            "func.func @mv(%M: tensor<{i}x{k}xf32>, %v: tensor<{k}xf32>) -> tensor<{i}xf32> {{
              %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
                  : (tensor<{i}x{k}xf32>, tensor<{k}xf32>) -> !mdh.mda<{i}x{k}, f32, f32>
              %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {{
              ^bb0(%a: f32, %b: f32):
                %p = arith.mulf %a, %b : f32
                mdh.hom.yield %p : f32
              }} : !mdh.mda<{i}x{k}, f32, f32> -> !mdh.mda<{i}x1, f32>
              %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<{i}x1, f32> -> tensor<{i}xf32>
              return %w : tensor<{i}xf32>
            }}"
        )
    }

    #[test]
    fn schedules_fit_other_extents() {
        let context = context();
        let tuning = TuningContext { machine: Machine::typical(), threads: Some(4) };
        let sizes = [[512, 512], [1000, 700], [7, 9], [1, 1], [4096, 33], [33, 4096], [1 << 20, 3]];
        for system in ["cpu", "cuda_wrp", "openmp"] {
            let resolve = |name: &str| System::builtin(name);
            for from in sizes {
                let module = Module::parse(&context, &program(from)).expect("the program parses");
                let computation = Computation::all(ir::op(module.as_operation())).remove(0);
                let schedule = default_schedule(&computation, &resolve(system).expect("a system"), &tuning);
                let text = to_text(std::slice::from_ref(&schedule));
                for to in sizes {
                    let module = Module::parse(&context, &program(to)).expect("the program parses");
                    let other = Computation::all(ir::op(module.as_operation())).remove(0);
                    let found = adapted(&text, &[&other], &resolve);
                    let found = found.unwrap_or_else(|| panic!("{system}: {from:?} to {to:?}"));
                    assert_eq!(rules::check(&found[0], &other.shape()), Ok(()));
                    if from == to {
                        assert_eq!(found[0], schedule);
                    }
                }
            }
        }
    }
}
