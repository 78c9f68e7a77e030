//! Locates NVIDIA's tools: the PTX assembler, and the files of its package.
use std::{env, fs, path::PathBuf};

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
