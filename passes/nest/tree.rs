//! The nest: the loop program of a computation with its schedule, as a tree of statements.
//!
//! It is plain data. Values, buffers and blocks are indices into the tables of [`Nest`], and nothing refers to MLIR:
//! the scalar function and the combining function are those of the computation. Statements run in order; loops,
//! branches, groups, kernels and evaluations of the scalar function contain blocks. Values are in SSA form: each is
//! defined once, before its uses, as the result of a statement, as a block argument or as a parameter. `check.rs` lists
//! the invariants. Emission (`crate::emit`) creates the MLIR operations of each statement and makes no decisions.
use super::{
    contents::{Contents, Owner},
    types::{Element, Type},
};
use crate::plan::{runner::Combination, tile::TileAxis};
use mdh_dialects::{
    ir::{IntPredicate, ShuffleMode},
    schedule::{
        model::{Level, Placement},
        roles::CoreRole,
    },
};

/// An SSA value: the result of a statement, a block argument, or a parameter of the nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// A buffer: the user's, or one that a statement allocates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Buffer(pub u32);

/// A block: a list of statements. It belongs to one statement, except the outermost block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block(pub u32);

/// The tree. Its tables are indexed by the numbers in [`Value`], [`Buffer`] and [`Block`].
#[derive(Clone, Debug, Default)]
pub struct Nest {
    /// By value: its type.
    pub types: Vec<Type>,
    /// By buffer: its element type, sizes, layout and memory space. The inputs are first, then the buffers of initial
    /// values, then the outputs, then the buffers of the nest.
    pub buffers: Vec<Array>,
    /// By block: its statements, in order.
    pub blocks: Vec<Vec<Statement>>,
    /// The values that are defined before the nest: dynamic extents that the program passes as operands, then initial
    /// values that are scalars.
    pub parameters: Vec<Value>,
    /// The number of input buffers, with those of producers.
    pub inputs: usize,
    /// The producers: for each, its number among the computations of the function, counted from 0, and the number of its
    /// input buffers. These follow those of the computation.
    pub producers: Vec<(usize, usize)>,
    /// The components whose initial values are buffers, by buffer.
    pub initial_values: Vec<usize>,
    /// The temporary buffers in the order of their allocation, each with its contents and with the unit that owns a
    /// copy of it.
    pub contents: Vec<(Buffer, Contents, Owner)>,
    /// By output: true if the nest replaces the copy that the program makes to the destination before the computation
    /// (`coverage.rs`).
    pub replaces_copy: Vec<bool>,
}

impl Nest {
    /// The outermost block, where execution begins.
    pub const BODY: Block = Block(0);

    /// Returns the statements of a block.
    pub fn block(&self, block: Block) -> &[Statement] {
        &self.blocks[block.0 as usize]
    }

    /// Returns the type of a value.
    pub fn type_of(&self, value: Value) -> Type {
        self.types[value.0 as usize]
    }

    /// Returns the element type, sizes, layout and memory space of a buffer.
    pub fn array(&self, buffer: Buffer) -> &Array {
        &self.buffers[buffer.0 as usize]
    }
}

/// The memory of a buffer, like a memref type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The element type.
    pub element: Element,
    /// The sizes, by dimension; `None` if dynamic.
    pub sizes: Vec<Option<u64>>,
    /// The layout of the elements.
    pub layout: Layout,
    /// The memory space.
    pub space: MemorySpace,
}

/// The layout of the elements of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Contiguous; the last dimension varies fastest.
    RowMajor,
    /// Strided, in elements; `None` if dynamic.
    Strided {
        /// The strides, by dimension.
        strides: Vec<Option<i64>>,
        /// The offset of the first element.
        offset: Option<i64>,
    },
    /// An `affine_map` layout of the user's, whose strides are not known.
    Mapped,
}

/// The memory space of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySpace {
    /// Memory of the processor, or global memory of a device.
    Global,
    /// Shared memory of a block.
    Shared,
    /// Private memory of a thread of a kernel.
    Private,
    /// Another memory space, which the type of the user's buffer names.
    Other,
}

impl Array {
    /// A contiguous row-major buffer.
    pub fn row_major(element: Element, sizes: Vec<Option<u64>>, space: MemorySpace) -> Self {
        Self { element, sizes, layout: Layout::RowMajor, space }
    }

    /// Returns the strides by dimension and the offset of the first element, in elements; `None` for a layout without
    /// known strides.
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

    /// Returns true if the last dimension is known to be contiguous.
    pub fn has_unit_stride(&self) -> bool {
        match &self.layout {
            Layout::RowMajor => true,
            Layout::Strided { strides, .. } => strides.last() == Some(&Some(1)),
            Layout::Mapped => false,
        }
    }

    /// Returns the size in bytes, saturating at `u64::MAX`; `None` if a size is dynamic.
    pub fn bytes(&self) -> Option<u64> {
        self.sizes.iter().try_fold(self.element.bytes(), |bytes, size| Some(bytes.saturating_mul((*size)?)))
    }
}

/// A statement: an operation with its operands and results.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The operation, with its static parameters and its blocks.
    pub operation: Operation,
    /// The values that it uses, in the order that [`Operation`] lists.
    pub operands: Vec<Value>,
    /// The values that it defines.
    pub results: Vec<Value>,
}

/// The operation of a statement. Each comment has the operands and results as `operands → results`, and in parentheses
/// the MLIR operation that emission creates. Sizes, bounds and indices have type index; a buffer has one index for each
/// dimension. A *tuple* is one value for each component of the input or output tuple.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// A constant of the result's type: `→ integer or index` (`arith.constant`).
    Constant(i64),
    /// Zero of the result's type, in all lanes of a vector: `→ value` (`arith.constant`).
    Zero,
    /// Integer arithmetic: `left, right → result`, all of one type.
    Binary(Binary),
    /// A comparison: `left, right → i1` (`arith.cmpi`).
    Compare(IntPredicate),
    /// A selection: `condition, if true, if false → value` (`arith.select`). A vector of conditions selects lane by
    /// lane.
    Select,
    /// A conversion between `index` and an integer type: `value → value` (`arith.index_castui`: zero extension).
    Cast,
    /// A conversion as by [`Self::Cast`], with sign extension: `value → value` (`arith.index_cast`).
    SignedCast,
    /// The size of a buffer: `dimension → size` (`memref.dim`).
    Dimension(Buffer),

    /// A scalar in all lanes: `scalar → vector` (`vector.broadcast`).
    Broadcast,
    /// A mask that is true in the first lanes: `number of lanes → vector of i1` (`vector.create_mask`).
    FirstLanes,
    /// A lane of a vector: `vector → scalar`, or `vector, lane → scalar` if the lane is dynamic (`vector.extract`).
    Extract(Option<i64>),
    /// A vector of scalars: `lanes → vector` (`vector.from_elements`).
    FromElements,
    /// The lanes with these indices in the concatenation of two vectors: `left, right → vector` (`vector.shuffle`).
    Permute(Vec<i64>),

    /// Loads an element: `indices → element` (`memref.load`).
    Load(Buffer),
    /// Stores an element: `element, indices →` (`memref.store`).
    Store(Buffer),
    /// Loads contiguous elements of the last dimension, from these indices on: `indices → vector` (`vector.load`).
    LoadVector(Buffer, VectorAccess),
    /// Stores contiguous elements, from these indices on: `vector, indices →` (`vector.store`).
    StoreVector(Buffer, VectorAccess),
    /// Loads contiguous elements where the mask is true, and takes the lanes of `otherwise` elsewhere: `indices, mask,
    /// otherwise → vector` (`vector.maskedload`).
    LoadMasked(Buffer),
    /// Stores contiguous elements where the mask is true: `indices, mask, vector →` (`vector.maskedstore`).
    StoreMasked(Buffer),
    /// Prefetches the cache line of an element, for reading: `indices →` (`memref.prefetch`).
    Prefetch(Buffer),
    /// Starts an asynchronous copy of contiguous elements to shared memory: `target indices, source indices →`
    /// (`nvgpu.device_async_copy`).
    CopyAsync {
        /// The target.
        to: Buffer,
        /// The source.
        from: Buffer,
        /// The number of target indices.
        rank: usize,
        /// The number of elements.
        width: i64,
    },
    /// Commits the asynchronous copies that this thread has started since its last group as a group, perhaps an empty
    /// one: `→ token` (`nvgpu.device_async_create_group`).
    GroupCopies,
    /// Waits until at most this many groups of this thread are in flight: `token →` (`nvgpu.device_async_wait`).
    WaitCopies(i64),

    /// Allocates a buffer: `dynamic sizes →` (`memref.alloc`, `memref.alloca`, `gpu.alloc`).
    Allocate(Buffer, Storage),
    /// Frees a buffer, in the block that allocates it: `→` (`memref.dealloc`, `gpu.dealloc`).
    Free(Buffer, Storage),
    /// A buffer that is a part of another one, such as a thread's slice of a buffer for all threads: `dynamic offsets,
    /// dynamic lengths →` (`memref.subview` with strides of 1).
    Subview {
        /// The part.
        buffer: Buffer,
        /// The whole buffer.
        of: Buffer,
        /// The offset of the part, by dimension of `of`; `None` if it is an operand.
        offsets: Vec<Option<i64>>,
        /// The length of the part, by dimension of `of`; `None` if it is an operand. `buffer` may lack dimensions of
        /// length 1.
        lengths: Vec<Option<i64>>,
    },
    /// A buffer in the dynamic shared memory of a launch: `byte offset, dynamic sizes →` (`memref.view`).
    View {
        /// The buffer.
        buffer: Buffer,
        /// The result of [`Self::DynamicSharedMemory`].
        of: Value,
    },
    /// The dynamic shared memory of the launch: `→ token` (`gpu.dynamic_shared_memory`).
    DynamicSharedMemory,
    /// Copies all elements of a buffer to another one: `→` (`memref.copy`, `gpu.memcpy`).
    Copy {
        /// The source.
        from: Buffer,
        /// The target.
        to: Buffer,
        /// True if one of them is in the memory of a device.
        is_transfer: bool,
    },
    /// The program's copy of the previous contents of an output to its destination, by output number: `→`
    /// (`memref.copy`).
    CopyPrevious(usize),

    /// The scalar function at a point, or at the points of the lanes of a vector: `input tuple → output tuple` (the
    /// body of `mdh.hom.md_hom`, inlined).
    Scalar(Scalar),
    /// The combining function: `left tuple, right tuple → tuple` (inlined).
    Combine(Combine),
    /// The identity of the combining function: `→ tuple`.
    Identity,
    /// The constant initial value of a component: `→ value`.
    Initial(usize),

    /// A sequential loop: `lower bound, upper bound, step, initial values → final values` of what it carries
    /// (`scf.for`).
    Loop(Loop),
    /// A loop whose iterations are distributed over threads of the processor: `lower bound, upper bound, step →`
    /// (`scf.parallel`). It carries no values, and each iteration allocates its own buffers.
    Parallel(Loop),
    /// A branch: `condition → values` that the executed block yields (`scf.if`).
    If {
        /// The block to execute if the condition is true.
        then: Block,
        /// The block to execute if it is false.
        otherwise: Block,
    },
    /// The terminator of the blocks of [`Self::Loop`] and [`Self::If`], and of no others: `values →` (`scf.yield`). The
    /// values go to the next iteration, or become the results of the statement.
    Yield,
    /// Statements with a common purpose. The block is no scope: its values and buffers are live after it. Emission
    /// creates its operations in place.
    Group(Purpose, Block),
    /// A kernel and its launch: `grid size x, y, z, block size x, y, z →`, followed by the bytes of dynamic shared
    /// memory as an `i32` operand if the kernel uses any (`gpu.launch`).
    Kernel(Kernel),
    /// Waits for all threads of the block, and makes their writes visible: `→` (`gpu.barrier`).
    Barrier,
    /// The value of another thread of the warp, this many lanes below (`Up`) or above (`Down`): `value → value`
    /// (`gpu.shuffle`, once for each 32-bit word).
    Shuffle(ShuffleMode, i64),
}

/// An operation on two integers or indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// The sum (`arith.addi`).
    Add,
    /// The difference (`arith.subi`).
    Subtract,
    /// The product (`arith.muli`).
    Multiply,
    /// The signed minimum (`arith.minsi`).
    Minimum,
    /// The signed maximum (`arith.maxsi`).
    Maximum,
    /// The signed quotient, rounded up (`arith.ceildivsi`).
    CeilDivide,
    /// The unsigned quotient (`arith.divui`).
    Divide,
    /// The unsigned remainder (`arith.remui`).
    Remainder,
    /// The bitwise conjunction (`arith.andi`).
    And,
}

/// Properties of a vector load or store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VectorAccess {
    /// The alignment of the address in bytes; `None` for that of an element.
    pub alignment: Option<i64>,
    /// True if it bypasses the caches (`nontemporal`).
    pub is_nontemporal: bool,
}

/// The kind of memory of an allocation, and the code that frees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// The stack of the processor, or private memory of a thread of a kernel (`memref.alloca`).
    Stack,
    /// The heap, aligned to a cache line; freed by [`Operation::Free`].
    Heap,
    /// The heap, without an alignment; freed by [`Operation::Free`].
    Plain,
    /// The heap, aligned to a cache line; a result that the program receives and frees.
    Result,
    /// Global memory of a device, with the role of the buffer, such as `input 1` or `temporary`; freed by
    /// [`Operation::Free`].
    Device(String),
}

/// An evaluation of the scalar function. Its operands are the input tuple, its results the output tuple.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// The number of lanes of its results; `None` at a single point. An operand that is equal in all lanes may be a
    /// scalar.
    pub lanes: Option<i64>,
    /// The indices of the point that the function reads (`mdh.hom.index`), one for each dimension that it asks for.
    pub indices: Vec<PointIndex>,
}

/// The index of a dimension at a point, or at the points of the lanes of a vector.
#[derive(Clone, Debug, PartialEq)]
pub struct PointIndex {
    /// The dimension.
    pub dimension: usize,
    /// The block that computes the index values below. Emission inlines it at each use of the index.
    pub code: Block,
    /// The index at the point, or in the first lane.
    pub first: super::index::Index,
    /// The difference of the indices of adjacent lanes; `None` if all lanes have the same index.
    pub stride: Option<super::index::Index>,
    /// The number of lanes that are in bounds: the others have the index of the first lane. `None` if no lane needs
    /// that.
    pub inside: Option<super::index::Index>,
}

/// A combination of two tuples. The operands are the left tuple, then the right one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Combine {
    /// The number of lanes of the tuples; `None` for scalars.
    pub lanes: Option<i64>,
    /// True if the left tuple accumulates many elements. An operator that selects one of the two tuples then mostly
    /// selects the left one, and emission marks its condition as expected, so that LLVM branches around the update.
    pub accumulates: bool,
}

/// A loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// The level whose parts it iterates over; `None` for a loop over elements, or over the parts of several layers
    /// together.
    pub level: Option<Level>,
    /// The induction variable: the first argument of the body.
    pub index: Value,
    /// The loop-carried values: the other arguments of the body.
    pub carried: Vec<Value>,
    /// The body.
    pub body: Block,
}

/// The purpose of a group of statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Allocations of the buffers that the following statements use.
    Allocations,
    /// A promotion: copies a part of an input to another region or layout.
    Promote {
        /// The input buffer.
        input: usize,
        /// The group of its accesses.
        group: usize,
        /// The region and layout of the copy.
        placement: Placement,
    },
    /// Computes a part of the results of a producer. Scalar functions and combining functions inside are its own.
    Compute {
        /// The producer, as a position in [`Nest::producers`].
        producer: usize,
    },
    /// Copies inputs that all parts of a producer read.
    Share {
        /// The producer, as a position in [`Nest::producers`].
        producer: usize,
    },
    /// Fills a result with the identity.
    Initialize,
    /// A register tile: computes all parts of these levels at once.
    Tile(Vec<TileAxis>),
    /// The parts of a level of the re-composition, and the combination of their results.
    Combine {
        /// The level.
        level: Level,
        /// The strategy.
        combination: Combination,
    },
}

/// A level that is mapped to the blocks, warps or threads of a kernel. No loop iterates over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelLevel {
    /// The level.
    pub level: Level,
    /// The core layer that it is mapped to.
    pub role: CoreRole,
    /// The part number of the executing thread: a constant, or a value that the kernel computes.
    pub part: super::index::Index,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The arguments of the body, three of each in the order x, y, z: block ID, thread ID, grid size, block size.
    pub numbers: Vec<Value>,
    /// The code of a thread.
    pub body: Block,
    /// The statically sized shared buffers of a block. They are live in the body.
    pub shared: Vec<Buffer>,
    /// The levels that are mapped to its blocks and threads; `None` for a kernel over the elements of buffers.
    pub levels: Option<Vec<KernelLevel>>,
    /// True if the launch has dynamic shared memory: its bytes are the last operand.
    pub has_dynamic_shared_memory: bool,
}
