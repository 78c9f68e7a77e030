//! `mdh-expand-dim`: expands sizes of dimensions that are not constants, as those of all dimensions.
//!
//! ```mlir
//! func.func @f(%x: tensor<?x8xf32>, %i: index) -> index {
//!   %n = tensor.dim %x, %i : tensor<?x8xf32>
//!   return %n : index
//! }
//! ```
//! becomes
//! ```mlir
//! %first = tensor.dim %x, %c0 : tensor<?x8xf32>
//! %is_first = arith.cmpi eq, %i, %c0 : index
//! %a = arith.select %is_first, %first, %none : index
//! %second = tensor.dim %x, %c1 : tensor<?x8xf32>
//! %is_second = arith.cmpi eq, %i, %c1 : index
//! %n = arith.select %is_second, %second, %a : index
//! ```
//!
//! A dimension that does not exist has the size 0, unless it is a constant, which is an error: upstream's passes assume
//! that constants exist, also those that they fold.
use crate::analysis::constants::integers;
use mdh_dialects::{
    ir::{self, Builder, IntPredicate, Op},
    pass::{Failure, MdhPass},
};
use melior::{dialect::DialectHandle, ir::ValueLike};

/// The pass.
pub struct ExpandDim;

impl MdhPass for ExpandDim {
    const NAME: &'static str = "ExpandDim";
    const ARGUMENT: &'static str = "mdh-expand-dim";
    const DESCRIPTION: &'static str = "Expand sizes of dimensions that are not constants";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith()]
    }

    fn run<'c>(root: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        ["tensor.dim", "memref.dim"].into_iter().flat_map(|name| ir::find(root, name)).try_for_each(expand)
    }
}

fn expand(operation: Op<'_>) -> Result<(), Failure<'_>> {
    let ([source, dimension], [result]) = (&ir::operands(operation)[..], &ir::results(operation)[..]) else {
        return Ok(());
    };
    // Of unranked types, no pass knows the dimensions.
    let Some(shape) = ir::shape(source.r#type()) else { return Ok(()) };
    let rank = shape.len();
    if let Some([number]) = integers(*dimension).as_deref() {
        return match usize::try_from(*number).is_ok_and(|number| number < rank) {
            true => Ok(()),
            false => Err(Failure::new(operation, format!("requires a dimension below {rank}, but has {number}"))),
        };
    }
    let b = Builder::before(operation);
    let mut size = b.constant(0, b.index());
    for number in 0..rank {
        let number = b.constant(number as i64, b.index());
        let own = b.value(ir::name(operation), &[*source, number], b.index(), &[]);
        let is_own = b.cmpi(IntPredicate::Eq, *dimension, number);
        size = b.value("arith.select", &[is_own, own, size], b.index(), &[]);
    }
    ir::replace_uses(*result, size);
    ir::erase(operation);
    Ok(())
}
