//! A directory of compiled code, so that a program that was compiled before is only linked.
//!
//! An entry is a file named after a [`Key`], the hash of everything that affects the code. Entries are never modified,
//! only replaced atomically, so any number of processes may share a directory. Problems with a directory or an entry
//! are warnings, because the cache only saves time.
use crate::{failure::os_message, jit::Code, temporary};
use anyhow::{Result, bail, ensure};
use std::{
    cell::Cell,
    fs::{self, DirBuilder, File},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// The first bytes of an entry. The number changes with the format of entries and keys.
pub const MAGIC: &[u8; 16] = b"mdh object 0003\n";
/// Magic, length of the code, and checksum of key and code.
const HEADER: usize = 16 + 8 + 32;

/// The name of compiled code. Equal keys mean equal code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(blake3::Hash);

impl Key {
    /// The key of everything that affects the code.
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            // Hashing the length makes the division into parts unambiguous.
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Self(hasher.finalize())
    }
}

/// The outcome of a cache look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheOutcome {
    /// The code was in the cache.
    Hit,
    /// The code was compiled, and written to the cache if possible.
    Miss,
    /// No cache was used.
    Off,
}

impl CacheOutcome {
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
pub struct Cache {
    directory: PathBuf,
    /// True if others may write to it.
    is_shared: bool,
    /// The number of bytes that entries may have together.
    limit: Option<u64>,
    warned: Cell<bool>,
    /// Says a warning.
    report: Box<dyn Fn(&str)>,
}

impl Cache {
    /// Opens the cache in a directory, which is created if missing. If that fails, reports a warning and returns `None`.
    /// It is an error if others can write to the directory, unless the cache is shared.
    pub fn open(directory: &Path, is_shared: bool, report: impl Fn(&str) + 'static) -> Result<Option<Self>> {
        let (directory, report) = (directory.to_owned(), Box::new(report));
        let cache = Self { directory, is_shared, limit: None, warned: Cell::new(false), report };
        match DirBuilder::new().recursive(true).mode(0o700).create(&cache.directory) {
            Ok(()) => {
                // A user who can write to the directory decides what code is executed.
                let problem = fs::metadata(&cache.directory).ok().and_then(|found| cache.others(&found));
                if let Some(problem) = problem {
                    bail!(
                        "the cache '{}' requires a directory that nobody else can write to, but {problem}",
                        cache.directory.display()
                    );
                }
                Ok(Some(cache))
            }
            Err(error) => {
                let directory = &cache.directory;
                let there = directory.exists() && !directory.is_dir();
                let problem = if there { "it is not a directory".to_owned() } else { os_message(&error) };
                cache.warn(&format!("cannot use the cache '{}': {problem}", directory.display()));
                Ok(None)
            }
        }
    }

    /// Limits the bytes of all entries together: after a new entry, those that were used least recently are removed.
    pub fn bounded(self, bytes: u64) -> Self {
        Self { limit: Some(bytes), ..self }
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
    ) -> Result<(Code, CacheOutcome)> {
        let at_first = match key() {
            Ok(key) => key,
            Err(problem) => {
                self.warn(&format!("cannot use the cache '{}': {problem:#}", self.directory.display()));
                return Ok((compile()?, CacheOutcome::Off));
            }
        };
        if let Some(code) = self.find(at_first) {
            return Ok((code, CacheOutcome::Hit));
        }
        let code = compile()?;
        // If a schedule file was changed meanwhile, the code may be from before or after the change.
        if key().is_ok_and(|key| key == at_first) {
            self.store(at_first, &code);
        }
        Ok((code, CacheOutcome::Miss))
    }

    /// The code of a key; `None` if there is no entry, or none that can be used.
    pub fn find(&self, key: Key) -> Option<Code> {
        // SAFETY: the checksum shows that a build of the compiler that the key names has written these bytes, if nobody
        // forges them: only the user can write to the directory, or who it is shared with.
        self.found(key, |bytes| unsafe { Code::decode(bytes) })
    }

    /// Makes the code of a key available to others.
    pub fn store(&self, key: Key, code: &Code) {
        self.stored(code.encode().map_err(io::Error::other).and_then(|bytes| self.write(key, &bytes)));
    }

    /// The text of a key that is not one of code; `None` if there is no entry, or none that can be used.
    pub fn find_text(&self, key: Key) -> Option<String> {
        self.found(key, |bytes| Ok(str::from_utf8(bytes)?.to_owned()))
    }

    /// Makes the text of a key that is not one of code available to others.
    pub fn store_text(&self, key: Key, text: &str) {
        self.stored(self.write(key, text.as_bytes()));
    }

    fn found<T>(&self, key: Key, decoded: impl FnOnce(&[u8]) -> Result<T>) -> Option<T> {
        self.read(key, decoded).unwrap_or_else(|problem| {
            self.warn(&problem);
            None
        })
    }

    fn stored(&self, outcome: io::Result<()>) {
        if let Err(error) = outcome {
            self.warn(&format!("cannot write to the cache '{}': {}", self.directory.display(), os_message(&error)));
        }
    }

    fn entry(&self, key: Key) -> PathBuf {
        self.directory.join(key.0.to_hex().as_str())
    }

    /// What the entry of a key holds; `None` if there is no entry.
    fn read<T>(&self, key: Key, decoded: impl FnOnce(&[u8]) -> Result<T>) -> Result<Option<T>, String> {
        let path = self.entry(key);
        // It may have been created when others could write to the directory.
        if let Some(problem) = fs::metadata(&path).ok().and_then(|found| self.others(&found)) {
            return Err(format!("cannot use the cache entry '{}': {problem}", path.display()));
        }
        let content = match read_file(&path) {
            Ok(content) => content,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(format!("cannot read the cache entry '{}': {}", path.display(), os_message(&error)));
            }
        };
        let held = decode(key, &content)
            .and_then(decoded)
            .map_err(|error| format!("cache entry '{}' is corrupt, compiling anew: {error}", path.display()))?;
        if self.limit.is_some() {
            // The time of the last use; that of the first one, if it cannot be changed.
            let _ = File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        }
        Ok(Some(held))
    }

    /// Writes an entry atomically: other processes find the old entry, or none, or this one.
    fn write(&self, key: Key, bytes: &[u8]) -> io::Result<()> {
        let mut file = temporary::file_in(&self.directory, None)?;
        file.write_all(&encode(key, bytes))?;
        file.persist(self.entry(key))?;
        self.limit.map_or(Ok(()), |limit| self.trim(limit))
    }

    /// Removes the entries that were used least recently, until the others have at most `limit` bytes.
    fn trim(&self, limit: u64) -> io::Result<()> {
        let is_entry = |name: &str| name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let mut entries = vec![];
        for entry in fs::read_dir(&self.directory)?.flatten() {
            if entry.file_name().to_str().is_some_and(is_entry)
                && let Ok(found) = entry.metadata()
                && found.is_file()
            {
                entries.push((found.modified()?, found.len(), entry.path()));
            }
        }
        entries.sort();
        let mut bytes: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, size, path) in entries {
            if bytes <= limit {
                break;
            }
            // Another process may have removed it.
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => bytes -= size,
            }
        }
        Ok(())
    }

    /// Reports the first warning only, because the following ones have the same cause.
    fn warn(&self, problem: &str) {
        if !self.warned.replace(true) {
            (self.report)(problem);
        }
    }
}

/// Prints a warning to the standard error; a failure to do so is ignored.
pub fn print_warning(problem: &str) {
    let _ = writeln!(io::stderr(), "warning: {problem}");
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

fn checksum(key: Key, code: &[u8]) -> Key {
    Key::of(&[key.0.as_bytes(), code])
}

fn encode(key: Key, code: &[u8]) -> Vec<u8> {
    let mut content = MAGIC.to_vec();
    content.extend((code.len() as u64).to_le_bytes());
    content.extend(checksum(key, code).0.as_bytes());
    content.extend(code);
    content
}

/// The bytes that an entry holds.
fn decode(key: Key, content: &[u8]) -> Result<&[u8]> {
    ensure!(content.len() >= HEADER, "requires {HEADER} bytes at least, but has {}", content.len());
    ensure!(content.starts_with(MAGIC), "it does not start as entries of this version do");
    let length = content[16..24].try_into().map(u64::from_le_bytes).unwrap_or_default();
    let code = &content[HEADER..];
    ensure!(length == code.len() as u64, "requires {length} bytes of code, but has {}", code.len());
    if content[24..HEADER] != *checksum(key, code).0.as_bytes() {
        bail!("the checksum is wrong");
    }
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::Signature;
    use mdh_runtime::Api;

    fn code() -> Code {
        let signature = Signature { name: "f".to_owned(), arguments: vec![], results: vec![] };
        Code { signature, object: (0..=255).collect(), parallel: true, api: Some(Api::Opencl), in_device_memory: true }
    }

    fn never() -> Result<Code> {
        bail!("it was compiled")
    }

    fn open() -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("some/where"), false, print_warning).unwrap().unwrap();
        (folder, cache)
    }

    #[test]
    fn code_is_kept() {
        let (_folder, cache) = open();
        let key = Key::of(&[b"program"]);
        assert_eq!(cache.code(|| Ok(key), || Ok(code())).unwrap(), (code(), CacheOutcome::Miss));
        assert_eq!(cache.code(|| Ok(key), never).unwrap(), (code(), CacheOutcome::Hit));
        let other = Key::of(&[b"another program"]);
        assert!(cache.code(|| Ok(other), never).is_err());
        assert_eq!(fs::read_dir(&cache.directory).unwrap().count(), 1, "only the entry is left in the directory");
    }

    #[test]
    fn texts_are_kept() {
        let (_folder, cache) = open();
        let [key, other] = [Key::of(&[b"a text"]), Key::of(&[b"another text"])];
        cache.store_text(key, "größer\n");
        assert_eq!(cache.find_text(key).as_deref(), Some("größer\n"));
        assert_eq!(cache.find_text(other), None);
        cache.write(other, &[0xff]).unwrap();
        assert_eq!(cache.find_text(other), None);
        assert!(cache.warned.get());
    }

    #[test]
    fn the_entries_used_least_recently_are_removed() {
        let (_folder, cache) = open();
        let size = encode(Key::of(&[]), &code().encode().unwrap()).len() as u64;
        let cache = cache.bounded(2 * size);
        let keys: Vec<_> = (0..4u8).map(|number| Key::of(&[&[number]])).collect();
        for (age, key) in keys.iter().enumerate() {
            cache.code(|| Ok(*key), || Ok(code())).unwrap();
            let time = SystemTime::now() - std::time::Duration::from_secs(100 - age as u64);
            File::open(cache.entry(*key)).unwrap().set_modified(time).unwrap();
            // It is used after all others.
            assert!(cache.code(|| Ok(keys[0]), never).is_ok());
        }
        let there: Vec<_> = keys.iter().map(|key| cache.entry(*key).exists()).collect();
        assert_eq!(there, [true, false, false, true]);
    }

    #[test]
    fn code_of_a_source_that_changes_is_not_kept() {
        let (_folder, cache) = open();
        let number = Cell::new(0);
        let key = || Ok(Key::of(&[&[number.replace(number.get() + 1)]]));
        assert_eq!(cache.code(key, || Ok(code())).unwrap(), (code(), CacheOutcome::Miss));
        assert_eq!(fs::read_dir(&cache.directory).unwrap().count(), 0);
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
        let whole = encode(key, &code().encode().unwrap());
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
        assert_eq!(cache.code(|| Ok(key), || Ok(code())).unwrap(), (code(), CacheOutcome::Miss));
        assert_eq!(cache.code(|| Ok(key), never).unwrap(), (code(), CacheOutcome::Hit));
    }

    #[test]
    fn a_directory_that_cannot_be_used_costs_nothing_but_time() {
        let (folder, cache) = open();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(Cache::open(&file, false, print_warning).unwrap().is_none());
        assert!(Cache::open(&file.join("below"), false, print_warning).unwrap().is_none());
        // An entry that cannot be read or replaced, and a directory that has been deleted.
        let key = Key::of(&[b"program"]);
        fs::create_dir(cache.entry(key)).unwrap();
        assert_eq!(cache.code(|| Ok(key), || Ok(code())).unwrap(), (code(), CacheOutcome::Miss));
        fs::remove_dir_all(&cache.directory).unwrap();
        assert_eq!(cache.code(|| Ok(key), || Ok(code())).unwrap(), (code(), CacheOutcome::Miss));
    }

    /// A directory that others can write to is refused, and so is a single entry.
    #[test]
    fn a_directory_is_shared_where_that_is_said() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, cache) = open();
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        for mode in [0o777, 0o770, 0o1777, 0o702] {
            set(&cache.directory, mode);
            let error = Cache::open(&cache.directory, false, print_warning).err().unwrap().to_string();
            assert!(error.contains(&format!("but it has mode {mode:o}")), "{error}");
            assert!(Cache::open(&cache.directory, true, print_warning).unwrap().is_some());
        }
        set(&cache.directory, 0o755);
        assert!(Cache::open(&cache.directory, false, print_warning).unwrap().is_some());
        let key = Key::of(&[b"program"]);
        assert_eq!(cache.code(|| Ok(key), || Ok(code())).unwrap().1, CacheOutcome::Miss);
        set(&cache.entry(key), 0o666);
        assert!(cache.read(key, |_| Ok(())).is_err());
        assert_eq!(cache.code(|| Ok(key), || Ok(code())).unwrap().1, CacheOutcome::Miss);
        assert_eq!(cache.code(|| Ok(key), never).unwrap().1, CacheOutcome::Hit);
    }

    #[test]
    fn threads_share_a_directory() {
        let (_folder, cache) = open();
        let (key, directory) = (Key::of(&[b"program"]), &cache.directory);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let cache = Cache::open(directory, false, print_warning).unwrap().unwrap();
                    for _ in 0..50 {
                        assert_eq!(cache.code(|| Ok(key), || Ok(code())).unwrap().0, code());
                        cache.write(key, &code().encode().unwrap()).unwrap();
                    }
                    assert!(!cache.warned.get());
                });
            }
        });
        assert_eq!(fs::read_dir(directory).unwrap().count(), 1);
    }
}
