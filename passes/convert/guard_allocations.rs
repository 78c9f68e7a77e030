//! `mdh-guard-allocations`: makes an allocation of a negative size, or of more bytes than an address can count, an error
//! of the call that executes it, at its location.
//!
//! ```mlir
//! func.func @f(%n: index) -> memref<?x8xf32> {
//!   %m = memref.alloc(%n) : memref<?x8xf32>
//!   return %m : memref<?x8xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! %is_size = arith.cmpi sge, %n, %zero : index
//! %i = arith.index_cast %n : index to i64
//! %x = arith.sitofp %i : i64 to f64
//! %bytes = arith.mulf %others, %x : f64
//! %fits = arith.cmpf olt, %bytes, %limit : f64
//! %is_legal = arith.andi %is_size, %fits : i1
//! cf.assert %is_legal, "mdh check: ..
//! %m = memref.alloc(%n) : memref<?x8xf32>
//! ```
//!
//! The product is one of floats, which cannot wrap around. Sizes of static types are checked by `mdh-lower` and by the
//! verifier.
use super::guard_divisions::is_in_kernel;
use crate::analysis::location;
use mdh_dialects::{
    ir::{self, Builder, FloatPredicate, IntPredicate, Op},
    pass::{Failure, MdhPass},
};
use melior::{dialect::DialectHandle, ir::ValueLike};

/// The pass.
pub struct GuardAllocations;

impl MdhPass for GuardAllocations {
    const NAME: &'static str = "GuardAllocations";
    const ARGUMENT: &'static str = "mdh-guard-allocations";
    const DESCRIPTION: &'static str = "Make allocations of impossible sizes errors";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith(), DialectHandle::cf()]
    }

    fn run<'c>(root: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        const ALLOCATIONS: [&str; 3] = ["memref.alloc", "memref.alloca", "gpu.alloc"];
        let all = ALLOCATIONS.into_iter().flat_map(|name| ir::find(root, name));
        for allocation in all.filter(|allocation| !is_in_kernel(*allocation)) {
            let _ = guard(allocation);
        }
        Ok(())
    }
}

/// The number of bytes that no allocation reaches: half of the addresses.
const LIMIT: f64 = 9_223_372_036_854_775_808.0;

/// Adds the check of an allocation of dynamic sizes.
fn guard(allocation: Op<'_>) -> Option<()> {
    let ty = ir::results(allocation).first()?.r#type();
    let shape = ir::shape(ty)?;
    let dynamic = shape.iter().filter(|size| size.is_none()).count();
    // Other operands, of strides and of the order on a device, surround them.
    let sizes: Vec<_> = ir::operands(allocation)
        .into_iter()
        .filter(|operand| operand.r#type() == Builder::before(allocation).index())
        .take(dynamic)
        .collect();
    if dynamic == 0 || sizes.len() != dynamic {
        return None;
    }
    let b = Builder::before(allocation);
    let f64 = |value: f64| b.literal(value.to_bits().into(), b.f64());
    // Elements may be vectors. Floats count as the largest ones.
    let element = ir::element_type(ty)?;
    let width = ir::integer_width(ir::element_type_or_self(element)).div_ceil(8).max(1);
    let lanes = ir::shape(element).unwrap_or_default();
    let known = shape.iter().chain(&lanes).flatten().fold(f64::from(width), |bytes, size| bytes * *size as f64);
    let (mut bytes, mut is_legal) = (f64(known), None);
    for size in sizes {
        let is_size = b.cmpi(IntPredicate::Sge, size, b.constant(0, b.index()));
        let both = |others| b.value("arith.andi", &[others, is_size], b.i1(), &[]);
        is_legal = Some(is_legal.map_or(is_size, both));
        let number = b.value("arith.index_cast", &[size], b.i64(), &[]);
        let number = b.value("arith.sitofp", &[number], b.f64(), &[]);
        bytes = b.value("arith.mulf", &[bytes, number], b.f64(), &[]);
    }
    let fits = b.cmpf(FloatPredicate::Olt, bytes, f64(LIMIT));
    let condition = b.value("arith.andi", &[is_legal?, fits], b.i1(), &[]);
    let text = location::assertion(allocation, "a buffer requires sizes of at least 0, and fewer than 2^63 bytes");
    b.op("cf.assert", &[condition], &[], &[("msg", b.string(&text))], vec![]);
    Some(())
}
