//! Inner loops of examples in machine code: accumulators stay in registers, and each value is loaded once.
//!
//! The processor and the machine description are fixed, so the code is the same on every host. Nothing is timed.
#![cfg(target_arch = "x86_64")]
use std::{path::Path, process::Command};

/// The innermost loop with the most fused multiply-adds, as lines of assembly.
fn inner_loop(assembly: &str) -> Vec<&str> {
    let lines: Vec<_> = assembly.lines().collect();
    let label =
        |line: &str| line.strip_prefix(".LBB").and_then(|rest| rest.split_once(':')).map(|(name, _)| name.to_owned());
    let mut best: Vec<&str> = vec![];
    for (end, line) in lines.iter().enumerate() {
        let Some((_, target)) = line.trim_start().strip_prefix('j').and_then(|jump| jump.split_once(".LBB")) else {
            continue;
        };
        let begin = lines[..end].iter().rposition(|line| label(line).as_deref() == Some(target));
        let Some(body) = begin.map(|begin| &lines[begin..=end]) else { continue };
        let is_innermost = body[1..].iter().all(|line| label(line).is_none());
        if is_innermost && products(body) > products(&best) {
            best = body.to_vec();
        }
    }
    best
}

fn products(lines: &[&str]) -> usize {
    lines.iter().filter(|line| line.contains("vfmadd")).count()
}

/// The assembly of a function of an example for a processor, with options of `mdh compile`.
fn assembly(example: &str, function: &str, processor: &str, machine: &str, options: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the repository");
    let output = Command::new(env!("CARGO_BIN_EXE_mdh"))
        .arg("compile")
        .arg(root.join("examples").join(example).with_extension("mlir"))
        .args(["--emit", "assembly", "--function", function, "--cpu", processor, "--machine"])
        .arg(root.join("examples/machines").join(machine).with_extension("json"))
        .args(options)
        .output()
        .expect("mdh can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Checks the inner loop of an example. All fused multiply-adds use vector registers of type `register`; there are at
/// least `least` of them per iteration, and at most `loads` memory operands for each.
fn check(example: &str, function: &str, processor: &str, machine: &str, register: &str, least: usize, loads: f64) {
    let assembly = assembly(example, function, processor, machine, &[]);
    let body = inner_loop(&assembly);
    let text = body.join("\n");
    let count = products(&body);
    assert!(count >= least, "{function}: {count} products, but at least {least} are required:\n{text}");
    let narrow = body.iter().filter(|line| line.contains("vfmadd") && !line.contains(register)).count();
    assert_eq!(narrow, 0, "{function}: products in other registers than {register}:\n{text}");
    // Packed parts may be on the stack, too, but have an index.
    let spilled = body.iter().filter(|line| line.contains("(%rsp)")).count();
    assert_eq!(spilled, 0, "{function}: values on the stack:\n{text}");
    let memory = body.iter().filter(|line| line.contains('(')).count();
    let most = (loads * count as f64).ceil() as usize;
    assert!(memory <= most, "{function}: {memory} operands in memory, but at most {most} are required:\n{text}");
}

#[test]
fn tiles_of_avx512_stay_in_registers() {
    let check = |example, function, least, loads| {
        check(example, function, "sapphirerapids", "avx512", "%zmm", least, loads);
    };
    check("matmul", "matmul_1024", 20, 0.6);
    check("matmul", "matmul_10x500x64", 20, 0.65);
    check("bmatmul", "bmatmul_16x10x500x64", 20, 0.7);
    check("mcc", "mcc_vgg16", 100, 0.65);
    check("mcc_strided", "mcc_strided_resnet50", 100, 0.65);
    check("mcc_capsule", "mcc_capsule_vgg16", 16, 0.8);
    check("ccsdt_gdab_efgc", "ccsdt_gdab_efgc_real", 20, 0.75);
    check("matvec", "matvec_4096", 8, 1.2);
    check("dot", "dot_16777216", 4, 2.0);
}

#[test]
fn tiles_of_avx2_stay_in_registers() {
    let check = |example, function, least, loads| {
        check(example, function, "haswell", "avx2", "%ymm", least, loads);
    };
    check("matmul", "matmul_1024", 8, 0.85);
    check("bmatmul", "bmatmul_16x10x500x64", 8, 0.85);
    check("matvec", "matvec_4096", 4, 1.3);
    check("dot", "dot_16777216", 4, 2.0);
}

/// The rows of a window of 5 x 5 are unrolled completely, and most of what one row of results reads is loaded for another
/// one.
#[test]
fn windows_are_loaded_once() {
    let check = |options: &[&str], rows: usize| {
        let assembly = assembly("conv2d", "conv2d_4096", "sapphirerapids", "avx512", options);
        let body = inner_loop(&assembly);
        let text = body.join("\n");
        // The first products of the sums need no addition.
        assert_eq!(products(&body), rows * 24, "{options:?}:\n{text}");
        let loads = body.iter().filter(|line| line.contains('(') && !line.contains("(%rsp)")).count();
        // Rows of input, results, and weights that are not on the stack.
        let most = (rows + 4) * 5 + rows + 25;
        assert!(loads <= most, "{options:?}: {loads} loads, but at most {most} are required:\n{text}");
    };
    check(&[], 5);
    check(&["--set", "parts[4][0]=64", "--set", "parts[5][0]=8"], 8);
}
