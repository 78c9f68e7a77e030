"""The options of the scripts, and measurements against NumPy."""

from __future__ import annotations

import argparse
import pathlib
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Choice = TypeVar("Choice")

# After a call, the threads of an OpenMP or BLAS library wait actively for the next one; a measurement of another
# library begins when they are asleep.
PAUSE = 0.3


@dataclass(frozen=True)
class Options:
    """`--size` and `--output`, and measurements of the size."""

    small: bool
    output: pathlib.Path | None

    def size(self, default: Choice, small: Choice) -> Choice:
        """The first one by default, and the second one with `--size small`."""
        return small if self.small else default

    def compare(self, what: str, compiled: Callable[[], Any], reference: Callable[[], Any]) -> None:
        """Measures a call of mdh and one of NumPy, and prints a line; a ratio above 1 says that mdh is faster."""
        theirs = self._seconds(reference)
        ours = self._seconds(compiled)
        print(f"{what}: mdh {duration(ours)}, numpy {duration(theirs)}, ratio {theirs / ours:.1f}", flush=True)

    def _seconds(self, call: Callable[[], Any]) -> float:
        """The median time of several calls, after one that is not measured: the first call touches new memory."""
        call()
        times: list[float] = []
        while len(times) < 3 or (not self.small and len(times) < 25 and sum(times) < 1):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        if not self.small:
            time.sleep(PAUSE)
        return statistics.median(times)


def options(description: str | None) -> Options:
    """The options of a script's command line; a folder for pictures is made if it is missing."""
    summary = (description or "").split("\n", 1)[0]
    parser = argparse.ArgumentParser(description=summary)
    parser.add_argument("--size", choices=("default", "small"), default="default", help="the size of the data")
    parser.add_argument("--output", type=pathlib.Path, metavar="FOLDER", help="a folder that pictures are written to")
    arguments = parser.parse_args()
    if arguments.output is not None:
        arguments.output.mkdir(parents=True, exist_ok=True)
    return Options(arguments.size == "small", arguments.output)


def duration(value: float) -> str:
    """A time in milliseconds.

    >>> duration(0.25), duration(0.0123), duration(0.0000456)
    ('250 ms', '12.3 ms', '0.046 ms')
    """
    milliseconds = 1000 * value
    return f"{milliseconds:.{0 if milliseconds >= 100 else 1 if milliseconds >= 1 else 3}f} ms"
