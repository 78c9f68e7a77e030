//! Attributes with which passes tell later ones, and tools, what they know. None belongs to an operation of the dialect.

/// What an argument of a kernel is to it: on the operation that makes the argument on the host, then on the argument itself.
pub const ROLE: &str = "mdh.role";

/// What memory is to the computation, such as `input 1`: on the operation that allocates it, or on a cast of what an earlier one allocated.
pub const BUFFER: &str = "mdh.buffer";

/// Set on a pointer for a kernel if no other pointer of the kernel is to the same memory, or the kernel only reads it.
pub const APART: &str = "mdh.apart";

/// On a kernel: what each of its arguments is, as strings; empty where nothing says it.
pub const ROLES: &str = "mdh.roles";

/// On a kernel: the expressions of its arguments, as JSON; `null` where there is none.
pub const VALUES: &str = "mdh.values";

/// On a kernel: the expressions of the sizes of its launch, and of the condition of it, as JSON.
pub const SIZES: &str = "mdh.sizes";

/// On a function with kernels: its launch program, as JSON; or an object of `refused`, a message, and `at`, the place of the operation.
pub const PROGRAM: &str = "mdh.launch_program";

/// On a call that stands for a launch: the kernel.
pub const KERNEL: &str = "mdh.kernel";

/// On a call that stands for a launch: how many operands of each kind the launch has.
pub const LAUNCH: &str = "mdh.launch";

/// The numbers of a function's arguments that it may write, and that it returns as they are.
pub const IN_PLACE: &str = "mdh.in_place";

/// Upstream's, on allocations and deallocations that are not the business of its deallocation pass.
pub const MANUAL: &str = "bufferization.manual_deallocation";

/// The attribute by which a loop or its branch says how LLVM is to transform it.
pub const LOOP_ANNOTATION: &str = "llvm.loop_annotation";
