//! `mdh-math-calls`: calls the C library for functions whose upstream expansion loses precision.
//!
//! ```mlir
//! func.func @f(%x: vector<2xf32>) -> vector<2xf32> {
//!   %y = math.expm1 %x : vector<2xf32>
//!   return %y : vector<2xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! %x0 = vector.extract %x[0] : f32 from vector<2xf32>
//! %y0 = call @expm1f(%x0) : (f32) -> f32
//! %part = vector.insert %y0, %x [0] : f32 into vector<2xf32>
//! %x1 = vector.extract %x[1] : f32 from vector<2xf32>
//! %y1 = call @expm1f(%x1) : (f32) -> f32
//! %y = vector.insert %y1, %part [1] : f32 into vector<2xf32>
//! func.func private @expm1f(f32) -> f32 attributes {llvm.readnone}
//! ```
//!
//! Upstream expands `expm1(x)` to `exp(x) - 1` and `log1p(x)` to `log(1 + x)`, which lose all digits of an x near 0.
//! Its own conversion to calls converts all functions or none, including those for which processors have instructions.
//! CUDA has these functions in libdevice, so its kernels are converted earlier. After `mdh-math-functions`, none of
//! them remains.
use mdh_dialects::{
    ffi::vector_dialect,
    ir::{self, Builder, FloatType, Op, Val},
    pass::{Failure, MdhPass},
};
use melior::{
    dialect::DialectHandle,
    ir::{Type, ValueLike},
};

/// The pass.
pub struct MathCalls;

/// The operations, and the C library functions for f64; the functions for f32 have the suffix `f`.
const CALLS: [(&str, &str); 2] = [("math.expm1", "expm1"), ("math.log1p", "log1p")];

impl MdhPass for MathCalls {
    const NAME: &'static str = "MathCalls";
    const ARGUMENT: &'static str = "mdh-math-calls";
    const DESCRIPTION: &'static str = "Call the C library for functions whose upstream expansion loses precision";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::func(), vector_dialect()]
    }

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for (name, function) in CALLS {
            for operation in ir::find(module, name) {
                let value = ir::operands(operation)[0];
                let element = ir::element_type_or_self(value.r#type());
                let b = Builder::before(operation);
                let (computed, symbol) = match FloatType::of(element) {
                    Some(FloatType::F64) => (element, function.to_owned()),
                    Some(_) => (b.f32(), format!("{function}f")),
                    None => continue,
                };
                declare(operation, &symbol, computed);
                let result = called(&b, &symbol, value, computed);
                ir::replace_uses(ir::results(operation)[0], result);
                ir::erase(operation);
            }
        }
        Ok(())
    }
}

/// The module that contains an operation, either of kernels or of the host.
pub fn symbol_table(operation: Op<'_>) -> Option<Op<'_>> {
    let mut around = std::iter::successors(ir::parent(operation), |parent| ir::parent(*parent));
    around.find(|parent| matches!(ir::name(*parent), "builtin.module" | "gpu.module"))
}

/// Declares a function from and to a type in the module that contains an operation, unless it is declared there.
fn declare<'c>(operation: Op<'c>, symbol: &str, element: Type<'c>) {
    if ir::lookup_symbol(operation, symbol).is_some() {
        return;
    }
    let Some(body) = symbol_table(operation).and_then(|table| ir::body(table, 0)) else { return };
    let b = Builder::before(operation);
    b.at_end(body).declare_function(symbol, &[element], &[element], &[("llvm.readnone", b.unit())]);
}

/// Calls a function on a scalar, or on each element of a vector; it computes in a type that represents them exactly.
fn called<'c>(b: &Builder<'c>, symbol: &str, value: Val<'c>, computed: Type<'c>) -> Val<'c> {
    let call = |value: Val<'c>| {
        let from = value.r#type();
        let wide = if from == computed { value } else { b.value("arith.extf", &[value], computed, &[]) };
        let result = b.value("func.call", &[wide], computed, &[("callee", b.symbol(symbol))]);
        if from == computed { result } else { b.value("arith.truncf", &[result], from, &[]) }
    };
    let Some(element) = ir::element_type(value.r#type()) else { return call(value) };
    let sizes: Vec<_> = ir::shape(value.r#type()).into_iter().flatten().flatten().collect();
    let mut result = value;
    for i in 0..sizes.iter().product() {
        let strides = (1..=sizes.len()).map(|d| sizes[d..].iter().product::<u64>());
        let position: Vec<_> = strides.zip(&sizes).map(|(stride, size)| (i / stride % size) as i64).collect();
        let place = [("static_position", b.numbers(&position))];
        let lane = call(b.value("vector.extract", &[value], element, &place));
        result = b.value("vector.insert", &[lane, result], value.r#type(), &place);
    }
    result
}
