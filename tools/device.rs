//! The device that an engine runs on: its description for default schedules, and the features that kernels may use.
use crate::program;
use anyhow::Result;
use mdh_dialects::{ir, schedule::systems::WARP};
use mdh_passes::{
    analysis::location,
    machine::{Machine, device::Device as Described},
    target::{Target, limits::Limits},
};
use melior::ir::{Module, ValueLike, operation::OperationLike};

/// Known GPUs: a part of the name, the most similar built-in device, and the memory bandwidth in GB/s.
const KNOWN_GPUS: [(&str, &str, f64); 5] = [
    ("H200", "h200", 4800.0),
    ("H100", "h100", 3350.0),
    ("A100-SXM4-80GB", "a100", 2039.0),
    ("A100", "a100", 1555.0),
    ("V100", "v100", 900.0),
];

/// The description of a selected device for default schedules: its own limits, and the rates of the most similar
/// built-in device. A CPU device has the memory and core rates of this computer.
pub fn description(device: &mdh_runtime::Device, host: &Machine) -> Described {
    let known = KNOWN_GPUS.iter().find(|(name, ..)| device.name.contains(name));
    let mut own = match known {
        Some((_, like, _)) => Described::builtin(like).unwrap_or_else(Described::gpu),
        None if device.is_gpu => Described::gpu(),
        None => Described::processor(),
    };
    let units = device.compute_units.clamp(1, 65536);
    let scale = units as f64 / own.compute_units as f64;
    own.compute_units = units;
    match known {
        Some((.., bandwidth)) => own.memory_bandwidth = *bandwidth,
        None if device.is_gpu => {
            own.name = device.name.clone();
            own.memory_bandwidth *= scale;
            own.l2_bandwidth *= scale;
        }
        None => {
            own.memory_bandwidth = host.memory_bandwidth;
            own.l2_bandwidth *= scale;
            own.l2_bytes = host.caches.last().map_or(own.l2_bytes, |cache| cache.bytes);
        }
    }
    if known.is_none() {
        own.shared_bandwidth *= scale;
        own.operations *= scale;
    }
    if device.is_gpu {
        let limits = limits(device);
        own.most_threads = limits.threads.max(1);
        own.shared_bytes = limits.shared_bytes;
        own.warp = device.warp.first().copied().unwrap_or(own.warp).clamp(1, 1024);
    } else {
        // On a CPU, more threads are iterations of a loop, and more shared memory evicts itself from the first-level
        // cache.
        own.most_threads = own.most_threads.min(device.most_threads.max(1));
        own.shared_bytes = own.shared_bytes.min(device.shared_bytes);
    }
    // Capabilities that the kernels of the target do not use are dropped.
    let target = Target::with_kernels().find(|target| target.name == device.api.name());
    if let Some(kernels) = target.and_then(|target| target.kernels.as_ref()) {
        own.load_bytes = if kernels.loads_vectors { own.load_bytes } else { own.load_bytes.min(4) };
        own.copies_ahead &= kernels.copies_ahead;
    }
    own.most_threads_per_unit = own.most_threads_per_unit.max(own.most_threads);
    own.shared_bytes_per_unit = own.shared_bytes_per_unit.max(own.shared_bytes);
    own
}

/// The limits of a block on a device.
pub fn limits(device: &mdh_runtime::Device) -> Limits {
    Limits::of_device(&format!("'{}'", device.name), device.most_threads, device.shared_bytes)
}

/// Optional features that kernels may use, and whether the device has them: element types, and shuffles in warps of 32
/// threads.
pub fn features(device: &mdh_runtime::Device) -> [(bool, &'static str); 3] {
    let has_shuffles = device.has_subgroup_shuffles && (device.warp.is_empty() || device.warp.contains(&(WARP as u64)));
    [(device.has_f64, "f64"), (device.has_f16, "f16"), (has_shuffles, SHUFFLES)]
}

/// The name of shuffles in errors.
const SHUFFLES: &str = "shuffles in sub-groups of 32";

/// Checks that a device has all features that the kernels of a module in the LLVM dialect use. The error names the
/// first missing one.
pub fn check(module: &Module<'_>, device: &mdh_runtime::Device) -> Result<()> {
    for (_, feature) in features(device).into_iter().filter(|(has, _)| !has) {
        let Some(operation) = user(module, feature) else { continue };
        let message = format!(
            "the kernels compute with {feature}, which requires a device with {feature}, but {} device {} ('{}') has none",
            device.api.title(),
            device.index,
            device.name
        );
        return Err(program::wrong_at(operation, &message));
    }
    Ok(())
}

/// The first operation in a kernel that uses a feature: an operand or result of a float type, or a shuffle. Operations
/// with a known location come first.
fn user<'c>(module: &'c Module<'_>, feature: &str) -> Option<ir::Op<'c>> {
    let is_it = |value: &ir::Val<'_>| {
        let text = value.r#type().to_string();
        text.split(|c: char| !c.is_ascii_alphanumeric())
            .any(|word| word == feature || word.ends_with(&format!("x{feature}")))
    };
    let module = ir::op(Module::as_operation(module));
    let kernels = ir::find(module, "gpu.module").into_iter();
    let users: Vec<_> = kernels
        .flat_map(ir::descendants)
        .filter(|operation| {
            if feature == SHUFFLES {
                let callee = ir::attribute(*operation, "callee");
                return callee.is_some_and(|callee| callee.to_string().contains("sub_group_shuffle"));
            }
            let operands = ir::operands(*operation);
            operands.iter().chain(&ir::results(*operation)).any(is_it)
        })
        .collect();
    let has_place = |operation: &&ir::Op<'_>| !location::place(&operation.location()).is_empty();
    users.iter().find(has_place).or(users.first()).copied()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::program;
    use mdh_runtime::{Api, Device};

    /// An OpenCL device without f64.
    pub(crate) fn device(name: &str, is_gpu: bool) -> Device {
        Device {
            api: Api::Opencl,
            index: 1,
            name: name.to_owned(),
            vendor: String::new(),
            version: String::new(),
            is_gpu,
            compute_units: 6,
            most_threads: 8192,
            most_block: [8192; 3],
            most_grid: [u64::MAX; 3],
            shared_bytes: 256 << 10,
            memory_bytes: 1 << 34,
            most_allocation_bytes: 1 << 33,
            warp: vec![32],
            registers: None,
            has_f64: false,
            has_f16: true,
            has_subgroup_shuffles: true,
            clock_mhz: 0,
            capability: None,
        }
    }

    #[test]
    fn every_description_can_be() {
        let host = Machine::host();
        for (name, is_gpu) in [("NVIDIA H100 80GB HBM3", true), ("Card", true), ("Processor", false)] {
            let own = description(&device(name, is_gpu), &host);
            assert_eq!(own.check(), Ok(()), "{name}");
            assert_eq!(own.compute_units, 6, "{name}");
        }
        let small =
            Device { compute_units: 1, most_threads: 1, shared_bytes: 0, warp: vec![], ..device("Small", true) };
        assert_eq!(description(&small, &host).check(), Ok(()));
        let card = description(&device("NVIDIA A100-SXM4-80GB", true), &host);
        assert_eq!((card.name.as_str(), card.memory_bandwidth, card.most_threads), ("a100", 2039.0, 1024));
        let processor = description(&device("Processor", false), &host);
        assert_eq!((processor.most_threads, processor.memory_bandwidth), (256, host.memory_bandwidth));
    }

    #[test]
    fn kernels_name_what_a_device_lacks() {
        let context = program::context();
        let text = "gpu.module @kernels { llvm.func @f(%x: f64, %p: !llvm.ptr) { llvm.store %x, %p : f64, !llvm.ptr llvm.return } }";
        let module = program::parse(&context, text.as_bytes()).unwrap();
        let error = check(&module, &device("Card", true)).unwrap_err().to_string();
        let expected = "error: the kernels compute with f64, which requires a device with f64, but OpenCL device 1 ('Card') has none";
        assert_eq!(error.split_once(": ").map(|(place, _)| place), Some("-:1:62"));
        assert!(error.ends_with(expected), "{error}");
        check(&module, &Device { has_f64: true, ..device("Card", true) }).unwrap();
        let narrow = Device { has_f16: false, ..device("Card", true) };
        let vector = "gpu.module @kernels { llvm.func @f(%x: vector<4xf16>, %p: !llvm.ptr) { llvm.store %x, %p : vector<4xf16>, !llvm.ptr llvm.return } }";
        let error = check(&program::parse(&context, vector.as_bytes()).unwrap(), &narrow).unwrap_err().to_string();
        assert!(error.contains("f16"), "{error}");
        check(&program::parse(&context, vector.replace("f16", "f32").as_bytes()).unwrap(), &narrow).unwrap();
        let shuffle = "gpu.module @kernels {
            llvm.func @_Z22sub_group_shuffle_downfj(f32, i32) -> f32
            llvm.func @f(%x: f32, %n: i32) { %y = llvm.call @_Z22sub_group_shuffle_downfj(%x, %n) : (f32, i32) -> f32 llvm.return }
        }";
        let module = program::parse(&context, shuffle.as_bytes()).unwrap();
        let whole = Device { warp: vec![16, 32], has_subgroup_shuffles: true, ..device("Card", true) };
        check(&module, &whole).unwrap();
        for lacking in [Device { warp: vec![8, 16], ..whole.clone() }, Device { has_subgroup_shuffles: false, ..whole }]
        {
            let error = check(&module, &lacking).unwrap_err().to_string();
            assert!(error.contains("requires a device with shuffles in sub-groups of 32"), "{error}");
        }
    }
}
