//! What a pass reports: an error at an operation, with a note at a second one where it takes part.
use mdh_dialects::{ir::Op, pass};

/// An error of a pass.
#[derive(Clone, Debug)]
pub struct Failure<'c> {
    /// The operation at fault.
    pub at: Op<'c>,
    /// What is required, and what is there.
    pub message: String,
    /// A second operation and what it has to do with it.
    pub note: Option<(Op<'c>, String)>,
}

impl<'c> Failure<'c> {
    /// An error at an operation.
    pub fn new(at: Op<'c>, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), note: None }
    }

    /// The same error with a note at another operation.
    pub fn with_note(self, at: Op<'c>, message: impl Into<String>) -> Self {
        Self { note: Some((at, message.into())), ..self }
    }

    /// Reports the error.
    pub fn emit(&self) {
        match &self.note {
            Some(note) => pass::emit_error_with_note(self.at, &self.message, std::slice::from_ref(note)),
            None => pass::emit_error(self.at, &self.message),
        }
    }

    /// What a pass returns for a failure: it is reported, so nothing is left to say.
    pub fn report(result: Result<(), Self>) -> Result<(), String> {
        result.map_err(|failure| {
            failure.emit();
            String::new()
        })
    }
}

/// The message of an error of the operating system without its number.
pub fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
