//! Scalar functions: expressions, and their MLIR text.
//!
//! Floats contain small integers only. The writer tracks the range of every float and clamps it before it would be
//! rounded. So all expressions are exact, and sums do not depend on the order of additions.
use crate::fuzz::buffer::Scalar;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// An expression; its type follows from its use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expression {
    /// A component of the tuple that the scalar function takes.
    Argument(usize),
    /// The index of the point in a dimension.
    Index(usize),
    /// A number.
    Constant(i64),
    /// `add`, `sub`, `mul`, `min`, `max`, `call` (a function that returns the larger one); `and`, `or`, `xor`, `div`,
    /// `rem`, `shl`, `shrs`, `shru` on integers, which are `add` on floats.
    Binary(String, Box<Expression>, Box<Expression>),
    /// The absolute value.
    Absolute(Box<Expression>),
    /// `a * b + c`
    Fma(Box<Expression>, Box<Expression>, Box<Expression>),
    /// A cast of an expression of another type.
    Cast(Scalar, Box<Expression>),
    /// A selection.
    Choice {
        /// `lt`, `le`, `eq`, …
        predicate: String,
        /// The type of the compared operands.
        of: Scalar,
        /// Left and right operand of the comparison, value if true, value if false.
        operands: Box<[Expression; 4]>,
        /// `scf.if` instead of `arith.select`.
        branch: bool,
    },
    /// `scf.for` with `value = value + step` in each of so many iterations
    Loop(u8, Box<Expression>, Box<Expression>),
    /// The same with `scf.while`
    While(u8, Box<Expression>, Box<Expression>),
}

impl Expression {
    /// The direct subexpressions.
    pub fn children(&self) -> Vec<&Expression> {
        match self {
            Self::Argument(_) | Self::Index(_) | Self::Constant(_) => vec![],
            Self::Binary(_, a, b) | Self::Loop(_, a, b) | Self::While(_, a, b) => vec![a, b],
            Self::Absolute(a) | Self::Cast(_, a) => vec![a],
            Self::Fma(a, b, c) => vec![a, b, c],
            Self::Choice { operands, .. } => operands.iter().collect(),
        }
    }

    /// The direct subexpressions, mutable.
    pub fn children_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Self::Argument(_) | Self::Index(_) | Self::Constant(_) => vec![],
            Self::Binary(_, a, b) | Self::Loop(_, a, b) | Self::While(_, a, b) => vec![a, b],
            Self::Absolute(a) | Self::Cast(_, a) => vec![a],
            Self::Fma(a, b, c) => vec![a, b, c],
            Self::Choice { operands, .. } => operands.iter_mut().collect(),
        }
    }

    /// Renames arguments and indices; those without a new name become the constant 1.
    pub fn rename(&mut self, argument: &dyn Fn(usize) -> Option<usize>, index: &dyn Fn(usize) -> Option<usize>) {
        match self {
            Self::Argument(i) => *self = argument(*i).map_or(Self::Constant(1), Self::Argument),
            Self::Index(d) => *self = index(*d).map_or(Self::Constant(1), Self::Index),
            _ => self.children_mut().into_iter().for_each(|child| child.rename(argument, index)),
        }
    }
}

/// The prefix of functions that scalar functions call, followed by the type.
const LARGER: &str = "larger";

/// The functions that a text calls, which return the larger one of two values.
pub fn functions(text: &str) -> String {
    let called = |t: &Scalar| text.contains(&format!("@{LARGER}_{}(", t.name()));
    let function = |t: Scalar| {
        let mut w = Writer::new(&[], 2);
        let keep = w.compare("gt", "%a", "%b", t);
        let larger = w.simple_from_data(&keep, &["%a".into()], &["%b".into()], &[t], true).remove(0);
        w.line(&format!("return {larger} : {}", t.name()));
        let t = t.name();
        format!("  func.func private @{LARGER}_{t}(%a: {t}, %b: {t}) -> {t} {{\n{}  }}\n", w.finish())
    };
    Scalar::ALL.into_iter().filter(called).map(function).collect()
}

/// The range of floating-point data.
pub const DATA: (f64, f64) = (-4.0, 4.0);

/// A value and its range; the ranges of integers are not tracked.
#[derive(Clone, Debug)]
pub struct Value {
    pub(super) name: String,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Writes operations, one per line.
pub struct Writer<'a> {
    arguments: &'a [Scalar],
    text: String,
    count: usize,
    depth: usize,
}

impl<'a> Writer<'a> {
    /// A writer for a function with arguments `%x0`, `%x1`, … of these types.
    pub fn new(arguments: &'a [Scalar], depth: usize) -> Self {
        Self { arguments, text: String::new(), count: 0, depth }
    }

    /// The written text.
    pub fn finish(self) -> String {
        self.text
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "  ".repeat(self.depth));
    }

    pub(super) fn define(&mut self, text: &str) -> String {
        let name = format!("%{}", self.count);
        self.count += 1;
        self.line(&format!("{name} = {text}"));
        name
    }

    /// A constant that is representable in the type.
    pub fn constant(&mut self, value: f64, t: Scalar) -> String {
        match t.is_float() {
            true => self.define(&format!("arith.constant {value:?} : {}", t.name())),
            false => self.integer(value as i64, t),
        }
    }

    /// An integer constant, wrapped to the type.
    pub fn integer(&mut self, value: i64, t: Scalar) -> String {
        if t.is_float() {
            return self.constant(value as f64, t);
        }
        let unused = 64 - t.width();
        let wrapped = (value << unused) >> unused;
        match t {
            Scalar::I1 => self.define(&format!("arith.constant {}", wrapped != 0)),
            _ => self.define(&format!("arith.constant {wrapped} : {}", t.name())),
        }
    }

    /// A binary operation of `arith`, or a function call.
    pub fn arithmetic(&mut self, name: &str, x: &str, y: &str, t: Scalar) -> String {
        if name == "call" {
            let t = t.name();
            return self.define(&format!("func.call @{LARGER}_{t}({x}, {y}) : ({t}, {t}) -> {t}"));
        }
        let operation = match (name, t.is_float()) {
            ("min", true) => "minimumf".into(),
            ("max", true) => "maximumf".into(),
            ("min" | "max" | "div" | "rem", false) => format!("{name}si"),
            (_, true) => format!("{name}f"),
            ("shl", false) => "shli".into(),
            ("shrs", false) => "shrsi".into(),
            ("shru", false) => "shrui".into(),
            (_, false) => format!("{name}i"),
        };
        self.define(&format!("arith.{operation} {x}, {y} : {}", t.name()))
    }

    /// A signed or ordered comparison.
    pub fn compare(&mut self, predicate: &str, x: &str, y: &str, t: Scalar) -> String {
        let (operation, prefix) = match (t.is_float(), predicate) {
            (true, _) => ("cmpf", "o"),
            (false, "eq" | "ne") => ("cmpi", ""),
            (false, _) => ("cmpi", "s"),
        };
        self.define(&format!("arith.{operation} {prefix}{predicate}, {x}, {y} : {}", t.name()))
    }

    /// Selects one of two tuples.
    pub fn simple_from_data(
        &mut self,
        condition: &str,
        x: &[String],
        y: &[String],
        types: &[Scalar],
        branch: bool,
    ) -> Vec<String> {
        if !branch {
            let select = |((x, y), t): ((&String, &String), &Scalar)| {
                self.define(&format!("arith.select {condition}, {x}, {y} : {}", t.name()))
            };
            return x.iter().zip(y).zip(types).map(select).collect();
        }
        let list: Vec<_> = types.iter().map(|t| t.name()).collect();
        let list = list.join(", ");
        let name = format!("%{}", self.count);
        self.count += 1;
        self.line(&format!("{name}:{} = scf.if {condition} -> ({list}) {{", types.len()));
        self.line(&format!("  scf.yield {} : {list}", x.join(", ")));
        self.line("} else {");
        self.line(&format!("  scf.yield {} : {list}", y.join(", ")));
        self.line("}");
        (0..types.len()).map(|i| format!("{name}#{i}")).collect()
    }

    /// Clamps a float to a range around zero if its own range is larger.
    pub fn narrow(&mut self, value: Value, limit: f64, t: Scalar) -> Value {
        if !t.is_float() || (value.low >= -limit && value.high <= limit) {
            return value;
        }
        let (low, high) = (self.constant(-limit, t), self.constant(limit, t));
        let name = self.arithmetic("max", &value.name, &low, t);
        let name = self.arithmetic("min", &name, &high, t);
        Value { name, low: value.low.max(-limit), high: value.high.min(limit) }
    }

    /// Writes an expression such that `count` values can be summed up exactly. If values are multiplied, it is -1 or 1.
    pub fn component(&mut self, expression: &Expression, t: Scalar, grows: Option<&str>, count: u64) -> String {
        let value = self.expression(expression, t);
        match grows {
            Some("mul") if t.is_float() => {
                let (zero, one, minus) = (self.constant(0.0, t), self.constant(1.0, t), self.constant(-1.0, t));
                let negative = self.compare("lt", &value.name, &zero, t);
                self.simple_from_data(&negative, &[minus], &[one], &[t], false).remove(0)
            }
            Some(_) => self.narrow(value, (t.exact() / count as f64).floor(), t).name,
            None => value.name,
        }
    }

    fn expression(&mut self, expression: &Expression, t: Scalar) -> Value {
        let limit = t.exact();
        let free = |name: String| Value { name, low: -limit, high: limit };
        match expression {
            Expression::Argument(i) => {
                let from = self.arguments[*i];
                let (low, high) = if from.is_float() { DATA } else { (-limit, limit) };
                self.cast(Value { name: format!("%x{i}"), low, high }, from, t)
            }
            Expression::Index(d) => {
                let name = self.define(&format!("mdh.hom.index {d} : index"));
                self.cast(free(name), Scalar::Index, t)
            }
            Expression::Constant(value) => {
                let name = self.integer(*value, t);
                Value { name, low: *value as f64, high: *value as f64 }
            }
            Expression::Binary(name, a, b) => self.binary(name, a, b, t),
            Expression::Absolute(a) => {
                let a = self.expression(a, t);
                let name = if t.is_float() { "absf" } else { "absi" };
                let name = self.define(&format!("math.{name} {} : {}", a.name, t.name()));
                Value { name, low: 0.0, high: a.high.max(-a.low) }
            }
            Expression::Fma(a, b, c) => self.fma([a, b, c], t),
            Expression::Cast(from, a) => {
                let a = self.expression(a, *from);
                self.cast(a, *from, t)
            }
            Expression::Choice { predicate, of, operands, branch } => {
                self.choice((predicate, *of), operands, *branch, t)
            }
            Expression::Loop(times, initial, step) => self.for_loop(*times, initial, step, t),
            Expression::While(times, initial, step) => self.while_loop(*times, initial, step, t),
        }
    }

    fn fma(&mut self, [a, b, c]: [&Expression; 3], t: Scalar) -> Value {
        let limit = t.exact();
        let root = (limit / 2.0).sqrt().floor();
        let (a, b, c) = (self.expression(a, t), self.expression(b, t), self.expression(c, t));
        let (a, b, c) = (self.narrow(a, root, t), self.narrow(b, root, t), self.narrow(c, limit / 2.0, t));
        let name = if t.is_float() {
            self.define(&format!("math.fma {}, {}, {} : {}", a.name, b.name, c.name, t.name()))
        } else {
            let product = self.arithmetic("mul", &a.name, &b.name, t);
            self.arithmetic("add", &product, &c.name, t)
        };
        Value { name, low: -limit, high: limit }
    }

    /// A value that depends on a comparison of values of another type.
    fn choice(
        &mut self,
        (predicate, of): (&str, Scalar),
        operands: &[Expression; 4],
        branch: bool,
        t: Scalar,
    ) -> Value {
        let [left, right, then, otherwise] = operands;
        let (left, right) = (self.expression(left, of), self.expression(right, of));
        let condition = self.compare(predicate, &left.name, &right.name, of);
        if !branch {
            let (then, otherwise) = (self.expression(then, t), self.expression(otherwise, t));
            let name = self.simple_from_data(&condition, &[then.name], &[otherwise.name], &[t], false).remove(0);
            return Value { name, low: then.low.min(otherwise.low), high: then.high.max(otherwise.high) };
        }
        let name = format!("%{}", self.count);
        self.count += 1;
        self.line(&format!("{name} = scf.if {condition} -> ({}) {{", t.name()));
        let then = self.inside(then, t);
        self.line("} else {");
        let otherwise = self.inside(otherwise, t);
        self.line("}");
        Value { name, low: then.low.min(otherwise.low), high: then.high.max(otherwise.high) }
    }

    /// A sum of an initial value and several equal steps, with `scf.for`.
    fn for_loop(&mut self, times: u8, initial: &Expression, step: &Expression, t: Scalar) -> Value {
        let limit = t.exact();
        let most = limit / (f64::from(times) + 1.0);
        let initial = self.expression(initial, t);
        let initial = self.narrow(initial, most.floor(), t);
        let [zero, upper, one] = [0, i64::from(times), 1].map(|bound| self.integer(bound, Scalar::Index));
        let name = format!("%{}", self.count);
        self.count += 1;
        let header =
            format!("{name} = scf.for {name}i = {zero} to {upper} step {one} iter_args({name}v = {})", initial.name);
        let header = header.replace(&format!("{name}i"), &format!("%i{}", &name[1..]));
        let header = header.replace(&format!("{name}v"), &format!("%v{}", &name[1..]));
        self.line(&format!("{header} -> ({}) {{", t.name()));
        self.depth += 1;
        let step = self.expression(step, t);
        let step = self.narrow(step, most.floor(), t);
        let sum = self.arithmetic("add", &format!("%v{}", &name[1..]), &step.name, t);
        self.line(&format!("scf.yield {sum} : {}", t.name()));
        self.depth -= 1;
        self.line("}");
        Value { name, low: -limit, high: limit }
    }

    /// A sum of an initial value and several equal steps, with `scf.while`.
    fn while_loop(&mut self, times: u8, initial: &Expression, step: &Expression, t: Scalar) -> Value {
        let limit = t.exact();
        let most = (limit / (f64::from(times) + 1.0)).floor();
        let initial = self.expression(initial, t);
        let initial = self.narrow(initial, most, t).name;
        let [zero, count, one] = [0, i64::from(times), 1].map(|number| self.integer(number, Scalar::Index));
        let (n, t_name) = (self.count, t.name());
        self.count += 1;
        self.line(&format!(
            "%{n}:2 = scf.while (%c{n} = {count}, %v{n} = {initial}) : (index, {t_name}) -> (index, {t_name}) {{"
        ));
        self.depth += 1;
        let more = self.compare("gt", &format!("%c{n}"), &zero, Scalar::Index);
        self.line(&format!("scf.condition({more}) %c{n}, %v{n} : index, {t_name}"));
        self.depth -= 1;
        self.line("} do {");
        self.line(&format!("^bb0(%d{n}: index, %w{n}: {t_name}):"));
        self.depth += 1;
        let step = self.expression(step, t);
        let step = self.narrow(step, most, t);
        let sum = self.arithmetic("add", &format!("%w{n}"), &step.name, t);
        let rest = self.arithmetic("sub", &format!("%d{n}"), &one, Scalar::Index);
        self.line(&format!("scf.yield {rest}, {sum} : index, {t_name}"));
        self.depth -= 1;
        self.line("}");
        Value { name: format!("%{n}#1"), low: -limit, high: limit }
    }

    fn inside(&mut self, expression: &Expression, t: Scalar) -> Value {
        self.depth += 1;
        let value = self.expression(expression, t);
        self.line(&format!("scf.yield {} : {}", value.name, t.name()));
        self.depth -= 1;
        value
    }

    fn odd(&mut self, name: &str, t: Scalar) -> Value {
        let one = self.integer(1, t);
        Value { name: self.arithmetic("or", name, &one, t), low: -t.exact(), high: t.exact() }
    }

    fn binary(&mut self, name: &str, a: &Expression, b: &Expression, t: Scalar) -> Value {
        let limit = t.exact();
        let name = match name {
            "and" | "or" | "xor" | "div" | "rem" | "shl" | "shrs" | "shru" if t.is_float() => "add",
            // Signed division of the smallest number by -1 is an error, and i1 has no other nonzero number.
            "div" | "rem" if t == Scalar::I1 => "xor",
            name => name,
        };
        let a = self.expression(a, t);
        let b = match name {
            // An odd number is not zero; of three bits it is not -1 either.
            "div" => {
                let (divisor, mask) = (self.expression(b, t), self.integer(7, t));
                let low = self.arithmetic("and", &divisor.name, &mask, t);
                self.odd(&low, t)
            }
            "rem" => {
                let divisor = self.expression(b, t);
                self.odd(&divisor.name, t)
            }
            _ => self.expression(b, t),
        };
        let most = match name {
            "mul" => limit.sqrt().floor(),
            "add" | "sub" => (limit / 2.0).floor(),
            _ => limit,
        };
        let (a, b) = (self.narrow(a, most, t), self.narrow(b, most, t));
        let name_of = self.arithmetic(name, &a.name, &b.name, t);
        let corners = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
        let (low, high) = match name {
            _ if !t.is_float() => (-limit, limit),
            "add" => (a.low + b.low, a.high + b.high),
            "sub" => (a.low - b.high, a.high - b.low),
            "mul" => {
                (corners.iter().copied().fold(f64::MAX, f64::min), corners.iter().copied().fold(f64::MIN, f64::max))
            }
            "min" => (a.low.min(b.low), a.high.min(b.high)),
            _ => (a.low.max(b.low), a.high.max(b.high)),
        };
        Value { name: name_of, low, high }
    }
}
