//! What a measurement is for: a computation, its sizes, and the machine. `Key { .. }` -> `3f1c09d27ab4e865`.
use crate::Extents;
use serde::{Deserialize, Serialize};

/// What a measurement is for. Schedules of equal keys compete with each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// The computation without its extents, as a hexadecimal number; opaque here.
    pub fingerprint: String,
    /// The extents of its dimensions.
    pub extents: Extents,
    /// True if floats are evaluated in the order of the definition.
    pub strict: bool,
    /// The number of threads on a host.
    pub threads: u32,
    /// The features of the processor.
    pub features: String,
    /// What runs the code, such as `cpu` or `cuda`.
    pub engine: String,
    /// The processor or device that was measured.
    pub device: String,
}

impl Key {
    /// Returns the name of the key: 16 hexadecimal digits, the same in every database.
    pub fn name(&self) -> String {
        let Self { fingerprint, extents, strict, threads, features, engine, device } = self;
        let fields = [
            fingerprint.clone(),
            extents.to_string(),
            strict.to_string(),
            threads.to_string(),
            features.clone(),
            engine.clone(),
            device.clone(),
        ];
        let mut hasher = blake3::Hasher::new();
        for field in &fields {
            // Hashing the length makes the division into fields unambiguous.
            hasher.update(&(field.len() as u64).to_le_bytes()).update(field.as_bytes());
        }
        hasher.finalize().to_hex().chars().take(16).collect()
    }

    /// True if the keys differ at most in the extents.
    pub(crate) fn is_another_size_of(&self, other: &Self) -> bool {
        Self { extents: other.extents.clone(), ..self.clone() } == *other
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns a key of one computation of the given extents.
    pub(crate) fn key(extents: &str) -> Key {
        Key {
            fingerprint: "c0ffee".to_owned(),
            extents: extents.parse().unwrap(),
            strict: false,
            threads: 8,
            features: "+avx2,+fma".to_owned(),
            engine: "cpu".to_owned(),
            device: "a processor".to_owned(),
        }
    }

    #[test]
    fn every_field_is_in_the_name() {
        let base = key("8,16");
        let text = |text: &str| text.to_owned();
        let keys = [
            base.clone(),
            Key { fingerprint: text("c0ffe"), ..base.clone() },
            Key { extents: "8,17".parse().unwrap(), ..base.clone() },
            Key { strict: true, ..base.clone() },
            Key { threads: 9, ..base.clone() },
            Key { features: text("+avx2"), ..base.clone() },
            Key { engine: text("cuda"), ..base.clone() },
            Key { device: text("another"), ..base.clone() },
            // The same characters, divided in another way.
            Key { features: text("+avx2,+fmac"), engine: text("pu"), ..base.clone() },
        ];
        for (i, key) in keys.iter().enumerate() {
            assert!(keys[..i].iter().all(|other| other.name() != key.name()), "{i}");
            assert_eq!(key.is_another_size_of(&base), [0, 2].contains(&i), "{i}");
        }
        // Files contain names, which never change.
        assert_eq!(base.name(), "c6ac30f0c16a9242");
    }
}
