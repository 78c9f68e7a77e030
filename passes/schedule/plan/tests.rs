//! The nests of default schedules implement the plans that the search proposes, for all examples, and the schedules of
//! plans are legal.
use super::{HostLayers, Plan, PlanLoop};
use crate::{
    analysis::{computation::Computation, index::Domain},
    machine::Machine,
    plan::outline::Outline,
    plan::runner::Runner,
    schedule::{
        cost::HostModel, default::explained, explain, gpu::tests::each_of_all, problem::Problem, tuning::TuningContext,
    },
};
use mdh_dialects::schedule::{model::System, rules};

#[test]
fn the_nests_of_default_schedules_have_the_loops_that_the_search_proposes() {
    let mut count = 0;
    let system = System::builtin("cpu").expect("a built-in system");
    each_of_all(&mut |name, function, computation| {
        for (is_ordered, threads) in [(false, 8), (true, 1)] {
            if is_ordered {
                computation.hom.set_ordered();
            }
            let tuning = TuningContext { machine: Machine::host(), threads: Some(threads) };
            let (schedule, expected) = explained(computation, &system, &tuning).expect("a schedule");
            let problem = Problem::of(computation, tuning.functions(&system, computation));
            let outline = Outline::of(&explain::plan(computation, &schedule));
            let plan = Plan::of(&outline, &schedule, &problem);
            let model = HostModel { problem: &problem, machine: &tuning.machine, threads: tuning.threads() };
            assert_eq!(model.predict(&plan), expected, "{name} @{function} {threads}");
            count += 1;
        }
    });
    assert!(count > 200, "{count}");
}

/// A plan may lack the sequential loop of a dynamic extent, such as that of the extent 1 of a computation without points.
#[test]
fn the_schedules_of_plans_without_the_loops_of_dynamic_extents_are_legal() {
    let system = System::builtin("cpu").expect("a built-in system");
    let layers = HostLayers::of(&system).expect("a system of threads");
    let tuning = TuningContext { machine: Machine::host(), threads: Some(8) };
    let (mut count, mut scans) = (0, 0);
    each_of_all(&mut |name, function, computation| {
        let rank = computation.rank();
        let dynamic = Computation { domain: Domain::new(vec![None; rank]), ..computation.clone() };
        let problem = Problem::of(&dynamic, tuning.functions(&system, &dynamic));
        let on = |dimension, kind| PlanLoop { dimension, parts: 4, kind };
        for d in 0..rank {
            let threads = on(d, Runner::THREADS);
            for loops in [vec![threads], vec![threads, on(d, Runner::Loop)]] {
                let schedule = Plan { loops, packed: vec![] }.schedule(&problem, &system, &layers);
                let checked = rules::check(&schedule, &dynamic.shape());
                assert!(checked.is_ok(), "{name} @{function} {d}: {checked:?}");
                let scalar = schedule.scalar_loops();
                let of_threads = scalar.iter().position(|(level, _)| level.layer == 0 && level.dimension == d);
                let first = scalar.iter().position(|(level, _)| level.dimension == d);
                assert_eq!(of_threads, first, "{name} @{function} {d}: threads start in a loop of their dimension");
                count += 1;
                scans += usize::from(problem.is_scan(d));
            }
        }
    });
    assert!(count > 400 && scans > 4, "{count} {scans}");
}
