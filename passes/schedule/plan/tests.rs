//! The nests of default schedules implement the plans that the search proposes, for all examples.
use super::Plan;
use crate::{
    machine::Machine,
    nest::outline::Outline,
    schedule::{
        cost::HostModel,
        default::explained,
        explain,
        gpu::tests::{each, examples},
        problem::Problem,
        tuning::TuningContext,
    },
};
use mdh_dialects::schedule::model::System;
use std::fs;

#[test]
fn the_nests_of_default_schedules_have_the_loops_that_the_search_proposes() {
    let mut count = 0;
    for entry in fs::read_dir(examples()).expect("the examples").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.ends_with(".mlir") {
            continue;
        }
        each(&name, &mut |function, computation| {
            for system in ["cpu"] {
                let system = System::builtin(system).expect("a built-in system");
                for (strict, threads) in [(false, 8), (true, 1)] {
                    let tuning = TuningContext { machine: Machine::host(), threads: Some(threads), strict };
                    let (schedule, expected) = explained(computation, &system, &tuning).expect("a schedule");
                    let problem = Problem::of(computation, tuning.functions(&system));
                    let outline = Outline::of(&explain::nest(computation, &schedule, &tuning));
                    let plan = Plan::of(&outline, &schedule, &problem);
                    let model = HostModel { problem: &problem, machine: &tuning.machine, threads: tuning.threads() };
                    assert_eq!(model.predict(&plan), expected, "{name} @{function} {} {threads}", system.name);
                    count += 1;
                }
            }
        });
    }
    assert!(count > 200, "{count}");
}
