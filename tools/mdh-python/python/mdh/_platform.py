"""What the native modules require, checked before they are loaded: `pip` can be overruled. And where they are found."""

from __future__ import annotations

import os
import re

OLDEST_GLIBC = (2, 36)
"""The C library of the machine that wheels are built for, as in their tag, `manylinux_2_36`."""


def c_library() -> str:
    """The name and version of the C library, such as `glibc 2.36`; empty if it is none that says so.

    >>> c_library().split()[0]
    'glibc'
    """
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, OSError, ValueError):
        return ""


def check(found: str | None = None) -> None:
    """Raises `ImportError` unless the C library, by default that of this process, is new enough.

    >>> check("glibc 2.36")
    >>> check("glibc 2.31")
    Traceback (most recent call last):
    ...
    ImportError: mdh requires Linux with glibc 2.36 or newer, but this system has glibc 2.31
    """
    if found is None:
        found = c_library()
    version = re.fullmatch(r"glibc (\d+)\.(\d+).*", found)
    if version is None or (int(version[1]), int(version[2])) < OLDEST_GLIBC:
        oldest = ".".join(map(str, OLDEST_GLIBC))
        raise ImportError(f"mdh requires Linux with glibc {oldest} or newer, but this system has {found or 'another'}")


def search_path() -> str:
    """`PYTHONPATH` with which another process finds this package and NumPy where this one has found them."""
    import numpy

    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    found = [os.path.dirname(os.path.dirname(os.path.abspath(file))) for file in (__file__, numpy.__file__)]
    return os.pathsep.join(dict.fromkeys(folder for folder in (*found, *given) if folder))
