//! ptxas accepts the PTX that `mdh compile` writes. The tests in `execute` assemble the examples.
use mdh_tools::target::ptx::ptxas;
use std::{path::Path, process::Command};

/// Compiles a program of `test/tools/compile/Inputs` for some architectures, and assembles it.
fn assemble(program: &str) {
    let Some(assembler) = ptxas::find() else {
        println!("unsupported: ptxas is not installed");
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../test/tools/compile/Inputs").join(program);
    for architecture in ["sm_70", "sm_80", "sm_90", "sm_90a"] {
        let ptx = folder.path().join("kernel.ptx");
        let compiled = Command::new(env!("CARGO_BIN_EXE_mdh"))
            .arg("compile")
            .arg(&source)
            .args(["--target", "cuda", "--arch", architecture, "--emit", "ptx", "--output"])
            .arg(&ptx)
            .status()
            .expect("mdh runs");
        assert!(compiled.success(), "mdh compile for {architecture}");
        let option = format!("-arch={architecture}");
        let output = Command::new(&assembler).args([&option, "-v", "-o", "/dev/null"]).arg(&ptx).output();
        let output = output.expect("ptxas runs");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "ptxas for {architecture}: {text}");
        assert!(text.contains("0 bytes spill stores"), "{text}");
    }
}

/// A cubin is an ELF file for NVIDIA's GPUs, with a manifest beside it.
#[test]
fn cubins_are_written() {
    if ptxas::find().is_none() {
        println!("unsupported: ptxas is not installed");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = folder.path().join("kernel.cubin");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../test/tools/compile/Inputs/kernel.mlir");
    let compile = |assembler: Option<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mdh"));
        command.arg("compile").arg(&source).args(["--target", "cuda", "--emit", "cubin", "--output"]).arg(&output);
        assembler.map(|path| command.env("MDH_PTXAS", path));
        command.output().expect("mdh runs")
    };
    let failed = compile(Some("/nowhere/ptxas"));
    let said = String::from_utf8_lossy(&failed.stderr);
    assert_eq!(said, "error: cannot run '/nowhere/ptxas': no such file or directory\n");
    assert!(folder.path().read_dir().expect("the folder is there").next().is_none());
    let done = compile(None);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let cubin = std::fs::read(&output).expect("the cubin is there");
    // The machine of an ELF file is a number of 16 bits: 190 is EM_CUDA.
    assert_eq!((&cubin[..4], &cubin[18..20]), (&b"\x7fELF"[..], &[190, 0][..]));
    assert!(output.with_extension("json").is_file());
}

#[test]
fn ptxas_takes_kernels() {
    assemble("kernel.mlir");
}

/// Blocks and threads use more memory than kernels can declare statically.
#[test]
fn ptxas_takes_memory_of_any_size() {
    assemble("memory.mlir");
}

/// The program calls functions that only libdevice has.
#[test]
fn ptxas_takes_kernels_with_libdevice() {
    // The package with ptxas has libdevice, too. libdevice may also be elsewhere.
    if ptxas::packages().is_empty() {
        println!("unsupported: libdevice is not installed");
        return;
    }
    assemble("exponential.mlir");
}
