//! Examples on OpenCL and CUDA devices. Schedules are drawn for each system of devices. A schedule that the device
//! refuses because it requires too many resources is replaced by another one.
use std::fs;

use crate::{
    device,
    programs::{Example, Function, check, example, folder},
    report,
    schedules::{self, Difference},
    small, special,
};

/// The systems of devices.
const SYSTEMS: [&str; 3] = ["opencl", "cuda", "cuda_wrp"];

/// Parts of error messages for schedules that exceed the resources of the device.
const REFUSALS: [&str; 3] = ["requires at most", "bytes of shared memory for a block", DRIVER_ENDS];

/// Part of the error message when Intel's compiler kills the process, which happens occasionally.
const DRIVER_ENDS: &str = " ended the driver of '";

/// Maximum number of runs of a program whose driver process is killed.
const TRIES: usize = 4;

/// Maximum number of refused schedules.
const REFUSED: usize = 50;

/// Runs the default schedule, on the function of fixed size and on the one with dynamic extents.
pub fn default_schedule(name: &str, engine: &str) {
    if !device::is_there(engine) {
        return;
    }
    let example = example(name);
    for function in [Some(small(example)), example.function(name)].into_iter().flatten() {
        report(again(|| check(example, function, &["--engine", engine, "--check"], engine)));
    }
}

/// Retries `run` if the driver process was killed.
fn again(run: impl Fn() -> Result<(), String>) -> Result<(), String> {
    let is_done = |outcome: &Result<(), String>| !outcome.as_ref().is_err_and(|message| message.contains(DRIVER_ENDS));
    (1..TRIES).map(|_| run()).find(is_done).unwrap_or_else(&run)
}

/// Calls `body` with files of schedules that differ in the given aspect, until the device accepts one.
pub fn with_schedule(
    example: &Example,
    function: &Function,
    system: &str,
    difference: Difference,
    purpose: &str,
    body: impl Fn(&str) -> Result<(), String>,
) -> Result<(), String> {
    let folder = folder(&format!("{}-{system}-{difference:?}-{purpose}-schedule", function.name));
    // Systems with the same layers would draw the same schedules from the same seeds.
    let mut next = 1000 * SYSTEMS.iter().position(|other| *other == system).unwrap_or_default() as u64;
    for _ in 0..REFUSED {
        let (seed, text) = schedules::find_for_device(&example.path(), &function.name, system, difference, next)?;
        let file = folder.join("schedule.json");
        fs::write(&file, text).expect("the target folder is writable");
        match body(&file.to_string_lossy()) {
            Err(message) if REFUSALS.iter().any(|refusal| message.contains(refusal)) => next = seed + 1,
            outcome => return outcome,
        }
    }
    Err(format!("{REFUSED} schedules of {} for @{system} with {difference:?} are refused", function.name))
}

/// Runs a schedule that differs from the default in the given aspect. Each aspect has its own system.
pub fn other_schedule(name: &str, engine: &str, difference: Difference) {
    if !device::is_there(engine) {
        return;
    }
    let example = example(name);
    let function = small(example);
    let system = match difference {
        Difference::Orders | Difference::RegionsAndLayouts => "opencl",
        Difference::Tags => "cuda",
        Difference::PartialTiles => "cuda_wrp",
    };
    let run = |file: &str| {
        let options = ["--engine", engine, "--check", "--schedule", file];
        check(example, function, &options, &format!("{engine}-{system}-{difference:?}"))
    };
    let outcome = with_schedule(example, function, system, difference, engine, run);
    report(outcome.map_err(|message| format!("@{system}: {message}")));
}

/// Checks that results are bitwise reproducible: with the default schedule, and with others in which threads and blocks
/// combine partial results.
pub fn repeated(name: &str, engine: &str) {
    if !device::is_there(engine) {
        return;
    }
    let example = example(name);
    let function = example.function(name).unwrap_or(small(example));
    report(again(|| special::repeated(example, function, &["--engine", engine])));
    let function = small(example);
    for system in SYSTEMS {
        let run = |file: &str| special::repeated(example, function, &["--engine", engine, "--schedule", file]);
        report(with_schedule(example, function, system, Difference::Tags, &format!("{engine}-repeated"), run));
    }
}

/// The tests of an example on a device, with an attribute for the default schedule, and one for random schedules.
macro_rules! on_a_device {
    ([$(#[$commands:meta])?] [$(#[$schedules:meta])?] $engine:literal $default:ident $orders:ident $tags:ident $regions_and_layouts:ident $partial_tiles:ident) => {
        #[test]
        $(#[$commands])?
        fn $default() {
            crate::kernels::default_schedule(NAME, $engine);
        }

        #[test]
        $(#[$schedules])?
        fn $orders() {
            crate::kernels::other_schedule(NAME, $engine, crate::Difference::Orders);
        }

        #[test]
        $(#[$schedules])?
        fn $tags() {
            crate::kernels::other_schedule(NAME, $engine, crate::Difference::Tags);
        }

        #[test]
        $(#[$schedules])?
        fn $regions_and_layouts() {
            crate::kernels::other_schedule(NAME, $engine, crate::Difference::RegionsAndLayouts);
        }

        #[test]
        $(#[$schedules])?
        fn $partial_tiles() {
            crate::kernels::other_schedule(NAME, $engine, crate::Difference::PartialTiles);
        }
    };
}

pub(crate) use on_a_device;
