//! NVIDIA's tools: the PTX assembler, and the files of its package.
use anyhow::{Context as _, Result, anyhow, ensure};
use mdh_execution::failure::os_message;
use std::{env, fs, path::PathBuf, process::Command};

/// Assembles PTX for an architecture, such as `sm_90`. Returns a cubin, which is an ELF file.
///
/// # Errors
/// The assembler is not installed, or refuses the PTX.
pub fn assemble(ptx: &[u8], architecture: &str) -> Result<Vec<u8>> {
    let assembler = find().ok_or_else(|| {
        anyhow!(
            "a cubin requires ptxas, NVIDIA's assembler: MDH_PTXAS, one of scripts/setup/opencl.sh, or one on the PATH"
        )
    })?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let (source, output) = (folder.path().join("kernels.ptx"), folder.path().join("kernels.cubin"));
    fs::write(&source, ptx).context("cannot write a temporary file")?;
    let mut command = Command::new(&assembler);
    let done = command.arg(format!("-arch={architecture}")).arg("-o").arg(&output).arg(&source).output();
    let done = done.map_err(|error| anyhow!("cannot run '{}': {}", assembler.display(), os_message(&error)))?;
    let said = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "'{}' refuses the kernels: {}", assembler.display(), said.trim());
    fs::read(&output).context("cannot read a temporary file")
}

/// NVIDIA's PTX assembler, if installed: `MDH_PTXAS`, else that of a Python package in `target/gpu`, else one on the
/// `PATH`.
pub fn find() -> Option<PathBuf> {
    if let Some(path) = env::var_os("MDH_PTXAS") {
        return Some(path.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let packaged = packages().into_iter().map(|folder| folder.join("bin/ptxas"));
    packaged.chain(env::split_paths(&path).map(|folder| folder.join("ptxas"))).find(|path| path.is_file())
}

/// The folders of NVIDIA's Python package in `target/gpu`, relative to the executable and to the current folder.
pub fn packages() -> Vec<PathBuf> {
    let programs = env::current_exe().ok();
    let above = programs.iter().flat_map(|program| program.ancestors()).filter(|folder| folder.ends_with("target"));
    let roots = above.map(|folder| folder.join("gpu/lib")).chain([PathBuf::from("target/gpu/lib")]);
    let mut packages = vec![];
    for root in roots {
        let versions = fs::read_dir(root).into_iter().flatten().flatten().map(|entry| entry.path());
        packages.extend(
            versions.map(|version| version.join("site-packages/nvidia/cuda_nvcc")).filter(|path| path.is_dir()),
        );
    }
    packages
}
