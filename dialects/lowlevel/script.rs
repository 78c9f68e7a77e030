//! Schedules as scripts: typed views of `mdh.lowlevel.schedule` and its commands, and their rules C40 to C42.
//!
//! ```mlir
//! mdh.lowlevel.schedule @matvec on @cpu {
//! ^bb0(%i: !mdh.loop, %k: !mdh.loop):
//!   %blocks, %rows = mdh.lowlevel.tile %i by [8]
//!   mdh.lowlevel.parallelize %blocks
//! }
//! ```
use crate::{
    ffi::is_loop_type,
    ir::{self, Blk, Op, OpView, Val, op_view},
    pass::Failure,
    schedule::model::Placement,
    verify::{Symbols, Verified},
};
use melior::ir::ValueLike;

op_view! {
    /// `mdh.lowlevel.schedule`: a schedule of a computation, as a list of commands.
    ScriptOp = "mdh.lowlevel.schedule"
}

/// The attribute of a script with the symbol of its function.
const FUNCTION: &str = "function";
/// The value of `?` in attributes.
const OPEN: i64 = i64::MIN;

impl<'c> ScriptOp<'c> {
    /// The symbol of the function.
    pub fn function(self) -> &'c str {
        ir::attribute(self.0, FUNCTION).and_then(ir::symbol_attribute).unwrap_or_default()
    }

    /// The function, if it exists.
    pub fn function_op(self) -> Option<Op<'c>> {
        ir::lookup_symbol(self.0, self.function())
    }

    /// The number of the computation in the function, counted from 0.
    pub fn computation(self) -> usize {
        number(self.0, "computation").map_or(0, |number| (number.max(1) - 1) as usize)
    }

    /// The symbol of the system, if one is given.
    pub fn system(self) -> Option<&'c str> {
        ir::attribute(self.0, "system").and_then(ir::symbol_attribute)
    }

    /// The initial loops, one for each dimension.
    pub fn loops(self) -> Vec<Val<'c>> {
        ir::body(self.0, 0).map(ir::arguments).unwrap_or_default()
    }

    /// The commands in order.
    pub fn commands(self) -> Vec<ScriptCommand<'c>> {
        let operations = ir::body(self.0, 0).map(ir::block_operations).unwrap_or_default();
        operations.into_iter().filter_map(ScriptCommand::of).collect()
    }
}

/// A phase of a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptPhase {
    /// The de-composition.
    Decompose,
    /// The scalar phase.
    Scalar,
    /// The re-composition.
    Recompose,
}

impl ScriptPhase {
    /// All phases in order.
    pub const ALL: [Self; 3] = [Self::Decompose, Self::Scalar, Self::Recompose];

    /// The name in commands and in schedule files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Decompose => "decompose",
            Self::Scalar => "scalar",
            Self::Recompose => "recompose",
        }
    }
}

/// The kind of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferKind {
    /// An input.
    Input,
    /// An output.
    Output,
}

impl BufferKind {
    /// The name in commands and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
        }
    }
}

/// A command of a script. Numbers of buffers, dimensions and layers count from 0.
#[derive(Clone, Debug)]
pub struct ScriptCommand<'c> {
    /// The operation.
    pub op: Op<'c>,
    /// The loops that the command names.
    pub loops: Vec<Val<'c>>,
    /// The loops that `tile` splits its loop into, outermost first.
    pub results: Vec<Val<'c>>,
    /// What the command does with them.
    pub kind: CommandKind,
}

/// What a command does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// `tile`: splits the loop into one more loop than there are numbers.
    Tile {
        /// The numbers of parts; `None` for one that is left open.
        parts: Vec<Option<u64>>,
        /// True if the numbers are those of the outer loops.
        is_into: bool,
    },
    /// `interchange`: orders the loops, in one phase or in all of them.
    Interchange(Option<ScriptPhase>),
    /// `parallelize`: assigns a loop to a core layer.
    Parallelize {
        /// The layer; `None` for the outermost one.
        layer: Option<String>,
        /// The dimension of blocks or threads on a device.
        axis: Option<usize>,
        /// The phase; `None` for all of them.
        phase: Option<ScriptPhase>,
    },
    /// `sequentialize`: assigns a loop to a memory layer, in one phase or in all of them.
    Sequentialize(String, Option<ScriptPhase>),
    /// `vectorize`.
    Vectorize,
    /// `unroll`.
    Unroll,
    /// `cache` and `combine_in`: places a buffer in a region, from the loop on.
    Place {
        /// The kind of the buffer.
        of: BufferKind,
        /// The number of the buffer.
        buffer: usize,
        /// The region.
        region: String,
        /// The layout; `None` for row-major.
        layout: Option<Vec<usize>>,
        /// Padding, in elements; 0 if the command leaves it to the compiler.
        pad: u64,
        /// The number of buffer slots.
        slots: u64,
    },
    /// `layout`: changes the layout of a buffer, from the loop on.
    Layout {
        /// The kind of the buffer.
        of: BufferKind,
        /// The number of the buffer.
        buffer: usize,
        /// The layout.
        layout: Vec<usize>,
    },
    /// `compute_at`: the number of the consumer, and the layer and the dimension of its level.
    ComputeAt([usize; 3]),
}

fn number(operation: Op<'_>, name: &str) -> Option<i64> {
    ir::attribute(operation, name).and_then(ir::integer_attribute)
}

/// A number that the IR counts from 1, counted from 0.
fn counted(operation: Op<'_>, name: &str) -> Option<usize> {
    usize::try_from(number(operation, name)?).ok()?.checked_sub(1)
}

fn word<'c>(operation: Op<'c>, name: &str) -> Option<&'c str> {
    ir::attribute(operation, name).and_then(ir::string_attribute)
}

/// The phase of a command; `None` if it has another name.
fn phase(operation: Op<'_>) -> Option<ScriptPhase> {
    let name = word(operation, "phase")?;
    ScriptPhase::ALL.into_iter().find(|phase| phase.name() == name)
}

/// The layout of a command, counted from 0; `None` if it has none, or if it has numbers below 1.
fn layout(operation: Op<'_>) -> Option<Vec<usize>> {
    let layout = ir::attribute(operation, "layout").and_then(ir::dense_array_attribute)?;
    layout.into_iter().map(|axis| usize::try_from(axis).ok()?.checked_sub(1)).collect()
}

/// The dimension with the name x, y, z, 4, 5, .., counted from 0.
fn axis(name: &str) -> Option<usize> {
    match name {
        "x" | "y" | "z" => Some(usize::from(name.as_bytes()[0] - b'x')),
        number => number.parse::<usize>().ok()?.checked_sub(1),
    }
}

fn buffer_kind(operation: Op<'_>) -> Option<BufferKind> {
    let name = word(operation, "kind")?;
    [BufferKind::Input, BufferKind::Output].into_iter().find(|kind| kind.name() == name)
}

impl<'c> ScriptCommand<'c> {
    /// The command of an operation; `None` if it is none, or violates rule C42.
    pub fn of(op: Op<'c>) -> Option<Self> {
        Some(Self { op, loops: ir::operands(op), results: ir::results(op), kind: CommandKind::of(op)? })
    }

    /// True if no later command may use the loops.
    fn consumes(op: Op<'_>) -> bool {
        command_name(op) == Some("tile")
    }
}

/// The name of a command without the prefix of the dialect.
fn command_name<'c>(operation: Op<'c>) -> Option<&'c str> {
    ir::name(operation).strip_prefix("mdh.lowlevel.")
}

impl CommandKind {
    fn of(op: Op<'_>) -> Option<Self> {
        let place = |of: BufferKind| {
            Some(Self::Place {
                of,
                buffer: counted(op, "buffer")?,
                region: word(op, "region")?.to_owned(),
                layout: match ir::attribute(op, "layout") {
                    Some(_) => Some(layout(op)?),
                    None => None,
                },
                pad: u64::try_from(number(op, "pad").unwrap_or(0)).ok()?,
                slots: u64::try_from(number(op, "slots").unwrap_or(1)).ok()?,
            })
        };
        match command_name(op)? {
            "tile" => {
                let parts = ir::attribute(op, "parts").and_then(ir::dense_array_attribute)?;
                let count = |parts: i64| if parts == OPEN { Some(None) } else { u64::try_from(parts).ok().map(Some) };
                Some(Self::Tile {
                    parts: parts.into_iter().map(count).collect::<Option<_>>()?,
                    is_into: ir::attribute(op, "into").is_some(),
                })
            }
            "interchange" => Some(Self::Interchange(phase(op))),
            "parallelize" => Some(Self::Parallelize {
                layer: word(op, "layer").map(str::to_owned),
                axis: word(op, "axis").and_then(axis),
                phase: phase(op),
            }),
            "sequentialize" => Some(Self::Sequentialize(word(op, "layer")?.to_owned(), phase(op))),
            "vectorize" => Some(Self::Vectorize),
            "unroll" => Some(Self::Unroll),
            "cache" => place(BufferKind::Input),
            "combine_in" => place(BufferKind::Output),
            "layout" => {
                Some(Self::Layout { of: buffer_kind(op)?, buffer: counted(op, "buffer")?, layout: layout(op)? })
            }
            "compute_at" => {
                Some(Self::ComputeAt([counted(op, "computation")?, counted(op, "layer")?, counted(op, "dimension")?]))
            }
            _ => None,
        }
    }
}

/// C40: the function of a script, and its system.
pub(crate) fn symbols<'c>(operation: Op<'c>, symbols: &Symbols<'_>) -> Verified<'c> {
    let Some(script) = ScriptOp::cast(operation) else { return Ok(()) };
    let function = script.function();
    let fail = |message: String| Err(Failure::new(operation, format!("C40: requires {message}")));
    match symbols.find(operation, function) {
        None => return fail(format!("the symbol of a function, but there is no @{function}")),
        Some(found) if ir::name(found) != "func.func" => {
            return fail(format!("the symbol of a func.func, but @{function} is {}", ir::name(found)));
        }
        Some(_) => {}
    }
    let system = script.system().and_then(|name| symbols.find(operation, name));
    match system.filter(|system| !super::SystemOp::is(*system)) {
        Some(other) => fail(format!("the symbol of an mdh.lowlevel.system, but it is {}", ir::name(other))),
        None => Ok(()),
    }
}

/// C40 to C42: the contents of a script.
pub(crate) fn body(operation: Op<'_>) -> Verified<'_> {
    let fail = |message: String| Err(Failure::new(operation, format!("C40: requires {message}")));
    if let Some(number) = number(operation, "computation").filter(|number| *number < 1) {
        return fail(format!("the number of a computation, counted from 1, but it is {number}"));
    }
    let Some(block) = ir::body(operation, 0) else { return fail("a block, but has none".to_owned()) };
    let arguments = ir::arguments(block);
    let loop_type = "!mdh.loop";
    if arguments.is_empty() {
        return fail(format!("an argument of type '{loop_type}' for each dimension, but the block has none"));
    }
    if let Some(other) = arguments.iter().map(|argument| argument.r#type()).find(|ty| !is_loop_type(*ty)) {
        return fail(format!("arguments of type '{loop_type}', but one has type '{other}'"));
    }
    ir::block_operations(block).into_iter().try_for_each(|command| commands(block, command))
}

/// C40 to C42 for a command of a block.
fn commands<'c>(block: Blk<'c>, command: Op<'c>) -> Verified<'c> {
    numbers(command).map_err(|message| Failure::new(command, format!("C42: requires {message}")))?;
    if CommandKind::of(command).is_none() {
        return Err(Failure::new(command, "C40: requires a command of a schedule"));
    }
    let operands = ir::operands(command);
    for (i, operand) in operands.iter().enumerate() {
        if operands[..i].contains(operand) {
            return Err(Failure::new(
                command,
                format!("C41: requires different loops, but loop {} occurs twice", i + 1),
            ));
        }
        let before = ir::block_operations(block).into_iter().take_while(|other| *other != command);
        let mut consumers = before.filter(|other| ScriptCommand::consumes(*other));
        if let Some(other) = consumers.find(|other| ir::operands(*other).contains(operand)) {
            let message = "C41: requires loops that are not tiled yet, because tiling replaces a loop";
            return Err(Failure::new(command, message).with_note(other, "the loop is tiled here"));
        }
    }
    Ok(())
}

/// C42: the numbers and the words of a command.
fn numbers(op: Op<'_>) -> Result<(), String> {
    for name in ["buffer", "computation", "layer", "dimension"] {
        if let Some(number) = number(op, name).filter(|number| *number < 1) {
            return Err(format!("a {name} of at least 1, but it is {number}"));
        }
    }
    if let Some(number) = number(op, "pad").filter(|pad| !(1..=Placement::MAX_PAD as i64).contains(pad)) {
        return Err(format!("pad from 1 to {}, but it is {number}", Placement::MAX_PAD));
    }
    if let Some(number) = number(op, "slots").filter(|slots| !(1..=Placement::MAX_BUFFERS as i64).contains(slots)) {
        return Err(format!("buffers from 1 to {}, but it is {number}", Placement::MAX_BUFFERS));
    }
    if let Some(name) = word(op, "phase").filter(|_| phase(op).is_none()) {
        let known = ScriptPhase::ALL.map(ScriptPhase::name).join(", ");
        return Err(format!("a phase, one of {known}, but it is {name}"));
    }
    if let Some(name) = word(op, "axis").filter(|name| axis(name).is_none()) {
        return Err(format!("a dimension x, y, z or a number from 4, but it is {name}"));
    }
    if let Some(name) = word(op, "kind").filter(|_| buffer_kind(op).is_none()) {
        return Err(format!("an input or an output, but it is {name}"));
    }
    let list = |name: &str| ir::attribute(op, name).and_then(ir::dense_array_attribute);
    if let Some(number) = list("layout").unwrap_or_default().into_iter().find(|number| *number < 1) {
        let number = if number == OPEN { "?".to_owned() } else { number.to_string() };
        return Err(format!("dimensions of at least 1 in a layout, but one is {number}"));
    }
    let parts = list("parts");
    if parts.as_ref().is_some_and(Vec::is_empty) {
        return Err("at least one number of parts, but there is none".to_owned());
    }
    match parts.unwrap_or_default().into_iter().find(|number| *number < 1 && *number != OPEN) {
        Some(number) => Err(format!("numbers of parts of at least 1 or ?, but one is {number}")),
        None if command_name(op) == Some("interchange") && ir::operands(op).len() < 2 => {
            Err(format!("at least two loops, but there are {}", ir::operands(op).len()))
        }
        None => Ok(()),
    }
}
