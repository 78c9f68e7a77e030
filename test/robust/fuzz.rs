//! Compares random programs with random schedules on the CPU, OpenCL and CUDA with the reference evaluator. The seeds
//! are fixed. `make fuzz` runs more.
#[path = "../devices/device.rs"]
mod device;

use mdh_tools::{
    fuzz::{
        campaign::Campaign,
        case::{Case, Engine},
        chains, control, linalg, loops,
        options::Options,
        plant,
        program::Operator,
        sizes, tuples,
    },
    program,
};
use std::{cell::Cell, collections::HashSet, path::Path, process::Command};

/// The first seed, and the number of seeds.
const SEED: u64 = 20_240_310;
const COUNT: u64 = 400;
/// The first seed on a device, and the number of seeds.
const SEED_ON_DEVICE: u64 = 1;
const COUNT_ON_DEVICE: u64 = 40;
/// Seeds past this range that have exposed bugs in kernels or in the run-time system, with the default options.
const FOUND_ON_DEVICE: [u64; 10] = [129, 139, 188, 342, 536, 694, 820, 1162, 1469, 940_118];
/// Messages of Intel's compiler when it kills the process, or cannot read its own output.
const DRIVERS: [&str; 2] = ["PLEASE submit a bug report to https://software.intel.com", "Producer: 'Intel"];

/// The engine that runs kernels of a target.
fn engine(target: &str) -> Engine {
    target.parse().expect("a target with kernels")
}

/// Runs `count` cases from a seed on, with random options if `varies`, otherwise with the defaults. Fails with all
/// findings.
fn run(seed: u64, count: u64, device: Option<Engine>, varies: bool, failures: &str) {
    let campaign = Campaign {
        worker: env!("CARGO_BIN_EXE_mdh-fuzz").into(),
        seed,
        count,
        jobs: 2,
        failures: Path::new(env!("CARGO_MANIFEST_DIR")).join("../target").join(failures),
        enough: if device.is_some() { 20 } else { 3 },
        shrink: device.is_none(),
        device,
        environment: if device.is_some() { device::environment() } else { vec![] },
        varies,
    };
    let findings = campaign.run(&|_, _| ()).expect("workers run");
    let is_ours = |message: &str| !DRIVERS.iter().any(|driver| message.contains(driver));
    let texts: Vec<_> = findings
        .iter()
        .filter(|finding| is_ours(&finding.failure.message))
        .map(|finding| format!("seed {}, see {}\n{}", finding.seed, finding.folder.display(), finding.failure))
        .collect();
    assert!(texts.is_empty(), "{}", texts.join("\n\n"));
}

#[test]
fn random_programs_with_random_schedules_agree_with_the_reference() {
    run(SEED, COUNT, None, true, "fuzz-failures");
}

#[test]
fn random_programs_with_random_schedules_agree_on_a_device_of_opencl() {
    if device::is_there("opencl") {
        run(SEED_ON_DEVICE, COUNT_ON_DEVICE, Some(engine("opencl")), true, "fuzz-failures-device");
    }
}

#[test]
fn random_programs_with_random_schedules_agree_on_a_device_of_cuda() {
    if device::is_there("cuda") {
        run(SEED_ON_DEVICE, COUNT_ON_DEVICE, Some(engine("cuda")), true, "fuzz-failures-cuda");
        for seed in FOUND_ON_DEVICE {
            run(seed, 1, Some(engine("cuda")), false, "fuzz-failures-cuda");
        }
    }
}

#[test]
fn a_seed_gives_the_same_case_every_time() {
    for seed in 0..50 {
        let case = Case::from_seed(seed, None, true);
        assert_eq!(case, Case::from_seed(seed, None, true));
        let value = case.to_value().expect("a case is JSON");
        assert_eq!(Case::from_value(&value).expect("a case is read back"), case);
    }
}

#[test]
fn cases_are_of_all_kinds() {
    let cases: Vec<_> = (SEED..SEED + COUNT).map(|seed| Case::from_seed(seed, None, true)).collect();
    let texts: Vec<_> = cases.iter().map(|case| case.program.text()).collect();
    let parts = [
        "#mdh.cc",
        "#mdh.pw<add>",
        "#mdh.pw<[",
        "#mdh.pw<@",
        "#mdh.ps<",
        "#mdh.ps<@",
        "f16",
        "bf16",
        "f32",
        "f64",
        "i1>",
        "i8",
        "i16",
        "i32",
        "i64",
        "xindex>",
        "memref<",
        "tensor<?x",
        " into ",
        "extents(",
        "identity {",
        "scf.if",
        "scf.for",
        "scf.while",
        "func.call",
        "attributes {homomorphism}",
        "%made0",
        "mdh.hom.index",
        "!mdh.mda<0",
        "* -1",
        "* 2",
    ];
    for part in parts {
        assert!(texts.iter().any(|text| text.contains(part)), "no program has {part}");
    }
    let ranks: HashSet<_> = cases.iter().map(|case| case.program.dimensions.len()).collect();
    assert_eq!(ranks, HashSet::from([1, 2, 3, 4, 5]));
    let systems: HashSet<_> = cases.iter().flat_map(|case| &case.schedule).map(|s| s.system.name.clone()).collect();
    assert!(systems.len() >= 5 && systems.contains("own"), "only {systems:?}");
    let threads: HashSet<_> = cases.iter().map(|case| case.threads).collect();
    assert_eq!(threads, HashSet::from([1, 2, 3]));
    let processors: HashSet<_> = cases.iter().map(|case| &case.options.processor).collect();
    assert_eq!(processors.len(), 7, "{processors:?}");
    for strict in [false, true] {
        let mut of_kind = cases.iter().filter(|case| case.options.strict == strict);
        assert!(of_kind.any(|case| case.schedule.is_none()), "no default schedule with strict = {strict}");
        let is_nested = |case: &&Case| {
            let reduced = case.program.dimensions.iter().filter(|d| d.operator == Operator::PointWise).count();
            reduced > 1 && !case.program.combine.has_identity()
        };
        let mut of_kind = cases.iter().filter(|case| case.options.strict == strict);
        assert!(of_kind.any(|case| is_nested(&case)), "no nested reduction without identity with strict = {strict}");
    }
}

#[test]
fn a_seed_has_the_same_program_and_schedule_with_any_options() {
    for (seed, device) in
        [(SEED, None), (SEED + 1, None), (129, Some(engine("cuda"))), (940_118, Some(engine("opencl")))]
    {
        let [drawn, default] = [true, false].map(|varies| Case::from_seed(seed, device, varies));
        assert_eq!((&drawn.program, drawn.threads), (&default.program, default.threads));
        assert!(drawn.schedule.is_none() || drawn.schedule == default.schedule);
        assert_eq!(default.options, Options::default());
    }
}

/// Runs the checks of consecutive seeds.
fn check_seeds(count: u64, check: impl Fn(&melior::Context, u64) -> anyhow::Result<()>) {
    let context = program::context();
    for seed in 0..count {
        check(&context, seed).unwrap_or_else(|error| panic!("seed {seed}: {error:#}"));
    }
}

#[test]
fn random_loop_nests_are_raised_or_stay_as_the_reference_executes_them() {
    check_seeds(80, loops::check);
}

#[test]
fn random_casts_branches_and_loops_agree_with_the_reference() {
    check_seeds(80, control::check);
}

#[test]
fn planted_errors_are_found_or_the_coverage_says_that_they_are_not() {
    let context = program::context();
    let mut counts = plant::Counts::default();
    for seed in 0..160 {
        counts.add(&plant::check(&context, seed).unwrap_or_else(|error| panic!("seed {seed}: {error:#}")));
    }
    for (error, least) in [
        (plant::Error::Zero, 0.7),
        (plant::Error::OtherInputs, 0.7),
        (plant::Error::LeftOut, 0.6),
        (plant::Error::Twice, 0.7),
    ] {
        let plant::Count { found, tolerated, unchecked } = counts.of(error);
        let all = (found + tolerated + unchecked) as f64;
        assert!(all > 20.0 && found as f64 >= least * all, "{error:?}: {counts}");
    }
}

#[test]
fn random_selections_of_tuples_agree_with_the_reference() {
    check_seeds(60, tuples::check);
}

#[test]
fn random_programs_of_computed_sizes_give_the_results_or_the_errors_of_the_reference() {
    let results = Cell::new(0);
    check_seeds(80, |context, seed| {
        results.set(results.get() + usize::from(sizes::check(context, seed, None)?));
        Ok(())
    });
    let results = results.get();
    assert!((10..70).contains(&results), "{results} of 80 programs give results");
}

#[test]
fn random_chains_agree_with_the_reference() {
    let in_parts = Cell::new(0);
    check_seeds(30, |context, seed| {
        let is_in_parts = chains::check_parts(context, seed, Default::default())?;
        in_parts.set(in_parts.get() + usize::from(is_in_parts));
        Ok(())
    });
    let in_parts = in_parts.get();
    assert!(in_parts >= 5, "producers of {in_parts} of 30 chains are computed in parts");
}

#[test]
fn random_chains_agree_on_devices() {
    for engine in ["cuda", "opencl"].into_iter().filter(|engine| device::is_there(engine)) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mdh-fuzz"));
        command.args(["chains", "--number", "12", "--on-device", engine]).envs(device::environment());
        let output = command.output().expect("mdh-fuzz runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn random_programs_of_linalg_agree_with_the_reference() {
    check_seeds(60, |context, seed| linalg::check(context, seed, false));
}

#[test]
fn random_programs_of_linalg_agree_as_loops() {
    check_seeds(60, |context, seed| linalg::check(context, seed, true));
}
