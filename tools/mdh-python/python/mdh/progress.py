"""Progress of long work: a line with the seconds so far, on a terminal and in a notebook; nothing in a pipe.

>>> with progress("compiling 'matmul'") as line:
...     line.note = "raising"  # Shown after the seconds, if the work takes longer than one.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, Protocol, TextIO

__all__ = ["Progress", "progress"]

# Shorter work shows nothing.
DELAY = 1.0
# Seconds between two updates.
PERIOD = 0.25


class Progress:
    """What is shown of work in progress."""

    def __init__(self, is_shown: bool) -> None:
        self.note = ""
        self.is_shown = is_shown
        """Whether there is a terminal or a notebook that shows it."""


class _Display(Protocol):
    """Where a line is shown. An empty text removes it."""

    def show(self, text: str) -> None: ...


class _Terminal:
    """The last line of a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def show(self, text: str) -> None:
        # A terminal that does not know its width says 0. A line as wide as the terminal would begin another one.
        columns = os.get_terminal_size(self._stream.fileno()).columns or 80
        self._stream.write(f"\r\x1b[K{text[: columns - 1]}")
        self._stream.flush()


class _Notebook:
    """An output of the current cell, which is replaced."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self._handle: Any = None

    def show(self, text: str) -> None:
        content = {"text/plain": text}
        if self._handle is None:
            self._handle = self._module.display.display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)


def _display() -> _Display | None:
    """Where progress is shown; None in a pipe, and on a terminal that cannot replace a line."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    if hasattr(shell, "kernel"):
        return _Notebook(module)
    stream = sys.stderr
    # Interpreters without a console have no standard error.
    if stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb":
        return _Terminal(stream)
    return None


def _update(work: str, line: Progress, display: _Display, done: threading.Event) -> None:
    """Shows a line until the work is done."""
    begin = time.monotonic()
    if done.wait(DELAY):
        return
    # A terminal that is closed meanwhile is no reason to fail.
    with contextlib.suppress(OSError, ValueError):
        while True:
            note = f", {line.note}" if line.note else ""
            display.show(f"{work}: {time.monotonic() - begin:.0f} s{note}")
            if done.wait(PERIOD):
                break
        display.show("")


@contextlib.contextmanager
def progress(work: str) -> Iterator[Progress]:
    """Shows that work is in progress, once it has taken a second. It must release Python's global lock meanwhile, as the
    compiler does, or at times.

    Args:
        work: what is done, such as "compiling 'matmul'".
    """
    display = _display()
    line = Progress(display is not None)
    if display is None:
        yield line
        return
    done = threading.Event()
    thread = threading.Thread(target=_update, args=(work, line, display, done), name="mdh progress", daemon=True)
    thread.start()
    try:
        yield line
    finally:
        done.set()
        thread.join()
