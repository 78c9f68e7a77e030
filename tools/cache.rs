//! The keys of compiled code in a cache: everything that has an influence on it.
use crate::{device, kernel::Device, target::host::Processor};
use anyhow::{Context as _, Result, anyhow, bail};
use mdh_execution::{database, failure::os_message};
use mdh_passes::{machine::Machine, pipeline::Options};
use std::{env, fs, path::Path};

pub use mdh_execution::cache::{Cache, CacheOutcome, Key, MAGIC, print_warning};

/// The inputs of compilation.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The module as text.
    pub program: &'a str,
    /// The function that is called.
    pub function: &'a str,
    /// The options of the lowering.
    pub options: &'a Options,
    /// The machine for default schedules.
    pub machine: &'a Machine,
    /// The processor to compile for.
    pub target: &'a Processor,
    /// The device to compile kernels for.
    pub device: Option<&'a Device>,
    /// The device that runs the kernels.
    pub selected: Option<&'a mdh_runtime::Device>,
}

impl Source<'_> {
    /// The key of the code that this build of the tools generates.
    pub fn key(&self) -> Result<Key> {
        // Builds of the same version differ during development, so the executable is hashed.
        let tool = env::current_exe().and_then(fs::read).map_err(|error| anyhow!("{}", os_message(&error)));
        self.key_of(&tool.context("cannot read this program's own file")?)
    }

    /// The key of the code within this process.
    pub fn key_in_process(&self) -> Result<Key> {
        self.key_of(&[])
    }

    fn key_of(&self, tool: &[u8]) -> Result<Key> {
        let versions = format!("{} {:?}", env!("CARGO_PKG_VERSION"), inkwell::support::get_llvm_version());
        let contents = |what: &str, path: &Option<String>| match path.as_deref().map(Path::new) {
            // A pipe can be read only once, by the compiler.
            Some(path) if path.exists() && !path.is_file() => bail!("the {what} '{}' is not a file", path.display()),
            // The compiler reports files that cannot be read.
            Some(path) => Ok(fs::read(path).unwrap_or_default()),
            None => Ok(vec![]),
        };
        let schedule = contents("schedule", &self.options.schedule)?;
        let machine = contents("machine", &self.options.machine)?;
        let [tuned, log] = self.options.database.as_deref().map(database::contents).unwrap_or_default();
        // The contents of a file affect the code, its path does not.
        let nowhere = |path: &Option<String>| path.as_ref().map(|_| String::new());
        let options = Options {
            schedule: nowhere(&self.options.schedule),
            machine: nowhere(&self.options.machine),
            database: nowhere(&self.options.database),
            ..self.options.clone()
        };
        Ok(Key::of(&[
            MAGIC,
            versions.as_bytes(),
            tool,
            self.target.description().as_bytes(),
            self.device.map(Device::description).unwrap_or_default().as_bytes(),
            // Only code that is compiled is checked against the device, so the key includes the device's features.
            format!("{:?}", self.selected.map(device::features)).as_bytes(),
            format!("{options:?}").as_bytes(),
            &schedule,
            &machine,
            &tuned,
            &log,
            self.machine.to_text().as_bytes(),
            self.function.as_bytes(),
            self.program.as_bytes(),
        ]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        device,
        target::host::{ProcessorNames, ProcessorOptions},
    };

    #[test]
    fn everything_that_has_an_influence_is_in_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let schedule = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            Options { schedule: path.to_str().map(str::to_owned), ..Options::default() }
        };
        let target = |level, features: &str| {
            let features = Some(features.to_owned()).filter(|features| !features.is_empty());
            let names = ProcessorNames { features, ..ProcessorNames::default() };
            Processor::new(&ProcessorOptions { names, level, ..ProcessorOptions::default() }).unwrap()
        };
        let (fast, slow, options) = (target(3, ""), target(1, ""), Options::default());
        let machine = Machine::host();
        let wider = Machine { cores: machine.cores + 1, ..machine.clone() };
        let base = Source {
            program: "program",
            function: "f",
            options: &options,
            machine: &machine,
            target: &fast,
            device: None,
            selected: None,
        };
        let key = |source: Source<'_>| source.key().unwrap();
        let card = device::tests::device("Card", true);
        let full = mdh_runtime::Device { has_f64: true, ..card.clone() };
        let keys = [
            key(base),
            key(Source { program: "another program", ..base }),
            key(Source { function: "g", ..base }),
            key(Source { target: &slow, ..base }),
            key(Source { target: &target(3, "-sse4.2"), ..base }),
            key(Source { options: &Options { system: Some("cuda".to_owned()), ..Options::default() }, ..base }),
            key(Source { machine: &wider, ..base }),
            key(Source { selected: Some(&card), ..base }),
            key(Source { selected: Some(&full), ..base }),
            key(Source { options: &schedule("empty", ""), ..base }),
            key(Source { options: &schedule("one", "{}"), ..base }),
        ];
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[..i].contains(key), "{i}");
        }
        assert_eq!(key(Source { options: &schedule("a copy", "{}"), ..base }), keys[keys.len() - 1]);
        let folder = Options { schedule: folder.path().to_str().map(str::to_owned), ..Options::default() };
        assert!(Source { options: &folder, ..base }.key().is_err());
    }
}
