//! `mdh-reinterpret-expansions`: computes the strides of expanded memrefs if several sizes of an axis are dynamic.
//!
//! ```mlir
//! func.func @rows(%x: memref<?xf32>, %n: index, %m: index) -> memref<?x?xf32> {
//!   %r = memref.expand_shape %x [[0, 1]] output_shape [%n, %m] : memref<?xf32> into memref<?x?xf32>
//!   return %r : memref<?x?xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! %base, %offset, %sizes, %strides = memref.extract_strided_metadata %x : memref<?xf32> -> memref<f32>, index, index, index
//! %row = arith.muli %m, %strides : index
//! %r = memref.reinterpret_cast %base to offset: [0], sizes: [%n, %m], strides: [%row, 1] : memref<f32> to memref<?x?xf32>
//! ```
//!
//! Upstream's `expand-strided-metadata` computes the only dynamic size of an axis from the others, and crashes if there
//! are several.
use super::reinterpret;
use mdh_dialects::{
    ir::{self, Builder, DYNAMIC, Op},
    pass::{Failure, MdhPass},
};
use melior::dialect::DialectHandle;

/// The pass.
pub struct ReinterpretExpansions;

impl MdhPass for ReinterpretExpansions {
    const NAME: &'static str = "ReinterpretExpansions";
    const ARGUMENT: &'static str = "mdh-reinterpret-expansions";
    const DESCRIPTION: &'static str =
        "Compute the strides of expanded memrefs with several dynamic sizes along an axis";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith(), DialectHandle::memref()]
    }

    fn run<'c>(root: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for expansion in ir::find(root, "memref.expand_shape") {
            // The verifier has checked the attributes.
            let _ = reinterpret(expansion);
        }
        Ok(())
    }
}

fn reinterpret(expansion: Op<'_>) -> Option<()> {
    let groups = ir::groups(expansion)?;
    let sizes = ir::dense_array_attribute(ir::attribute(expansion, "static_output_shape")?)?;
    let is_dynamic = |axis: &&usize| sizes.get(**axis) == Some(&DYNAMIC);
    if groups.iter().all(|group| group.iter().filter(is_dynamic).count() < 2) {
        return Some(());
    }
    let operands = ir::operands(expansion);
    let (source, dynamic) = operands.split_first()?;
    let b = Builder::before(expansion);
    let parts = reinterpret::metadata(&b, *source)?;
    let mut values = dynamic.iter();
    let sizes: Vec<_> = sizes
        .iter()
        .map(|size| if *size == DYNAMIC { values.next().copied() } else { Some(b.constant(*size, b.index())) })
        .collect::<Option<_>>()?;
    let mut strides = vec![];
    for (group, own) in groups.iter().zip(&parts.strides).rev() {
        let mut stride = *own;
        for (position, axis) in group.iter().enumerate().rev() {
            strides.push(stride);
            if position > 0 {
                stride = b.value("arith.muli", &[sizes[*axis], stride], b.index(), &[]);
            }
        }
    }
    strides.reverse();
    reinterpret::replace(expansion, &b, (parts.base, parts.offset), dynamic, &strides);
    Some(())
}
