//! Random nests: conditions against enumeration.
use super::{
    range::{LoopRange, NestRanges},
    shape::{LinearAccess, ShapeVersion, index_of, necessary, shape},
};
use crate::{
    analysis::index::{Expression, Variable},
    schedule::random::Random,
};

/// The number of random nests; the environment variable `MDH_NESTS` is another one, such as 100000.
const NESTS: usize = 600;
/// The number of random parameters of a nest.
const PARAMETERS: usize = 24;
/// The number of symbols.
const SYMBOLS: usize = 8;

fn s(number: usize) -> Expression {
    Expression::symbol(number)
}

fn c(value: usize) -> Expression {
    Expression::constant(value as i128)
}

/// A function that gets the values of the variables at a point.
type Visit<'f> = &'f mut dyn FnMut(&dyn Fn(Variable) -> i128);

/// A nest that was made from an array with more dimensions.
struct RandomNest {
    ranges: NestRanges,
    sizes: Vec<Expression>,
    /// By access.
    subscripts: Vec<Vec<Expression>>,
    is_rectangular: bool,
}

impl RandomNest {
    fn new(random: &mut Random) -> Self {
        let rank = 2 + random.below(2);
        // Symbols 0 to 2 are sizes, 3 to 5 numbers of iterations, 6 and 7 offsets.
        let sizes: Vec<_> = (1..rank)
            .map(|position| match random.below(10) {
                0 | 1 => s(position) + c(1),
                2 => s(position) * c(2),
                _ => s(position),
            })
            .collect();
        let mut is_rectangular = true;
        let loops = (0..rank).map(|d| {
            let upper = match random.below(6) {
                0 | 1 => s(3 + d),
                2 if d > 0 => {
                    is_rectangular = false;
                    Expression::dimension(d - 1) + c(1)
                }
                3 => c(1 + random.below(3)),
                _ if d > 0 => sizes[d - 1].clone(),
                _ => s(3),
            };
            LoopRange { lower: Expression::constant(0), last: upper.clone() - c(1), upper, has_last: true, step: 1 }
        });
        let loops: Vec<_> = loops.collect();
        let subscript = |d: usize, random: &mut Random| {
            let dimension = Expression::dimension(d);
            match random.below(8) {
                0 => dimension + c(1),
                1 => dimension + s(6 + random.below(2)),
                2 if d > 0 => sizes[d - 1].clone() - c(1) - dimension,
                3 => dimension * c(2),
                _ => dimension,
            }
        };
        let count = 1 + random.below(3);
        let subscripts =
            (0..count).map(|_| (0..rank).map(|d| subscript(d, random)).collect::<Vec<_>>()).collect::<Vec<_>>();
        Self { ranges: NestRanges { loops, facts: vec![] }, sizes, subscripts, is_rectangular }
    }

    fn accesses(&self) -> Vec<LinearAccess> {
        let all: Vec<_> = (0..self.ranges.loops.len()).collect();
        let access = |subscripts: &Vec<Expression>| LinearAccess {
            index: index_of(subscripts, &self.sizes).expect("coefficients are small"),
            loops: all.clone(),
        };
        self.subscripts.iter().map(access).collect()
    }

    /// Visits the points of the loops for these parameters.
    fn points(&self, parameters: &[i128], visit: Visit<'_>) {
        fn enter(nest: &RandomNest, parameters: &[i128], point: &mut Vec<i128>, visit: Visit<'_>) {
            let values = |point: &[i128], variable| match variable {
                Variable::Dimension(d) => point[d],
                Variable::Symbol(number) => parameters[number],
            };
            match nest.ranges.loops.get(point.len()) {
                Some(range) => {
                    let bounds = [&range.lower, &range.upper].map(|bound| bound.evaluate(&|v| values(point, v)));
                    for value in bounds[0]..bounds[1] {
                        point.push(value);
                        enter(nest, parameters, point, visit);
                        point.pop();
                    }
                }
                None => visit(&|variable| values(point, variable)),
            }
        }
        enter(self, parameters, &mut vec![], visit);
    }

    /// True if inner subscripts are within these sizes at all points.
    fn is_within(&self, subscripts: &[Vec<Expression>], sizes: &[Expression], parameters: &[i128]) -> bool {
        let mut is_within = true;
        self.points(parameters, &mut |values| {
            for subscripts in subscripts {
                for (subscript, size) in subscripts[1..].iter().zip(sizes) {
                    is_within &= (0..size.evaluate(values)).contains(&subscript.evaluate(values));
                }
            }
        });
        is_within
    }
}

#[test]
fn conditions_are_those_of_enumeration() {
    let mut random = Random::new(5);
    let (mut right, mut possible) = (0usize, 0usize);
    let nests = std::env::var("MDH_NESTS").ok().and_then(|nests| nests.parse().ok()).unwrap_or(NESTS);
    for number in 0..nests {
        let nest = RandomNest::new(&mut random);
        let Ok(found) = shape(&nest.accesses(), &[], &nest.ranges) else {
            for _ in 0..PARAMETERS {
                let parameters: Vec<_> = (0..SYMBOLS).map(|_| 1 + random.below(6) as i128).collect();
                possible += usize::from(nest.is_within(&nest.subscripts, &nest.sizes, &parameters));
            }
            continue;
        };
        let conditions: Vec<_> = found.versions.iter().map(|v| necessary(&v.requirements, &nest.ranges)).collect();
        for _ in 0..PARAMETERS {
            let parameters: Vec<_> = (0..SYMBOLS).map(|_| 1 + random.below(6) as i128).collect();
            let values = |variable| match variable {
                Variable::Symbol(number) => parameters[number],
                Variable::Dimension(_) => 0,
            };
            let holds = |condition: &Vec<Expression>| condition.iter().all(|e| e.evaluate(&values) >= 0);
            let is_within = |version: &ShapeVersion| nest.is_within(&version.subscripts, &found.sizes, &parameters);
            for (version, condition) in found.versions.iter().zip(&conditions) {
                let (holds, is_within) = (holds(condition), is_within(version));
                assert!(!holds || is_within, "nest {number}: {parameters:?} {found:?}");
                assert!(!nest.is_rectangular || holds == is_within, "nest {number}: {parameters:?} {found:?}");
            }
            if nest.is_within(&nest.subscripts, &nest.sizes, &parameters) {
                possible += 1;
                right += usize::from(conditions.iter().any(holds));
            }
        }
    }
    assert!(possible > nests && right * 100 >= possible * 92, "{right} of {possible}");
}
