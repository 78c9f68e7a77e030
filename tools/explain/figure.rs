//! What the picture of a nest shows: a box for each loop, kernel, copy and combination, and between them a label for each
//! kind of statement.
//!
//! ```text
//! parallel for p1_1 in 0..64:                     threads   level (1, 1)   COR,x           × 64
//!   for p2_1 in 0..8:                             │ loop      level (2, 1)   MM,x          × 8
//!     level (2, 2) carried:                 ──▶   │ │ combine   level (2, 2) carried
//!       %0 = identity                             │ │ │ identity
//!       %1 = for p2_2 in 0..4096 carrying …       │ │ │ loop      level (2, 2)   MM,y      × 4096
//!         %3 = load input 1[…]                    │ │ │ │ load input 1 · scalar function · …
//! ```
//!
//! Statements between two boxes are counted by kind: the 48 products of a register tile are one label. Index arithmetic is
//! left out, and so are the loops of copies and initializations, and conditions whose result is known. `mdh explain --nest`
//! prints all statements.
use super::{
    scheduled::Scheduled,
    statements::{self, Labels},
};
use mdh_dialects::schedule::{
    model::{Level, Tag},
    roles::CoreRole,
    rules,
};
use mdh_passes::{
    nest::{
        print::{
            names::Names,
            simplified::{Simplified, SimplifiedCondition},
        },
        tree::{Block, Kernel, Loop, Nest, Operation, Purpose, Statement, Value},
    },
    notation::json::axis,
    plan::{runner::Combination, tile::TileAxis},
};

/// What a box or a label is, which decides its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A sequential loop.
    Loop,
    /// Threads.
    Threads,
    /// Warps.
    Warps,
    /// Blocks, and everything outside of them: devices and processes.
    Blocks,
    /// Unrolled code.
    Unrolled,
    /// Lanes of vectors.
    Lanes,
    /// A kernel.
    Kernel,
    /// A copy, an initialization, or a buffer.
    Memory,
    /// The scalar function.
    Scalar,
    /// A combination of results.
    Combination,
    /// Code that runs under a condition.
    Branch,
    /// Parts of another computation.
    Producer,
    /// Any other statement.
    Plain,
}

/// A part of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Figure {
    /// A box around other figures.
    Frame {
        /// What it is.
        kind: Kind,
        /// A word for the kind.
        word: String,
        /// The text beside the word.
        title: String,
        /// The text at the right, such as the number of iterations.
        count: String,
        /// The statement in full, which a browser shows on request.
        full: String,
        /// The figures in it, in execution order.
        inside: Vec<Figure>,
    },
    /// Statements between boxes.
    Labels(Vec<Label>),
    /// Alternatives, of which one is executed.
    Either(Vec<Figure>),
}

/// A statement, or several of the same kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// What it is.
    pub kind: Kind,
    /// The text.
    pub text: String,
    /// The statement in full.
    pub full: String,
}

/// The figures of a nest. `all`: the computations of the function; `number`: that of the computation.
pub fn figures(nest: &Nest, all: &[&Scheduled<'_>], number: usize) -> Vec<Figure> {
    let names = Names::of(nest);
    let simplified = Simplified::of(&names);
    let drawing = Drawing { names: &names, simplified: &simplified, all, number };
    let buffers = nest.user_buffers().into_iter().map(|buffer| {
        let full = names.declared(buffer, &[]);
        Label { kind: Kind::Memory, text: short(&times(&full)), full }
    });
    [Figure::Labels(buffers.collect())].into_iter().chain(drawing.block(Nest::BODY)).collect()
}

/// A nest that is drawn, at a position: the computation that loops belong to changes in parts of producers.
#[derive(Clone, Copy)]
struct Drawing<'a, 'n> {
    names: &'a Names<'n>,
    simplified: &'a Simplified<'a, 'n>,
    all: &'a [&'a Scheduled<'a>],
    number: usize,
}

impl<'n> Drawing<'_, 'n> {
    fn nest(&self) -> &'n Nest {
        self.names.nest()
    }

    /// The figures of a block.
    fn block(&self, block: Block) -> Vec<Figure> {
        let mut figures = vec![];
        let mut labels = Labels::new(self.names, self.simplified);
        for statement in self.statements(block) {
            if self.has_structure(statement) {
                figures.extend(labels.take());
                self.statement(statement, &mut figures);
            } else {
                labels.add(statement);
            }
        }
        figures.extend(labels.take());
        figures
    }

    /// The statements of a block, in which groups of allocations are no groups.
    fn statements(&self, block: Block) -> Vec<&'n Statement> {
        let inside = |statement: &'n Statement| match &statement.operation {
            Operation::Group(Purpose::Allocations, block) => self.nest().block(*block).iter().collect(),
            _ => vec![statement],
        };
        self.nest().block(block).iter().flat_map(inside).collect()
    }

    /// True if a statement is drawn as a box: it is or contains a loop, a group or a kernel.
    fn has_structure(&self, statement: &Statement) -> bool {
        match &statement.operation {
            Operation::Loop(_) | Operation::Parallel(_) | Operation::Group(..) | Operation::Kernel(_) => true,
            Operation::If { then, otherwise } => {
                let blocks = [*then, *otherwise].into_iter();
                blocks.flat_map(|block| self.nest().block(block)).any(|inside| self.has_structure(inside))
            }
            _ => false,
        }
    }

    fn statement(&self, statement: &Statement, to: &mut Vec<Figure>) {
        let full = self.names.line(statement);
        match &statement.operation {
            Operation::Loop(r#loop) => to.push(self.r#loop((Kind::Loop, "loop"), r#loop, &statement.operands, full)),
            Operation::Parallel(r#loop) => {
                to.push(self.r#loop((Kind::Threads, "threads"), r#loop, &statement.operands, full));
            }
            Operation::If { then, otherwise } => {
                self.branch(statement.operands.first().copied(), [*then, *otherwise], to)
            }
            Operation::Kernel(kernel) => to.push(self.kernel(kernel, &statement.operands, full)),
            Operation::Group(purpose, block) => self.group(purpose, *block, full, to),
            _ => {}
        }
    }

    fn r#loop(&self, (kind, word): (Kind, &str), r#loop: &Loop, operands: &[Value], full: String) -> Figure {
        let title = match r#loop.level {
            Some(level) => self.level(level),
            None => "elements".to_owned(),
        };
        let count = self.count(r#loop.level, operands);
        Figure::Frame { kind, word: word.to_owned(), title, count, full, inside: self.block(r#loop.body) }
    }

    /// A level, with the level of the system that executes it.
    fn level(&self, level: Level) -> String {
        let step = self.own().and_then(|own| own.schedule.decompose.iter().find(|step| step.level == level));
        let tag = step.map(|step| format!("   {}", tag(&step.tag)));
        format!("{}{}", self.named(level), tag.unwrap_or_default())
    }

    /// A level, with the name of its dimension if the program names it.
    fn named(&self, level: Level) -> String {
        let names = self.own().map(|own| own.computation.dimension_names()).unwrap_or_default();
        let of = names.get(level.dimension).map(|name| format!(" of {name}")).unwrap_or_default();
        format!("level {}{of}", rules::name(level))
    }

    /// The computation that loops belong to.
    fn own(&self) -> Option<&Scheduled<'_>> {
        self.all.iter().find(|one| one.number == self.number).copied()
    }

    /// The number of parts of a level by the schedule; `None` if it depends on an extent.
    fn parts(&self, level: Level) -> Option<u64> {
        let parts = self.own()?.schedule.parts.get(level.layer)?.get(level.dimension)?;
        *parts
    }

    /// The number of iterations of a loop, if it is known, or its limit.
    fn count(&self, level: Option<Level>, operands: &[Value]) -> String {
        let &[lower, upper, step, ..] = operands else { return String::new() };
        match (self.simplified.iterations([lower, upper, step]), level.and_then(|level| self.parts(level))) {
            (Ok(number), _) => format!("× {number}"),
            (Err(_), Some(parts)) => format!("× up to {parts}"),
            (Err(text), None) => clipped(&format!("× {text}"), 32),
        }
    }

    /// A branch, or what is executed of it each time.
    fn branch(&self, condition: Option<Value>, [then, otherwise]: [Block; 2], to: &mut Vec<Figure>) {
        let condition = match condition.map(|condition| self.simplified.condition(condition)) {
            Some(SimplifiedCondition::Known(is_true)) => {
                return to.extend(self.block(if is_true { then } else { otherwise }));
            }
            Some(SimplifiedCondition::Open(text)) => text,
            None => String::new(),
        };
        let frame = |word: &str, condition: &str, inside: Vec<Figure>| Figure::Frame {
            kind: Kind::Branch,
            word: word.to_owned(),
            title: short(condition),
            count: String::new(),
            full: condition.to_owned(),
            inside,
        };
        let [then, otherwise] = [then, otherwise].map(|block| self.block(block));
        match (then.is_empty(), otherwise.is_empty()) {
            (true, true) => {}
            (false, true) => to.push(frame("if", &condition, then)),
            (true, false) => to.push(frame("unless", &condition, otherwise)),
            (false, false) => {
                to.push(Figure::Either(vec![frame("if", &condition, then), frame("else", "", otherwise)]));
            }
        }
    }

    /// A kernel: the levels that its blocks and threads execute are boxes in it, as if they were loops.
    fn kernel(&self, kernel: &Kernel, operands: &[Value], full: String) -> Figure {
        let levels = kernel.levels.as_deref().unwrap_or_default();
        let mut inside = self.block(kernel.body);
        for share in levels.iter().rev() {
            let kind = kind_of(share.role);
            let count = self.parts(share.level).map(|parts| format!("× {parts}")).unwrap_or_default();
            inside = vec![Figure::Frame {
                kind,
                word: share.role.name().to_owned(),
                title: self.level(share.level),
                count,
                full: self.names.share(share),
                inside,
            }];
        }
        let shared = kernel.shared.iter().map(|buffer| {
            let full = self.names.declared(*buffer, &[]);
            Label { kind: Kind::Memory, text: short(&times(&full)), full }
        });
        let shared: Vec<_> = shared.collect();
        if !shared.is_empty() {
            inside.insert(0, Figure::Labels(shared));
        }
        let sizes = |from: usize| {
            let sizes: Vec<_> = operands.iter().skip(from).take(3).map(|size| self.simplified.value(*size)).collect();
            let used = sizes.iter().rposition(|size| size != "1").map_or(1, |last| last + 1);
            sizes.iter().take(used).map(String::as_str).collect::<Vec<_>>().join(" × ")
        };
        let counted = |sizes: String, word: &str| match sizes.as_str() {
            "1" => format!("1 {word}"),
            _ => format!("{sizes} {word}s"),
        };
        let title = short(&format!("{} of {}", counted(sizes(0), "block"), counted(sizes(3), "thread")));
        Figure::Frame { kind: Kind::Kernel, word: "kernel".to_owned(), title, count: String::new(), full, inside }
    }

    fn group(&self, purpose: &Purpose, block: Block, full: String, to: &mut Vec<Figure>) {
        let full = full.trim_end_matches(':').to_owned();
        let frame = |kind: Kind, word: &str, title: String, count: String, inside: Vec<Figure>| Figure::Frame {
            kind,
            word: word.to_owned(),
            title: short(&title),
            count: short(&count),
            full: full.clone(),
            inside,
        };
        let producer = |producer: usize| self.nest().producers.get(producer).map_or(producer, |(number, _)| *number);
        match purpose {
            Purpose::Allocations => to.extend(self.block(block)),
            Purpose::Promote { input, placement, .. } => {
                let title = format!("input {} to {placement}", input + 1);
                let target = statements::targets(self.names, block);
                to.push(frame(Kind::Memory, "copy", title, target, vec![]));
            }
            Purpose::Initialize => {
                let target = statements::targets(self.names, block);
                to.push(frame(Kind::Memory, "initialize", target, String::new(), vec![]));
            }
            Purpose::Combine { level, combination } => {
                let (word, how) = match combination {
                    Combination::Scan => ("scan", String::new()),
                    Combination::ScanAcross(role) => ("scan", format!(", across {}", role.name())),
                    _ => ("combine", format!(", {combination}")),
                };
                let title = format!("{}{how}", self.named(*level));
                to.push(frame(Kind::Combination, word, title, String::new(), self.block(block)));
            }
            Purpose::Tile(axes) => to.extend(self.tile(axes, self.block(block))),
            Purpose::Compute { producer: of } => {
                let of = producer(*of);
                let inside = Self { number: of, ..*self }.block(block);
                let title = format!("a part of computation {}", of + 1);
                to.push(frame(Kind::Producer, "compute", title, String::new(), inside));
            }
            Purpose::Share { producer: of } => {
                let of = producer(*of);
                let inside = Self { number: of, ..*self }.block(block);
                let title = format!("for all parts of computation {}", of + 1);
                to.push(frame(Kind::Producer, "share", title, String::new(), inside));
            }
        }
    }

    /// A register tile: a box for each of its levels.
    fn tile(&self, axes: &[TileAxis], inside: Vec<Figure>) -> Vec<Figure> {
        axes.iter().rev().fold(inside, |inside, axis| {
            let (kind, word) = if axis.is_lanes { (Kind::Lanes, "vector") } else { (Kind::Unrolled, "unrolled") };
            let (title, count) = (self.level(axis.level), format!("× {}", axis.count));
            vec![Figure::Frame { kind, word: word.to_owned(), full: title.clone(), title, count, inside }]
        })
    }
}

fn kind_of(role: CoreRole) -> Kind {
    match role {
        CoreRole::Ranks | CoreRole::Devices | CoreRole::Blocks => Kind::Blocks,
        CoreRole::Warps => Kind::Warps,
        CoreRole::Threads => Kind::Threads,
        CoreRole::Lanes | CoreRole::Matrix => Kind::Lanes,
    }
}

fn tag(tag: &Tag) -> String {
    format!("{},{}", tag.layer, axis(tag.dimension))
}

/// A type with multiplication signs.
pub fn times(text: &str) -> String {
    text.replace(" x ", " × ")
}

/// The beginning of a long text: sizes and conditions of programs with dynamic extents are long.
pub fn short(text: &str) -> String {
    clipped(text, 52)
}

/// A text of at most this many characters, without the mark of what is left out.
fn clipped(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}
