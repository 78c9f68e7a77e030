//! What a key of the cache contains of a database: its bytes, which are looked at before they are read, because a path may
//! name anything, such as a device without an end.
use std::{
    fs::OpenOptions,
    io::{Read, Result},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
};

/// Files that are larger are identified by their size and the time of the last change.
const MOST: u64 = 256 << 20;
/// How databases of SQLite begin.
const DATABASE: &[&[u8]] = &[b"SQLite format 3\0"];
/// How logs beside them begin, in the two orders of bytes.
const LOG: &[&[u8]] = &[b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83"];

/// The contents of a database and of the log beside it, in which the last changes may be. Both are empty if there is no
/// database.
pub fn contents(path: &str) -> [Vec<u8>; 2] {
    match bytes(path, DATABASE) {
        Ok(database) if !database.is_empty() => [database, bytes(&format!("{path}-wal"), LOG).unwrap_or_default()],
        _ => [vec![], vec![]],
    }
}

/// The bytes of a file, or what identifies them; none unless the file begins as one of the given ones.
fn bytes(path: &str, begins: &[&[u8]]) -> Result<Vec<u8>> {
    // To open a pipe must not wait for its other end.
    let mut file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC).open(path)?;
    let status = file.metadata()?;
    let mut found = vec![];
    if !status.is_file() {
        return Ok(found);
    }
    file.by_ref().take(16).read_to_end(&mut found)?;
    if !begins.iter().any(|begin| found.starts_with(begin)) {
        return Ok(vec![]);
    }
    if status.len() > MOST {
        return Ok(format!("{} {} {}", status.len(), status.mtime(), status.mtime_nsec()).into_bytes());
    }
    file.take(MOST).read_to_end(&mut found)?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_databases_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tuned.db").display().to_string();
        let nothing: [Vec<u8>; 2] = [vec![], vec![]];
        let put = |name: &str, text: &[u8]| std::fs::write(folder.path().join(name), text).unwrap();
        for path in ["/dev/zero", "/proc/self/mem", folder.path().to_str().unwrap(), &path] {
            assert_eq!(contents(path), nothing, "{path}");
        }
        put("tuned.db", b"something else");
        put("tuned.db-wal", b"\x37\x7f\x06\x82 and more");
        assert_eq!(contents(&path), nothing);
        put("tuned.db", b"SQLite format 3\0 and rows");
        assert_eq!(contents(&path), [b"SQLite format 3\0 and rows".to_vec(), b"\x37\x7f\x06\x82 and more".to_vec()]);
        std::fs::File::create(&path).unwrap().set_len(MOST + 1).unwrap();
        assert_eq!(contents(&path), nothing);
    }
}
