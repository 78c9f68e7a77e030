//! Each strategy on a grid whose times are known.
use super::*;
use std::{
    collections::HashSet,
    sync::atomic::{AtomicUsize, Ordering},
};

/// A grid of points with a time by position. Neighbors differ by one in one coordinate.
struct Grid {
    width: usize,
    height: usize,
    seconds: fn(usize, usize) -> f64,
    starts: Vec<(usize, usize)>,
    has_model: bool,
    has_neighbors: bool,
}

impl Grid {
    fn new(width: usize, height: usize) -> Self {
        Self { width, height, seconds: bowl, starts: vec![], has_model: false, has_neighbors: true }
    }

    fn outcome(&self, point: &(usize, usize)) -> Outcome {
        Ok((self.seconds)(point.0, point.1))
    }
}

impl Landscape for Grid {
    type Point = (usize, usize);

    fn starts(&self) -> Vec<(usize, usize)> {
        self.starts.clone()
    }

    fn random(&self, random: &mut Random) -> Option<(usize, usize)> {
        (self.width * self.height > 0).then(|| (random.below(self.width), random.below(self.height)))
    }

    fn neighbors(&self, &(x, y): &(usize, usize)) -> Vec<(usize, usize)> {
        let all = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
        all.into_iter().filter(|(x, y)| self.has_neighbors && *x < self.width && *y < self.height).collect()
    }

    fn predicted(&self, point: &(usize, usize)) -> Option<f64> {
        // A model that errs by a factor that depends on the point.
        self.has_model.then(|| bowl(point.0, point.1) * (1.0 + 0.1 * ((point.0 * 7 + point.1 * 3) % 5) as f64))
    }

    fn features(&self, point: &(usize, usize)) -> Vec<f64> {
        vec![point.0 as f64, point.1 as f64]
    }
}

/// A bowl with the least time, 1 s, at (21, 9).
fn bowl(x: usize, y: usize) -> f64 {
    1.0 + 0.02 * (x as f64 - 21.0).powi(2) + 0.05 * (y as f64 - 9.0).powi(2)
}

fn make<'a>(name: &str, grid: &'a Grid, seed: u64) -> Box<dyn SearchStrategy<(usize, usize)> + 'a> {
    strategy(name, grid, seed).unwrap_or_else(|| panic!("no strategy {name}"))
}

/// Calls a check with each strategy and with a number of seeds.
fn for_all(seeds: u64, check: impl Fn(&str, u64)) {
    for kind in STRATEGIES {
        for seed in 0..seeds {
            check(kind.name, seed);
        }
    }
}

/// Runs a strategy to its end or a number of points, and returns the points.
fn run(grid: &Grid, name: &str, seed: u64, count: usize) -> Vec<(usize, usize)> {
    let mut strategy = make(name, grid, seed);
    let propose = |_| {
        let point = strategy.propose()?;
        strategy.observe(&point, grid.outcome(&point));
        Some(point)
    };
    (0..count).map_while(propose).collect()
}

/// Runs a strategy to the best point of a bowl or a number of points, and returns the points.
fn run_until(grid: &Grid, name: &str, seed: u64, count: usize) -> Vec<(usize, usize)> {
    let mut strategy = make(name, grid, seed);
    let mut points = vec![];
    while points.len() < count && points.last() != Some(&(21, 9)) {
        let point = strategy.propose().unwrap();
        strategy.observe(&point, grid.outcome(&point));
        points.push(point);
    }
    points
}

#[test]
fn the_list_is_that_of_the_names() {
    let grid = Grid::new(3, 3);
    assert!(STRATEGIES.iter().all(|kind| strategy(kind.name, &grid, 0).is_some()));
    assert!(STRATEGIES.iter().any(|kind| kind.name == DEFAULT_STRATEGY));
    assert!(strategy("best", &grid, 0).is_none());
}

#[test]
fn the_optimum_is_found() {
    // Random search needs 512 points in the mean.
    let grid = Grid::new(64, 16);
    for_all(20, |name, seed| {
        let bound = match name {
            "random" => 1024,
            "annealing" => 320,
            _ => 160,
        };
        let found = run_until(&grid, name, seed, bound).last() == Some(&(21, 9));
        assert!(found, "{name}, seed {seed}: not within {bound} points");
    });
}

#[test]
fn a_model_saves_measurements() {
    let grid = Grid { has_model: true, starts: vec![(30, 12), (5, 5)], ..Grid::new(64, 16) };
    for (name, bound) in [("model", 60), ("learned", 60), ("bandit", 100)] {
        for seed in 0..20 {
            let found = run_until(&grid, name, seed, bound).last() == Some(&(21, 9));
            assert!(found, "{name}, seed {seed}: not within {bound} points");
        }
    }
}

#[test]
fn starts_come_first() {
    let grid = Grid { starts: vec![(30, 12), (5, 5)], ..Grid::new(64, 16) };
    for kind in STRATEGIES.iter().filter(|kind| kind.name != "random") {
        assert_eq!(make(kind.name, &grid, 1).propose(), Some((30, 12)), "{}", kind.name);
    }
}

#[test]
fn a_finite_space_is_exhausted_without_repetition() {
    for has_neighbors in [true, false] {
        let grid = Grid { has_neighbors, ..Grid::new(9, 5) };
        for_all(4, |name, seed| {
            let points = run(&grid, name, seed, 100);
            let different: HashSet<_> = points.iter().collect();
            assert_eq!((points.len(), different.len()), (45, 45), "{name}, seed {seed}");
        });
    }
}

#[test]
fn proposals_may_be_outstanding() {
    let grid = Grid::new(9, 5);
    for_all(4, |name, seed| {
        let mut strategy = make(name, &grid, seed);
        let mut outstanding = std::collections::VecDeque::new();
        let mut points = HashSet::new();
        while let Some(point) = strategy.propose() {
            assert!(points.insert(point), "{name}, seed {seed}: {point:?} twice");
            outstanding.push_back(point);
            if outstanding.len() > 7 {
                let first = outstanding.pop_back().unwrap();
                strategy.observe(&first, grid.outcome(&first));
            }
        }
        assert_eq!(points.len(), 45, "{name}, seed {seed}");
    });
}

#[test]
fn failures_are_survived() {
    let grid = Grid::new(9, 5);
    let no_time = [Ok(f64::NAN), Ok(0.0), Ok(-1.0), Ok(f64::INFINITY), Err(Failure::Invalid), Err(Failure::Slow(2.0))];
    for_all(4, |name, seed| {
        let mut strategy = make(name, &grid, seed);
        let mut count = 0;
        while let Some(point) = strategy.propose() {
            strategy.observe(&point, no_time[count % no_time.len()]);
            count += 1;
        }
        assert_eq!(count, 45, "{name}, seed {seed}");
    });
}

#[test]
fn failing_regions_are_avoided() {
    let grid = Grid::new(64, 16);
    let fails = |point: &(usize, usize)| point.0 < 16 || point.1 > 12;
    let (mut failed, mut count) = (0, 0);
    for seed in 0..20 {
        let mut strategy = make("learned", &grid, seed);
        for _ in 0..60 {
            let point = strategy.propose().unwrap();
            (failed, count) = (failed + usize::from(fails(&point)), count + 1);
            strategy.observe(&point, if fails(&point) { Err(Failure::Invalid) } else { grid.outcome(&point) });
        }
    }
    // 39 % of all points fail.
    assert!(failed * 5 < count, "{failed} of {count} points failed");
}

/// Numbers that all are neighbors of each other. Counts how often one is described.
struct Complete {
    count: usize,
    described: AtomicUsize,
}

impl Landscape for Complete {
    type Point = usize;

    fn starts(&self) -> Vec<usize> {
        vec![]
    }

    fn random(&self, random: &mut Random) -> Option<usize> {
        Some(random.below(self.count))
    }

    fn neighbors(&self, point: &usize) -> Vec<usize> {
        (0..self.count).filter(|other| other != point).collect()
    }

    fn predicted(&self, _: &usize) -> Option<f64> {
        None
    }

    fn features(&self, point: &usize) -> Vec<f64> {
        self.described.fetch_add(1, Ordering::Relaxed);
        vec![*point as f64]
    }
}

#[test]
fn few_of_many_neighbors_are_described() {
    let space = Complete { count: 20_000, described: AtomicUsize::new(0) };
    let mut strategy = strategy("learned", &space, 1).unwrap();
    let mut best = usize::MAX;
    for _ in 0..200 {
        let point = strategy.propose().unwrap();
        best = best.min(point.abs_diff(7_000));
        strategy.observe(&point, Ok(1.0 + point.abs_diff(7_000) as f64));
    }
    let described = space.described.load(Ordering::Relaxed);
    assert!(described < 6_000, "{described} descriptions");
    // The median of the best of 200 random points is 35.
    assert!(best < 20, "{best} from the optimum");
}

#[test]
fn small_spaces_end() {
    let one = Grid { starts: vec![(0, 0)], ..Grid::new(1, 1) };
    for grid in [one, Grid::new(1, 1)] {
        for_all(4, |name, seed| assert_eq!(run(&grid, name, seed, 9), [(0, 0)], "{name}"));
    }
    for_all(4, |name, seed| assert!(run(&Grid::new(0, 0), name, seed, 9).is_empty(), "{name}"));
}

#[test]
fn earlier_observations_count() {
    let grid = Grid::new(64, 16);
    for kind in STRATEGIES.iter().filter(|kind| kind.name != "random") {
        let mut near = 0;
        for seed in 0..20 {
            let mut strategy = make(kind.name, &grid, seed);
            for point in [(20, 9), (3, 3), (50, 1), (60, 15), (10, 10), (40, 2), (30, 8), (5, 14)] {
                strategy.observe(&point, grid.outcome(&point));
            }
            let mut found = false;
            for _ in 0..24 {
                let point = strategy.propose().unwrap();
                assert_ne!(point, (20, 9));
                found |= point == (21, 9);
                strategy.observe(&point, grid.outcome(&point));
            }
            near += usize::from(found);
        }
        assert!(near >= 15, "{}: {near} of 20", kind.name);
    }
}

#[test]
fn a_later_observation_replaces_the_earlier_one() {
    let mut record = Record::default();
    record.propose(1);
    assert_eq!((record.known(), record.measured(), record.outcome(&1)), (1, 0, None));
    record.observe(&1, Ok(2.0));
    record.observe(&2, Ok(3.0));
    record.observe(&1, Ok(4.0));
    assert_eq!(record.best().collect::<Vec<_>>(), [(&2, 3.0), (&1, 4.0)]);
    record.observe(&2, Err(Failure::Invalid));
    assert_eq!(record.best().collect::<Vec<_>>(), [(&1, 4.0)]);
    assert_eq!((record.known(), record.measured()), (2, 1));
}

#[test]
fn equal_seeds_give_equal_proposals() {
    let grid = Grid::new(64, 16);
    for kind in STRATEGIES {
        let points = run(&grid, kind.name, 5, 60);
        assert_eq!(points, run(&grid, kind.name, 5, 60), "{}", kind.name);
        if !["model"].contains(&kind.name) {
            assert_ne!(points, run(&grid, kind.name, 6, 60), "{}", kind.name);
        }
    }
}
