"""Outputs are assigned once for each point: an assignment that a loop of a function repeats is an error.

    for n in range(4): out['y'] = inp['x'] * n      an error, at the loop
    for n in range(4): y = inp['x'] * n             fine: y is a local variable, and out['y'] is assigned after the loop
    for n in range(4): w[i, n] = x[i] * n           fine: another element in each iteration
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from .source import Source


@dataclass
class Repetition:
    """A loop that is being translated. `iteration` is the one that is unrolled; None for a loop of the program, whose
    body is translated once.
    """

    node: ast.For
    iteration: int | None = None
    assigned: dict[Any, int] = field(default_factory=dict)

    def repeats(self, variable: Any) -> bool:
        """Notes that the loop assigns a variable, and returns whether it has done so in another iteration."""
        return self.iteration is None or self.assigned.setdefault(variable, self.iteration) != self.iteration


class Repetitions:
    """The loops around a statement.

    `remedy` says what else to write. `is_left` is whether the path of the statement ends with `break`, so that the
    innermost loop does not repeat it.
    """

    remedy = "assign a local variable in the loop, and {} after it"

    def __init__(self, source: Source) -> None:
        self.source = source
        self.loops: list[Repetition] = []
        self.is_left = False

    def check(self, variable: Any) -> None:
        """Raises `TranslationError` if a loop assigns an output that it has assigned before."""
        repeating = self.loops[:-1] if self.is_left else self.loops
        for loop in repeating:
            if loop.repeats(variable):
                name = ast.unparse(loop.node.target)
                message = f"the loop over '{name}' assigns {variable} more than once: {self.remedy.format(variable)}"
                raise self.source.error(loop.node, message)
