//! Random loop nests on memrefs and on tensors, raised, against the reference evaluator, which executes the loops.
//!
//! Elements are integers, whose arithmetic wraps. Statements at all depths read and write the same few buffers at
//! constant distances, so that most dependences occur; those nests must stay. Loops on tensors carry all of them. Half of
//! the programs have dynamic sizes, and loops whose bounds are these. Half of those on memrefs have memrefs with one
//! dimension and indices such as `i * n + j`, and nothing says that these share no memory.
mod text;

use crate::{
    array::{Array, Element, Slot},
    fuzz::{
        compare::{compare, compare_results},
        linalg::{self, Compilation},
    },
    jit::Argument,
    program, reference, signature,
};
use anyhow::{Context as _, Result, anyhow, ensure};
use mdh_dialects::ir;
use mdh_passes::{schedule::random::Random, target::upstream};
use melior::Context;
use std::fmt::Write as _;

/// The size of each axis of each buffer.
const SIZE: i64 = 9;

/// A loop around a statement: its variable, its first and its last value.
type Around = (String, i64, i64);

/// An element: the number of the buffer, and for each index the variable, its factor, and what is added to it.
struct Place(usize, Vec<(Option<(String, i64)>, i64)>);

/// A program under construction.
struct Nests<'r> {
    random: &'r mut Random,
    text: String,
    is_tensor: bool,
    is_dynamic: bool,
    /// True if all buffers have one dimension.
    is_flat: bool,
    /// True if some accesses are of views of the buffers.
    has_views: bool,
    /// By buffer: the rank.
    ranks: Vec<usize>,
    /// By buffer: its name at present.
    names: Vec<String>,
    count: usize,
}

/// The text of a random program, and its arguments.
pub fn program(seed: u64) -> Result<(String, Vec<Array>)> {
    let mut random = Random::new(seed);
    let ranks: Vec<_> = (0..2 + random.below(2)).map(|_| 1 + random.below(2)).collect();
    let (is_tensor, is_dynamic) = (random.once_in(2), random.once_in(2));
    let is_flat = !is_tensor && seed % 4 < 2;
    let has_views = !is_tensor && random.once_in(2);
    let names: Vec<_> = (0..ranks.len()).map(|i| format!("%m{i}")).collect();
    let (random, text) = (&mut random, String::new());
    let mut nests =
        Nests { random, text, is_tensor, is_dynamic, is_flat, has_views, ranks: ranks.clone(), names, count: 0 };
    let views: String = (0..ranks.len()).filter(|_| has_views).map(|number| nests.view(number)).collect();
    for _ in 0..1 + nests.random.below(2) {
        nests.nest(&mut vec![], 0);
    }
    let types = nests.types();
    let apart = if is_tensor || is_flat { "" } else { " {llvm.noalias}" };
    let mut parameters: Vec<_> = types.iter().enumerate().map(|(i, ty)| format!("%m{i}: {ty}{apart}")).collect();
    let size = match is_flat {
        true => {
            parameters.push("%size: index".to_owned());
            String::new()
        }
        false => format!("  %size = {}.dim %m0, %c0 : {}\n", if is_tensor { "tensor" } else { "memref" }, types[0]),
    };
    let (results, ending) = match is_tensor {
        true => {
            (format!(" -> ({})", types.join(", ")), format!("return {} : {}", nests.names.join(", "), types.join(", ")))
        }
        false => (String::new(), "return".to_owned()),
    };
    let text = format!(
        "func.func @program({}){results} {{\n  %number = arith.constant {} : i32\n  %c0 = arith.constant 0 : index\n\
         {size}{views}{}  {ending}\n}}\n",
        parameters.join(", "),
        nests.random.below(7) as i64 - 3,
        nests.text
    );
    let element = Element::from_name("i32").ok_or_else(|| anyhow!("no such type"))?;
    let data = ranks.iter().map(|rank| {
        let shape = match is_flat {
            true => vec![(SIZE as usize).pow(*rank as u32)],
            false => vec![SIZE as usize; *rank],
        };
        let mut array = Array::filled(element, &shape, 0).map_err(anyhow::Error::msg)?;
        for i in 0..array.len() {
            array.set(i, Slot::from(random.next()) & element.mask());
        }
        Ok(array)
    });
    let size = is_flat.then(|| Ok(Array::scalar(Element::Index, SIZE as Slot)));
    Ok((text, data.chain(size).collect::<Result<_>>()?))
}

impl Nests<'_> {
    fn name(&mut self) -> String {
        self.count += 1;
        format!("%v{}", self.count)
    }

    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "  ".repeat(depth + 1));
    }

    /// The type of a buffer.
    fn ty(&self, number: usize) -> String {
        let size = if self.is_dynamic { "?x".to_owned() } else { format!("{SIZE}x") };
        let kind = if self.is_tensor { "tensor" } else { "memref" };
        if self.is_flat {
            let count = SIZE.pow(self.ranks[number] as u32);
            return if self.is_dynamic { "memref<?xi32>".to_owned() } else { format!("memref<{count}xi32>") };
        }
        format!("{kind}<{}i32>", size.repeat(self.ranks[number]))
    }

    fn types(&self) -> Vec<String> {
        (0..self.ranks.len()).map(|number| self.ty(number)).collect()
    }

    /// The head of a random loop; notes the loop in `around`.
    fn head(&mut self, around: &mut Vec<Around>) -> String {
        let (lower, above) = (self.random.below(3) as i64, self.random.below(3) as i64);
        let step = if self.random.once_in(5) { 2 } else { 1 };
        let variable = format!("%i{}", self.count);
        self.count += 1;
        let upper = SIZE - above;
        let last = lower + (upper - lower - 1) / step * step;
        around.push((variable.clone(), lower, last));
        let upper = match self.is_dynamic && !self.random.once_in(4) {
            true => format!("affine_map<()[n] -> (n - {above})>()[%size]"),
            false => upper.to_string(),
        };
        format!("affine.for {variable} = {lower} to {upper} step {step}")
    }

    /// A loop with statements and loops in it.
    fn nest(&mut self, around: &mut Vec<Around>, depth: usize) {
        let head = self.head(around);
        if self.random.once_in(4) {
            // A value that the loop carries.
            let (results, carried) = self.begin(depth, &head, Some("%number"));
            let value = self.value(around, depth + 1);
            if self.random.once_in(4) {
                // The value before the iteration.
                self.store(around, depth + 1, &carried);
            }
            let kind = ["addi", "maxsi", "xori", "subi"][self.random.below(4)];
            let next = self.name();
            self.line(depth + 1, &format!("{next} = arith.{kind} {carried}, {value} : i32"));
            if self.random.once_in(3) {
                self.store(around, depth + 1, &next);
            }
            self.end(depth, &results, Some(&next));
            around.pop();
            if !self.random.once_in(4) {
                self.store(around, depth, &format!("{results}#0"));
            }
            return;
        }
        let (results, _) = self.begin(depth, &head, None);
        for _ in 0..1 + self.random.below(2) {
            if depth < 2 && self.random.once_in(2) {
                self.nest(around, depth + 1);
            } else {
                self.statement(around, depth + 1);
            }
        }
        around.pop();
        self.end(depth, &results, None);
    }

    /// A store of a value, or of one that is combined with the element before.
    fn statement(&mut self, around: &[Around], depth: usize) {
        if self.random.once_in(4) {
            self.store(around, depth, "%number");
            return;
        }
        let value = self.value(around, depth);
        if self.random.once_in(3) && self.scan(around, depth, &value).is_some() {
            return;
        }
        if self.random.once_in(2) {
            self.store(around, depth, &value);
            return;
        }
        let place = self.place(around);
        let kind = ["addi", "muli", "minsi", "andi"][self.random.below(4)];
        self.combine(depth, kind, &value, &place, &place);
    }

    /// A statement that combines an element at a distance with a value, mostly the one that the iteration before writes;
    /// `None` if no such elements are in a buffer.
    fn scan(&mut self, around: &[Around], depth: usize, value: &str) -> Option<()> {
        let number = self.random.below(self.ranks.len());
        let mut free = around.to_vec();
        self.random.shuffle(&mut free);
        free.truncate(self.ranks[number]);
        let scanned = self.random.below(free.len());
        let distance = [1, 1, 1, 1, 2, -1, 3][self.random.below(7)];
        let (mut to, mut from) = (vec![], vec![]);
        for axis in 0..self.ranks[number] {
            let Some((variable, first, last)) = free.get(axis) else {
                let index = self.random.below(SIZE as usize) as i64;
                to.push((None, index));
                from.push((None, index));
                continue;
            };
            let sign = if self.random.once_in(3) { -1 } else { 1 };
            let shift = if axis == scanned { -distance * sign } else { 0 };
            let ends = [first * sign, last * sign];
            let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            // All of low + offset .. high + offset + shift are indices.
            let (least, most) = (-low - shift.min(0), SIZE - 1 - high - shift.max(0));
            let choices = usize::try_from(most - least + 1).ok().filter(|choices| *choices > 0)?;
            let offset = least + self.random.below(choices) as i64;
            to.push((Some((variable.clone(), sign)), offset));
            from.push((Some((variable.clone(), sign)), offset + shift));
        }
        let kind = ["addi", "addi", "muli", "minsi", "subi"][self.random.below(5)];
        self.combine(depth, kind, value, &Place(number, from), &Place(number, to));
        Some(())
    }

    /// Stores the combination of an element with a value.
    fn combine(&mut self, depth: usize, kind: &str, value: &str, from: &Place, to: &Place) {
        let before = self.load(depth, from);
        let after = self.name();
        self.line(depth, &format!("{after} = arith.{kind} {before}, {value} : i32"));
        self.store_to(depth, &after, to);
    }

    fn store(&mut self, around: &[Around], depth: usize, value: &str) {
        let place = self.place(around);
        self.store_to(depth, value, &place);
    }

    /// A value of one or two elements, and of a variable.
    fn value(&mut self, around: &[Around], depth: usize) -> String {
        let place = self.place(around);
        let mut value = self.load(depth, &place);
        if self.random.once_in(2) {
            let place = self.place(around);
            let (other, product) = (self.load(depth, &place), self.name());
            self.line(depth, &format!("{product} = arith.muli {value}, {other} : i32"));
            value = product;
        }
        if self.random.once_in(5)
            && let Some((variable, ..)) = around.last()
        {
            let (number, sum) = (self.name(), self.name());
            self.line(depth, &format!("{number} = arith.index_cast {variable} : index to i32"));
            self.line(depth, &format!("{sum} = arith.addi {value}, {number} : i32"));
            value = sum;
        }
        value
    }

    /// An element of a buffer: each index is a variable and a constant, or a constant.
    fn place(&mut self, around: &[Around]) -> Place {
        let number = self.random.below(self.ranks.len());
        let mut free: Vec<_> = around.to_vec();
        self.random.shuffle(&mut free);
        let mut indices = vec![];
        for _ in 0..self.ranks[number] {
            indices.push(match free.pop() {
                Some((variable, first, last)) if !self.random.once_in(8) => {
                    let added = match self.random.once_in(3) {
                        true => self.random.below((SIZE - last + first) as usize) as i64 - first,
                        false => 0,
                    };
                    (Some((variable, 1)), added)
                }
                _ => (None, self.random.below(SIZE as usize) as i64),
            });
        }
        Place(number, indices)
    }
}

/// Runs the program of a seed raised, and compares the tensors or the memrefs with the reference evaluator's.
pub fn check(context: &Context, seed: u64) -> Result<()> {
    let (text, arguments) = program(seed)?;
    let passes = [upstream::CANONICALIZE, "lower-affine", "func.func(affine-parallelize)"][(seed % 3) as usize];
    let mut module = program::parse(context, text.as_bytes()).with_context(|| text.clone())?;
    program::run(context, &mut module, "builtin.module(lower-affine)")?;
    let function = signature::find(ir::op(module.as_operation()), None)?;
    let expected = reference::evaluate_with_errors(function, arguments.clone(), &|_| ());
    let expected = expected.map_err(|failure| anyhow!("{failure}\n{text}"))?;
    let mut module = program::parse(context, text.as_bytes())?;
    program::run(context, &mut module, "builtin.module(func.func(mdh-delinearize),lower-affine)")?;
    let function = signature::find(ir::op(module.as_operation()), None)?;
    let delinearized = reference::evaluate_with_errors(function, arguments.clone(), &|_| ());
    let delinearized = delinearized.map_err(|failure| anyhow!("delinearized: {failure}\n{text}"))?;
    for (i, (expected, actual)) in expected.arguments.iter().zip(&delinearized.arguments).enumerate() {
        compare(&format!("delinearized memref {i}"), expected, &actual.array)
            .map_err(|error| anyhow!("{error}\n{text}"))?;
    }
    let mut module = program::parse(context, text.as_bytes())?;
    program::run(context, &mut module, &format!("builtin.module({passes})"))?;
    let (results, given) = linalg::execute(context, &mut module, Compilation::new(seed, false), arguments)
        .with_context(|| text.clone())?;
    compare_results(&expected.results, &results).map_err(|error| anyhow!("{error}\n{text}"))?;
    ensure!(expected.arguments.len() == given.len(), "another number of memrefs");
    for (i, (expected, actual)) in expected.arguments.iter().zip(&given).enumerate() {
        let Argument::Array(actual) = actual else { continue };
        compare(&format!("memref {i}"), expected, actual).map_err(|error| anyhow!("{error}\n{text}"))?;
    }
    Ok(())
}
