"""The tuner of the published interface: `pyATF(CUDARuntimeProfiler(), evaluations(1000))`.

It is a `Tuner` that is written in another way: the profiler must measure what the backend runs, and the search is that
of `mdh tune`.
"""

from __future__ import annotations

from typing import Any

from .errors import TuningError
from .messages import described
from .tuning.tuner import Tuner

__all__ = ["CPURuntimeProfiler", "CUDARuntimeProfiler", "OpenCLRuntimeProfiler", "evaluations", "pyATF"]


class CPURuntimeProfiler:
    """Measures the time of calls on the processor."""

    target = "cpu"


class CUDARuntimeProfiler:
    """Measures the time of calls on an NVIDIA GPU."""

    target = "cuda"


class OpenCLRuntimeProfiler:
    """Measures the time of calls on an OpenCL device."""

    target = "opencl"


def evaluations(count: int) -> int:
    """The budget of a tuner that ends after a number of evaluations.

    >>> evaluations(1000)
    1000
    """
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise TuningError(f"evaluations requires a number of at least 1, but is {described(count)}")
    return count


class pyATF(Tuner):
    """A tuner with a profiler, or a backend, and a budget; the options are those of `Tuner`.

    Raises:
        TuningError: an option has no meaning.
    """

    def __init__(self, profiler: Any, budget: int | str, **options: Any) -> None:
        super().__init__(budget, **options)
        target = getattr(profiler, "target", None)
        if not isinstance(target, str):
            raise TuningError(f"pyATF requires a profiler, such as CUDARuntimeProfiler(), but has {described(profiler)}")
        # Tuners do not change.
        object.__setattr__(self, "target", target.partition(":")[0])

    def check(self, target: str) -> None:
        """Raises `TuningError` unless the profiler measures on a target."""
        own: Any = getattr(self, "target")
        if own != target.partition(":")[0]:
            raise TuningError(f"the profiler of the tuner measures on {own}, but the backend is {target}")
