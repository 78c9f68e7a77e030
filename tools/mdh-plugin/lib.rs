//! `libmdh_plugin.so`: the mdh dialect and its passes as a plugin of the stock `mlir-opt`. As a static library,
//! `find_package(MDH)` links it.
use std::ffi::{CStr, c_char, c_void};

/// `MLIR_PLUGIN_API_VERSION` of LLVM 22.
const API_VERSION: u32 = 1;
const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => c"",
};

/// `mlir::DialectPluginLibraryInfo`
#[repr(C)]
pub struct DialectPluginLibraryInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: unsafe extern "C" fn(*mut c_void),
}

/// `mlir::PassPluginLibraryInfo`
#[repr(C)]
pub struct PassPluginLibraryInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(),
}

/// The entry point of `--load-dialect-plugin`.
#[unsafe(no_mangle)]
pub extern "C" fn mlirGetDialectPluginInfo() -> DialectPluginLibraryInfo {
    DialectPluginLibraryInfo {
        api_version: API_VERSION,
        name: c"mdh".as_ptr(),
        version: VERSION.as_ptr(),
        register: mdh_dialects::ffi::mdhPluginRegisterDialect,
    }
}

/// The entry point of `--load-pass-plugin`.
#[unsafe(no_mangle)]
pub extern "C" fn mlirGetPassPluginInfo() -> PassPluginLibraryInfo {
    PassPluginLibraryInfo {
        api_version: API_VERSION,
        name: c"mdh".as_ptr(),
        version: VERSION.as_ptr(),
        register: mdhRegisterAllPasses,
    }
}

/// Registers all passes and pipelines (`capi/Mdh.h`).
#[unsafe(no_mangle)]
pub extern "C" fn mdhRegisterAllPasses() {
    mdh_passes::register(|path| std::fs::read_to_string(path));
    mdh_database::passes::register();
}
