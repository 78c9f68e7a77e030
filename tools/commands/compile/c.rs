//! `mdh compile` of C programs and LLVM IR: the object that clang makes, with the functions whose nests are raised.
use super::Compile;
use crate::{
    llvm, object, program,
    source::{
        self,
        clang::Clang,
        compile::{self, RaiseRequest},
    },
    temporary,
};
use anyhow::{Context as _, Result, bail, ensure};
use mdh_passes::{
    pipeline::{Options, Raising, Stage},
    target::Target,
};
use std::path::Path;

/// The options of clang that write what `--emit` names.
const EMITTED: [(&str, &[&str]); 4] =
    [("object", &["-c"]), ("assembly", &["-S"]), ("llvm-ir", &["-S", "-emit-llvm"]), ("shared", &["-shared"])];

impl Compile {
    /// Compiles a program that is not MLIR.
    pub(super) fn run_c(&self, output: &Path, target: &'static Target) -> Result<()> {
        ensure!(target.kernels.is_none(), "programs in C and LLVM IR require --target cpu, but got '{}'", target.name);
        for (is_given, option) in [
            (self.checked, "--checked"),
            (self.prefix.is_some(), "--prefix"),
            (self.sanitize.is_some(), "--sanitize (-- -fsanitize=address is clang's)"),
        ] {
            ensure!(!is_given, "programs in C and LLVM IR have no {option}");
        }
        let ir = source::llvm_ir(&self.file, &self.clang.flags)?;
        if let Some(function) = &self.function {
            compile::check_function(&ir, &self.file, function)?;
        }
        let has_openmp = self.clang.flags.iter().any(|flag| ["-fopenmp", "-fopenmp=libomp"].contains(&flag.as_str()));
        let request = RaiseRequest {
            names: self.processor.is_given().then(|| self.processor.clone()),
            threads: compile::threads(self.lowering.threads, has_openmp),
            least_points: None,
            has_debug_info: self.debug || self.clang.flags.iter().any(|flag| flag.starts_with("-g")),
            function: self.function.clone(),
            report: self.report.report.clone(),
            is_required: self.lowering.raise == Raising::Required,
            passes: self.schedules.passes(&self.lowering, target)?,
            prints_raised: false,
            directives: program::directives(&source::preprocessed(&self.file, &self.clang.flags)?)?,
        };
        if let Some(stage) = self.stage() {
            return self.write_stage(output, &ir, &request, stage);
        }
        let Some((_, emitted)) = EMITTED.iter().find(|(name, _)| *name == self.emit) else {
            bail!(
                "programs in C and LLVM IR require --emit object, assembly, llvm-ir, shared or a stage, but got '{}'",
                self.emit
            )
        };
        let compiled = compile::raised(&ir, &self.file, &request)?;
        let folder = temporary::folder_in(&std::env::temp_dir()).context("cannot create a temporary folder")?;
        let (bitcode, file) = (folder.path().join("program.bc"), folder.path().join("output"));
        std::fs::write(&bitcode, compiled).context("cannot write bitcode")?;
        let mut command = Clang::find()?.command();
        let has_level = self.clang.flags.iter().any(|flag| flag.starts_with("-O"));
        let level = (!has_level).then(|| format!("-O{}", self.opt_level));
        command.args(level).args(&self.clang.flags).args(["-fPIC", "-Wno-unused-command-line-argument"]);
        command.args(*emitted).args(["-x", "ir"]).arg(&bitcode).arg("-o").arg(&file);
        let status = command.status().context("cannot run clang")?;
        ensure!(status.success(), "clang has failed for '{}'", self.file.display());
        object::write(output, &std::fs::read(&file).context("cannot read the output of clang")?)
    }

    /// Writes a stage of the pipeline.
    fn write_stage(&self, output: &Path, ir: &[u8], request: &RaiseRequest, stage: &Stage) -> Result<()> {
        let context = program::context();
        let mut module = request.module(&context, ir, &self.file)?;
        let llvm = inkwell::context::Context::create();
        request.attach(&module, compile::processor(&llvm::parse_any(ir, &self.file.display().to_string(), &llvm)?))?;
        let options = Options { stop_after: Some(stage.name.to_owned()), ..request.options() };
        program::lower(&context, &mut module, &options)?;
        object::write(output, format!("{}\n", module.as_operation().to_string().trim_end()).as_bytes())
    }
}
