//! `mdh-expand-copies`: copies between strided memrefs with loops, for which upstream calls a library that programs do not
//! link.
//!
//! ```mlir
//! func.func @every_second(%x: memref<8xf32, strided<[2]>>, %y: memref<8xf32>) {
//!   memref.copy %x, %y : memref<8xf32, strided<[2]>> to memref<8xf32>
//!   return
//! }
//! ```
//! becomes
//! ```mlir
//! scf.for %i = %c0 to %c8 step %c1 {
//!   %element = memref.load %x[%i] : memref<8xf32, strided<[2]>>
//!   memref.store %element, %y[%i] : memref<8xf32>
//! }
//! ```
//!
//! The pass runs twice: before accesses are checked and kernels are converted, and on the copies of views whose strides
//! canonicalization finds afterwards.
use crate::emit::{
    index::EmittedIndex::{self, Constant, Value},
    loops,
};
use mdh_dialects::{
    ir::{self, Builder, Op, StatedLayout, Val},
    pass::{Failure, MdhPass},
};
use melior::{dialect::DialectHandle, ir::ValueLike};

/// The pass.
pub struct ExpandCopies;

impl MdhPass for ExpandCopies {
    const NAME: &'static str = "ExpandCopies";
    const ARGUMENT: &'static str = "mdh-expand-copies";
    const DESCRIPTION: &'static str = "Copy between strided memrefs with loops";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith(), DialectHandle::memref(), DialectHandle::scf()]
    }

    fn run<'c>(root: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        ir::find(root, "memref.copy").into_iter().for_each(expand);
        Ok(())
    }
}

fn expand(copy: Op<'_>) {
    let operands = ir::operands(copy);
    let strided = operands.iter().any(|memref| ir::stated_layout(memref.r#type()) != StatedLayout::RowMajor);
    let Some(shape) = ir::shape(operands[0].r#type()).filter(|_| strided) else { return };
    copy_loops(&Builder::before(copy), operands[0], operands[1], &shape, &mut vec![]);
    ir::erase(copy);
}

fn copy_loops<'c>(b: &Builder<'c>, from: Val<'c>, to: Val<'c>, shape: &[Option<u64>], indices: &mut Vec<Val<'c>>) {
    let Some(size) = shape.get(indices.len()) else {
        let Some(element) = ir::element_type(from.r#type()) else { return };
        let operands: Vec<_> = [from].into_iter().chain(indices.iter().copied()).collect();
        let value = b.value("memref.load", &operands, element, &[]);
        let operands: Vec<_> = [value, to].into_iter().chain(indices.iter().copied()).collect();
        b.op("memref.store", &operands, &[], &[], vec![]);
        return;
    };
    let upper = match size {
        Some(size) => Constant(*size as i64),
        None => {
            let dimension = Constant(indices.len() as i64).materialize(b);
            Value(b.value("memref.dim", &[from, dimension], b.index(), &[]))
        }
    };
    loops::carried(b, Constant(0), upper, &[], &[], |inside, index: EmittedIndex<'c>, _| {
        indices.push(index.materialize(inside));
        copy_loops(inside, from, to, shape, indices);
        indices.pop();
        vec![]
    });
}
