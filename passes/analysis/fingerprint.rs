//! Fingerprints: what computations compute, independent of names, of extents, and of the rest of the program.
//!
//! ```text
//! matmul(1024x1024, 1024x1024), product(16x2048, 2048x1000)  ──▶  one fingerprint, two lists of extents
//! ```
//!
//! A fingerprint includes the index functions, the combine operators, the scalar functions with their constants, the
//! types, and which computation reads the results of which. The best schedules of two programs with one fingerprint
//! and the same extents are the same.
use super::computation::{Computation, InitialValue};
use mdh_dialects::{
    hom::{CombineOperator, Function, Operator},
    ir::{self, Blk, Op, Val},
};
use melior::ir::{ValueLike, operation::OperationLike};
use std::fmt::Write;

/// Returns the fingerprint of the computations of a function, in order: 32 hexadecimal digits. The computations are not
/// partitioned yet.
pub fn fingerprint(computations: &[&Computation<'_>]) -> String {
    let mut description = Description::default();
    for computation in computations {
        description.computation(computation);
    }
    blake3::hash(description.text.as_bytes()).to_hex().as_str()[..32].to_owned()
}

/// Returns the extents of computations by computation; `None` if dynamic.
pub fn extents(computations: &[&Computation<'_>]) -> Vec<Vec<Option<u64>>> {
    computations.iter().map(|computation| computation.domain.extents().collect()).collect()
}

/// The text that is hashed. Values have numbers in the order of their first occurrence.
#[derive(Default)]
struct Description<'c> {
    text: String,
    values: Vec<Val<'c>>,
}

impl<'c> Description<'c> {
    fn add(&mut self, what: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.text.write_fmt(what);
        self.text.push('\n');
    }

    /// Returns the number of a value.
    fn number(&mut self, value: Val<'c>) -> usize {
        self.values.iter().position(|known| *known == value).unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        })
    }

    /// Adds values with their types.
    fn values(&mut self, role: &str, values: &[Val<'c>]) {
        for value in values {
            let number = self.number(*value);
            self.add(format_args!("{role} {number} {}", value.r#type()));
        }
    }

    fn computation(&mut self, computation: &Computation<'c>) {
        self.add(format_args!("computation of rank {}", computation.rank()));
        for (buffers, role) in [(&computation.inputs, "input"), (&computation.outputs, "output")] {
            for buffer in buffers {
                let (number, accesses) = (self.number(buffer.value), &buffer.accesses);
                self.add(format_args!("{role} {number} {} of rank {}", buffer.element, buffer.shape.len()));
                accesses.iter().for_each(|access| self.add(format_args!("{access:?}")));
            }
        }
        for value in computation.out_view.results() {
            self.number(value);
        }
        for operator in &computation.operators {
            self.operator(computation.hom.op(), operator);
        }
        for init in &computation.inits {
            match init {
                InitialValue::Scalar(value) => self.values("initial scalar", &[*value]),
                InitialValue::Elements(_, buffer) => {
                    let number = self.number(buffer.value);
                    self.add(format_args!("initial elements {number} {} {:?}", buffer.element, buffer.accesses));
                }
            }
        }
        if let Some(body) = computation.hom.body() {
            self.block(body);
        }
    }

    fn operator(&mut self, from: Op<'c>, operator: &CombineOperator) {
        let user = match operator.function() {
            Some(Function::Symbol(symbol)) => Operator::lookup(from, symbol),
            _ => None,
        };
        match user {
            None => self.add(format_args!("combine {operator:?}")),
            Some(user) => {
                let is_scan = operator.is_scan();
                self.add(format_args!("combine by a function, {}", if is_scan { "prefix sums" } else { "point-wise" }));
                user.body().into_iter().chain(user.identity()).for_each(|block| self.block(block));
            }
        }
    }

    /// Adds a block: its arguments, and its operations with their operands, attributes, types and regions.
    fn block(&mut self, block: Blk<'c>) {
        self.values("argument", &ir::arguments(block));
        for operation in ir::block_operations(block) {
            self.add(format_args!("{}", ir::name(operation)));
            self.values("operand", &ir::operands(operation));
            for (name, attribute) in operation.attributes() {
                self.add(format_args!("{} {attribute}", name.as_string_ref().as_str().unwrap_or_default()));
            }
            for inner in ir::blocks(operation) {
                self.block(inner);
            }
            self.values("result", &ir::results(operation));
        }
        self.add(format_args!("end"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decompose::tests::context;
    use melior::{Context, ir::Module};

    /// The fingerprint and the extents of all computations of a program.
    fn of(context: &Context, program: &str) -> (String, Vec<Vec<Option<u64>>>) {
        let module = Module::parse(context, program).expect("the program parses");
        let all = Computation::all(ir::op(module.as_operation()));
        let all: Vec<_> = all.iter().collect();
        (fingerprint(&all), extents(&all))
    }

    const MATVEC: &str = "func.func @mv(%M: tensor<6x8xf32>, %v: tensor<8xf32>) -> tensor<6xf32> {
      %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
          : (tensor<6x8xf32>, tensor<8xf32>) -> !mdh.mda<6x8, f32, f32>
      %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
      ^bb0(%a: f32, %b: f32):
        %p = arith.mulf %a, %b : f32
        mdh.hom.yield %p : f32
      } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x1, f32>
      %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
      return %w : tensor<6xf32>
    }";

    #[test]
    fn names_and_extents_do_not_count() {
        let context = context();
        let (known, extents) = of(&context, MATVEC);
        assert_eq!((known.len(), extents), (32, vec![vec![Some(6), Some(8)]]));
        let renamed = MATVEC.replace("%a", "%left").replace("%M", "%matrix").replace("@mv", "@other");
        assert_eq!(of(&context, &renamed).0, known);
        let named = MATVEC.replacen("pw<add>] {", "pw<add>] attributes {dimension_names = [\"i\", \"k\"]} {", 1);
        assert_ne!(named, MATVEC);
        assert_eq!(of(&context, &named).0, known);
        let (larger, extents) = of(&context, &MATVEC.replace("6x", "60x").replace('8', "80"));
        assert_eq!((larger, extents), (known, vec![vec![Some(60), Some(80)]]));
    }

    #[test]
    fn what_is_computed_counts() {
        let context = context();
        let mut known = vec![of(&context, MATVEC).0];
        for (from, to) in [
            ("arith.mulf %a, %b", "arith.mulf %b, %a"),
            ("arith.mulf", "arith.addf"),
            ("pw<add>", "pw<max>"),
            ("f32", "f64"),
            ("%v[affine_map<(i, k) -> (k)>]", "%v[affine_map<(i, k) -> (k - 0 + 0)>]"),
        ] {
            let (other, _) = of(&context, &MATVEC.replace(from, to));
            match from.starts_with("%v") {
                // The same index function in another notation.
                true => assert_eq!(other, known[0]),
                false => {
                    assert!(!known.contains(&other), "{from} -> {to}");
                    known.push(other);
                }
            }
        }
    }
}
