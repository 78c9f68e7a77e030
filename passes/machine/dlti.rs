//! A [`Machine`] as the target specification (DLTI) of a module.
//!
//! ```text
//! module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<
//!     "L1_cache_size_in_bytes" = 32768 : i64, "mdh.L1_line" = 64 : i64, …, "mdh.cores" = 4 : i64, "mdh.vector_bits" = 256 : i64, …>>}
//! ```
//!
//! The sizes of caches have the keys that MLIR defines; all other keys are ours. The device of kernels is `"GPU"`, with
//! the fields of a [`Device`] prefixed by `mdh.`.
use crate::{
    machine::{
        FIELDS, MAX_CACHES, Machine,
        device::{self, Device},
    },
    notation::reader::Result,
};
use mdh_dialects::{
    ffi::upstream::{dlti_device, dlti_entries, dlti_system},
    ir::{self, Number, Op},
};
use melior::{
    Context,
    ir::{
        Attribute, Type,
        attribute::{BoolAttribute, FloatAttribute, IntegerAttribute, StringAttribute},
        r#type::IntegerType,
    },
};
use serde_json::{Map, Number as JsonNumber, Value, json};

/// The module attribute of the target specification.
const ATTRIBUTE: &str = "dlti.target_system_spec";
/// The error if MLIR rejects the description of the machine.
const REFUSED: &str = "MLIR does not accept the machine as the target of a module";
/// The name of the device that host code is compiled for.
const DEVICE: &str = "CPU";
/// The name of the device that kernels are compiled for.
const KERNELS: &str = "GPU";
/// The fields of a cache.
const CACHE_FIELDS: [&str; 4] = ["bytes", "line", "shared_by", "bandwidth"];

impl Machine {
    /// The machine of a module: this computer, overridden by the target specification of the module, or else of an
    /// enclosing one.
    pub fn of(module: Op<'_>) -> Result<Self> {
        Self::host().with_target(module)
    }

    /// This machine, overridden by the target specification of a module, or else of an enclosing one.
    pub fn with_target(&self, module: Op<'_>) -> Result<Self> {
        let Some(target) = target(module) else { return Ok(self.clone()) };
        let mut machine = self.clone();
        if let Some(device) = entry(&target, DEVICE) {
            let entries = dlti_entries(device).unwrap_or_default();
            let value = self.value(&entries).and_then(|value| self.with_value(&value));
            machine = value.map_err(|error| format!("{DEVICE:?} in {ATTRIBUTE}: {error}"))?;
        }
        if let Some(device) = entry(&target, KERNELS) {
            let entries = dlti_entries(device).unwrap_or_default();
            let own =
                entries.iter().filter_map(|(key, value)| Some((key.strip_prefix("mdh.")?.to_owned(), json(*value))));
            let value = Value::Object(own.collect());
            // A device without keys of ours is meant for other tools.
            if value.as_object().is_some_and(|fields| !fields.is_empty()) {
                let device = Device::from_value(&value, machine.device.as_ref());
                machine.device = Some(device.map_err(|error| format!("{KERNELS:?} in {ATTRIBUTE}: {error}"))?);
            }
        }
        Ok(machine)
    }

    /// Makes the machine the target of a module. Other entries of the target specification are kept.
    pub fn attach(&self, module: Op<'_>) -> Result<()> {
        let context = ir::context(module);
        let devices = target(module).unwrap_or_default();
        let others = entry(&devices, DEVICE).and_then(dlti_entries).unwrap_or_default();
        let is_ours = |(key, _): &(&str, Attribute<'_>)| field(key).is_some();
        let own = self.entries();
        let device = description(context, others.into_iter().filter(|entry| !is_ours(entry)), &own)?;
        let is_ours = |key: &str| key == DEVICE || (key == KERNELS && self.device.is_some());
        let mut parts: Vec<_> = devices.iter().copied().filter(|(key, _)| !is_ours(key)).collect();
        parts.push((DEVICE, device));
        if let Some(device) = &self.device {
            let others = entry(&devices, KERNELS).and_then(dlti_entries).unwrap_or_default();
            let value = serde_json::to_value(device).unwrap_or_default();
            let own = device::FIELDS.map(|field| (format!("mdh.{field}"), value[field].clone()));
            let others = others.into_iter().filter(|(key, _)| !key.starts_with("mdh."));
            parts.push((KERNELS, description(context, others, &own)?));
        }
        let attribute = dlti_system(context, &parts).ok_or(REFUSED)?;
        ir::set_attribute(module, ATTRIBUTE, attribute);
        Ok(())
    }

    /// The entries of the host device.
    fn entries(&self) -> Vec<(String, Value)> {
        let mut entries = vec![];
        for level in 1..=MAX_CACHES {
            match self.caches.get(level - 1) {
                Some(cache) => {
                    let values =
                        [json!(cache.bytes), json!(cache.line), json!(cache.shared_by), json!(cache.bandwidth)];
                    let entry = |(field, value): (&&str, &Value)| (cache_key(level, field), value.clone());
                    entries.extend(CACHE_FIELDS.iter().zip(&values).map(entry));
                }
                None => entries.push((cache_key(level, "bytes"), json!(0))),
            }
        }
        let value = serde_json::to_value(self).unwrap_or_default();
        entries.extend(fields().map(|field| (format!("mdh.{field}"), value[field].clone())));
        entries
    }

    /// Converts the entries of a device to the JSON form of a machine file, ignoring entries that are not ours.
    fn value(&self, entries: &[(&str, Attribute<'_>)]) -> Result<Value> {
        let mut machine = Map::new();
        let mut caches: Vec<Map<String, Value>> = vec![Map::new(); MAX_CACHES];
        for (key, attribute) in entries {
            match field(key) {
                Some((None, field)) => drop(machine.insert(field.to_owned(), json(*attribute))),
                Some((Some(level), field)) => drop(caches[level - 1].insert(field.to_owned(), json(*attribute))),
                None if key.starts_with("mdh.") => {
                    let known = fields().map(|field| format!("mdh.{field}"));
                    let known = known.chain(CACHE_FIELDS.map(|field| cache_key(1, field))).collect::<Vec<_>>();
                    return Err(format!("unknown key {key}, the known ones are {}", known.join(", ")));
                }
                None => {}
            }
        }
        // A size of 0 bytes means that the cache is absent. A cache without entries is unchanged.
        let is_absent = |cache: &Map<String, Value>| cache.get("bytes") == Some(&json!(0));
        let said = caches.iter().rposition(|cache| !cache.is_empty()).map_or(0, |last| last + 1);
        let count = caches.iter().position(is_absent).unwrap_or(said.max(self.caches.len()));
        if let Some(level) = (count..said).find(|&level| !is_absent(&caches[level])) {
            return Err(format!(
                "L{} is there, but L{} has 0 bytes: each cache requires the one before",
                level + 1,
                count + 1
            ));
        }
        if said > 0 {
            caches.truncate(count);
            machine.insert("caches".to_owned(), caches.into_iter().map(Value::Object).collect());
        }
        Ok(Value::Object(machine))
    }
}

/// The devices in the target specification of the innermost module that has one.
fn target<'c>(module: Op<'c>) -> Option<Vec<(&'c str, Attribute<'c>)>> {
    let mut around = std::iter::successors(Some(module), |module| ir::parent(*module));
    dlti_entries(around.find_map(|module| ir::attribute(module, ATTRIBUTE))?)
}

fn entry<'c>(entries: &[(&str, Attribute<'c>)], wanted: &str) -> Option<Attribute<'c>> {
    entries.iter().find(|(key, _)| *key == wanted).map(|(_, value)| *value)
}

/// The fields of a machine that are entries: all but its caches, which have entries of their own, and its device.
fn fields() -> impl Iterator<Item = &'static str> {
    FIELDS.into_iter().filter(|field| !["caches", "device", "$schema"].contains(field))
}

fn cache_key(level: usize, field: &str) -> String {
    if field == "bytes" { format!("L{level}_cache_size_in_bytes") } else { format!("mdh.L{level}_{field}") }
}

/// The field of a key, and its cache level, counted from 1, if any.
fn field(key: &str) -> Option<(Option<usize>, &'static str)> {
    if let Some(name) = key.strip_prefix("mdh.")
        && let Some(field) = fields().find(|field| *field == name)
    {
        return Some((None, field));
    }
    let mut caches = (1..=MAX_CACHES).flat_map(|level| CACHE_FIELDS.map(|field| (Some(level), field)));
    caches.find(|(level, field)| cache_key(level.unwrap_or_default(), field) == key)
}

/// Builds the specification of a device from entries of other tools and our own.
fn description<'c>(
    context: &'c Context,
    others: impl Iterator<Item = (&'c str, Attribute<'c>)>,
    own: &[(String, Value)],
) -> Result<Attribute<'c>> {
    let mut entries: Vec<_> = others.collect();
    for (key, value) in own {
        entries.push((key, attribute(context, value).ok_or(REFUSED)?));
    }
    Ok(dlti_device(context, &entries).ok_or(REFUSED)?)
}

/// Converts a JSON value to an attribute; `None` for values that no entry has.
fn attribute<'c>(context: &'c Context, value: &Value) -> Option<Attribute<'c>> {
    Some(match value {
        Value::Bool(truth) => BoolAttribute::new(context, *truth).into(),
        Value::String(text) => StringAttribute::new(context, text).into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => IntegerAttribute::new(IntegerType::new(context, 64).into(), number).into(),
            None if number.is_f64() => FloatAttribute::new(context, Type::float64(context), number.as_f64()?).into(),
            None => return None,
        },
        _ => return None,
    })
}

/// Converts an attribute to a JSON value; other kinds of attributes become their text, which no field accepts.
fn json(attribute: Attribute<'_>) -> Value {
    let number = match ir::number_attribute(attribute) {
        Some(Number::Truth(truth)) => return truth.into(),
        Some(Number::Integer(value)) => JsonNumber::from_i128(value),
        Some(Number::Float(value)) => JsonNumber::from_f64(value),
        None => None,
    };
    let text = || ir::string_attribute(attribute).map_or_else(|| attribute.to_string(), str::to_owned);
    number.map_or_else(|| text().into(), Value::Number)
}

#[cfg(test)]
mod tests {
    use super::{super::tests::example, *};
    use crate::decompose::tests::context;
    use melior::{Context, ir::Module};

    fn parse<'c>(context: &'c Context, entries: &str) -> Module<'c> {
        let spec = format!("#dlti.target_system_spec<\"CPU\" = #dlti.target_device_spec<{entries}>>");
        let text = format!("module attributes {{dlti.target_system_spec = {spec}}} {{ module {{}} }}");
        Module::parse(context, &text).expect("a module")
    }

    fn read(entries: &str) -> Result<Machine> {
        let context = context();
        let module = parse(&context, entries);
        example().with_target(ir::op(module.as_operation()))
    }

    #[test]
    fn attributes_are_read_back() {
        let context = context();
        let two = Machine { caches: example().caches[..2].to_vec(), gigahertz: 0.001, cores: 65536, ..example() };
        let other = Machine { cores: 64, vector_bits: 512, datapath_bits: 256, ..example() };
        let device = Device { compute_units: 7, ..Device::gpu() };
        let with_device = Machine { device: Some(device), ..example() };
        for machine in [example(), two, Machine::host(), with_device] {
            let module = parse(&context, "\"other.key\" = 3 : i32, \"mdh.cores\" = 9 : i64");
            let operation = ir::op(module.as_operation());
            machine.attach(operation).unwrap();
            assert_eq!(other.with_target(operation), Ok(machine.clone()));
            machine.attach(operation).unwrap();
            assert_eq!(other.with_target(operation), Ok(machine.clone()));
            let printed = module.as_operation().to_string();
            assert_eq!(printed.matches("other.key").count(), 1, "{printed}");
            let again = Module::parse(&context, &printed).expect("what was printed");
            assert_eq!(other.with_target(ir::op(again.as_operation())), Ok(machine));
        }
    }

    #[test]
    fn a_module_says_some_of_it() {
        let context = context();
        let none = Module::parse(&context, "module {}").expect("a module");
        assert_eq!(example().with_target(ir::op(none.as_operation())), Ok(example()));
        let gpu = "module attributes {dlti.target_system_spec = #dlti.target_system_spec<\"NPU\" = #dlti.target_device_spec<\"mdh.x\" = 1>>} {}";
        let gpu = Module::parse(&context, gpu).expect("a module");
        assert_eq!(example().with_target(ir::op(gpu.as_operation())), Ok(example()));
        // As in MLIR's documentation.
        let changed = read("\"L1_cache_size_in_bytes\" = 4096 : ui32, \"max_vector_op_width\" = 64 : ui32").unwrap();
        assert_eq!((changed.caches[0].bytes, changed.caches.len()), (4096, 3));
        assert_eq!(read("\"L3_cache_size_in_bytes\" = 0 : i64").unwrap().caches, example().caches[..2]);
        // A nested module has the target of the enclosing one.
        let module = parse(&context, "\"mdh.cores\" = 12 : i32");
        let inner = ir::find(ir::op(module.as_operation()), "builtin.module");
        assert!(inner.iter().all(|inner| example().with_target(*inner).unwrap().cores == 12), "{}", inner.len());
    }

    #[test]
    fn wrong_attributes_are_errors() {
        for (entries, error) in [
            ("\"mdh.cores\" = -4 : i64", "cores: a natural number is required, but it is -4"),
            ("\"mdh.cores\" = \"four\"", "cores: a natural number is required, but it is \"four\""),
            ("\"mdh.cores\" = 4.0 : f64", "cores: a natural number is required, but it is 4.0"),
            ("\"mdh.has_fma\" = 1 : i32", "has_fma: true or false is required, but it is 1"),
            (
                "\"mdh.gigahertz\" = 0x7FF0000000000000 : f64",
                "gigahertz: a number is required, but it is \"0x7FF0000000000000 : f64\"",
            ),
            (
                "\"mdh.vector_bits\" = 100 : i64",
                "vector_bits: a power of two from 128 to 2048 is required, but it is 100",
            ),
            (
                "\"mdh.core\" = 100 : i64",
                "unknown key mdh.core, the known ones are mdh.cores, mdh.vector_bits, mdh.datapath_bits, mdh.vector_registers, mdh.fma_units, mdh.has_fma, mdh.has_masks, mdh.reorder_buffer, mdh.gigahertz, mdh.memory_bandwidth, mdh.prefetch_streams, L1_cache_size_in_bytes, mdh.L1_line, mdh.L1_shared_by, mdh.L1_bandwidth",
            ),
            (
                "\"L2_cache_size_in_bytes\" = 0 : i64, \"mdh.L3_line\" = 64 : i64",
                "L3 is there, but L2 has 0 bytes: each cache requires the one before",
            ),
            ("\"L1_cache_size_in_bytes\" = 0 : i64", "caches: from 1 to 3 are required, but there are 0"),
            (
                "\"L2_cache_size_in_bytes\" = 16384 : i64",
                "L2 has 16384 bytes, but L1 has 32768: each cache requires at least the bytes of the one before",
            ),
        ] {
            assert_eq!(read(entries), Err(format!("\"CPU\" in dlti.target_system_spec: {error}")), "{entries}");
        }
    }
}
