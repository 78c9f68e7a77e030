//! Spaces of known size, comparison with all points of small random spaces, and every error.
use super::{
    SpaceDefinition, WORK_LIMIT,
    formula::{Condition, Formula, Parameter, Relation, Requirement},
    number::Count,
    space::{ConstraintSpace, PointProblem},
    values::ParameterValues,
};
use num_bigint::BigUint;
use std::collections::HashSet;

/// Random 64-bit numbers (SplitMix64).
fn random(mut seed: u64) -> impl FnMut() -> u64 {
    move || {
        seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = seed;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

fn require(space: &mut SpaceDefinition, left: impl Into<Formula>, relation: Relation, right: impl Into<Formula>) {
    space.constraint("test", "it is tested", Condition::new(left, relation, right));
}

fn built(space: SpaceDefinition) -> ConstraintSpace {
    space.build(WORK_LIMIT).expect("a space that is not empty")
}

/// Three part counts whose product divides 1024.
fn splits() -> ConstraintSpace {
    let mut space = SpaceDefinition::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| space.parameter(name, ParameterValues::interval(1, 1024)));
    require(&mut space, a, Relation::Divides, 1024);
    require(&mut space, b, Relation::Divides, Formula::quotient(1024, a));
    require(&mut space, c, Relation::Divides, Formula::quotient(1024, Formula::product([a, b])));
    built(space)
}

/// The parameters of one dimension of the published OpenCL generator: sizes of local and private parts, work groups,
/// work items.
fn dimension(space: &mut SpaceDefinition, name: &str, extent: u64, is_reduced: bool) -> [Parameter; 4] {
    let mut parameter = |kind: &str| space.parameter(format!("{kind}{name}"), ParameterValues::interval(1, extent));
    let [l, p, g, w] = ["L", "P", "G", "W"].map(&mut parameter);
    require(space, l, Relation::Divides, extent);
    require(space, p, Relation::Divides, l);
    require(space, g, Relation::Divides, Formula::quotient(extent, l));
    if is_reduced {
        let single = Condition::new(g, Relation::Equal, 1);
        let several = Condition::new(l, Relation::Divides, g);
        space.constraint("reduction", "parts of work groups are combined", Requirement::Any(vec![single, several]));
    }
    require(space, w, Relation::Divides, Formula::quotient(l, p));
    require(space, w, Relation::AtMost, Formula::quotient_up(extent, g));
    [l, p, g, w]
}

/// The space of the published OpenCL generator: extents, and whether the dimension is a reduction.
fn opencl(extents: &[(u64, bool)]) -> ConstraintSpace {
    let mut space = SpaceDefinition::new();
    for name in ["CACHE_L", "CACHE_P"] {
        space.parameter(name, ParameterValues::interval(0, 1));
    }
    let global = space.parameter("G_RESULT", ParameterValues::list([2]));
    let [local, private] = ["L_RESULT", "P_RESULT"].map(|name| space.parameter(name, ParameterValues::interval(0, 2)));
    require(&mut space, global, Relation::AtLeast, local);
    require(&mut space, local, Relation::AtLeast, private);
    let last = extents.len() as u64 - 1;
    let of_device = |number: usize| format!("DEVICE_DIMENSION_{number}");
    let dimensions: Vec<_> = (0..extents.len())
        .map(|number| space.parameter(of_device(number), ParameterValues::interval(0, last)))
        .collect();
    space.constraint("dimensions", "each has its own", Requirement::PairwiseDifferent(dimensions));
    for (number, (extent, is_reduced)) in extents.iter().enumerate() {
        dimension(&mut space, &number.to_string(), *extent, *is_reduced);
    }
    built(space)
}

fn published() -> [(ConstraintSpace, u64); 5] {
    let contraction: Vec<_> = [24, 16, 16, 24, 16, 16, 24].into_iter().zip(0..).map(|(n, d)| (n, d == 6)).collect();
    [
        (splits(), 286),
        (opencl(&[(4092, false), (4092, false)]), 168_750_000),
        (opencl(&[(10, false), (500, false), (64, true)]), 251_370_000),
        (opencl(&[(1024, false), (1024, true)]), 23_111_088),
        (opencl(&contraction), 8_805_321_756_000_000_000),
    ]
}

#[test]
fn published_spaces_have_their_sizes() {
    for (space, count) in published() {
        assert_eq!(*space.count(), BigUint::from(count), "{:?}", space.names());
        let mut random = random(1);
        for _ in 0..100 {
            let point = space.sample(&mut random);
            assert_eq!(space.contains(&point), Ok(()));
            let index = space.index(&point).expect("the point is in the space");
            assert_eq!(space.point(&index), Some(point));
        }
        assert_eq!(space.point(&(space.count() - 1u32)).map(|point| point.len()), Some(space.names().len()));
        assert_eq!(space.point(space.count()), None);
    }
}

fn random_formula(known: &[Parameter], random: &mut dyn FnMut() -> u64, depth: usize) -> Formula {
    let pick = |random: &mut dyn FnMut() -> u64| known[random() as usize % known.len()];
    if depth == 0 || random().is_multiple_of(3) {
        return if random().is_multiple_of(4) { Formula::Constant(random() % 13) } else { pick(random).into() };
    }
    let (a, b) = (random_formula(known, random, depth - 1), random_formula(known, random, depth - 1));
    match random() % 6 {
        0 => Formula::sum([a, b]),
        1 => Formula::quotient(a, b),
        2 => Formula::quotient_up(a, b),
        3 => Formula::remainder(a, b),
        _ => Formula::product([a, b, pick(random).into()]),
    }
}

/// A random space of at most five parameters with few values.
fn random_space(random: &mut dyn FnMut() -> u64) -> SpaceDefinition {
    let mut space = SpaceDefinition::new();
    let number = 1 + random() % 5;
    let parameters: Vec<_> = (0..number)
        .map(|number| {
            let (first, most) = (random() % 3, random() % 7);
            let values = match random() % 4 {
                0 => ParameterValues::divisors(6 + most),
                1 => ParameterValues::powers(2, 1 + most),
                2 => ParameterValues::list([first, most, most + 2]),
                _ => ParameterValues::interval(first, first + most),
            };
            space.parameter(format!("p{number}"), values)
        })
        .collect();
    for constraint in 0..random() % 5 {
        let mut condition = || {
            use Relation::{AtLeast, AtMost, Different, Divides, Equal, MultipleOf};
            let relation = [Divides, MultipleOf, AtMost, AtMost, AtLeast, Equal, Different][random() as usize % 7];
            let left = random_formula(&parameters, random, 1);
            Condition::new(left, relation, random_formula(&parameters, random, 2))
        };
        let requirement = match constraint {
            0 => Requirement::Any(vec![condition(), condition()]),
            3 => Requirement::PairwiseDifferent(parameters.iter().copied().step_by(2).collect()),
            _ => condition().into(),
        };
        space.constraint(format!("c{constraint}"), "it is random", requirement);
    }
    space
}

/// All points of the product of the values that satisfy every constraint.
fn all_points(space: &SpaceDefinition) -> Vec<Vec<u64>> {
    let mut points = vec![vec![]];
    for values in &space.values {
        let longer = |point: Vec<u64>| {
            (0..20).filter(|value| values.contains(*value)).map(move |value| [point.clone(), vec![value]].concat())
        };
        points = points.into_iter().flat_map(longer).collect();
    }
    points.retain(|point| space.constraints.iter().all(|constraint| constraint.requirement.holds(point)));
    points
}

#[test]
fn random_spaces_have_the_points_of_an_enumeration() {
    let (mut random, mut empty, mut points) = (random(2), 0, 0);
    for _ in 0..600 {
        let definition = random_space(&mut random);
        let expected: HashSet<_> = all_points(&definition).into_iter().collect();
        match definition.clone().build(WORK_LIMIT) {
            Ok(space) => {
                assert_eq!(*space.count(), BigUint::from(expected.len()), "{definition:?}");
                let indices = (0..expected.len()).map(BigUint::from);
                let found: HashSet<_> = indices.filter_map(|index| space.point(&index)).collect();
                assert_eq!(found, expected, "{definition:?}");
                for index in 0..expected.len() as u128 {
                    let point = space.small_point(index).expect("a small space");
                    assert_eq!(space.index(&point), Ok(BigUint::from(index)));
                }
                points += expected.len();
            }
            Err(message) => {
                assert!(expected.is_empty(), "{message} {definition:?}");
                assert!(message.starts_with("the space is empty: c"), "{message}");
                empty += 1;
            }
        }
    }
    assert!(empty > 30 && points > 10_000, "{empty} empty spaces, {points} points");
}

#[test]
fn neighbors_are_those_of_the_definition() {
    let (mut random, mut pairs) = (random(3), 0);
    for _ in 0..150 {
        let definition = random_space(&mut random);
        let points: HashSet<_> = all_points(&definition).into_iter().collect();
        let Ok(space) = definition.clone().build(WORK_LIMIT) else { continue };
        let together = |a: usize, b: usize| {
            let read = definition.constraints.iter().map(|constraint| constraint.requirement.parameters());
            read.into_iter().any(|read| read.contains(&Parameter(a)) && read.contains(&Parameter(b)))
        };
        let is_neighbor = |point: &[u64], other: &[u64]| {
            let differ: Vec<_> = (0..point.len()).filter(|number| point[*number] != other[*number]).collect();
            let alone = |number: usize| {
                let mut changed = point.to_vec();
                changed[number] = other[number];
                points.contains(&changed)
            };
            match differ.as_slice() {
                [_] => true,
                &[a, b] => together(a, b) && !alone(a) && !alone(b),
                _ => false,
            }
        };
        for point in points.iter().take(20) {
            let found = space.neighbors(point);
            let unique: HashSet<_> = found.iter().cloned().collect();
            assert_eq!(unique.len(), found.len());
            let expected: HashSet<_> = points.iter().filter(|other| is_neighbor(point, other)).cloned().collect();
            assert_eq!(unique, expected, "{point:?} in {definition:?}");
            for neighbor in &found {
                pairs += 1;
                assert!(space.neighbors(neighbor).contains(point), "{point:?} {neighbor:?} in {definition:?}");
            }
        }
    }
    assert!(pairs > 1000, "{pairs}");
    assert_eq!(splits().neighbors(&[3, 1, 1]), Vec::<Vec<u64>>::new());
}

#[test]
fn changes_of_two_parameters_preserve_a_product() {
    let mut space = SpaceDefinition::new();
    let [a, b] = ["a", "b"].map(|name| space.parameter(name, ParameterValues::divisors(12)));
    require(&mut space, Formula::product([a, b]), Relation::Equal, 12);
    let mut found = built(space).neighbors(&[3, 4]);
    found.sort();
    assert_eq!(found, [[1, 12], [2, 6], [4, 3], [6, 2], [12, 1]]);
}

/// Returns the sum of squared deviations from equal frequencies, relative to the expectation.
fn chi_square(frequencies: &[u32]) -> f64 {
    let expected = f64::from(frequencies.iter().sum::<u32>()) / frequencies.len() as f64;
    frequencies.iter().map(|found| (f64::from(*found) - expected).powi(2) / expected).sum()
}

#[test]
fn samples_are_uniform() {
    let (space, mut random) = (splits(), random(4));
    let mut frequencies = [0; 286];
    for _ in 0..286 * 100 {
        let index = space.index(&space.sample(&mut random)).expect("a point of the space");
        frequencies[usize::try_from(index).expect("below 286")] += 1;
    }
    // With 285 degrees of freedom, 99.9 % of the values are between 214 and 364.
    let deviation = chi_square(&frequencies);
    assert!((214.0..364.0).contains(&deviation), "{deviation}");
}

#[test]
fn numbers_below_a_bound_are_uniform() {
    let mut random = random(5);
    for bound in [1u32, 3, 100] {
        for is_large in [false, true] {
            let mut frequencies = vec![0; bound as usize];
            for _ in 0..bound * 100 {
                let number = if is_large {
                    u32::try_from(BigUint::below(&BigUint::from(bound), &mut random)).expect("a small number")
                } else {
                    u128::below(&u128::from(bound), &mut random) as u32
                };
                frequencies[number as usize] += 1;
            }
            assert!(chi_square(&frequencies) < 150.0, "{bound} {is_large} {frequencies:?}");
        }
    }
    let large = BigUint::from(3u32) << 200u32;
    let halves = (0..1000).filter(|_| BigUint::below(&large, &mut random) > &large / 2u32).count();
    assert!((430..570).contains(&halves), "{halves}");
    let halves = (0..1000).filter(|_| u128::below(&(3 << 100), &mut random) > 3 << 99).count();
    assert!((430..570).contains(&halves), "{halves}");
}

#[test]
fn counts_have_any_size() {
    let mut space = SpaceDefinition::new();
    for number in 0..40 {
        let free = space.parameter(format!("p{number}"), ParameterValues::interval(1, 1 << 40));
        space.constraint("alone", "there is nothing else", Requirement::PairwiseDifferent(vec![free]));
    }
    let space = built(space);
    assert_eq!(*space.count(), BigUint::from(1u64 << 40).pow(40));
    let point = space.sample(&mut random(6));
    assert_eq!(space.point(&space.index(&point).expect("in the space")), Some(point));
    assert_eq!(space.small_point(0), None);
}

#[test]
fn intervals_can_have_all_values() {
    let mut space = SpaceDefinition::new();
    let all = space.parameter("all", ParameterValues::interval(0, u64::MAX));
    let one = space.parameter("one", ParameterValues::interval(1, 2));
    space.constraint("none", "it joins them", Requirement::PairwiseDifferent(vec![all]));
    require(&mut space, one, Relation::AtMost, 1);
    let space = built(space);
    assert_eq!(*space.count(), BigUint::from(1u32) << 64u32);
    assert_eq!(space.point(&BigUint::from(u64::MAX)), Some(vec![u64::MAX, 1]));
    assert_eq!(space.index(&[u64::MAX, 1]), Ok(BigUint::from(u64::MAX)));
    assert_eq!(space.neighbors(&[u64::MAX, 1]).len(), 8192);
}

#[test]
fn one_group_can_have_more_points_than_128_bits_count() {
    let mut space = SpaceDefinition::new();
    let parameters: Vec<_> =
        (0..50).map(|number| space.parameter(format!("p{number}"), ParameterValues::powers(2, 1 << 9))).collect();
    for pair in parameters.windows(2) {
        require(&mut space, pair[0], Relation::AtMost, Formula::product([pair[1].into(), Formula::from(1 << 8)]));
    }
    let space = built(space);
    // By the exponent of the last parameter: all ten exponents, but 9 never precedes 0.
    let mut counts = vec![BigUint::from(1u32); 10];
    for _ in 1..50 {
        let all: BigUint = counts.iter().sum();
        let after = |exponent: usize| if exponent == 0 { &all - &counts[9] } else { all.clone() };
        counts = (0..10).map(after).collect();
    }
    assert_eq!(*space.count(), counts.iter().sum());
    assert!(space.count().bits() > 160);
    let mut random = random(7);
    for _ in 0..100 {
        let point = space.sample(&mut random);
        assert_eq!(space.point(&space.index(&point).expect("in the space")), Some(point));
    }
}

#[test]
fn work_is_limited() {
    let mut space = SpaceDefinition::new();
    let [a, b] = ["a", "b"].map(|name| space.parameter(name, ParameterValues::interval(1, u64::MAX)));
    require(&mut space, Formula::sum([a, b]), Relation::Different, 7);
    let error = space.build(1000).err();
    assert_eq!(error.as_deref(), Some("the space of the parameters a, b requires more than 1000 steps to be counted"));
}

#[test]
fn every_problem_of_a_point_is_named() {
    let space = splits();
    let text = |point: &[u64]| space.index(point).expect_err("a problem").to_string();
    assert_eq!(text(&[1, 2]), "the space has 3 parameters, but the point has 2");
    assert_eq!(text(&[1, 2000, 1]), "the parameter b requires 1 to 1024, but it is 2000");
    assert_eq!(text(&[3, 1, 1]), "test requires a divides 1024 (it is tested), but a = 3");
    assert_eq!(text(&[4, 512, 1]), "test requires b divides 1024 / a (it is tested), but a = 4, b = 512");
    assert_eq!(text(&[4, 2, 256]), "test requires c divides 1024 / (a * b) (it is tested), but a = 4, b = 2, c = 256");
    let problem = space.contains(&[3, 1, 1]).expect_err("a problem");
    assert!(matches!(problem, PointProblem::Violation { constraint, .. } if constraint.reason == "it is tested"));
}

fn error(change: impl FnOnce(&mut SpaceDefinition, [Parameter; 2])) -> String {
    let mut space = SpaceDefinition::new();
    let parameters = ["x", "y"].map(|name| space.parameter(name, ParameterValues::interval(2, 5)));
    change(&mut space, parameters);
    space.build(WORK_LIMIT).err().expect("an error")
}

#[test]
fn every_error_of_a_definition_is_named() {
    assert_eq!(
        error(|space, _| {
            space.parameter("x", ParameterValues::interval(1, 2));
        }),
        "the name x of a parameter is used twice"
    );
    assert_eq!(
        error(|space, _| {
            space.parameter("z", ParameterValues::interval(2, 1));
        }),
        "the parameter z has no values: 2 to 1"
    );
    assert_eq!(
        error(|space, _| require(space, Parameter(7), Relation::Equal, 1)),
        "the constraint test reads a parameter that the space does not have"
    );
    assert_eq!(
        error(|space, _| require(space, 2, Relation::Equal, 1)),
        "the space is empty: test requires 2 = 1 (it is tested)"
    );
    assert_eq!(
        error(|space, [x, y]| {
            space.constraint("fits", "memory is limited", Condition::new(x, Relation::AtMost, 4));
            space.constraint(
                "covers",
                "each point has a part",
                Condition::new(Formula::product([x, y]), Relation::AtLeast, 21),
            );
            space.constraint("unused", "never reached", Condition::new(y, Relation::AtMost, 4));
        }),
        "the space is empty: covers requires x * y >= 21 (each point has a part), which excludes all values of y (2 to 5); \
         without it, the first point has x = 2, y = 2"
    );
    assert_eq!(
        error(|space, [x, y]| {
            let z = space.parameter("z", ParameterValues::list([4, 6, 9]));
            space.constraint("ordered", "parts shrink", Condition::new(x, Relation::MultipleOf, z));
            space.constraint("bounded", "a limit", Condition::new(y, Relation::AtMost, 1));
        }),
        "the space is empty: bounded requires y <= 1 (a limit), which excludes all values of y (2 to 5); \
         without it, the first point has y = 2"
    );
}

#[test]
fn requirements_are_printable() {
    let names: Vec<_> = ["N", "G", "W"].map(str::to_owned).to_vec();
    let [n, g, w] = [0, 1, 2].map(Parameter);
    let text = |requirement: Requirement| requirement.text(&names);
    let up = Formula::quotient_up(Formula::sum([n, w]), g);
    assert_eq!(text(Condition::new(w, Relation::AtMost, up).into()), "W <= ceil((N + W) / G)");
    let any = [Condition::new(g, Relation::Equal, 1), Condition::new(g, Relation::MultipleOf, w)];
    assert_eq!(text(Requirement::Any(any.to_vec())), "G = 1 or G is a multiple of W");
    let rest = Formula::remainder(n, Formula::product([g, w]));
    assert_eq!(text(Condition::new(rest, Relation::Different, 0).into()), "N % (G * W) != 0");
    assert_eq!(text(Requirement::PairwiseDifferent(vec![n, w])), "N, W are pairwise different");
}
