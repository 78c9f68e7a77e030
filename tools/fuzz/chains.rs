//! Random chains of computations, with producers that are computed in parts at random levels of their consumers, against
//! the reference evaluator, which evaluates one computation after the other.
//!
//! Elements are integers, whose arithmetic wraps, or floats of which only extrema are taken, so that results are exact in
//! every order. In half of the programs, any size may be dynamic, also one of 0. A third of the chains are in a loop that
//! carries the first argument, and scalars are computed and stored between computations.
use crate::{
    array::{Array, Element, Slot},
    fuzz::{
        case::MAX_PARTS,
        compare::compare_results,
        execute,
        linalg::{self, Compilation},
    },
    program, reference, signature,
};
use anyhow::{Context as _, Result, anyhow, ensure};
use mdh_dialects::{
    ir,
    schedule::{
        model::{ComputeAt, Schedule, System},
        rules::Shape,
        systems::BUILTIN,
    },
};
use mdh_passes::{
    analysis::computation::Computation,
    machine::Machine,
    notation::json::{self, VERSION},
    pipeline,
    schedule::{
        self, Options, parts,
        random::{Random, random_schedule},
    },
    target::Target,
    tune::space::{ScheduleSpace, SpaceBounds, producer::ProducerRules},
};
use melior::{Context, ir::Module};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The largest number of changes of a random schedule.
const MAX_MOVES: usize = 6;

/// A tensor of the program.
#[derive(Clone)]
struct ChainTensor {
    name: String,
    sizes: Vec<ChainSize>,
}

/// A size of a tensor, or an extent.
#[derive(Clone, Copy, PartialEq)]
struct ChainSize {
    actual: u64,
    /// True if the type does not have the number.
    is_dynamic: bool,
}

/// A program under construction.
struct Chain<'r> {
    random: &'r mut Random,
    element: &'static str,
    text: String,
    tensors: Vec<ChainTensor>,
    is_dynamic: bool,
}

/// Numbers of schedules to draw in search of one that the rules of producers allow.
const TRIES: usize = 24;

/// The text of a random program, and its arguments.
pub fn program(seed: u64) -> Result<(String, Vec<Array>)> {
    let mut random = Random::new(seed);
    let element = ["i32", "i32", "i64", "i8", "f32"][random.below(5)];
    let is_dynamic = random.once_in(2);
    let mut chain = Chain { random: &mut random, element, text: String::new(), tensors: vec![], is_dynamic };
    for i in 0..1 + chain.random.below(2) {
        let sizes = (0..1 + chain.random.below(3)).map(|_| chain.size()).collect();
        chain.tensors.push(ChainTensor { name: format!("%a{i}"), sizes });
    }
    let arguments = chain.tensors.clone();
    let count = 2 + chain.random.below(3);
    let is_in_loop = chain.random.once_in(3);
    if is_in_loop {
        chain.tensors[0].name = "%carried".to_owned();
    }
    (0..count).for_each(|number| {
        if chain.random.once_in(4) {
            chain.scalar(number);
        }
        chain.computation(number);
    });
    let parameters: Vec<_> = arguments.iter().map(|a| format!("{}: {}", a.name, chain.ty(a))).collect();
    let result = chain.tensors.last().cloned().ok_or_else(|| anyhow!("no tensors"))?;
    let ty = chain.ty(&result);
    let name = if is_in_loop { "%loop#1" } else { result.name.as_str() };
    if is_in_loop {
        chain.enclose(&arguments[0], &result);
    }
    let text = format!(
        "func.func @program({}) -> {ty} {{\n  %first = arith.constant 0 : index\n{}  return {name} : {ty}\n}}\n",
        parameters.join(", "),
        chain.text
    );
    let kind = Element::from_name(element).ok_or_else(|| anyhow!("no such type"))?;
    let data = arguments.iter().map(|argument| {
        let shape: Vec<_> = argument.sizes.iter().map(|size| size.actual as usize).collect();
        let mut array = Array::filled(kind, &shape, 0).map_err(anyhow::Error::msg)?;
        for i in 0..array.len() {
            let value = match kind.is_float() {
                true => kind.from_f64(random.below(200) as f64 - 100.0),
                false => Slot::from(random.next()) & kind.mask(),
            };
            array.set(i, value);
        }
        Ok(array)
    });
    Ok((text, data.collect::<Result<_>>()?))
}

/// A dimension: its extent, and its combine operator.
type ChainDimension = (u64, &'static str);

/// The shape of a type with these sizes.
fn shape(sizes: impl IntoIterator<Item = ChainSize>) -> String {
    let text = |size: ChainSize| if size.is_dynamic { "?x".to_owned() } else { format!("{}x", size.actual) };
    sizes.into_iter().map(text).collect()
}

impl Chain<'_> {
    fn ty(&self, tensor: &ChainTensor) -> String {
        format!("tensor<{}{}>", shape(tensor.sizes.iter().copied()), self.element)
    }

    /// The size of an argument.
    fn size(&mut self) -> ChainSize {
        let is_dynamic = self.is_dynamic && self.random.once_in(2);
        let actual = if is_dynamic && self.random.once_in(12) { 0 } else { 1 + self.random.below(9) as u64 };
        ChainSize { actual, is_dynamic }
    }

    /// The extents of dimensions, and the names of the operands for those that no size is.
    fn extents(
        &mut self,
        number: usize,
        dimensions: &[ChainDimension],
        read: &[(ChainTensor, Vec<String>)],
    ) -> (Vec<ChainSize>, Vec<String>) {
        let mut operands = vec![];
        let extent = |(d, (actual, _)): (usize, &ChainDimension)| {
            let is_alone = |index: &String| [format!("d{d}"), format!("d{d} + 0")].contains(index);
            let mut indexed = read.iter().flat_map(|(tensor, access)| tensor.sizes.iter().zip(access));
            let size = indexed.find(|(_, index)| is_alone(index)).map(|(size, _)| *size);
            let is_possible = size.is_none_or(|size| size.actual == *actual);
            let is_dynamic = is_possible && self.is_dynamic && self.random.once_in(2);
            if is_dynamic && size.is_none() {
                let name = format!("%extent{number}_{d}");
                let _ = writeln!(self.text, "  {name} = arith.constant {actual} : index");
                operands.push(name);
            }
            ChainSize { actual: *actual, is_dynamic }
        };
        (dimensions.iter().enumerate().map(extent).collect(), operands)
    }

    /// A scalar of the carried or first tensor, as a tensor of rank 0.
    fn scalar(&mut self, number: usize) {
        let source = self.tensors[0].clone();
        if source.sizes.iter().any(|size| size.actual == 0) {
            return;
        }
        let (element, ty, name) = (self.element, self.ty(&source), format!("%scalar{number}"));
        let indices = vec!["%first"; source.sizes.len()].join(", ");
        let sum = if element == "f32" { "arith.maximumf" } else { "arith.addi" };
        let _ = write!(
            self.text,
            "  %element{number} = tensor.extract {}[{indices}] : {ty}\n  %sum{number} = {sum} %element{number}, %element{number} : {element}\n  \
             {name} = tensor.from_elements %sum{number} : tensor<{element}>\n",
            source.name,
        );
        self.tensors.insert(1, ChainTensor { name, sizes: vec![] });
    }

    /// Puts the program into a loop of two iterations, which carries twice the first argument, and the result.
    fn enclose(&mut self, first: &ChainTensor, result: &ChainTensor) {
        let (of_first, of_result, element) = (self.ty(first), self.ty(result), self.element);
        let names: Vec<_> = (0..first.sizes.len()).map(|d| format!("d{d}")).collect();
        let map = format!("affine_map<({0}) -> ({0})>", names.join(", "));
        let extents = shape(first.sizes.iter().copied());
        let mda = format!("!mdh.mda<{extents}{element}>").replacen(&format!("x{element}"), &format!(", {element}"), 1);
        let operators = vec!["#mdh.cc"; names.len()].join(", ");
        let sum = if element == "f32" { "arith.maximumf" } else { "arith.addi" };
        let sizes = result.sizes.iter().enumerate().filter(|(_, size)| size.is_dynamic);
        let (mut constants, mut operands) = (String::new(), vec![]);
        for (i, size) in sizes {
            let _ = writeln!(constants, "  %size{i} = arith.constant {} : index", size.actual);
            operands.push(format!("%size{i}"));
        }
        let operands = operands.join(", ");
        self.text = format!(
            "  %one = arith.constant 1 : index\n  %two = arith.constant 2 : index\n{constants}  \
             %none = tensor.empty({operands}) : {of_result}\n  \
             %loop:2 = scf.for %iteration = %first to %two step %one iter_args(%carried = {}, %old = %none) -> ({of_first}, {of_result}) {{\n{}  \
             %in_next = mdh.view.inp_view %carried[{map}] : ({of_first}) -> {mda}\n  \
             %of_next = mdh.hom.md_hom %in_next combine [{operators}] {{\n  ^bb0(%x: {element}):\n    %y = {sum} %x, %x : {element}\n    \
             mdh.hom.yield %y : {element}\n  }} : {mda} -> {mda}\n  \
             %next = mdh.view.out_view %of_next[{map}] : {mda} -> {of_first}\n  \
             scf.yield %next, {} : {of_first}, {of_result}\n  }}\n",
            first.name, self.text, result.name,
        );
    }

    /// A computation of the last tensor and perhaps others.
    fn computation(&mut self, number: usize) {
        let mut read: Vec<_> = self.tensors.last().cloned().into_iter().collect();
        while self.random.once_in(2) && read.len() < 4 {
            read.push(self.tensors[self.random.below(self.tensors.len())].clone());
        }
        let mut dimensions: Vec<ChainDimension> = vec![];
        let read: Vec<_> = read
            .into_iter()
            .map(|tensor| {
                let access = self.access(&tensor, &mut dimensions);
                (tensor, access)
            })
            .collect();
        if dimensions.is_empty() || self.random.once_in(8) {
            dimensions.push((1 + self.random.below(4) as u64, ""));
        }
        self.operators(&mut dimensions);
        let (extents, operands) = self.extents(number, &dimensions, &read);
        let rank = dimensions.len();
        let names: Vec<_> = (0..rank).map(|d| format!("d{d}")).collect();
        let names = names.join(", ");
        let map = |indices: &[String]| format!("affine_map<({names}) -> ({})>", indices.join(", "));
        let views: Vec<_> = read.iter().map(|(tensor, access)| format!("{}[{}]", tensor.name, map(access))).collect();
        let types: Vec<_> = read.iter().map(|(tensor, _)| self.ty(tensor)).collect();
        let element = self.element;
        let mda = |extents: &mut dyn Iterator<Item = ChainSize>, components: usize| {
            let components = vec![element; components].join(", ");
            format!("!mdh.mda<{}, {components}>", shape(extents).trim_end_matches('x'))
        };
        let input = mda(&mut extents.iter().copied(), read.len());
        let one = ChainSize { actual: 1, is_dynamic: false };
        let reduced = |(extent, (_, operator)): (&ChainSize, &ChainDimension)| {
            if operator.contains("pw") { one } else { *extent }
        };
        let output = mda(&mut extents.iter().zip(&dimensions).map(reduced), 1);
        let operands = match operands.is_empty() {
            true => String::new(),
            false => format!(" extents({})", operands.join(", ")),
        };
        let mut kept: Vec<_> = (0..rank).filter(|d| !dimensions[*d].1.contains("pw")).collect();
        self.random.shuffle(&mut kept);
        let result = ChainTensor { name: format!("%t{number}"), sizes: kept.iter().map(|d| extents[*d]).collect() };
        let indices: Vec<_> = kept.iter().map(|d| format!("d{d}")).collect();
        let operators: Vec<_> = dimensions.iter().map(|(_, operator)| *operator).collect();
        let arguments: Vec<_> = (0..read.len()).map(|i| format!("%x{i}: {element}")).collect();
        let init = match operators.iter().any(|operator| *operator != "#mdh.cc") && self.random.once_in(3) {
            true => format!(" init(%start{number} : {element})"),
            false => String::new(),
        };
        let constant = if element == "f32" { "3.0" } else { "3" };
        let body = self.function(read.len(), dimensions.len());
        let _ = write!(
            self.text,
            "  %start{number} = arith.constant {constant} : {element}\n  %in{number} = mdh.view.inp_view {}{operands} : ({}) -> {input}\n  \
             %r{number} = mdh.hom.md_hom %in{number}{init} combine [{}] {{\n  ^bb0({}):\n{body}  }} : {input} -> {output}\n  \
             {} = mdh.view.out_view %r{number}[{}] : {output} -> {}\n",
            views.join(", "),
            types.join(", "),
            operators.join(", "),
            arguments.join(", "),
            result.name,
            map(&indices),
            self.ty(&result),
        );
        self.tensors.push(result);
    }

    /// The indices of an access to a tensor, by dimensions that exist or are added.
    fn access(&mut self, tensor: &ChainTensor, dimensions: &mut Vec<ChainDimension>) -> Vec<String> {
        let mut taken = vec![];
        let mut indices = vec![];
        for size in tensor.sizes.iter().map(|size| size.actual) {
            let fitting: Vec<_> =
                (0..dimensions.len()).filter(|d| dimensions[*d].0 <= size && !taken.contains(d)).collect();
            let is_known = !fitting.is_empty() && !self.random.once_in(4);
            if !is_known && size > 0 && (dimensions.len() >= 4 || self.random.once_in(8)) {
                indices.push(self.random.below(size as usize).to_string());
                continue;
            }
            let d = match is_known {
                true => fitting[self.random.below(fitting.len())],
                false => {
                    let is_smaller = size > 0 && self.random.once_in(3);
                    let smaller = if is_smaller { self.random.below(size as usize) as u64 } else { 0 };
                    dimensions.push((size - smaller, ""));
                    dimensions.len() - 1
                }
            };
            taken.push(d);
            let rest = size - dimensions[d].0;
            let index = match self.random.below(6) {
                0 if rest > 0 => format!("d{d} + {}", self.random.below(rest as usize + 1)),
                1 if rest > 0 && dimensions.len() < 4 => {
                    dimensions.push((1 + self.random.below(rest as usize + 1) as u64, ""));
                    format!("d{d} + d{}", dimensions.len() - 1)
                }
                2 if size > 0 => format!("{} - d{d}", size - 1),
                _ => format!("d{d}"),
            };
            indices.push(index);
        }
        indices
    }

    /// Chooses the operators of all dimensions, with one function.
    fn operators(&mut self, dimensions: &mut [ChainDimension]) {
        let integers = [
            ("#mdh.pw<add>", "#mdh.ps<add>"),
            ("#mdh.pw<max>", "#mdh.ps<max>"),
            ("#mdh.pw<mul>", "#mdh.ps<mul>"),
            ("#mdh.pw<min>", "#mdh.ps<min>"),
        ];
        let function = self.random.below(2) * 2 + 1;
        let (pw, ps) = integers[if self.element == "f32" { function } else { self.random.below(4) }];
        let plain = self.random.once_in(3);
        for (_, operator) in dimensions.iter_mut() {
            *operator = match self.random.below(6) {
                _ if plain => "#mdh.cc",
                0 | 1 => pw,
                2 if self.random.once_in(2) => ps,
                _ => "#mdh.cc",
            };
        }
    }

    /// The body of a scalar function of some values.
    fn function(&mut self, values: usize, rank: usize) -> String {
        let element = self.element;
        let kinds = if element == "f32" { ["maximumf", "minimumf"] } else { ["addi", "muli"] };
        let mut value = "%x0".to_owned();
        let mut text = String::new();
        for i in 1..values {
            let kind = kinds[self.random.below(2)];
            let _ = writeln!(text, "    %v{i} = arith.{kind} {value}, %x{i} : {element}");
            value = format!("%v{i}");
        }
        if self.random.once_in(3) && element != "f32" {
            let d = self.random.below(rank);
            let _ = writeln!(text, "    %n = mdh.hom.index {d} : index");
            let _ = writeln!(text, "    %c = arith.index_cast %n : index to {element}");
            let _ = writeln!(text, "    %w = arith.addi {value}, %c : {element}");
            value = "%w".to_owned();
        }
        let _ = writeln!(text, "    mdh.hom.yield {value} : {element}");
        text
    }
}

/// The systems of schedules for kernels.
const DEVICES: [&str; 3] = ["cuda", "cuda_wrp", "opencl"];

/// The text of a file with random schedules for the computations of a program, with positions for most producers.
/// `is_device`: true for schedules of kernels.
fn schedules(shapes: &[Shape], random: &mut Random, is_device: bool) -> String {
    let names = if is_device { &DEVICES[..] } else { &BUILTIN };
    let system = |random: &mut Random| System::builtin(names[random.below(names.len())]);
    let Some((consumer, producers)) = shapes.split_last() else { return String::new() };
    let of_consumer = system(random).map(|system| random_schedule(consumer, &system, random));
    let mut order = of_consumer.as_ref().map(|schedule| schedule.scalar.order.clone()).unwrap_or_default();
    if let Some(schedule) = of_consumer.as_ref().filter(|_| is_device && random.once_in(2)) {
        order.retain(|(level, _)| schedule.is_loop(*level));
    }
    let level = |random: &mut Random| {
        let (level, _) = order.get(random.below(order.len().clamp(1, 6)))?;
        Some(ComputeAt { consumer: shapes.len() - 1, level: *level })
    };
    let shared = level(random);
    let producer = |shape: &Shape| {
        let place = if random.once_in(3) { level(random) } else { shared };
        let Some(place) = place.filter(|_| !random.once_in(6)) else { return Value::Null };
        let drawn = system(random).filter(|_| random.once_in(2));
        match drawn.and_then(|system| own(shape, &system, place, random, is_device)) {
            Some(schedule) => json::to_value(&schedule),
            None => json!({"version": VERSION, "at": json::at_to_value(place)}),
        }
    };
    let mut list: Vec<_> = producers.iter().map(producer).collect();
    list.push(of_consumer.as_ref().map_or(Value::Null, json::to_value));
    json!({"version": VERSION, "schedules": {"program": list}}).to_string()
}

/// A schedule for parts of a producer: one of all legal ones with the same probability, or one some changes away from one
/// that [`random_schedule`] prefers; `None` if a level of that is distributed over cores.
fn own(shape: &Shape, system: &System, at: ComputeAt, random: &mut Random, is_device: bool) -> Option<Schedule> {
    let rules = ProducerRules { positions: vec![at], is_for_kernels: is_device, in_place: vec![] };
    // Counting with limits takes long, and only samples of all schedules need it.
    let is_sampled = random.once_in(4);
    let bounds = SpaceBounds { products: vec![Some(MAX_PARTS); shape.rank()], ..SpaceBounds::default() };
    let bounds = if is_sampled { bounds } else { SpaceBounds { limit_work: 0, ..bounds } };
    let space = ScheduleSpace::of_producer(shape, system, rules, &bounds).ok()?;
    // Where rule S9 is not counted, nearly all samples may violate it.
    if is_sampled && space.count().is_ok() {
        return space.sample(random).ok();
    }
    let schedule = parts::of_producer(&random_schedule(shape, system, random), &shape.operators);
    let schedule = Schedule { at: Some(at), ..schedule };
    space.check(&schedule).ok()?;
    let changes = random.below(MAX_MOVES + 1);
    Some(space.walk(schedule, changes, random))
}

/// A machine with small caches and slow memory, on which it pays off to compute producers in parts.
const SLOW: &str = r#"{"cores": 2, "caches": [{"bytes": 64, "line": 8, "shared_by": 1, "bandwidth": 16.0},
    {"bytes": 128, "line": 8, "shared_by": 2, "bandwidth": 1.0}], "memory_bandwidth": 0.001}"#;

/// Attaches the schedules of a file, or the default ones for a slow machine. `system`: that of default schedules. Returns
/// the message if a rule of producers is violated.
fn attach(module: &mut Module<'_>, file: Option<String>, system: &str) -> Result<Option<String>> {
    let machine = match file {
        Some(_) => None,
        None => {
            let machine = ir::rewrite(module, Machine::of).and_then(|machine| machine.with_text(SLOW));
            Some(machine.map_err(anyhow::Error::msg)?)
        }
    };
    let options = Options {
        system: system.into(),
        file: file.map(|file| ("schedules.json".into(), file)),
        threads: Some(2),
        machine,
        ..Options::default()
    };
    let outcome = ir::rewrite(module, |root| schedule::run(root, &options).map_err(|failure| failure.message));
    match outcome {
        Err(message) if ["F1: ", "F2: ", "F3: "].iter().any(|rule| message.contains(rule)) => Ok(Some(message)),
        outcome => outcome.map(|()| None).map_err(anyhow::Error::msg),
    }
}

/// True if a message says that a schedule exceeds the limits of a device, or that its producers cannot be computed in
/// kernels.
fn is_refused(message: &str) -> bool {
    execute::is_refused(message) || message.contains("F6: ") || message.contains("S11: ")
}

/// Runs the program of a seed on a target with random schedules, and compares the results with the reference evaluator's.
/// Returns true if a producer was computed in parts.
pub fn check_parts(context: &Context, seed: u64, target: &'static Target) -> Result<bool> {
    let (text, arguments) = program(seed)?;
    let module = program::parse(context, text.as_bytes()).with_context(|| text.clone())?;
    let function = signature::find(ir::op(module.as_operation()), None)?;
    let expected = reference::evaluate_with_errors(function, arguments.clone(), &|_| ());
    let expected = expected.map_err(|failure| anyhow!("{failure}\n{text}"))?;
    let shapes: Vec<_> = Computation::all(ir::op(module.as_operation())).iter().map(Computation::shape).collect();
    let mut random = Random::new(seed ^ 0x5eed);
    let is_device = target.kernels.is_some();
    for attempt in 0..=TRIES {
        let is_default = !is_device && seed.is_multiple_of(3);
        let file = if is_default { String::new() } else { schedules(&shapes, &mut random, is_device) };
        let given = Some(file.clone()).filter(|_| !is_default);
        let mut module = program::parse(context, text.as_bytes())?;
        // The last attempt has default schedules.
        let attach = |module: &mut _| attach(module, given.clone(), target.default_system);
        let refused = match attempt < TRIES {
            true => attach(&mut module).with_context(|| format!("{text}{file}"))?,
            false => None,
        };
        if let Some(message) = refused {
            ensure!(!is_default, "a default schedule is refused: {message}\n{text}");
            continue;
        }
        let is_in_parts = ir::op(module.as_operation()).to_string().contains("at = {consumer");
        let compilation = Compilation::new(seed, seed.is_multiple_of(5)).on(target);
        let results = match linalg::execute(context, &mut module, compilation, arguments.clone()) {
            Err(error) if is_device && is_refused(&format!("{error:#}")) => continue,
            outcome => outcome.with_context(|| format!("{text}{file}"))?.0,
        };
        compare_results(&expected.results, &results).map_err(|error| anyhow!("{error}\n{text}{file}"))?;
        return Ok(is_in_parts);
    }
    Ok(false)
}

/// Runs the program of a seed on a target, as [`check_parts`].
pub fn check(context: &Context, seed: u64, target: &'static Target) -> Result<()> {
    check_parts(context, seed, target).map(|_| ())
}

/// Lowers the chain of a seed to loops with its default schedules, and the program of linalg of this seed, for a host and
/// for kernels. No default schedule may be refused.
pub fn check_defaults(context: &Context, seed: u64) -> Result<()> {
    let is_strict = seed.is_multiple_of(5);
    for target in ["cpu", "cuda"].map(Target::named).into_iter().flatten() {
        for ((text, _), is_chain) in [(program(seed)?, true), (linalg::program(seed)?, false)] {
            let mut module = program::parse(context, text.as_bytes()).with_context(|| text.clone())?;
            if is_chain {
                let refused = attach(&mut module, None, target.default_system).with_context(|| text.clone())?;
                ensure!(refused.is_none(), "a default schedule is refused: {}\n{text}", refused.unwrap_or_default());
            }
            let (stop_after, threads) = (Some("loops".to_owned()), Some(1 + (seed % 4) as usize));
            let options = pipeline::Options { target, strict: is_strict, stop_after, threads, ..Default::default() };
            program::lower(context, &mut module, &options).with_context(|| text.clone())?;
        }
    }
    Ok(())
}
