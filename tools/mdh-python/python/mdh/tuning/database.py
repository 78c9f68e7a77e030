"""Databases of tuned schedules: how an option names one, and which one a tuner uses by default."""

from __future__ import annotations

import os

from ..errors import CompilationError
from ..messages import described

__all__ = ["VARIABLE", "Database", "default_path", "path_of", "state"]

VARIABLE = "MDH_DATABASE"
"""The environment variable that names a database."""

Database = str | os.PathLike[str]
"""The path of a database."""


def path_of(database: Database | None) -> str | None:
    """The path as text, which the compiler requires; None if there is none.

    >>> import pathlib
    >>> path_of(pathlib.Path("tuned.db"))
    'tuned.db'

    Raises:
        CompilationError: it is no path, or one that is not UTF-8.
    """
    if database is None:
        return None
    path: object = os.fspath(database) if isinstance(database, os.PathLike) else database
    if not isinstance(path, str):
        raise CompilationError(f"a database must be a path, but is {described(database)}")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise CompilationError(f"a database must be a path in UTF-8, but is {path!r}") from None
    return path


def default_path() -> str | None:
    """The database of a tuner without one: that of `MDH_DATABASE`, else `mdh/tuned.db` in `$XDG_STATE_HOME` or
    `~/.local/state`, because results of hours must survive a cache that is cleared. None if there is no home.
    """
    named = os.environ.get(VARIABLE)
    if named:
        return named
    state = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(state):
        state = os.path.join(os.environ.get("HOME", ""), ".local", "state")
    return os.path.join(state, "mdh", "tuned.db") if os.path.isabs(state) else None


def state(database: str | None) -> tuple[tuple[int, int], ...]:
    """Something that changes with a database: the times and the sizes of its file and its log, if there are any."""
    found = []
    for path in () if database is None else (database, f"{database}-wal"):
        try:
            status = os.stat(path)
        except OSError:
            continue
        found.append((status.st_mtime_ns, status.st_size))
    return tuple(found)
