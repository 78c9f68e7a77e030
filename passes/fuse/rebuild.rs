//! Rebuilds a computation with the sources of its values.
use super::{
    compose::{Row, rows, single},
    elements::{Elements, MAX_ELEMENTS},
    extents,
    resolve::{ReadSource, Reader},
};
use crate::analysis::computation::{Computation, InitialValue};
use mdh_dialects::{
    hom::{Index, MdHom, Yield},
    ir::{self, Builder, OpView, Val},
    view::{IndexFunction, InpView, OutView, mda_type_of},
};
use melior::ir::{Type, TypeLike, ValueLike};

/// Inlines what can be inlined into a computation. `all`: also computations that have not been raised.
pub fn rebuild(computation: &Computation<'_>, all: bool) {
    let Some(hom) = computation.md_hom() else { return };
    let reader = Reader { at: hom.op(), dimensions: computation.rank(), all, always: false };
    let Some(accesses) = computation.inp_view.accesses() else { return };
    let read = computation.inp_view.buffers().into_iter().zip(accesses);
    let read: Vec<_> =
        read.flat_map(|(buffer, accesses)| accesses.into_iter().map(move |access| (buffer, access))).collect();
    let sources: Vec<_> =
        read.iter().map(|(buffer, access)| reader.source(*buffer, rows(access, reader.dimensions), 0)).collect();
    let inits: Vec<_> = computation.inits.iter().map(|init| initial_source(&reader, computation, init)).collect();
    let changes = sources.iter().any(|source| !matches!(source, ReadSource::Element(..)))
        || sources
            .iter()
            .zip(&read)
            .any(|(source, (buffer, _))| matches!(source, ReadSource::Element(value, _) if value != buffer))
        || inits.iter().any(Option::is_some);
    let is_moved = inits.iter().any(|init| matches!(init, Some(InlinedInitial::Element(..))));
    let Some(old) = computation.hom.body().filter(|_| changes) else { return };

    let mut elements = Elements::default();
    sources.iter().for_each(|source| elements.collect(source));
    let functions: usize = sources.iter().map(functions).sum();
    if elements.list.len() > MAX_ELEMENTS || functions > MAX_FUNCTIONS {
        return;
    }
    let Some(operands) = extents::operands(computation, &elements) else { return };
    let b = Builder::before(hom.op());
    let types = elements.types();
    let (region, block) = b.region(&types);
    let inside = b.at_end(block);
    elements.arguments = ir::arguments(block);
    let arguments: Vec<_> = sources.iter().map(|source| elements.emit(&inside, source)).collect();
    let yields = inside.inline_block(old, &arguments, &mut |_, _| None);
    Yield::build(&inside, &yields);

    let extents: Vec<_> = computation.domain.extents().collect();
    let (buffers, lists) = elements.brackets(&b, reader.dimensions);
    let view = InpView::build(&b, &buffers, &operands, &lists, mda_type_of(b.context, &extents, &types));
    let inits: Vec<_> = inits
        .into_iter()
        .zip(hom.inits())
        .map(|(new, old)| match new {
            Some(InlinedInitial::Constant(ty, words)) => b.wide_literal(&words, ty),
            Some(InlinedInitial::Element(value, rows)) => {
                let map = IndexFunction::new(rows).attribute(b.context, reader.dimensions);
                InpView::build(&b, &[value], &[], &[b.array(&[map])], old.r#type()).result()
            }
            None => old,
        })
        .collect();
    let new = MdHom::build(&b, view.result(), &inits, &hom.combine(), region, hom.result().r#type());
    hom.copy_attributes(new);
    ir::replace_uses(hom.result(), new.result());
    ir::erase(hom.op());
    if ir::users(computation.inp_view.result()).is_empty() {
        ir::erase(computation.inp_view.op());
    }
    if is_moved {
        renew(computation.out_view);
    }
}

/// Lets a computation write new tensors instead of destinations of which it overwrites all elements. Initial values are
/// not read from them any more.
fn renew(view: OutView<'_>) {
    let destinations = view.destinations();
    let is_replaced = |(i, destination): (usize, &Val<'_>)| destination.r#type().is_tensor() && view.overwrites(i);
    if destinations.is_empty() || !destinations.iter().enumerate().all(is_replaced) {
        return;
    }
    let types: Vec<_> = view.results().iter().map(|result| result.r#type()).collect();
    let new = OutView::build(&Builder::before(view.op()), view.mda(), &[], &view.access_lists(), &types);
    for (old, new) in view.results().into_iter().zip(new.results()) {
        ir::replace_uses(old, new);
    }
    ir::erase(view.op());
}

/// The most functions that are inlined into one: the same function may be inlined for several arguments.
const MAX_FUNCTIONS: usize = 64;

/// The number of functions of a source.
fn functions(source: &ReadSource<'_>) -> usize {
    match source {
        ReadSource::Function { arguments, .. } => 1 + arguments.iter().map(functions).sum::<usize>(),
        ReadSource::Element(..) | ReadSource::Constant(..) => 0,
    }
}

/// What an initial value is read from instead of the result of another computation.
enum InlinedInitial<'c> {
    /// A constant that all elements are equal to, by its type and its bits.
    Constant(Type<'c>, Vec<u64>),
    /// The element of a tensor, which has been copied: its rows, by axis.
    Element(Val<'c>, Vec<Row>),
}

/// The source of an initial value that is a constant, or that has been copied from a tensor, as a bias is to all points.
fn initial_source<'c>(
    reader: &Reader<'c>,
    computation: &Computation<'c>,
    init: &InitialValue<'c>,
) -> Option<InlinedInitial<'c>> {
    let InitialValue::Elements(view, buffer) = init else { return None };
    let access = view.accesses()?.into_iter().flatten().next()?;
    let reader = Reader { always: true, ..*reader };
    match copied(reader.source(buffer.value, rows(&access, reader.dimensions), 0))? {
        ReadSource::Constant(ty, words) if ty == buffer.element => Some(InlinedInitial::Constant(ty, words)),
        ReadSource::Element(value, rows)
            if value != buffer.value
                && value.r#type().is_tensor()
                && ir::element_type_or_self(value.r#type()) == buffer.element
                && computation.domain.is_static() =>
        {
            Some(InlinedInitial::Element(value, rows))
        }
        _ => None,
    }
}

/// The constant that a source is: also by a function that yields its argument.
pub fn constant_of(source: ReadSource<'_>) -> Option<(Type<'_>, Vec<u64>)> {
    match copied(source)? {
        ReadSource::Constant(ty, words) => Some((ty, words)),
        _ => None,
    }
}

/// The constant or element that a source is: also by functions that yield their argument.
fn copied(source: ReadSource<'_>) -> Option<ReadSource<'_>> {
    let ReadSource::Function { body, component, mut arguments, .. } = source else { return Some(source) };
    let terminator = ir::block_operations(body).pop()?;
    let value = *ir::operands(terminator).get(component)?;
    let position = ir::arguments(body).iter().position(|argument| *argument == value)?;
    copied(arguments.swap_remove(position))
}

/// The dimension of the reader whose index a source is: also by a function that yields its argument.
pub fn index_of(source: ReadSource<'_>) -> Option<usize> {
    let ReadSource::Function { body, component, mut arguments, point } = source else { return None };
    let terminator = ir::block_operations(body).pop()?;
    let value = *ir::operands(terminator).get(component)?;
    if let Some(position) = ir::arguments(body).iter().position(|argument| *argument == value) {
        return index_of(arguments.swap_remove(position));
    }
    let cast = ir::defining(value).filter(|operation| ir::name(*operation) == "arith.index_cast");
    let source = cast.and_then(|cast| ir::operands(cast).first().copied()).unwrap_or(value);
    let (coefficients, constant) = point.get(ir::defining(source).and_then(Index::cast)?.dimension())?;
    single(coefficients, *constant)
}
