//! Rebuilds a computation with the sources of its values.
use super::{
    compose::{Row, rows, single},
    resolve::{ReadSource, Reader},
};
use crate::analysis::computation::{Computation, InitialValue};
use mdh_dialects::{
    hom::{Index, MdHom, Yield},
    ir::{self, Builder, Op, OpView, Val, ValueMap},
    view::{IndexFunction, InpView, mda_type_of},
};
use melior::ir::{Type, ValueLike};

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
    let inits: Vec<_> = computation.inits.iter().map(|init| start(&reader, init)).collect();
    let changes = sources.iter().any(|source| !matches!(source, ReadSource::Element(..)))
        || sources
            .iter()
            .zip(&read)
            .any(|(source, (buffer, _))| matches!(source, ReadSource::Element(value, _) if value != buffer))
        || inits.iter().any(Option::is_some);
    let Some(old) = computation.hom.body().filter(|_| changes) else { return };

    let mut elements = Elements::default();
    sources.iter().for_each(|source| elements.collect(source));
    let functions: usize = sources.iter().map(functions).sum();
    if elements.list.len() > MAX_ELEMENTS || functions > MAX_FUNCTIONS {
        return;
    }
    let b = Builder::before(hom.op());
    let types: Vec<_> = elements.list.iter().map(|(value, _)| element(*value)).collect();
    let (region, block) = b.region(&types);
    let inside = b.at_end(block);
    elements.arguments = ir::arguments(block);
    let arguments: Vec<_> = sources.iter().map(|source| elements.emit(&inside, source)).collect();
    let yields = inside.inline_block(old, &arguments, &mut |_, _| None);
    Yield::build(&inside, &yields);

    let extents: Vec<_> = computation.domain.extents().collect();
    let (buffers, lists) = elements.brackets(&b, reader.dimensions);
    let view = InpView::build(&b, &buffers, &[], &lists, mda_type_of(b.context, &extents, &types));
    let inits: Vec<_> = inits
        .into_iter()
        .zip(hom.inits())
        .map(|(new, old)| match new {
            Some((ty, words)) => b.wide_literal(&words, ty),
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
}

/// The most accesses of a computation: more would exceed the registers for their addresses.
const MAX_ELEMENTS: usize = 24;

/// The most functions that are inlined into one: the same function may be inlined for several arguments.
const MAX_FUNCTIONS: usize = 64;

/// The number of functions of a source.
fn functions(source: &ReadSource<'_>) -> usize {
    match source {
        ReadSource::Function { arguments, .. } => 1 + arguments.iter().map(functions).sum::<usize>(),
        ReadSource::Element(..) | ReadSource::Constant(..) => 0,
    }
}

fn element(value: Val<'_>) -> Type<'_> {
    ir::element_type_or_self(value.r#type())
}

/// The constant that all elements of an initial value are equal to, by its type and its bits.
fn start<'c>(reader: &Reader<'c>, init: &InitialValue<'c>) -> Option<(Type<'c>, Vec<u64>)> {
    let InitialValue::Elements(view, buffer) = init else { return None };
    let access = view.accesses()?.into_iter().flatten().next()?;
    let reader = Reader { always: true, ..*reader };
    match constant_of(reader.source(buffer.value, rows(&access, reader.dimensions), 0)) {
        Some((ty, words)) if ty == buffer.element => Some((ty, words)),
        _ => None,
    }
}

/// The constant that a source is: also by a function that yields its argument.
pub fn constant_of(source: ReadSource<'_>) -> Option<(Type<'_>, Vec<u64>)> {
    match source {
        ReadSource::Constant(ty, words) => Some((ty, words)),
        ReadSource::Element(..) => None,
        ReadSource::Function { body, component, mut arguments, .. } => {
            let terminator = ir::block_operations(body).pop()?;
            let value = *ir::operands(terminator).get(component)?;
            let position = ir::arguments(body).iter().position(|argument| *argument == value)?;
            constant_of(arguments.swap_remove(position))
        }
    }
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

/// The elements that a rebuilt computation reads.
#[derive(Default)]
struct Elements<'c> {
    /// Buffers and rows, each pair once; the elements of a buffer are adjacent.
    list: Vec<(Val<'c>, Vec<Row>)>,
    /// By element: the argument of the scalar function.
    arguments: Vec<Val<'c>>,
}

impl<'c> Elements<'c> {
    fn collect(&mut self, source: &ReadSource<'c>) {
        match source {
            ReadSource::Element(value, rows) => {
                if self.list.iter().any(|(known, at)| known == value && at == rows) {
                    return;
                }
                let last = self.list.iter().rposition(|(known, _)| known == value);
                self.list.insert(last.map_or(self.list.len(), |last| last + 1), (*value, rows.clone()));
            }
            ReadSource::Constant(..) => {}
            ReadSource::Function { arguments, .. } => arguments.iter().for_each(|argument| self.collect(argument)),
        }
    }

    /// Emits the value of a source.
    fn emit(&self, b: &Builder<'c>, source: &ReadSource<'c>) -> Val<'c> {
        match source {
            ReadSource::Element(value, rows) => {
                let known = self.list.iter().position(|(known, at)| known == value && at == rows);
                self.arguments[known.unwrap_or_else(|| unreachable!("all elements have been collected"))]
            }
            ReadSource::Constant(ty, words) => b.wide_literal(words, *ty),
            ReadSource::Function { body, component, arguments, point } => {
                let arguments: Vec<_> = arguments.iter().map(|argument| self.emit(b, argument)).collect();
                let mut map: ValueMap<'c> = ir::arguments(*body).into_iter().zip(arguments).collect();
                let mut operations = ir::block_operations(*body);
                let terminator = operations.pop().map(ir::operands).unwrap_or_default();
                for operation in operations {
                    let replace = &mut |here: &Builder<'c>, inner: Op<'c>| {
                        let index = Index::cast(inner)?;
                        Some(vec![linear(here, &point[index.dimension()])])
                    };
                    let values = b.copy_mapped(operation, &map, replace);
                    map.extend(ir::results(operation).into_iter().zip(values));
                }
                map.get(terminator[*component])
            }
        }
    }

    /// The buffers, each once, and their accesses.
    fn brackets(&self, b: &Builder<'c>, dimensions: usize) -> (Vec<Val<'c>>, Vec<melior::ir::Attribute<'c>>) {
        let mut brackets: Vec<(Val<'c>, Vec<_>)> = vec![];
        for (value, rows) in &self.list {
            let map = IndexFunction::new(rows.iter().cloned()).attribute(b.context, dimensions);
            match brackets.last_mut().filter(|(known, _)| known == value) {
                Some((_, maps)) => maps.push(map),
                None => brackets.push((*value, vec![map])),
            }
        }
        brackets.into_iter().map(|(value, maps)| (value, b.array(&maps))).unzip()
    }
}

/// Emits a linear form of the indices of the point.
fn linear<'c>(b: &Builder<'c>, (coefficients, offset): &Row) -> Val<'c> {
    let ty = b.index();
    let terms = coefficients.iter().enumerate().filter(|(_, coefficient)| **coefficient != 0);
    let terms = terms.map(|(d, coefficient)| {
        let index = b.value(Index::NAME, &[], ty, &[("dimension", b.i64_number(d as i64))]);
        match coefficient {
            1 => index,
            _ => b.value("arith.muli", &[index, b.constant(*coefficient, ty)], ty, &[]),
        }
    });
    let terms: Vec<_> = terms.collect();
    let add = |sum: Val<'c>, term: Val<'c>| b.value("arith.addi", &[sum, term], ty, &[]);
    match (terms.into_iter().reduce(add), *offset) {
        (Some(sum), 0) => sum,
        (Some(sum), offset) => add(sum, b.constant(offset, ty)),
        (None, offset) => b.constant(offset, ty),
    }
}
