"""The process of a tuner: `python -m mdh tune … --json`, its progress, and how it ends.

    command ──▶ process ──▶ standard output: the result, as JSON
                   └──────▶ standard error: progress on a terminal, warnings, one error
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Sequence
from pathlib import Path

from .. import _platform
from ..errors import TuningError
from ..progress import Progress, progress

__all__ = ["run"]

_LOG = logging.getLogger("mdh")

# What moves the cursor and sets colors.
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# A bar that grows.
_BAR = re.compile(r"\s*[█░]+\s*")
# The names of files of inputs, which nobody else knows.
_FILE = re.compile(r" \('input-\d+\.npy'\)")


def run(arguments: Sequence[str], folder: Path, function: str) -> str:
    """Runs `mdh tune` with arguments, and returns what it prints. An interrupt (Ctrl-C) ends the tuning with what was
    measured; a second one ends the process.

    Args:
        folder: the folder that the process runs in.
        function: the name of the function, for progress.

    Raises:
        TuningError: the process ends without a result; the message is its error.
        KeyboardInterrupt: it was interrupted before the first measurement, or twice.
    """
    if not sys.executable:
        raise TuningError("a tuner requires the executable of Python, but sys.executable is empty")
    # The process ends with this one, however this one ends.
    command = [sys.executable, "-m", "mdh", "tune", *arguments, f"--parent={os.getpid()}"]
    with progress(f"tuning '{function}'") as line, open(folder / "result.json", "w+b") as output:
        read, write = _channel(line.is_shown)
        try:
            environment = {**os.environ, "PYTHONPATH": _platform.search_path()}
            if line.is_shown:
                environment["TERM"] = "xterm"
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=write, cwd=folder, env=environment
            )
        except OSError as error:
            os.close(read)
            raise TuningError(f"'{sys.executable}' cannot be started: {error.strerror}") from error
        finally:
            os.close(write)
        reader = _Reader(read, line, function)
        is_interrupted = _wait(process)
        text = reader.text()
        output.seek(0)
        printed = output.read().decode()
        # On a terminal, there are two interrupts, of which the second one may kill a process that is about to end.
        is_complete = process.returncode == 0 or (is_interrupted and printed.endswith("}\n"))
        if not is_complete:
            if is_interrupted:
                raise KeyboardInterrupt
            raise TuningError(_problem(text, process.returncode))
        for said in text.splitlines():
            if said.startswith("warning: "):
                _LOG.warning(said.removeprefix("warning: "))
        return printed


def _channel(is_terminal: bool) -> tuple[int, int]:
    """The ends of a channel for reading and for writing. The tuner shows progress on a terminal only."""
    if is_terminal:
        with contextlib.suppress(OSError):
            read, write = os.openpty()
            # Lines and columns; longer lines would be cut off.
            fcntl.ioctl(write, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 250, 0, 0))
            return read, write
    return os.pipe()


def _wait(process: subprocess.Popen[bytes]) -> bool:
    """Waits for the end of the process, and returns whether it was interrupted."""
    is_interrupted = False
    try:
        while True:
            try:
                process.wait()
                return is_interrupted
            except KeyboardInterrupt:
                if is_interrupted:
                    raise
                is_interrupted = True
                # On a terminal the process has it already; a notebook may interrupt its own process only.
                process.send_signal(signal.SIGINT)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


class _Reader:
    """Reads what a process says, and shows its progress."""

    def __init__(self, descriptor: int, line: Progress, function: str) -> None:
        self._descriptor = descriptor
        self._line = line
        self._prefix = f"{function}: "
        self._said: list[str] = []
        self._thread = threading.Thread(target=self._read, name="mdh tuner", daemon=True)
        self._thread.start()

    def text(self) -> str:
        """All that it said but progress. Processes that it started may hold the channel open a little longer."""
        self._thread.join(timeout=5)
        return "\n".join(self._said)

    def _read(self) -> None:
        # The end of a terminal is an error.
        with open(self._descriptor, "rb", buffering=0) as channel, contextlib.suppress(OSError):
            rest = ""
            while read := channel.read(1 << 16):
                *lines, rest = re.split(r"\r\n|\r|\n", _CONTROL.sub("", rest + read.decode(errors="replace")))
                self._said += [line for line in lines if not self._is_progress(line)]
                self._is_progress(rest)
        if rest and not self._is_progress(rest):
            self._said.append(rest)

    def _is_progress(self, line: str) -> bool:
        """Whether a line is one of progress, which is shown: a symbol that turns, the function, and what is known; or
        what the evaluator of the reference does, with a bar.
        """
        before, prefix, note = line.partition(self._prefix)
        is_progress = bool(prefix) and len(before.strip()) <= 1
        if not is_progress:
            note, is_progress = _BAR.sub(" ", line), _BAR.search(line) is not None
        if is_progress and self._line.is_shown and note.strip():
            self._line.note = note.strip()
        return is_progress and self._line.is_shown


def _problem(text: str, status: int) -> str:
    """The error that a process has printed, in one line.

    >>> _problem("note: …\\nerror: invalid value 'x'\\n  [possible values: a, b]\\n\\nFor more information, …", 2)
    "invalid value 'x' [possible values: a, b]"
    >>> _problem("", -9)
    'the tuner ended with the status -9'
    """
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if "error: " in line), None)
    if first is None:
        last = next((line for line in reversed(lines) if line.strip()), "")
        return f"the tuner ended with the status {status}{': ' if last else ''}{last}"
    message = []
    for line in lines[first:]:
        if not line.strip():
            break
        message.append(line.strip())
    return _FILE.sub("", " ".join(message).removeprefix("error: "))
