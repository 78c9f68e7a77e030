//! A device driver that dies by a signal: one error message, the exit code of a failure, and no partially written
//! files.
mod device;
mod loader;

use std::{fs, path::Path, process::Command};

const PROGRAM: &str = "func.func @numbers() -> tensor<4xi64> {
  %in = mdh.view.inp_view : () -> !mdh.mda<4>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
    %i = mdh.hom.index 0 : index
    %x = arith.index_cast %i : index to i64
    mdh.hom.yield %x : i64
  } : !mdh.mda<4> -> !mdh.mda<4, i64>
  %y = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<4, i64> -> tensor<4xi64>
  return %y : tensor<4xi64>
}";

#[test]
fn what_ends_a_driver_is_said() {
    if !device::is_there("opencl") {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("drivers");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder is writable");
    let (program, library, output) = (folder.join("numbers.mlir"), folder.join("loader.so"), folder.join("y.npy"));
    fs::write(&program, PROGRAM).expect("the program can be written");
    loader::link("loader_ends.c", &library, &["-shared", "-fPIC"]);
    let run = |more: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mdh"));
        command.arg("run").arg(&program).args(["--engine", "opencl", "--output"]).arg(&output);
        let output = command.envs(device::environment()).envs(more.iter().copied()).output().expect("mdh can be run");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let library = library.to_str().expect("the path of the target folder is UTF-8");
    for (signal, name) in [("11", "11 (SIGSEGV)"), ("6", "6 (SIGABRT)"), ("4", "4 (SIGILL)")] {
        let (code, stderr) = run(&[("MDH_OPENCL_LIBRARY", library), ("MDH_TEST_SIGNAL", signal)]);
        let begin = format!("error: signal {name} ended the driver of '");
        let end = "' while it compiled the kernels of the program";
        // The driver may have printed something itself before.
        assert_eq!(stderr.matches("error: ").count(), 1, "{stderr}");
        let last = stderr.lines().last().unwrap_or_default();
        assert!(last.starts_with(&begin) && last.ends_with(end), "{stderr}");
        assert_eq!(code, Some(1), "{stderr}");
        assert!(!output.exists());
    }
    // All other functions of the loader are the real ones.
    assert_eq!(run(&[]), (Some(0), String::new()));
    assert!(output.exists());
    let left = folder.read_dir().expect("the folder can be read").count();
    assert_eq!(left, 3, "files are left over");
}
