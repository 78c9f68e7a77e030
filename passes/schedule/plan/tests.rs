//! The nests of default schedules implement the plans that the search proposes, for all examples.
use super::Plan;
use crate::{
    machine::Machine,
    nest::outline::Outline,
    schedule::{
        cost::HostModel, default::explained, explain, gpu::tests::each_of_all, problem::Problem, tuning::TuningContext,
    },
};
use mdh_dialects::schedule::model::System;

#[test]
fn the_nests_of_default_schedules_have_the_loops_that_the_search_proposes() {
    let mut count = 0;
    let system = System::builtin("cpu").expect("a built-in system");
    each_of_all(&mut |name, function, computation| {
        for (strict, threads) in [(false, 8), (true, 1)] {
            let tuning = TuningContext { machine: Machine::host(), threads: Some(threads), strict };
            let (schedule, expected) = explained(computation, &system, &tuning).expect("a schedule");
            let problem = Problem::of(computation, tuning.functions(&system));
            let outline = Outline::of(&explain::nest(computation, &schedule, &tuning));
            let plan = Plan::of(&outline, &schedule, &problem);
            let model = HostModel { problem: &problem, machine: &tuning.machine, threads: tuning.threads() };
            assert_eq!(model.predict(&plan), expected, "{name} @{function} {threads}");
            count += 1;
        }
    });
    assert!(count > 200, "{count}");
}
