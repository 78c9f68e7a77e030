//! Failures of passes: an error at an operation, with an optional note at another one.
use super::emit;
use crate::ir::Op;
use melior::ir::operation::OperationLike;
use mlir_sys::mlirEmitError;
use std::ffi::CString;

/// An error of a pass. A message without an operation is reported at the operation that the pass runs on.
#[derive(Clone, Debug)]
pub struct Failure<'c> {
    /// The operation at fault; `None` for the operation that the pass runs on.
    pub at: Option<Op<'c>>,
    /// The requirement and how it is violated.
    pub message: String,
    /// Another operation that is involved, and its role in the error.
    pub note: Option<(Op<'c>, String)>,
}

impl<'c> Failure<'c> {
    /// An error at an operation.
    pub fn new(at: Op<'c>, message: impl Into<String>) -> Self {
        Self { at: Some(at), message: message.into(), note: None }
    }

    /// The same error with a note at another operation.
    pub fn with_note(self, at: Op<'c>, message: impl Into<String>) -> Self {
        Self { note: Some((at, message.into())), ..self }
    }

    /// Reports the error in a pass that runs on `root`.
    pub fn emit(&self, root: Op<'_>) {
        match (self.at, &self.note) {
            (Some(at), note) => emit(0, at, &self.message, note.as_slice()),
            (None, _) => {
                // Emitted without the prefix of the operation, which is usually the whole module.
                let message = CString::new(self.message.replace('\0', " ")).unwrap_or_default();
                // SAFETY: the operation is valid, and the text ends in nul.
                unsafe { mlirEmitError(root.location().to_raw(), message.as_ptr()) };
            }
        }
    }
}

impl From<String> for Failure<'_> {
    fn from(message: String) -> Self {
        Self { at: None, message, note: None }
    }
}
