//! Descriptions of machines: round trips, errors, and the effect of processor features.
use crate::machine::*;

/// A machine with round numbers.
pub fn example() -> Machine {
    let cache = |bytes, shared_by, bandwidth| Cache { bytes, line: 64, shared_by, bandwidth };
    Machine {
        cores: 4,
        caches: vec![cache(32768, 1, 64.0), cache(1 << 20, 1, 32.0), cache(16 << 20, 4, 16.0)],
        vector_bits: 256,
        datapath_bits: 256,
        vector_registers: 16,
        fma_units: 2,
        has_fma: true,
        has_masks: false,
        reorder_buffer: 200,
        gigahertz: 2.5,
        memory_bandwidth: 40.0,
        prefetch_streams: 24,
        device: None,
    }
}

#[test]
fn text_is_read_back() {
    let machine = Machine { gigahertz: 3.240_816_326_530_612, ..example() };
    let other = Machine { cores: 64, caches: vec![], ..example() };
    assert_eq!(other.with_text(&machine.to_text()), Ok(machine.clone()));
    assert_eq!(machine.with_text("{}"), Ok(machine.clone()));
    let changed = machine.with_text(r#"{"cores": 2, "caches": [{}, {"bytes": 65536}], "has_masks": true}"#).unwrap();
    assert_eq!((changed.cores, changed.caches.len(), changed.has_masks), (2, 2, true));
    assert_eq!(changed.caches, [machine.caches[0].clone(), Cache { bytes: 65536, ..machine.caches[1].clone() }]);
    // Described vectors have a data path of their width, unless the text has one.
    let halved = machine.with_text(r#"{"datapath_bits": 128}"#).unwrap();
    let bits = |machine: &Machine| (machine.vector_bits, machine.datapath_bits);
    assert_eq!([bits(&halved), bits(&halved.with_text("{}").unwrap())], [(256, 128); 2]);
    let described = |bits: u64| format!(r#"{{"vector_bits": {bits}}}"#);
    assert_eq!([256, 512].map(|size| bits(&halved.with_text(&described(size)).unwrap())), [(256, 256), (512, 512)]);
    // The last cache is shared by at most the number of cores.
    assert_eq!(machine.with_text(r#"{"cores": 2}"#).unwrap().caches[2].shared_by, 2);
}

#[test]
fn wrong_texts_are_errors() {
    for (text, error) in [
        ("", "the machine is no JSON: EOF while parsing a value at line 1 column 0"),
        ("[]", "the machine: an object is required, but it is []"),
        ("{\"cores\": 2, \"cores\": 2}", "the machine is no JSON: duplicate field 'cores' at line 1 column 24"),
        (r#"{"cores": 0}"#, "cores: a number from 1 to 65536 is required, but it is 0"),
        (r#"{"cores": 2.5}"#, "cores: a natural number is required, but it is 2.5"),
        (r#"{"cores": -1}"#, "cores: a natural number is required, but it is -1"),
        (r#"{"has_fma": 1}"#, "has_fma: true or false is required, but it is 1"),
        (r#"{"gigahertz": "fast"}"#, "gigahertz: a number is required, but it is \"fast\""),
        (r#"{"gigahertz": 0}"#, "gigahertz: a number from 0.001 to 1000000 is required, but it is 0"),
        (
            r#"{"memory_bandwidth": -1.5}"#,
            "memory_bandwidth: a number from 0.001 to 1000000 is required, but it is -1.5",
        ),
        (r#"{"vector_bits": 64}"#, "vector_bits: a power of two from 128 to 2048 is required, but it is 64"),
        (r#"{"vector_bits": 384}"#, "vector_bits: a power of two from 128 to 2048 is required, but it is 384"),
        (r#"{"datapath_bits": 512}"#, "datapath_bits: a power of two from 64 to 256 is required, but it is 512"),
        (r#"{"vector_registers": 1}"#, "vector_registers: a number from 4 to 1024 is required, but it is 1"),
        (r#"{"fma_units": 5}"#, "fma_units: a number from 1 to 4 is required, but it is 5"),
        (r#"{"reorder_buffer": 0}"#, "reorder_buffer: a number from 1 to 65536 is required, but it is 0"),
        (r#"{"prefetch_streams": 2000}"#, "prefetch_streams: a number from 1 to 1024 is required, but it is 2000"),
        (r#"{"caches": []}"#, "caches: from 1 to 3 are required, but there are 0"),
        (r#"{"caches": [{}, {}, {}, {}]}"#, "caches[3]: the field bytes is required"),
        (
            r#"{"caches": [{"size": 4}]}"#,
            "caches[0]: unknown field size, the known ones are bytes, line, shared_by, bandwidth",
        ),
        (r#"{"caches": [{"line": 65}]}"#, "the line of L1: a power of two from 8 to 4096 is required, but it is 65"),
        (
            r#"{"caches": [{"bytes": 32}]}"#,
            "the bytes of L1: a number from 64 to 1125899906842624 is required, but it is 32",
        ),
        (
            r#"{"caches": [{"bandwidth": 0.0}]}"#,
            "the bandwidth of L1: a number from 0.001 to 1000000 is required, but it is 0",
        ),
        (
            r#"{"caches": [{}, {"shared_by": 8}]}"#,
            "L2 has shared_by 8, but the machine has 4 cores: each cache requires from 1 to all of them",
        ),
        (
            r#"{"caches": [{"shared_by": 2}, {}]}"#,
            "L2 has shared_by 1, but L1 has 2: each cache requires at least the cores of the one before",
        ),
        (
            r#"{"caches": [{"bytes": 49152}, {"bytes": 16384}]}"#,
            "L2 has 16384 bytes, but L1 has 49152: each cache requires at least the bytes of the one before",
        ),
    ] {
        assert_eq!(example().with_text(text), Err(error.to_owned()), "{text}");
    }
    let error = example().with_text(r#"{"core": 2}"#).unwrap_err();
    assert!(error.starts_with("the machine: unknown field core, the known ones are cores, caches"), "{error}");
    assert!(Machine { gigahertz: f64::NAN, ..example() }.check().is_err());
    assert!(Machine { memory_bandwidth: f64::INFINITY, ..example() }.check().is_err());
}

#[test]
fn features_give_the_vectors() {
    let with = |features: &[&str]| example().with_processor("", &|name| features.contains(&name));
    let vectors = |machine: &Machine| {
        let Machine { vector_bits, vector_registers, fma_units, has_fma, has_masks, .. } = *machine;
        (vector_bits, vector_registers, fma_units, has_fma, has_masks, machine.caches[0].bandwidth)
    };
    assert_eq!(vectors(&with(&["sse2", "avx", "avx2", "fma"])), (256, 16, 2, true, false, 64.0));
    assert_eq!(vectors(&with(&["sse2", "avx", "avx2", "fma", "avx512f"])), (512, 32, 2, true, true, 128.0));
    assert_eq!(vectors(&with(&["sse2", "avx"])), (256, 16, 1, false, false, 64.0));
    assert_eq!(vectors(&with(&["sse2"])), (128, 16, 1, false, false, 32.0));
    assert_eq!(vectors(&with(&["neon"])), (128, 32, 2, true, false, 32.0));
    assert_eq!(vectors(&with(&["neon", "sve"])), (128, 32, 2, true, true, 32.0));
    let zen = |processor: &str, features: &[&str]| {
        let machine = example().with_processor(processor, &|name| features.contains(&name));
        (machine.vector_bits, machine.datapath_bits, machine.fma_units, machine.caches[0].bandwidth)
    };
    assert_eq!(zen("znver4", &["avx", "fma", "avx512f"]), (512, 256, 2, 64.0));
    assert_eq!(zen("znver5", &["avx", "fma", "avx512f"]), (512, 512, 2, 128.0));
    assert_eq!(zen("znver4", &["avx", "fma"]), (256, 256, 2, 64.0));
    assert_eq!(zen("znver1", &["avx", "fma"]), (256, 128, 2, 32.0));
    assert_eq!([1, 4, 8, 16, 64, 0].map(|bytes| example().lanes(bytes)), [32, 8, 4, 2, 1, 32]);
}
