//! The elements that a rebuilt computation reads, and the values that are computed of them.
use super::{compose::Row, resolve::ReadSource};
use mdh_dialects::{
    hom::Index,
    ir::{self, Builder, Op, OpView, Val},
    view::IndexFunction,
};
use melior::ir::{Type, ValueLike};

/// The most accesses of a computation: more would exceed the registers for their addresses.
pub const MAX_ELEMENTS: usize = 24;

/// The elements that a rebuilt computation reads.
#[derive(Default)]
pub struct Elements<'c> {
    /// Buffers and rows, each pair once; the elements of a buffer are adjacent.
    pub list: Vec<(Val<'c>, Vec<Row>)>,
    /// By element: the argument of the scalar function.
    pub arguments: Vec<Val<'c>>,
}

impl<'c> Elements<'c> {
    /// Adds the element of a buffer at these rows, if it is new.
    pub fn add(&mut self, value: Val<'c>, rows: &[Row]) {
        if self.has(value, rows) {
            return;
        }
        let last = self.list.iter().rposition(|(known, _)| *known == value);
        self.list.insert(last.map_or(self.list.len(), |last| last + 1), (value, rows.to_vec()));
    }

    /// True if the element of a buffer at these rows is one of them.
    pub fn has(&self, value: Val<'c>, rows: &[Row]) -> bool {
        self.list.iter().any(|(known, at)| *known == value && at == rows)
    }

    /// The types of the elements.
    pub fn types(&self) -> Vec<Type<'c>> {
        self.list.iter().map(|(value, _)| ir::element_type_or_self(value.r#type())).collect()
    }

    /// The argument that is the element of a buffer at these rows.
    pub fn argument(&self, value: Val<'c>, rows: &[Row]) -> Val<'c> {
        let known = self.list.iter().position(|(known, at)| *known == value && at == rows);
        self.arguments[known.unwrap_or_else(|| unreachable!("all elements have been collected"))]
    }

    /// Adds the elements that a source reads.
    pub fn collect(&mut self, source: &ReadSource<'c>) {
        match source {
            ReadSource::Element(value, rows) => self.add(*value, rows),
            ReadSource::Constant(..) => {}
            ReadSource::Function { arguments, .. } => arguments.iter().for_each(|argument| self.collect(argument)),
        }
    }

    /// Emits the value of a source.
    pub fn emit(&self, b: &Builder<'c>, source: &ReadSource<'c>) -> Val<'c> {
        match source {
            ReadSource::Element(value, rows) => self.argument(*value, rows),
            ReadSource::Constant(ty, words) => b.wide_literal(words, *ty),
            ReadSource::Function { body, component, arguments, point } => {
                let arguments: Vec<_> = arguments.iter().map(|argument| self.emit(b, argument)).collect();
                let replace = &mut |here: &Builder<'c>, inner: Op<'c>| {
                    let index = Index::cast(inner)?;
                    Some(vec![linear(here, &point[index.dimension()])])
                };
                b.inline_block(*body, &arguments, replace)[*component]
            }
        }
    }

    /// The buffers, each once, and their accesses.
    pub fn accesses(&self) -> (Vec<Val<'c>>, Vec<Vec<IndexFunction>>) {
        let mut brackets: Vec<(Val<'c>, Vec<_>)> = vec![];
        for (value, rows) in &self.list {
            let access = IndexFunction::new(rows.iter().cloned());
            match brackets.last_mut().filter(|(known, _)| known == value) {
                Some((_, accesses)) => accesses.push(access),
                None => brackets.push((*value, vec![access])),
            }
        }
        brackets.into_iter().unzip()
    }

    /// The buffers, each once, and their accesses as attributes.
    pub fn brackets(&self, b: &Builder<'c>, dimensions: usize) -> (Vec<Val<'c>>, Vec<melior::ir::Attribute<'c>>) {
        let (buffers, accesses) = self.accesses();
        let attribute = |bracket: &Vec<IndexFunction>| {
            let maps: Vec<_> = bracket.iter().map(|access| access.attribute(b.context, dimensions)).collect();
            b.array(&maps)
        };
        (buffers, accesses.iter().map(attribute).collect())
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
