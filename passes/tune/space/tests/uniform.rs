//! Samples of small spaces.
use super::{CC, Random, ScheduleSpace, SpaceBounds, brute_force::system, rules, sum};
use mdh_dialects::schedule::{
    model::Schedule,
    roles::{CoreRole, MemoryRole},
    rules::Shape,
};
use std::collections::HashMap;

/// Returns the sum of squared deviations from equal frequencies of `count` values, relative to the expectation.
fn chi_square(frequencies: impl Iterator<Item = usize>, count: usize, draws: usize) -> f64 {
    let expected = draws as f64 / count as f64;
    let found: Vec<_> = frequencies.collect();
    let missing = (count - found.len()) as f64 * expected;
    missing + found.into_iter().map(|found| (found as f64 - expected).powi(2) / expected).sum::<f64>()
}

fn text(schedule: &Schedule) -> String {
    format!("{:?} {:?} {:?} {:?}", schedule.parts, schedule.decompose, schedule.scalar, schedule.recompose)
}

#[test]
fn samples_are_uniform() {
    let system = system(&[MemoryRole::Global], &[(CoreRole::Threads, 0, Some(2))]);
    let shape = Shape::new([Some(3)], vec![sum()], vec![], vec![0]);
    let products = vec![Some(2)];
    let counted = SpaceBounds { products: products.clone(), ..SpaceBounds::default() };
    // Without the work that rule S9 needs, schedules that violate it are rejected.
    let rejecting = SpaceBounds { products, limit_work: 1, ..SpaceBounds::default() };
    let count = ScheduleSpace::within(&shape, &system, &counted).expect("a space").count().cloned();
    let count = usize::try_from(count.expect("a count")).expect("a small count");
    for bounds in [counted, rejecting] {
        let space = ScheduleSpace::within(&shape, &system, &bounds).expect("a space");
        let (mut random, mut found) = (Random::new(1), HashMap::new());
        let draws = 40 * count;
        for _ in 0..draws {
            let schedule = space.sample(&mut random).expect("a schedule");
            assert_eq!(rules::check(&schedule, &shape), Ok(()));
            *found.entry(text(&schedule)).or_insert(0usize) += 1;
        }
        assert_eq!(found.len(), count);
        let (deviation, degrees) = (chi_square(found.into_values(), count, draws), (count - 1) as f64);
        // Four standard deviations.
        assert!((deviation - degrees).abs() < 4.0 * (2.0 * degrees).sqrt(), "{deviation} of {degrees}");
    }
}

#[test]
fn neighbors_are_legal_and_mutual() {
    use CoreRole::{Blocks, Threads};
    let device = system(
        &[MemoryRole::Global, MemoryRole::Shared, MemoryRole::Registers],
        &[(Blocks, 0, None), (Threads, 1, Some(8))],
    );
    let host = system(&[MemoryRole::Global, MemoryRole::Cache], &[(Threads, 0, None)]);
    let shapes = [
        Shape::new([Some(12)], vec![sum()], vec![2], vec![1]),
        Shape::new([Some(5), None], vec![CC, sum()], vec![1], vec![1]),
    ];
    let (mut random, mut pairs) = (Random::new(2), 0);
    for (system, shape) in [&device, &host].into_iter().flat_map(|system| shapes.iter().map(move |s| (system, s))) {
        let space = ScheduleSpace::new(shape, system).expect("a space");
        for _ in 0..3 {
            let schedule = space.sample(&mut random).expect("a schedule");
            let neighbors = space.neighbors(&schedule).expect("the schedule is in the space");
            let one = space.neighbor(&schedule, &mut random).expect("the schedule is in the space");
            assert!(one.is_some_and(|one| neighbors.contains(&one)));
            let kinds = |differs: fn(&Schedule, &Schedule) -> bool| neighbors.iter().any(|n| differs(n, &schedule));
            assert!(kinds(|a, b| a.parts != b.parts) && kinds(|a, b| a.scalar.order != b.scalar.order));
            for neighbor in neighbors.iter().step_by(11) {
                pairs += 1;
                assert_ne!(*neighbor, schedule);
                assert_eq!(space.check(neighbor), Ok(()));
                assert!(
                    space.neighbors(neighbor).is_ok_and(|back| back.contains(&schedule)),
                    "{neighbor:?} {schedule:?}"
                );
            }
        }
    }
    assert!(pairs > 100, "{pairs}");
}
