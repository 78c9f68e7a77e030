//! Compares the JSON schemas of `docs/schemas` with the readers. A schema accepts everything that its reader accepts,
//! and both reject malformed files.
use jsonschema::Validator;
use mdh_dialects::{
    ir,
    schedule::{
        model::{Schedule, System},
        rules::Shape,
        systems::BUILTIN,
    },
};
use mdh_passes::{
    analysis::computation::Computation,
    machine::Machine,
    notation::{json, partial},
    schedule::{
        default::default_schedule,
        random::{Random, random_schedule},
        tuning::TuningContext,
    },
};
use mdh_tools::program;
use serde_json::{Value, json};
use std::{fs, path::Path};

/// Number of mutations of each document.
const MUTATIONS: u64 = 400;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the repository")
}

fn schema(name: &str) -> Validator {
    let path = root().join("docs/schemas").join(name);
    let text = fs::read_to_string(&path).expect("a schema can be read");
    let value: Value = serde_json::from_str(&text).expect("a schema is JSON");
    jsonschema::draft202012::meta::validate(&value).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    jsonschema::validator_for(&value).expect("a schema")
}

/// The shape of the computation for which schedules are tested, and the schedule that partial ones modify.
fn shape_and_default() -> (Shape, Schedule) {
    let context = program::context();
    let text = fs::read(root().join("docs/matvec.mlir")).expect("a program can be read");
    let module = program::parse(&context, &text).expect("a program");
    let computations = Computation::all(ir::op(module.as_operation()));
    let system = System::builtin("cpu").expect("a built-in system");
    let tuning = TuningContext { machine: Machine::host(), threads: None };
    (computations[0].shape(), default_schedule(&computations[0], &system, &tuning))
}

/// True if the reader accepts a schedule, complete or partial. Its rules are not checked.
fn reads_schedule(value: &Value, shape: &Shape, base: &Schedule) -> bool {
    let resolve = |name: &str| System::builtin(name);
    match partial::is_partial(value) {
        true => {
            let other = |system: System| random_schedule(shape, &system, &mut Random::new(1));
            partial::complete(value, shape, &resolve, |system| Ok(system.map_or_else(|| base.clone(), other))).is_ok()
        }
        false => json::from_value(value, shape, &resolve).is_ok(),
    }
}

/// The JSON pointers of all values nested in a value.
fn places(value: &Value, path: &str, found: &mut Vec<String>) {
    found.push(path.to_owned());
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| places(value, &format!("{path}/{}", key.replace('~', "~0")), found));
        }
        Value::Array(entries) => {
            entries.iter().enumerate().for_each(|(i, value)| places(value, &format!("{path}/{i}"), found));
        }
        _ => {}
    }
}

/// A document with one value replaced or one field added.
fn mutated(document: &Value, random: &mut Random) -> Value {
    let mut mutated = document.clone();
    let mut found = vec![];
    places(document, "", &mut found);
    let place = &found[random.below(found.len())];
    let values = [
        json!(null),
        json!(0),
        json!(1),
        json!(-1),
        json!(7),
        json!(1.5),
        json!(64),
        json!(1_u64 << 60),
        json!(true),
        json!("?"),
        json!("x"),
        json!("HM,x"),
        json!("HM[1]"),
        json!([]),
        json!([[1]]),
        json!({}),
        json!({"name": "own", "memory": ["A"], "cores": ["B"]}),
        json!({"name": "own", "memory": ["A: global"], "cores": ["B: threads"]}),
    ];
    if let Some(value) = mutated.pointer_mut(place) {
        match value {
            Value::Object(fields) if random.below(2) == 0 => drop(fields.insert("more".to_owned(), json!(1))),
            _ => *value = values[random.below(values.len())].clone(),
        }
    }
    mutated
}

/// Checks that each mutation that the reader accepts is valid. Returns the numbers of accepted and of invalid
/// mutations.
fn compare(documents: &[Value], schema: &Validator, reads: impl Fn(&Value) -> bool) -> (usize, usize) {
    let (mut read, mut invalid) = (0, 0);
    for (i, document) in documents.iter().enumerate() {
        assert!(schema.is_valid(document), "not valid: {document:#}");
        assert!(reads(document), "not read: {document:#}");
        for seed in 0..MUTATIONS {
            let mutated = mutated(document, &mut Random::new(seed + MUTATIONS * i as u64));
            let (is_read, is_valid) = (reads(&mutated), schema.is_valid(&mutated));
            assert!(!is_read || is_valid, "read, but not valid: {mutated:#}");
            read += usize::from(is_read);
            invalid += usize::from(!is_valid);
        }
    }
    (read, invalid)
}

#[test]
fn schedules_that_are_read_are_valid() {
    let (schema, (shape, base)) = (schema("schedule.schema.json"), shape_and_default());
    let mut documents: Vec<Value> = vec![];
    for name in BUILTIN {
        let system = System::builtin(name).expect("a built-in system");
        let schedule = random_schedule(&shape, &system, &mut Random::new(1));
        documents.push(serde_json::from_str(&json::to_text(&schedule)).expect("a schedule is JSON"));
    }
    documents.push(json!({"version": 2, "$schema": "schedule.schema.json", "parts": null}));
    documents.push(json!({"version": 2, "parts": vec![json!([null, 1]); base.parts.len()]}));
    documents.push(json!({"version": 2, "scalar": {"reads": [null, "L2[1]"]}, "recompose": {"order": null}}));
    let (read, invalid) = compare(&documents, &schema, |value| reads_schedule(value, &shape, &base));
    let all = documents.len() * MUTATIONS as usize;
    assert!(read > all / 50 && invalid > all / 4, "of {all} mutations, {read} are read and {invalid} are not valid");
    for name in ["matvec_figure17.json", "matmul_resnet50_tvm.json", "matvec_kernel.json", "matvec_warps.json"] {
        let text = fs::read_to_string(root().join("examples/schedules").join(name)).expect("an example can be read");
        let value: Value = serde_json::from_str(&text).expect("an example is JSON");
        assert!(schema.is_valid(&value), "{name}");
        let several = json!({"version": 2, "schedules": {"f": [value, null]}});
        assert!(schema.is_valid(&several) && json::parse_file(&several.to_string()).is_ok(), "{name}");
    }
}

#[test]
fn machines_that_are_read_are_valid() {
    let (schema, host) = (schema("machine.schema.json"), Machine::host());
    let text = fs::read_to_string(root().join("examples/machines/avx512.json")).expect("an example can be read");
    let documents = [
        serde_json::from_str(&text).expect("an example is JSON"),
        serde_json::from_str(&host.to_text()).expect("a machine is JSON"),
        json!({"device": {"name": "a100", "compute_units": 56, "most_threads": 512, "launch": 2.5}}),
        json!({"$schema": "machine.schema.json", "device": "h200", "caches": [{}, {"bytes": 1_048_576}]}),
    ];
    let (read, invalid) = compare(&documents, &schema, |value| host.with_value(value).is_ok());
    let all = documents.len() * MUTATIONS as usize;
    assert!(read > all / 50 && invalid > all / 4, "of {all} mutations, {read} are read and {invalid} are not valid");
}

/// A schema rejects all malformed files that a schema can express.
#[test]
fn what_is_malformed_is_not_valid() {
    let (schedules, machines) = (schema("schedule.schema.json"), schema("machine.schema.json"));
    let (shape, base) = shape_and_default();
    for value in [
        json!([]),
        json!({"parts": null}),
        json!({"version": 3, "parts": null}),
        json!({"version": 2, "part": null}),
        json!({"version": 2, "parts": [["?", -1]]}),
        json!({"version": 2, "scalar": {"reads": ["L2"]}}),
        json!({"version": 2, "decompose": {"writes": null}}),
        json!({"version": 2, "system": {"name": "own", "memory": [], "cores": []}}),
        json!({"version": 2, "system": {"name": "own", "memory": ["A: memory"], "cores": []}}),
    ] {
        assert!(!schedules.is_valid(&value) && !reads_schedule(&value, &shape, &base), "{value}");
    }
    for value in [
        json!([]),
        json!({"core": 2}),
        json!({"cores": 0}),
        json!({"vector_bits": 100}),
        json!({"caches": []}),
        json!({"caches": [{"size": 1}]}),
        json!({"gigahertz": "3"}),
        json!({"device": {"warps": 1}}),
    ] {
        assert!(!machines.is_valid(&value) && Machine::host().with_value(&value).is_err(), "{value}");
    }
}
