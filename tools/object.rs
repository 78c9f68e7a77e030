//! Files that are written atomically, and the linking of shared libraries.
use crate::temporary::{self, is_special};
use anyhow::{Context as _, Result, anyhow, bail};
use inkwell::module::Module;
use mdh_passes::target::KernelFlavour;
use std::{
    env, fs,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// Writes a file atomically: to a temporary file in its folder, which is then renamed. `-` is the standard output.
pub fn write(path: &Path, content: &[u8]) -> Result<()> {
    if path == Path::new("-") {
        return std::io::stdout().lock().write_all(content).context("cannot write to the standard output");
    }
    write_atomically(path, |file| fs::write(file, content).map_err(Into::into))
}

/// Writes files that belong together: none appears before all have been written.
pub fn write_together(files: &[(&Path, &[u8])]) -> Result<()> {
    let staged =
        files.iter().map(|(path, content)| Staged::new(path, |file| fs::write(file, content).map_err(Into::into)));
    staged.collect::<Result<Vec<_>>>()?.into_iter().try_for_each(Staged::commit)
}

/// Makes a file atomically: `make` writes to a temporary path, which is then renamed.
fn write_atomically(path: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    Staged::new(path, make)?.commit()
}

/// A complete file that has not been moved to its path yet.
struct Staged {
    path: PathBuf,
    /// The resolved path: a symbolic link is kept.
    target: PathBuf,
    file: PathBuf,
    /// The temporary folder of `file`; it is deleted with its contents when this is dropped.
    _folder: TempDir,
}

impl Staged {
    fn new(path: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<Self> {
        let problem = || format!("cannot write '{}'", path.display());
        let target = temporary::target(path).with_context(problem)?;
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if path.is_dir() {
            bail!("{}: it is a directory", problem());
        }
        if !folder.is_dir() {
            bail!("{}: there is no folder '{}'", problem(), folder.display());
        }
        let folder = if is_special(path) { &env::temp_dir() } else { folder };
        let temporary = temporary::folder_in(folder).with_context(problem)?;
        let file = temporary.path().join("output");
        make(&file).with_context(problem)?;
        Ok(Self { path: path.to_owned(), target, file, _folder: temporary })
    }

    fn commit(self) -> Result<()> {
        let done = match is_special(&self.path) {
            true => fs::read(&self.file).and_then(|content| fs::write(&self.path, content)),
            false => fs::rename(&self.file, &self.target),
        };
        done.with_context(|| format!("cannot write '{}'", self.path.display()))
    }
}

/// Returns true if a module calls OpenMP's run-time library.
pub fn is_parallel(module: &Module<'_>) -> bool {
    declares(module, &["__kmpc_", "omp_"])
}

fn declares(module: &Module<'_>, prefixes: &[&str]) -> bool {
    let names = module.get_functions().filter(|function| function.count_basic_blocks() == 0);
    names
        .map(|function| function.get_name().to_string_lossy().into_owned())
        .any(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)))
}

/// The libraries that an object of an optimized module is linked with; OpenMP's only if it has parallel loops.
pub fn libraries(module: &Module<'_>) -> Vec<&'static str> {
    let omp = is_parallel(module).then_some("-lomp");
    let entry_points: Vec<_> = KernelFlavour::all().map(|kernels| kernels.entry_points).collect();
    let runtime = declares(module, &entry_points).then_some("-lmdh_runtime");
    omp.into_iter().chain(runtime).chain(["-lm"]).collect()
}

/// Links an object file to a shared library that finds LLVM's OpenMP library if it needs it.
pub fn link(object: &[u8], path: &Path) -> Result<()> {
    if path == Path::new("-") {
        bail!("a shared library cannot be written to the standard output");
    }
    write_atomically(path, |library| {
        let file = library.with_extension("o");
        fs::write(&file, object)?;
        let (compiler, libraries) = compiler()?;
        let mut command = Command::new(&compiler);
        command.args(["-shared", "-fPIC", "-o"]).arg(library).arg(&file).args(["-lm", "-Wl,--as-needed"]);
        if let Some(libraries) = libraries {
            command.arg("-L").arg(&libraries).arg(format!("-Wl,-rpath,{}", libraries.display()));
        }
        let output = command.arg("-lomp").output().with_context(|| format!("cannot run '{}'", compiler.display()))?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            bail!("the linker failed: {}", text.lines().next().unwrap_or("it does not say why"));
        }
        Ok(())
    })
}

/// The clang of LLVM 22 and the folder of its libraries: that of the build, else one on the path.
fn compiler() -> Result<(PathBuf, Option<PathBuf>)> {
    if let Some(prefix) = option_env!("LLVM_SYS_221_PREFIX").map(Path::new) {
        let compiler = prefix.join("bin/clang");
        if compiler.exists() {
            return Ok((compiler, Some(prefix.join("lib"))));
        }
    }
    let compiler = PathBuf::from("clang-22");
    match Command::new(&compiler).arg("--version").output() {
        Ok(_) => Ok((compiler, None)),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(anyhow!("a shared library requires the linker of clang 22, which is not installed (see make setup)"))
        }
        Err(error) => Err(error).context("cannot run 'clang-22'"),
    }
}
