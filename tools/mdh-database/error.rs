//! Errors of a database: `SQLITE_FULL` -> "the database 'tuning.db' cannot grow: the disk is full".
use rusqlite::ErrorCode;
use std::{fmt, path::Path};

/// The result of an operation on a database.
pub type Result<T> = std::result::Result<T, Error>;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// There is no file.
    Missing,
    /// The file is a folder, of another format, or a database of another program.
    NotADatabase,
    /// The file is damaged or cut off.
    Corrupt,
    /// A newer version of the tools has written the file.
    Newer,
    /// The file, its folder or the file system cannot be written to.
    ReadOnly,
    /// The file system or the quota is full.
    Full,
    /// Another process has locked the file for too long.
    Busy,
    /// The operating system cannot open, read or write the file.
    Io,
    /// A value that cannot be recorded, imported or exported.
    Invalid,
}

/// An error of a database, in one sentence that names the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
    message: String,
}

impl Error {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Returns the error of a damaged file.
    pub(crate) fn corrupt(path: &Path, problem: impl fmt::Display) -> Self {
        Self::new(Kind::Corrupt, format!("the database '{}' is corrupt: {problem}", path.display()))
    }

    /// Returns the error of a file that SQLite cannot use.
    pub(crate) fn of(path: &Path, error: &rusqlite::Error) -> Self {
        let path_text = path.display();
        let (kind, message) = match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => {
                (Kind::NotADatabase, format!("'{path_text}' is not a database of tuning results"))
            }
            Some(ErrorCode::ReadOnly) => {
                (Kind::ReadOnly, format!("the database '{path_text}' is read-only, or its folder is"))
            }
            Some(ErrorCode::DiskFull) => {
                (Kind::Full, format!("the database '{path_text}' cannot grow: the disk or the quota is full"))
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
                (Kind::Busy, format!("the database '{path_text}' is locked by another process"))
            }
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => (
                Kind::Io,
                format!("cannot open the database '{path_text}': this process may not open it or write to its folder"),
            ),
            Some(ErrorCode::SystemIoFailure | ErrorCode::OutOfMemory) => {
                (Kind::Io, format!("cannot read or write the database '{path_text}': {}", detail(error)))
            }
            // A missing table, a value of another type or a violated constraint: not what was written.
            _ => return Self::corrupt(path, detail(error)),
        };
        Self::new(kind, message)
    }

    /// Returns what is wrong.
    pub fn kind(&self) -> Kind {
        self.kind
    }
}

/// Returns the message of SQLite without its number.
fn detail(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(code, None) => code.to_string(),
        rusqlite::Error::SqliteFailure(_, Some(text)) => text.clone(),
        rusqlite::Error::FromSqlConversionFailure(_, _, problem) => problem.to_string(),
        _ => error.to_string(),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
