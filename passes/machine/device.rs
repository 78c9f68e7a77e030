//! The device that schedules of kernels are optimized for: its compute units, the resources of a unit and their limits
//! per block, and bandwidths.
//!
//! Some devices are built in; the field `device` of a machine file names one of them or describes another.
//! `docs/machines.md` documents the notation for users.
use crate::{
    machine::{rate, within},
    notation::reader::{Node, Result},
};
use serde::Serialize;
use serde_json::Value;

/// A device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Device {
    /// The name.
    pub name: String,
    /// The number of compute units (multiprocessors).
    pub compute_units: u64,
    /// The number of threads of a warp, which execute an instruction together.
    pub warp: u64,
    /// The maximum number of threads of a block.
    pub most_threads: u64,
    /// The maximum number of resident threads of a unit.
    pub most_threads_per_unit: u64,
    /// The maximum number of resident blocks of a unit.
    pub most_blocks_per_unit: u64,
    /// The maximum shared memory of a block in bytes, static or dynamic.
    pub shared_bytes: u64,
    /// The shared memory of a unit in bytes.
    pub shared_bytes_per_unit: u64,
    /// The number of 32-bit registers of a unit.
    pub registers_per_unit: u64,
    /// The maximum number of registers of a thread.
    pub registers_per_thread: u64,
    /// The maximum number of bytes that a thread loads by one instruction.
    pub load_bytes: u64,
    /// True if copies to shared memory may be asynchronous, so that threads continue during a copy.
    pub copies_ahead: bool,
    /// The size of the L2 cache in bytes, which all units share.
    pub l2_bytes: u64,
    /// Bandwidth between memory and the L2 cache, in GB/s.
    pub memory_bandwidth: f64,
    /// Bandwidth between the L2 cache and the units, in GB/s.
    pub l2_bandwidth: f64,
    /// Bandwidth between shared memory and the registers of all units together, in GB/s.
    pub shared_bandwidth: f64,
    /// Operations on 32-bit floats, in 10^9 per second; a fused multiply-add counts as two.
    pub operations: f64,
    /// Launch latency of a kernel in microseconds.
    pub launch: f64,
}

/// The names of the built-in devices.
pub const BUILTIN: [&str; 5] = ["h200", "h100", "a100", "v100", "opencl_cpu"];

/// The fields of a device.
pub(super) const FIELDS: [&str; 18] = [
    "name",
    "compute_units",
    "warp",
    "most_threads",
    "most_threads_per_unit",
    "most_blocks_per_unit",
    "shared_bytes",
    "shared_bytes_per_unit",
    "registers_per_unit",
    "registers_per_thread",
    "load_bytes",
    "copies_ahead",
    "l2_bytes",
    "memory_bandwidth",
    "l2_bandwidth",
    "shared_bandwidth",
    "operations",
    "launch",
];

impl Device {
    /// The built-in device of this name, one of [`BUILTIN`].
    pub fn builtin(name: &str) -> Option<Self> {
        let h200 = || Self {
            name: "h200".to_owned(),
            compute_units: 132,
            warp: 32,
            most_threads: 1024,
            most_threads_per_unit: 2048,
            most_blocks_per_unit: 32,
            shared_bytes: 227 << 10,
            shared_bytes_per_unit: 228 << 10,
            registers_per_unit: 64 << 10,
            registers_per_thread: 255,
            load_bytes: 16,
            copies_ahead: true,
            l2_bytes: 50 << 20,
            memory_bandwidth: 4800.0,
            l2_bandwidth: 7000.0,
            shared_bandwidth: 33_000.0,
            operations: 67_000.0,
            launch: 3.0,
        };
        let device = match name {
            "h200" => h200(),
            "h100" => Self { memory_bandwidth: 3350.0, ..h200() },
            "a100" => Self {
                compute_units: 108,
                shared_bytes: 163 << 10,
                shared_bytes_per_unit: 164 << 10,
                l2_bytes: 40 << 20,
                memory_bandwidth: 1555.0,
                l2_bandwidth: 4500.0,
                shared_bandwidth: 19_500.0,
                operations: 19_500.0,
                ..h200()
            },
            "v100" => Self {
                compute_units: 80,
                shared_bytes: 96 << 10,
                shared_bytes_per_unit: 96 << 10,
                copies_ahead: false,
                l2_bytes: 6 << 20,
                memory_bandwidth: 900.0,
                l2_bandwidth: 2500.0,
                shared_bandwidth: 15_600.0,
                operations: 15_700.0,
                ..h200()
            },
            // A processor through OpenCL: the work items of a group are vector lanes and iterations of a loop on one
            // core.
            "opencl_cpu" => Self {
                compute_units: 4,
                warp: 8,
                most_threads: 256,
                most_threads_per_unit: 256,
                most_blocks_per_unit: 1,
                shared_bytes: 32 << 10,
                shared_bytes_per_unit: 32 << 10,
                registers_per_unit: 64 << 10,
                registers_per_thread: 96,
                load_bytes: 4,
                copies_ahead: false,
                l2_bytes: 8 << 20,
                memory_bandwidth: 40.0,
                l2_bandwidth: 200.0,
                shared_bandwidth: 800.0,
                operations: 400.0,
                launch: 20.0,
                ..h200()
            },
            _ => return None,
        };
        Some(Self { name: name.to_owned(), ..device })
    }

    /// The default GPU: the first built-in device.
    pub fn gpu() -> Self {
        Self::builtin(BUILTIN[0]).unwrap_or_else(|| unreachable!("it is built in"))
    }

    /// The default processor that runs kernels.
    pub fn processor() -> Self {
        Self::builtin("opencl_cpu").unwrap_or_else(|| unreachable!("it is built in"))
    }

    /// The device that a value describes: the name of a built-in device, or an object. Missing fields of an object are
    /// taken from the built-in device that it names, else from `own`, else from the first built-in device.
    pub fn from_value(value: &Value, own: Option<&Self>) -> Result<Self> {
        let node = Node::named("the device", value);
        let unknown =
            || node.error(&format!("an object or the name of a device is required, one of {}", BUILTIN.join(", ")));
        if let Value::String(name) = value {
            return Self::builtin(name).ok_or_else(unknown);
        }
        node.fields(&FIELDS)?;
        let named = node.optional("name").map(|name| name.string().map(str::to_owned)).transpose()?;
        let base = named.as_deref().and_then(Self::builtin).or_else(|| own.cloned());
        let base = base.unwrap_or_else(Self::gpu);
        let number = |key: &str, own: u64| node.optional(key).map_or(Ok(own), |node| node.number());
        let copies_ahead = node.optional("copies_ahead").map_or(Ok(base.copies_ahead), |node| node.truth());
        let decimal = |key: &str, own: f64| node.optional(key).map_or(Ok(own), |node| node.decimal());
        let device = Self {
            name: named.unwrap_or_else(|| base.name.clone()),
            compute_units: number("compute_units", base.compute_units)?,
            warp: number("warp", base.warp)?,
            most_threads: number("most_threads", base.most_threads)?,
            most_threads_per_unit: number("most_threads_per_unit", base.most_threads_per_unit)?,
            most_blocks_per_unit: number("most_blocks_per_unit", base.most_blocks_per_unit)?,
            shared_bytes: number("shared_bytes", base.shared_bytes)?,
            shared_bytes_per_unit: number("shared_bytes_per_unit", base.shared_bytes_per_unit)?,
            registers_per_unit: number("registers_per_unit", base.registers_per_unit)?,
            registers_per_thread: number("registers_per_thread", base.registers_per_thread)?,
            load_bytes: number("load_bytes", base.load_bytes)?,
            copies_ahead: copies_ahead?,
            l2_bytes: number("l2_bytes", base.l2_bytes)?,
            memory_bandwidth: decimal("memory_bandwidth", base.memory_bandwidth)?,
            l2_bandwidth: decimal("l2_bandwidth", base.l2_bandwidth)?,
            shared_bandwidth: decimal("shared_bandwidth", base.shared_bandwidth)?,
            operations: decimal("operations", base.operations)?,
            launch: decimal("launch", base.launch)?,
        };
        device.check()?;
        Ok(device)
    }

    /// Checks that the description is consistent. The error states the requirement and the actual value.
    pub fn check(&self) -> Result<()> {
        within("compute_units", self.compute_units, 1, 65536)?;
        within("warp", self.warp, 1, 1024)?;
        within("most_threads", self.most_threads, 1, 65536)?;
        within("most_threads_per_unit", self.most_threads_per_unit, self.most_threads, 1 << 20)?;
        within("most_blocks_per_unit", self.most_blocks_per_unit, 1, 1024)?;
        within("shared_bytes", self.shared_bytes, 0, 1 << 30)?;
        within("shared_bytes_per_unit", self.shared_bytes_per_unit, self.shared_bytes, 1 << 30)?;
        within("registers_per_thread", self.registers_per_thread, 16, 1024)?;
        within("registers_per_unit", self.registers_per_unit, self.registers_per_thread, 1 << 30)?;
        within("load_bytes", self.load_bytes, 1, 16)?;
        within("l2_bytes", self.l2_bytes, 1, 1 << 40)?;
        rate("memory_bandwidth", self.memory_bandwidth)?;
        rate("l2_bandwidth", self.l2_bandwidth)?;
        rate("shared_bandwidth", self.shared_bandwidth)?;
        rate("operations", self.operations)?;
        rate("launch", self.launch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn built_in_devices_can_be() {
        for name in BUILTIN {
            let device = Device::builtin(name).expect("a built-in device");
            assert_eq!(device.check(), Ok(()));
            let value = serde_json::to_value(&device).expect("numbers and a name");
            assert_eq!(Device::from_value(&value, None), Ok(device.clone()));
            assert_eq!(Device::from_value(&json!(name), None), Ok(device));
            assert_eq!(value.as_object().map(|fields| fields.len()), Some(FIELDS.len()));
        }
    }

    #[test]
    fn a_description_says_what_differs() {
        let device = Device::from_value(&json!({"name": "a100", "compute_units": 7}), None).expect("a device");
        assert_eq!((device.compute_units, device.memory_bandwidth), (7, 1555.0));
        let own = Device::from_value(&json!({"warp": 16}), Some(&device)).expect("a device");
        assert_eq!((own.name.as_str(), own.compute_units, own.warp), ("a100", 7, 16));
    }

    #[test]
    fn bad_devices_are_errors() {
        for (value, error) in [
            (
                json!("h2"),
                "the device: an object or the name of a device is required, one of h200, h100, a100, v100, opencl_cpu, but it is \"h2\"",
            ),
            (json!({"compute_units": 0}), "compute_units: a number from 1 to 65536 is required, but it is 0"),
            (json!({"operations": 0.0}), "operations: a number from 0.001 to 1000000 is required, but it is 0"),
            (json!({"warp": "many"}), "warp: a natural number is required, but it is \"many\""),
        ] {
            assert_eq!(Device::from_value(&value, None), Err(error.to_owned()));
        }
    }
}
