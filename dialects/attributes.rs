//! Discardable attributes by which passes pass information to later passes and to tools. None is inherent to an
//! operation of the dialect.

/// Role of a kernel argument. Set on the host operation that produces the argument, then on the argument itself.
pub const ROLE: &str = "mdh.role";

/// Role of a memory buffer in the computation, such as `input 1`. Set on the operation that allocates it, or on a cast
/// of earlier allocated memory.
pub const BUFFER: &str = "mdh.buffer";

/// Set on a pointer argument of a kernel if no other pointer argument refers to the same memory, or the kernel only
/// reads it.
pub const NO_ALIAS: &str = "mdh.noalias";

/// On a kernel: the roles of its arguments, as strings; empty if unknown.
pub const ROLES: &str = "mdh.roles";

/// On a kernel: the expressions of its arguments, as JSON; `null` if an argument has none.
pub const VALUES: &str = "mdh.values";

/// On a kernel: the expressions of its launch sizes and of its launch condition, as JSON.
pub const SIZES: &str = "mdh.sizes";

/// On a function with kernels: its launch program, as JSON; or an object with `refused`, a message, and `at`, the
/// location of the operation.
pub const PROGRAM: &str = "mdh.launch_program";

/// On a call that represents a launch: the kernel.
pub const KERNEL: &str = "mdh.kernel";

/// On a call that represents a launch: the number of operands of each kind.
pub const LAUNCH: &str = "mdh.launch";

/// Indices of the function arguments that the function may write and returns unchanged (in-place results).
pub const IN_PLACE: &str = "mdh.in_place";

/// On a function: its arguments, results and buffers are in the memory of the device.
pub const DEVICE_MEMORY: &str = "mdh.device_memory";

/// Upstream attribute on allocations and deallocations that the upstream deallocation pass must ignore.
pub const MANUAL: &str = "bufferization.manual_deallocation";

/// Attribute of a loop or its branch: LLVM's transformation hints.
pub const LOOP_ANNOTATION: &str = "llvm.loop_annotation";

/// On `mdh.hom.md_hom` and `mdh.hom.operator`: raising has built it.
pub const RAISED: &str = "mdh.raised";

/// On `mdh.hom.md_hom`: whether a sum by which values are combined may be fused with the product that is a value, with one
/// rounding, as a program decides that says so for each operation. Without it, products may be fused with sums in
/// computations that are not ordered.
pub const CONTRACT: &str = "mdh.contract";

/// On the branch back of a loop of the LLVM dialect, and then on the function of its nest: a directive, as the texts of its
/// outputs, of the operator of each loop, and of the variable of each loop.
pub const DIRECTIVE: &str = "mdh.directive";

/// On operations of `math`: the result is that of the C library.
pub const EXACT: &str = "mdh.exact";

/// On a `memref.subview`, `tensor.extract_slice` or `tensor.insert_slice` that raising has built for the accesses of a
/// computation: the name of the operation that accesses an element in the loops.
pub const PART: &str = "mdh.part";

/// On an argument or a result: its last dimension has the real and the imaginary part of complex numbers.
pub const COMPLEX: &str = "mdh.complex";

/// On a structured operation of `linalg`, or on the outermost loop of a nest: the program declares that the operations
/// which combine values with outputs are associative and commutative.
pub const ASSOCIATIVE: &str = "mdh.associative";

/// On the outermost loop of a nest: another version of it is raised, and this one runs where that would be wrong. It is
/// not raised.
pub const ORIGINAL: &str = "mdh.original";

/// On a view of a memref, or on an argument: a number. It shares no element that is written with the views in its block, or
/// the arguments, that have other numbers, which is known, or checked at run time.
pub const DISJOINT: &str = "mdh.disjoint";

/// On an argument or a view of a memref with one dimension, an `array<i64>`: the sizes of all dimensions but the outermost
/// one that the producer of loops suggests. They need not be right: delinearization tries them before others.
pub const INNER_SIZES: &str = "mdh.inner_sizes";

/// On an argument: its name in the source, for messages.
pub const SOURCE_NAME: &str = "mdh.name";

/// On the branch to a loop of a function of the LLVM dialect: the symbol of the function that the loop has become.
/// On that function: unit.
pub const NEST: &str = "mdh.nest";
