//! The rules of views: C2 to C10.
use super::{
    IndexFunction, IndexMap, InpView, LARGEST_EXTENT, OutView,
    injective::{are_disjoint, is_injective},
    is_row_major, size_of_extent,
};
use crate::{
    ir::{self, Op, OpView, Val},
    pass::Failure,
    schedule::rules::count_text,
    verify::{Verified, defined_before, list, mda},
};
use melior::ir::{Attribute, Type, TypeLike, ValueLike};

/// A buffer of a view with its accesses.
struct Bracket<'c> {
    element: Option<Type<'c>>,
    sizes: Vec<Option<u64>>,
    maps: Vec<Attribute<'c>>,
    accesses: Vec<IndexFunction>,
}

/// One side of a computation: a view, and the kind of its buffers in messages.
struct View<'c> {
    operation: Op<'c>,
    kind: &'static str,
    brackets: Vec<Bracket<'c>>,
}

/// C2 and C10: the accesses to every buffer.
fn read<'c>(operation: Op<'c>, kind: &'static str, buffers: &[Val<'c>], rank: usize) -> Result<View<'c>, Failure<'c>> {
    let fail = |message: String| Err(Failure::new(operation, message));
    let accesses = list(operation, "accesses").unwrap_or_default();
    if accesses.len() != buffers.len() {
        return fail(format!(
            "C2: requires a bracket of accesses for each of the {} buffers, but has {}",
            buffers.len(),
            accesses.len()
        ));
    }
    let mut brackets = vec![];
    for (i, (bracket, buffer)) in accesses.into_iter().zip(buffers).enumerate() {
        let ty = buffer.r#type();
        let sizes = ir::shape(ty).unwrap_or_default();
        let number = i + 1;
        if super::has_encoding(ty) {
            return fail(format!(
                "C10: requires tensors without an encoding, but {kind} buffer {number} has type '{ty}'"
            ));
        }
        let maps = ir::array_attribute(bracket).unwrap_or_default();
        if maps.is_empty() {
            return fail(format!("C2: requires at least one access to {kind} buffer {number}"));
        }
        let mut accesses = vec![];
        for attribute in &maps {
            let of_buffer = format!("{kind} buffer {number}, but it is {attribute}");
            let Some(map) = IndexMap::from_attribute(*attribute) else {
                return fail(format!(
                    "C2: requires affine maps as accesses to {kind} buffer {number}, but one is {attribute}"
                ));
            };
            if map.symbols > 0 {
                return fail(format!("C2: requires an index function without symbols for {of_buffer}"));
            }
            if map.dimensions != rank {
                return fail(format!("C2: requires an index function of {rank} dimensions for {of_buffer}"));
            }
            if map.results != sizes.len() {
                let rank = sizes.len();
                return fail(format!("C2: requires an index function with {rank} results, the rank of {of_buffer}"));
            }
            match IndexFunction::from_attribute(*attribute) {
                Some(access) => accesses.push(access),
                None => return fail(format!("C2: requires a linear index function for {of_buffer}")),
            }
        }
        brackets.push(Bracket { element: ir::element_type(ty), sizes, maps, accesses });
    }
    Ok(View { operation, kind, brackets })
}

impl<'c> View<'c> {
    fn fail(&self, message: String) -> Verified<'c> {
        Err(Failure::new(self.operation, message))
    }

    /// C3 and C4: the accesses give the components of the tuple in order.
    fn tuple(&self, scalars: &[Type<'c>]) -> Verified<'c> {
        let count: usize = self.brackets.iter().map(|bracket| bracket.accesses.len()).sum();
        if count != scalars.len() {
            return self.fail(format!(
                "C3: requires one access for each component of the MDA, but there are {count} accesses and {} components",
                scalars.len()
            ));
        }
        let brackets = self.brackets.iter().enumerate();
        let elements = brackets.flat_map(|(i, bracket)| bracket.accesses.iter().map(move |_| (i, bracket.element)));
        for (component, ((i, element), scalar)) in elements.zip(scalars).enumerate() {
            if let Some(element) = element.filter(|element| element != scalar) {
                return self.fail(format!(
                    "C4: requires component {} of the MDA to have the element type of {} buffer {}, '{element}', but it has '{scalar}'",
                    component + 1,
                    self.kind,
                    i + 1
                ));
            }
        }
        Ok(())
    }

    /// C2: passes add and subtract values of index functions, so twice the largest value must fit in 64 bits.
    fn values(&self, extents: &[Option<u64>]) -> Verified<'c> {
        for (i, bracket) in self.brackets.iter().enumerate() {
            for (access, map) in bracket.accesses.iter().zip(&bracket.maps) {
                for (d, (row, constant)) in access.coefficients.iter().zip(&access.constants).enumerate() {
                    let mut sum = i128::from(constant.unsigned_abs());
                    for (coefficient, extent) in row.iter().zip(extents) {
                        // Each coefficient counts at least once: the last index of an empty dimension is -1, and a
                        // dynamic extent is unknown.
                        let last = i128::from(extent.unwrap_or(0).max(2) - 1);
                        sum += i128::from(coefficient.unsigned_abs()) * last;
                        if sum >= i128::from(LARGEST_EXTENT) {
                            let extents: Vec<_> = extents.iter().map(|extent| count_text(*extent)).collect();
                            return self.fail(format!(
                                "C2: requires an index function with values below 2^62 for {} buffer {}, but dimension {} of {map} has larger ones on extents {}",
                                self.kind,
                                i + 1,
                                d + 1,
                                extents.join("x")
                            ));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// C6: no index function leaves its buffer, as far as the sizes are static.
    fn bounds(&self, extents: &[Option<u64>]) -> Verified<'c> {
        if extents.contains(&Some(0)) {
            return Ok(());
        }
        for (i, bracket) in self.brackets.iter().enumerate() {
            for access in &bracket.accesses {
                for (d, size) in bracket.sizes.iter().enumerate() {
                    let Some((low, high)) = access.range(d, extents) else { continue };
                    if low >= 0 && size.is_none_or(|size| (high as u64) < size) {
                        continue;
                    }
                    let last = size.map_or("?".to_owned(), |size| (size as i64 - 1).to_string());
                    return self.fail(format!(
                        "C6: requires accesses inside of {} buffer {}, but dimension {} has indices 0 to {last} and is accessed at {low} to {high}",
                        self.kind,
                        i + 1,
                        d + 1
                    ));
                }
            }
        }
        Ok(())
    }

    /// The size that the extent of a dimension follows from.
    fn size_of(&self, dimension: usize) -> Option<Option<u64>> {
        let accesses: Vec<_> = self.brackets.iter().map(|bracket| &bracket.accesses).collect();
        let (buffer, axis) = size_of_extent(&accesses, dimension)?;
        Some(self.brackets[buffer].sizes[axis])
    }
}

/// C2 to C6 and C10 for inputs.
pub(crate) fn inp_view(operation: Op<'_>) -> Verified<'_> {
    let (mut extents, scalars) = mda(ir::results(operation).first());
    let Some(op) = InpView::cast(operation) else { return Ok(()) };
    let view = read(operation, "input", &op.buffers(), extents.len())?;
    view.tuple(&scalars)?;
    let mut wanted = 0;
    for (dimension, extent) in extents.iter_mut().enumerate().filter(|(_, extent)| extent.is_none()) {
        match view.size_of(dimension) {
            Some(size) => *extent = size,
            None => wanted += 1,
        }
    }
    let given = op.extents().len();
    if wanted != given {
        return view.fail(format!(
            "C5: requires an extent operand for each of the {wanted} dynamic extents that do not follow from a buffer, but has {given}"
        ));
    }
    view.values(&extents)?;
    view.bounds(&extents)
}

/// C7: the destinations and results of an out_view.
fn destinations(operation: Op<'_>) -> Verified<'_> {
    let fail = |message: String| Err(Failure::new(operation, format!("C7: requires {message}")));
    let count = list(operation, "accesses").unwrap_or_default().len();
    let (operands, results) = (ir::operands(operation), ir::results(operation));
    let destinations = operands.get(1..).unwrap_or_default();
    let destination_types: Vec<_> = destinations.iter().map(|value| value.r#type()).collect();
    let is_same = destination_types.iter().copied().eq(results.iter().map(|value| value.r#type()));
    if destinations.is_empty() {
        let results = results.len();
        return match results == count {
            true => Ok(()),
            false => fail(format!("a result for each of the {count} brackets, but has {results}")),
        };
    }
    if destinations.len() != count {
        let destinations = destinations.len();
        return fail(format!("a destination for each of the {count} brackets, but has {destinations}"));
    }
    let memrefs = destination_types.iter().filter(|ty| ty.is_mem_ref()).count();
    match memrefs == count {
        false if memrefs > 0 => fail("destinations that are all tensors or all memrefs".to_owned()),
        true if !results.is_empty() => {
            fail(format!("no results where the destinations are memrefs, but has {}", results.len()))
        }
        false if !is_same => fail("a result of the same type for each destination tensor".to_owned()),
        _ => Ok(()),
    }
}

/// C2 to C4 and C6 to C10 for outputs.
pub(crate) fn out_view(operation: Op<'_>) -> Verified<'_> {
    defined_before(operation)?;
    destinations(operation)?;
    let (extents, scalars) = mda(ir::operands(operation).first());
    for (i, result) in ir::results(operation).iter().enumerate() {
        let ty = result.r#type();
        if !is_row_major(ty) {
            let number = i + 1;
            let message = format!("C10: requires a row-major memref as result {number}, but it has type '{ty}'");
            return Err(Failure::new(operation, message));
        }
    }
    let buffers = OutView::cast(operation).map(OutView::buffers).unwrap_or_default();
    let view = read(operation, "output", &buffers, extents.len())?;
    view.tuple(&scalars)?;
    view.values(&extents)?;
    view.bounds(&extents)?;
    if extents.contains(&Some(0)) {
        return Ok(());
    }
    for (i, bracket) in view.brackets.iter().enumerate() {
        let number = i + 1;
        for (j, access) in bracket.accesses.iter().enumerate() {
            let problem = match is_injective(access, &extents) {
                Some(true) => None,
                Some(false) => Some("reaches elements twice"),
                None => Some("could not be proven to do so"),
            };
            if let Some(problem) = problem {
                return view.fail(format!(
                    "C8: requires an index function that reaches a different element of output buffer {number} at each point, but access {} {problem}",
                    j + 1
                ));
            }
            for (k, other) in bracket.accesses[..j].iter().enumerate() {
                let problem = match are_disjoint(other, access, &extents) {
                    Some(true) => continue,
                    Some(false) => "overlap",
                    None => "could not be proven to be disjoint",
                };
                return view.fail(format!(
                    "C9: requires accesses to different elements of output buffer {number}, but accesses {} and {} {problem}",
                    k + 1,
                    j + 1
                ));
            }
        }
    }
    Ok(())
}
