"""What frameworks' programs cannot be compiled is remembered, in the cache on disk: they are tried once."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from .. import _native
from ..errors import CompilationError
from .fallback import Options

# Causes that may be gone the next time.
_PASSING = (OSError, MemoryError)


@contextlib.contextmanager
def remembered(options: Options, *program: object) -> Iterator[None]:
    """A context that compiles a program. If it has failed before, in any process, it fails at once.

    Args:
        program: what determines the outcome beside the options, such as the text and the version of the framework.

    Raises:
        CompilationError: that of the context, or the one that is remembered.
    """
    if options.database is not None:
        # The files of a database change.
        yield
        return
    text = "\n".join(map(str, (options.threads, options.strict, *program)))
    problem = _native.remembered_problem(text)
    if problem is not None:
        raise CompilationError(problem)
    try:
        yield
    except CompilationError as error:
        if not isinstance(error.__cause__, _PASSING):
            _native.remember_problem(text, str(error))
        raise
