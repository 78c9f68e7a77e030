//! The sources of the values that a computation reads: producers without reduction, slices, reshapes and constants are
//! followed to the buffers behind them.
//!
//! ```text
//! %y = f(%x[i, j])                       %z[j, i] = %y[i, j]
//! reads %z[p, q]              ──▶        f(%x[q, p])
//! reads slice %x[2:, :][p, q] ──▶        %x[p + 2, q]
//! ```
use super::{
    candidates::{is_fusible, is_raised},
    compose::{Row, combine, constant, rows, single},
    profit,
};
use crate::analysis::computation::Computation;
use mdh_dialects::{
    ir::{self, Blk, Op, OpView, Val},
    view::{IndexFunction, OutView},
};
use melior::ir::{Type, ValueLike};

/// The source of a value.
pub enum ReadSource<'c> {
    /// An element of a buffer: its rows, by axis.
    Element(Val<'c>, Vec<Row>),
    /// A constant, by its type and its bits.
    Constant(Type<'c>, Vec<u64>),
    /// A component of the results of a scalar function.
    Function {
        /// The scalar function.
        body: Blk<'c>,
        /// The component.
        component: usize,
        /// The sources of its arguments.
        arguments: Vec<ReadSource<'c>>,
        /// The indices of its point, as linear forms of the reader's.
        point: Vec<Row>,
    },
}

/// A reader: the number of its dimensions, and what may be inlined into it.
#[derive(Clone, Copy)]
pub struct Reader<'c> {
    /// The operation of its scalar function.
    pub at: Op<'c>,
    /// The number of dimensions.
    pub dimensions: usize,
    /// True if every computation may be inlined; otherwise raised ones.
    pub all: bool,
    /// True if functions are followed even if inlining them does not pay off.
    pub always: bool,
}

/// The nesting of functions that are inlined at once; deeper ones stay in buffers.
const MAX_DEPTH: usize = 32;

impl<'c> Reader<'c> {
    /// The source of the element of a buffer at these rows.
    pub fn source(&self, value: Val<'c>, rows: Vec<Row>, depth: usize) -> ReadSource<'c> {
        let found = ir::defining(value).filter(|_| depth < MAX_DEPTH).and_then(|operation| match ir::name(operation) {
            "arith.constant" => splat(operation),
            OutView::NAME => self.function(operation, value, &rows, depth),
            "tensor.extract_slice" => self.moved(operation, slice(operation, &rows)?, depth),
            "tensor.expand_shape" => self.moved(operation, expanded(operation, &rows, self.dimensions)?, depth),
            "tensor.collapse_shape" => self.moved(operation, collapsed(operation, &rows, self.dimensions)?, depth),
            _ => None,
        });
        found.unwrap_or(ReadSource::Element(value, rows))
    }

    /// The source of an element of the first operand of an operation.
    fn moved(&self, operation: Op<'c>, rows: Vec<Row>, depth: usize) -> Option<ReadSource<'c>> {
        Some(self.source(*ir::operands(operation).first()?, rows, depth + 1))
    }

    /// The function of a producer, if it is worth while to inline it.
    fn function(&self, out_view: Op<'c>, value: Val<'c>, at: &[Row], depth: usize) -> Option<ReadSource<'c>> {
        let producer = Computation::from_out_view(OutView::cast(out_view)?)?;
        let is_near = ir::block(out_view) == ir::block(self.at);
        let concatenates = producer.operators.iter().all(|operator| operator.concatenates());
        let may = is_fusible(&producer) && (self.all || is_raised(&producer));
        if !(is_near && concatenates && may && (self.always || profit::pays_off(&producer, value))) {
            return None;
        }
        let number = producer.out_view.results().iter().position(|result| *result == value)?;
        let output = &producer.outputs[number];
        let accesses = producer.out_view.accesses()?;
        let [written] = &accesses[number][..] else { return None };
        // The size of a destination may be larger than an extent that is dynamic.
        let is_new = producer.out_view.destinations().is_empty();
        if !(is_new || producer.domain.is_static()) {
            return None;
        }
        let extents: Vec<_> = producer.domain.extents().collect();
        let point = point(written, &output.shape, &extents, at, self.dimensions)?;
        let arguments = producer.inp_view.buffers().into_iter().zip(producer.inp_view.accesses()?);
        let arguments =
            arguments.flat_map(|(buffer, accesses)| accesses.into_iter().map(move |access| (buffer, access)));
        let arguments = arguments.map(|(buffer, access)| {
            let rows = (0..access.rank()).map(|axis| {
                let (factors, constant) = access.row(axis);
                combine(factors, &point, constant, self.dimensions)
            });
            Some(self.source(buffer, rows.collect::<Option<Vec<_>>>()?, depth + 1))
        });
        let arguments = arguments.collect::<Option<Vec<_>>>()?;
        Some(ReadSource::Function { body: producer.hom.body()?, component: output.first_component, arguments, point })
    }
}

/// The point of a producer that writes the element at these rows; `None` if it does not write every element, each index
/// with a dimension of its own. A dynamic size is that of the dimension.
fn point(
    written: &IndexFunction,
    sizes: &[Option<u64>],
    extents: &[Option<u64>],
    at: &[Row],
    dimensions: usize,
) -> Option<Vec<Row>> {
    let rank = extents.len();
    let mut point: Vec<Option<Row>> = vec![None; rank];
    for (axis, (coefficients, offset)) in rows(written, rank).into_iter().enumerate() {
        match single(&coefficients, offset) {
            Some(d) if sizes[axis] == extents[d] && point[d].is_none() => point[d] = Some(at[axis].clone()),
            _ if sizes[axis] == Some(1) && offset == 0 => {}
            _ => return None,
        }
    }
    let missing =
        |(d, row): (usize, Option<Row>)| row.or_else(|| (extents[d] == Some(1)).then(|| constant(0, dimensions)));
    point.into_iter().enumerate().map(missing).collect()
}

/// The constant that all elements of a tensor are equal to.
fn splat<'c>(operation: Op<'c>) -> Option<ReadSource<'c>> {
    let result = *ir::results(operation).first()?;
    let element = ir::element_type(result.r#type())?;
    let (bytes, data) = ir::dense_elements(ir::attribute(operation, "value")?)?;
    if bytes > 8 || data.len() != bytes {
        return None;
    }
    let mut word = [0; 8];
    word[..bytes].copy_from_slice(&data);
    Some(ReadSource::Constant(element, vec![u64::from_le_bytes(word)]))
}

fn numbers(operation: Op<'_>, name: &str) -> Option<Vec<i64>> {
    let numbers = ir::attribute(operation, name).and_then(ir::dense_array_attribute)?;
    numbers.iter().all(|number| *number != ir::DYNAMIC).then_some(numbers)
}

/// The rows of the source of a slice with static offsets and strides.
fn slice(operation: Op<'_>, at: &[Row]) -> Option<Vec<Row>> {
    let [offsets, sizes, strides] =
        ["static_offsets", "static_sizes", "static_strides"].map(|name| numbers(operation, name));
    let (offsets, sizes, strides) = (offsets?, sizes?, strides?);
    let shape = ir::shape(ir::results(operation).first()?.r#type())?;
    let dimensions = at.first().map_or(0, |row| row.0.len());
    // A type of smaller rank drops dimensions of size 1.
    let mut left = shape.iter().zip(at).peekable();
    let mut rows = vec![];
    for axis in 0..sizes.len() {
        let size = u64::try_from(sizes[axis]).ok();
        let row = match left.next_if(|(shape, _)| **shape == size) {
            Some((_, row)) => row.clone(),
            None if sizes[axis] == 1 => constant(0, dimensions),
            None => return None,
        };
        rows.push(combine(&[strides[axis]], &[row], offsets[axis], dimensions)?);
    }
    left.next().is_none().then_some(rows)
}

/// The rows of the source of an expansion: each index of the source is linear in those of its group.
fn expanded(operation: Op<'_>, at: &[Row], dimensions: usize) -> Option<Vec<Row>> {
    let shape = ir::shape(ir::results(operation).first()?.r#type())?;
    let row = |group: Vec<usize>| {
        let mut factor = 1i64;
        let mut factors = vec![0; group.len()];
        for (position, axis) in group.iter().enumerate().rev() {
            factors[position] = factor;
            factor = factor.checked_mul(i64::try_from(shape[*axis]?).ok()?)?;
        }
        let rows: Vec<_> = group.iter().map(|axis| at[*axis].clone()).collect();
        combine(&factors, &rows, 0, dimensions)
    };
    ir::groups(operation)?.into_iter().map(row).collect()
}

/// The rows of the source of a collapse whose groups have at most one axis longer than 1.
fn collapsed(operation: Op<'_>, at: &[Row], dimensions: usize) -> Option<Vec<Row>> {
    let shape = ir::shape(ir::operands(operation).first()?.r#type())?;
    let mut rows = vec![constant(0, dimensions); shape.len()];
    for (group, row) in ir::groups(operation)?.into_iter().zip(at) {
        let mut long = group.iter().copied().filter(|axis| shape[*axis] != Some(1));
        match (long.next(), long.next()) {
            (Some(axis), None) => rows[axis] = row.clone(),
            (None, _) => {}
            _ => return None,
        }
    }
    Some(rows)
}
