"""Explanations of compiled functions: `mdh.explain(f)`."""

from __future__ import annotations

import functools
from typing import Any

from . import _native, notebook
from ._native import Request
from .errors import ArgumentTypeError
from .function import Function
from .jax.function import JitFunction
from .messages import wrong_object
from .progress import progress
from .tuning import database

__all__ = ["Explanation", "explain"]


class Explanation:
    """How the computations of a function are executed.

    `str(explanation)` is the output of `mdh explain`: a table of tuning parameters for each computation, and the buffers
    that it needs. In a notebook, an explanation is shown with the pictures of its nests.

    Attributes:
        computations: for each, the tables `parameters` and `buffers`, each with a `header` and `rows`, and `title`,
            `dimensions` with their `name`, `extent` and `operator`, `block`, `why`, `nest` and `svg`.
    """

    def __init__(self, report: dict[str, Any]) -> None:
        self._report = report
        self.computations: list[dict[str, Any]] = report["computations"]

    @property
    def why(self) -> str:
        """What the cost model predicts: time, bytes for each layer of memory, and the bottleneck."""
        return str(self._report["why"])

    @property
    def nest(self) -> str:
        """The loops or kernels, statement by statement."""
        return str(self._report["nest"])

    @property
    def svg(self) -> str:
        """The pictures of the nests, as SVG."""
        return str(self._report["svg"])

    def __str__(self) -> str:
        return str(self._report["text"])

    def __repr__(self) -> str:
        which = (f"@{one['function']}, computation {one['number']}" for one in self.computations)
        return f"<mdh.Explanation of {', '.join(which)}>"

    def _repr_html_(self) -> str:
        return notebook.html_of(self._report)


def explain(function: Any, *arguments: Any, **named: Any) -> Explanation:
    """The schedules and loops of a compiled function.

    Args:
        function: what `mdh.compile`, `mdhc.compile` or `mdh.jit` has returned.
        arguments, named: for a function of `mdh.jit`, arguments of the types and shapes that it is explained for.

    Raises:
        ArgumentTypeError: there is nothing to explain.
    """
    if isinstance(function, JitFunction):
        function = function.compiled(*arguments, **named)
    elif not isinstance(function, Function):
        required = "a compiled function, which mdh.compile, mdhc.compile or mdh.jit returns"
        raise wrong_object("mdh.explain", required, function)
    elif arguments or named:
        raise ArgumentTypeError("only functions of mdh.jit are explained for arguments")
    request = function.executable.request
    return _explained(request, database.state(request.database))


@functools.lru_cache(maxsize=16)
def _explained(request: Request, _: object) -> Explanation:
    """The explanation of a function, of which the last ones are kept: a notebook shows a function again and again.
    Requests with a database have another one when that has changed.
    """
    import json

    with progress(f"explaining '{request.function}'"):
        # This loads MLIR.
        report = _native.explain(request)
    return Explanation(json.loads(report))
