//! Schedules that a tuner has measured, and how passes ask for them: by what is computed, and on what.
//!
//! ```text
//! computations of a function ──▶ key (fingerprint, extents, options, machine) ──▶ schedules, or none
//! ```
//!
//! Passes do not read databases themselves: a tool registers a function that opens one ([`register`]).
use super::{script::steps::ScriptSteps, tuning::TuningContext};
use crate::{
    analysis::{
        computation::Computation,
        fingerprint::{extents, fingerprint},
    },
    machine::Machine,
    notation::json::{self, File},
    target::Target,
};
use mdh_dialects::schedule::{
    model::{Schedule, System},
    rules::{self, Shape},
};
use serde_json::Value;
use std::sync::OnceLock;

/// What a schedule is measured for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TuningKey {
    /// The fingerprint of the computations of a function, and of the scripts that schedule them.
    pub fingerprint: String,
    /// Their extents by computation; `None` if dynamic.
    pub extents: Vec<Vec<Option<u64>>>,
    /// True if floats are combined in the order of the definition.
    pub strict: bool,
    /// Number of threads.
    pub threads: u64,
    /// The properties of the processor that schedules depend on.
    pub features: String,
    /// The name of the target.
    pub engine: String,
    /// The name of the device; empty without one.
    pub device: String,
}

impl TuningKey {
    /// Returns the key of the computations of a function. `scripts`: by computation, the script that schedules it. The
    /// schedules of a script have a key of their own, because times are relative to those of default schedules.
    pub fn of(
        computations: &[&Computation<'_>],
        scripts: &[Option<ScriptSteps>],
        target: &Target,
        tuning: &TuningContext,
    ) -> Self {
        let device = tuning.machine.device.as_ref().filter(|_| target.kernels.is_some());
        Self {
            fingerprint: match scripts.iter().any(Option::is_some) {
                true => with_scripts(&fingerprint(computations), scripts),
                false => fingerprint(computations),
            },
            extents: extents(computations),
            strict: computations.iter().any(|computation| computation.hom.is_ordered()),
            threads: tuning.threads(),
            features: features(&tuning.machine),
            engine: target.name.to_owned(),
            device: device.map_or_else(String::new, |device| device.name.clone()),
        }
    }
}

/// Returns the fingerprint of computations with scripts: 32 hexadecimal digits.
fn with_scripts(fingerprint: &str, scripts: &[Option<ScriptSteps>]) -> String {
    let text = format!("{fingerprint} {scripts:?}");
    blake3::hash(text.as_bytes()).to_hex().as_str()[..32].to_owned()
}

/// Returns the properties of a processor that schedules depend on: its vectors and its caches.
pub fn features(machine: &Machine) -> String {
    let caches: Vec<_> = machine.caches.iter().map(|cache| (cache.bytes >> 10).to_string()).collect();
    let flags = [(machine.has_fma, "fma"), (machine.has_masks, "masks")];
    let halved = if machine.datapath_bits == machine.vector_bits {
        String::new()
    } else {
        format!(" by {}", machine.datapath_bits)
    };
    let flags: String = flags.into_iter().filter(|(has, _)| *has).map(|(_, name)| format!(" {name}")).collect();
    format!(
        "{} {} bits{halved} x {}{flags}, caches {} KiB",
        std::env::consts::ARCH,
        machine.vector_bits,
        machine.vector_registers,
        caches.join(" ")
    )
}

/// Schedules that have been measured. Errors are sentences about the source of the schedules.
pub trait TunedSchedules {
    /// Returns the text of the best schedules for a key, as [`to_text`] writes them; `None` if there are none.
    fn best(&self, key: &TuningKey) -> Result<Option<String>, String>;
}

/// A function that opens the source of measured schedules with a name.
pub type Opener = fn(&str) -> Result<Box<dyn TunedSchedules>, String>;

static OPENER: OnceLock<Opener> = OnceLock::new();

/// Registers the function that opens sources of measured schedules. The first one counts.
pub fn register(opener: Opener) {
    OPENER.get_or_init(|| opener);
}

/// Opens the source of measured schedules with a name.
pub fn open(name: &str) -> Result<Box<dyn TunedSchedules>, String> {
    match OPENER.get() {
        Some(open) => open(name),
        None => Err(format!("{name}: this program reads no databases of tuned schedules")),
    }
}

/// Returns the schedules of the computations of a function as text, in which the function has no name.
pub fn to_text(schedules: &[Schedule]) -> String {
    json::file_text(schedules.iter().map(|schedule| ("", schedule)))
}

/// Reads the schedules of the computations of a function, which satisfy the rules. `resolve` maps a name to its system.
pub fn from_text(
    text: &str,
    computations: &[&Computation<'_>],
    resolve: &dyn Fn(&str) -> Option<System>,
) -> Result<Vec<Schedule>, String> {
    from_text_with(text, computations, resolve, &|_, _| {})
}

/// Reads the schedules of the computations of a function, as [`from_text`] does, after a change of each.
pub fn from_text_with(
    text: &str,
    computations: &[&Computation<'_>],
    resolve: &dyn Fn(&str) -> Option<System>,
    change: &dyn Fn(&mut Schedule, &Shape),
) -> Result<Vec<Schedule>, String> {
    let values: Vec<Value> = match json::parse_file(text)? {
        File::One(value) => vec![value],
        File::Several(functions) => functions.into_iter().flat_map(|(_, list)| list).flatten().collect(),
    };
    if values.len() != computations.len() {
        return Err(format!("{} schedules for {} computations", values.len(), computations.len()));
    }
    let read = |(value, computation): (&Value, &&Computation<'_>)| {
        let shape = computation.shape();
        let mut schedule = json::from_value(value, &shape, resolve)?;
        change(&mut schedule, &shape);
        rules::check(&schedule, &shape).map_err(|violations| rules::summary(&violations))?;
        Ok(schedule)
    };
    values.iter().zip(computations).map(read).collect()
}

/// Returns the loops of a schedule in one line: the layer that executes each, its dimension and its number of parts.
pub fn summary(schedule: &Schedule) -> String {
    let loops = schedule.scalar_loops().into_iter().map(|(level, tag)| {
        let count = rules::count_text(schedule.parts[level.layer][level.dimension]);
        format!("{} {} {count}", tag.layer, json::axis(level.dimension))
    });
    let loops: Vec<_> = loops.collect();
    let reads = schedule.scalar.reads.iter().enumerate().filter(|(_, read)| read.region != schedule.system.outermost());
    let reads: String = reads.map(|(i, read)| format!(" · input {} in {read}", i + 1)).collect();
    let loops = if loops.is_empty() { "a single point".to_owned() } else { loops.join(" · ") };
    format!("{loops}{reads}")
}
