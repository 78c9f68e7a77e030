//! Counts of legal schedules by enumeration of all values of the parameters, with the rules of the dialect.
use super::{CC, ProducerRules, Random, ScheduleSpace, SpaceBounds, rules, scan, sum};
use mdh_dialects::schedule::{
    chain::Chain,
    model::{ComputeAt, Level, Placement, ScalarPhase, Schedule, Step, System, Tag},
    roles::{CoreRole, MemoryRole, Runner},
    rules::Shape,
};
use num_bigint::BigUint;

/// A system of these layers.
pub(super) fn system(memory: &[MemoryRole], cores: &[(CoreRole, usize, Option<u64>)]) -> System {
    let name = |prefix: &str, number: usize| format!("{prefix}{number}");
    System {
        name: "tiny".to_owned(),
        memory: (0..memory.len()).map(|number| name("M", number)).collect(),
        memory_roles: memory.to_vec(),
        cores: (0..cores.len()).map(|number| name("C", number)).collect(),
        core_roles: cores.iter().map(|core| core.0).collect(),
        combine: cores.iter().map(|core| core.1).collect(),
        limit: cores.iter().map(|core| core.2).collect(),
    }
}

fn levels(shape: &Shape, system: &System) -> Vec<Level> {
    let levels = |layer: usize| (0..shape.rank()).map(move |dimension| Level { layer, dimension });
    (0..system.layers()).flat_map(levels).collect()
}

/// A schedule with these part counts by dimension: all levels in order, tags likewise, and no placements.
fn plain(shape: &Shape, system: &System, columns: &[Vec<Option<u64>>]) -> Schedule {
    let names: Vec<_> = system.layer_names().map(str::to_owned).collect();
    let tag = |level: &Level| Tag { layer: names[level.layer].clone(), dimension: level.dimension };
    let home = |ranks: &[usize]| ranks.iter().map(|rank| Placement::new(system.outermost(), 0..*rank)).collect();
    let step = |level: &Level, ranks: &[usize]| Step { level: *level, tag: tag(level), placements: home(ranks) };
    let levels = levels(shape, system);
    Schedule {
        system: system.clone(),
        parts: (0..system.layers()).map(|layer| columns.iter().map(|column| column[layer]).collect()).collect(),
        decompose: levels.iter().map(|level| step(level, &shape.inputs)).collect(),
        scalar: ScalarPhase {
            order: levels.iter().map(|level| (*level, tag(level))).collect(),
            reads: home(&shape.inputs),
            writes: home(&shape.outputs),
        },
        recompose: levels.iter().map(|level| step(level, &shape.outputs)).collect(),
        at: None,
    }
}

/// The expression of a schedule without tags and placements, so that only its part counts and orders are checked.
fn bare(schedule: &Schedule, shape: &Shape) -> Chain {
    let mut chain = Chain::of(schedule, shape);
    let Chain { decompose, scalar, recompose, .. } = &mut chain;
    for step in decompose.iter_mut().chain(scalar).chain(recompose) {
        (step.tag, step.placements) = (None, None);
    }
    (chain.reads, chain.writes) = (None, None);
    chain
}

fn is_legal(chain: &Chain) -> bool {
    rules::violations(chain).is_empty()
}

/// All lists whose elements are from these.
pub(super) fn product<T: Clone>(elements: &[Vec<T>]) -> Vec<Vec<T>> {
    elements.iter().fold(vec![vec![]], |lists, elements| {
        let longer = |list: Vec<T>| elements.iter().map(move |element| [list.clone(), vec![element.clone()]].concat());
        lists.into_iter().flat_map(longer).collect()
    })
}

pub(super) fn permutations(length: usize) -> Vec<Vec<usize>> {
    let all = product(&vec![(0..length).collect(); length]);
    all.into_iter().filter(|list| (0..length).all(|number| list.contains(&number))).collect()
}

/// All part counts of all dimensions that satisfy the rules and the bound of columns with `?`.
pub(super) fn columns(shape: &Shape, system: &System, bounds: &[u64]) -> Vec<Vec<Vec<Option<u64>>>> {
    let of = |dimension: usize| -> Vec<Vec<Option<u64>>> {
        let (extent, bound) = (shape.extent(dimension), bounds[dimension]);
        let single = Shape::new([extent], vec![CC], vec![], vec![]);
        let most = extent.map_or(bound, |extent| 2 * extent + 1).max(bound);
        let counts: Vec<_> = (1..=most).map(Some).chain([None]).collect();
        let mut all = product(&vec![counts; system.layers()]);
        all.retain(|column| {
            let product: u64 = column.iter().flatten().product();
            let is_bounded = column.iter().all(Option::is_some) || product <= bound;
            is_bounded && is_legal(&bare(&plain(&single, system, std::slice::from_ref(column)), &single))
        });
        all
    };
    product(&(0..shape.rank()).map(of).collect::<Vec<_>>())
}

/// All placements of a buffer that could be thought of, legal or not.
fn raw_placements(rank: usize, system: &System) -> Vec<Placement> {
    let layouts: Vec<_> = (0..=2 * rank).flat_map(|length| product(&vec![(0..rank).collect(); length])).collect();
    let mut all = vec![];
    for region in system.memory.iter().cloned().chain(["none".to_owned()]) {
        for layout in &layouts {
            for pad in [0, 1, 2, Placement::MAX_PAD, Placement::MAX_PAD + 1] {
                for buffers in 0..4 {
                    all.push(Placement { region: region.clone(), layout: layout.clone(), pad, buffers });
                }
            }
        }
    }
    all
}

/// The number of elements of a list where a padding of 2 stands for all from 2 to the largest one but one.
fn number(placements: &[&Placement]) -> u64 {
    placements.iter().map(|one| if one.pad == 2 { Placement::MAX_PAD - 2 } else { 1 }).sum()
}

/// The number of legal placements of a buffer in a place; `set` puts it there.
fn placements(rank: usize, system: &System, chain: &Chain, set: impl Fn(&mut Chain, Placement)) -> u64 {
    let raw = raw_placements(rank, system);
    let legal = raw.iter().filter(|placement| {
        let mut chain = chain.clone();
        set(&mut chain, (*placement).clone());
        is_legal(&chain)
    });
    number(&legal.collect::<Vec<_>>())
}

/// The number of legal orders of the three phases.
fn orders(shape: &Shape, system: &System, base: &Chain) -> u64 {
    let permutations = permutations(levels(shape, system).len());
    let legal = |set: &dyn Fn(&mut Chain, &[usize])| {
        let is_legal = |order: &&Vec<usize>| {
            let mut chain = base.clone();
            set(&mut chain, order);
            is_legal(&chain)
        };
        permutations.iter().filter(is_legal).count() as u64
    };
    let pick = |steps: &[_], order: &[usize]| {
        order
            .iter()
            .map(|step: &usize| -> mdh_dialects::schedule::chain::ChainStep { Clone::clone(&steps[*step]) })
            .collect::<Vec<_>>()
    };
    legal(&|chain, order| chain.decompose = pick(&chain.decompose, order))
        * legal(&|chain, order| chain.scalar = pick(&chain.scalar, order))
        * legal(&|chain, order| chain.recompose = pick(&chain.recompose, order))
}

/// The number of legal tags of the three phases, and placements of outputs in the re-composition. `undistributed`: core
/// layers whose levels have one part.
fn tags(
    shape: &Shape,
    system: &System,
    base: &Chain,
    permutations: &[Vec<usize>],
    undistributed: &[String],
) -> BigUint {
    let names: Vec<_> = system.layer_names().map(str::to_owned).collect();
    let slots: Vec<_> = levels(shape, system)
        .iter()
        .map(|level| Some(Tag { layer: names[level.layer].clone(), dimension: level.dimension }))
        .collect();
    let mut counts = [0u64, 0];
    let mut combined = BigUint::from(0u32);
    let is_distributed = |order: &[usize]| {
        let mut steps = order.iter().zip(&base.decompose);
        steps.any(|(slot, step)| {
            step.parts != Some(1) && slots[*slot].as_ref().is_some_and(|tag| undistributed.contains(&tag.layer))
        })
    };
    for order in permutations.iter().filter(|order| !is_distributed(order)) {
        let mut chain = base.clone();
        order.iter().zip(&mut chain.decompose).for_each(|(slot, step)| step.tag = slots[*slot].clone());
        counts[0] += u64::from(is_legal(&chain));
        let mut chain = base.clone();
        order.iter().zip(&mut chain.scalar).for_each(|(slot, step)| step.tag = slots[*slot].clone());
        counts[1] += u64::from(is_legal(&chain));
        let mut chain = base.clone();
        order.iter().zip(&mut chain.recompose).for_each(|(slot, step)| step.tag = slots[*slot].clone());
        if !is_legal(&chain) {
            continue;
        }
        // The regions of a step are restricted by its own tag only.
        let regions = |step: usize| {
            let is_allowed = |region: &&String| {
                let home = |rank: &usize| Placement::new(region.as_str(), 0..*rank);
                let mut chain = chain.clone();
                chain.recompose[step].placements = Some(shape.outputs.iter().map(home).collect());
                is_legal(&chain)
            };
            let allowed = system.memory.iter().filter(is_allowed).count();
            BigUint::from(allowed).pow(shape.outputs.len() as u32)
        };
        combined += (0..order.len()).map(regions).product::<BigUint>();
    }
    combined * counts[0] * counts[1]
}

/// The number of legal schedules: given the part counts, no rule relates the phases, the orders or the buffers.
/// `undistributed`: core layers whose levels have one part.
fn count(shape: &Shape, system: &System, bounds: &[u64], undistributed: &[String]) -> BigUint {
    let columns = columns(shape, system, bounds);
    let Some(first) = columns.first() else { return BigUint::from(0u32) };
    let base = bare(&plain(shape, system, first), shape);
    let permutations = permutations(levels(shape, system).len());
    let steps = permutations[0].len() as u32 + 1;
    let of_columns = |columns: &Vec<Vec<Option<u64>>>| {
        tags(shape, system, &bare(&plain(shape, system, columns), shape), &permutations, undistributed)
    };
    let mut all = columns.iter().map(of_columns).sum::<BigUint>() * orders(shape, system, &base);
    for (buffer, rank) in shape.inputs.iter().enumerate() {
        let reads = |chain: &mut Chain, placement: Placement| {
            let home = |rank: &usize| Placement::new(system.outermost(), 0..*rank);
            let mut reads: Vec<_> = shape.inputs.iter().map(home).collect();
            reads[buffer] = placement;
            chain.reads = Some(reads);
        };
        all *= BigUint::from(placements(*rank, system, &base, reads)).pow(steps);
    }
    for (buffer, rank) in shape.outputs.iter().enumerate() {
        let writes = |chain: &mut Chain, placement: Placement| {
            let home = |rank: &usize| Placement::new(system.outermost(), 0..*rank);
            let mut writes: Vec<_> = shape.outputs.iter().map(home).collect();
            writes[buffer] = placement;
            chain.writes = Some(writes);
        };
        let legal = placements(*rank, system, &base, writes);
        // Layouts of the steps of the re-composition: regions are counted with the tags.
        all *= BigUint::from(legal) * BigUint::from(legal / system.memory.len() as u64).pow(steps - 1);
    }
    all
}

/// Small computations: one and two dimensions, every operator, dynamic extents, extents of 0 and 1, 0 to 2 buffers.
fn shapes() -> Vec<Shape> {
    let shape = |extents: &[Option<u64>], operators: &[_], inputs: &[usize], outputs: &[usize]| {
        Shape::new(extents.iter().copied(), operators.to_vec(), inputs.to_vec(), outputs.to_vec())
    };
    vec![
        shape(&[], &[], &[0], &[0]),
        shape(&[Some(0)], &[CC], &[1], &[1]),
        shape(&[Some(1)], &[sum()], &[1], &[0]),
        shape(&[Some(2)], &[CC], &[2, 1], &[1]),
        shape(&[Some(3)], &[scan()], &[1], &[1]),
        shape(&[Some(4)], &[sum()], &[1, 0], &[0, 1]),
        shape(&[Some(5)], &[sum()], &[], &[0]),
        shape(&[None], &[sum()], &[1], &[0]),
        shape(&[None], &[CC], &[], &[2]),
        shape(&[Some(2), Some(3)], &[CC, sum()], &[2], &[1]),
        shape(&[Some(2), None], &[scan(), sum()], &[], &[1, 1]),
        shape(&[Some(3), Some(1)], &[sum(), scan()], &[1], &[]),
    ]
}

fn systems() -> Vec<System> {
    use CoreRole::{Blocks, Lanes, Threads};
    use MemoryRole::{Cache, Global, Registers, Shared};
    vec![
        system(&[Global], &[]),
        system(&[Global, Cache], &[]),
        system(&[Global], &[(Threads, 0, None)]),
        system(&[Global], &[(Threads, 0, Some(2))]),
        system(&[Global, Registers], &[(Lanes, 1, None)]),
        system(&[Global, Cache], &[(Threads, 0, None)]),
        system(&[Global, Cache], &[(Threads, 0, Some(3))]),
        system(&[Global], &[(Threads, 0, Some(4)), (Lanes, 0, Some(2))]),
        system(&[Global, Shared, Registers], &[(Blocks, 0, None), (Threads, 1, Some(2))]),
    ]
}

/// A small computation on a small system, with bounds of the products of counts beside `?`.
struct SmallCase {
    shape: Shape,
    system: System,
    products: Vec<u64>,
}

impl SmallCase {
    fn bounds(&self) -> SpaceBounds {
        SpaceBounds { products: self.products.iter().copied().map(Some).collect(), ..SpaceBounds::default() }
    }
}

/// All small computations on all small systems that are quickly enumerated.
fn cases() -> Vec<SmallCase> {
    let mut cases = vec![];
    for (system, shape) in systems().iter().flat_map(|system| shapes().into_iter().map(move |shape| (system, shape))) {
        let products: Vec<_> = shape.extents().map(|extent| extent.map_or(3, |extent| extent + 1)).collect();
        let levels = system.layers() * shape.rank();
        // The enumeration has all numbers in a column, and the permutations of all levels for all part counts.
        let numbers = products.iter().map(|product| (2 * product).pow(system.layers() as u32)).max();
        if levels <= 5
            && numbers <= Some(20_000)
            && columns(&shape, system, &products).len() * permutations(levels).len() <= 3000
        {
            cases.push(SmallCase { shape, system: system.clone(), products });
        }
    }
    cases
}

#[test]
fn counts_are_those_of_an_enumeration() {
    let (cases, mut limited) = (cases(), 0);
    for (seed, case) in cases.iter().enumerate() {
        let SmallCase { shape, system, products } = case;
        let space = ScheduleSpace::within(shape, system, &case.bounds()).expect("a space");
        let expected = count(shape, system, products, &[]);
        assert_eq!(space.count(), Ok(&expected), "{shape:?} on {system:?}");
        let mut random = Random::new(seed as u64);
        for _ in 0..20 {
            let schedule = space.sample(&mut random).expect("a schedule");
            assert_eq!(rules::check(&schedule, shape), Ok(()));
            let index = space.index(&schedule).expect("the schedule is in the space");
            assert_eq!(space.schedule(&index), Ok(schedule));
        }
        limited += usize::from(system.limit.iter().any(Option::is_some));
    }
    assert!(cases.len() >= 60 && limited > 20, "{} spaces, {limited} with limits", cases.len());
}

/// Three positions in two consumers.
fn positions() -> Vec<ComputeAt> {
    let at = |consumer: usize, layer: usize| ComputeAt { consumer, level: Level { layer, dimension: 0 } };
    vec![at(1, 0), at(1, 2), at(2, 0)]
}

#[test]
fn counts_of_producers_are_those_of_an_enumeration() {
    let (mut compared, mut distributed) = (0, 0);
    for case in cases() {
        let SmallCase { shape, system, products } = &case;
        // The extents of dimensions that results keep are those of a part.
        let kept: Vec<_> = shape.operators.iter().map(|operator| operator.keeps()).collect();
        let extents = shape.extents().zip(&kept).map(|(extent, is_kept)| extent.filter(|_| !is_kept));
        let open = Shape::new(extents, shape.operators.clone(), shape.inputs.clone(), shape.outputs.clone());
        for is_for_kernels in [false, true] {
            let rules = ProducerRules { positions: positions(), is_for_kernels, in_place: vec![] };
            let space = ScheduleSpace::of_producer(shape, system, rules, &case.bounds()).expect("a space");
            let cores = system.cores.iter().enumerate();
            let one = cores.filter(|(core, _)| is_for_kernels || system.on_host(*core) != Runner::Lanes);
            let one: Vec<_> = one.map(|(_, name)| name.clone()).collect();
            let expected = count(&open, system, products, &one) * positions().len();
            assert_eq!(space.count(), Ok(&expected), "{shape:?} on {system:?}");
            let mut random = Random::new(compared);
            for _ in 0..10 {
                let schedule = space.sample(&mut random).expect("a schedule");
                assert!(schedule.at.is_some_and(|at| positions().contains(&at)));
                let index = space.index(&schedule).expect("the schedule is in the space");
                assert_eq!(space.schedule(&index), Ok(schedule.clone()));
                let moved = space.neighbor(&schedule, &mut random).expect("the schedule is in the space");
                assert!(moved.is_none_or(|moved| space.check(&moved).is_ok()));
            }
            compared += 1;
            distributed += usize::from(!one.is_empty());
        }
    }
    assert!(compared >= 100 && distributed > 40, "{compared} spaces, {distributed} with threads");
}

/// Counts the legal schedules of the full product of part counts, orders, tags and regions of outputs.
fn legal_schedules(shape: &Shape, system: &System, bounds: &[u64]) -> u64 {
    let levels = levels(shape, system);
    let permutations = permutations(levels.len());
    let names: Vec<_> = system.layer_names().map(str::to_owned).collect();
    let tag = |slot: usize| Tag { layer: names[levels[slot].layer].clone(), dimension: levels[slot].dimension };
    let home = |ranks: &[usize], region: &str| ranks.iter().map(|rank| Placement::new(region, 0..*rank)).collect();
    let phases: Vec<_> = permutations
        .iter()
        .flat_map(|order| permutations.iter().map(move |tags| (order.clone(), tags.clone())))
        .collect();
    let regions = product(&vec![system.memory.clone(); levels.len() + 1]);
    let mut found = 0;
    for columns in columns(shape, system, bounds) {
        let base = plain(shape, system, &columns);
        for choice in product(&vec![phases.clone(); 3]) {
            for regions in &regions {
                let mut schedule = base.clone();
                let step = |level: usize, slot: usize, ranks: &[usize], region: &str| Step {
                    level: levels[level],
                    tag: tag(slot),
                    placements: home(ranks, region),
                };
                let pairs = |phase: usize| choice[phase].0.iter().copied().zip(choice[phase].1.iter().copied());
                schedule.decompose =
                    pairs(0).map(|(level, slot)| step(level, slot, &shape.inputs, system.outermost())).collect();
                schedule.scalar.order = pairs(1).map(|(level, slot)| (levels[level], tag(slot))).collect();
                schedule.recompose = pairs(2)
                    .zip(regions)
                    .map(|((level, slot), region)| step(level, slot, &shape.outputs, region))
                    .collect();
                schedule.scalar.writes = home(&shape.outputs, &regions[levels.len()]);
                found += u64::from(rules::check(&schedule, shape).is_ok());
            }
        }
    }
    found
}

#[test]
fn counts_of_the_smallest_spaces_are_those_of_all_schedules() {
    use MemoryRole::{Cache, Global};
    let systems = [
        system(&[Global], &[]),
        system(&[Global, Cache], &[]),
        system(&[Global], &[(CoreRole::Threads, 0, None)]),
        system(&[Global], &[(CoreRole::Threads, 0, Some(2))]),
    ];
    for system in systems {
        for operator in [CC, sum(), scan()] {
            for extent in [None, Some(1), Some(3)] {
                let shape = Shape::new([extent], vec![operator.clone()], vec![], vec![1]);
                let bounds = SpaceBounds { products: vec![Some(2)], ..SpaceBounds::default() };
                let space = ScheduleSpace::within(&shape, &system, &bounds).expect("a space");
                let expected = BigUint::from(legal_schedules(&shape, &system, &[2]));
                assert_eq!(space.count(), Ok(&expected), "{shape:?} on {system:?}");
                for index in (0u32..).map(BigUint::from).take_while(|index| *index < expected) {
                    let schedule = space.schedule(&index).expect("a schedule");
                    assert_eq!(space.index(&schedule), Ok(index));
                }
            }
        }
    }
}
