//! A directory of compiled code, so that a program that was compiled before is only linked.
//!
//! An entry is a file named after a [`Key`], the hash of everything that affects the code. Entries are never modified,
//! only replaced atomically, so any number of processes may share a directory. Problems with a directory or an entry
//! are warnings, because the cache only saves time.
use crate::{device, jit::Code, kernel::Device, target::host::Processor, temporary};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use mdh_passes::{failure::plain, machine::Machine, pipeline::Options};
use mdh_runtime::Api;
use std::{
    cell::Cell,
    env,
    fs::{self, DirBuilder, File},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

/// The first bytes of an entry. The number changes with the format of entries and keys.
const MAGIC: &[u8; 16] = b"mdh object 0001\n";
/// Magic, flags, length of the object file, checksum of key, flags and object file.
const HEADER: usize = 16 + 8 + 8 + 32;

/// The name of compiled code. Equal keys mean equal code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(blake3::Hash);

impl Key {
    fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            // Hashing the length makes the division into parts unambiguous.
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Self(hasher.finalize())
    }
}

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
        let tool = env::current_exe().and_then(fs::read).map_err(|error| anyhow!("{}", plain(&error)));
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
        // The contents of a file affect the code, its path does not.
        let nowhere = |path: &Option<String>| path.as_ref().map(|_| String::new());
        let options = Options {
            schedule: nowhere(&self.options.schedule),
            machine: nowhere(&self.options.machine),
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
            self.machine.to_text().as_bytes(),
            self.function.as_bytes(),
            self.program.as_bytes(),
        ]))
    }
}

/// The outcome of a cache look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The code was in the cache.
    Hit,
    /// The code was compiled, and written to the cache if possible.
    Miss,
    /// No cache was used.
    Off,
}

impl Outcome {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Miss => "miss",
            Self::Off => "off",
        }
    }
}

/// A directory of compiled code.
#[derive(Debug)]
pub struct Cache {
    directory: PathBuf,
    /// True if others may write to it.
    is_shared: bool,
    warned: Cell<bool>,
}

impl Cache {
    /// Opens the cache in a directory, which is created if missing. If that fails, prints a warning and returns `None`.
    /// It is an error if others can write to the directory, unless the cache is shared.
    pub fn open(directory: &Path, is_shared: bool) -> Result<Option<Self>> {
        let cache = Self { directory: directory.to_owned(), is_shared, warned: Cell::new(false) };
        match DirBuilder::new().recursive(true).mode(0o700).create(directory) {
            Ok(()) => {
                // A user who can write to the directory decides what code is executed.
                let problem = fs::metadata(directory).ok().and_then(|found| cache.others(&found));
                if let Some(problem) = problem {
                    bail!(
                        "the cache '{}' requires a directory that nobody else can write to, but {problem} (--cache-shared uses it)",
                        directory.display()
                    );
                }
                Ok(Some(cache))
            }
            Err(error) => {
                let there = directory.exists() && !directory.is_dir();
                let problem = if there { "it is not a directory".to_owned() } else { plain(&error) };
                cache.warn(&format!("cannot use the cache '{}': {problem}", directory.display()));
                Ok(None)
            }
        }
    }

    /// Describes who else can write to a directory or an entry; `None` if nobody can, or if the cache is shared.
    fn others(&self, found: &fs::Metadata) -> Option<String> {
        /// The owner of files of the system.
        const ROOT: u32 = 0;
        if self.is_shared {
            return None;
        }
        let mode = found.mode() & 0o7777;
        // Files in /proc/self are owned by the user of this process.
        let user = fs::metadata("/proc/self").map_or(found.uid(), |own| own.uid());
        if found.uid() != user && found.uid() != ROOT {
            return Some(format!("it belongs to user {}", found.uid()));
        }
        (mode & 0o022 != 0).then(|| format!("it has mode {mode:o}"))
    }

    /// The code of a key: from the cache, else compiled and written to the cache.
    pub fn code(
        &self,
        key: impl Fn() -> Result<Key>,
        compile: impl FnOnce() -> Result<Code>,
    ) -> Result<(Code, Outcome)> {
        let at_first = match key() {
            Ok(key) => key,
            Err(problem) => {
                self.warn(&format!("cannot use the cache '{}': {problem:#}", self.directory.display()));
                return Ok((compile()?, Outcome::Off));
            }
        };
        match self.read(at_first) {
            Ok(Some(code)) => return Ok((code, Outcome::Hit)),
            Ok(None) => {}
            Err(problem) => self.warn(&problem),
        }
        let code = compile()?;
        // If a schedule file was changed meanwhile, the code may be from before or after the change.
        if key().is_ok_and(|key| key == at_first)
            && let Err(error) = self.write(at_first, &code)
        {
            self.warn(&format!("cannot write to the cache '{}': {}", self.directory.display(), plain(&error)));
        }
        Ok((code, Outcome::Miss))
    }

    fn entry(&self, key: Key) -> PathBuf {
        self.directory.join(key.0.to_hex().as_str())
    }

    /// The code of a key; `None` if there is no entry.
    fn read(&self, key: Key) -> Result<Option<Code>, String> {
        let path = self.entry(key);
        // It may have been created when others could write to the directory.
        if let Some(problem) = fs::metadata(&path).ok().and_then(|found| self.others(&found)) {
            return Err(format!("cannot use the cache entry '{}': {problem}", path.display()));
        }
        let content = match read_file(&path) {
            Ok(content) => content,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("cannot read the cache entry '{}': {}", path.display(), plain(&error))),
        };
        let corrupt = |error| format!("cache entry '{}' is corrupt, compiling anew: {error}", path.display());
        decode(key, &content).map(Some).map_err(corrupt)
    }

    /// Writes an entry atomically: other processes find the old entry, or none, or this one.
    fn write(&self, key: Key, code: &Code) -> io::Result<()> {
        let mut file = temporary::file_in(&self.directory, None)?;
        file.write_all(&encode(key, code))?;
        file.persist(self.entry(key))?;
        Ok(())
    }

    /// Prints the first warning only, because the following ones have the same cause.
    fn warn(&self, problem: &str) {
        if !self.warned.replace(true) {
            // A failure to print the warning is ignored.
            let _ = writeln!(io::stderr(), "warning: {problem}");
        }
    }
}

/// Reads a file. Others, such as a pipe without a writer, are not opened.
fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut content = vec![];
    File::open(path)?.read_to_end(&mut content)?;
    Ok(content)
}

fn checksum(key: Key, flags: u64, object: &[u8]) -> Key {
    Key::of(&[key.0.as_bytes(), &flags.to_le_bytes(), object])
}

fn encode(key: Key, code: &Code) -> Vec<u8> {
    let number = |api| Api::ALL.iter().position(|other| *other == api).map_or(0, |number| 1 + number as u64);
    let api = code.api.map_or(0, number);
    let flags = u64::from(code.parallel) + 2 * api;
    let mut content = MAGIC.to_vec();
    content.extend(flags.to_le_bytes());
    content.extend((code.object.len() as u64).to_le_bytes());
    content.extend(checksum(key, flags, &code.object).0.as_bytes());
    content.extend(&code.object);
    content
}

fn decode(key: Key, content: &[u8]) -> Result<Code> {
    let number = |at: usize| content[at..at + 8].try_into().map(u64::from_le_bytes).unwrap_or_default();
    ensure!(content.len() >= HEADER, "requires {HEADER} bytes at least, but has {}", content.len());
    ensure!(content.starts_with(MAGIC), "it does not start as entries of this version do");
    let (flags, length, object) = (number(16), number(24), &content[HEADER..]);
    ensure!(length == object.len() as u64, "requires {length} bytes of code, but has {}", object.len());
    if content[32..HEADER] != *checksum(key, flags, object).0.as_bytes() {
        bail!("the checksum is wrong");
    }
    let api = (flags / 2).checked_sub(1).and_then(|number| Api::ALL.get(number as usize).copied());
    Ok(Code { object: object.to_vec(), parallel: flags % 2 != 0, api })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{device, target::host::ProcessorOptions};

    fn code() -> Code {
        Code { object: (0..=255).collect(), parallel: true, api: Some(Api::Opencl) }
    }

    fn never() -> Result<Code> {
        bail!("it was compiled")
    }

    fn open() -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("some/where"), false).unwrap().unwrap();
        (folder, cache)
    }

    #[test]
    fn code_is_kept() {
        let (_folder, cache) = open();
        let key = Key::of(&[b"program"]);
        assert_eq!(cache.code(|| Ok(key), || Ok(code())).unwrap(), (code(), Outcome::Miss));
        assert_eq!(cache.code(|| Ok(key), never).unwrap(), (code(), Outcome::Hit));
        let other = Key::of(&[b"another program"]);
        assert!(cache.code(|| Ok(other), never).is_err());
        assert_eq!(fs::read_dir(&cache.directory).unwrap().count(), 1, "only the entry is left in the directory");
    }

    #[test]
    fn code_of_a_source_that_changes_is_not_kept() {
        let (_folder, cache) = open();
        let number = Cell::new(0);
        let key = || Ok(Key::of(&[&[number.replace(number.get() + 1)]]));
        assert_eq!(cache.code(key, || Ok(code())).unwrap(), (code(), Outcome::Miss));
        assert_eq!(fs::read_dir(&cache.directory).unwrap().count(), 0);
    }

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
            Processor::new(&ProcessorOptions { level, features, ..ProcessorOptions::default() }).unwrap()
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

    #[test]
    fn parts_make_different_keys() {
        let keys = [Key::of(&[b"ab"]), Key::of(&[b"a", b"b"]), Key::of(&[b"ab", b""]), Key::of(&[])];
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[..i].contains(key));
        }
    }

    /// Every truncation and every changed byte is detected, and the entry is replaced.
    #[test]
    fn corrupt_entries_are_replaced() {
        let (_folder, cache) = open();
        let key = Key::of(&[b"program"]);
        let whole = encode(key, &code());
        for length in 0..whole.len() {
            assert!(decode(key, &whole[..length]).is_err(), "{length}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert!(decode(key, &changed).is_err(), "{at}");
        }
        assert!(decode(key, &[whole.as_slice(), b"more"].concat()).is_err());
        assert!(decode(Key::of(&[b"another program"]), &whole).is_err(), "the entry of another key");
        fs::write(cache.entry(key), &whole[..HEADER]).unwrap();
        assert_eq!(cache.code(|| Ok(key), || Ok(code())).unwrap(), (code(), Outcome::Miss));
        assert_eq!(cache.code(|| Ok(key), never).unwrap(), (code(), Outcome::Hit));
    }

    #[test]
    fn a_directory_that_cannot_be_used_costs_nothing_but_time() {
        let (folder, cache) = open();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(Cache::open(&file, false).unwrap().is_none());
        assert!(Cache::open(&file.join("below"), false).unwrap().is_none());
        // An entry that cannot be read or replaced, and a directory that has been deleted.
        let key = Key::of(&[b"program"]);
        fs::create_dir(cache.entry(key)).unwrap();
        assert_eq!(cache.code(|| Ok(key), || Ok(code())).unwrap(), (code(), Outcome::Miss));
        fs::remove_dir_all(&cache.directory).unwrap();
        assert_eq!(cache.code(|| Ok(key), || Ok(code())).unwrap(), (code(), Outcome::Miss));
    }

    /// A directory that others can write to is refused, and so is a single entry.
    #[test]
    fn a_directory_is_shared_where_that_is_said() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, cache) = open();
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        for mode in [0o777, 0o770, 0o1777, 0o702] {
            set(&cache.directory, mode);
            let error = Cache::open(&cache.directory, false).unwrap_err().to_string();
            assert!(error.contains(&format!("but it has mode {mode:o} (--cache-shared uses it)")), "{error}");
            assert!(Cache::open(&cache.directory, true).unwrap().is_some());
        }
        set(&cache.directory, 0o755);
        assert!(Cache::open(&cache.directory, false).unwrap().is_some());
        let key = Key::of(&[b"program"]);
        assert_eq!(cache.code(|| Ok(key), || Ok(code())).unwrap().1, Outcome::Miss);
        set(&cache.entry(key), 0o666);
        assert!(cache.read(key).is_err());
        assert_eq!(cache.code(|| Ok(key), || Ok(code())).unwrap().1, Outcome::Miss);
        assert_eq!(cache.code(|| Ok(key), never).unwrap().1, Outcome::Hit);
    }

    #[test]
    fn threads_share_a_directory() {
        let (_folder, cache) = open();
        let (key, directory) = (Key::of(&[b"program"]), &cache.directory);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let cache = Cache::open(directory, false).unwrap().unwrap();
                    for _ in 0..50 {
                        assert_eq!(cache.code(|| Ok(key), || Ok(code())).unwrap().0, code());
                        cache.write(key, &code()).unwrap();
                    }
                    assert!(!cache.warned.get());
                });
            }
        });
        assert_eq!(fs::read_dir(directory).unwrap().count(), 1);
    }
}
