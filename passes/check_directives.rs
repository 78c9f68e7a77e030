//! `mdh-check-directives`: what a directive says of a nest is compared with what is raised.
//!
//! ```mlir
//! func.func private @sum_nest(%x: memref<8xf32> {mdh.name = "x"}, %y: memref<1xf32> {mdh.name = "y"})
//!     attributes {mdh.nest, mdh.directive = [["y[0]"], ["+"], ["k"]]} {
//!   %in = mdh.view.inp_view %x[affine_map<(k) -> (k)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
//!   ^bb0(%a: f32):
//!     mdh.hom.yield %a : f32
//!   } : !mdh.mda<8, f32> -> !mdh.mda<1, f32>
//!   mdh.view.out_view %r[affine_map<(k) -> (0)>] into %y : !mdh.mda<1, f32>, memref<1xf32>
//!   return
//! }
//! ```
//! becomes
//! ```mlir
//! attributes {mdh.nest}
//! ```
//!
//! A directive names the outputs of the loops behind it, and the combine operator of each loop:
//! `#pragma mdh(C[i][j] : ++, ++, +)`. Each output must be that of a computation with these operators, in which the subscripts
//! have the same loops; other computations of the nest, such as one that sets initial values, have the same outputs. An error
//! is at the directive, which is the location of the function. An output without a name, in code that is
//! inlined, may be any.
use crate::analysis::{
    computation::{AccessedBuffer, Computation},
    origin::{argument_attribute, origin},
};
use mdh_dialects::{
    attributes::{DIRECTIVE, SOURCE_NAME},
    hom::{CombineOperator, Function, Kind, Operator},
    ir::{self, FloatPredicate, IntPredicate, Op, Val},
    pass::{Failure, MdhPass},
};

/// The pass.
pub struct CheckDirectives;

impl MdhPass for CheckDirectives {
    const NAME: &'static str = "CheckDirectives";
    const ARGUMENT: &'static str = "mdh-check-directives";
    const DESCRIPTION: &'static str = "Compare directives with what is raised";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for function in ir::find(module, "func.func") {
            let Some(directive) = NestDirective::of(function) else { continue };
            directive
                .check(function, &Computation::all(function))
                .map_err(|problem| Failure::new(function, problem))?;
            ir::remove_attribute(function, DIRECTIVE);
        }
        Ok(())
    }
}

/// What a directive says.
struct NestDirective<'c> {
    /// The outputs, as in `C[i][j]`.
    outputs: Vec<&'c str>,
    /// By loop: the operator.
    operators: Vec<&'c str>,
    /// By loop: the variable.
    variables: Vec<&'c str>,
}

/// A buffer that a computation writes.
struct Written<'a, 'c> {
    computation: &'a Computation<'c>,
    buffer: &'a AccessedBuffer<'c>,
}

impl<'c> NestDirective<'c> {
    /// The directive on the function of a nest.
    fn of(function: Op<'c>) -> Option<Self> {
        let lists = ir::attribute(function, DIRECTIVE).and_then(ir::array_attribute)?;
        let texts = |list: usize| -> Option<Vec<&'c str>> {
            ir::array_attribute(*lists.get(list)?)?.into_iter().map(ir::string_attribute).collect()
        };
        Some(Self { outputs: texts(0)?, operators: texts(1)?, variables: texts(2)? })
    }

    /// Compares it with the computations of the nest.
    fn check(&self, function: Op<'c>, computations: &[Computation<'c>]) -> Result<(), String> {
        let written = |computation| move |buffer| Written { computation, buffer };
        let written = computations.iter().flat_map(|of| of.outputs.iter().map(written(of)));
        let written: Vec<_> = written.collect();
        if written.is_empty() {
            return Err("requires loops that are raised, but the loops of this directive stay".to_owned());
        }
        let (mut names, mut is_scalar) = (vec![], false);
        for output in &self.outputs {
            let (name, subscripts) = subscripts(output);
            is_scalar |= subscripts.is_empty();
            names.push(name);
            self.check_output(name, &subscripts, &written)?;
        }
        // Loops that stay write arrays, too.
        let stored = ir::find(function, "memref.store").into_iter().filter_map(|store| name_of(ir::operands(store)[1]));
        let mut others: Vec<_> = written.iter().filter_map(Written::name).chain(stored).collect();
        others.retain(|name| !names.contains(name));
        others.sort_unstable();
        others.dedup();
        let anonymous = names.iter().filter(|name| name.is_empty()).count();
        match others.get(anonymous) {
            Some(other) => Err(format!("requires all outputs of its loops, but has not '{other}'")),
            None if !is_scalar && returns_numbers(function) => {
                Err("requires all outputs of its loops, but has not a scalar that they compute".to_owned())
            }
            None => Ok(()),
        }
    }

    /// Compares one output with the computations that write it.
    fn check_output(&self, name: &str, subscripts: &[&str], all: &[Written<'_, 'c>]) -> Result<(), String> {
        // A scalar of the source has no memory, and no name; neither has a buffer from which an output is copied at the end.
        let is_own = |written: &&Written<'_, 'c>| match written.name() {
            Some(own) => own == name || name.is_empty(),
            None => subscripts.is_empty(),
        };
        let own: Vec<_> = all.iter().filter(is_own).collect();
        let copied = all.iter().filter(|written| written.name().is_none());
        let Some(largest) = own.iter().max_by_key(|written| written.computation.rank()) else {
            return Err(format!("requires outputs of its loops, but they do not write '{name}'"));
        };
        let fits = |written: &&Written<'_, 'c>| {
            let operators = written.operators();
            operators.len() == self.operators.len()
                && operators.iter().zip(&self.operators).all(|(raised, said)| is_same(raised, said))
        };
        let Some(found) = own.iter().copied().chain(copied).find(fits) else {
            let (said, raised) = (self.operators.join(", "), largest.operators().join(", "));
            return Err(format!(
                "requires the operators of its loops, but has {said} where {} is raised with {raised}",
                quoted(name)
            ));
        };
        self.check_subscripts(name, subscripts, found)
    }

    /// Compares the loops that subscripts depend on: those of each, or of all together for an array that is raised with
    /// another number of dimensions.
    fn check_subscripts(&self, name: &str, subscripts: &[&str], written: &Written<'_, 'c>) -> Result<(), String> {
        let Some(access) = written.buffer.accesses.first() else { return Ok(()) };
        let rows: Vec<Vec<usize>> =
            (0..access.rank()).map(|axis| access.terms(axis).map(|(d, _)| d).collect()).collect();
        let said: Vec<Vec<usize>> = subscripts.iter().map(|text| self.loops(text)).collect();
        let all = |of: &[Vec<usize>]| {
            let mut all = of.concat();
            all.sort_unstable();
            all.dedup();
            all
        };
        let is_same = if rows.len() == said.len() { rows == said } else { all(&rows) == all(&said) };
        match is_same {
            true => Ok(()),
            false => {
                let name_of = |d: &usize| {
                    self.variables.get(*d).map_or_else(|| format!("loop {}", d + 1), |name| (*name).to_owned())
                };
                let row = |row: &Vec<usize>| format!("[{}]", row.iter().map(name_of).collect::<Vec<_>>().join(", "));
                let rows: String = rows.iter().map(row).collect();
                let said = subscripts.iter().map(|text| format!("[{text}]")).collect::<String>();
                Err(format!(
                    "requires the subscripts of its loops, but has {name}{said} where {} depends on {rows}",
                    quoted(name)
                ))
            }
        }
    }

    /// The loops whose variables a subscript has, in ascending order.
    fn loops(&self, subscript: &str) -> Vec<usize> {
        let words: Vec<_> = subscript.split(|of: char| !of.is_alphanumeric() && of != '_').collect();
        (0..self.variables.len()).filter(|number| words.contains(&self.variables[*number])).collect()
    }
}

impl<'c> Written<'_, 'c> {
    /// The name that the source gives the buffer; `None` for a scalar.
    fn name(&self) -> Option<&'c str> {
        name_of(self.buffer.value)
    }

    /// By dimension: the operator that combines the component.
    fn operators(&self) -> Vec<String> {
        let component = self.buffer.first_component;
        let scope = self.computation.hom.op();
        self.computation.operators.iter().map(|operator| spelled(operator, component, scope)).collect()
    }
}

/// The name that the source gives a memref, or the one that it is a part of.
fn name_of<'c>(memref: Val<'c>) -> Option<&'c str> {
    argument_attribute(origin(memref), SOURCE_NAME).and_then(ir::string_attribute)
}

/// True if the function of a nest returns scalars that its loops compute.
fn returns_numbers(function: Op<'_>) -> bool {
    ir::find(function, "func.return").into_iter().any(|last| !ir::operands(last).is_empty())
}

/// An output in messages.
fn quoted(name: &str) -> String {
    if name.is_empty() { "an output".to_owned() } else { format!("'{name}'") }
}

/// The name and the subscripts of an output such as `C[i][j]`.
fn subscripts(output: &str) -> (&str, Vec<&str>) {
    let mut parts = output.split('[').map(str::trim);
    let name = parts.next().unwrap_or_default();
    (name, parts.map(|part| part.trim_end_matches(']')).collect())
}

/// An operator as directives spell it. A function of the program has no name after it is inlined. `scope`: an operation from
/// which symbols are looked up.
fn spelled(operator: &CombineOperator, component: usize, scope: Op<'_>) -> String {
    let function = match operator.function() {
        None => return "++".to_owned(),
        Some(Function::Symbol(symbol)) => {
            let body = Operator::lookup(scope, symbol).and_then(Operator::body);
            let result = body.and_then(ir::terminator).and_then(|last| ir::operands(last).get(component).copied());
            result.and_then(ir::defining).and_then(extremum).unwrap_or(FUNCTION)
        }
        Some(Function::Builtin(kinds)) => match kinds.get(component) {
            Some(Kind::Add) => "+",
            Some(Kind::Mul) => "*",
            Some(Kind::Min) => "min",
            Some(Kind::Max) => "max",
            Some(Kind::And) => "&",
            Some(Kind::Or) => "|",
            Some(Kind::Xor) => "^",
            None => FUNCTION,
        },
    };
    if operator.is_scan() { format!("ps({function})") } else { function.to_owned() }
}

/// The name of a minimum or a maximum: an operation that has one, or a selection of one of two values that are compared.
fn extremum(operation: Op<'_>) -> Option<&'static str> {
    let selected = match ir::name(operation) {
        "arith.maxnumf" | "arith.maximumf" | "arith.maxsi" | "arith.maxui" => return Some("max"),
        "arith.minnumf" | "arith.minimumf" | "arith.minsi" | "arith.minui" => return Some("min"),
        "arith.select" => ir::operands(operation),
        _ => return None,
    };
    let comparison = ir::defining(selected[0])?;
    let is_greater = is_greater(comparison)?;
    let compared = ir::operands(comparison);
    let takes_first = selected[1] == compared[0] && selected[2] == compared[1];
    let takes_second = selected[1] == compared[1] && selected[2] == compared[0];
    match takes_first || takes_second {
        true => Some(if is_greater == takes_first { "max" } else { "min" }),
        false => None,
    }
}

/// True for a comparison that is true for a greater first operand, false for a lesser one.
fn is_greater(comparison: Op<'_>) -> Option<bool> {
    match ir::name(comparison) {
        "arith.cmpi" => {
            use IntPredicate::{Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
            match IntPredicate::of(comparison)? {
                Sgt | Sge | Ugt | Uge => Some(true),
                Slt | Sle | Ult | Ule => Some(false),
                _ => None,
            }
        }
        "arith.cmpf" => {
            use FloatPredicate::{Oge, Ogt, Ole, Olt, Uge, Ugt, Ule, Ult};
            match FloatPredicate::of(comparison)? {
                Ogt | Oge | Ugt | Uge => Some(true),
                Olt | Ole | Ult | Ule => Some(false),
                _ => None,
            }
        }
        _ => None,
    }
}

/// What a function of the program is called.
const FUNCTION: &str = "a function";

/// True if an operator is the one that a directive names.
fn is_same(raised: &str, said: &str) -> bool {
    let inner = |text: &str| text.strip_prefix("ps(").and_then(|rest| rest.strip_suffix(')')).map(str::to_owned);
    match (inner(raised), inner(said)) {
        (Some(raised), Some(said)) => is_same(&raised, &said),
        (None, None) => raised == said || raised == FUNCTION && is_function(said),
        _ => false,
    }
}

/// True for the name of a function of the program.
fn is_function(said: &str) -> bool {
    !["max", "min"].contains(&said) && said.starts_with(|first: char| first.is_alphabetic() || first == '_')
}
