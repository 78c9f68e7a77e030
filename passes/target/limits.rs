//! Limits of a block on the device that kernels are compiled for.

/// The limits of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The device or architecture, as errors name it.
    pub device: String,
    /// Threads.
    pub threads: u64,
    /// Bytes of static and dynamic shared memory.
    pub shared_bytes: u64,
}

/// The most threads of a block that kernels are compiled for.
pub const MAX_THREADS: u64 = 1024;
/// The most bytes of shared memory of a block on any device.
pub const MAX_SHARED: u64 = 227 << 10;

/// Registers that a thread may have beside the values that its loop carries: addresses, counters, and loaded values. The
/// number of resident blocks that `ptxas` is asked for leaves that many.
pub const OTHER_REGISTERS: u64 = 88;

/// The number of values that a loop carries from which on `ptxas` is asked: with fewer, it takes few registers anyway.
pub const MANY_VALUES: u64 = 32;

/// KiB of shared memory that a block can request, by NVIDIA architecture.
const SHARED: [(&[u32], u64); 4] = [(&[70, 72], 96), (&[75], 64), (&[80, 87], 163), (&[86, 88, 89, 120, 121], 99)];

impl Default for Limits {
    /// The maxima over all devices.
    fn default() -> Self {
        Self { device: "any device".to_owned(), threads: MAX_THREADS, shared_bytes: MAX_SHARED }
    }
}

impl Limits {
    /// No limits.
    pub fn none() -> Self {
        Self { threads: u64::MAX, shared_bytes: u64::MAX, ..Self::default() }
    }

    /// The limits of an NVIDIA architecture, such as `sm_90`.
    pub fn of_architecture(name: &str) -> Self {
        let digits: String = name.chars().filter(char::is_ascii_digit).collect();
        let known = SHARED.iter().find(|(numbers, _)| numbers.iter().any(|number| number.to_string() == digits));
        Self {
            device: name.to_owned(),
            shared_bytes: known.map_or(MAX_SHARED, |(_, kilobytes)| kilobytes << 10),
            ..Self::default()
        }
    }

    /// The limits of a device with this many threads and bytes, up to the maxima that kernels are compiled for.
    pub fn of_device(name: &str, threads: u64, shared_bytes: u64) -> Self {
        Self { device: name.to_owned(), threads: threads.min(MAX_THREADS), shared_bytes: shared_bytes.min(MAX_SHARED) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures_have_memory_of_their_own() {
        let shared = |name: &str| Limits::of_architecture(name).shared_bytes >> 10;
        let names = ["sm_70", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120"];
        assert_eq!(names.map(shared), [96, 64, 163, 99, 163, 99, 227, 227, 227, 99]);
    }
}
