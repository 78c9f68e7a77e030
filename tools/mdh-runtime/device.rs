//! Devices and their limits, and the selection of a device by name.
use std::fmt;

/// An API for running kernels on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Api {
    /// The CUDA driver, which takes PTX.
    Cuda,
    /// OpenCL, which takes SPIR-V.
    Opencl,
}

impl Api {
    /// All APIs.
    pub const ALL: [Self; 2] = [Self::Cuda, Self::Opencl];

    /// The API with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|api| api.name() == name)
    }

    fn names(self) -> &'static Names {
        match self {
            Self::Cuda => &Names { name: "cuda", title: "CUDA", driver: "NVIDIA's driver" },
            Self::Opencl => &Names { name: "opencl", title: "OpenCL", driver: "Any driver of OpenCL" },
        }
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.names().name
    }

    /// The official name.
    pub fn title(self) -> &'static str {
        self.names().title
    }

    /// The drivers that implement it, for help texts.
    pub fn driver(self) -> &'static str {
        self.names().driver
    }
}

/// The names of an API.
struct Names {
    name: &'static str,
    title: &'static str,
    driver: &'static str,
}

/// A device and its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// The API of the device.
    pub api: Api,
    /// Its index among the devices of the API.
    pub index: usize,
    /// The product name.
    pub name: String,
    /// The vendor of the device or of its driver.
    pub vendor: String,
    /// The version of the driver.
    pub version: String,
    /// True for GPUs; OpenCL has other devices, too.
    pub is_gpu: bool,
    /// Multiprocessors of CUDA, compute units of OpenCL.
    pub compute_units: u64,
    /// Maximum number of threads per block (work-group).
    pub most_threads: u64,
    /// Maximum number of threads per block in each dimension.
    pub most_block: [u64; 3],
    /// Maximum number of blocks per grid in each dimension.
    pub most_grid: [u64; 3],
    /// Maximum shared (local) memory per block, in bytes.
    pub shared_bytes: u64,
    /// Global memory, in bytes.
    pub memory_bytes: u64,
    /// Maximum size of a buffer, in bytes.
    pub most_allocation_bytes: u64,
    /// Possible numbers of threads per warp (sub-group); empty if the device does not report them.
    pub warp: Vec<u64>,
    /// 32-bit registers per block; `None` with OpenCL, which does not report it.
    pub registers: Option<u64>,
    /// True if kernels may use `f64`.
    pub has_f64: bool,
    /// True if kernels may compute with `f16`.
    pub has_f16: bool,
    /// True if the device has warp (sub-group) shuffles.
    pub has_subgroup_shuffles: bool,
    /// The maximum clock rate, in MHz; 0 if the device does not report it.
    pub clock_mhz: u64,
    /// The compute capability; only CUDA has one.
    pub capability: Option<(u32, u32)>,
}

/// A missing device, or a failure of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// No driver, ICD loader, platform or device is available. One sentence says what is missing, and how to provide
    /// it.
    NoDevice(String),
    /// Any other failure.
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

/// The device with an index, or with a name that contains the text.
pub fn find(devices: Vec<Device>, text: &str) -> Result<Device, Error> {
    if let Some(device) = text.parse().ok().and_then(|index: usize| devices.get(index)) {
        return Ok(device.clone());
    }
    if text.trim().is_empty() {
        return Err(Error::Failed(format!("requires the index of a device or a part of its name, but got '{text}'")));
    }
    let wanted = text.to_lowercase();
    // An exact match wins, because one name may be a part of another one.
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

/// The default device: that of `MDH_DEVICE`, else the first GPU, else the first device.
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
