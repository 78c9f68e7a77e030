//! Random legal programs.
use crate::fuzz::{
    initial,
    operators::{Combine, Rule},
    producer::Producer,
    program::{Buffer, Destination, Dimension, Operator, Output, Program, Scalar},
    scalar::Expression,
    views::{self, Views},
};
use mdh_dialects::hom::builtin::BUILTINS;
use mdh_passes::schedule::random::Random;

/// Maximum number of points of an iteration space.
const MAX_POINTS: u64 = 6_000;

/// Makes the seed of the initial values from that of the data.
const INITIAL_VALUES: u64 = 0x9e37_79b9_7f4a_7c15;

/// A random program.
pub fn program(random: &mut Random) -> Program {
    let mut dimensions = space(random);
    let combines = dimensions.iter().filter(|d| d.operator != Operator::Concatenation).count();
    let ordered = match dimensions.iter().all(|d| d.operator != Operator::PointWise) {
        true => combines,
        false => usize::MAX,
    };
    let points: u64 = dimensions.iter().map(|d| d.extent.max(1)).product();
    let (combine, types) = combine(random, combines, ordered, points);
    let dynamic = random.once_in(3);
    if dynamic {
        dimensions.iter_mut().for_each(|dimension| dimension.dynamic = random.once_in(2));
    }
    if !combine.has_identity() {
        // Otherwise, the result for an empty dimension would be undefined.
        dimensions.iter_mut().for_each(|dimension| dimension.extent = dimension.extent.max(1));
    }
    let builtin = matches!(combine, Combine::Builtin { .. });
    let mut program = Program {
        inputs: vec![],
        producers: vec![],
        same: vec![],
        outputs: vec![],
        inits: vec![],
        scalar: vec![],
        nan: builtin && random.once_in(8),
        data: random.next(),
        dimensions,
        combine,
    };
    inputs(random, &mut program);
    outputs(random, &mut program, &types);
    sizes(random, &mut program, dynamic);
    if random.once_in(6) {
        for input in 0..program.inputs.len() {
            if random.once_in(2) && Producer::is_possible(&program, input) {
                program.producers.push(Producer { input, scan: random.once_in(3) });
            }
        }
    }
    for other in 1..program.inputs.len() {
        let one = random.below(other);
        if program.can_be_same(one, other) && random.once_in(2) {
            program.same.push((one, other));
        }
    }
    let arguments = program.arguments();
    // Drawn apart, so that the seed of a program without initial values remains the same.
    program.inits = initial::draw(&mut Random::new(program.data ^ INITIAL_VALUES), &program);
    program.scalar = types.iter().map(|t| expression(random, &arguments, program.dimensions.len(), *t, 3)).collect();
    program
}

fn space(random: &mut Random) -> Vec<Dimension> {
    let rank = [1, 2, 2, 3, 3, 4, 5][random.below(7)];
    let mut extents: Vec<u64> = (0..rank)
        .map(|_| match random.below(12) {
            0 => 1,
            1 if rank < 3 => 20 + random.below(60) as u64,
            _ => 2 + random.below(11) as u64,
        })
        .collect();
    while extents.iter().product::<u64>() > MAX_POINTS {
        let largest = (0..rank).max_by_key(|&d| extents[d]).unwrap_or(0);
        extents[largest] = 1 + random.below(extents[largest] as usize - 1) as u64;
    }
    let zero = random.once_in(30);
    let only_concatenated = random.once_in(6);
    extents
        .into_iter()
        .map(|extent| {
            let operator = match random.below(10) {
                _ if only_concatenated => Operator::Concatenation,
                0..=3 => Operator::Concatenation,
                4..=7 => Operator::PointWise,
                _ => Operator::PrefixSum,
            };
            let extent = if zero && random.once_in(2) { 0 } else { extent };
            Dimension { extent, dynamic: false, operator }
        })
        .collect()
}

/// A combining function, and the types of its components.
fn combine(random: &mut Random, dimensions: usize, ordered: usize, points: u64) -> (Combine, Vec<Scalar>) {
    let count = [1, 1, 1, 2, 2, 3][random.below(6)];
    let any = |random: &mut Random| {
        // Types with a small range of exact integers cannot sum up many values.
        let usable: Vec<_> = Scalar::ALL.into_iter().filter(|t| t.exact() >= points as f64).collect();
        let usual = [Scalar::F32, Scalar::F64, Scalar::I32, Scalar::I64];
        if random.once_in(2) { usual[random.below(4)] } else { usable[random.below(usable.len())] }
    };
    let mut types: Vec<_> = (0..count).map(|_| any(random)).collect();
    if random.once_in(2) {
        types = vec![types[0]; count];
    }
    if dimensions > 0 && random.once_in(3) {
        return user(random, ordered, types);
    }
    let kinds: Vec<String> = types.iter().map(|t| kind(random, *t)).collect();
    let fits = |kind: &str| types.iter().all(|t| builtins(*t).any(|name| name == kind));
    match random.once_in(2) && fits(&kinds[0]) {
        true => (Combine::Builtin { kinds: vec![kinds[0].clone(); count], single: true }, types),
        false => (Combine::Builtin { kinds, single: false }, types),
    }
}

fn kind(random: &mut Random, t: Scalar) -> String {
    // Sums are the most frequent kind.
    let kinds: Vec<_> = ["add"].into_iter().chain(builtins(t)).collect();
    kinds[random.below(kinds.len())].to_owned()
}

/// The built-in functions for a type.
fn builtins(t: Scalar) -> impl Iterator<Item = &'static str> {
    BUILTINS.iter().filter(move |row| !t.is_float() || row.floats.is_some()).map(|row| row.name)
}

fn user(random: &mut Random, ordered: usize, mut types: Vec<Scalar>) -> (Combine, Vec<Scalar>) {
    const RULES: [Rule; 10] = [
        Rule::Sum,
        Rule::SumAndOne,
        Rule::ProductLike,
        Rule::Largest,
        Rule::Best,
        Rule::Complex,
        Rule::Left,
        Rule::Right,
        Rule::Compose,
        Rule::Matrix,
    ];
    if types.len() == 1 && random.once_in(2) {
        types.push(types[0]);
    }
    if types.len() == 2 && random.once_in(3) {
        types.extend(types.clone());
    }
    let mut rules = vec![];
    let mut rest = types.as_slice();
    let mut has_identity = true;
    while !rest.is_empty() {
        let rule = RULES[random.below(RULES.len())];
        let legal = rule.arity() <= rest.len() && ordered <= rule.most_dimensions();
        if !legal || !rule.accepts(&rest[..rule.arity()]) {
            continue;
        }
        has_identity &= rule.has_identity(&rest[..rule.arity()]);
        rest = &rest[rule.arity()..];
        rules.push(rule);
    }
    let identity = has_identity && random.once_in(2);
    (Combine::User { rules, identity, branch: random.once_in(2) }, types)
}

fn inputs(random: &mut Random, program: &mut Program) {
    let count = [0, 1, 1, 1, 2, 2, 2, 3, 4][random.below(9)];
    let mixed = random.below(4);
    let usual = Scalar::ALL[random.below(Scalar::ALL.len())];
    for _ in 0..count {
        if let Some(input) = program.inputs.last().filter(|_| random.once_in(8)) {
            // Another view of an input that is likely to be the same buffer.
            let mut again = input.clone();
            random.shuffle(&mut again.accesses);
            again.accesses.truncate(1 + random.below(2));
            program.inputs.push(again);
            continue;
        }
        let memref = match mixed {
            0 | 1 => false,
            2 => true,
            _ => random.once_in(2),
        };
        let element = if random.once_in(2) { usual } else { Scalar::ALL[random.below(Scalar::ALL.len())] };
        let (accesses, rank) = ([1, 1, 1, 2, 3][random.below(5)], [0, 1, 1, 2, 2, 2, 3, 3, 4][random.below(9)]);
        let mut views = Views { dimensions: &program.dimensions, random };
        program.inputs.push(views.input(element, memref, accesses, rank));
    }
}

fn outputs(random: &mut Random, program: &mut Program, types: &[Scalar]) {
    let destinations = random.once_in(2);
    // Destinations are all tensors or all memrefs.
    let memrefs = random.once_in(2);
    let mut first = 0;
    while first < types.len() {
        let equal = types[first..].iter().take_while(|t| **t == types[first]).count();
        let count = if random.once_in(2) { 1 } else { 1 + random.below(equal) };
        let memref = if destinations { memrefs } else { random.once_in(3) };
        let mut views = Views { dimensions: &program.dimensions, random };
        let buffer = views.output(types[first], memref, count);
        let destination = if destinations { Destination::Own } else { Destination::New };
        program.outputs.push(Output { buffer, destination });
        first += count;
    }
    if destinations && random.once_in(3) {
        in_place(random, program);
    }
}

/// Makes an output overwrite an input that the computation reads, as an in-place update.
fn in_place(random: &mut Random, program: &mut Program) {
    let output = random.below(program.outputs.len());
    let buffer = &program.outputs[output].buffer;
    let mut input = Buffer { accesses: vec![buffer.accesses[0].clone()], ..buffer.clone() };
    if random.once_in(2) && !input.accesses[0].is_empty() {
        // Reads a neighbor of the written element.
        let axis = random.below(input.accesses[0].len());
        let extents = program.extents();
        let (low, high) = input.accesses[0][axis].range(&extents);
        let room = input.sizes[axis].size as i64 - 1 - high;
        let row = &mut input.accesses[0][axis];
        row.constant += if room > 0 { room } else { -low.clamp(0, 1) };
    }
    program.outputs[output].destination = Destination::Input(program.inputs.len());
    program.inputs.push(input);
}

/// Decides which sizes are dynamic, and adapts the sizes that dynamic extents follow from.
fn sizes(random: &mut Random, program: &mut Program, dynamic: bool) {
    if dynamic {
        for input in &mut program.inputs {
            input.sizes.iter_mut().for_each(|size| size.dynamic = random.once_in(2));
        }
    }
    let extents = program.extents();
    loop {
        let wrong = (0..extents.len()).filter(|&d| program.dimensions[d].dynamic).find(|&d| {
            let Some((buffer, axis)) = program.defining(d) else { return false };
            program.inputs[buffer].sizes[axis].size != extents[d]
        });
        let Some(d) = wrong else { break };
        let Some((buffer, axis)) = program.defining(d) else { break };
        let shared = program.outputs.iter().any(|output| output.destination == Destination::Input(buffer));
        if !shared && views::needed(&program.inputs[buffer].accesses, &extents)[axis] <= extents[d] {
            program.inputs[buffer].sizes[axis].size = extents[d];
        } else {
            program.dimensions[d].dynamic = false;
        }
    }
    // A size may have been changed for one dimension, and no longer match another.
    for (d, &extent) in extents.iter().enumerate() {
        if let Some((buffer, axis)) = program.defining(d)
            && program.inputs[buffer].sizes[axis].size != extent
        {
            program.dimensions[d].dynamic = false;
        }
    }
    for i in 0..program.outputs.len() {
        let destination = program.outputs[i].destination;
        if let Destination::Input(input) = destination {
            program.outputs[i].buffer.sizes = program.inputs[input].sizes.clone();
            continue;
        }
        for axis in 0..program.outputs[i].buffer.sizes.len() {
            let accesses = &program.outputs[i].buffer.accesses;
            let depends = accesses
                .iter()
                .flat_map(|access| &access[axis].coefficients)
                .zip(0..)
                .any(|(c, n)| *c != 0 && program.dimensions[n % extents.len()].dynamic);
            let is_dynamic = depends || (dynamic && random.once_in(4));
            let least = views::needed(accesses, &extents)[axis];
            let size = &mut program.outputs[i].buffer.sizes[axis];
            size.dynamic = is_dynamic;
            if is_dynamic && destination == Destination::New {
                size.size = least;
            }
        }
    }
}

fn expression(random: &mut Random, arguments: &[Scalar], rank: usize, t: Scalar, depth: usize) -> Expression {
    let leaf = |random: &mut Random| match random.below(8) {
        0 => Expression::Constant(random.below(7) as i64 - 3),
        1 | 2 => Expression::Index(random.below(rank)),
        _ if arguments.is_empty() => Expression::Index(random.below(rank)),
        _ => Expression::Argument(random.below(arguments.len())),
    };
    if depth == 0 || random.once_in(6) {
        return leaf(random);
    }
    let next = |random: &mut Random, t: Scalar| expression(random, arguments, rank, t, depth - 1);
    let other = Scalar::ALL[random.below(Scalar::ALL.len())];
    match random.below(16) {
        0 => Expression::Absolute(Box::new(next(random, t))),
        1 => Expression::Fma(Box::new(next(random, t)), Box::new(next(random, t)), Box::new(next(random, t))),
        2 => Expression::Cast(other, Box::new(next(random, other))),
        3 | 4 => {
            let of = if random.once_in(2) { t } else { other };
            let predicate = ["lt", "le", "gt", "ge", "eq", "ne"][random.below(6)].to_owned();
            let operands = [next(random, of), next(random, of), next(random, t), next(random, t)];
            Expression::Choice { predicate, of, operands: Box::new(operands), branch: random.once_in(2) }
        }
        5 => {
            let (times, initial, step) = (random.below(4) as u8, next(random, t), next(random, t));
            let r#loop = if random.once_in(2) { Expression::Loop } else { Expression::While };
            r#loop(times, Box::new(initial), Box::new(step))
        }
        _ => {
            const NAMES: [&str; 17] = [
                "add", "add", "add", "sub", "sub", "mul", "mul", "mul", "min", "max", "xor", "div", "rem", "shl",
                "shrs", "shru", "call",
            ];
            let name = NAMES[random.below(NAMES.len())].to_owned();
            Expression::Binary(name, Box::new(next(random, t)), Box::new(next(random, t)))
        }
    }
}
