//! `mdh-expand-softmax`: expands `linalg.softmax` to reductions and elementwise operations.
//!
//! ```mlir
//! func.func @f(%x: tensor<4x7xf32>, %y: tensor<4x7xf32>) -> tensor<4x7xf32> {
//!   %r = linalg.softmax dimension(1) ins(%x : tensor<4x7xf32>) outs(%y : tensor<4x7xf32>) -> tensor<4x7xf32>
//!   return %r : tensor<4x7xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! arith.maxnumf
//! arith.subf
//! math.exp
//! arith.addf
//! arith.divf
//! ```
//!
//! On tensors, the operations are those of upstream, which has a transformation for this, but no pass. On memrefs, they are
//! the same, with memory for the maxima, the exponentials and the sums. All elements are read before the first one is
//! written, so the memrefs may share memory.
use crate::analysis::extents::dim;
use mdh_dialects::{
    ffi,
    ir::{self, Builder, IteratorType, Op, Val},
    pass::{Failure, MdhPass},
    view::{IndexFunction, is_scalar},
};
use melior::{
    dialect::DialectHandle,
    ir::{Attribute, Type, TypeLike, ValueLike},
};

/// The pass.
pub struct ExpandSoftmax;

impl MdhPass for ExpandSoftmax {
    const NAME: &'static str = "ExpandSoftmax";
    const ARGUMENT: &'static str = "mdh-expand-softmax";
    const DESCRIPTION: &'static str = "Expand linalg.softmax";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![
            DialectHandle::arith(),
            ffi::math_dialect(),
            DialectHandle::tensor(),
            DialectHandle::memref(),
            DialectHandle::linalg(),
        ]
    }

    fn run<'c>(operation: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        run(operation);
        Ok(())
    }
}

/// Expands every `linalg.softmax` among the descendants of an operation.
pub fn run(root: Op<'_>) {
    for softmax in ir::find(root, "linalg.softmax") {
        let expanded = ffi::decompose_softmax(softmax);
        if let (Some(value), Some(result)) = (expanded, ir::results(softmax).first()) {
            ir::replace_uses(*result, value);
            ir::erase(softmax);
        } else if on_memrefs(softmax).is_some() {
            ir::erase(softmax);
        }
    }
}

/// Expands a softmax on memrefs of floats; `None` for another one.
fn on_memrefs(softmax: Op<'_>) -> Option<()> {
    let operands = ir::operands(softmax);
    let [input, output] = operands[..] else { return None };
    let element = ir::element_type(input.r#type()).filter(|element| element.is_float() && is_scalar(*element))?;
    let rank = ir::shape(input.r#type())?.len();
    let dimension = ir::attribute(softmax, "dimension").and_then(ir::integer_attribute)?;
    let dimension = usize::try_from(dimension).ok().filter(|dimension| *dimension < rank)?;
    if !input.r#type().is_mem_ref() || !output.r#type().is_mem_ref() {
        return None;
    }
    let expansion = SoftmaxExpansion::of(Builder::before(softmax), rank, dimension, element);
    let others: Vec<_> = (0..rank).filter(|axis| *axis != dimension).collect();
    let (most, sums) = (expansion.allocate(input, &others), expansion.allocate(input, &others));
    let exponentials = expansion.allocate(input, &(0..rank).collect::<Vec<_>>());
    // As upstream: the number that `maxnumf` ignores.
    expansion.fill(f64::NAN, most);
    expansion.generic(&[(input, true), (most, false)], true, |b, values| {
        b.value("arith.maxnumf", &[values[0], values[1]], element, &[])
    });
    expansion.generic(&[(input, true), (most, false), (exponentials, true)], false, |b, values| {
        let difference = b.value("arith.subf", &[values[0], values[1]], element, &[]);
        b.value("math.exp", &[difference], element, &[])
    });
    expansion.fill(0.0, sums);
    expansion.generic(&[(exponentials, true), (sums, false)], true, |b, values| {
        b.value("arith.addf", &[values[0], values[1]], element, &[])
    });
    expansion.generic(&[(exponentials, true), (sums, false), (output, true)], false, |b, values| {
        b.value("arith.divf", &[values[0], values[1]], element, &[])
    });
    for memref in [most, exponentials, sums] {
        expansion.b.op("memref.dealloc", &[memref], &[], &[], vec![]);
    }
    Some(())
}

/// What the operations of an expansion have in common.
struct SoftmaxExpansion<'c> {
    b: Builder<'c>,
    element: Type<'c>,
    /// The index functions of all elements, and of one for each row along the dimension.
    point: Attribute<'c>,
    row: Attribute<'c>,
    rank: usize,
    /// The dimension that is reduced.
    dimension: usize,
}

impl<'c> SoftmaxExpansion<'c> {
    fn of(b: Builder<'c>, rank: usize, dimension: usize, element: Type<'c>) -> Self {
        let map = |is_kept: &dyn Fn(usize) -> bool| {
            let unit = |axis: usize| ((0..rank).map(|other| i64::from(other == axis)).collect::<Vec<_>>(), 0);
            IndexFunction::new((0..rank).filter(|axis| is_kept(*axis)).map(unit)).attribute(b.context, rank)
        };
        let (point, row) = (map(&|_| true), map(&|axis| axis != dimension));
        Self { b, element, point, row, rank, dimension }
    }

    /// Memory with the sizes of a memref along some axes.
    fn allocate(&self, memref: Val<'c>, axes: &[usize]) -> Val<'c> {
        let b = &self.b;
        let sizes = ir::shape(memref.r#type()).unwrap_or_default();
        let own: Vec<_> = axes.iter().map(|axis| sizes[*axis]).collect();
        let dynamic = axes.iter().filter(|axis| sizes[**axis].is_none()).map(|axis| dim(b, memref, *axis));
        let dynamic: Vec<_> = dynamic.collect();
        let segments = b.segments(&[dynamic.len(), 0]);
        b.value("memref.alloc", &dynamic, b.memref(&own, self.element, None), &[segments])
    }

    fn fill(&self, value: f64, memref: Val<'c>) {
        let b = &self.b;
        let value = b.value("arith.constant", &[], self.element, &[("value", b.float(value, self.element))]);
        let (region, block) = b.region(&[self.element; 2]);
        b.at_end(block).op("linalg.yield", &[ir::arguments(block)[0]], &[], &[], vec![]);
        b.op("linalg.fill", &[value, memref], &[], &[b.segments(&[1, 1])], vec![region]);
    }

    /// A structured operation on memrefs, the last one of which is the output; true for those with all elements, false
    /// for those with one for each row.
    fn generic(&self, all: &[(Val<'c>, bool)], reduces: bool, value: impl Fn(&Builder<'c>, &[Val<'c>]) -> Val<'c>) {
        let b = &self.b;
        let (region, block) = b.region(&vec![self.element; all.len()]);
        let inside = b.at_end(block);
        let result = value(&inside, &ir::arguments(block));
        inside.op("linalg.yield", &[result], &[], &[], vec![]);
        let operands: Vec<_> = all.iter().map(|(memref, _)| *memref).collect();
        let maps: Vec<_> = all.iter().map(|(_, is_point)| if *is_point { self.point } else { self.row }).collect();
        let kind = |d: usize| match reduces && d == self.dimension {
            true => IteratorType::Reduction,
            false => IteratorType::Parallel,
        };
        let attributes = [
            ("indexing_maps", b.array(&maps)),
            b.iterator_types((0..self.rank).map(kind)),
            b.segments(&[all.len() - 1, 1]),
        ];
        b.op("linalg.generic", &operands, &[], &attributes, vec![region]);
    }
}
