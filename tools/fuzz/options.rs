//! Compiler options of a test case: command-line choices besides the schedule, and options that change code but not
//! results.
use crate::target::host::{ProcessorNames, ProcessorOptions};
use mdh_passes::schedule::random::Random;
use serde::{Deserialize, Serialize};

/// Options of the compiler; the defaults unless drawn at random.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// True for `--strict`, which evaluates floats in the order of the definition: each dimension is reduced into an
    /// accumulator of its own, and default schedules preserve the order.
    pub strict: bool,
    /// The processor and changes to its features (`--cpu`, `--features`). `None`, or a processor that this machine
    /// cannot run, means this machine's.
    pub processor: Option<(String, String)>,
}

/// Processors that differ in vector width, masking and fused rounding (FMA), with changes to their features.
const PROCESSORS: [(&str, &str); 6] = [
    ("x86-64", ""),
    ("x86-64-v2", ""),
    ("x86-64-v3", ""),
    ("x86-64-v3", "-fma"),
    ("x86-64-v3", "-avx2,-f16c"),
    ("x86-64-v4", "-avx512vl"),
];

impl Options {
    /// Random options of a case on the host, or on a device, which has no choice of processor.
    pub fn drawn(random: &mut Random, on_device: bool) -> Self {
        let strict = random.once_in(2);
        let is_own = on_device || random.once_in(2);
        let processor = (!is_own).then(|| PROCESSORS[random.below(PROCESSORS.len())]);
        Self { strict, processor: processor.map(|(cpu, features)| (cpu.to_owned(), features.to_owned())) }
    }

    /// The processor to compile for: the drawn one if this machine can run its code, else this machine's.
    pub fn target(&self, level: u8) -> ProcessorOptions {
        let drawn = self.processor.as_ref().filter(|(cpu, _)| is_able(cpu));
        let names = drawn.map(|(cpu, features)| ProcessorNames {
            triple: None,
            cpu: Some(cpu.clone()),
            features: Some(features.clone()).filter(|features| !features.is_empty()),
        });
        ProcessorOptions { names: names.unwrap_or_default(), level, ..ProcessorOptions::default() }
    }
}

/// Returns true if this machine can run code for a processor.
#[cfg(target_arch = "x86_64")]
fn is_able(cpu: &str) -> bool {
    let second = || is_x86_feature_detected!("sse4.2") && is_x86_feature_detected!("popcnt");
    let third = || {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("movbe")
    };
    let fourth = || {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
    };
    match cpu {
        "x86-64" => true,
        "x86-64-v2" => second(),
        "x86-64-v3" => second() && third(),
        "x86-64-v4" => second() && third() && fourth(),
        _ => false,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn is_able(_: &str) -> bool {
    false
}
