//! Random loops with counters, evaluated as they are and as counted loops.
use super::*;
use mdh_dialects::ir::Val;
use mdh_passes::schedule::random::Random;
use melior::Context;

/// Number of programs, unless the environment variable MDH_PROGRAMS says another one.
const PROGRAMS: usize = 500;
/// The most iterations of a loop that is evaluated.
const ITERATIONS: usize = 40;
/// The operations that extend numbers, with and without a sign.
const EXTENSIONS: [[&str; 2]; 2] = [["extsi", "extui"], ["index_cast", "index_castui"]];

/// The number that these bits are.
fn wrapped(number: i128, width: u32, is_unsigned: bool) -> i128 {
    let number = number & ((1 << width) - 1);
    if !is_unsigned && number >= 1 << (width - 1) { number - (1 << width) } else { number }
}

/// A random loop `while (i < bound) i += step`, with a second counter.
struct CountedProgram {
    text: String,
    width: u32,
    predicate: &'static str,
    /// The extension of the counter in the comparison.
    extension: Option<&'static str>,
    /// The width of the comparison.
    compared: u32,
    /// The width of the bound that is extended with or without a sign.
    bound: (u32, bool),
    constants: [Option<i128>; 2],
    /// What is added, or subtracted, and the promise.
    step: (bool, i128, &'static str),
}

impl CountedProgram {
    fn new(random: &mut Random) -> Self {
        let (name, width) = [("i8", 8), ("i32", 32), ("i64", 64), ("index", 64)][random.below(4)];
        let predicate = ["ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"][random.below(9)];
        let extension = (width < 64 && random.once_in(2)).then(|| EXTENSIONS[random.below(2)][random.below(2)]);
        let (compared_name, compared) = match extension {
            None => (name, width),
            Some("extsi" | "extui") => ("i64", 64),
            Some(_) => ("index", 64),
        };
        let step = [1, 1, -1, -1, 2, -2, 3, -5][random.below(8)];
        let constants = [[0, 5, -3], [0, 10, -1]].map(|all| random.once_in(2).then(|| all[random.below(3)]));
        let (is_sum, flag) = (random.once_in(2), ["", " overflow<nsw>", " overflow<nuw>"][random.below(3)]);
        let added = if is_sum { step } else { -step };
        let is_short = compared > 8 && random.once_in(3);
        let (bound_name, bound) = if is_short { ("i8", 8) } else { (compared_name, compared) };
        let is_bound_unsigned = is_short && random.once_in(2);
        let first = match constants[0] {
            Some(constant) => format!("arith.constant {constant} : {name}"),
            None => format!("arith.addi %start, %zero : {name}"),
        };
        let kind = EXTENSIONS[usize::from(compared_name == "index")][usize::from(is_bound_unsigned)];
        let end = match constants[1] {
            Some(constant) => format!("arith.constant {constant} : {compared_name}"),
            None if is_short => format!("arith.{kind} %bound : i8 to {compared_name}"),
            None => format!("arith.addi %bound, %none : {compared_name}"),
        };
        let (side, extended) = match extension {
            None => ("%i", String::new()),
            Some(extension) => ("%w", format!("%w = arith.{extension} %i : {name} to {compared_name}")),
        };
        let comparison = if random.once_in(3) {
            let swapped = predicate.replace('l', "L").replace('g', "l").replace('L', "g");
            format!("{swapped}, %end, {side}")
        } else {
            format!("{predicate}, {side}, %end")
        };
        let second = ["arith.constant 5 : i32", "arith.muli %other, %more : i32"][random.below(2)];
        let word = |value: &str| match name {
            "index" => format!("arith.index_cast {value} : index to i64"),
            "i64" => format!("arith.addi {value}, %zero : i64"),
            _ => format!("arith.{} {value} : {name} to i64", EXTENSIONS[0][width as usize / 32]),
        };
        let text = format!(
            "func.func @f(%start: {name}, %bound: {bound_name}, %other: i32) -> (i64, i64, i32) {{
  %zero = arith.constant 0 : {name}
  %none = arith.constant 0 : {compared_name}
  %empty = arith.constant 0 : i64
  %first = {first}
  %end = {end}
  %step = arith.constant {added} : {name}
  %more = arith.constant {} : i32
  %second = {second}
  %factor = arith.constant 31 : i64
  %r:3 = scf.while (%i = %first, %o = %second, %s = %empty) : ({name}, i32, i64) -> ({name}, i32, i64) {{
    {extended}
    %c = arith.cmpi {comparison} : {compared_name}
    scf.condition(%c) %i, %o, %s : {name}, i32, i64
  }} do {{
  ^bb0(%i: {name}, %o: i32, %s: i64):
    %a = {}
    %b = arith.extui %o : i32 to i64
    %p = arith.muli %s, %factor : i64
    %q = arith.addi %p, %a : i64
    %t = arith.addi %q, %b : i64
    %j = arith.{} %i, %step{flag} : {name}
    %n = arith.addi %o, %more : i32
    scf.yield %j, %n, %t : {name}, i32, i64
  }}
  %last = {}
  return %r#2, %last, %r#1 : i64, i64, i32
}}",
            step * [1, 2, -1, -3][random.below(4)],
            word("%i"),
            if is_sum { "addi" } else { "subi" },
            word("%r#0"),
        );
        let (step, bound) = ((is_sum, added, flag), (bound, is_bound_unsigned));
        Self { text, width, predicate, extension, compared, bound, constants, step }
    }

    /// True if the loop ends soon, and no sum wraps around against its promise.
    fn ends(&self, [start, bound]: [i128; 2]) -> bool {
        let is_unsigned = self.predicate.starts_with('u');
        let bound = self.constants[1].unwrap_or(wrapped(bound, self.bound.0, self.bound.1));
        let bound = wrapped(bound, self.compared, is_unsigned);
        let (is_sum, added, flag) = self.step;
        let mut counter = self.constants[0].unwrap_or(start);
        for _ in 0..ITERATIONS {
            let [signed, natural] = [false, true].map(|sign| wrapped(counter, self.width, sign));
            let extended = if self.extension.is_some_and(|name| name.contains('u')) { natural } else { signed };
            let value = wrapped(extended, self.compared, is_unsigned);
            let holds = match &self.predicate[self.predicate.len() - 2..] {
                "ne" => value != bound,
                "lt" => value < bound,
                "le" => value <= bound,
                "gt" => value > bound,
                _ => value >= bound,
            };
            if !holds {
                return true;
            }
            let is_exact = |value: i128, sign: bool| {
                let added = wrapped(added, self.width, sign);
                let next = if is_sum { value + added } else { value - added };
                wrapped(next, self.width, sign) == next
            };
            if flag.contains("nsw") && !is_exact(signed, false) || flag.contains("nuw") && !is_exact(natural, true) {
                return false;
            }
            counter = if is_sum { signed + added } else { signed - added };
        }
        false
    }

    /// Whether the loop is counted after these passes, and its results for these arguments.
    fn results(&self, context: &Context, passes: &str, arguments: &[[i128; 2]]) -> (bool, Vec<Vec<Slot>>) {
        let mut module = program::parse(context, self.text.as_bytes()).expect(&self.text);
        program::run(context, &mut module, passes).expect(&self.text);
        // Also in a version under a condition.
        let is_counted = !ir::find(ir::op(module.as_operation()), "scf.for").is_empty();
        let function = signature::find(ir::op(module.as_operation()), None).expect(&self.text);
        let parameters = ir::arguments(ir::body(function, 0).expect(&self.text));
        let results = arguments.iter().map(|[start, bound]| {
            let scalar = |(parameter, value): (&Val<'_>, i128)| {
                let element = kernel::element_of(parameter).expect(&self.text);
                Array::scalar(element, element.from_integer(value))
            };
            let arguments = parameters.iter().zip([*start, *bound, 7]).map(scalar).collect();
            let outcome = evaluate(function, arguments, &|_| {}).map_err(|failure| failure.message).expect(&self.text);
            outcome.results.iter().map(|result| result.array.get(0)).collect()
        });
        (is_counted, results.collect())
    }
}

#[test]
fn loops_that_count_have_the_same_results() {
    let context = program::context();
    let (mut random, mut counted, mut compared) = (Random::new(3), 0, 0);
    let near = |center: i128| (-6..7).map(move |offset| center + offset);
    let programs = std::env::var("MDH_PROGRAMS").ok().and_then(|number| number.parse().ok()).unwrap_or(PROGRAMS);
    for _ in 0..programs {
        let program = CountedProgram::new(&mut random);
        let ends = |width: u32| [0, 1 << (width - 1), 128, 10];
        let starts: Vec<_> = ends(program.width).into_iter().flat_map(near).collect();
        let bounds: Vec<_> = ends(program.bound.0).into_iter().flat_map(near).collect();
        let mut arguments = vec![];
        for _ in 0..60 {
            let pair = [(&starts, program.width), (&bounds, program.bound.0)];
            let pair = pair.map(|(all, width)| wrapped(all[random.below(all.len())], width, false));
            if program.ends(pair) && !arguments.contains(&pair) {
                arguments.push(pair);
            }
        }
        let (is_counted, found) = program.results(&context, "builtin.module(func.func(mdh-delinearize))", &arguments);
        if is_counted {
            let (_, expected) = program.results(&context, "builtin.module()", &arguments);
            assert_eq!(expected, found, "{arguments:?}\n{}", program.text);
            (counted, compared) = (counted + 1, compared + arguments.len());
        }
    }
    assert!(counted > programs / 4 && compared > 4 * counted, "{counted} {compared}");
}
