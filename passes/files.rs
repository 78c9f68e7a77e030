//! The files that options of passes name. Passes do no input or output, so the tool that registers them reads.
use crate::failure::os_message;
use std::{io, sync::OnceLock};

/// A function of the tool, which returns the text of a file.
pub type FileReader = fn(&str) -> io::Result<String>;

static READER: OnceLock<FileReader> = OnceLock::new();

/// Sets the reader of this process. The first one stays.
pub fn set(reader: FileReader) {
    READER.get_or_init(|| reader);
}

/// The reader of this process. The error is that there is none.
pub(crate) fn reader() -> Result<FileReader, String> {
    READER.get().copied().ok_or_else(|| "a file requires a tool that reads files, such as mdh-opt".to_owned())
}

/// The text of a file; `what` it is, for the message of an error.
pub(crate) fn read(reader: FileReader, what: &str, path: &str) -> Result<String, String> {
    reader(path).map_err(|error| format!("cannot read the {what} file {path}: {}", os_message(&error)))
}
