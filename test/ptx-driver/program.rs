//! Decoded programs, which the interpreter runs.
use crate::convert::Conversion;
use crate::integer::Carrying;

/// A unary instruction, as a function of the bits of registers.
pub type Unary = fn(u64) -> u64;
/// A binary instruction.
pub type Binary = fn(u64, u64) -> u64;
/// A ternary instruction.
pub type Ternary = fn(u64, u64, u64) -> u64;
/// A comparison.
pub type Comparison = fn(u64, u64) -> bool;

/// The index of a slot in the frame of a function: a register, or a constant, which is never written.
pub type Slot = u32;

/// The value of each byte of an uninitialized register or memory location. It is not zero, to expose uninitialized
/// reads.
pub const UNWRITTEN: u8 = 0xcd;

/// The start of the local window in the generic address space. All global memory is below it.
pub const LOCAL_WINDOW: u64 = 1 << 60;
/// The start of the shared window.
pub const SHARED_WINDOW: u64 = 2 << 60;

/// The first slots of each frame.
pub mod slots {
    use super::Slot;

    /// Receives discarded results.
    pub const SINK: Slot = 0;
    /// The first special register; there are as many slots as [`SPECIALS`].
    pub const FIRST_SPECIAL: Slot = 1;
    /// The names of the special registers.
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

/// An address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Device memory, including constants.
    Global,
    /// Shared memory of a block.
    Shared,
    /// Local memory of a thread; addresses span all of its frames.
    Local,
    /// Parameters in a frame: of the function, and of the functions that it calls.
    Frame,
    /// Any space but `Frame`; the address determines which.
    Generic,
}

/// The address of an access: a base register and an offset in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    pub base: Slot,
    pub offset: i64,
}

/// A memory access: its space, the size in bytes and signedness of an element, its address, and the registers of its
/// elements.
#[derive(Clone, Debug)]
pub struct Access {
    pub space: Space,
    pub bytes: u8,
    pub is_signed: bool,
    pub address: Address,
    pub count: u8,
    pub elements: [Slot; 8],
}

/// The mode of a shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    Up,
    Down,
    Butterfly,
    Index,
}

/// The operator that combines a comparison with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    And,
    Or,
    Xor,
}

/// The operation of an instruction. Destination registers come first.
#[derive(Clone, Debug)]
pub enum Operation {
    Move(Slot, Slot),
    Unary(Unary, Slot, Slot),
    Binary(Binary, Slot, Slot, Slot),
    Ternary(Ternary, Slot, Slot, Slot, Slot),
    Select(Slot, Slot, Slot, Slot),
    Convert(Conversion, Slot, Slot),
    /// Bit field insert: `from` has the bits, the register to insert into, the position and the length.
    Insert {
        to: Slot,
        from: [Slot; 4],
        width: u8,
    },
    /// Arithmetic with the carry flag, which is written if `writes`.
    Carry {
        function: Carrying,
        to: Slot,
        from: [Slot; 3],
        writes: bool,
    },
    /// Writes the result to the first predicate, and its negation to the second.
    Compare {
        function: Comparison,
        to: [Slot; 2],
        from: [Slot; 2],
    },
    /// A comparison combined with a predicate, which is negated if the last field is true.
    CompareWith {
        function: Comparison,
        to: [Slot; 2],
        from: [Slot; 2],
        with: (Combination, Slot, bool),
    },
    /// Compares both halves, each into its own predicate.
    CompareHalves {
        function: Comparison,
        to: [Slot; 2],
        from: [Slot; 2],
    },
    /// Packs registers of `bits` bits each into one.
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
    /// The local address of a variable of the frame.
    FrameAddress(Slot, u32),
    Load(Box<Access>),
    Store(Box<Access>),
    /// Starts an asynchronous copy of `bytes` bytes (`cp.async`). Only the first `read` bytes are read; the rest is
    /// zero-filled.
    CopyLater {
        bytes: u8,
        to: Address,
        from: Address,
        read: Option<Slot>,
    },
    CommitCopies,
    /// Waits until at most `remaining` groups of copies are pending. If `all`, waits for uncommitted copies, too.
    AwaitCopies {
        remaining: u32,
        all: bool,
    },
    /// A barrier of all threads of a block. If `is_aligned`, all threads of a warp must execute the same one.
    Barrier {
        number: Slot,
        is_aligned: bool,
    },
    Shuffle(Box<Shuffle>),
    Branch(u32),
    /// An indexed branch: the register is an index into the list of targets.
    BranchTo(Slot, Box<[u32]>),
    Call(Box<Call>),
    Return,
    Exit,
    Trap,
    /// A memory fence: no effect, because accesses are executed in order.
    Fence,
}

/// A warp shuffle.
#[derive(Clone, Debug)]
pub struct Shuffle {
    pub exchange: Exchange,
    pub to: Slot,
    /// The predicate that is set if the source lane is in range.
    pub is_valid: Slot,
    pub from: Slot,
    pub lane: Slot,
    pub clamp: Slot,
    pub members: Slot,
}

/// A call: the function, and the offsets of the frame variables for arguments and results.
#[derive(Clone, Debug)]
pub struct Call {
    pub function: u32,
    pub arguments: Vec<u32>,
    pub results: Vec<u32>,
}

/// An instruction, with an optional guard predicate; the flag negates the guard.
#[derive(Clone, Debug)]
pub struct Instruction {
    pub guard: Option<(Slot, bool)>,
    pub operation: Operation,
}

/// A variable: offset in its memory and size, in bytes.
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
    /// The source line of each instruction.
    pub lines: Vec<u32>,
    /// The initial values of the slots of a frame.
    pub frame: Vec<u64>,
    /// Bytes of local variables and parameters.
    pub frame_bytes: u32,
    /// Static shared variables, with gaps between them; their end; and the start of dynamic shared memory.
    pub shared: Vec<Variable>,
    pub shared_bytes: u32,
    pub dynamic_shared: u32,
    pub parameters: Vec<Variable>,
    pub results: Vec<Variable>,
    /// The required number of threads in each dimension of a block, and the maximum number of threads of a block.
    pub required_threads: Option<[u32; 3]>,
    pub most_threads: Option<u32>,
}

/// The contents of a module.
#[derive(Debug, Default)]
pub struct Program {
    pub functions: Vec<Function>,
    /// Shared variables at module scope, and their end.
    pub shared: Vec<Variable>,
    pub shared_bytes: u32,
}
