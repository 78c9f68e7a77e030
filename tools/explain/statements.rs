//! The labels of statements in the picture of a nest: statements of the same kind between two boxes are counted.
use super::figure::{Figure, Kind, Label, short, times};
use mdh_passes::nest::{
    print::{
        names::Names,
        simplified::{Simplified, SimplifiedCondition},
        statement::stored,
    },
    tree::{Block, Buffer, Operation, Purpose, Statement, Value},
    types::Type,
};

/// The labels of consecutive statements, in the order of the first statement of each kind.
pub struct Labels<'a, 'n> {
    names: &'a Names<'n>,
    simplified: &'a Simplified<'a, 'n>,
    found: Vec<Found>,
}

/// Statements of one kind.
struct Found {
    label: Label,
    /// What follows the text and the number of statements.
    how: String,
    count: usize,
}

impl<'a, 'n> Labels<'a, 'n> {
    /// No labels.
    pub fn new(names: &'a Names<'n>, simplified: &'a Simplified<'a, 'n>) -> Self {
        Self { names, simplified, found: vec![] }
    }

    /// Adds a statement. Those of a branch are counted like others, except those that are never executed.
    pub fn add(&mut self, statement: &Statement) {
        let names = self.names;
        if let Operation::If { then, otherwise } = &statement.operation {
            let blocks = match statement.operands.first().map(|condition| self.simplified.condition(*condition)) {
                Some(SimplifiedCondition::Known(true)) => vec![*then],
                Some(SimplifiedCondition::Known(false)) => vec![*otherwise],
                _ => vec![*then, *otherwise],
            };
            blocks.into_iter().flat_map(|block| names.nest().block(block)).for_each(|inside| self.add(inside));
        } else if let Some((kind, text, how)) = self.label(statement) {
            let is_same = |found: &&mut Found| {
                (found.label.kind, &found.label.text, &found.how) == (kind, &text, &how) && kind != Kind::Memory
            };
            match self.found.iter_mut().find(is_same) {
                Some(found) => found.count += 1,
                None => {
                    let label = Label { kind, text, full: names.line(statement) };
                    self.found.push(Found { label, how, count: 1 });
                }
            }
        }
    }

    /// The labels so far, which are then forgotten; `None` if there are none.
    pub fn take(&mut self) -> Option<Figure> {
        let labels = std::mem::take(&mut self.found).into_iter().map(|Found { label, how, count }| match count {
            1 => Label { text: label.text + &how, ..label },
            // A label of several statements shows none of them in full.
            _ => Label { full: String::new(), text: format!("{} ×{count}{how}", label.text), ..label },
        });
        let labels: Vec<_> = labels.collect();
        (!labels.is_empty()).then_some(Figure::Labels(labels))
    }

    /// The kind of a statement, its text, and what follows the number of such statements; `None` for statements that are
    /// not shown.
    fn label(&self, statement: &Statement) -> Option<(Kind, String, String)> {
        let name = |buffer: &Buffer| self.names.buffer(*buffer);
        let on = |value: Option<&Value>| match value.map(|value| self.names.nest().type_of(*value)) {
            Some(Type::Vector(lanes, _)) => format!(", {lanes} lanes"),
            _ => String::new(),
        };
        let plain = |text: String| Some((Kind::Plain, text, String::new()));
        let memory = |text: String| Some((Kind::Memory, text, String::new()));
        let Statement { operation, operands, results } = statement;
        match operation {
            Operation::Load(buffer) | Operation::LoadVector(buffer, _) => {
                Some((Kind::Plain, format!("load {}", name(buffer)), on(results.first())))
            }
            Operation::LoadMasked(buffer) => {
                Some((Kind::Plain, format!("load {}", name(buffer)), on(results.first()) + ", masked"))
            }
            Operation::Store(buffer) | Operation::StoreVector(buffer, _) => {
                Some((Kind::Plain, format!("store {}", name(buffer)), on(operands.first())))
            }
            Operation::StoreMasked(buffer) => {
                Some((Kind::Plain, format!("store {}", name(buffer)), on(operands.last()) + ", masked"))
            }
            Operation::Prefetch(buffer) => plain(format!("prefetch {}", name(buffer))),
            Operation::Scalar(scalar) => Some((Kind::Scalar, "scalar function".to_owned(), lanes(scalar.lanes))),
            Operation::Combine(combine) => {
                let word = if combine.accumulates { "accumulate" } else { "combine" };
                Some((Kind::Combination, word.to_owned(), lanes(combine.lanes)))
            }
            Operation::Identity => plain("identity".to_owned()),
            Operation::Initial(component) => plain(format!("initial value {}", component + 1)),
            Operation::Permute(_) => plain("permute lanes".to_owned()),
            Operation::Shuffle(..) => Some((Kind::Combination, "shuffle between threads".to_owned(), String::new())),
            Operation::Barrier => Some((Kind::Branch, "barrier".to_owned(), String::new())),
            Operation::WaitCopies(_) => Some((Kind::Branch, "wait for copies".to_owned(), String::new())),
            Operation::Allocate(buffer, storage) => {
                memory(short(&times(&self.names.declared(*buffer, &[]))) + stored(storage))
            }
            Operation::View { buffer, .. } => memory(short(&times(&self.names.declared(*buffer, &[])))),
            Operation::Subview { buffer, of, .. } => memory(format!("{}: a part of {}", name(buffer), name(of))),
            Operation::CopyAsync { to, from, .. } => plain(format!("copy {} to {}", name(from), name(to))),
            Operation::Copy { .. } | Operation::CopyPrevious(_) => memory(self.names.line(statement)),
            Operation::Free(buffer, _) => plain(format!("free {}", name(buffer))),
            _ => None,
        }
    }
}

/// The buffers that a block writes to, with their types.
pub fn targets(names: &Names<'_>, block: Block) -> String {
    let mut found: Vec<Buffer> = vec![];
    collect(names, block, &mut found);
    found.iter().map(|buffer| times(&names.declared(*buffer, &[]))).collect::<Vec<_>>().join(", ")
}

/// Collects the buffers that a block writes to, in order.
fn collect(names: &Names<'_>, block: Block, found: &mut Vec<Buffer>) {
    for statement in names.nest().block(block) {
        match &statement.operation {
            Operation::Store(buffer)
            | Operation::StoreVector(buffer, _)
            | Operation::StoreMasked(buffer)
            | Operation::CopyAsync { to: buffer, .. }
            | Operation::Copy { to: buffer, .. } => {
                if !found.contains(buffer) {
                    found.push(*buffer);
                }
            }
            Operation::Scalar(_) | Operation::Group(Purpose::Allocations, _) => {}
            operation => operation.blocks().into_iter().for_each(|inside| collect(names, inside, found)),
        }
    }
}

fn lanes(lanes: Option<i64>) -> String {
    lanes.map(|lanes| format!(", {lanes} lanes")).unwrap_or_default()
}
