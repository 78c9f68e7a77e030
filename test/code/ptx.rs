//! Inner loops of kernels in PTX: a thread keeps its tile in registers, loads each value once, and loads adjacent
//! values together.
//!
//! Default schedules are for a built-in device description, so the code is the same on every host. Where a test needs a
//! certain tile, its schedule is in `Inputs`. Nothing is timed.
use std::{path::Path, process::Command};

/// The innermost loop with the most fused multiply-adds, as lines of PTX.
fn inner_loop(ptx: &str) -> Vec<&str> {
    let lines: Vec<_> = ptx.lines().map(str::trim).collect();
    let is_label = |line: &str| line.starts_with("$L__BB");
    let mut best: Vec<&str> = vec![];
    for (end, line) in lines.iter().enumerate() {
        let target = line.split_once("bra").and_then(|(_, rest)| rest.trim_end_matches(';').split_whitespace().last());
        let Some(target) = target else { continue };
        let begin =
            lines[..end].iter().rposition(|line| line.strip_prefix(target).is_some_and(|rest| rest.starts_with(':')));
        let Some(body) = begin.map(|begin| &lines[begin..=end]) else { continue };
        if body[1..].iter().all(|line| !is_label(line)) && products(body) > products(&best) {
            best = body.to_vec();
        }
    }
    best
}

fn products(lines: &[&str]) -> usize {
    lines.iter().filter(|line| line.starts_with("fma.rn.")).count()
}

/// Compiles a function of an example to PTX, with a schedule from `Inputs` if there is one.
fn compile(example: &str, function: &str, system: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the repository");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mdh"));
    command.arg("compile").arg(root.join("examples").join(example).with_extension("mlir"));
    command.args(["--target", "cuda", "--arch", "sm_90", "--emit", "ptx", "--function", function]);
    let schedule = root.join("test/code/Inputs").join(format!("{function}-{system}.json"));
    if schedule.exists() {
        command.arg("--schedule").arg(schedule);
    } else {
        command.args(["--system", system]);
    }
    let output = command.output().expect("mdh can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Checks the inner loop of an example: at least `least` products per iteration, and at most `loads` loads for each.
fn check(example: &str, function: &str, system: &str, least: usize, loads: f64) {
    let ptx = compile(example, function, system);
    let body = inner_loop(&ptx);
    let text = body.join("\n");
    let count = products(&body);
    assert!(count >= least, "{function} @{system}: {count} products, but at least {least} are required:\n{text}");
    let found = body.iter().filter(|line| line.starts_with("ld.")).count();
    let most = (loads * count as f64).ceil() as usize;
    assert!(found <= most, "{function} @{system}: {found} loads, but at most {most} are required:\n{text}");
}

#[test]
fn tiles_stay_in_registers() {
    for system in ["cuda", "cuda_wrp"] {
        check("matmul", "matmul_1024", system, 128, 0.1);
        check("matmul", "matmul", system, 128, 0.1);
    }
}

#[test]
fn windows_that_overlap_are_read_once() {
    for system in ["cuda", "cuda_wrp"] {
        check("conv2d", "conv2d_4096", system, 128, 0.15);
        check("mcc", "mcc_vgg16", system, 192, 0.1);
        check("mcc_strided", "mcc_strided_resnet50", system, 192, 0.3);
    }
}

/// The lines of PTX between a label and a branch back to it.
fn loops(ptx: &str) -> Vec<&str> {
    let lines: Vec<_> = ptx.lines().map(str::trim).collect();
    let mut is_inside = vec![false; lines.len()];
    for (end, line) in lines.iter().enumerate() {
        let target = line.split_once("bra").and_then(|(_, rest)| rest.trim_end_matches(';').split_whitespace().last());
        let is_target = |line: &&str| target.is_some_and(|target| line.strip_suffix(':') == Some(target));
        if let Some(begin) = lines[..end].iter().position(is_target) {
            is_inside[begin..=end].fill(true);
        }
    }
    lines.into_iter().zip(is_inside).filter_map(|(line, is_inside)| is_inside.then_some(line)).collect()
}

/// Induction variables of loops with a static trip count, and indices derived from them, have 32 bits. Addresses are
/// products of 32-bit values and constants.
#[test]
fn loops_do_not_multiply_64_bits() {
    let is_product = |line: &&str| line.starts_with("mul.lo.s64") || line.starts_with("mad.lo.s64");
    for (example, function) in
        [("matmul", "matmul_1024"), ("matmul", "matmul_vgg16_batch16"), ("conv2d", "conv2d_4096"), ("prl", "prl_32768")]
    {
        let ptx = compile(example, function, "cuda_wrp");
        let lines = loops(&ptx);
        assert!(lines.len() > products(&lines), "{function} has no loop:\n{ptx}");
        let products: Vec<_> = lines.into_iter().filter(is_product).collect();
        assert!(products.is_empty(), "{function} multiplies 64 bits: {products:?}");
    }
    // Each of its threads computes one point, without a loop.
    let ptx = compile("jacobi3d", "jacobi3d_256", "cuda_wrp");
    let products: Vec<_> = ptx.lines().map(str::trim).filter(is_product).collect();
    assert!(products.is_empty() && ptx.contains("fma.rn.f32"), "jacobi3d_256 multiplies 64 bits: {products:?}");
}

#[test]
fn neighbours_in_memory_are_loaded_together() {
    for system in ["cuda", "cuda_wrp"] {
        check("matmul", "matmul_vgg16", system, 16, 0.4);
        check("mcc", "mcc_512", system, 128, 0.15);
    }
}
