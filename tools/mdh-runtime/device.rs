//! Devices and their limits, and how one of them is named.
use std::fmt;

/// How a device is talked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Api {
    /// The CUDA driver, which takes PTX.
    Cuda,
    /// OpenCL, which takes SPIR-V.
    Opencl,
}

impl Api {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Cuda, Self::Opencl];

    /// The one of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|api| api.name() == name)
    }

    fn names(self) -> &'static Names {
        match self {
            Self::Cuda => &Names { name: "cuda", title: "CUDA", driver: "NVIDIA's driver" },
            Self::Opencl => &Names { name: "opencl", title: "OpenCL", driver: "Any driver of OpenCL" },
        }
    }

    /// As it is written on the command line.
    pub fn name(self) -> &'static str {
        self.names().name
    }

    /// As its makers write it.
    pub fn title(self) -> &'static str {
        self.names().title
    }

    /// The drivers that have it, for help texts.
    pub fn driver(self) -> &'static str {
        self.names().driver
    }
}

/// What an API is called.
struct Names {
    name: &'static str,
    title: &'static str,
    driver: &'static str,
}

/// A device and its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// How it is talked to.
    pub api: Api,
    /// Its place among the devices of the API.
    pub index: usize,
    /// What its maker calls it.
    pub name: String,
    /// Who makes it, or its driver.
    pub vendor: String,
    /// The version of its driver.
    pub version: String,
    /// Whether it is a GPU; OpenCL has other devices, too.
    pub is_gpu: bool,
    /// Multiprocessors of CUDA, compute units of OpenCL.
    pub compute_units: u64,
    /// How many threads a block (work-group) has at most.
    pub most_threads: u64,
    /// How many threads a block has at most in each dimension.
    pub most_block: [u64; 3],
    /// How many blocks a grid has at most in each dimension.
    pub most_grid: [u64; 3],
    /// Shared (local) memory of a block, in bytes.
    pub shared_bytes: u64,
    /// Global memory, in bytes.
    pub memory_bytes: u64,
    /// The largest buffer, in bytes.
    pub most_allocation_bytes: u64,
    /// How many threads a warp (sub-group) has; empty if the device does not say.
    pub warp: Vec<u64>,
    /// 32-bit registers of a block; OpenCL does not say.
    pub registers: Option<u64>,
    /// Whether kernels may use `f64`.
    pub has_f64: bool,
    /// Whether kernels may compute with `f16`.
    pub has_f16: bool,
    /// Whether the threads of a warp can exchange values.
    pub has_subgroup_shuffles: bool,
    /// The highest clock rate, in MHz; 0 if the device does not say.
    pub clock_mhz: u64,
    /// The compute capability, of CUDA only.
    pub capability: Option<(u32, u32)>,
}

/// Why there is no device, or why it did not do what it was asked to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// Nothing to run on: no driver, no ICD loader, no platform or no device. One sentence says which, and what helps.
    NoDevice(String),
    /// Anything else.
    Failed(String),
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDevice(text) | Self::Failed(text) => formatter.write_str(text),
        }
    }
}

impl std::error::Error for Error {}

/// The device of an index, or with a part of its name.
pub fn find(devices: Vec<Device>, text: &str) -> Result<Device, Error> {
    if let Some(device) = text.parse().ok().and_then(|index: usize| devices.get(index)) {
        return Ok(device.clone());
    }
    if text.trim().is_empty() {
        return Err(Error::Failed(format!("requires the index of a device or a part of its name, but got '{text}'")));
    }
    let wanted = text.to_lowercase();
    // One name may be a part of another one.
    let mut named = devices.iter().filter(|device| device.name.to_lowercase() == wanted);
    if let (Some(device), None) = (named.next(), named.next()) {
        return Ok(device.clone());
    }
    let matching: Vec<_> = devices.iter().filter(|device| device.name.to_lowercase().contains(&wanted)).collect();
    match matching.as_slice() {
        [device] => Ok((*device).clone()),
        _ => {
            let api = devices.first().map_or("", |device| device.api.title());
            let listed: Vec<_> = devices.iter().map(|device| format!("{} '{}'", device.index, device.name)).collect();
            let count = matching.len();
            let problem = match count {
                0 => format!("no {api} device has the index or the name '{text}'"),
                _ => format!("'{text}' names {count} {api} devices, but one is required"),
            };
            Err(Error::Failed(format!("{problem}; there are: {}", listed.join(", "))))
        }
    }
}

/// The device that is used when nobody has chosen: the environment's, else the first GPU, else the first.
pub fn default(devices: Vec<Device>) -> Result<Device, Error> {
    match std::env::var("MDH_DEVICE") {
        Ok(text) if !text.is_empty() => {
            find(devices, &text).map_err(|error| Error::Failed(format!("MDH_DEVICE: {error}")))
        }
        _ => {
            let chosen = devices.iter().find(|device| device.is_gpu).or(devices.first());
            chosen.cloned().ok_or_else(|| Error::NoDevice("no device".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(index: usize, name: &str, is_gpu: bool) -> Device {
        Device {
            api: Api::Opencl,
            index,
            name: name.to_owned(),
            vendor: String::new(),
            version: String::new(),
            is_gpu,
            compute_units: 1,
            most_threads: 1,
            most_block: [1; 3],
            most_grid: [1; 3],
            shared_bytes: 0,
            memory_bytes: 0,
            most_allocation_bytes: 0,
            warp: vec![],
            registers: None,
            has_f64: true,
            has_f16: false,
            has_subgroup_shuffles: false,
            clock_mhz: 0,
            capability: None,
        }
    }

    fn devices() -> Vec<Device> {
        vec![device(0, "Processor", false), device(1, "Card 4090", true), device(2, "Card 7", true)]
    }

    #[test]
    fn an_index_or_a_part_of_the_name() {
        let found = |text: &str| find(devices(), text).map(|device| device.index);
        assert_eq!(found("2"), Ok(2));
        assert_eq!(found("4090"), Ok(1));
        assert_eq!(found("PROC"), Ok(0));
        let listed = "there are: 0 'Processor', 1 'Card 4090', 2 'Card 7'";
        let unknown = format!("no OpenCL device has the index or the name 'radeon'; {listed}");
        assert_eq!(found("radeon"), Err(Error::Failed(unknown)));
        let ambiguous = format!("'card' names 2 OpenCL devices, but one is required; {listed}");
        assert_eq!(found("card"), Err(Error::Failed(ambiguous)));
        let empty = "requires the index of a device or a part of its name, but got ' '";
        assert_eq!(found(" "), Err(Error::Failed(empty.to_owned())));
        let longer = [devices(), vec![device(3, "Card 7 Pro", true)]].concat();
        assert_eq!(find(longer, "card 7").map(|device| device.index), Ok(2));
    }

    #[test]
    fn a_gpu_comes_first() {
        assert_eq!(default(devices()).map(|device| device.index), Ok(1));
        assert_eq!(default(vec![device(0, "Processor", false)]).map(|device| device.index), Ok(0));
    }
}
