//! Opening files: `tuning.db` -> a connection to a database of the current version, or one error.
//!
//! ```text
//! open            ──▶ created if missing, migrated, shared with other processes (WAL)
//! open_read_only  ──▶ read as it is │ on a read-only file system: as a file that never changes
//!                                   │ of an older version: as a migrated copy in memory
//! ```
use crate::{Database, Error, Kind, Result, failure::os_message, schema};
use rusqlite::{Connection, OpenFlags, config::DbConfig};
use std::{
    ffi::OsString,
    fs,
    io::{ErrorKind, Read as _},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// How long a process waits for others.
const PATIENCE: Duration = Duration::from_secs(20);

/// Flags of all connections: each is used by one thread at a time, and a symbolic link is followed.
const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX;

impl Database {
    /// Opens a database for reading and writing. A file that is missing or empty becomes a new database, and one of an
    /// older version is migrated to the current one. The folder must exist.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_owned();
        let is_new = !exists(&path)?;
        if is_new && let Some(folder) = folder(&path).filter(|folder| !folder.is_dir()) {
            let (path, folder) = (path.display(), folder.display());
            let problem = format!("cannot create the database '{path}': there is no folder '{folder}'");
            return Err(Error::new(Kind::Io, problem));
        }
        let failed = |error: rusqlite::Error| Error::of(&path, &error);
        let flags = FLAGS | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = connect(&plain_name(&path), flags).map_err(failed)?;
        if connection.is_readonly("main").map_err(failed)? {
            return Err(read_only(&path));
        }
        // Files of others and of newer versions are left as they are.
        schema::version(&connection, &path)?;
        write_ahead(&connection).map_err(failed)?;
        // A process that is killed loses nothing that it has committed; a computer that fails may lose the last rows.
        connection.pragma_update(None, "synchronous", "NORMAL").map_err(failed)?;
        schema::migrate(&connection, &path)?;
        Ok(Self { connection, path, can_write: true })
    }

    /// Opens a database for reading, also while others write to it, and on file systems that cannot be written to.
    /// The file is never changed, not even one of an older version; beside it, SQLite may create the files `-wal` and
    /// `-shm`, by which processes take turns.
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_owned();
        if !exists(&path)? {
            return Err(Error::new(Kind::Missing, format!("the database '{}' does not exist", path.display())));
        }
        let shared = connect(&plain_name(&path), FLAGS | OpenFlags::SQLITE_OPEN_READ_ONLY)
            .map_err(|error| Error::of(&path, &error))
            .and_then(|connection| Self::reader(connection, &path));
        match shared {
            // Readers announce themselves to writers in a file in the same folder, which cannot be created.
            Err(error) if matches!(error.kind(), Kind::Io | Kind::ReadOnly) => {
                Self::open_unchanging(&path).map_err(|other| if other.kind() == Kind::Io { error } else { other })
            }
            other => other,
        }
    }

    /// Opens a database that nobody can write to. It is an error if a process has left changes that are not in the
    /// file yet, because they can only be read after a change of the file.
    pub(crate) fn open_unchanging(path: &Path) -> Result<Self> {
        let log = beside(path, "-wal");
        if fs::metadata(&log).is_ok_and(|found| found.len() > 0) {
            let (path, log) = (path.display(), log.display());
            let problem =
                format!("the database '{path}' requires a folder that can be written to once, to apply '{log}'");
            return Err(Error::new(Kind::ReadOnly, problem));
        }
        let flags = FLAGS | OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = connect(&unchanging_name(path), flags).map_err(|error| Error::of(path, &error))?;
        Self::reader(connection, path)
    }

    /// Returns the database of a connection that cannot write.
    fn reader(connection: Connection, path: &Path) -> Result<Self> {
        let is_current = schema::version(&connection, path)? == schema::VERSION;
        let connection = if is_current { connection } else { migrated_copy(&connection, path)? };
        Ok(Self { connection, path: path.to_owned(), can_write: false })
    }
}

/// Returns the error of writing to what cannot be written to.
pub(crate) fn read_only(path: &Path) -> Error {
    Error::new(Kind::ReadOnly, format!("the database '{}' cannot be written to", path.display()))
}

/// True if there is a file; an error if there is something else, or if it cannot be found out.
fn exists(path: &Path) -> Result<bool> {
    let not = |what: &str| {
        Err(Error::new(Kind::NotADatabase, format!("'{}' is {what}, not a database of tuning results", path.display())))
    };
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => not("a folder"),
        Ok(found) if !found.is_file() => not("a device or a pipe"),
        // SQLite would overwrite a file that is shorter than the shortest page.
        Ok(found) if (1..512).contains(&found.len()) => not("a short file"),
        Ok(found) if found.len() > 0 && !begins_as_database(path) => {
            Err(Error::new(Kind::NotADatabase, format!("'{}' is not a database of tuning results", path.display())))
        }
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => {
            Err(Error::new(Kind::Io, format!("cannot open the database '{}': {}", path.display(), os_message(&error))))
        }
    }
}

/// False if a file can be read and does not begin as databases of SQLite do.
fn begins_as_database(path: &Path) -> bool {
    let mut begin = [0; 16];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut begin));
    read.is_err() || begin == *b"SQLite format 3\0"
}

/// Returns the folder of a file, if the path names one.
fn folder(path: &Path) -> Option<&Path> {
    path.parent().filter(|folder| !folder.as_os_str().is_empty())
}

/// Returns the path of a file that SQLite keeps beside a database.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Returns the name by which SQLite opens a file. Relative names that begin with a colon or `file:` would not be files.
fn plain_name(path: &Path) -> PathBuf {
    if path.is_absolute() { path.to_owned() } else { Path::new(".").join(path) }
}

/// Returns the address by which SQLite reads a file without locks, because it never changes.
fn unchanging_name(path: &Path) -> PathBuf {
    // The two slashes are followed by the name of a host, which is empty.
    let mut address = if path.is_absolute() { b"file://".to_vec() } else { b"file:".to_vec() };
    for byte in plain_name(path).as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => address.push(*byte),
            _ => address.extend(format!("%{byte:02X}").bytes()),
        }
    }
    address.extend(b"?immutable=1");
    OsString::from_vec(address).into()
}

fn connect(name: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(name, flags)?;
    connection.busy_timeout(PATIENCE)?;
    // A file may come from somebody else: its schema runs no functions, and damage is found where it is read.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}

/// Makes changes go to a log beside the file, so that readers and a writer do not wait for each other.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let start = Instant::now();
    loop {
        let changed = connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()));
        match changed {
            // SQLite itself does not wait here.
            Err(error) if is_busy(&error) && start.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(2)),
            other => return other,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked))
}

/// Returns a copy in memory that has the current version.
fn migrated_copy(connection: &Connection, path: &Path) -> Result<Connection> {
    let failed = |error: rusqlite::Error| Error::of(path, &error);
    let mut copy = Connection::open_in_memory().map_err(failed)?;
    let backup = rusqlite::backup::Backup::new(connection, &mut copy).map_err(failed)?;
    backup.run_to_completion(i32::MAX, Duration::from_millis(2), None).map_err(failed)?;
    drop(backup);
    schema::migrate(&copy, path)?;
    Ok(copy)
}

#[cfg(test)]
#[path = "open/tests.rs"]
mod tests;
