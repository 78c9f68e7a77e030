"""The sessions of tuners, in a file beside their database, a line for each: its name and its result, as JSON.

The name of a session is a hash of what is tuned, and of the build and the processor that tune it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from typing import Any

from .. import _native

__all__ = ["latest", "name", "read", "write"]

SUFFIX = ".sessions"
# What describes a processor in /proc/cpuinfo; other lines change while it runs.
_FEATURES = ("model name", "flags", "CPU implementer", "CPU part", "Features")


def name(what: Sequence[Any]) -> str:
    """The name of sessions that tune the same: a program, options and arguments."""
    text = json.dumps([_native.__version__, _processor(), *what], default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _processor() -> list[str]:
    """The model and the features of the processor."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            first = file.read().partition("\n\n")[0]
    except OSError:
        return []
    return [line for line in first.splitlines() if line.startswith(_FEATURES)]


def read(database: str, name: str) -> list[dict[str, Any]]:
    """The results of earlier sessions, in order; none without the database. Lines that are damaged are left out."""
    if not os.path.exists(database):
        return []
    try:
        with open(database + SUFFIX, encoding="utf-8", errors="replace") as file:
            lines = file.readlines()
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            entry = json.loads(line)
            if entry["name"] == name:
                found.append(entry["result"])
        except (KeyError, TypeError, ValueError):
            continue
    return found


def write(database: str, name: str, result: dict[str, Any]) -> None:
    """Appends a session. Where that is not possible, the next one begins with the whole budget."""
    try:
        with open(database + SUFFIX, "a", encoding="utf-8") as file:
            file.write(json.dumps({"name": name, "result": result}) + "\n")
    except OSError:
        pass


def latest(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The last session that was not interrupted, else the last one."""
    complete = [result for result in results if not result["interrupted"]]
    return (complete or list(results))[-1]
