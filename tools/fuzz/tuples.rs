//! Random reductions of tuples by comparisons and selections, against the reference evaluator.
//!
//! Many of the operators are not associative or not commutative, so that they must stay. Inputs have ties, zeros of both
//! signs, infinities and NaN.
use crate::{
    array::{Array, Element, Slot},
    fuzz::linalg::{Compilation, check_program},
};
use anyhow::{Result, anyhow};
use mdh_passes::schedule::random::Random;
use melior::Context;
use std::fmt::Write as _;

/// A component of the tuples.
struct Component {
    ty: &'static str,
    /// True if it is the index of the reduction iterator.
    is_index: bool,
}

impl Component {
    fn is_float(&self) -> bool {
        self.ty.starts_with('f')
    }
}

/// A region under construction. The components of the accumulator are `%m0`, `%m1`, …, those of the point `%v0`, `%v1`, …
struct Region<'r> {
    random: &'r mut Random,
    components: Vec<Component>,
    text: String,
    count: usize,
}

/// The text of a random program, and its arguments.
pub fn program(seed: u64) -> Result<(String, Vec<Array>)> {
    let mut random = Random::new(seed);
    let value = ["f32", "f32", "f64", "i32", "i8"][random.below(5)];
    let mut components = vec![Component { ty: value, is_index: false }];
    if random.below(4) > 0 {
        let ty = ["index", "i32", "i64"][random.below(3)];
        components.push(Component { ty, is_index: true });
    }
    if random.once_in(4) {
        let ty = if random.once_in(2) { value } else { "i32" };
        components.push(Component { ty, is_index: false });
    }
    let mut region = Region { random: &mut random, components, text: String::new(), count: 0 };
    let results = region.results();
    let Region { components, text: body, .. } = region;
    let (rows, columns) = (1 + random.below(4), 1 + random.below(60));
    let arguments = arguments(&mut random, &components, (rows, columns))?;
    Ok((text(&mut random, &components, (rows, columns), (&body, &results)), arguments))
}

impl Region<'_> {
    fn define(&mut self, operation: &str) -> String {
        self.count += 1;
        let name = format!("%c{}", self.count);
        let _ = writeln!(self.text, "    {name} = {operation}");
        name
    }

    /// A comparison of the components of the accumulator and the point.
    fn comparison(&mut self, component: usize, predicates: &[&str]) -> String {
        let Component { ty, .. } = self.components[component];
        let predicate = predicates[self.random.below(predicates.len())];
        let is_float = self.components[component].is_float();
        let operation = if is_float { "cmpf" } else { "cmpi" };
        let prefix = match (is_float, predicate) {
            (true, "uno") => "",
            (true, "ne") => "u",
            (true, _) => ["o", "o", "o", "u"][self.random.below(4)],
            (false, "eq" | "ne") => "",
            (false, _) => ["s", "s", "s", "u"][self.random.below(4)],
        };
        let (left, right) = match (predicate, self.random.below(2)) {
            ("uno", 0) => ("m", "m"),
            ("uno", _) => ("v", "v"),
            (_, 0) => ("m", "v"),
            _ => ("v", "m"),
        };
        self.define(&format!("arith.{operation} {prefix}{predicate}, %{left}{component}, %{right}{component} : {ty}"))
    }

    /// The condition that selects the accumulator or the point, and perhaps another one for the other components.
    fn conditions(&mut self) -> (String, String) {
        let first = self.comparison(0, &["gt", "ge", "lt", "le"]);
        let mut one = first;
        if self.components[0].is_float() && self.random.once_in(2) {
            let nan = self.comparison(0, &["uno"]);
            one = self.define(&format!("arith.ori {one}, {nan} : i1"));
        }
        let index = self.components.iter().position(|component| component.is_index);
        let Some(index) = index.filter(|_| !self.random.once_in(3)) else { return (one.clone(), one) };
        let tie = self.comparison(0, &["eq"]);
        let before = self.comparison(index, &["lt", "gt", "le"]);
        let both = self.define(&format!("arith.andi {tie}, {before} : i1"));
        let with_tie = self.define(&format!("arith.ori {one}, {both} : i1"));
        match self.random.once_in(2) {
            true => (with_tie.clone(), with_tie),
            false => (one, with_tie),
        }
    }

    /// The names of the results.
    fn results(&mut self) -> Vec<String> {
        let (value, others) = self.conditions();
        let is_swapped = self.random.once_in(2);
        let mut results = vec![];
        for component in 0..self.components.len() {
            let ty = self.components[component].ty;
            let condition = if component == 0 { &value } else { &others };
            let sides = if is_swapped != self.random.once_in(30) { ["v", "m"] } else { ["m", "v"] };
            let [x, y] = sides.map(|side| format!("%{side}{component}"));
            let is_extreme = self.random.once_in(8);
            let select = match (is_extreme, self.components[component].is_float()) {
                (true, true) => {
                    let kind = ["maximumf", "minimumf", "maxnumf"][self.random.below(3)];
                    format!("arith.{kind} {x}, {y} : {ty}")
                }
                (true, false) => format!("arith.{} {x}, {y} : {ty}", ["maxsi", "minui"][self.random.below(2)]),
                (false, _) => format!("arith.select {condition}, {x}, {y} : {ty}"),
            };
            results.push(self.define(&select));
        }
        results
    }
}

/// The inputs, and the initial values that are arguments.
fn arguments(random: &mut Random, components: &[Component], (rows, columns): (usize, usize)) -> Result<Vec<Array>> {
    let mut arguments = vec![];
    let has_nan = random.once_in(2);
    for component in components.iter().filter(|component| !component.is_index) {
        let kind = Element::from_name(component.ty).ok_or_else(|| anyhow!("no such type"))?;
        let mut array = Array::filled(kind, &[rows, columns], 0).map_err(anyhow::Error::msg)?;
        for i in 0..array.len() {
            let small = random.below(7) as f64 - 3.0;
            let special = [-0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, if has_nan { f64::NAN } else { -3.0 }];
            let value = if kind.is_float() && random.once_in(4) { special[random.below(5)] } else { small };
            let bits = Slot::from(value as i64 as u64) & kind.mask();
            array.set(i, if kind.is_float() { kind.from_f64(value) } else { bits });
        }
        arguments.push(array);
    }
    Ok(arguments)
}

/// The program. Some results are not used.
fn text(
    random: &mut Random,
    components: &[Component],
    (rows, columns): (usize, usize),
    (body, results): (&str, &[String]),
) -> String {
    let list = |items: &mut dyn Iterator<Item = String>| items.collect::<Vec<_>>().join(", ");
    let inputs = || components.iter().enumerate().filter(|(_, component)| !component.is_index);
    let tensor = |ty: &str| format!("tensor<{rows}x{columns}x{ty}>");
    let result = |ty: &str| format!("tensor<{rows}x{ty}>");
    let mut setup = String::new();
    for (i, component) in components.iter().enumerate() {
        let ty = component.ty;
        let initial = match (component.is_float(), component.is_index) {
            (true, _) => ["0xFF800000", "0x7F800000", "0.0", "-1.0", "0x7FC00000"][random.below(5)].to_owned(),
            (false, true) => ["0", "0", "-1", "1", "100"][random.below(5)].to_owned(),
            _ => ["-128", "127", "0", "1"][random.below(4)].to_owned(),
        };
        let initial = match (ty, initial.as_str()) {
            ("f64", "0xFF800000") => "0xFFF0000000000000".to_owned(),
            ("f64", "0x7F800000") => "0x7FF0000000000000".to_owned(),
            ("f64", "0x7FC00000") => "0x7FF8000000000000".to_owned(),
            _ => initial,
        };
        let out = result(ty);
        let _ = writeln!(setup, "  %i{i} = arith.constant {initial} : {ty}\n  %e{i} = tensor.empty() : {out}");
        let _ = writeln!(setup, "  %s{i} = linalg.fill ins(%i{i} : {ty}) outs(%e{i} : {out}) -> {out}");
    }
    let mut used: Vec<_> = (0..components.len()).filter(|_| !random.once_in(3)).collect();
    if used.is_empty() {
        used.push(components.len() - 1);
    }
    let mut indices = String::new();
    for (i, component) in components.iter().enumerate().filter(|(_, component)| component.is_index) {
        let _ = match component.ty {
            "index" => writeln!(indices, "    %v{i} = linalg.index 1 : index"),
            ty => writeln!(indices, "    %n = linalg.index 1 : index\n    %v{i} = arith.index_cast %n : index to {ty}"),
        };
    }
    let types = list(&mut components.iter().map(|component| result(component.ty)));
    let maps = inputs().map(|_| "#id").chain(components.iter().map(|_| "#row"));
    format!(
        "#id = affine_map<(i, j) -> (i, j)>\n#row = affine_map<(i, j) -> (i)>\n\
         func.func @program({}) -> ({}) {{\n{setup}  \
         %r:{} = linalg.generic {{indexing_maps = [{}], iterator_types = [\"parallel\", \"reduction\"]}} ins({} : {}) \
         outs({} : {types}) {{\n  ^bb0({}):\n{indices}{body}    linalg.yield {} : {}\n  }} -> ({types})\n  \
         return {} : {}\n}}\n",
        list(&mut inputs().map(|(i, component)| format!("%a{i}: {}", tensor(component.ty)))),
        list(&mut used.iter().map(|i| result(components[*i].ty))),
        components.len(),
        list(&mut maps.map(str::to_owned)),
        list(&mut inputs().map(|(i, _)| format!("%a{i}"))),
        list(&mut inputs().map(|(_, component)| tensor(component.ty))),
        list(&mut (0..components.len()).map(|i| format!("%s{i}"))),
        list(
            &mut inputs()
                .map(|(i, component)| format!("%v{i}: {}", component.ty))
                .chain(components.iter().enumerate().map(|(i, component)| format!("%m{i}: {}", component.ty)))
        ),
        results.join(", "),
        list(&mut components.iter().map(|component| component.ty.to_owned())),
        list(&mut used.iter().map(|i| format!("%r#{i}"))),
        list(&mut used.iter().map(|i| result(components[*i].ty))),
    )
}

/// Runs the program of a seed, and compares the results with the reference evaluator's, bit for bit.
pub fn check(context: &Context, seed: u64) -> Result<()> {
    check_program(context, program(seed)?, Compilation::new(seed, seed.is_multiple_of(3)), None)
}
