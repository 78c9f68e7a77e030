//! Random programs of integer arithmetic, casts and control flow, in functions and in the regions of structured
//! operations, that are not raised or only as a whole, against the reference evaluator.
use crate::{
    array::{Array, Element, Slot},
    fuzz::linalg::{Compilation, check_program},
};
use anyhow::{Result, anyhow};
use mdh_passes::{pipeline::Raising, schedule::random::Random};
use melior::Context;
use std::fmt::Write as _;

const TYPES: [&str; 6] = ["i1", "i8", "i16", "i32", "i64", "index"];
/// The number of elements of tensors.
const SIZE: usize = 5;
/// The most nested branches and loops.
const MAX_DEPTH: usize = 3;

/// A value: its name and its type.
type ControlValue = (String, &'static str);

struct Body<'r> {
    random: &'r mut Random,
    text: String,
    count: usize,
    /// The values that the next operation can use, the last ones preferred.
    values: Vec<ControlValue>,
    depth: usize,
}

/// The text of a random program, and its arguments.
pub fn program(seed: u64) -> Result<(String, Vec<Array>)> {
    let mut random = Random::new(seed);
    let is_generic = random.once_in(2);
    let parameters: Vec<_> = (0..1 + random.below(3)).map(|i| (format!("%a{i}"), TYPES[random.below(6)])).collect();
    let mut body = Body { random: &mut random, text: String::new(), count: 0, values: parameters.clone(), depth: 0 };
    (0..2 + body.random.below(8)).for_each(|_| body.operation());
    let count = 1 + body.random.below(4);
    let results: Vec<_> = (0..count).map(|_| body.any()).collect();
    let text = body.text;
    let text = if is_generic { generic(&parameters, &text, &results) } else { function(&parameters, &text, &results) };
    let arguments = parameters.iter().map(|(_, ty)| {
        let element = Element::from_name(ty).ok_or_else(|| anyhow!("no such type"))?;
        let shape: &[usize] = if is_generic { &[SIZE] } else { &[] };
        let mut array = Array::filled(element, shape, 0).map_err(anyhow::Error::msg)?;
        for i in 0..array.len() {
            let bits = random.next() >> [0, 0, 32, 48, 55, 60][random.below(6)];
            array.set(i, Slot::from(bits) & element.mask());
        }
        Ok(array)
    });
    let arguments = arguments.collect::<Result<_>>()?;
    Ok((text, arguments))
}

fn list(values: &[ControlValue], text: impl Fn(&ControlValue) -> String) -> String {
    values.iter().map(text).collect::<Vec<_>>().join(", ")
}

fn function(parameters: &[ControlValue], body: &str, results: &[ControlValue]) -> String {
    let (names, types) = (list(results, |(name, _)| name.clone()), list(results, |(_, ty)| (*ty).to_owned()));
    let parameters = list(parameters, |(name, ty)| format!("{name}: {ty}"));
    format!("func.func @program({parameters}) -> ({types}) {{\n{body}  return {names} : {types}\n}}\n")
}

/// The body as the region of an operation on tensors.
fn generic(parameters: &[ControlValue], body: &str, results: &[ControlValue]) -> String {
    let tensor = |ty: &str| format!("tensor<{SIZE}x{ty}>");
    let types = list(results, |(_, ty)| tensor(ty));
    let empty = results.iter().enumerate();
    let empty: String = empty.map(|(i, (_, ty))| format!("  %t{i} = tensor.empty() : {}\n", tensor(ty))).collect();
    let outputs: Vec<_> = (0..results.len()).map(|i| format!("%t{i}")).collect();
    let returned: Vec<_> = (0..results.len()).map(|i| format!("%r#{i}")).collect();
    let inside: Vec<_> = (0..results.len()).map(|i| format!("%o{i}: {}", results[i].1)).collect();
    let maps = vec!["affine_map<(d0) -> (d0)>"; parameters.len() + results.len()].join(", ");
    format!(
        "func.func @program({}) -> ({types}) {{\n{empty}  %r:{} = linalg.generic {{indexing_maps = [{maps}], iterator_types = \
         [\"parallel\"]}} ins({} : {}) outs({} : {types}) {{\n  ^bb0({}, {}):\n{body}  linalg.yield {} : {}\n  }} -> \
         ({types})\n  return {} : {types}\n}}\n",
        list(parameters, |(name, ty)| format!("{name}_all: {}", tensor(ty))),
        results.len(),
        list(parameters, |(name, _)| format!("{name}_all")),
        list(parameters, |(_, ty)| tensor(ty)),
        outputs.join(", "),
        list(parameters, |(name, ty)| format!("{name}: {ty}")),
        inside.join(", "),
        list(results, |(name, _)| name.clone()),
        list(results, |(_, ty)| (*ty).to_owned()),
        returned.join(", "),
    )
}

impl Body<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "  {}{text}", "  ".repeat(self.depth));
    }

    fn name(&mut self) -> String {
        self.count += 1;
        format!("%v{}", self.count)
    }

    fn define(&mut self, ty: &'static str, text: &str) -> ControlValue {
        let name = self.name();
        self.line(&format!("{name} = {text}"));
        self.values.push((name.clone(), ty));
        (name, ty)
    }

    fn any(&mut self) -> ControlValue {
        let (a, b) = (self.random.below(self.values.len()), self.random.below(self.values.len()));
        self.values[a.max(b)].clone()
    }

    fn constant(&mut self, ty: &'static str) -> ControlValue {
        let number = match (ty, self.random.below(4)) {
            ("i1", _) => return self.define(ty, "arith.constant true"),
            (_, 0) => self.random.below(3) as i64,
            (_, 1) => -1 - self.random.below(3) as i64,
            ("i8", _) => self.random.below(256) as i64 - 128,
            _ => self.random.below(700) as i64 - 100,
        };
        self.define(ty, &format!("arith.constant {number} : {ty}"))
    }

    /// A value of a type: a known one, or a constant.
    fn of(&mut self, ty: &'static str) -> ControlValue {
        let known: Vec<_> = self.values.iter().filter(|(_, known)| *known == ty).cloned().collect();
        match known.is_empty() || self.random.once_in(6) {
            true => self.constant(ty),
            false => known[self.random.below(known.len())].clone(),
        }
    }

    fn operation(&mut self) {
        match self.random.below(12) {
            0..=2 => self.arithmetic(),
            3..=6 => self.cast(),
            7 => self.select(),
            8 | 9 if self.depth < MAX_DEPTH => self.branch(),
            10 if self.depth < MAX_DEPTH => self.counted(),
            11 if self.depth < MAX_DEPTH => self.conditional_loop(),
            _ => self.arithmetic(),
        }
    }

    fn arithmetic(&mut self) {
        let (left, ty) = self.any();
        let width = [1, 8, 16, 32, 64, 64][TYPES.iter().position(|known| *known == ty).unwrap_or_default()];
        match self.random.below(8) {
            // Amounts of shifts, and divisors, for which the result is defined.
            0 if width > 1 => {
                let kind = ["shli", "shrsi", "shrui"][self.random.below(3)];
                let amount = self.random.below(width);
                let amount = self.define(ty, &format!("arith.constant {amount} : {ty}")).0;
                self.define(ty, &format!("arith.{kind} {left}, {amount} : {ty}"));
            }
            1 if width > 1 => {
                let kinds = ["divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui"];
                let (kind, divisor) = (kinds[self.random.below(7)], [2, 3, 7, -2, -5, 100][self.random.below(6)]);
                let divisor = self.define(ty, &format!("arith.constant {divisor} : {ty}")).0;
                self.define(ty, &format!("arith.{kind} {left}, {divisor} : {ty}"));
            }
            2 => {
                let kind = ["mulsi_extended", "mului_extended"][self.random.below(2)];
                let (right, name) = (self.of(ty).0, self.name());
                self.line(&format!("{name}:2 = arith.{kind} {left}, {right} : {ty}"));
                self.values.extend([(format!("{name}#0"), ty), (format!("{name}#1"), ty)]);
            }
            _ => {
                let kinds = ["addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui"];
                let (kind, right) = (kinds[self.random.below(10)], self.of(ty).0);
                self.define(ty, &format!("arith.{kind} {left}, {right} : {ty}"));
            }
        }
    }

    fn cast(&mut self) {
        let (value, from) = self.any();
        let to = TYPES[self.random.below(6)];
        let position = |ty| TYPES.iter().position(|known| *known == ty).unwrap_or_default();
        let kinds: &[&str] = match (from, to) {
            ("index", "index") => return self.arithmetic(),
            ("index", _) | (_, "index") => &["index_cast", "index_castui"],
            _ if position(from) < position(to) => &["extsi", "extui"],
            _ if position(from) > position(to) => &["trunci"],
            _ => return self.arithmetic(),
        };
        let kind = kinds[self.random.below(kinds.len())];
        self.define(to, &format!("arith.{kind} {value} : {from} to {to}"));
    }

    fn condition(&mut self) -> ControlValue {
        let (left, ty) = self.any();
        let right = self.of(ty).0;
        let predicate = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"][self.random.below(10)];
        self.define("i1", &format!("arith.cmpi {predicate}, {left}, {right} : {ty}"))
    }

    fn select(&mut self) {
        let condition = if self.random.once_in(2) { self.of("i1").0 } else { self.condition().0 };
        let (yes, ty) = self.any();
        let no = self.of(ty).0;
        self.define(ty, &format!("arith.select {condition}, {yes}, {no} : {ty}"));
    }

    /// The text of a nested block, which sees the values so far and `own`, and the values of these types that it ends
    /// with.
    fn block(&mut self, own: Vec<ControlValue>, types: &[&'static str], most: usize) -> Vec<ControlValue> {
        let known = self.values.len();
        self.values.extend(own);
        self.depth += 1;
        (0..self.random.below(most)).for_each(|_| self.operation());
        let ends = types.iter().map(|ty| self.of(ty)).collect();
        self.depth -= 1;
        self.values.truncate(known);
        ends
    }

    fn types(&mut self, least: usize) -> Vec<&'static str> {
        (0..least + self.random.below(3)).map(|_| self.any().1).collect()
    }

    /// Makes the results of an operation known.
    fn results(&mut self, name: &str, types: &[&'static str]) {
        let one = types.len() == 1;
        let results = types.iter().enumerate();
        let results = results.map(|(i, ty)| (if one { name.to_owned() } else { format!("{name}#{i}") }, *ty));
        self.values.extend(results.collect::<Vec<_>>());
    }

    fn branch(&mut self) {
        let condition = if self.random.once_in(3) { self.of("i1").0 } else { self.condition().0 };
        let (types, name) = (self.types(1), self.name());
        let listed = types.join(", ");
        self.line(&format!("{name}:{} = scf.if {condition} -> ({listed}) {{", types.len()));
        for keyword in ["} else {", "}"] {
            let ends = self.block(vec![], &types, 4);
            self.line(&format!("  scf.yield {} : {listed}", list(&ends, |(end, _)| end.clone())));
            self.line(keyword);
        }
        self.results(&name, &types);
    }

    fn counted(&mut self) {
        let (types, name) = (self.types(1), self.name());
        let counter = ["index", "i32", "i64"][self.random.below(3)];
        let bounds = [self.random.below(3), self.random.below(6), 1 + self.random.below(2)];
        let bounds = bounds.map(|bound| self.define(counter, &format!("arith.constant {bound} : {counter}")).0);
        let initial: Vec<_> = types.iter().map(|ty| self.of(ty)).collect();
        let own: Vec<_> = types.iter().enumerate().map(|(i, ty)| (format!("{name}_{i}"), *ty)).collect();
        let carried: Vec<_> = own.iter().zip(&initial).map(|(own, first)| format!("{} = {}", own.0, first.0)).collect();
        let (listed, [low, high, step]) = (types.join(", "), bounds);
        let count = types.len();
        let of = if counter == "index" { String::new() } else { format!(" : {counter}") };
        self.line(&format!(
            "{name}:{count} = scf.for {name}_i = {low} to {high} step {step} iter_args({}) -> ({listed}){of} {{",
            carried.join(", ")
        ));
        let own = own.into_iter().chain([(format!("{name}_i"), counter)]).collect();
        let ends = self.block(own, &types, 4);
        self.line(&format!("  scf.yield {} : {listed}", list(&ends, |(end, _)| end.clone())));
        self.line("}");
        self.results(&name, &types);
    }

    /// A loop that ends after some iterations at the latest. Its condition forwards other values than it takes, some of
    /// them several times, which are often results of a branch by the same condition.
    fn conditional_loop(&mut self) {
        let (types, name) = (self.types(1), self.name());
        let most = self.random.below(5);
        let [zero, one, most] =
            [0, 1, most].map(|number| self.define("i32", &format!("arith.constant {number} : i32")).0);
        let initial: Vec<_> = types.iter().map(|ty| self.of(ty).0).chain([zero]).collect();
        let taken: Vec<_> = types.iter().copied().chain(["i32"]).collect();
        let own: Vec<_> = taken.iter().enumerate().map(|(i, ty)| (format!("{name}_{i}"), *ty)).collect();
        let carried: Vec<_> = own.iter().zip(&initial).map(|(own, first)| format!("{} = {first}", own.0)).collect();
        let place = self.text.len();
        let known = self.values.len();
        self.values.extend(own.clone());
        self.depth += 1;
        (0..self.random.below(3)).for_each(|_| self.operation());
        let counter = own[types.len()].0.clone();
        let limit = self.define("i1", &format!("arith.cmpi slt, {counter}, {most} : i32")).0;
        let other = self.condition().0;
        let go = self.define("i1", &format!("arith.andi {limit}, {other} : i1")).0;
        if self.random.once_in(2) {
            let (ty, branch) = (self.any().1, self.name());
            self.line(&format!("{branch} = scf.if {go} -> {ty} {{"));
            for keyword in ["} else {", "}"] {
                let end = self.block(vec![], &[ty], 2).remove(0).0;
                self.line(&format!("  scf.yield {end} : {ty}"));
                self.line(keyword);
            }
            self.values.push((branch, ty));
        }
        let mut forwarded = vec![(counter, "i32")];
        (0..1 + self.random.below(4)).for_each(|_| {
            let (last, any) = (self.values.last().cloned(), self.any());
            forwarded.push(last.filter(|_| self.random.once_in(2)).unwrap_or(any));
        });
        let listed = list(&forwarded, |(_, ty)| (*ty).to_owned());
        self.line(&format!("scf.condition({go}) {} : {listed}", list(&forwarded, |(value, _)| value.clone())));
        self.values.truncate(known);
        self.depth -= 1;
        let after: Vec<_> = forwarded.iter().enumerate().map(|(i, (_, ty))| (format!("{name}_a{i}"), *ty)).collect();
        self.line("} do {");
        self.line(&format!("^bb0({}):", list(&after, |(value, ty)| format!("{value}: {ty}"))));
        let (inner, outer) = (self.random.below(4), self.values.len());
        self.values.extend(after.clone());
        self.depth += 1;
        (0..inner).for_each(|_| self.operation());
        let next = self.define("i32", &format!("arith.addi {}, {one} : i32", after[0].0)).0;
        let ends: Vec<_> = types.iter().map(|ty| self.of(ty).0).chain([next]).collect();
        self.line(&format!("scf.yield {} : {}", ends.join(", "), taken.join(", ")));
        self.values.truncate(outer);
        self.depth -= 1;
        self.line("}");
        let head = format!(
            "  {}{name}:{} = scf.while ({}) : ({}) -> ({listed}) {{\n",
            "  ".repeat(self.depth),
            forwarded.len(),
            carried.join(", "),
            taken.join(", ")
        );
        self.text.insert_str(place, &head);
        let types: Vec<_> = forwarded.iter().map(|(_, ty)| *ty).collect();
        self.results(&name, &types);
    }
}

/// Runs the program of a seed, and compares the results with the reference evaluator's.
pub fn check(context: &Context, seed: u64) -> Result<()> {
    let raise = if seed.is_multiple_of(3) { Raising::Off } else { Raising::On };
    check_program(context, program(seed)?, Compilation::new(seed, false).raised(raise), None)
}
