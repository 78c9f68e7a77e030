//! The nest: what a computation becomes by its schedule, as a tree of statements.
//!
//! It is data. Nothing in it refers to MLIR: values, buffers and blocks are numbers into its tables, functions are those of the computation.
//! Statements are in the order in which they run, and a value is computed before it is used. Emission (`crate::emit`) makes an operation of
//! each, and decides nothing.
use super::{
    contents::{Contents, Owner},
    types::{Element, Type},
};
use mdh_dialects::{
    ir::{IntPredicate, ShuffleMode},
    schedule::{
        model::{Level, Placement},
        roles::CoreRole,
    },
};
use std::fmt;

/// A value that a statement computes, or that a block has for each of its runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// A buffer: of the user, or allocated by a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Buffer(pub u32);

/// A list of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block(pub u32);

/// The tree.
#[derive(Clone, Debug, Default)]
pub struct Nest {
    /// The types of values.
    pub types: Vec<Type>,
    /// What is known of buffers.
    pub buffers: Vec<Array>,
    /// The statements of blocks.
    pub blocks: Vec<Vec<Statement>>,
    /// The values that are there before: the extents that operands give.
    pub parameters: Vec<Value>,
    /// How many of the first buffers are inputs of the user.
    pub inputs: usize,
    /// What is in the buffers that it allocates, and who has one of its own, in the order in which they are allocated.
    pub contents: Vec<(Buffer, Contents, Owner)>,
    /// By output, whether the nest does what a copy of the program to it did before; none if it does of no output.
    pub replaces_copy: Vec<bool>,
}

impl Nest {
    /// What runs first.
    pub const BODY: Block = Block(0);

    /// The statements of a block.
    pub fn block(&self, block: Block) -> &[Statement] {
        &self.blocks[block.0 as usize]
    }

    /// The type of a value.
    pub fn type_of(&self, value: Value) -> Type {
        self.types[value.0 as usize]
    }

    /// What is known of a buffer.
    pub fn array(&self, buffer: Buffer) -> &Array {
        &self.buffers[buffer.0 as usize]
    }
}

/// What is known of a buffer's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The type of its elements.
    pub element: Element,
    /// Its sizes; none where they are known at run time.
    pub sizes: Vec<Option<u64>>,
    /// Where elements are.
    pub layout: Layout,
    /// What memory it is.
    pub space: MemorySpace,
}

/// Where the elements of a buffer are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One behind the other, the last dimension counting fastest.
    RowMajor,
    /// At these strides from an offset, in elements; none where they are known at run time.
    Strided {
        /// By dimension.
        strides: Vec<Option<i64>>,
        /// Of the first element.
        offset: Option<i64>,
    },
    /// By a map that is none of strides.
    Mapped,
}

/// What kind of memory a buffer is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySpace {
    /// That of the processor, or the global memory of a device.
    Global,
    /// What the threads of a block share.
    Shared,
    /// What a thread has for itself.
    Private,
    /// Memory that the program gives another number.
    Other,
}

impl Array {
    /// A buffer whose elements are one behind the other.
    pub fn row_major(element: Element, sizes: Vec<Option<u64>>, space: MemorySpace) -> Self {
        Self { element, sizes, layout: Layout::RowMajor, space }
    }

    /// The strides of its dimensions and the offset of its first element, in elements; none where it has none.
    pub fn strides(&self) -> Option<(Vec<Option<i64>>, Option<i64>)> {
        match &self.layout {
            Layout::Mapped => None,
            Layout::Strided { strides, offset } => Some((strides.clone(), *offset)),
            Layout::RowMajor => {
                let mut strides = vec![Some(1); self.sizes.len()];
                for axis in (1..self.sizes.len()).rev() {
                    let size = self.sizes[axis].and_then(|size| i64::try_from(size).ok());
                    strides[axis - 1] =
                        strides[axis].zip(size).and_then(|(stride, size)| i64::checked_mul(stride, size));
                }
                Some((strides, Some(0)))
            }
        }
    }

    /// Whether the elements of its last dimension are known to be neighbours.
    pub fn has_unit_stride(&self) -> bool {
        match &self.layout {
            Layout::RowMajor => true,
            Layout::Strided { strides, .. } => strides.last() == Some(&Some(1)),
            Layout::Mapped => false,
        }
    }

    /// Its bytes, if its size is known, at most `u64::MAX`.
    pub fn bytes(&self) -> Option<u64> {
        self.sizes.iter().try_fold(self.element.bytes(), |bytes, size| Some(bytes.saturating_mul((*size)?)))
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it does.
    pub operation: Operation,
    /// What it does it with.
    pub operands: Vec<Value>,
    /// What it computes.
    pub results: Vec<Value>,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// A number.
    Constant(i64),
    /// Zero of any type, in all lanes.
    Zero,
    /// An operation on two numbers of a type.
    Binary(Binary),
    /// A comparison of two numbers of a type.
    Compare(IntPredicate),
    /// The second operand where the first one holds, the third one elsewhere.
    Select,
    /// The number as one of another type: of an index or a narrower integer, without a sign.
    Cast,
    /// As a cast, with a sign.
    SignedCast,
    /// The size of a buffer in the dimension that the operand says.
    Dimension(Buffer),

    /// A vector with the operand in all lanes.
    Broadcast,
    /// A vector of truth values: so many first lanes hold.
    FirstLanes,
    /// A lane of a vector; the second operand says which if no number does.
    Extract(Option<i64>),
    /// A vector of these lanes.
    FromElements,
    /// The vector of these lanes of two vectors, one behind the other.
    Permute(Vec<i64>),

    /// An element. Operands are indices.
    Load(Buffer),
    /// Writes an element: the value, then indices.
    Store(Buffer),
    /// Neighbours from these indices on.
    LoadVector(Buffer, VectorAccess),
    /// Writes neighbours: the vector, then indices.
    StoreVector(Buffer, VectorAccess),
    /// Neighbours: indices, then the lanes that are read, then what others get.
    LoadMasked(Buffer),
    /// Writes neighbours: indices, then the lanes that are written, then the vector.
    StoreMasked(Buffer),
    /// Asks for elements that will be read soon.
    Prefetch(Buffer),
    /// Begins to copy so many neighbours: indices in the target, then in the source.
    CopyAsync {
        /// The target.
        to: Buffer,
        /// The source.
        from: Buffer,
        /// How many indices the target has.
        rank: usize,
        /// How many neighbours.
        width: i64,
    },
    /// Makes a group of the copies that have begun.
    GroupCopies,
    /// Waits until at most so many groups are under way.
    WaitCopies(i64),

    /// Allocates a buffer. Operands are its dynamic sizes.
    Allocate(Buffer, Storage),
    /// Frees a buffer.
    Free(Buffer, Storage),
    /// A thread's part of a buffer of all: the dynamic offsets, then the dynamic sizes.
    Subview {
        /// The part.
        buffer: Buffer,
        /// All of it.
        of: Buffer,
        /// Its offsets; none where an operand says them.
        offsets: Vec<Option<i64>>,
        /// Its sizes, with those dimensions that are one element; none where an operand says them.
        lengths: Vec<Option<i64>>,
    },
    /// A part of the memory that a launch asks for, from a byte on: the operand in front of dynamic sizes.
    View {
        /// The part.
        buffer: Buffer,
        /// The statement that has the memory.
        of: Value,
    },
    /// The memory that the launch asked for.
    LaunchMemory,
    /// Copies all elements of a buffer to another one.
    Copy {
        /// The source.
        from: Buffer,
        /// The target.
        to: Buffer,
        /// Whether one of them is on a device.
        is_transfer: bool,
    },
    /// The copy of what an output holds before, by its number, which the program has.
    CopyBefore(usize),

    /// The scalar function at a point, or in the lanes of a vector of points.
    Scalar(Scalar),
    /// The combination of two tuples: the left one, then the right one.
    Combine(Combine),
    /// The identity of the combining function.
    Identity,

    /// A loop from the first operand to the second one; the third one is the step, others are carried from one iteration to the next.
    Loop(Loop),
    /// A loop over so many iterations, on all threads: from the first operand to the second one; the third one is the step.
    Parallel(Loop),
    /// One of two blocks.
    If {
        /// If the operand holds.
        then: Block,
        /// Otherwise.
        otherwise: Block,
    },
    /// What a block leaves: for the next iteration, or as results.
    Yield,
    /// Statements that belong together.
    Group(Purpose, Block),
    /// A kernel: blocks in three dimensions, threads in three, and the bytes that the launch asks for, if there are any.
    Kernel(Kernel),
    /// Waits until all threads of the block are here.
    Barrier,
    /// The value of the thread so far away in the warp.
    Shuffle(ShuffleMode, i64),
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The product.
    Multiply,
    /// The smaller one, with signs.
    Minimum,
    /// The larger one, with signs.
    Maximum,
    /// The quotient rounded up, with signs.
    CeilDivide,
    /// The quotient, without signs.
    Divide,
    /// The rest, without signs.
    Remainder,
    /// What both have.
    And,
}

/// How a vector is read or written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VectorAccess {
    /// The bytes that its address is a multiple of, if more than those of an element.
    pub alignment: Option<i64>,
    /// Whether it goes past the caches.
    pub streams: bool,
}

/// Where a buffer is allocated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// On the stack of a processor or of a thread of a kernel.
    Stack,
    /// On the heap, and freed by a statement.
    Heap,
    /// On the heap, without an alignment, and freed by a statement.
    Plain,
    /// On the heap, and handed to the user.
    Result,
    /// On the device, for this.
    Device(String),
}

/// The scalar function at a point. Operands are its arguments, results have lanes if there are any.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// The lanes.
    pub lanes: Option<i64>,
    /// The indices that it asks for.
    pub indices: Vec<PointIndex>,
}

/// The index of a dimension at a point, or in the lanes of a vector of points.
#[derive(Clone, Debug, PartialEq)]
pub struct PointIndex {
    /// The dimension.
    pub dimension: usize,
    /// What computes it.
    pub code: Block,
    /// The index in the first lane.
    pub first: super::index::Index,
    /// How far lanes are apart, if they are.
    pub stride: Option<super::index::Index>,
    /// How many lanes are inside of the iteration space, if not all are: others have the index of the first one.
    pub inside: Option<super::index::Index>,
}

/// The combination of two tuples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Combine {
    /// The lanes.
    pub lanes: Option<i64>,
    /// Whether the left tuple has been accumulated over many elements: an operator that chooses one of both mostly keeps it.
    pub accumulates: bool,
}

/// A loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// The level that it goes over; none if it goes over elements.
    pub level: Option<Level>,
    /// What it counts.
    pub index: Value,
    /// What it carries, as an iteration has it.
    pub carried: Vec<Value>,
    /// The iteration.
    pub body: Block,
}

/// Why statements belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Buffers are allocated here for what follows.
    Allocations,
    /// A part of an input is copied to another place.
    Promote {
        /// The input buffer.
        input: usize,
        /// The group of its accesses.
        group: usize,
        /// Where the part is.
        placement: Placement,
    },
    /// A result is filled with the identity.
    Initialize,
    /// A register tile: all parts of these levels at once.
    Tile(Vec<TileAxis>),
    /// The parts of a level of the re-composition, and the combination of their results.
    Combine {
        /// The level.
        level: Level,
        /// How.
        combination: Combination,
    },
}

/// A level of a register tile, whose parts are all computed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileAxis {
    /// The level.
    pub level: Level,
    /// Its number of parts.
    pub count: i64,
    /// True if its parts are the lanes of vectors; they are unrolled otherwise.
    pub is_lanes: bool,
}

/// How the results of the parts of a level are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// One after the other, in registers.
    Carried,
    /// One after the other, in the memory of the result.
    InMemory,
    /// Private partial results of what runs the parts, then their combination.
    TreeAcross(CoreRole),
    /// A prefix sum, one part after the other.
    Scan,
    /// Prefix sums of what runs the parts, and what comes before each of them.
    ScanAcross(CoreRole),
}

impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Carried => f.write_str("carried"),
            Self::InMemory => f.write_str("in memory"),
            Self::TreeAcross(role) => write!(f, "in a tree across {}", role.name()),
            Self::Scan => f.write_str("in a scan"),
            Self::ScanAcross(role) => write!(f, "in a scan across {}", role.name()),
        }
    }
}

/// A level that the blocks, warps or threads of a kernel share out: no loop goes over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelLevel {
    /// The level.
    pub level: Level,
    /// What shares it out.
    pub role: CoreRole,
    /// The part of a thread, which the kernel computes.
    pub part: super::index::Index,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The numbers of the block and of the thread in three dimensions, then how many there are.
    pub numbers: Vec<Value>,
    /// What a thread does.
    pub body: Block,
    /// What the threads of a block share, if the launch need not ask for it.
    pub shared: Vec<Buffer>,
    /// The levels that its blocks and threads share out; none if they go over the elements of buffers.
    pub levels: Option<Vec<KernelLevel>>,
    /// Whether the launch asks for memory that they share: the last operand has its bytes.
    pub asks: bool,
}
