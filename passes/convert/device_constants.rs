//! `mdh-device-constants`: keeps constants on the device that functions with device memory would copy in each call.
//!
//! ```mlir
//! module attributes {gpu.container_module} {
//!   memref.global "private" constant @numbers : memref<2xf32> = dense<[1.0, 2.0]>
//!   gpu.module @mdh_kernels {
//!     gpu.func @f_kernel_1(%x: !llvm.ptr<1>) kernel {
//!       gpu.return
//!     }
//!   }
//!   func.func @f(%n: index) attributes {mdh.device_memory} {
//!     %c = memref.get_global @numbers : memref<2xf32>
//!     %d = gpu.alloc () : memref<2xf32>
//!     gpu.memcpy %d, %c : memref<2xf32>, memref<2xf32>
//!     %a = memref.extract_aligned_pointer_as_index %d : memref<2xf32> -> index
//!     %i = arith.index_cast %a : index to i64
//!     %p = llvm.inttoptr %i {mdh.role = "input 1"} : i64 to !llvm.ptr<1>
//!     gpu.launch_func @mdh_kernels::@f_kernel_1 blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%p : !llvm.ptr<1>)
//!     gpu.dealloc %d : memref<2xf32>
//!     return
//!   }
//! }
//! ```
//! becomes
//! ```mlir
//! func.func private @mgpuConstant(index, index, index) -> index
//! %a = memref.extract_aligned_pointer_as_index %c : memref<2xf32> -> index
//! %d = call @mgpuConstant(%c0, %a, %c8) : (index, index, index) -> index
//! %i = arith.index_cast %d : index to i64
//! %p = llvm.inttoptr %i {mdh.role = "input 1"} : i64 to !llvm.ptr<1>
//! gpu.launch_func ..
//! ```
//!
//! The function of the run-time library takes the module of kernels, which is known where these are embedded
//! (`tools/kernel/embed.rs`), and the address and the bytes of a constant. It copies the constant when it is called first,
//! and returns the address on the device, where the copy stays until the module is unloaded. Only constants are replaced
//! that all kernels read: buffers with the role of an input.
use super::device_memory::declare_if_called;
use crate::analysis::{
    origin::{constant, function_around},
    size::bytes,
};
use mdh_dialects::{
    attributes::{DEVICE_MEMORY, ROLE},
    ir::{self, Builder, Op, Val},
    pass::{Failure, MdhPass},
};
use melior::{dialect::DialectHandle, ir::ValueLike};

/// The pass.
pub struct DeviceConstants;

/// The function of the run-time library: it takes a module of kernels, an address and a number of bytes.
pub const CONSTANT: &str = "mgpuConstant";

impl MdhPass for DeviceConstants {
    const NAME: &'static str = "DeviceConstants";
    const ARGUMENT: &'static str = "mdh-device-constants";
    const DESCRIPTION: &'static str = "Keep constants on the device between calls";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith(), DialectHandle::func(), DialectHandle::memref()]
    }

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        ir::find(module, "gpu.memcpy").into_iter().filter_map(ConstantCopy::of).for_each(ConstantCopy::replace);
        declare_if_called(module, CONSTANT, 3, 1);
        Ok(())
    }
}

/// A copy of a constant to a buffer that kernels only read.
struct ConstantCopy<'c> {
    copy: Op<'c>,
    constant: Val<'c>,
    bytes: u64,
    allocation: Op<'c>,
    /// The addresses of the buffer, which kernels get.
    addresses: Vec<Op<'c>>,
    deallocations: Vec<Op<'c>>,
}

impl<'c> ConstantCopy<'c> {
    fn of(copy: Op<'c>) -> Option<Self> {
        function_around(copy).filter(|function| ir::attribute(*function, DEVICE_MEMORY).is_some())?;
        let [buffer, constant_of] = ir::operands(copy)[..] else { return None };
        let allocation = ir::defining(buffer).filter(|allocation| ir::name(*allocation) == "gpu.alloc")?;
        constant(constant_of)?;
        let (shape, element) = (ir::shape(buffer.r#type())?, ir::element_type(buffer.r#type())?);
        let elements = shape.into_iter().try_fold(1u64, |all, size| all.checked_mul(size?))?;
        let of_name =
            |name: &str| ir::users(buffer).into_iter().filter(|user| ir::name(*user) == name).collect::<Vec<_>>();
        let addresses = of_name("memref.extract_aligned_pointer_as_index");
        let deallocations = of_name("gpu.dealloc");
        let is_all = ir::users(buffer).len() == 1 + addresses.len() + deallocations.len();
        let bytes = elements.checked_mul(bytes(element))?;
        (is_all && addresses.iter().all(|address| is_read_by_kernels(*address))).then_some(Self {
            copy,
            constant: constant_of,
            bytes,
            allocation,
            addresses,
            deallocations,
        })
    }

    fn replace(self) {
        let b = Builder::before(self.copy);
        let address = b.value("memref.extract_aligned_pointer_as_index", &[self.constant], b.index(), &[]);
        let operands = [b.constant(0, b.index()), address, b.constant(self.bytes as i64, b.index())];
        let on_device = b.value("func.call", &operands, b.index(), &[("callee", b.symbol(CONSTANT))]);
        for address in &self.addresses {
            ir::replace_uses(ir::results(*address)[0], on_device);
        }
        self.addresses.into_iter().chain(self.deallocations).for_each(ir::erase);
        ir::erase(self.copy);
        ir::erase(self.allocation);
    }
}

/// True if an address is only that of inputs of kernels.
fn is_read_by_kernels(address: Op<'_>) -> bool {
    let is_input = |pointer: &Op<'_>| {
        let role = ir::attribute(*pointer, ROLE).and_then(ir::string_attribute);
        ir::name(*pointer) == "llvm.inttoptr" && role.is_some_and(|role| role.starts_with("input "))
    };
    users(address).into_iter().all(|cast| ir::name(cast) == "arith.index_cast" && users(cast).iter().all(is_input))
}

/// The operations that use the results of an operation.
fn users<'c>(operation: Op<'c>) -> Vec<Op<'c>> {
    ir::results(operation).into_iter().flat_map(ir::users).collect()
}
