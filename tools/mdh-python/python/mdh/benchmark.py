"""Times of functions, compared fairly: `mdh.benchmark(f, *arguments, compare={"numpy": g})`.

>>> result = benchmark(sorted, [3, 1, 2], repeat=3, compare={"again": sorted})
>>> result["again"].runs
3
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from . import agreement, notebook
from .computations.computation import Computation
from .function import Function
from .messages import named_options, wrong_object
from .progress import Progress, progress

__all__ = ["Benchmark", "Timing", "benchmark"]

# A measurement calls a function as often as this many seconds require, because the clock has a resolution.
SHORTEST = 1e-3
# Seconds of consecutive measurements of a function before it is the turn of another one.
TURN = 0.15
# Seconds between two turns: the threads of a call spin on the cores for 0.2 s before they sleep.
PAUSE = 0.25
# Fewer measurements say nothing.
FEWEST = 5
# A median is stable if its confidence interval of 95 % has this width, relative to it.
STABLE = 0.02


@dataclass(frozen=True)
class Timing:
    """The times of one function, in seconds for a call.

    >>> timing = Timing.of([3.0, 1.0, 2.0, 5.0, 4.0], calls=1)
    >>> timing.median, timing.minimum, timing.quartiles
    (3.0, 1.0, (2.0, 4.0))

    Attributes:
        median: half of the measurements are faster.
        minimum: the fastest measurement.
        quartiles: a quarter of the measurements is faster than the first, and slower than the second.
        runs: the number of measurements.
        calls: the number of calls in each measurement, whose mean it is.
    """

    median: float
    minimum: float
    quartiles: tuple[float, float]
    runs: int
    calls: int

    @classmethod
    def of(cls, seconds: list[float], calls: int) -> Timing:
        """The summary of measurements."""
        values = sorted(seconds)
        lower, median, upper = (_quantile(values, part) for part in (0.25, 0.5, 0.75))
        return cls(median, values[0], (lower, upper), len(values), calls)


class Benchmark(Mapping[str, Timing]):
    """The times of functions, by name; the first one is what the others are compared with.

    Printed as a table, also in a notebook. `median`, `minimum` and `quartiles` are those of the first function, in
    seconds; `ratio(name)` is the time of another function by that of the first one.
    """

    def __init__(self, timings: Mapping[str, Timing]) -> None:
        self._timings = dict(timings)
        self.name = next(iter(self._timings))

    def __getitem__(self, name: str) -> Timing:
        return self._timings[name]

    def __iter__(self) -> Any:
        return iter(self._timings)

    def __len__(self) -> int:
        return len(self._timings)

    @property
    def median(self) -> float:
        """The median of the first function, in seconds."""
        return self[self.name].median

    @property
    def minimum(self) -> float:
        """The fastest measurement of the first function, in seconds."""
        return self[self.name].minimum

    @property
    def quartiles(self) -> tuple[float, float]:
        """The quartiles of the first function, in seconds."""
        return self[self.name].quartiles

    def ratio(self, name: str) -> float:
        """How many times longer a function takes than the first one, by the medians."""
        return self[name].median / self.median

    def _rows(self) -> list[list[str]]:
        def row(name: str, timing: Timing) -> list[str]:
            lower, upper = timing.quartiles
            spread = f"{duration(lower)} to {duration(upper)}"
            times = f"{self.ratio(name):.2f}"
            return [name, duration(timing.median), duration(timing.minimum), spread, str(timing.runs), times]

        return [row(name, timing) for name, timing in self.items()]

    def _header(self) -> list[str]:
        return ["function", "median", "minimum", "quartiles", "measurements", "relative"]

    def __repr__(self) -> str:
        lines, columns = [self._header(), *self._rows()], 6 if len(self) > 1 else 5
        widths = [max(len(line[i]) for line in lines) for i in range(columns)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        columns = 6 if len(self) > 1 else 5
        return notebook.table(self._header()[:columns], [row[:columns] for row in self._rows()])


@named_options("mdh.benchmark")
def benchmark(
    function: Any,
    *arguments: Any,
    repeat: int | None = None,
    compare: Mapping[str, Any] | None = None,
    check: bool = True,
    budget: float = 5.0,
    tolerance: float | None = None,
) -> Benchmark:
    """Measures the time of a function, and of others in turns with it.

    Each function is called first until it is warm, which compiles what is compiled at the first call. Then they are
    measured in turns, until the medians are stable or the budget ends. Arguments that a function updates are updated by
    each call.

    Args:
        function: what `mdh.compile`, `mdhc.compile` or `mdh.jit` has returned, or any function.
        arguments: its arguments; for a function of `mdhc.compile` those of a call or of `run`.
        repeat: the number of measurements of each function; by default as many as necessary.
        compare: other functions by name, which are called with the same arguments.
        check: whether the results of all functions must agree, which is checked on copies of the arguments before
            anything is measured: what they return, or the arrays that they update.
        budget: the seconds of all measurements, after which they end even if the medians are not stable.
        tolerance: the largest difference of results that agree, relative to the largest element; by default what the
            element type allows for.

    Raises:
        ResultError: the results do not agree; the message says where.
        ValueError: an option has no meaning.
    """
    if repeat is not None and repeat < 1:
        raise ValueError(f"repeat must be at least 1, but is {repeat}")
    if not budget > 0:
        raise ValueError(f"budget must be positive, but is {budget}")
    name = _name(function)
    functions = {name: function, **(compare or {})}
    if len(functions) != 1 + len(compare or {}):
        raise ValueError(f"compare has the name of the function itself, '{name}'")
    calls = {name: _call(one, arguments) for name, one in functions.items()}
    with progress(f"measuring '{name}'") as line:
        if check and compare:
            agreement.check(functions, calls, arguments, tolerance)
        runs = [_Run(one, call, arguments, line) for one, call in calls.items()]
        _measure(runs, repeat, budget)
    return Benchmark({run.name: Timing.of(run.seconds, run.calls) for run in runs})


def _name(function: Any) -> str:
    """The name of a function in tables."""
    computation = getattr(function, "computation", None)
    for owner in (computation, function):
        name = getattr(owner, "name", None) or getattr(owner, "__name__", None)
        if isinstance(name, str):
            return name
    return type(function).__name__


def _call(function: Any, arguments: Sequence[Any]) -> Callable[..., Any]:
    """What is called: of a compiled computation `run`, if there are arrays for its results, too."""
    if not callable(function) or isinstance(function, Computation):
        raise wrong_object("mdh.benchmark", "functions", function)
    computation = function.computation if isinstance(function, Function) else None
    if computation is not None and len(arguments) != len(computation.inputs):
        return cast(Function, function).run
    return cast(Callable[..., Any], function)


class _Run:
    """The measurements of a function."""

    def __init__(self, name: str, call: Callable[..., Any], arguments: tuple[Any, ...], line: Progress) -> None:
        self.name = name
        self.seconds: list[float] = []
        self.calls = 1
        self._call = call
        self._arguments = arguments
        self._line = line
        self._warm_up()

    def _warm_up(self) -> None:
        """Calls the function until it is compiled and its data is in caches, and decides the calls of a measurement."""
        self._line.note = f"{self.name} for the first time"
        self._once()
        begin = time.perf_counter()
        fastest = min(self._once() for _ in range(2))
        while time.perf_counter() - begin < 0.05:
            fastest = min(fastest, self._once())
        self.calls = max(1, round(SHORTEST / max(fastest, 1e-9)))

    def _once(self) -> float:
        """Seconds of a call, as the mean of several."""
        call, arguments = self._call, self._arguments
        begin = time.perf_counter()
        for _ in range(self.calls - 1):
            call(*arguments)
        agreement.wait(call(*arguments))
        return (time.perf_counter() - begin) / self.calls

    def turn(self, most: int) -> None:
        """Measures for a while, at most this many times."""
        self._line.note = f"{self.name}, {len(self.seconds)} measurements"
        begin = time.perf_counter()
        for _ in range(most):
            self.seconds.append(self._once())
            if time.perf_counter() - begin > TURN:
                break

    def is_stable(self) -> bool:
        """Whether more measurements would hardly change the median."""
        count = len(self.seconds)
        if count < 2 * FEWEST:
            return False
        values = sorted(self.seconds)
        # The ranks of the confidence interval of a median, by the normal approximation of the binomial distribution.
        reach = 0.98 * count**0.5
        lower, upper = max(int(count / 2 - reach), 0), min(int(count / 2 + reach), count - 1)
        return values[upper] - values[lower] <= STABLE * _quantile(values, 0.5)


def _measure(runs: list[_Run], repeat: int | None, budget: float) -> None:
    """Measures functions in turns; which one is first changes from round to round."""
    deadline, collects, order = time.perf_counter() + budget, gc.isenabled(), list(runs)
    gc.disable()
    try:
        while True:
            for run in order:
                if len(order) > 1:
                    time.sleep(PAUSE)
                run.turn(repeat - len(run.seconds) if repeat else 1_000)
            if repeat:
                if all(len(run.seconds) == repeat for run in runs):
                    return
            elif all(run.is_stable() for run in runs):
                return
            elif time.perf_counter() > deadline and all(len(run.seconds) >= FEWEST for run in runs):
                return
            order.append(order.pop(0))
    finally:
        if collects:
            gc.enable()


def _quantile(values: list[float], part: float) -> float:
    """A quantile of sorted values, interpolated.

    >>> _quantile([1.0, 2.0, 4.0], 0.75)
    3.0
    """
    position = part * (len(values) - 1)
    below = int(position)
    above = min(below + 1, len(values) - 1)
    return values[below] + (values[above] - values[below]) * (position - below)


def duration(seconds: float) -> str:
    """A time for readers, with three digits.

    >>> duration(1.5), duration(0.00123), duration(5e-6), duration(2e-9)
    ('1.5 s', '1.23 ms', '5 µs', '2 ns')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds < 1000 * size else f"{seconds / size:.0f} {unit}"
    return f"{seconds * 1e9:.3g} ns"
