//! This computer as a [`Machine`]: what the operating system reports, and typical values for the rest.
use crate::machine::{
    Cache, MAX_CACHES, Machine,
    processor::{self, Processor, TYPICAL},
};
use std::{fs, io::Read as _, num::NonZeroUsize, path::Path, sync::LazyLock, thread::available_parallelism};

/// The sysfs directory of the first processor; the others are assumed to be alike.
const PROCESSOR: &str = "/sys/devices/system/cpu/cpu0";
/// What Linux reports of all processors.
const PROCESSORS: &str = "/proc/cpuinfo";
/// Bytes of it that have the name of the first processor: Linux takes long to report many processors.
const FIRST_PROCESSOR: u64 = 1024;
/// The maximum size of the outermost cache per core, in bytes. Virtual machines report the cache of the whole
/// processor, although they have only a few of its cores.
const MAX_CACHE_PER_CORE: u64 = 8 << 20;
/// Bandwidth from L2 and L3 to a core, in bytes per cycle.
const BANDWIDTHS: [f64; 2] = [48.0, 16.0];
/// The maximum memory bandwidth in GB/s.
const MAX_MEMORY_BANDWIDTH: f64 = 400.0;

impl Machine {
    /// This computer, with the cores that this process may use.
    ///
    /// Bandwidths are those of a known processor, else typical values: 2 vectors per cycle from L1, 48 bytes per cycle
    /// from L2, 16 from L3, and 20 GB/s from memory plus 7 for each core, at most 400. The number of FMA units is also a
    /// typical value (2 if there are any), and so are the caches and the clock frequency if Linux does not report them.
    pub fn host() -> Self {
        // Cached, because passes request the host for each function.
        static HOST: LazyLock<Machine> = LazyLock::new(Machine::described);
        HOST.clone()
    }

    /// This computer as Linux currently describes it.
    fn described() -> Self {
        let cores = available_parallelism().map_or(1, NonZeroUsize::get) as u64;
        let folder = Path::new(PROCESSOR);
        let name = start(PROCESSORS, FIRST_PROCESSOR).map_or("", |text| processor::name(&text));
        let known = processor::named(name).unwrap_or(&TYPICAL);
        let machine = Self {
            cores,
            caches: caches(folder, cores).unwrap_or_else(|| typical_caches(cores)),
            gigahertz: clock(folder).unwrap_or(known.gigahertz),
            memory_bandwidth: memory_bandwidth(known, cores),
            ..Self::typical()
        };
        let machine = machine.with_processor(name, &has_feature);
        match machine.check() {
            Ok(()) => machine,
            // Inconsistent data from Linux are not an error: typical values replace them.
            Err(_) => {
                let cores = cores.min(65536);
                Self { cores, caches: typical_caches(cores), gigahertz: known.gigahertz, ..machine }
                    .with_processor(name, &has_feature)
            }
        }
    }
}

impl Machine {
    /// An unknown computer: 8 cores, caches and rates as in [`Machine::host`], and the smallest vectors.
    pub fn typical() -> Self {
        let cores = 8;
        Self {
            cores,
            caches: typical_caches(cores),
            vector_bits: 128,
            datapath_bits: 128,
            vector_registers: 16,
            fma_units: 1,
            has_fma: false,
            has_masks: false,
            reorder_buffer: TYPICAL.reorder_buffer,
            gigahertz: TYPICAL.gigahertz,
            memory_bandwidth: memory_bandwidth(&TYPICAL, cores),
            prefetch_streams: TYPICAL.streams,
            device: None,
        }
    }
}

/// True if this processor has a feature, one of those that [`Machine::with_features`] queries.
fn has_feature(name: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    return match name {
        "avx512f" => std::arch::is_x86_feature_detected!("avx512f"),
        "avx" => std::arch::is_x86_feature_detected!("avx"),
        "fma" => std::arch::is_x86_feature_detected!("fma"),
        _ => false,
    };
    #[cfg(target_arch = "aarch64")]
    return match name {
        "neon" => std::arch::is_aarch64_feature_detected!("neon"),
        "sve" => std::arch::is_aarch64_feature_detected!("sve"),
        _ => false,
    };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let _ = name;
        false
    }
}

/// Typical memory bandwidth in GB/s.
fn memory_bandwidth(processor: &Processor, cores: u64) -> f64 {
    let (one, further) = processor.memory;
    (one + further * cores.saturating_sub(1) as f64).min(MAX_MEMORY_BANDWIDTH)
}

/// Typical bandwidth from a cache in bytes per cycle, for 128-bit vectors; `level` counts from 0 for L1.
fn bandwidth(level: usize) -> f64 {
    // Two loads per cycle; wider vectors scale it.
    level.checked_sub(1).map_or(32.0, |outer| BANDWIDTHS[outer.min(BANDWIDTHS.len() - 1)])
}

fn typical_caches(cores: u64) -> Vec<Cache> {
    let sizes = [(32 << 10, 1), (1 << 20, 1), (cores.saturating_mul(2 << 20), cores)];
    let cache = |(level, (bytes, shared_by))| Cache { bytes, line: 64, shared_by, bandwidth: bandwidth(level) };
    sizes.into_iter().enumerate().map(cache).collect()
}

/// The data caches that Linux reports for a processor; `None` if it reports none, or not all sizes.
fn caches(processor: &Path, cores: u64) -> Option<Vec<Cache>> {
    let mut caches = vec![];
    for level in 1..=MAX_CACHES {
        let found = (0..16).map(|index| processor.join(format!("cache/index{index}"))).find(|folder| {
            text(folder, "level").is_some_and(|text| text == level.to_string())
                && text(folder, "type").is_some_and(|kind| kind != "Instruction")
        });
        let Some(folder) = found else { break };
        let shared_by = text(&folder, "shared_cpu_list").and_then(|list| count(&list)).unwrap_or(1);
        let bytes = size(&text(&folder, "size")?)?;
        // Only the outermost cache is shared by several virtual machines.
        let bytes = if level == MAX_CACHES { bytes.min(shared_by.saturating_mul(MAX_CACHE_PER_CORE)) } else { bytes };
        let line = text(&folder, "coherency_line_size").and_then(|line| line.parse().ok()).unwrap_or(64);
        caches.push(Cache { bytes, line, shared_by: shared_by.min(cores), bandwidth: bandwidth(level - 1) });
    }
    (!caches.is_empty()).then_some(caches)
}

fn clock(processor: &Path) -> Option<f64> {
    let kilohertz: f64 = text(processor, "cpufreq/cpuinfo_max_freq")?.parse().ok()?;
    Some(kilohertz / 1e6)
}

/// The first bytes of a file, at most `most`, as text.
fn start(path: &str, most: u64) -> Option<String> {
    let mut bytes = vec![];
    fs::File::open(path).ok()?.take(most).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn text(folder: &Path, file: &str) -> Option<String> {
    fs::read_to_string(folder.join(file)).ok().map(|text| text.trim().to_owned())
}

/// Parses a size such as 48K.
fn size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// The number of elements of a list such as 0-3,8.
fn count(list: &str) -> Option<u64> {
    let ranges = list.split(',').map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        last.parse::<u64>().ok()?.checked_sub(first.parse().ok()?)?.checked_add(1)
    });
    ranges.sum::<Option<u64>>().filter(|&count| count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_a_machine() {
        let host = Machine::host();
        assert_eq!(host.check(), Ok(()));
        assert_eq!(Machine { caches: typical_caches(host.cores), ..host.clone() }.check(), Ok(()));
        assert_eq!(host.with_text(&host.to_text()), Ok(host));
    }

    #[test]
    fn what_linux_writes_is_read() {
        let sizes = ["48K", "32M", "512", "1G", "12Q", "", "K", "-1K"].map(size);
        assert_eq!(sizes, [Some(49152), Some(32 << 20), Some(512), Some(1 << 30), None, None, None, None]);
        let counts = ["0", "0-1", "0-3,8", "0-31,64-95", "3-1", "", "a"].map(count);
        assert_eq!(counts, [Some(1), Some(2), Some(5), Some(64), None, None, None]);
    }

    #[test]
    fn a_folder_without_caches_has_none() {
        assert_eq!(caches(Path::new("/nowhere"), 4), None);
        assert_eq!(clock(Path::new("/nowhere")), None);
    }

    #[test]
    fn caches_are_those_of_data() {
        let folder = std::env::temp_dir().join(format!("mdh-caches-{}", std::process::id()));
        let index = |number: usize, fields: [&str; 5]| {
            let index = folder.join(format!("cache/index{number}"));
            fs::create_dir_all(&index).unwrap();
            let names = ["level", "type", "size", "coherency_line_size", "shared_cpu_list"];
            for (name, field) in names.iter().zip(fields) {
                fs::write(index.join(name), format!("{field}\n")).unwrap();
            }
        };
        index(0, ["1", "Instruction", "32K", "64", "0"]);
        index(1, ["1", "Data", "48K", "128", "0,4"]);
        index(2, ["2", "Unified", "2048K", "128", "0,4"]);
        index(3, ["3", "Unified", "266240K", "128", "0-7"]);
        let found = caches(&folder, 4).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let fields: Vec<_> = found.iter().map(|cache| (cache.bytes, cache.line, cache.shared_by)).collect();
        assert_eq!(fields, [(48 << 10, 128, 2), (2 << 20, 128, 2), (64 << 20, 128, 4)]);
    }
}
