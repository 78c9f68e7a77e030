//! Clang: where it is, and what it makes of a C program.
use anyhow::{Context as _, Result, bail, ensure};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// The version of LLVM that this compiler reads.
const VERSION: &str = "22";

/// The prefix of the LLVM that this compiler was built with.
const PREFIX: &str = env!("MDH_LLVM_PREFIX");

/// The version that clang prints with an answer.
fn version(answer: &Output) -> Option<String> {
    let text = [&answer.stdout, &answer.stderr].map(|text| String::from_utf8_lossy(text)).concat();
    Some(text.split_once("clang version ")?.1.split('.').next()?.to_owned())
}

/// A clang of the right version.
#[derive(Clone, Debug)]
pub struct Clang {
    /// The program.
    pub program: PathBuf,
}

impl Clang {
    /// Finds clang: `$MDH_CLANG`, that of the LLVM of this compiler, or `clang-22` in the path.
    pub fn find() -> Result<Self> {
        Ok(Self::answer(&["--version".into()])?.0)
    }

    /// Finds clang, and returns its answer to these arguments.
    pub fn answer(arguments: &[OsString]) -> Result<(Self, Output)> {
        let given = std::env::var_os("MDH_CLANG").filter(|given| !given.is_empty());
        let candidates: Vec<OsString> = match &given {
            Some(given) => vec![given.clone()],
            None => vec![Path::new(PREFIX).join("bin/clang").into(), format!("clang-{VERSION}").into()],
        };
        for candidate in &candidates {
            let Ok(output) = Command::new(candidate).args(arguments).stdin(Stdio::null()).output() else { continue };
            // Most answers begin with the version.
            let asked = || version(&Command::new(candidate).arg("--version").output().ok()?);
            let Some(version) = version(&output).or_else(asked) else {
                bail!("'{}' is not clang", candidate.display());
            };
            ensure!(
                version == VERSION,
                "a C program requires clang {VERSION}, but '{}' is clang {version}",
                candidate.display()
            );
            return Ok((Self { program: candidate.into() }, output));
        }
        match given {
            Some(given) => {
                bail!("a C program requires clang {VERSION}, but '{}' of MDH_CLANG cannot be run", given.display())
            }
            None => bail!(
                "a C program requires clang {VERSION}, which is not installed: install the package clang-{VERSION}, or set MDH_CLANG to its path"
            ),
        }
    }

    /// The command without arguments.
    pub fn command(&self) -> Command {
        Command::new(&self.program)
    }

    /// The bitcode of a C program before LLVM's passes, with debug information. Clang writes its messages itself.
    pub fn bitcode(&self, path: &Path, flags: &[String]) -> Result<Vec<u8>> {
        let has_level = flags.iter().any(|flag| flag.starts_with("-O"));
        let has_errno = flags.iter().any(|flag| flag == "-fmath-errno");
        let mut command = self.command();
        command.args(if has_level { None } else { Some("-O1") });
        // Before -ffast-math and others that imply it.
        command.args(if has_errno { None } else { Some("-fno-math-errno") });
        command.args(flags);
        command.args(["-g", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "-o", "-"]).arg(path);
        let output = command.stderr(Stdio::inherit()).output();
        let output = output.with_context(|| format!("cannot run '{}'", self.program.display()))?;
        ensure!(output.status.success(), "clang has failed for '{}'", path.display());
        Ok(output.stdout)
    }

    /// The text of a C program after the preprocessor, which writes no messages: [`Self::bitcode`] does.
    pub fn preprocessed(&self, path: &Path, flags: &[String]) -> Result<String> {
        let mut command = self.command();
        command.args(flags).arg("-E").arg(path).args(["-o", "-"]);
        let output = command.stderr(Stdio::null()).output();
        let output = output.with_context(|| format!("cannot run '{}'", self.program.display()))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}
