//! Random programs with random schedules: the CPU, and devices of OpenCL and CUDA, against the reference evaluator, with fixed seeds. `make fuzz`
//! runs more.
mod device;

use mdh_tools::fuzz::{
    campaign::Campaign,
    case::{Case, Engine},
};
use std::{collections::HashSet, path::Path};

/// The first seed, and how many follow.
const SEED: u64 = 20_240_310;
const COUNT: u64 = 400;
/// The first seed on a device, and how many follow.
const SEED_ON_DEVICE: u64 = 1;
const COUNT_ON_DEVICE: u64 = 60;
/// Seeds behind these that have shown what was wrong with kernels, or with what runs them.
const FOUND_ON_DEVICE: [u64; 10] = [129, 139, 188, 342, 536, 694, 820, 1162, 1469, 940_118];
/// What Intel's compiler says where it ends the process, or does not read what it has written itself.
const DRIVERS: [&str; 2] = ["PLEASE submit a bug report to https://software.intel.com", "Producer: 'Intel"];

/// Fails with what is found by so many cases from a seed on.
fn run(seed: u64, count: u64, device: Option<Engine>, failures: &str) {
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
    run(SEED, COUNT, None, "fuzz-failures");
}

#[test]
fn random_programs_with_random_schedules_agree_on_a_device_of_opencl() {
    if device::is_there("opencl") {
        run(SEED_ON_DEVICE, COUNT_ON_DEVICE, Some(Engine::Opencl), "fuzz-failures-device");
    }
}

#[test]
fn random_programs_with_random_schedules_agree_on_a_device_of_cuda() {
    if device::is_there("cuda") {
        run(SEED_ON_DEVICE, COUNT_ON_DEVICE, Some(Engine::Cuda), "fuzz-failures-cuda");
        for seed in FOUND_ON_DEVICE {
            run(seed, 1, Some(Engine::Cuda), "fuzz-failures-cuda");
        }
    }
}

#[test]
fn a_seed_gives_the_same_case_every_time() {
    for seed in 0..50 {
        let case = Case::from_seed(seed, None);
        assert_eq!(case, Case::from_seed(seed, None));
        let value = case.to_value().expect("a case is JSON");
        assert_eq!(Case::from_value(&value).expect("a case is read back"), case);
    }
}

#[test]
fn cases_are_of_all_kinds() {
    let cases: Vec<_> = (SEED..SEED + COUNT).map(|seed| Case::from_seed(seed, None)).collect();
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
}
