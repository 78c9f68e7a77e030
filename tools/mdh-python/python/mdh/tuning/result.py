"""What a tuner has found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .. import notebook
from ..benchmark import duration

__all__ = ["TuningResult", "result_of"]


@dataclass(frozen=True)
class TuningResult:
    """What a tuner has found. In a notebook it is shown as a table.

    Attributes:
        function: the name of the function.
        default_seconds: the time of a call with the default schedule.
        best_seconds: the time of a call with the best schedule.
        ratio: the time with the best schedule by that with the default one, measured in turns.
        evaluations: the number of schedules that the last session has evaluated, the default one included.
        failed: how many of them have no time.
        elapsed_seconds: the time of the last session.
        is_interrupted: whether an interrupt has ended it.
        schedule: the best schedule as the text of a schedule file (JSON), for `mdh run --schedule`.
        database: the path of the database.
        is_new: whether anything was measured; if not, earlier sessions had used the budget.
    """

    function: str
    default_seconds: float
    best_seconds: float
    ratio: float
    evaluations: int
    failed: int
    elapsed_seconds: float
    is_interrupted: bool
    schedule: str = field(repr=False)
    database: str
    is_new: bool

    def __str__(self) -> str:
        gain = f"{1 / self.ratio:.2f} times as fast"
        default, best = duration(self.default_seconds), duration(self.best_seconds)
        return f"{self.function}: {default} with the default schedule, {best} with the best one, {gain}"

    def _repr_html_(self) -> str:
        failed = f", {self.failed} of them without a time" if self.failed else ""
        rows = [
            ["default", duration(self.default_seconds), "1.00"],
            ["best", duration(self.best_seconds), f"{1 / self.ratio:.2f}"],
        ]
        note = f"{self.function}: {self.evaluations} evaluations{failed} in {self.elapsed_seconds:.0f} s"
        return notebook.table(["schedule", "time", "times as fast"], rows) + f"<p>{notebook.escaped(note)}</p>"


def result_of(session: dict[str, Any], path: str, *, is_new: bool) -> TuningResult:
    """The result of a session. `is_new`: whether it was just measured."""
    return TuningResult(
        function=session["function"],
        default_seconds=session["default_seconds"],
        best_seconds=session["best_seconds"],
        ratio=session["ratio"],
        evaluations=session["evaluations"],
        failed=session["failed"],
        elapsed_seconds=session["elapsed_seconds"],
        is_interrupted=session["interrupted"],
        schedule=session["schedule"],
        database=path,
        is_new=is_new,
    )
