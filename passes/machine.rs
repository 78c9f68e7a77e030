//! The machine that schedules are chosen for: its cores, caches, vectors and bandwidths.
//!
//! It comes from this computer ([`Machine::host`]), over that from the target of the module ([`Machine::of`]), and over that
//! from a file ([`Machine::read`]): each says only what it knows better. `docs/machines.md` documents both forms for users.
pub mod device;
pub mod dlti;
pub mod host;

use crate::{
    failure::plain,
    machine::device::Device,
    notation::{
        reader::{Node, Result},
        unique,
    },
};
use serde::Serialize;
use serde_json::Value;

/// A machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Machine {
    /// How many threads run at the same time.
    pub cores: u64,
    /// The caches for data, from L1 outward.
    pub caches: Vec<Cache>,
    /// The bits of a vector register.
    pub vector_bits: u64,
    /// How many vector registers a thread has.
    pub vector_registers: u64,
    /// How many vector instructions that multiply and add (or do one of both, without [`Machine::has_fma`]) start in a cycle.
    pub fma_units: u64,
    /// Whether one instruction multiplies and adds.
    pub has_fma: bool,
    /// Whether loads and stores have masks, as with AVX-512 and SVE.
    pub has_masks: bool,
    /// Cycles in a nanosecond.
    pub gigahertz: f64,
    /// GB that all cores together move from and to memory in a second.
    pub memory_bandwidth: f64,
    /// The device that kernels are for, if anything says which one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<Device>,
}

/// A level of the caches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cache {
    /// The size of one of these caches.
    pub bytes: u64,
    /// The bytes of a line.
    pub line: u64,
    /// How many cores use one of these caches.
    pub shared_by: u64,
    /// Bytes that a core gets from it in a cycle.
    pub bandwidth: f64,
}

const FIELDS: [&str; 11] = [
    "cores",
    "caches",
    "vector_bits",
    "vector_registers",
    "fma_units",
    "has_fma",
    "has_masks",
    "gigahertz",
    "memory_bandwidth",
    "device",
    "$schema",
];
/// The levels of caches that a machine may have.
pub const MOST_CACHES: usize = 3;

impl Machine {
    /// How many elements of some bytes a vector has; at least one.
    pub fn lanes(&self, bytes_of_element: u64) -> u64 {
        (self.vector_bits / 8 / bytes_of_element.max(1)).max(1)
    }

    /// The same machine with the vectors of a processor that has these features, by LLVM's names.
    ///
    /// The widest vectors win, whatever LLVM would prefer. AVX without AVX2 counts as 256 bits, which floats have. Vectors of SVE
    /// are as long as those of NEON: their length is not known when code is made. A processor without known vectors gets the
    /// least ones that a machine may have, of 128 bits. The first cache keeps up with the registers.
    pub fn with_features(mut self, has: &dyn Fn(&str) -> bool) -> Self {
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
        if let Some(first) = self.caches.first_mut() {
            first.bandwidth *= bits as f64 / self.vector_bits as f64;
        }
        Self {
            vector_bits: bits,
            vector_registers: if is_arm || has("avx512f") { 32 } else { 16 },
            has_fma,
            has_masks: has("avx512f") || has("sve"),
            ..self
        }
    }

    /// This machine with what a file says about it.
    pub fn read(&self, path: &str) -> Result<Self> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| format!("cannot read the machine file {path}: {}", plain(&error)))?;
        self.with_text(&text).map_err(|error| format!("{path}: {error}"))
    }

    /// This machine with what the text of a file says about it.
    pub fn with_text(&self, text: &str) -> Result<Self> {
        self.with_value(&unique::parse("the machine", text)?)
    }

    /// This machine with what an object says about it.
    pub fn with_value(&self, value: &Value) -> Result<Self> {
        let root = Node::named("the machine", value);
        root.fields(&FIELDS)?;
        let number = |key: &str, own: u64| root.optional(key).map_or(Ok(own), |node| node.number());
        let decimal = |key: &str, own: f64| root.optional(key).map_or(Ok(own), |node| node.decimal());
        let truth = |key: &str, own: bool| root.optional(key).map_or(Ok(own), |node| node.truth());
        let cores = number("cores", self.cores)?;
        // What a description leaves out must fit to what it says.
        let own =
            self.caches.iter().map(|cache| Cache { shared_by: cache.shared_by.min(cores.max(1)), ..cache.clone() });
        let own: Vec<_> = own.collect();
        let caches = match root.optional("caches") {
            Some(list) => list.array()?.iter().enumerate().map(|(i, node)| Cache::read(node, own.get(i))).collect(),
            None => Ok(own),
        };
        let device = match root.optional("device") {
            Some(node) => Some(Device::from_value(node.value, self.device.as_ref())?),
            None => self.device.clone(),
        };
        let machine = Self {
            cores,
            caches: caches?,
            vector_bits: number("vector_bits", self.vector_bits)?,
            vector_registers: number("vector_registers", self.vector_registers)?,
            fma_units: number("fma_units", self.fma_units)?,
            has_fma: truth("has_fma", self.has_fma)?,
            has_masks: truth("has_masks", self.has_masks)?,
            gigahertz: decimal("gigahertz", self.gigahertz)?,
            memory_bandwidth: decimal("memory_bandwidth", self.memory_bandwidth)?,
            device,
        };
        machine.check()?;
        Ok(machine)
    }

    /// The machine as the text of a file.
    pub fn to_text(&self) -> String {
        // Numbers and names: nothing that JSON has no form for, once the machine is checked.
        format!("{}\n", serde_json::to_string_pretty(self).unwrap_or_default())
    }

    /// Whether there can be such a machine. The error says what is required and what is there.
    pub fn check(&self) -> Result<()> {
        within("cores", self.cores, 1, 65536)?;
        if !(1..=MOST_CACHES).contains(&self.caches.len()) {
            return Err(format!("caches: from 1 to {MOST_CACHES} are required, but there are {}", self.caches.len()));
        }
        for (i, cache) in self.caches.iter().enumerate() {
            let level = format!("L{}", i + 1);
            power(&format!("the line of {level}"), cache.line, 8, 4096)?;
            within(&format!("the bytes of {level}"), cache.bytes, cache.line, 1 << 50)?;
            rate(&format!("the bandwidth of {level}"), cache.bandwidth)?;
            if !(1..=self.cores).contains(&cache.shared_by) {
                return Err(format!(
                    "{level} has shared_by {}, but the machine has {} cores: each cache requires from 1 to all of them",
                    cache.shared_by, self.cores
                ));
            }
            let Some(before) = i.checked_sub(1).map(|before| &self.caches[before]) else { continue };
            if cache.bytes < before.bytes {
                return Err(format!(
                    "{level} has {} bytes, but L{i} has {}: each cache requires at least the bytes of the one before",
                    cache.bytes, before.bytes
                ));
            }
            if cache.shared_by < before.shared_by {
                return Err(format!(
                    "{level} has shared_by {}, but L{i} has {}: each cache requires at least the cores of the one before",
                    cache.shared_by, before.shared_by
                ));
            }
        }
        power("vector_bits", self.vector_bits, 128, 2048)?;
        within("vector_registers", self.vector_registers, 4, 1024)?;
        within("fma_units", self.fma_units, 1, 4)?;
        rate("gigahertz", self.gigahertz)?;
        rate("memory_bandwidth", self.memory_bandwidth)
    }
}

impl Cache {
    /// A cache whose missing fields are those of another one, if there is one.
    fn read(node: &Node<'_>, own: Option<&Self>) -> Result<Self> {
        node.fields(&["bytes", "line", "shared_by", "bandwidth"])?;
        let number = |key: &str, own: Option<u64>| match (node.optional(key), own) {
            (None, Some(own)) => Ok(own),
            _ => node.field(key)?.number(),
        };
        Ok(Self {
            bytes: number("bytes", own.map(|own| own.bytes))?,
            line: number("line", own.map(|own| own.line))?,
            shared_by: number("shared_by", own.map(|own| own.shared_by))?,
            bandwidth: match (node.optional("bandwidth"), own) {
                (None, Some(own)) => own.bandwidth,
                _ => node.field("bandwidth")?.decimal()?,
            },
        })
    }
}

pub(super) fn within(what: &str, value: u64, least: u64, most: u64) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(format!("{what}: a number from {least} to {most} is required, but it is {value}"))
}

fn power(what: &str, value: u64, least: u64, most: u64) -> Result<()> {
    if value.is_power_of_two() && (least..=most).contains(&value) {
        return Ok(());
    }
    Err(format!("{what}: a power of two from {least} to {most} is required, but it is {value}"))
}

/// Checks a frequency or a bandwidth.
pub(super) fn rate(what: &str, value: f64) -> Result<()> {
    // The bounds keep out NaN and infinity too.
    if (0.001..=1e6).contains(&value) {
        return Ok(());
    }
    Err(format!("{what}: a number from 0.001 to 1000000 is required, but it is {value}"))
}

#[cfg(test)]
pub(super) mod tests;
