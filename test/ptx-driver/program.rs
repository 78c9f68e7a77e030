//! Decoded programs: what the interpreter runs.
use crate::convert::Conversion;
use crate::integer::Carrying;

/// An instruction from the bits of registers to the bits of another.
pub type Unary = fn(u64) -> u64;
/// As [`Unary`].
pub type Binary = fn(u64, u64) -> u64;
/// As [`Unary`].
pub type Ternary = fn(u64, u64, u64) -> u64;
/// A comparison.
pub type Comparison = fn(u64, u64) -> bool;

/// A place in the frame of a function: a register, or a constant, which nothing writes.
pub type Slot = u32;

/// What nobody has written holds this in each byte: no register, and no memory, begins with a zero.
pub const UNWRITTEN: u8 = 0xcd;

/// Where generic addresses of local memory begin. All of memory of the device is below.
pub const LOCAL_WINDOW: u64 = 1 << 60;
/// Where those of shared memory begin.
pub const SHARED_WINDOW: u64 = 2 << 60;

/// The first slots of each frame.
pub mod slots {
    use super::Slot;

    /// Takes what is not wanted.
    pub const SINK: Slot = 0;
    /// The first of what a thread and the launch are: as many as there are [`SPECIALS`].
    pub const FIRST_SPECIAL: Slot = 1;
    /// Their names.
    pub const SPECIALS: [&str; 13] = [
        "%tid.x",
        "%tid.y",
        "%tid.z",
        "%ntid.x",
        "%ntid.y",
        "%ntid.z",
        "%ctaid.x",
        "%ctaid.y",
        "%ctaid.z",
        "%nctaid.x",
        "%nctaid.y",
        "%nctaid.z",
        "%laneid",
    ];
}

/// Where memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Of the device; constants are in it, too.
    Global,
    /// Of a block.
    Shared,
    /// Of a thread: addresses within all of its frames.
    Local,
    /// Of a frame: parameters of a function, and of what it calls.
    Frame,
    /// Any but that of a frame, told apart by the address.
    Generic,
}

/// Where an access is, by a register and a number.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    pub base: Slot,
    pub offset: i64,
}

/// An access: its space, the bytes of an element and whether it has a sign, and the registers of its elements.
#[derive(Clone, Debug)]
pub struct Access {
    pub space: Space,
    pub bytes: u8,
    pub is_signed: bool,
    pub address: Address,
    pub count: u8,
    pub elements: [Slot; 8],
}

/// How lanes exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    Up,
    Down,
    Butterfly,
    Index,
}

/// How a comparison is combined with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    And,
    Or,
    Xor,
}

/// What an instruction does. Registers that are written come first.
#[derive(Clone, Debug)]
pub enum Operation {
    Move(Slot, Slot),
    Unary(Unary, Slot, Slot),
    Binary(Binary, Slot, Slot, Slot),
    Ternary(Ternary, Slot, Slot, Slot, Slot),
    Select(Slot, Slot, Slot, Slot),
    Convert(Conversion, Slot, Slot),
    /// Bits of the first in the second, at a place and of a length.
    Insert {
        to: Slot,
        from: [Slot; 4],
        width: u8,
    },
    /// With the carry, which is written where this says so.
    Carry {
        function: Carrying,
        to: Slot,
        from: [Slot; 3],
        writes: bool,
    },
    /// Into one predicate, and its negation into another.
    Compare {
        function: Comparison,
        to: [Slot; 2],
        from: [Slot; 2],
    },
    /// The same combined with a predicate, which may be negated.
    CompareWith {
        function: Comparison,
        to: [Slot; 2],
        from: [Slot; 2],
        with: (Combination, Slot, bool),
    },
    /// Of both halves, into a predicate each.
    CompareHalves {
        function: Comparison,
        to: [Slot; 2],
        from: [Slot; 2],
    },
    /// Registers of so many bits in another.
    Pack {
        to: Slot,
        from: Box<[Slot]>,
        bits: u8,
    },
    Unpack {
        to: Box<[Slot]>,
        from: Slot,
        bits: u8,
    },
    /// The address, in local memory, of a variable of the frame.
    FrameAddress(Slot, u32),
    Load(Box<Access>),
    Store(Box<Access>),
    /// Starts a copy of so many bytes, of which the first ones are read, and the others are zero.
    CopyLater {
        bytes: u8,
        to: Address,
        from: Address,
        read: Option<Slot>,
    },
    CommitCopies,
    /// Of the groups of copies, so many may remain; not even those of no group where this says so.
    AwaitCopies {
        remaining: u32,
        all: bool,
    },
    /// Of all threads of a block; whether all threads of a warp come to the same one.
    Barrier {
        number: Slot,
        is_aligned: bool,
    },
    Shuffle(Box<Shuffle>),
    Branch(u32),
    /// To the place in a list that a register gives.
    BranchTo(Slot, Box<[u32]>),
    Call(Box<Call>),
    Return,
    Exit,
    Trap,
    /// What orders memory accesses, which are in order here.
    Fence,
}

/// What lanes of a warp exchange.
#[derive(Clone, Debug)]
pub struct Shuffle {
    pub exchange: Exchange,
    pub to: Slot,
    /// Whether the lane that was read is one.
    pub is_valid: Slot,
    pub from: Slot,
    pub lane: Slot,
    pub clamp: Slot,
    pub members: Slot,
}

/// A call: the function, and the variables of the frame that hold arguments and results.
#[derive(Clone, Debug)]
pub struct Call {
    pub function: u32,
    pub arguments: Vec<u32>,
    pub results: Vec<u32>,
}

/// An instruction that a predicate may guard, which may be negated.
#[derive(Clone, Debug)]
pub struct Instruction {
    pub guard: Option<(Slot, bool)>,
    pub operation: Operation,
}

/// A variable of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    pub offset: u32,
    pub bytes: u32,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub struct Function {
    pub name: String,
    pub is_kernel: bool,
    pub code: Vec<Instruction>,
    /// The line of each instruction.
    pub lines: Vec<u32>,
    /// What a frame begins with.
    pub frame: Vec<u64>,
    /// The bytes of its variables in local memory, and of its parameters.
    pub frame_bytes: u32,
    /// The variables in shared memory, with gaps between them, where those end, and where what a launch asks for begins.
    pub shared: Vec<Variable>,
    pub shared_bytes: u32,
    pub dynamic_shared: u32,
    pub parameters: Vec<Variable>,
    pub results: Vec<Variable>,
    /// The threads that a block must have, or may have at most.
    pub required_threads: Option<[u32; 3]>,
    pub most_threads: Option<u32>,
}

/// What a module holds.
#[derive(Debug, Default)]
pub struct Program {
    pub functions: Vec<Function>,
    /// The variables in shared memory that all functions know, and where they end.
    pub shared: Vec<Variable>,
    pub shared_bytes: u32,
}
