//! Math functions in machine code: vectorized loops do not call scalar functions per lane, on any processor.
//!
//! The processors are fixed, so the code is the same on every host.
#![cfg(target_arch = "x86_64")]
use std::{
    collections::BTreeSet,
    fmt::Write,
    fs,
    path::PathBuf,
    process::{Command, Output},
};

/// Prefixes of the names of run-time functions that are not math functions.
const RUNTIME: [&str; 6] = ["malloc", "free", "memcpy", "memset", "snprintf", "__kmpc_"];

/// Operations that the pass leaves to instructions of the processor.
const BUILT_IN: [&str; 9] = [
    "math.absf",
    "math.ceil",
    "math.copysign",
    "math.floor",
    "math.round",
    "math.roundeven",
    "math.rsqrt",
    "math.sqrt",
    "math.trunc",
];
/// SSE2 has no fused multiply-add, so this calls the C library, the only way to round once.
const FUSED: &str = "math.fma";

/// A program with one computation per function and result. The number of elements is a multiple of all tile sizes.
fn program(element: &str, processor: &str) -> String {
    let mut text = String::new();
    let fused = Some(FUSED).filter(|_| processor != "x86-64");
    for name in mdh_passes::convert::math_functions::names().chain(BUILT_IN).chain(fused) {
        let function = name.trim_start_matches("math.");
        let operation = match function {
            "powf" | "atan2" | "copysign" => format!("%r = {name} %a, %b : {element}"),
            "fma" => format!("%r = {name} %a, %b, %a : {element}"),
            "fpowi" => {
                format!("%n = arith.fptosi %b : {element} to i32\n    %r = {name} %a, %n : {element}, i32")
            }
            "sincos" => format!("%s, %c = {name} %a : {element}\n    %r = arith.addf %s, %c : {element}"),
            _ => format!("%r = {name} %a : {element}"),
        };
        let _ = write!(
            text,
            "func.func @test_{function}(%x: tensor<16384x{element}>, %y: tensor<16384x{element}>) -> tensor<16384x{element}> {{
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>], %y[affine_map<(i) -> (i)>]
      : (tensor<16384x{element}>, tensor<16384x{element}>) -> !mdh.mda<16384, {element}, {element}>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {{
  ^bb0(%a: {element}, %b: {element}):
    {operation}
    mdh.hom.yield %r : {element}
  }} : !mdh.mda<16384, {element}, {element}> -> !mdh.mda<16384, {element}>
  %out = mdh.view.out_view %res[affine_map<(i) -> (i)>] : !mdh.mda<16384, {element}> -> tensor<16384x{element}>
  return %out : tensor<16384x{element}>
}}
"
        );
    }
    text
}

/// The functions that the code of the program calls on a processor.
fn called(element: &str, processor: &str) -> BTreeSet<String> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(format!("functions_{element}_{processor}.mlir"));
    fs::write(&path, program(element, processor)).expect("the program is written");
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_mdh"))
        .arg("compile")
        .arg(&path)
        .args(["--emit", "assembly", "--threads", "1", "--cpu", processor])
        .output()
        .expect("mdh can be run");
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    let assembly = String::from_utf8_lossy(&stdout);
    let targets = assembly.lines().filter_map(|line| {
        let (instruction, target) = line.trim().split_once(char::is_whitespace)?;
        let is_call = instruction.starts_with("call") || (instruction == "jmp" && !target.starts_with(".L"));
        is_call.then(|| target.trim().trim_matches('"').trim_end_matches("@PLT").to_owned())
    });
    targets.filter(|target| !target.starts_with('*')).collect()
}

/// True if `target` is a run-time function, or one of our functions: on vectors, or for rare arguments.
fn is_allowed(target: &str) -> bool {
    let is_scalar = |name: &str| name.contains(".f32") || name.contains(".f64");
    let own = target.strip_prefix("mdh.").is_some_and(|name| !is_scalar(name) || name.starts_with("long_"));
    own || target == "mdh_call" || RUNTIME.iter().any(|known| target.starts_with(known))
}

fn check(processor: &str) {
    for element in ["f32", "f64"] {
        let wrong: Vec<_> = called(element, processor).into_iter().filter(|target| !is_allowed(target)).collect();
        assert!(wrong.is_empty(), "{element} on {processor}: calls of {}", wrong.join(", "));
    }
}

#[test]
fn loops_with_avx512_call_no_scalar_functions() {
    check("x86-64-v4");
}

#[test]
fn loops_with_avx2_call_no_scalar_functions() {
    check("x86-64-v3");
}

#[test]
fn loops_with_sse_call_no_scalar_functions() {
    check("x86-64");
}
