//! Programs that are not MLIR: C and C++, and LLVM IR of any front end.
//!
//! Clang compiles C to LLVM IR, a few passes of LLVM bring loops into a form with counters and addresses
//! (`source/import.rs`), and the LLVM dialect is lifted (`mdh-lift-llvm`).
pub mod clang;
pub mod compile;
pub mod directive;
pub mod import;
pub mod jobs;
pub mod replace;

use anyhow::{Context as _, Result, anyhow, ensure};
use std::path::Path;

/// The language of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// MLIR, text or bytecode.
    Mlir,
    /// LLVM IR, text or bitcode.
    LlvmIr,
    /// C or C++, which clang reads.
    C,
}

impl Language {
    /// The language of a file, by its extension.
    pub fn of(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("ll" | "bc") => Self::LlvmIr,
            Some("c" | "cc" | "cpp" | "cxx" | "C" | "c++") => Self::C,
            _ => Self::Mlir,
        }
    }
}

/// The text of a C program after the preprocessor; empty for other programs. `flags`: options of clang.
pub fn preprocessed(path: &Path, flags: &[String]) -> Result<String> {
    match Language::of(path) {
        Language::C => clang::Clang::find()?.preprocessed(path, flags),
        _ => Ok(String::new()),
    }
}

/// The LLVM IR of a program that is not MLIR, as bitcode or text. `flags`: options of clang.
pub fn llvm_ir(path: &Path, flags: &[String]) -> Result<Vec<u8>> {
    let name = path.to_str().ok_or_else(|| anyhow!("the path '{}' is not UTF-8", path.display()))?;
    ensure!(!path.is_dir(), "cannot read '{name}': it is a directory");
    let problem = || format!("cannot read '{name}'");
    match Language::of(path) {
        Language::C => {
            std::fs::File::open(path).with_context(problem)?;
            clang::Clang::find()?.bitcode(path, flags)
        }
        _ => std::fs::read(path).with_context(problem),
    }
}
