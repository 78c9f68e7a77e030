//! `mdh-split-complex`: splits complex numbers into their real and imaginary parts.
//!
//! ```mlir
//! func.func @conjugate(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
//!   %new = tensor.empty() : tensor<4xcomplex<f32>>
//!   %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xcomplex<f32>>) outs(%new : tensor<4xcomplex<f32>>) {
//!   ^bb0(%a: complex<f32>, %b: complex<f32>):
//!     %re = complex.re %a : complex<f32>
//!     %im = complex.im %a : complex<f32>
//!     %negative = arith.negf %im : f32
//!     %c = complex.create %re, %negative : complex<f32>
//!     linalg.yield %c : complex<f32>
//!   } -> tensor<4xcomplex<f32>>
//!   return %r : tensor<4xcomplex<f32>>
//! }
//! ```
//! becomes
//! ```mlir
//! func.func @conjugate(%x: tensor<4x2xf32> {mdh.complex}) -> (tensor<4x2xf32> {mdh.complex}) {
//! %re = tensor.extract_slice %x[0, 0] [4, 1] [1, 1] : tensor<4x2xf32> to tensor<4xf32>
//! %im = tensor.extract_slice %x[0, 1] [4, 1] [1, 1] : tensor<4x2xf32> to tensor<4xf32>
//! %r:2 = linalg.generic .. ins(%re, %im : tensor<4xf32>, tensor<4xf32>) outs(..) {
//! ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
//! %n = arith.negf %b : f32
//! linalg.yield %a, %n : f32, f32
//! mdh.view.out_view %h[..]
//! ```
//!
//! A tensor that a public function takes or returns has the memory of arrays of complex numbers elsewhere: each imaginary
//! part follows its real part. Its parts are slices, which fusion resolves, and results are written by one computation with
//! two accesses of one output. Inside, a complex value is two values, and arguments of private functions are, too.
//!
//! The arithmetic is that of upstream's `convert-complex-to-standard`, which runs before, after `mdh-generalize-complex`.
//! What cannot be split is an error.
mod constant;
mod interface;
mod rebuild;
mod structured;

use mdh_dialects::{
    ffi::{handle, math_dialect},
    ir::{self, Builder, Op, Val, ValueMap},
    pass::{Failure, MdhPass},
};
use melior::{
    dialect::DialectHandle,
    ir::{Type, ValueLike},
};
use std::collections::HashMap;

/// The pass.
pub struct SplitComplex;

impl MdhPass for SplitComplex {
    const NAME: &'static str = "SplitComplex";
    const ARGUMENT: &'static str = "mdh-split-complex";
    const DESCRIPTION: &'static str = "Split complex numbers into their real and imaginary parts";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![
            handle(),
            DialectHandle::arith(),
            math_dialect(),
            DialectHandle::tensor(),
            DialectHandle::linalg(),
            DialectHandle::func(),
        ]
    }

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        ir::find(module, "func.func")
            .into_iter()
            .filter(|function| has_complex(*function))
            .try_for_each(interface::split)
    }
}

/// The real and the imaginary part of a value.
type ComplexParts<'c> = [Val<'c>; 2];

/// Operations with a region that have the same number of operands and results as they carry values, and the terminators of
/// regions.
const FLATTENED: [&str; 12] = [
    "linalg.generic",
    "linalg.yield",
    "scf.for",
    "scf.if",
    "scf.while",
    "scf.condition",
    "scf.yield",
    "scf.index_switch",
    "stablehlo.case",
    "stablehlo.if",
    "stablehlo.return",
    "stablehlo.while",
];

/// Operations that move elements, and do the same with each part.
const PARTWISE: [&str; 21] = [
    "arith.select",
    "bufferization.alloc_tensor",
    "tensor.cast",
    "tensor.collapse_shape",
    "tensor.concat",
    "tensor.empty",
    "tensor.expand_shape",
    "tensor.extract",
    "tensor.extract_slice",
    "tensor.from_elements",
    "tensor.gather",
    "tensor.generate",
    "tensor.insert",
    "tensor.insert_slice",
    "tensor.pad",
    "tensor.parallel_insert_slice",
    "tensor.reshape",
    "tensor.scatter",
    "tensor.splat",
    "tensor.yield",
    "ub.poison",
];

/// True if an operation, or one in its regions, has complex values.
pub fn has_complex(root: Op<'_>) -> bool {
    ir::descendants(root).into_iter().any(|operation| {
        let arguments = || ir::blocks(operation).into_iter().flat_map(ir::arguments);
        is_any_complex(&ir::operands(operation))
            || is_any_complex(&ir::results(operation))
            || arguments().any(is_complex)
    })
}

/// True if one of the values is a complex number, or a tensor of them.
pub fn is_any_complex(values: &[Val<'_>]) -> bool {
    values.iter().any(|value| is_complex(*value))
}

fn is_complex(value: Val<'_>) -> bool {
    part_type(value.r#type()).is_some()
}

/// The type of the parts of a complex number, or of a tensor of them; `None` for another type.
fn part_type(ty: Type<'_>) -> Option<Type<'_>> {
    ir::complex_part(ir::element_type_or_self(ty)).map(|part| ir::with_element(ty, part))
}

/// The types with two parts for each complex one.
fn flat_types<'c>(types: &[Type<'c>]) -> Vec<Type<'c>> {
    types.iter().flat_map(|ty| part_type(*ty).map_or_else(|| vec![*ty], |part| vec![part; 2])).collect()
}

/// The new values of the old ones.
#[derive(Default)]
struct Splitter<'c> {
    /// By address of a complex value: its parts.
    pairs: HashMap<usize, ComplexParts<'c>>,
    /// Values that are not complex.
    values: ValueMap<'c>,
}

impl<'c> Splitter<'c> {
    /// Defines the parts of a complex value.
    fn define(&mut self, value: Val<'c>, pair: ComplexParts<'c>) {
        self.pairs.insert(value.to_raw().ptr as usize, pair);
    }

    /// The parts of a complex value; a value that is not complex is both.
    fn pair(&self, value: Val<'c>) -> ComplexParts<'c> {
        self.pairs.get(&(value.to_raw().ptr as usize)).copied().unwrap_or_else(|| [self.values.get(value); 2])
    }

    /// The new values, two for a complex one.
    fn flat(&self, values: &[Val<'c>]) -> Vec<Val<'c>> {
        let one = |value: &Val<'c>| {
            if is_complex(*value) { self.pair(*value).to_vec() } else { vec![self.values.get(*value)] }
        };
        values.iter().flat_map(one).collect()
    }

    /// Takes new values in place of old ones, two for each complex one.
    fn take(&mut self, old: &[Val<'c>], new: &[Val<'c>]) {
        let mut new = new.iter().copied();
        for value in old {
            let Some(first) = new.next() else { return };
            match is_complex(*value) {
                true => self.define(*value, [first, new.next().unwrap_or(first)]),
                false => self.values.extend([(*value, first)]),
            }
        }
    }

    /// Builds what an operation becomes.
    fn operation(&mut self, b: &Builder<'c>, operation: Op<'c>) -> Result<(), Failure<'c>> {
        let b = &b.located(operation);
        if !has_complex(operation) {
            let copy = b.clone_mapped(operation, &self.values);
            self.values.extend(ir::results(operation).into_iter().zip(ir::results(copy)));
            return Ok(());
        }
        let (operands, results) = (ir::operands(operation), ir::results(operation));
        match ir::name(operation) {
            "complex.create" => self.define(results[0], [self.values.get(operands[0]), self.values.get(operands[1])]),
            "complex.re" => self.values.extend([(results[0], self.pair(operands[0])[0])]),
            "complex.im" => self.values.extend([(results[0], self.pair(operands[0])[1])]),
            "complex.constant" => self.define(results[0], constant::scalar(b, operation)?),
            "arith.constant" => self.define(results[0], constant::tensor(b, operation)?),
            // Both parts have the sizes.
            "tensor.dim" | "tensor.rank" => self.same(b, operation),
            "func.call" => self.call(b, operation)?,
            "func.return" => self.end(b, operation),
            "linalg.fill" | "linalg.copy" | "linalg.transpose" | "linalg.broadcast" => self.moved(b, operation),
            name if PARTWISE.contains(&name) => self.partwise(b, operation)?,
            name if FLATTENED.contains(&name) => self.flattened(b, operation)?,
            _ if !is_any_complex(&operands) && !is_any_complex(&results) => self.flattened(b, operation)?,
            name => {
                let ty =
                    operands.iter().chain(&results).map(|value| value.r#type()).find(|ty| part_type(*ty).is_some());
                let on = ty.map_or_else(String::new, |ty| format!(" on {ty}"));
                let message = format!("requires an operation that acts on real and imaginary parts, but is {name}{on}");
                return Err(Failure::new(operation, message));
            }
        }
        Ok(())
    }
}
