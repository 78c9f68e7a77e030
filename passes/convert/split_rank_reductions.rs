//! `mdh-split-rank-reductions`: separates a slice from the removal of its dimensions, if the types do not tell which of
//! its dimensions of size 1 are removed.
//!
//! ```mlir
//! func.func @column(%x: tensor<2x5x2xf32>, %o: index) -> tensor<3x1xf32> {
//!   %r = tensor.extract_slice %x[1, 0, %o] [1, 3, 1] [1, 1, 2] : tensor<2x5x2xf32> to tensor<3x1xf32>
//!   return %r : tensor<3x1xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! %s = tensor.extract_slice %x[1, 0, %o] [1, 3, 1] [1, 1, 2] : tensor<2x5x2xf32> to tensor<1x3x1xf32>
//! %r = tensor.collapse_shape %s [[0, 1], [2]] : tensor<1x3x1xf32> into tensor<3x1xf32>
//! ```
//!
//! Upstream finds the removed dimensions of a `memref.subview` by comparing the strides of its result with those of its
//! source, without the strides of the slice, and takes any dimension if strides are dynamic. It then fails, or accesses
//! other elements.
use super::reinterpret;
use mdh_dialects::{
    ir::{self, Builder, DYNAMIC, Op, Val},
    pass::{Failure, MdhPass},
};
use melior::{
    dialect::DialectHandle,
    ir::{Attribute, Type, ValueLike, r#type::RankedTensorType},
};

/// The pass.
pub struct SplitRankReductions;

impl MdhPass for SplitRankReductions {
    const NAME: &'static str = "SplitRankReductions";
    const ARGUMENT: &'static str = "mdh-split-rank-reductions";
    const DESCRIPTION: &'static str =
        "Separate slices from the removal of dimensions that their types do not determine";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith(), DialectHandle::memref(), DialectHandle::tensor()]
    }

    fn run<'c>(root: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for operation in ir::descendants(root) {
            match ir::name(operation) {
                "tensor.extract_slice" => extract(operation),
                "tensor.insert_slice" => insert(operation, operation),
                "tensor.parallel_insert_slice" => {
                    if let Some(terminator) = ir::parent(operation) {
                        insert(operation, terminator);
                    }
                }
                "memref.subview" => view(operation),
                _ => {}
            }
        }
        Ok(())
    }
}

/// A number of a slice: a constant, or an operand.
#[derive(Clone, Copy)]
enum Number<'c> {
    Static(i64),
    Dynamic(Val<'c>),
}

/// The numbers of a slice with one of these names, of which `before` operands come before the first dynamic one.
fn numbers<'c>(slice: Op<'c>, name: &str, before: usize) -> Option<Vec<Number<'c>>> {
    let mut dynamic = ir::operands(slice).into_iter().skip(before);
    let numbers = ir::attribute(slice, name).and_then(ir::dense_array_attribute)?;
    let number =
        |number| Some(if number == DYNAMIC { Number::Dynamic(dynamic.next()?) } else { Number::Static(number) });
    numbers.into_iter().map(number).collect()
}

/// The sizes of a slice before dimensions are removed, each `None` if dynamic, if its result of this type does not tell
/// which dimensions are removed.
fn ambiguous(slice: Op<'_>, result: Type<'_>) -> Option<Vec<Option<u64>>> {
    let sizes = ir::attribute(slice, "static_sizes").and_then(ir::dense_array_attribute)?;
    let removed = sizes.len().checked_sub(ir::shape(result)?.len()).filter(|removed| *removed > 0)?;
    let units = sizes.iter().filter(|size| **size == 1).count();
    (units > removed).then(|| sizes.into_iter().map(|size| u64::try_from(size).ok()).collect())
}

/// The dimensions of a slice, grouped by the dimension of the result that they become together. Which ones of size 1
/// are removed makes no difference to a tensor.
fn groups(sizes: &[Option<u64>], result: &[Option<u64>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = vec![];
    let mut leading = vec![];
    for (d, size) in sizes.iter().enumerate() {
        match (result.get(groups.len()) == Some(size), groups.last_mut()) {
            (true, _) => groups.push(leading.drain(..).chain([d]).collect()),
            (false, Some(last)) => last.push(d),
            (false, None) => leading.push(d),
        }
    }
    groups
}

/// The attributes of a slice.
fn attributes<'c>(slice: Op<'c>) -> Vec<(&'static str, Attribute<'c>)> {
    let names = ["static_offsets", "static_sizes", "static_strides", ir::SEGMENTS];
    names.into_iter().filter_map(|name| Some((name, ir::attribute(slice, name)?))).collect()
}

fn tensor<'c>(sizes: &[Option<u64>], element: Type<'c>) -> Type<'c> {
    let sizes: Vec<_> = sizes.iter().map(|size| size.unwrap_or(DYNAMIC as u64)).collect();
    RankedTensorType::new(&sizes, element, None).into()
}

/// Extracts a slice with all of its dimensions, and removes some of them.
fn extract(slice: Op<'_>) {
    let result = ir::results(slice)[0];
    let ty = result.r#type();
    let (Some(sizes), Some(shape)) = (ambiguous(slice, ty), ir::shape(ty)) else { return };
    let b = Builder::before(slice);
    let whole = tensor(&sizes, ir::element_type_or_self(ty));
    let whole = b.value("tensor.extract_slice", &ir::operands(slice), whole, &attributes(slice));
    let reduced = b.value("tensor.collapse_shape", &[whole], ty, &[b.reassociation(&groups(&sizes, &shape))]);
    ir::replace_uses(result, reduced);
    ir::erase(slice);
}

/// Adds the dimensions to what is inserted, before an operation.
fn insert(slice: Op<'_>, before: Op<'_>) {
    let source = ir::operands(slice)[0];
    let ty = source.r#type();
    let (Some(sizes), Some(shape)) = (ambiguous(slice, ty), ir::shape(ty)) else { return };
    let Some(all) = numbers(slice, "static_sizes", 2 + dynamic_count(slice, "static_offsets")) else { return };
    let b = Builder::before(before);
    let whole = tensor(&sizes, ir::element_type_or_self(ty));
    let dynamic = all.iter().filter_map(|number| match number {
        Number::Dynamic(value) => Some(*value),
        Number::Static(_) => None,
    });
    let operands: Vec<_> = [source].into_iter().chain(dynamic).collect();
    let static_sizes = ir::attribute(slice, "static_sizes").into_iter().map(|sizes| ("static_output_shape", sizes));
    let attributes: Vec<_> = static_sizes.chain([b.reassociation(&groups(&sizes, &shape))]).collect();
    let whole = b.value("tensor.expand_shape", &operands, whole, &attributes);
    ir::set_operand(slice, 0, whole);
}

fn dynamic_count(slice: Op<'_>, name: &str) -> usize {
    let numbers = ir::attribute(slice, name).and_then(ir::dense_array_attribute).unwrap_or_default();
    numbers.into_iter().filter(|number| *number == DYNAMIC).count()
}

/// Computes the offset and the strides of a view, instead of naming the slice.
fn view(slice: Op<'_>) {
    let (source, result) = (ir::operands(slice)[0], ir::results(slice)[0]);
    let Some(sizes) = ambiguous(slice, result.r#type()) else { return };
    let of_sizes = 1 + dynamic_count(slice, "static_offsets");
    let of_strides = of_sizes + dynamic_count(slice, "static_sizes");
    let (Some(offsets), Some(lengths), Some(every)) = (
        numbers(slice, "static_offsets", 1),
        numbers(slice, "static_sizes", of_sizes),
        numbers(slice, "static_strides", of_strides),
    ) else {
        return;
    };
    let types = ir::strides(source.r#type()).zip(ir::strides(result.r#type()));
    let Some(((strides, _), (wanted, _))) = types else { return };
    let is_known =
        |(stride, every): (&Option<i64>, &Number<'_>)| stride.is_some() && matches!(every, Number::Static(1));
    if strides.iter().zip(&every).all(is_known) {
        return;
    }
    let shape = ir::shape(result.r#type()).unwrap_or_default();
    let products = strides.iter().zip(&every).map(|(stride, every)| match every {
        Number::Static(every) => stride.and_then(|stride| stride.checked_mul(*every)),
        Number::Dynamic(_) => None,
    });
    let Some(kept) = kept(&sizes, &products.collect::<Vec<_>>(), &shape, &wanted) else { return };
    let b = Builder::before(slice);
    let Some(parts) = reinterpret::metadata(&b, source) else { return };
    let first = offsets.iter().zip(&parts.strides).fold(parts.offset, |sum, (offset, stride)| {
        let distance = product(&b, *offset, *stride);
        b.value("arith.addi", &[sum, distance], b.index(), &[])
    });
    let strides: Vec<_> = kept.iter().map(|d| product(&b, every[*d], parts.strides[*d])).collect();
    let lengths = kept.iter().filter_map(|d| match lengths[*d] {
        Number::Dynamic(length) => Some(length),
        Number::Static(_) => None,
    });
    reinterpret::replace(slice, &b, (parts.base, first), &lengths.collect::<Vec<_>>(), &strides);
}

fn product<'c>(b: &Builder<'c>, number: Number<'c>, stride: Val<'c>) -> Val<'c> {
    let number = match number {
        Number::Static(number) => b.constant(number, b.index()),
        Number::Dynamic(value) => value,
    };
    b.value("arith.muli", &[number, stride], b.index(), &[])
}

/// The dimensions of a slice that a view keeps: those of other sizes than 1, and as many of size 1 that the sizes and
/// the static strides of the view agree.
fn kept(
    sizes: &[Option<u64>],
    strides: &[Option<i64>],
    shape: &[Option<u64>],
    wanted: &[Option<i64>],
) -> Option<Vec<usize>> {
    let Some((size, stride)) = shape.first().zip(wanted.first()) else {
        return sizes.iter().all(|size| *size == Some(1)).then(Vec::new);
    };
    let first = sizes.iter().take_while(|size| **size == Some(1)).count();
    (0..=first.min(sizes.len().checked_sub(1)?)).find_map(|d| {
        let agrees = stride.zip(strides[d]).is_none_or(|(wanted, own)| wanted == own);
        let rest = (sizes[d] == *size && agrees)
            .then(|| kept(&sizes[d + 1..], &strides[d + 1..], &shape[1..], &wanted[1..]))??;
        Some([d].into_iter().chain(rest.into_iter().map(|other| other + d + 1)).collect())
    })
}
