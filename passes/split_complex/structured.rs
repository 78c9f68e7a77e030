//! Structured operations of `linalg` on parts of complex numbers.
use super::{
    parts::{Splitter, is_complex, part_type},
    rebuild::{attributes, named},
};
use mdh_dialects::ir::{self, Builder, Op, Val};
use melior::ir::{Attribute, ValueLike};

impl<'c> Splitter<'c> {
    /// The index functions of an operation, two for a complex operand.
    pub fn maps(&self, b: &Builder<'c>, operation: Op<'c>, maps: &[Attribute<'c>]) -> Attribute<'c> {
        let operands = ir::operands(operation);
        let twice = |(operand, map): (&Val<'c>, &Attribute<'c>)| vec![*map; 1 + usize::from(is_complex(*operand))];
        b.array(&operands.iter().zip(maps).flat_map(twice).collect::<Vec<_>>())
    }

    /// Builds an operation that moves elements, with the real and with the imaginary parts.
    pub fn moved(&mut self, b: &Builder<'c>, operation: Op<'c>) {
        let (operands, results, attributes) =
            (ir::operands(operation), ir::results(operation), attributes(operation, &[]));
        let types: Vec<_> = results.iter().filter_map(|result| part_type(result.r#type())).collect();
        let built = [0, 1].map(|part| {
            let operands: Vec<_> = operands.iter().map(|operand| self.pair(*operand)[part]).collect();
            let elements: Vec<_> = operands.iter().map(|value| ir::element_type_or_self(value.r#type())).collect();
            let (region, block) = b.region(&elements);
            b.at_end(block).op("linalg.yield", &[ir::arguments(block)[0]], &[], &[], vec![]);
            ir::results(b.op(ir::name(operation), &operands, &types, &named(&attributes), vec![region]))
        });
        if let ([result], [[re], [im]]) = (&results[..], [&built[0][..], &built[1][..]]) {
            self.define(*result, [*re, *im]);
        }
    }
}
