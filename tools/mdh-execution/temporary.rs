//! Temporary files in the folder of the final file, named after their process. Files of killed processes are removed by
//! the next process.
//!
//! ```text
//! .mdh-1f2e3d4c-4711-aB3xYz      made by process 4711 of the computer 1f2e3d4c
//! ```
use std::{
    collections::HashSet,
    fs::{self, Permissions},
    io,
    path::{Path, PathBuf},
    process,
    sync::{LazyLock, Mutex, PoisonError},
};
use tempfile::{Builder, NamedTempFile, TempDir};

/// The prefix of all names.
const PREFIX: &str = ".mdh-";

/// A new file in a folder, private unless permissions are given.
pub fn file_in(folder: &Path, permissions: Option<Permissions>) -> io::Result<NamedTempFile> {
    clean(folder);
    let name = prefix();
    let mut builder = Builder::new();
    builder.prefix(&name);
    if let Some(permissions) = permissions {
        builder.permissions(permissions);
    }
    builder.tempfile_in(folder)
}

/// A new folder in a folder.
pub fn folder_in(folder: &Path) -> io::Result<TempDir> {
    clean(folder);
    Builder::new().prefix(&prefix()).tempdir_in(folder)
}

/// Resolves the symbolic links of a path, whose file need not exist. Paths of devices and pipes are returned unchanged,
/// because links in `/proc` to open ones cannot be resolved. Fails for cyclic links.
pub fn target(path: &Path) -> io::Result<PathBuf> {
    /// The limit of Linux.
    const MAX_LINKS: usize = 40;
    let mut target = path.to_owned();
    if is_special(path) {
        return Ok(target);
    }
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&target) else { return Ok(target) };
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(io::Error::from_raw_os_error(libc::ELOOP))
}

/// Returns true for the path of a device or a pipe, which cannot be replaced by a new file and is written to directly.
pub fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|existing| !existing.is_file() && !existing.is_dir())
}

fn prefix() -> String {
    format!("{PREFIX}{}-{}-", *COMPUTER, process::id())
}

/// Identifies this computer or container, because process IDs of others that share the folder are not comparable.
static COMPUTER: LazyLock<String> = LazyLock::new(|| {
    let name = fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
    let processes = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let both = [name.as_slice(), processes.as_os_str().as_encoded_bytes()].concat();
    blake3::hash(&both).to_hex()[..8].to_owned()
});

/// Removes temporary files of ended processes from a folder; once for each folder.
fn clean(folder: &Path) {
    static CLEAN: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    // Without /proc, it is unknown which processes have ended.
    if !Path::new("/proc/self").exists()
        || !CLEAN.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().insert(folder.to_owned())
    {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if !name.to_str().is_some_and(is_left_behind) {
            continue;
        }
        // Files that cannot be removed do no harm.
        let _ = match entry.file_type() {
            Ok(kind) if kind.is_dir() => fs::remove_dir_all(entry.path()),
            _ => fs::remove_file(entry.path()),
        };
    }
}

/// Returns true for the name of a temporary file of an ended process of this computer.
fn is_left_behind(name: &str) -> bool {
    let number = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_prefix(COMPUTER.as_str()));
    let number = number.and_then(|rest| rest.strip_prefix('-')?.split_once('-'));
    number.is_some_and(|(number, _)| number.parse::<u32>().is_ok() && !Path::new("/proc").join(number).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_behind_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = process::Command::new("true").spawn().unwrap();
        let gone = child.id();
        child.wait().unwrap();
        let named = |computer: &str, process: u32| folder.path().join(format!("{PREFIX}{computer}-{process}-x"));
        let stays = [
            named(&COMPUTER, process::id()),
            named("00000000", gone),
            folder.path().join(".mdh-aB3xYz"),
            folder.path().join(format!("{PREFIX}{}-x-y", *COMPUTER)),
        ];
        stays.iter().for_each(|path| fs::write(path, "").unwrap());
        fs::write(named(&COMPUTER, gone), "").unwrap();
        let left = folder.path().join(format!("{PREFIX}{}-{gone}-folder", *COMPUTER));
        fs::create_dir(&left).unwrap();
        fs::write(left.join("output"), "").unwrap();
        drop(file_in(folder.path(), None).unwrap());
        let found: HashSet<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(found, stays.into_iter().collect());
    }

    #[test]
    fn links_lead_to_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (link, leads) in [("a", "b"), ("b", "c"), ("loop", "loop")] {
            std::os::unix::fs::symlink(leads, at(link)).unwrap();
        }
        assert_eq!(target(&at("a")).unwrap(), at("c"));
        assert_eq!(target(&at("plain")).unwrap(), at("plain"));
        assert_eq!(target(&at("loop")).unwrap_err().raw_os_error(), Some(libc::ELOOP));
        assert_eq!(target(Path::new("plain")).unwrap(), Path::new("plain"));
    }
}
