//! Comparison with all schedules of small computations on small systems, and with the random schedules of the tests.
mod brute_force;
mod uniform;

use super::{Count, SampledCount, ScheduleSpace, SpaceBounds, producer::ProducerRules};
use crate::{
    plan::check,
    schedule::random::{Random, random_schedule},
};
use mdh_dialects::{
    hom::{CombineOperator, Function, Kind},
    schedule::{
        model::{ComputeAt, Level, Schedule, Step, System},
        roles::{CoreRole, MemoryRole},
        rules::{self, Shape},
        systems::BUILTIN,
    },
};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

fn sum() -> CombineOperator {
    CombineOperator::PointWise(Function::Builtin(vec![Kind::Add]))
}

fn scan() -> CombineOperator {
    CombineOperator::PrefixSum(Function::Builtin(vec![Kind::Add]))
}

const CC: CombineOperator = CombineOperator::Concatenation;

/// Returns a random shape of up to three dimensions, with every kind of operator.
fn random_shape(random: &mut Random) -> Shape {
    let rank = 1 + random.below(3);
    let extents: Vec<_> =
        (0..rank).map(|_| if random.once_in(5) { None } else { Some(random.below(40) as u64) }).collect();
    let operators = (0..rank).map(|_| [CC, sum(), scan()][random.below(3)].clone()).collect();
    let ranks = |random: &mut Random| (0..random.below(3)).map(|_| random.below(4)).collect();
    Shape::new(extents, operators, ranks(random), ranks(random))
}

#[test]
fn random_schedules_are_in_the_space() {
    let mut random = Random::new(7);
    for name in BUILTIN {
        let system = System::builtin(name).expect("a built-in system");
        let mut counted = 0;
        for _ in 0..20 {
            let shape = random_shape(&mut random);
            let bounds = SpaceBounds { limit_work: 1 << 11, ..SpaceBounds::default() };
            let space = ScheduleSpace::within(&shape, &system, &bounds).expect("a space");
            counted += usize::from(space.count().is_ok());
            for _ in 0..50 {
                let schedule = random_schedule(&shape, &system, &mut random);
                let index = space.index(&schedule).expect("the schedule is in the space");
                assert!(index < *space.size());
                assert_eq!(space.schedule(&index), Ok(schedule));
            }
            for _ in 0..5 {
                let sample = space.sample(&mut random).expect("a schedule");
                assert_eq!(rules::check(&sample, &shape), Ok(()));
            }
        }
        let is_limited = system.limit.iter().any(Option::is_some);
        assert!(if is_limited { (1..20).contains(&counted) } else { counted == 20 }, "{name}: {counted} of 20 spaces");
    }
}

#[test]
fn numbers_of_uncounted_spaces_have_gaps() {
    let system = System::builtin("cuda").expect("a built-in system");
    let bounds = SpaceBounds { limit_work: 1 << 8, ..SpaceBounds::default() };
    let space = ScheduleSpace::within(&matmul(), &system, &bounds).expect("a space");
    let problem =
        "S9: the schedules of 3 dimensions with at most 1024 parts on CC require more than 256 steps to be counted";
    assert_eq!(space.count(), Err(problem.to_owned()));
    let (mut random, mut gaps) = (Random::new(8), 0);
    for _ in 0..100 {
        let index = BigUint::below(space.size(), &mut || random.next());
        match space.schedule(&index) {
            Ok(schedule) => assert_eq!(space.index(&schedule), Ok(index)),
            Err(problem) => {
                assert!(problem.starts_with("S9: ") && problem.contains(" on the core layer CC"), "{problem}");
                gaps += 1;
            }
        }
    }
    assert!((5..95).contains(&gaps), "{gaps}");
}

#[test]
fn uncounted_spaces_are_estimated() {
    let system = System::builtin("cuda").expect("a built-in system");
    let short = Shape::new([Some(4096)], vec![sum()], vec![1, 1], vec![0]);
    let space = |limit_work: u64| {
        let bounds = SpaceBounds { limit_work, ..SpaceBounds::default() };
        ScheduleSpace::within(&short, &system, &bounds).expect("a space")
    };
    let (counted, uncounted) = (space(1 << 26), space(1));
    let exact = counted.count().expect("a count");
    let estimate = |space: &ScheduleSpace| space.estimate(1000, &mut Random::new(2)).schedules.expect("an estimate");
    let SampledCount { count, error } = estimate(&uncounted);
    // Both as parts of a million.
    let ratio = (count * 1_000_000u32 / exact).to_f64().expect("a number") / 1e6;
    assert!((0.001..0.1).contains(&error), "{error}");
    assert!((ratio - 1.0).abs() < 4.0 * error, "{ratio} {error}");
    // A space that is counted has no gaps.
    assert_eq!(estimate(&counted), SampledCount { count: exact.clone(), error: 0.0 });
}

#[test]
fn kernels_are_estimated() {
    use CoreRole::{Blocks, Threads};
    use MemoryRole::{Global, Registers, Shared};
    let system = brute_force::system(&[Global, Shared, Registers], &[(Blocks, 0, None), (Threads, 1, Some(4))]);
    for (operators, rank) in [(vec![CC], 1), (vec![sum()], 0), (vec![scan()], 1), (vec![CC, sum()], 1)] {
        let shape = Shape::new(vec![Some(6); operators.len()], operators, vec![1], vec![rank]);
        let space = |limit_work: u64| {
            let bounds = SpaceBounds { limit_work, ..SpaceBounds::default() };
            ScheduleSpace::within(&shape, &system, &bounds).expect("a space")
        };
        let counted = space(1 << 26);
        let exact = counted.count().expect("a count");
        let mut random = Random::new(3);
        const SAMPLES: u32 = 4000;
        let lowered = (0..SAMPLES).filter(|_| {
            let schedule = counted.sample(&mut random).expect("a schedule");
            check::schedule(&schedule).is_ok()
        });
        let share = lowered.count() as f64 / f64::from(SAMPLES);
        let deviation = (share * (1.0 - share) / f64::from(SAMPLES)).sqrt();
        for space in [&counted, &space(1)] {
            let estimate = space.estimate(SAMPLES, &mut random).kernels.expect("an estimate");
            let SampledCount { count, error } = estimate;
            let estimated = (count * 1_000_000_000u64 / exact).to_f64().expect("a number") / 1e9;
            let error = (error * estimated).hypot(deviation);
            assert!((share - estimated).abs() < 4.0 * error && error < 0.1 * share, "{share} {estimated} {error}");
        }
    }
}

fn matmul() -> Shape {
    Shape::new([Some(1024); 3], vec![CC, CC, sum()], vec![2, 2], vec![2])
}

#[test]
fn large_spaces_are_counted() {
    let count = |shape: &Shape, name: &str| {
        let space = ScheduleSpace::new(shape, &System::builtin(name).expect("a built-in system")).expect("a space");
        space.count().map(BigUint::bits)
    };
    assert!(count(&matmul(), "cpu").is_ok_and(|bits| bits > 500));
    let contraction = Shape::new([Some(24); 7], vec![CC, CC, CC, CC, CC, CC, sum()], vec![4, 4], vec![6]);
    assert!(count(&contraction, "cpu").is_ok_and(|bits| bits > 2000));
    let dot = Shape::new([Some(1 << 20)], vec![sum()], vec![1, 1], vec![0]);
    assert!(count(&dot, "cpu").is_ok_and(|bits| bits > 100));
    let short = Shape::new([Some(512)], vec![sum()], vec![1, 1], vec![0]);
    assert!(count(&short, "cuda").is_ok_and(|bits| bits > 100));
}

#[test]
fn bounds_can_cover_any_schedule() {
    let system = System::builtin("artificial").expect("a built-in system");
    let shape = Shape::new([Some(10)], vec![CC], vec![1], vec![1]);
    let space = ScheduleSpace::new(&shape, &system).expect("a space");
    let mut schedule = space.sample(&mut Random::new(3)).expect("a schedule");
    schedule.parts = vec![vec![Some(100)], vec![None], vec![Some(7)]];
    assert_eq!(
        space.index(&schedule),
        Err("dimension 1: the space has columns with ? whose other part counts multiply to at most 18, but these are 100 * 7"
            .to_owned())
    );
    let bounds = SpaceBounds { products: vec![Some(700)], ..SpaceBounds::default() };
    let space = ScheduleSpace::within(&shape, &system, &bounds).expect("a space");
    let index = space.index(&schedule).expect("the schedule is in the space");
    assert_eq!(space.schedule(&index), Ok(schedule));
}

#[test]
fn every_problem_of_a_schedule_is_named() {
    let system = System::builtin("openmp").expect("a built-in system");
    let shape = Shape::new([Some(10)], vec![sum()], vec![1], vec![0]);
    let space = ScheduleSpace::new(&shape, &system).expect("a space");
    let schedule = space.sample(&mut Random::new(4)).expect("a schedule");
    let problem = |change: &dyn Fn(&mut Schedule)| {
        let mut changed = schedule.clone();
        change(&mut changed);
        let problem = space.index(&changed).expect_err("a problem");
        assert_eq!(space.neighbors(&changed), Err(problem.clone()));
        problem
    };
    let begins = |change: &dyn Fn(&mut Schedule), label: &str, reason: &str| {
        let problem = problem(change);
        assert!(problem.starts_with(label) && problem.ends_with(reason), "{problem}");
    };
    begins(&|s| s.recompose.swap_remove(0).level.layer = 1, "S1: ", "; each phase processes every level once");
    let too_few = |s: &mut Schedule| s.parts = vec![vec![Some(3)], vec![Some(1)], vec![Some(3)], vec![Some(1)]];
    begins(&too_few, "S2: ", "; the parts cover each point of the dimension, and none is always empty");
    let none = |s: &mut Schedule| s.scalar.reads[0].region = "none".to_owned();
    begins(&none, "S4: ", "; buffers are stored in memory of the system");
    begins(&|s| s.scalar.reads[0].layout.clear(), "S5: ", "; a layout enumerates each element once");
    begins(&|s| s.scalar.reads.clear(), "S6: ", "; each buffer is stored somewhere");
    let pad = "; parts are padded and buffered only in memory that kernels manage";
    begins(&|s| s.scalar.reads[0].pad = 1, "S12: ", pad);
    assert_eq!(
        problem(&|s| s.at = Some(ComputeAt { consumer: 1, level: Level { layer: 0, dimension: 0 } })),
        "the space has schedules that compute all results at once, but this one names a consumer"
    );
    assert_eq!(
        problem(&|s| s.system.name = "other".to_owned()),
        "the space is about the system @openmp as declared, but the schedule is for @other"
    );
    let count = space.size().clone();
    assert_eq!(
        space.schedule(&count),
        Err(format!("the numbers of schedules are below {count}, but this one is {count}"))
    );
}

#[test]
fn every_problem_of_a_producer_is_named() {
    let shape = Shape::new([Some(10), Some(4)], vec![CC, sum()], vec![2], vec![1]);
    let positions: Vec<_> = [0, 1].map(|layer| ComputeAt { consumer: 2, level: Level { layer, dimension: 0 } }).into();
    let problems = |name: &str, is_for_kernels: bool, in_place: Vec<bool>| {
        let system = System::builtin(name).expect("a built-in system");
        let rules = ProducerRules { positions: positions.clone(), is_for_kernels, in_place };
        let space = ScheduleSpace::of_producer(&shape, &system, rules, &SpaceBounds::default()).expect("a space");
        // With levels of the first dimension on all cores.
        let is_on = |schedule: &Schedule, core: &str| {
            schedule.decompose.iter().any(|step| step.tag.layer == core && step.level.dimension == 0)
        };
        let mut samples = (0..1000).map(|seed| space.sample(&mut Random::new(seed)).expect("a schedule"));
        let schedule = samples.find(|schedule| system.cores.iter().all(|core| is_on(schedule, core)));
        let schedule = schedule.expect("such a schedule");
        move |change: &dyn Fn(&mut Schedule)| {
            let mut changed = schedule.clone();
            change(&mut changed);
            space.index(&changed).expect_err("a problem")
        }
    };
    let on_host = problems("cpu", false, vec![]);
    assert_eq!(
        on_host(&|s| s.at = None),
        "F2: requires a level of a consumer, but the schedule names none; parts of a producer are computed around all \
         phases of its consumer"
    );
    let other = Some(ComputeAt { consumer: 1, ..positions[0] });
    assert_eq!(
        on_host(&|s| s.at = other),
        "F2: requires one of 2 levels of consumers, but level (1, 1) of computation 2 is none of them; parts of a producer \
         are computed around all phases of its consumer"
    );
    let numbers = |s: &mut Schedule| s.parts.iter_mut().for_each(|row| row[0] = row[0].or(Some(10)));
    assert!(on_host(&numbers).starts_with("F4: requires a part count ? in dimension 1, "));
    let on_core = |s: &mut Schedule, core: usize| {
        let is_first = |step: &&Step| step.tag.layer == s.system.cores[core] && step.level.dimension == 0;
        let level = s.decompose.iter().find(is_first).expect("a level of the core").level;
        s.parts[level.layer][level.dimension] = Some(4);
    };
    let problem = on_host(&|s| on_core(s, 0));
    assert!(problem.starts_with("F4: requires one part in levels of cores, whose threads "), "{problem}");
    let problem = problems("cuda", true, vec![])(&|s| on_core(s, 1));
    assert!(problem.starts_with("F6: requires one part in all levels of cores, because each "), "{problem}");
    let copy = |s: &mut Schedule| s.scalar.reads[0].region = s.system.memory[1].clone();
    assert_eq!(
        problems("cuda", true, vec![true])(&copy),
        "F6: requires that input 1 is read where it is, but it is copied to SM[1, 2]; each thread of a kernel runs all loops \
         of a producer"
    );
    let none = ProducerRules { positions: vec![], is_for_kernels: false, in_place: vec![] };
    let system = System::builtin("cpu").expect("a built-in system");
    assert_eq!(
        ScheduleSpace::of_producer(&shape, &system, none, &SpaceBounds::default()).err().as_deref(),
        Some(
            "the space is empty: F2: no level of a consumer is allowed; parts of a producer are computed around all phases \
             of its consumer"
        )
    );
}

#[test]
fn every_error_of_a_space_is_named() {
    let (memory, threads) = ([MemoryRole::Global], CoreRole::Threads);
    let tiny = brute_force::system(&memory, &[(threads, 0, None)]);
    let shape = Shape::new([Some(10)], vec![sum()], vec![1], vec![0]);
    let error = |shape: &Shape, system: &System| ScheduleSpace::new(shape, system).err().expect("an error");
    assert_eq!(
        error(&shape, &brute_force::system(&memory, &[(threads, 0, Some(0))])),
        "the space is empty: S9: the core layer C0 of the system @tiny allows 0 parts; a core layer executes a limited \
         number of parts"
    );
    assert_eq!(
        error(&shape, &brute_force::system(&[], &[])),
        "the space requires at least one memory layer and at most 64 layers, but the system @tiny has 0 and 0"
    );
    assert_eq!(
        error(&shape, &System { cores: vec!["M0".to_owned()], ..tiny.clone() }),
        "the system @tiny has two layers with the name M0"
    );
    assert_eq!(
        error(&shape, &System { combine: vec![1], ..tiny.clone() }),
        "the system @tiny lacks roles, limits or regions of its layers"
    );
    assert_eq!(
        error(&Shape::new([Some(10)], vec![], vec![], vec![]), &tiny),
        "the computation has 1 dimensions, but 0 operators"
    );
    assert_eq!(
        error(&Shape::new([Some(1 << 62)], vec![CC], vec![], vec![]), &tiny),
        format!("dimension 1: the space requires extents of at most {}, but one is {}", 1u64 << 61, 1u64 << 62)
    );
    let within = |bounds: SpaceBounds| ScheduleSpace::within(&shape, &tiny, &bounds).err().expect("an error");
    assert_eq!(
        within(SpaceBounds { products: vec![Some(0)], ..SpaceBounds::default() }),
        format!("dimension 1: the bound of a dimension is from 1 to {}, but it is 0", 1u64 << 62)
    );
    assert_eq!(
        within(SpaceBounds { column_work: 3, ..SpaceBounds::default() }),
        "dimension 1: the part counts of a dimension with the extent 10 and the bound 18 require more than 3 steps to be \
         counted"
    );
}
