//! The line of a statement.
use super::{expression::Binding, names::Names};
use crate::{
    nest::{
        tree::{
            Array, Buffer, Kernel, KernelLevel, Layout, Loop, MemorySpace, Nest, Operation, PointIndex, Purpose,
            Statement, Storage, Value, VectorAccess,
        },
        types::Type,
    },
    plan::tile::TileAxis,
};
use mdh_dialects::{ir::ShuffleMode, schedule::rules::name};

impl Names<'_> {
    /// A statement with its results, without the contents of its blocks.
    pub fn line(&self, statement: &Statement) -> String {
        let text = self.text(statement);
        match statement.results.is_empty() {
            true => text,
            false => format!("{} = {text}", self.list(&statement.results)),
        }
    }

    fn text(&self, statement: &Statement) -> String {
        let Statement { operation, operands, results } = statement;
        let at = |i: usize| operands.get(i).map_or_else(|| "?".to_owned(), |value| self.value(*value));
        let all = || self.list(operands);
        match operation {
            Operation::Constant(_)
            | Operation::Zero
            | Operation::Binary(_)
            | Operation::Compare(_)
            | Operation::Select
            | Operation::Cast
            | Operation::SignedCast
            | Operation::Dimension(_)
            | Operation::FirstLanes => self.expression(statement).0,
            Operation::Broadcast => format!("broadcast {}", all()),
            Operation::Extract(lane) => format!("lane {} of {}", lane.map_or_else(|| at(1), |l| l.to_string()), at(0)),
            Operation::FromElements => format!("vector ({})", all()),
            Operation::Permute(lanes) => format!("permute ({}) lanes {lanes:?}", all()),
            Operation::Yield => format!("yield {}", all()).trim_end().to_owned(),
            Operation::Shuffle(mode, distance) => {
                let sign = if *mode == ShuffleMode::Up { '-' } else { '+' };
                format!("shuffle {} from thread {sign} {distance}", all())
            }
            Operation::Barrier => "barrier".to_owned(),
            Operation::GroupCopies => "group copies".to_owned(),
            Operation::WaitCopies(groups) => format!("wait for copies ({}), groups left: {groups}", all()),
            Operation::DynamicSharedMemory => "launch memory".to_owned(),
            Operation::Identity => "identity".to_owned(),
            Operation::Initial(component) => format!("constant initial value {}", component + 1),
            Operation::Combine(combine) => {
                let (left, right) = operands.split_at(operands.len() / 2);
                let word = if combine.accumulates { "accumulate" } else { "combine" };
                format!("{word} ({}) with ({}){}", self.list(left), self.list(right), on_lanes(combine.lanes))
            }
            Operation::Scalar(scalar) => {
                let points: Vec<_> = scalar.indices.iter().map(|index| self.point(index)).collect();
                let points = if points.is_empty() { String::new() } else { format!(" at {}", points.join(", ")) };
                format!("scalar ({}){}{points}", all(), on_lanes(scalar.lanes))
            }
            Operation::Loop(r#loop) => self.r#loop("for", r#loop, operands),
            Operation::Parallel(r#loop) => self.r#loop("parallel for", r#loop, operands),
            Operation::If { .. } => format!("if {}:", at(0)),
            Operation::Group(purpose, _) => group(self.nest(), purpose),
            Operation::Kernel(kernel) => self.kernel(kernel, operands),
            access if access.accesses_elements() => self.elements(access, operands, results),
            other => self.buffers(other, operands),
        }
    }

    /// An operation on elements of buffers.
    fn elements(&self, operation: &Operation, operands: &[Value], results: &[Value]) -> String {
        let lanes = |value: Option<&Value>| match value.map(|value| self.nest().type_of(*value)) {
            Some(Type::Vector(lanes, _)) => lanes.to_string(),
            _ => "1".to_owned(),
        };
        let first = || operands.first().map_or_else(|| "?".to_owned(), |value| self.value(*value));
        let after = |count: usize| operands.get(count..).unwrap_or_default();
        let last = |count: usize| operands.split_at(operands.len().saturating_sub(count));
        match operation {
            Operation::Load(buffer) => format!("load {}", self.element(*buffer, operands)),
            Operation::Store(buffer) => format!("store {} to {}", first(), self.element(*buffer, after(1))),
            Operation::LoadVector(buffer, access) => {
                let place = self.element(*buffer, operands);
                format!("load {} of {place}{}", lanes(results.first()), how(access))
            }
            Operation::StoreVector(buffer, access) => {
                let place = self.element(*buffer, after(1));
                format!("store {} to {} of {place}{}", first(), lanes(operands.first()), how(access))
            }
            Operation::LoadMasked(buffer) => {
                let (indices, masked) = last(2);
                let [condition, otherwise] = [0, 1].map(|i| self.list(masked.get(i..=i).unwrap_or_default()));
                let (lanes, place) = (lanes(results.first()), self.element(*buffer, indices));
                format!("load {lanes} of {place} where {condition}, else {otherwise}")
            }
            Operation::StoreMasked(buffer) => {
                let (indices, masked) = last(2);
                let [condition, value] = [0, 1].map(|i| self.list(masked.get(i..=i).unwrap_or_default()));
                let (lanes, place) = (lanes(masked.get(1)), self.element(*buffer, indices));
                format!("store {value} to {lanes} of {place} where {condition}")
            }
            Operation::Prefetch(buffer) => format!("prefetch {}", self.element(*buffer, operands)),
            Operation::CopyAsync { to, from, rank, width } => {
                let (of_to, of_from) = operands.split_at(operands.len().min(*rank));
                let (to, from) = (self.element(*to, of_to), self.element(*from, of_from));
                format!("begin to copy {width} of {from} to {to}")
            }
            _ => String::new(),
        }
    }

    /// An operation on whole buffers.
    fn buffers(&self, operation: &Operation, operands: &[Value]) -> String {
        let name = |buffer: &Buffer| self.buffer(*buffer);
        match operation {
            Operation::Allocate(buffer, storage) => {
                format!("allocate {}{}", self.declared(*buffer, operands), stored(storage))
            }
            Operation::Free(buffer, _) => format!("free {}", name(buffer)),
            Operation::Subview { buffer, of, offsets, lengths } => {
                let (at, sizes) = operands.split_at(unknown(offsets).min(operands.len()));
                let (offsets, lengths) = (self.numbers(offsets, at), self.numbers(lengths, sizes));
                let ranges = offsets.iter().zip(&lengths).map(|(offset, length)| match length.as_str() {
                    "1" => offset.clone(),
                    length => format!("{length} from {offset}"),
                });
                let ranges = ranges.collect::<Vec<_>>().join(", ");
                format!("view {} of {}[{ranges}]", self.declared(*buffer, sizes), name(of))
            }
            Operation::View { buffer, of } => {
                let (byte, sizes) = operands.split_at(operands.len().min(1));
                format!("view {} of {} from byte {}", self.declared(*buffer, sizes), self.value(*of), self.list(byte))
            }
            Operation::Copy { from, to, is_transfer } => {
                let word = if *is_transfer { "transfer" } else { "copy" };
                format!("{word} {} to {}", name(from), name(to))
            }
            Operation::CopyPrevious(output) => format!("copy what output {} holds before", output + 1),
            _ => String::new(),
        }
    }

    /// An element of a buffer.
    fn element(&self, buffer: Buffer, indices: &[Value]) -> String {
        format!("{}[{}]", self.buffer(buffer), self.list(indices))
    }

    /// Static numbers, and the next operand for each dynamic one.
    fn numbers(&self, numbers: &[Option<i64>], operands: &[Value]) -> Vec<String> {
        let mut operands = operands.iter();
        let mut next = || operands.next().map_or_else(|| "?".to_owned(), |value| self.operand(*value, Binding::Atom));
        numbers.iter().map(|number| number.map_or_else(&mut next, |number| number.to_string())).collect()
    }

    /// A buffer with its type. `dynamic`: the operands with its dynamic sizes.
    pub fn declared(&self, buffer: Buffer, dynamic: &[Value]) -> String {
        let Array { element, sizes, layout, space } = self.nest().array(buffer);
        let sizes: Vec<_> = sizes.iter().map(|size| size.map(|size| size as i64)).collect();
        let sizes: String = self.numbers(&sizes, dynamic).iter().map(|size| format!("{size} x ")).collect();
        let number = |number: &Option<i64>| number.map_or_else(|| "?".to_owned(), |number| number.to_string());
        let layout = match layout {
            Layout::RowMajor => String::new(),
            Layout::Strided { strides, offset } => {
                let strides: Vec<_> = strides.iter().map(number).collect();
                format!(" strides [{}] offset {}", strides.join(", "), number(offset))
            }
            Layout::Mapped => " by a map".to_owned(),
        };
        let space = match space {
            MemorySpace::Global => "",
            MemorySpace::Shared => ", shared",
            MemorySpace::Private => ", private",
            MemorySpace::Other => ", in other memory",
        };
        format!("{}: {sizes}{element}{layout}{space}", self.buffer(buffer))
    }

    fn point(&self, PointIndex { dimension, first, stride, inside, .. }: &PointIndex) -> String {
        let lane = stride.map(|stride| match stride.constant() {
            Some(1) => " + lane".to_owned(),
            _ => format!(" + {} * lane", self.index(stride, Binding::Product)),
        });
        let place = if lane.is_some() { Binding::Sum } else { Binding::Choice };
        let inside = inside.map(|inside| format!(" if lane < {}", self.index(inside, Binding::Sum)));
        let first = self.index(*first, place);
        format!("d{} = {first}{}{}", dimension + 1, lane.unwrap_or_default(), inside.unwrap_or_default())
    }

    fn r#loop(&self, word: &str, r#loop: &Loop, operands: &[Value]) -> String {
        let at = |i: usize| operands.get(i).map_or_else(|| "?".to_owned(), |v| self.operand(*v, Binding::Product));
        let step = match at(2).as_str() {
            "1" => String::new(),
            step => format!(" step {step}"),
        };
        let initial = operands.iter().skip(3);
        let carried = r#loop.carried.iter().zip(initial);
        let carried: Vec<_> = carried.map(|(c, i)| format!("{} = {}", self.value(*c), self.value(*i))).collect();
        let carried = if carried.is_empty() { String::new() } else { format!(" carrying ({})", carried.join(", ")) };
        format!("{word} {} in {}..{}{step}{carried}:", self.value(r#loop.index), at(0), at(1))
    }

    /// The mapping of a level to the blocks, warps or threads of a kernel, with the part number of the executing
    /// thread.
    pub fn share(&self, share: &KernelLevel) -> String {
        let KernelLevel { level, role, part } = share;
        let part = self.index(*part, Binding::Choice);
        format!("map level {} to {}: {part}", name(*level), role.name())
    }

    fn kernel(&self, kernel: &Kernel, operands: &[Value]) -> String {
        let sizes = |i: usize| self.list(operands.get(i..i + 3).unwrap_or_default());
        let bytes = operands
            .get(6)
            .filter(|_| kernel.has_dynamic_shared_memory)
            .map(|bytes| format!(" with {} bytes", self.value(*bytes)));
        format!("kernel blocks ({}) threads ({}){}:", sizes(0), sizes(3), bytes.unwrap_or_default())
    }
}

/// The number of dynamic entries.
fn unknown(numbers: &[Option<i64>]) -> usize {
    numbers.iter().filter(|number| number.is_none()).count()
}

fn group(nest: &Nest, purpose: &Purpose) -> String {
    let number = |producer: usize| nest.producers.get(producer).map_or(producer, |(number, _)| *number) + 1;
    match purpose {
        Purpose::Compute { producer } => format!("compute a part of computation {}:", number(*producer)),
        Purpose::Share { producer } => format!("for all parts of computation {}:", number(*producer)),
        Purpose::Allocations => "allocations:".to_owned(),
        Purpose::Initialize => "initialize:".to_owned(),
        Purpose::Tile(axes) => tile(axes),
        Purpose::Combine { level, combination } => format!("level {} {combination}:", name(*level)),
        Purpose::Promote { input, group, placement } => {
            let group = if *group == 0 { String::new() } else { format!(" (accesses {})", group + 1) };
            format!("promote input {}{group} to {placement}:", input + 1)
        }
    }
}

fn tile(axes: &[TileAxis]) -> String {
    let axis = |axis: &TileAxis| {
        let how = if axis.is_lanes { "vectorize" } else { "unroll" };
        format!("{how} level {} by {}", name(axis.level), axis.count)
    };
    format!("{}:", axes.iter().map(axis).collect::<Vec<_>>().join(", "))
}

fn on_lanes(lanes: Option<i64>) -> String {
    lanes.map(|lanes| format!(" on {lanes} lanes")).unwrap_or_default()
}

fn how(access: &VectorAccess) -> String {
    let alignment = access.alignment.map(|bytes| format!(", aligned to {bytes}")).unwrap_or_default();
    alignment + if access.is_nontemporal { ", non-temporal" } else { "" }
}

/// The kind of memory of an allocation, as the end of its line.
pub fn stored(storage: &Storage) -> &'static str {
    match storage {
        Storage::Stack => " on the stack",
        Storage::Heap => " on the heap",
        Storage::Plain => " on the heap, unaligned",
        Storage::Result => " for the user",
        Storage::Device(_) => " on the device",
    }
}
