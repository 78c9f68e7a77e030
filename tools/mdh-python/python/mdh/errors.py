"""The exceptions of the package.

All of them derive from `Error`:

- `TranslationError`: Python code that cannot be translated, or a computation that is not well formed.
- `CompilationError`: a program that the compiler rejects, or options that it does not have.
- `TuningError`, a `CompilationError`: a tuner that has measured nothing.
- `ArgumentTypeError`, `ArgumentValueError`: arguments of a compiled function, and objects of other kinds than a function
  takes; both are an `ArgumentError`.
- `ExecutionError`: a call that failed although its arguments are right.
- `ResultError`: functions that `mdh.benchmark` compares have different results.

`CacheWarning` is a warning: compiled code cannot be kept or found.
"""

from __future__ import annotations

from dataclasses import dataclass


class Error(Exception):
    """The base of all exceptions of this package."""


@dataclass(frozen=True)
class Location:
    """A place in Python code: a file, a line and a column, both counted from 1.

    >>> str(Location("matvec.py", 3, 9))
    'matvec.py:3:9'
    """

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class TranslationError(Error):
    """Python code that cannot be translated.

    The text is `file:line:column: message`; the parts are attributes.

    >>> error = TranslationError("a loop is required", Location("matvec.py", 3, 9))
    >>> str(error)
    'matvec.py:3:9: a loop is required'
    >>> error.line
    3
    """

    def __init__(self, message: str, location: Location) -> None:
        super().__init__(f"{location}: {message}")
        self.message = message
        self.file = location.file
        self.line = location.line
        self.column = location.column


class CompilationError(Error):
    """A program that the compiler rejects, or an option that it does not have."""


class TuningError(CompilationError):
    """A tuner that cannot start, or that ends without a measurement."""


class ArgumentError(Error):
    """Arguments that a compiled function cannot take."""


class ArgumentTypeError(ArgumentError, TypeError):
    """A wrong number of arguments, an argument that is no array, one of another element type, or what is not taken."""


class ArgumentValueError(ArgumentError, ValueError):
    """An array of another shape, a read-only output, or outputs that overlap."""


class ExecutionError(Error):
    """A call that failed although its arguments are right, for example without memory or without the device."""


class CacheWarning(UserWarning):
    """The cache of compiled code cannot be used, which costs only time."""
