//! `mdh run --cache` with concurrent processes, with a full disk, with a schedule that changes, and with another
//! device.
#[path = "devices/device.rs"]
mod device;
#[path = "devices/loader.rs"]
mod loader;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

/// Creates an empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the test's folder can be removed");
    }
    fs::create_dir_all(&folder).expect("the test's folder can be made");
    folder
}

/// Starts `mdh run` of MatVec with a cache. `before` is a command that wraps it.
fn run(before: &[&str], cache: &Path, more: &[&str]) -> Child {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/matvec.mlir");
    let words = [before, &[env!("CARGO_BIN_EXE_mdh"), "run", program, "--function", "matvec_512x4096"]].concat();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).args(["--input", "1", "--input", "2", "--threads", "1", "--json", "--cache"]);
    command.arg(cache).args(more).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("mdh can be run")
}

/// The cache outcome that a process reports, and its standard error.
fn finish(process: Child) -> (String, String) {
    let Output { status, stdout, stderr } = process.wait_with_output().expect("mdh ends");
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr).into_owned());
    assert!(status.success(), "{stderr}");
    let line = stdout.lines().find_map(|line| line.trim().strip_prefix("\"cache\": \""));
    (line.expect("the report names the cache").trim_end_matches("\",").to_owned(), stderr)
}

fn entries(cache: &Path) -> usize {
    fs::read_dir(cache).expect("the cache can be read").count()
}

#[test]
fn processes_share_a_directory() {
    let cache = folder("processes").join("new");
    let processes: Vec<_> = (0..4).map(|_| run(&[], &cache, &[])).collect();
    for process in processes {
        let (outcome, warnings) = finish(process);
        assert!(matches!(outcome.as_str(), "hit" | "miss"), "{outcome}");
        assert_eq!(warnings, "");
    }
    assert_eq!(entries(&cache), 1, "one entry, and nothing that is temporary");
    assert_eq!(finish(run(&[], &cache, &[])), ("hit".to_owned(), String::new()));
}

/// With a file size limit of 0 bytes, no process can write to a file. This resembles a full disk and needs no mount.
#[test]
fn a_full_disk_is_a_warning() {
    let cache = folder("full");
    // libomp cannot write the file by which it registers its process, either, and leaves it empty.
    let registration = "/dev/shm/__KMP_REGISTERED_LIB_$!_*";
    let script = format!("trap '' XFSZ; ulimit -f 0; \"$@\" & wait $!; ended=$?; rm -f {registration}; exit $ended");
    let limited = ["sh", "-c", &script, "sh"];
    let (outcome, warnings) = finish(run(&limited, &cache, &[]));
    assert_eq!(outcome, "miss");
    let problem = format!("warning: cannot write to the cache '{}': ", cache.display());
    // OpenMP prints its own warnings about the limit.
    let ours: Vec<_> = warnings.lines().filter(|line| line.starts_with("warning: ")).collect();
    assert!(ours.len() == 1 && ours[0].starts_with(&problem), "{warnings}");
    assert_eq!(entries(&cache), 0);
}

#[test]
fn the_contents_of_the_schedule_count() {
    let folder = folder("schedule");
    let (cache, copy) = (folder.join("cache"), folder.join("schedule.json"));
    let original = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/schedules/matvec_figure17.json");
    let text = fs::read_to_string(original).expect("the schedule can be read");
    fs::write(&copy, &text).expect("the copy can be written");
    let copy_name = copy.to_str().expect("the folder's name is UTF-8");
    let outcome = |more: &[&str]| finish(run(&[], &cache, more)).0;
    assert_eq!(outcome(&[]), "miss");
    assert_eq!(outcome(&["--schedule", original]), "miss");
    assert_eq!(outcome(&["--schedule", copy_name]), "hit");
    fs::write(&copy, text + "\n").expect("the copy can be written");
    assert_eq!(outcome(&["--schedule", copy_name]), "miss");
    assert_eq!(entries(&cache), 3);
}

/// A cached program that another device has run is refused like an uncached one.
#[test]
fn what_a_device_lacks_is_said_on_a_hit_too() {
    if !device::is_there("opencl") {
        return;
    }
    let folder = folder("device");
    let (cache, program, loader) = (folder.join("cache"), folder.join("f64.mlir"), folder.join("loader.so"));
    let text = "func.func @third() -> tensor<4xf64> {
      %in = mdh.view.inp_view : () -> !mdh.mda<4>
      %r = mdh.hom.md_hom %in combine [#mdh.cc] {
      ^bb0:
        %third = arith.constant 0.3 : f64
        mdh.hom.yield %third : f64
      } : !mdh.mda<4> -> !mdh.mda<4, f64>
      %y = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<4, f64> -> tensor<4xf64>
      return %y : tensor<4xf64>
    }";
    fs::write(&program, text).expect("the program can be written");
    loader::link("loader.c", &loader, &["-shared", "-fPIC"]);
    let run = |more: &[(&str, &Path)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mdh"));
        command.arg("run").arg(&program).args(["--engine", "opencl", "--json", "--cache"]).arg(&cache);
        let output = command.envs(device::environment()).envs(more.iter().copied()).output().expect("mdh can be run");
        (
            output.status.success(),
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()),
        )
    };
    let with_f64 = || run(&[]);
    for outcome in ["miss", "hit"] {
        let (is_done, [stdout, stderr]) = with_f64();
        assert!(is_done && stdout.contains(&format!("\"cache\": \"{outcome}\"")), "{stdout}{stderr}");
        let (is_done, [_, stderr]) = run(&[("MDH_OPENCL_LIBRARY", &loader)]);
        assert!(!is_done && stderr.contains("which requires a device with f64"), "{stderr}");
    }
}
