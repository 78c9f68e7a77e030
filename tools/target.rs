//! Machine code: of the processor that runs the host's part of a program, and of the devices that its kernels run on.
//!
//! `host.rs` compiles for processors, and a file for each form of kernels (`ptx.rs`, `spirv.rs`) implements [`compiler::Compiler`].
pub mod compiler;
pub mod host;
mod names;
pub mod ptx;
pub mod spirv;

use anyhow::{Result, bail};
use compiler::Compiler;

/// A form of kernels: what compiles them.
struct Form {
    /// The code, as [`mdh_passes::target::KernelFlavour`] names it.
    code: &'static str,
    /// The compiler for an architecture, if there are some. Errors name an unknown one, and the nearest.
    compiler: fn(Option<&str>) -> Result<Box<dyn Compiler>>,
    /// The architecture of a device, if there are some.
    architecture: fn(&mdh_runtime::Device) -> Option<String>,
}

/// All forms of kernels.
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

/// What compiles kernels to a form of code, for an architecture if it has some.
pub fn compiler(code: &str, architecture: Option<&str>) -> Result<Box<dyn Compiler>> {
    (form(code)?.compiler)(architecture)
}

/// The architecture of a device, for kernels in a form of code that has some.
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
