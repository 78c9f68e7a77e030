//! The machine that schedules are optimized for: its cores, caches, vectors and bandwidths.
//!
//! The description is layered: this computer ([`Machine::host`]), overridden by the target of the module
//! ([`Machine::of`]), overridden by a file ([`Machine::read`]). Each layer specifies only some fields.
//! `docs/machines.md` documents both notations for users.
pub mod device;
pub mod dlti;
pub mod host;
mod processor;

use crate::{
    files::{self, FileReader},
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
    /// The number of threads that run in parallel.
    pub cores: u64,
    /// The data caches, from L1 outward.
    pub caches: Vec<Cache>,
    /// The width of a vector register in bits.
    pub vector_bits: u64,
    /// The bits of a vector that a unit of the processor processes in a cycle: wider vectors take several cycles, such as
    /// those of AVX-512 on Zen 4. At most [`Machine::vector_bits`].
    pub datapath_bits: u64,
    /// The number of vector registers of a thread.
    pub vector_registers: u64,
    /// The number of units for vector instructions that multiply and add (or do one of both, without
    /// [`Machine::has_fma`]).
    pub fma_units: u64,
    /// True if one instruction multiplies and adds (FMA).
    pub has_fma: bool,
    /// True if loads and stores can be masked, as with AVX-512 and SVE.
    pub has_masks: bool,
    /// The number of instructions that a core has under way at a time (the size of its reorder buffer).
    pub reorder_buffer: u64,
    /// Clock frequency in GHz: cycles per nanosecond.
    pub gigahertz: f64,
    /// Memory bandwidth of all cores together, reads and writes, in GB/s.
    pub memory_bandwidth: f64,
    /// The number of rows of arrays in memory that the prefetchers of a core follow at a time without a loss.
    pub prefetch_streams: u64,
    /// The device that kernels are optimized for, if specified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<Device>,
}

/// A level of the cache hierarchy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cache {
    /// The size of one cache of this level.
    pub bytes: u64,
    /// The line size in bytes.
    pub line: u64,
    /// The number of cores that share one cache of this level.
    pub shared_by: u64,
    /// Bandwidth from the cache to a core, in bytes per cycle.
    pub bandwidth: f64,
}

const FIELDS: [&str; 14] = [
    "cores",
    "caches",
    "vector_bits",
    "datapath_bits",
    "vector_registers",
    "fma_units",
    "has_fma",
    "has_masks",
    "reorder_buffer",
    "gigahertz",
    "memory_bandwidth",
    "prefetch_streams",
    "device",
    "$schema",
];
/// The maximum number of cache levels of a machine.
pub const MAX_CACHES: usize = 3;

impl Machine {
    /// The number of vector lanes for elements of this many bytes; at least one.
    pub fn lanes(&self, bytes_of_element: u64) -> u64 {
        (self.vector_bits / 8 / bytes_of_element.max(1)).max(1)
    }

    /// This machine, overridden by the description in a file. `reader`: reads it.
    pub fn read(&self, path: &str, reader: FileReader) -> Result<Self> {
        let text = files::read(reader, "machine", path)?;
        self.with_text(&text).map_err(|error| format!("{path}: {error}"))
    }

    /// This machine, overridden by a description in the text of a file.
    pub fn with_text(&self, text: &str) -> Result<Self> {
        self.with_value(&unique::parse("the machine", text)?)
    }

    /// This machine, overridden by a description in a JSON object.
    pub fn with_value(&self, value: &Value) -> Result<Self> {
        let root = Node::named("the machine", value);
        root.fields(&FIELDS)?;
        let number = |key: &str, own: u64| root.optional(key).map_or(Ok(own), |node| node.number());
        let decimal = |key: &str, own: f64| root.optional(key).map_or(Ok(own), |node| node.decimal());
        let truth = |key: &str, own: bool| root.optional(key).map_or(Ok(own), |node| node.truth());
        let cores = number("cores", self.cores)?;
        // Inherited fields must be consistent with the described ones.
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
        let vector_bits = number("vector_bits", self.vector_bits)?;
        // Described vectors have a data path of their width, unless the description has one.
        let datapath_bits = if root.optional("vector_bits").is_some() { vector_bits } else { self.datapath_bits };
        let machine = Self {
            cores,
            caches: caches?,
            vector_bits,
            datapath_bits: number("datapath_bits", datapath_bits)?,
            vector_registers: number("vector_registers", self.vector_registers)?,
            fma_units: number("fma_units", self.fma_units)?,
            has_fma: truth("has_fma", self.has_fma)?,
            has_masks: truth("has_masks", self.has_masks)?,
            reorder_buffer: number("reorder_buffer", self.reorder_buffer)?,
            gigahertz: decimal("gigahertz", self.gigahertz)?,
            memory_bandwidth: decimal("memory_bandwidth", self.memory_bandwidth)?,
            prefetch_streams: number("prefetch_streams", self.prefetch_streams)?,
            device,
        };
        machine.check()?;
        Ok(machine)
    }

    /// The machine as the text of a machine file.
    pub fn to_text(&self) -> String {
        // A checked machine has only numbers and names, all of which JSON can represent.
        format!("{}\n", serde_json::to_string_pretty(self).unwrap_or_default())
    }

    /// Checks that the description is consistent. The error states the requirement and the actual value.
    pub fn check(&self) -> Result<()> {
        within("cores", self.cores, 1, 65536)?;
        if !(1..=MAX_CACHES).contains(&self.caches.len()) {
            return Err(format!("caches: from 1 to {MAX_CACHES} are required, but there are {}", self.caches.len()));
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
        power("datapath_bits", self.datapath_bits, 64, self.vector_bits)?;
        within("vector_registers", self.vector_registers, 4, 1024)?;
        within("fma_units", self.fma_units, 1, 4)?;
        within("reorder_buffer", self.reorder_buffer, 1, 65536)?;
        rate("gigahertz", self.gigahertz)?;
        rate("memory_bandwidth", self.memory_bandwidth)?;
        within("prefetch_streams", self.prefetch_streams, 1, 1024)
    }
}

impl Cache {
    /// Reads a cache; missing fields are taken from another one, if given.
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
    // The range also excludes NaN and infinity.
    if (0.001..=1e6).contains(&value) {
        return Ok(());
    }
    Err(format!("{what}: a number from 0.001 to 1000000 is required, but it is {value}"))
}

#[cfg(test)]
pub(super) mod tests;
