//! Compiled code in a directory, so that a program that has been compiled before is only linked.
//!
//! An entry is a file of its own, named after a [`Key`]: the hash of everything that has an influence on the code. Entries are
//! never changed, only replaced as a whole, so any number of processes may share a directory. What is wrong with a directory or
//! an entry is a warning: the cache saves time, and nothing else depends on it.
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

/// The first bytes of an entry. The number changes with the layout of entries and keys.
const MAGIC: &[u8; 16] = b"mdh object 0001\n";
/// Magic, flags, length of the object file, checksum of key, flags and object file.
const HEADER: usize = 16 + 8 + 8 + 32;

/// A name for compiled code. Equal keys mean equal code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(blake3::Hash);

impl Key {
    fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            // With its length, a part cannot be taken for two.
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Self(hasher.finalize())
    }
}

/// What code is compiled from.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The module as text.
    pub program: &'a str,
    /// The function that is called.
    pub function: &'a str,
    /// How it is lowered.
    pub options: &'a Options,
    /// The machine that schedules are made for.
    pub machine: &'a Machine,
    /// The processor that it is compiled for.
    pub target: &'a Processor,
    /// The device that its kernels are compiled for.
    pub device: Option<&'a Device>,
    /// The device that they run on.
    pub selected: Option<&'a mdh_runtime::Device>,
}

impl Source<'_> {
    /// The key of the code that this build of the tools makes.
    pub fn key(&self) -> Result<Key> {
        // Two builds of one version differ while the tools are being developed.
        let tool = env::current_exe().and_then(fs::read).map_err(|error| anyhow!("{}", plain(&error)));
        self.key_of(&tool.context("cannot read this program's own file")?)
    }

    /// The key of the code that this process makes.
    pub fn key_in_process(&self) -> Result<Key> {
        self.key_of(&[])
    }

    fn key_of(&self, tool: &[u8]) -> Result<Key> {
        let versions = format!("{} {:?}", env!("CARGO_PKG_VERSION"), inkwell::support::get_llvm_version());
        let contents = |what: &str, path: &Option<String>| match path.as_deref().map(Path::new) {
            // A pipe is for the compiler, who reads it once.
            Some(path) if path.exists() && !path.is_file() => bail!("the {what} '{}' is not a file", path.display()),
            // What cannot be read is an error of the compiler.
            Some(path) => Ok(fs::read(path).unwrap_or_default()),
            None => Ok(vec![]),
        };
        let schedule = contents("schedule", &self.options.schedule)?;
        let machine = contents("machine", &self.options.machine)?;
        // What a file says has an influence, where it is written has none.
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
            // Only what is compiled is checked against the device, so that what another one may run is another entry.
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

/// What a cache had to do with some code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The code was there.
    Hit,
    /// It was compiled, and kept if that was possible.
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
    /// Whether others may write to it.
    is_shared: bool,
    warned: Cell<bool>,
}

impl Cache {
    /// The cache in a directory, which is made if it is not there. Where that fails there is a warning, and no cache. Errors say that
    /// others can write to it, unless it is shared with them.
    pub fn open(directory: &Path, is_shared: bool) -> Result<Option<Self>> {
        let cache = Self { directory: directory.to_owned(), is_shared, warned: Cell::new(false) };
        match DirBuilder::new().recursive(true).mode(0o700).create(directory) {
            Ok(()) => {
                // Whoever can write to it decides what code is run.
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

    /// Who else can write to a directory or an entry, if the cache is not shared.
    fn others(&self, found: &fs::Metadata) -> Option<String> {
        /// Owner of what the system itself has made.
        const ROOT: u32 = 0;
        if self.is_shared {
            return None;
        }
        let mode = found.mode() & 0o7777;
        // What is of this process belongs to its user.
        let user = fs::metadata("/proc/self").map_or(found.uid(), |own| own.uid());
        if found.uid() != user && found.uid() != ROOT {
            return Some(format!("it belongs to user {}", found.uid()));
        }
        (mode & 0o022 != 0).then(|| format!("it has mode {mode:o}"))
    }

    /// The code of a key: from the directory, else compiled now and kept.
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
        // A schedule that somebody has changed meanwhile may be older or newer than the code.
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

    /// The code of a key, if there is an entry.
    fn read(&self, key: Key) -> Result<Option<Code>, String> {
        let path = self.entry(key);
        // It may have been put there when others could write to the directory.
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

    /// Puts an entry in its place at once: other processes find the old one, or none, or this.
    fn write(&self, key: Key, code: &Code) -> io::Result<()> {
        let mut file = temporary::file_in(&self.directory, None)?;
        file.write_all(&encode(key, code))?;
        file.persist(self.entry(key))?;
        Ok(())
    }

    /// Prints the first warning; those after it would have the same cause.
    fn warn(&self, problem: &str) {
        if !self.warned.replace(true) {
            // Where nobody can be warned, the run goes on.
            let _ = writeln!(io::stderr(), "warning: {problem}");
        }
    }
}

/// Reads a file; anything else, such as a pipe that nobody writes to, is not opened.
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

    /// Every truncated entry and every changed byte is noticed, and the entry is replaced.
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
        // An entry that cannot be read or replaced, and a directory that is gone.
        let key = Key::of(&[b"program"]);
        fs::create_dir(cache.entry(key)).unwrap();
        assert_eq!(cache.code(|| Ok(key), || Ok(code())).unwrap(), (code(), Outcome::Miss));
        fs::remove_dir_all(&cache.directory).unwrap();
        assert_eq!(cache.code(|| Ok(key), || Ok(code())).unwrap(), (code(), Outcome::Miss));
    }

    /// What others can write to is refused, also an entry alone.
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
