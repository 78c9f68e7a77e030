//! Plans from good to bad, to compare predicted times with measured ones.
use super::{HostChoices, HostSearch, LAST_ROUNDS};
use crate::schedule::{
    climb::{Changes, Found, SearchSpace, improve},
    cost::Prediction,
    plan::Plan,
};

/// Maximum predicted time of a candidate, as a multiple of that of the best plan: nobody would run a slower one.
const MAX_SLOWDOWN: f64 = 10.0;

impl HostSearch<'_> {
    /// Returns at most `count` plans with their predictions: the default first, then others in the order of predicted
    /// time. They are evenly spaced in a ranking of plans. These plans are evenly spaced register tiles of the ranking
    /// of all tiles, each before and after its improvement.
    pub fn candidates(&self, count: usize) -> Vec<(Plan, Prediction)> {
        let priced = |choices: HostChoices| Some(Found::new(self.cost(&choices, None)?.seconds, choices));
        let mut tiles: Vec<_> = self.tiles().into_iter().filter_map(priced).collect();
        tiles.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let (best, expected) = self.run();
        let mut plans: Vec<(Plan, Prediction)> = vec![];
        for rank in ranks(tiles.len(), count.saturating_mul(2)) {
            let tile = &tiles[rank];
            for choices in [&improve(self, tile.clone(), LAST_ROUNDS, Changes::Neighbors).choices, &tile.choices] {
                let plan = self.plan(choices);
                let prediction = self.model().predict(&plan);
                let is_sensible = prediction.seconds <= MAX_SLOWDOWN * expected.seconds;
                if is_sensible && plan != best && plans.iter().all(|(known, _)| *known != plan) {
                    plans.push((plan, prediction));
                }
            }
        }
        plans.sort_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds));
        plans.insert(0, (best, expected));
        ranks(plans.len(), count).into_iter().map(|rank| plans[rank].clone()).collect()
    }
}

/// Returns at most `count` of `all` ranks: the first one, the last one, and evenly spaced ones in between.
fn ranks(all: usize, count: usize) -> Vec<usize> {
    match count.min(all) {
        0 => vec![],
        1 => vec![0],
        count => (0..count).map(|i| i * (all - 1) / (count - 1)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        analysis::computation::Computation,
        decompose::tests::context,
        machine::Machine,
        schedule::{default, tuning::TuningContext},
    };
    use mdh_dialects::ir;
    use mdh_dialects::schedule::{model::System, rules};
    use melior::ir::Module;

    const MATMUL: &str = "func.func @matmul(%A: tensor<128x256xf32>, %B: tensor<256x192xf32>) -> tensor<128x192xf32> {
      %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
          : (tensor<128x256xf32>, tensor<256x192xf32>) -> !mdh.mda<128x192x256, f32, f32>
      %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
      ^bb0(%a: f32, %b: f32):
        %p = arith.mulf %a, %b : f32
        mdh.hom.yield %p : f32
      } : !mdh.mda<128x192x256, f32, f32> -> !mdh.mda<128x192x1, f32>
      %w = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<128x192x1, f32> -> tensor<128x192xf32>
      return %w : tensor<128x192xf32>
    }";

    #[test]
    fn ranks_are_spread_over_all() {
        assert_eq!(ranks(9, 5), [0, 2, 4, 6, 8]);
        assert_eq!(ranks(10, 4), [0, 3, 6, 9]);
        assert_eq!(ranks(3, 8), [0, 1, 2]);
        assert_eq!(ranks(7, 1), [0]);
        assert!(ranks(0, 3).is_empty() && ranks(3, 0).is_empty());
    }

    #[test]
    fn candidates_are_legal_and_different_and_begin_with_the_default() {
        let context = context();
        let module = Module::parse(&context, MATMUL).expect("the program parses");
        let computation = Computation::all(ir::op(module.as_operation())).remove(0);
        let system = System::builtin("cpu").expect("a system");
        let machine =
            Machine::host().with_text(include_str!("../../../examples/machines/avx512.json")).expect("a machine");
        for threads in [1, 4] {
            let tuning = TuningContext { machine: machine.clone(), threads: Some(threads) };
            let found = default::candidates(&computation, &system, &tuning, 12).expect("the system has all layers");
            assert_eq!(found.len(), 12);
            assert_eq!(found[0].0, default::default_schedule(&computation, &system, &tuning));
            for (i, (schedule, prediction)) in found.iter().enumerate() {
                assert_eq!(rules::check(schedule, &computation.shape()), Ok(()));
                assert!(found[..i].iter().all(|(other, _)| other != schedule), "{i}");
                assert!(i < 2 || found[i - 1].1.seconds <= prediction.seconds, "{i}");
            }
            // Both good and bad plans are required: a ranking of equals says nothing.
            assert!(found[11].1.seconds > 2.0 * found[0].1.seconds);
        }
    }
}
