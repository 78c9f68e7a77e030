//! Databases as the source of tuned schedules that the passes of the compiler ask.
use crate::{COMPILER, Database, Extents, Key, Kind};
use mdh_passes::schedule::tuned::{self, TunedSchedules, TuningKey};

/// Registers databases as the source of tuned schedules: the option `database` of passes is the path of a file.
pub fn register() {
    tuned::register(|path| Ok(Box::new(Tuned::open(path)?) as Box<dyn TunedSchedules>));
}

impl From<&TuningKey> for Key {
    fn from(key: &TuningKey) -> Self {
        Self {
            fingerprint: key.fingerprint.clone(),
            extents: Extents(key.extents.clone()),
            strict: key.strict,
            threads: u32::try_from(key.threads).unwrap_or(u32::MAX),
            features: key.features.clone(),
            engine: key.engine.clone(),
            device: key.device.clone(),
        }
    }
}

/// A database that is only read; `None` if there is no file yet.
struct Tuned(Option<Database>);

impl Tuned {
    fn open(path: &str) -> Result<Self, String> {
        match Database::open_read_only(path) {
            Ok(database) => Ok(Self(Some(database))),
            // The first tuner will create the file.
            Err(error) if error.kind() == Kind::Missing => Ok(Self(None)),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl TunedSchedules for Tuned {
    fn best(&self, key: &TuningKey) -> Result<Option<String>, String> {
        let Some(database) = &self.0 else { return Ok(None) };
        let best = database.best(&Key::from(key), COMPILER).map_err(|error| error.to_string())?;
        // Schedules of other versions of the compiler have to be measured again.
        let best = best.filter(|best| best.is_current && best.seconds.is_some());
        Ok(best.map(|best| best.measurement.schedule))
    }
}
