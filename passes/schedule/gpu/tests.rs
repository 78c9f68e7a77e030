//! Properties of the default schedules of kernels, over all examples.
use super::tiling::{Column, Order, Tiling, TilingLevel};
use crate::{
    analysis::computation::Computation,
    decompose::tests::context,
    machine::{Machine, device::Device},
    plan::outline::Outline,
    schedule::{
        default::{candidates, explained},
        explain,
        gpu::layers::DeviceLayers,
        lint,
        problem::{MathImplementation, Problem},
        random::{Random, random_schedule},
        space::ComputationSpace,
        tuning::TuningContext,
    },
};
use mdh_dialects::{
    ir,
    schedule::{
        model::{Placement, Schedule, System},
        roles::Memory,
        rules::{self, Shape},
    },
};
use melior::ir::Module;
use std::{fs, path::PathBuf};

const SYSTEMS: [&str; 3] = ["cuda", "cuda_wrp", "opencl"];

fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

fn tuning() -> TuningContext {
    TuningContext { machine: Machine::host(), threads: None }
}

/// Calls a function for each computation of an example.
fn each(example: &str, visit: &mut dyn FnMut(&str, &Computation<'_>)) {
    let text = fs::read_to_string(examples().join(example)).expect("an example can be read");
    let context = context();
    let module = Module::parse(&context, &text).expect("an example parses");
    let operation = ir::op(module.as_operation());
    crate::expand_compute::run(operation).unwrap_or_else(|_| panic!("{example} does not expand"));
    let computations = Computation::all(operation);
    for ((function, _), computation) in Computation::numbered(&computations).iter().zip(&computations) {
        visit(function, computation);
    }
}

/// Calls a function for each computation of all examples, with the names of the file and of the function.
pub(in crate::schedule) fn each_of_all(visit: &mut dyn FnMut(&str, &str, &Computation<'_>)) {
    for entry in fs::read_dir(examples()).expect("the examples").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".mlir") {
            each(&name, &mut |function, computation| visit(&name, function, computation));
        }
    }
}

/// Returns the tiling of the default schedule of a function, and the schedule.
fn chosen(example: &str, function: &str, system: &str) -> (Tiling, Schedule) {
    let system = System::builtin(system).expect("a built-in system");
    let layers = DeviceLayers::of(&system).expect("a system of kernels");
    let mut found = None;
    each(&format!("{example}.mlir"), &mut |name, computation| {
        if name == function {
            let (schedule, _) = explained(computation, &system, &tuning()).expect("a schedule");
            found = Some((tiling(computation, &schedule, &layers), schedule));
        }
    });
    found.unwrap_or_else(|| panic!("{example} has no function {function}"))
}

/// The outline of the nest of a schedule.
fn outline(computation: &Computation<'_>, schedule: &Schedule) -> Outline {
    Outline::of(&explain::plan(computation, schedule))
}

/// The tiling that the nest of a schedule has.
fn tiling(computation: &Computation<'_>, schedule: &Schedule, layers: &DeviceLayers<'_>) -> Tiling {
    let problem = Problem::of(computation, MathImplementation::Library);
    Tiling::of(&outline(computation, schedule), schedule, &problem, layers)
}

/// Checks the requirements of kernels beyond the rules of schedules.
fn kernel_rules(schedule: &Schedule, tiling: &Tiling, shape: &Shape) {
    let memory = |placement: &Placement| schedule.system.device_memory(&placement.region);
    for (i, step) in schedule.recompose.iter().enumerate() {
        let around = schedule.recompose[i..].iter().filter(|inner| schedule.is_loop(inner.level));
        let is_combined = |d: usize| shape.operators[d].combines();
        let (mut blocks, mut threads) = (false, false);
        for inner in around {
            blocks |= schedule.is_of_blocks(&inner.tag);
            threads |= schedule.is_of_threads(&inner.tag) && is_combined(inner.level.dimension);
        }
        for placement in &step.placements {
            assert!(!blocks || memory(placement) == Memory::Global, "{schedule:?}");
            assert!(!threads || memory(placement) != Memory::Private, "{schedule:?}");
        }
    }
    // Parts in shared memory have static sizes.
    if tiling.shared.contains(&true) {
        for column in &tiling.columns {
            assert!(column.dynamic.is_none_or(|place| matches!(place, TilingLevel::Blocks | TilingLevel::Outer)));
        }
        let copied = |placements: &[mdh_dialects::schedule::model::Placement]| {
            placements.iter().any(|placement| memory(placement) == Memory::Shared)
        };
        let first = schedule.decompose.iter().position(|step| copied(&step.placements)).expect("a copy");
        let inside = schedule.decompose[first..].iter();
        assert!(inside.clone().all(|step| schedule.parts[step.level.layer][step.level.dimension].is_some()));
    }
}

#[test]
fn default_schedules_of_all_examples_are_legal_on_systems_of_kernels() {
    let mut count = 0;
    each_of_all(&mut |name, function, computation| {
        count += 1;
        for is_ordered in [false, true] {
            if is_ordered {
                computation.hom.set_ordered();
            }
            let (shape, problem) = (computation.shape(), Problem::of(computation, MathImplementation::Library));
            for system in SYSTEMS {
                let system = System::builtin(system).expect("a built-in system");
                let layers = DeviceLayers::of(&system).expect("a system of kernels");
                let device = layers.device(&tuning());
                let (schedule, expected) = explained(computation, &system, &tuning()).expect("a schedule");
                assert_eq!(rules::check(&schedule, &shape), Ok(()), "{name} @{function} {}", system.name);
                let outline = outline(computation, &schedule);
                let tiling = Tiling::of(&outline, &schedule, &problem, &layers);
                kernel_rules(&schedule, &tiling, &shape);
                let launch = expected.launch.clone().expect("a kernel");
                assert_eq!(launch.threads, tiling.threads());
                assert!(launch.threads <= device.most_threads && launch.shared_bytes <= device.shared_bytes);
                assert!(tiling.count(TilingLevel::Registers) <= 64 && launch.registers <= device.registers_per_thread);
                let rest = tiling
                    .axes
                    .iter()
                    .skip(2)
                    .map(|&d| tiling.columns[d].covered(&[TilingLevel::Warps, TilingLevel::Threads]));
                assert!(rest.product::<u64>() <= 64);
                // The prediction for a schedule is that of the tiling that it was built from.
                let (_, again) = super::expected(&problem, &outline, &schedule, &tuning()).expect("a prediction");
                assert_eq!(again, expected, "{name} @{function} {}", system.name);
                if problem.keeps_order {
                    for (d, column) in tiling.columns.iter().enumerate().filter(|(d, _)| !problem.concatenates(*d)) {
                        assert_eq!(
                            column.covered(&[TilingLevel::Blocks, TilingLevel::Warps, TilingLevel::Threads]),
                            1,
                            "{d}"
                        );
                    }
                }
                // With enough work, nearly all units of the device are used.
                let kept = (0..problem.rank()).filter(|&d| problem.concatenates(d)).map(|d| problem.extent(d));
                if kept.product::<u64>() >= 1 << 20 && !shape.extents().any(|extent| extent.is_none()) {
                    assert!(launch.blocks >= device.compute_units * 9 / 10, "{name} @{function} {expected:?}");
                }
            }
        }
    });
    assert!(count > 100);
}

#[test]
fn neighbouring_threads_walk_along_memory() {
    for system in SYSTEMS {
        for (example, function, x) in [
            ("matmul", "matmul_1024", 1),
            ("matmul", "matmul_resnet50_batch16", 1),
            ("matvec", "matvec_4096", 1),
            ("jacobi2d", "jacobi2d_4096", 1),
            ("jacobi3d", "jacobi3d_256", 2),
        ] {
            let (tiling, _) = chosen(example, function, system);
            assert_eq!(tiling.axes[0], x, "{function} {system} {tiling:?}");
            assert!(tiling.columns[x].of(TilingLevel::Threads) >= 8, "{function} {system} {tiling:?}");
            let column = &tiling.columns[x];
            let neighbours = if column.order == Order::Blocked { column.of(TilingLevel::Registers) } else { 1 };
            assert_eq!(column.strides[TilingLevel::Threads as usize], neighbours);
        }
        let (tiling, _) = chosen("matmul_transposed", "matmul_transposed_10x500x64", system);
        assert_eq!(tiling.axes[0], 0, "{system} {tiling:?}");
    }
}

#[test]
fn neighbours_in_registers_share_their_windows() {
    for system in ["cuda", "cuda_wrp"] {
        let (tiling, _) = chosen("conv2d", "conv2d_4096", system);
        let rows = &tiling.columns[0];
        assert!(rows.of(TilingLevel::Registers) >= 3 && rows.order == Order::Blocked, "{system} {tiling:?}");
    }
}

#[test]
fn rows_of_weights_are_along_what_threads_have_of_them() {
    for system in ["cuda", "cuda_wrp"] {
        let (tiling, schedule) = chosen("mcc", "mcc_vgg16", system);
        assert_eq!((tiling.shared[1], tiling.rows[1]), (true, 0), "{system} {tiling:?}");
        assert_eq!(schedule.scalar.reads[1].layout, [1, 2, 3, 0], "{system}");
        assert!(tiling.columns[3].of(TilingLevel::Registers) >= 4, "{system} {tiling:?}");
    }
}

#[test]
fn shared_memory_holds_what_threads_share() {
    for (example, function, is_shared) in [
        ("matmul", "matmul_1024", true),
        ("mcc", "mcc_vgg16_batch", true),
        ("dot", "dot_16777216", false),
        ("map", "map", false),
    ] {
        for system in ["cuda", "cuda_wrp"] {
            let (tiling, _) = chosen(example, function, system);
            assert_eq!(tiling.shared.contains(&true), is_shared, "{function} {system} {tiling:?}");
        }
    }
}

#[test]
fn reductions_fill_a_device_that_has_nothing_else_to_do() {
    for system in ["cuda", "cuda_wrp"] {
        let (tiling, _) = chosen("dot", "dot_16777216", system);
        assert!(tiling.count(TilingLevel::Blocks) >= 132 * 9 / 10 && tiling.threads() >= 64, "{tiling:?}");
        let (tiling, _) = chosen("scan", "scan_small", system);
        assert!(tiling.threads() > 1, "{tiling:?}");
    }
}

#[test]
fn what_waits_for_memory_leaves_registers_to_other_warps() {
    for system in ["cuda", "cuda_wrp"] {
        let system = System::builtin(system).expect("a built-in system");
        let layers = DeviceLayers::of(&system).expect("a system of kernels");
        let device = Device::gpu();
        for (example, name) in [("matvec", "matvec_8192"), ("matvec", "matvec_4096"), ("dot", "dot_16777216")] {
            each(&format!("{example}.mlir"), &mut |function, computation| {
                if function != name {
                    return;
                }
                let (schedule, expected) = explained(computation, &system, &tuning()).expect("a schedule");
                let launch = expected.launch.expect("a kernel");
                let warps = launch.per_unit * launch.threads / device.warp;
                assert!(warps >= 16 && launch.registers <= 128, "{name} @{} {launch:?}", system.name);

                // All loads of a reduction without a loop are in flight at a time: the longer it is, the more registers
                // they need.
                let problem = Problem::of(computation, MathImplementation::Library);
                let model = super::cost::DeviceModel::new(&problem, &device);
                let tiling = tiling(computation, &schedule, &layers);
                let launch = |iterations: u64| {
                    let mut tiling = tiling.clone();
                    for (d, column) in tiling.columns.iter_mut().enumerate() {
                        let inner = if problem.reduces(d) { [iterations, 1, 8, 32] } else { [1, 4, 1, 1] };
                        let parts = [1 << 20, 1, inner[0], inner[1], inner[2], inner[3]];
                        *column = Column::new(parts, problem.extent(d), None, column.order);
                    }
                    model.predict(&tiling, true).expect("a prediction").launch.expect("a kernel")
                };
                let (short, long) = (launch(4), launch(64));
                assert!(short.registers < long.registers, "{name} {short:?} {long:?}");
                assert!(short.per_unit * short.threads > long.per_unit * long.threads, "{name} {short:?} {long:?}");
            });
        }
    }
}

#[test]
fn a_device_changes_what_is_chosen() {
    let small = Device { compute_units: 1, most_threads: 64, ..Device::gpu() };
    let machine = Machine { device: Some(small), ..Machine::host() };
    let tuning = TuningContext { machine, threads: None };
    let system = System::builtin("cuda").expect("a built-in system");
    each("matmul.mlir", &mut |_, computation| {
        let (_, expected) = explained(computation, &system, &tuning).expect("a schedule");
        assert!(expected.launch.expect("a kernel").threads <= 64);
    });
}

#[test]
fn candidates_begin_with_the_default_and_differ() {
    let system = System::builtin("cuda_wrp").expect("a built-in system");
    each("matmul.mlir", &mut |function, computation| {
        if function != "matmul_1024" {
            return;
        }
        let found = candidates(computation, &system, &tuning(), 6).expect("a search");
        assert_eq!(found.len(), 6);
        assert_eq!(Some(&found[0]), explained(computation, &system, &tuning()).as_ref());
        for (i, (schedule, expected)) in found.iter().enumerate() {
            assert_eq!(rules::check(schedule, &computation.shape()), Ok(()));
            assert!(found[..i].iter().all(|(other, _)| other != schedule), "{i}");
            assert!(i < 2 || found[i - 1].1.seconds <= expected.seconds, "{i}");
        }
    });
}

#[test]
fn systems_of_other_layers_have_no_kernels() {
    for name in ["cpu", "openmp", "artificial", "multi_gpu"] {
        assert!(DeviceLayers::of(&System::builtin(name).expect("a built-in system")).is_none(), "{name}");
    }
    let mut limited = System::builtin("cuda").expect("a built-in system");
    limited.limit[0] = Some(8);
    assert!(DeviceLayers::of(&limited).is_none());
    limited.limit[0] = None;
    limited.name = "declared".to_owned();
    assert!(DeviceLayers::of(&limited).is_some());
}

#[test]
fn schedules_of_choices_are_converted_back() {
    for name in SYSTEMS {
        let system = System::builtin(name).expect("a built-in system");
        for example in ["matmul_transposed.mlir", "conv2d.mlir", "dot.mlir", "scan.mlir", "jacobi3d.mlir"] {
            each(example, &mut |function, computation| {
                let Some(space) = ComputationSpace::of(computation, &system, &tuning()) else { return };
                let mut random = Random::new(3);
                let drawn = (0..20).filter_map(|_| space.random(&mut random));
                for choices in space.starts().iter().take(20).cloned().chain(drawn) {
                    let schedule = space.schedule(&choices).expect("possible choices");
                    let again = space.choices(&schedule).unwrap_or_else(|| panic!("{name} {function}: {choices:?}"));
                    assert_eq!(space.schedule(&again), Some(schedule), "{name} {function}");
                }
            });
        }
    }
}

/// Regression test: lists of the elements that a thread reads took gigabytes.
#[test]
fn schedules_that_no_device_has_room_for_cost_no_memory() {
    let system = System::builtin("cuda").expect("a built-in system");
    each("ccsdt_gdbc_efga.mlir", &mut |function, computation| {
        let (shape, mut random) = (computation.shape(), Random::new(14));
        let drawn = (0..400).map(|_| random_schedule(&shape, &system, &mut random));
        let asked = drawn.filter(|schedule| {
            let warnings = lint::warnings(computation, schedule, &tuning());
            warnings.iter().any(|warning| warning.starts_with("the levels of registers have"))
        });
        assert!(asked.count() > 10 || function.ends_with("_small"), "{function}");
    });
}
