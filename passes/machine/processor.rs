//! What the name of a processor and its features say about a machine: its vectors, its rates, and its prefetchers.
use crate::machine::Machine;

/// A processor that differs from typical ones. Rates are those that loop nests attain, or, for caches, nominal ones.
pub(super) struct Processor {
    /// LLVM's name.
    pub(super) name: &'static str,
    /// The bits of the widest vectors, if its units process half of one in a cycle (uops.info: the throughput of
    /// VFMADD132PS).
    halved: Option<u64>,
    /// Bytes per cycle from L3 to a core.
    outer_cache: Option<f64>,
    /// See [`Machine::reorder_buffer`].
    pub(super) reorder_buffer: u64,
    /// See [`Machine::prefetch_streams`].
    pub(super) streams: u64,
    /// Clock frequency in GHz.
    pub(super) gigahertz: f64,
    /// Memory bandwidth in GB/s: what one core attains, and what each further core adds.
    pub(super) memory: (f64, f64),
}

/// A processor that is not known.
pub(super) const TYPICAL: Processor = Processor {
    name: "",
    halved: None,
    outer_cache: None,
    reorder_buffer: 256,
    streams: 16,
    gigahertz: 3.0,
    memory: (27.0, 7.0),
};

/// The known processors. The rates of Zen 5 and its streams fit the times of 3,000 measured schedules of eleven
/// computations (`bench.tuning`); its reorder buffer is that of AMD's optimization guide.
const PROCESSORS: [Processor; 3] = [
    Processor { name: "znver1", halved: Some(256), ..TYPICAL },
    Processor { name: "znver4", halved: Some(512), ..TYPICAL },
    Processor {
        name: "znver5",
        outer_cache: Some(32.0),
        reorder_buffer: 448,
        streams: 50,
        gigahertz: 4.4,
        memory: (48.6, 12.6),
        ..TYPICAL
    },
];

/// The processor with one of LLVM's names.
pub(super) fn named(name: &str) -> Option<&'static Processor> {
    PROCESSORS.iter().find(|processor| processor.name == name)
}

/// LLVM's name of the first processor that Linux reports, if it is a known one, else an empty one.
pub(super) fn name(processors: &str) -> &'static str {
    let value = |key: &str| {
        let mut fields = processors.lines().filter_map(|line| line.split_once(':'));
        fields.find(|(known, _)| known.trim() == key).map(|(_, value)| value.trim())
    };
    let number = |key: &str| value(key).and_then(|value| value.parse::<u32>().ok());
    match (value("vendor_id"), number("cpu family"), number("model")) {
        (Some("AuthenticAMD"), Some(0x17), Some(0x00..=0x2f)) => "znver1",
        (Some("AuthenticAMD"), Some(0x19), Some(0x10..=0x1f | 0x60..=0xaf)) => "znver4",
        (Some("AuthenticAMD"), Some(0x1a), Some(_)) => "znver5",
        _ => TYPICAL.name,
    }
}

impl Machine {
    /// The same machine with the vectors of a processor with the given features, in LLVM's names, and with what is known
    /// of its caches and prefetchers. Its clock frequency and memory are those of a computer, and stay.
    ///
    /// The widest vectors are used, whatever LLVM would prefer. AVX without AVX2 counts as 256 bits, which holds for
    /// floats. SVE vectors count as long as NEON's (128 bits), because their length is unknown at compile time. A
    /// processor without known vectors gets the smallest width that a machine may have, 128 bits. The bandwidth of L1
    /// scales with the width of the data path, which is that of the vectors but for the widest ones of some processors.
    pub fn with_processor(mut self, processor: &str, has: &dyn Fn(&str) -> bool) -> Self {
        let is_arm = has("neon") || has("sve");
        let bits = match () {
            () if has("avx512f") => 512,
            () if has("avx") => 256,
            () => 128,
        };
        let has_fma = is_arm || has("fma") || has("avx512f");
        if has_fma != self.has_fma {
            self.fma_units = if has_fma { 2 } else { 1 };
        }
        let known = named(processor);
        let datapath = if known.is_some_and(|known| known.halved == Some(bits)) { bits / 2 } else { bits };
        if let Some(first) = self.caches.first_mut() {
            first.bandwidth *= datapath as f64 / self.datapath_bits as f64;
        }
        if let Some((outer, rate)) = self.caches.get_mut(2).zip(known.and_then(|known| known.outer_cache)) {
            outer.bandwidth = rate;
        }
        Self {
            vector_bits: bits,
            datapath_bits: datapath,
            vector_registers: if is_arm || has("avx512f") { 32 } else { 16 },
            has_fma,
            has_masks: has("avx512f") || has("sve"),
            reorder_buffer: known.map_or(self.reorder_buffer, |known| known.reorder_buffer),
            prefetch_streams: known.map_or(self.prefetch_streams, |known| known.streams),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::tests::example;

    #[test]
    fn processors_have_the_names_of_llvm() {
        let of = |vendor: &str, family: u32, model: u32| {
            name(&format!(
                "processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\nmodel name\t: x\n"
            ))
        };
        assert_eq!(
            [(23, 1), (23, 49), (25, 1), (25, 17), (25, 97), (26, 2)].map(|(f, m)| of("AuthenticAMD", f, m)),
            ["znver1", "", "", "znver4", "znver4", "znver5"]
        );
        assert_eq!([of("GenuineIntel", 25, 17), name("")], ["", ""]);
    }

    #[test]
    fn a_known_processor_gives_its_rates() {
        let rates = |processor: &str| {
            let machine = example().with_processor(processor, &|name| ["avx", "fma"].contains(&name));
            let bandwidths = [1, 2].map(|cache| machine.caches[cache].bandwidth);
            (bandwidths, machine.reorder_buffer, machine.prefetch_streams, machine.gigahertz)
        };
        assert_eq!(rates("znver5"), ([32.0, 32.0], 448, 50, 2.5));
        assert_eq!(rates("znver4"), ([32.0, 16.0], 256, 16, 2.5));
        assert_eq!(rates("skylake"), ([32.0, 16.0], 200, 24, 2.5));
        // Without an L3, there is nothing to change.
        let flat = Machine { caches: example().caches[..2].to_vec(), ..example() };
        assert_eq!(flat.clone().with_processor("znver5", &|name| name == "avx").caches, flat.caches);
    }
}
