//! Errors as the exceptions of `mdh.errors`.
use pyo3::{exceptions::PyRuntimeError, prelude::*, sync::PyOnceLock, types::PyType};

/// The kinds of errors.
#[derive(Clone, Copy)]
pub enum Kind {
    /// The program is wrong, or cannot be compiled.
    Compilation,
    /// An argument is no array, or has another element type; there are too many or too few.
    ArgumentType,
    /// An array has another shape, or cannot be written.
    ArgumentValue,
    /// A call has failed, for example without memory.
    Execution,
}

impl Kind {
    /// The name of the exception.
    fn name(self) -> &'static str {
        match self {
            Self::Compilation => "CompilationError",
            Self::ArgumentType => "ArgumentTypeError",
            Self::ArgumentValue => "ArgumentValueError",
            Self::Execution => "ExecutionError",
        }
    }

    /// The exception with a message.
    pub fn error(self, py: Python<'_>, message: impl std::fmt::Display) -> PyErr {
        static CLASSES: [PyOnceLock<Py<PyType>>; 4] = [const { PyOnceLock::new() }; 4];
        match CLASSES[self as usize].import(py, "mdh.errors", self.name()) {
            Ok(class) => PyErr::from_type(class.clone(), message.to_string()),
            Err(_) => PyRuntimeError::new_err(message.to_string()),
        }
    }
}

/// How messages name an object: as those of the Python files do.
pub fn described(thing: &Bound<'_, PyAny>) -> String {
    let messages = thing.py().import("mdh.messages");
    let text = messages.and_then(|messages| messages.call_method1("described", (thing,)));
    text.map_or_else(|_| "something else".to_owned(), |text| text.to_string())
}
