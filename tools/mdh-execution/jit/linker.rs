//! LLVM's ORC JIT, which links machine code in this process.
use super::{arguments::RawArray, code::Code, openmp, region};
use crate::{
    memory::{allocate, release},
    signal::assertion_failed,
};
use anyhow::{Context as _, Result, anyhow};
use inkwell::{
    llvm_sys::{
        error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage},
        orc2::{lljit::*, *},
    },
    memory_buffer::MemoryBuffer,
    targets::{InitializationConfig, Target},
};
use object::{Object as _, ObjectSymbol as _};
use std::{
    ffi::{CStr, CString, c_char, c_void},
    mem::ManuallyDrop,
    ptr::null_mut,
};

/// A function of the C interface whose arrays are in the memory of the host.
pub type HostEntry = unsafe extern "C" fn(*const RawArray, *mut RawArray, *mut c_char) -> i32;

/// A function of the C interface whose arrays are in the memory of the device, and which takes a stream.
pub type DeviceEntry = unsafe extern "C" fn(*const RawArray, *mut RawArray, *mut c_void, *mut c_char) -> i32;

/// A function of the C interface.
#[derive(Clone, Copy)]
pub enum Entry {
    Host(HostEntry),
    Device(DeviceEntry),
}

/// The symbol of the function of the C interface.
pub const ENTRY: &CStr = c"mdh_entry";

/// How the names of OpenMP's functions begin.
const OPENMP: [&str; 2] = ["__kmpc_", "omp_"];

/// The JIT session that owns linked code.
pub struct Linker {
    jit: LLVMOrcLLJITRef,
}

// SAFETY: LLVM's JIT session may be used by several threads, and nothing changes it after the code has been linked.
unsafe impl Send for Linker {}
// SAFETY: as above.
unsafe impl Sync for Linker {}

impl Linker {
    /// A session without code.
    pub fn new() -> Result<Self> {
        // Code from the cache may be the first that this process has to do with.
        Target::initialize_native(&InitializationConfig::default()).map_err(|error| anyhow!("{error}"))?;
        let mut jit = null_mut();
        // SAFETY: a null builder means the default one; the result is checked before it is used.
        check(unsafe { LLVMOrcCreateLLJIT(&mut jit, null_mut()) }).context("cannot create a JIT compiler")?;
        Ok(Self { jit })
    }

    /// Looks up a function without arguments and results in linked code.
    pub fn function(&self, name: &str) -> Result<unsafe extern "C" fn()> {
        let mut address = 0;
        // SAFETY: the JIT is alive, and the name is null-terminated.
        unsafe {
            check(LLVMOrcLLJITLookup(self.jit, &mut address, CString::new(name)?.as_ptr()))?;
            Ok(std::mem::transmute::<usize, unsafe extern "C" fn()>(address as usize))
        }
    }

    /// Links code, and looks up its function of the C interface.
    pub fn add(&self, code: &Code) -> Result<Entry> {
        let object = &code.object;
        self.define(c"__truncsfbf2", bf16_truncation as *const ())?;
        self.define(c"malloc", allocate as *const ())?;
        self.define(c"free", release as *const ())?;
        self.define_openmp(object)?;
        self.define(c"puts", assertion_failed as *const ())?;
        let mut problems: Vec<String> = vec![];
        // The JIT takes ownership of the buffer, even if it fails.
        let object = ManuallyDrop::new(MemoryBuffer::create_from_memory_range_copy(object, "mdh"));
        let mut address = 0;
        // SAFETY: the JIT is alive, nothing else owns the buffer, and the name is null-terminated. Errors such as
        // missing symbols are reported to the vector above before the look-up returns.
        let looked_up = unsafe {
            let session = LLVMOrcLLJITGetExecutionSession(self.jit);
            LLVMOrcExecutionSessionSetErrorReporter(session, report, (&raw mut problems).cast());
            check(LLVMOrcLLJITAddObjectFile(self.jit, LLVMOrcLLJITGetMainJITDylib(self.jit), object.as_mut_ptr()))
                .and_then(|()| check(LLVMOrcLLJITLookup(self.jit, &mut address, ENTRY.as_ptr())))
        };
        // SAFETY: as above; nothing refers to the vector after this.
        unsafe {
            LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(self.jit), report, null_mut())
        };
        looked_up.map_err(|error| if problems.is_empty() { error } else { anyhow!("{}", problems.join("; ")) })?;
        // SAFETY: the address is that of the function that `interface::add` made for this signature and memory; for a cache
        // entry, its checksum and key guarantee this.
        Ok(unsafe {
            match code.in_device_memory {
                false => Entry::Host(std::mem::transmute::<usize, HostEntry>(address as usize)),
                true => Entry::Device(std::mem::transmute::<usize, DeviceEntry>(address as usize)),
            }
        })
    }

    /// Defines the functions of OpenMP that an object file calls. Those of another OpenMP in this process have the same
    /// names.
    fn define_openmp(&self, object: &[u8]) -> Result<()> {
        let file = object::File::parse(object).context("the compiled code is not an object file")?;
        let undefined = file.symbols().filter(|symbol| symbol.is_undefined());
        let names: Vec<_> = undefined.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect();
        let names = || names.iter().map(String::as_str).filter(|name| OPENMP.iter().any(|own| name.starts_with(own)));
        let can_be_left = region::can_be_left(names());
        for name in names() {
            let own = if can_be_left { region::replacement(name)? } else { None };
            let name = CString::new(name)?;
            self.define(&name, own.map_or_else(|| openmp::function(&name), Ok)?)?;
        }
        Ok(())
    }

    /// Defines a function that compiled code may call.
    pub fn define(&self, name: &CStr, function: *const ()) -> Result<()> {
        // SAFETY: the JIT takes ownership of the interned name and, on success, of the definition.
        unsafe {
            let mut pair = LLVMOrcCSymbolMapPair {
                Name: LLVMOrcLLJITMangleAndIntern(self.jit, name.as_ptr()),
                Sym: LLVMJITEvaluatedSymbol {
                    Address: function as u64,
                    Flags: LLVMJITSymbolFlags {
                        GenericFlags: LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported as u8,
                        TargetFlags: 0,
                    },
                },
            };
            let unit = LLVMOrcAbsoluteSymbols(&mut pair, 1);
            check(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(self.jit), unit))
        }
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        // SAFETY: linked code is not used after this; an error of disposal has no consequences.
        let _ = check(unsafe { LLVMOrcDisposeLLJIT(self.jit) });
    }
}

/// Adds an error of the JIT to a vector.
extern "C" fn report(problems: *mut c_void, error: LLVMErrorRef) {
    if let Err(problem) = check(error)
        // SAFETY: the pointer is null or that of the vector in `add`, which waits for the JIT.
        && let Some(problems) = unsafe { problems.cast::<Vec<String>>().as_mut() }
    {
        problems.push(problem.to_string());
    }
}

/// Truncates to bf16; LLVM calls it on processors without instructions for bf16. It is in compiler-rt, but not yet in
/// Debian's libgcc. The calling conventions return a bf16 in the low bits of the register that returns an f32.
extern "C" fn bf16_truncation(value: f32) -> f32 {
    f32::from_bits(u32::from(half::bf16::from_f32(value).to_bits()))
}

fn check(error: LLVMErrorRef) -> Result<()> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: an error is consumed by asking for its message, which is copied and then freed.
    unsafe {
        let message: *mut c_char = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(anyhow!("{text}"))
    }
}
