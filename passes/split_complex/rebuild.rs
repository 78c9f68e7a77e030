//! Operations that are built again on parts of complex numbers.
use super::parts::{Splitter, flat_types, is_complex, part_type};
use mdh_dialects::{
    ir::{self, Blk, Builder, Op, Region, SEGMENTS, Val},
    pass::Failure,
};
use melior::ir::{Attribute, Identifier, Type, ValueLike, operation::OperationLike};

/// The attributes of an operation, by name, except some.
pub fn attributes<'c>(operation: Op<'c>, except: &[&str]) -> Vec<(String, Attribute<'c>)> {
    let text = |name: Identifier<'c>| name.as_string_ref().as_str().unwrap_or_default().to_owned();
    let all = operation.attributes().map(|(name, value)| (text(name), value));
    all.filter(|(name, _)| !except.contains(&name.as_str())).collect()
}

/// The same attributes, as a builder takes them.
pub fn named<'a, 'c>(attributes: &'a [(String, Attribute<'c>)]) -> Vec<(&'a str, Attribute<'c>)> {
    attributes.iter().map(|(name, value)| (name.as_str(), *value)).collect()
}

fn types<'c>(values: &[Val<'c>]) -> Vec<Type<'c>> {
    values.iter().map(|value| value.r#type()).collect()
}

/// Requires that the regions of an operation have at most one block.
fn require_blocks(operation: Op<'_>) -> Result<(), Failure<'_>> {
    match ir::blocks(operation).len() <= ir::regions(operation).len() {
        true => Ok(()),
        false => Err(Failure::new(operation, "requires one block in each region that has complex numbers")),
    }
}

impl<'c> Splitter<'c> {
    /// Builds an operation on the parts of its operands, with two results for each complex one.
    pub fn flattened(&mut self, b: &Builder<'c>, operation: Op<'c>) -> Result<(), Failure<'c>> {
        require_blocks(operation)?;
        let operands = ir::operands(operation);
        let mut own = attributes(operation, &[SEGMENTS, "indexing_maps"]);
        if let Some(maps) = ir::attribute(operation, "indexing_maps").and_then(ir::array_attribute) {
            own.push(("indexing_maps".to_owned(), self.maps(b, operation, &maps)));
        }
        if let Some(counts) = ir::segments(operation) {
            let mut rest = &operands[..];
            let count = |count: &i64| {
                let (group, after) = rest.split_at(usize::try_from(*count).unwrap_or_default().min(rest.len()));
                rest = after;
                self.flat(group).len()
            };
            let (name, value) = b.segments(&counts.iter().map(count).collect::<Vec<_>>());
            own.push((name.to_owned(), value));
        }
        let regions = (0..ir::regions(operation).len()).map(|region| self.region(b, ir::body(operation, region), None));
        let regions = regions.collect::<Result<_, _>>()?;
        let results = ir::results(operation);
        let new =
            b.op(ir::name(operation), &self.flat(&operands), &flat_types(&types(&results)), &named(&own), regions);
        self.take(&results, &ir::results(new));
        Ok(())
    }

    /// Builds an operation twice, with the real and with the imaginary parts of its operands.
    pub fn partwise(&mut self, b: &Builder<'c>, operation: Op<'c>) -> Result<(), Failure<'c>> {
        require_blocks(operation)?;
        let (operands, results, attributes) =
            (ir::operands(operation), ir::results(operation), attributes(operation, &[]));
        let types: Vec<_> =
            results.iter().map(|result| part_type(result.r#type()).unwrap_or(result.r#type())).collect();
        let mut built = vec![];
        for part in 0..2 {
            let operands: Vec<_> = operands.iter().map(|operand| self.pair(*operand)[part]).collect();
            let regions = 0..ir::regions(operation).len();
            let regions = regions.map(|region| self.region(b, ir::body(operation, region), Some(part)));
            let regions = regions.collect::<Result<_, _>>()?;
            built.push(ir::results(b.op(ir::name(operation), &operands, &types, &named(&attributes), regions)));
        }
        let each = results.into_iter().zip(built[0].iter().zip(&built[1]));
        each.for_each(|(result, (re, im))| match is_complex(result) {
            true => self.define(result, [*re, *im]),
            false => self.values.extend([(result, *re)]),
        });
        Ok(())
    }

    /// Builds an operation whose results are the same for both parts.
    pub fn same(&mut self, b: &Builder<'c>, operation: Op<'c>) {
        let operands: Vec<_> = ir::operands(operation).into_iter().map(|operand| self.pair(operand)[0]).collect();
        let (results, attributes) = (ir::results(operation), attributes(operation, &[]));
        let new = b.op(ir::name(operation), &operands, &types(&results), &named(&attributes), vec![]);
        self.values.extend(results.into_iter().zip(ir::results(new)));
    }

    /// A region with the operations of a block on parts; without a block, an empty one. `part`: the part of complex numbers
    /// that its terminator has, both if `None`.
    fn region(
        &mut self,
        b: &Builder<'c>,
        block: Option<Blk<'c>>,
        part: Option<usize>,
    ) -> Result<Region<'c>, Failure<'c>> {
        let Some(block) = block else { return Ok(Region::new()) };
        let arguments = ir::arguments(block);
        let (region, new) = b.region(&flat_types(&types(&arguments)));
        self.take(&arguments, &ir::arguments(new));
        self.block(&b.at_end(new), block, part)?;
        Ok(region)
    }

    /// Builds the operations of a block on parts.
    pub fn block(&mut self, b: &Builder<'c>, block: Blk<'c>, part: Option<usize>) -> Result<(), Failure<'c>> {
        let mut operations = ir::block_operations(block);
        let end = operations.pop();
        operations.into_iter().try_for_each(|operation| self.operation(b, operation))?;
        let Some(end) = end else { return Ok(()) };
        let Some(part) = part else { return self.operation(b, end) };
        let values: Vec<_> = ir::operands(end).into_iter().map(|value| self.pair(value)[part]).collect();
        b.located(end).op(ir::name(end), &values, &[], &named(&attributes(end, &[])), vec![]);
        Ok(())
    }
}
