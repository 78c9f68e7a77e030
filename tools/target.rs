//! Machine code: for the processor that runs the host code, and for the devices that kernels run on.
//!
//! `host.rs` compiles for processors. For each form of kernel code, one file implements [`compiler::Compiler`]
//! (`ptx.rs`, `spirv.rs`).
pub mod compiler;
pub mod host;
mod names;
pub mod ptx;
pub mod spirv;

use anyhow::{Result, bail};
use compiler::Compiler;

/// A form of kernel code, and its compiler.
struct Form {
    /// The name of the code in [`mdh_passes::target::KernelFlavour`].
    code: &'static str,
    /// Makes a compiler for an architecture, if the form has architectures. An error names an unknown one, and the
    /// nearest known ones.
    compiler: fn(Option<&str>) -> Result<Box<dyn Compiler>>,
    /// The architecture of a device, if the form has architectures.
    architecture: fn(&mdh_runtime::Device) -> Option<String>,
}

/// All forms of kernel code.
const FORMS: [Form; 2] = [
    Form {
        code: "ptx",
        compiler: |architecture| Ok(Box::new(ptx::Ptx::new(architecture)?)),
        architecture: ptx::architecture,
    },
    Form { code: "spirv", compiler: |_| Ok(Box::new(spirv::Spirv::new()?)), architecture: |_| None },
];

fn form(code: &str) -> Result<&'static Form> {
    match FORMS.iter().find(|form| form.code == code) {
        Some(form) => Ok(form),
        None => bail!("nothing compiles kernels to '{code}'"),
    }
}

/// The compiler for a form of code, for an architecture if the form has architectures.
pub fn compiler(code: &str, architecture: Option<&str>) -> Result<Box<dyn Compiler>> {
    (form(code)?.compiler)(architecture)
}

/// The architecture of a device, if the form of code has architectures.
pub fn architecture(code: &str, device: &mdh_runtime::Device) -> Result<Option<String>> {
    Ok((form(code)?.architecture)(device))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mdh_passes::target::Target;
    use mdh_runtime::Api;

    #[test]
    fn kernels_of_each_target_can_be_compiled_and_launched() {
        for target in Target::with_kernels() {
            let kernels = target.kernels.as_ref().expect("kernels");
            let api = Api::named(target.name).expect("an API of this name");
            let names = mdh_runtime::entry_points(api).into_iter().map(|(name, _)| name);
            assert!(names.into_iter().all(|name| name.starts_with(kernels.entry_points)), "{target:?}");
            let compiler = compiler(kernels.code, kernels.architecture).expect("a compiler");
            assert_eq!(compiler.architecture(), kernels.architecture);
        }
    }
}
