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
mod parts;
mod rebuild;
mod structured;

use mdh_dialects::{
    ffi::{handle, math_dialect},
    ir::{self, Builder, Op},
    pass::{Failure, MdhPass},
};
use melior::{dialect::DialectHandle, ir::ValueLike};
use parts::{Splitter, part_type};

pub use parts::{has_complex, is_any_complex};

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

impl<'c> Splitter<'c> {
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
