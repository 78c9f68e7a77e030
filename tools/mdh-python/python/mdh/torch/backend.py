"""A backend of `torch.compile`: `torch.compile(model, backend="mdh")`.

    model --TorchDynamo--> graphs --AOTAutograd--> graphs of ATen --torch_mlir--> linalg --mdh.compile--> functions

A graph, or the part of it, that cannot be compiled is executed by PyTorch.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, cast

from ..errors import CompilationError, Error
from ..frameworks import fallback
from ..frameworks.fallback import Options
from ..frameworks.modules import module
from ..messages import described, instead
from ..tuning.database import path_of
from . import (
    attention,  # noqa: F401 its decompositions
    decompositions,  # noqa: F401 its decompositions
    divisions,  # noqa: F401 its decompositions
    statistics,  # noqa: F401 its decompositions
    training,  # noqa: F401 its decompositions
)
from .graph import Subgraph, calls
from .partition import partition, problem
from .table import table

__all__ = ["compile_graph"]

_LOG = logging.getLogger("mdh.torch")


def compile_graph(
    graph: Any, inputs: Sequence[Any], *, options: dict[str, Any] | None = None, mode: str | None = None
) -> Callable[..., Any]:
    """Compiles a graph of TorchDynamo; `torch.compile` calls it.

    Args:
        graph: a `torch.fx.GraphModule`.
        inputs: its inputs, as fake tensors.
        options: those of `torch.compile(model, backend="mdh", options=…)`:
            threads: the number of threads of a call; that of PyTorch by default.
            strict: whether floats are combined and rounded as the program says, instead of reassociated.
            database: the path of a database of tuned schedules, which replace default ones; by default that of the
                environment variable MDH_DATABASE, and none if it is "".
            verbose: whether what PyTorch executes itself, and why, is printed; it is logged as "mdh.torch" anyway.
            fallback: whether PyTorch executes what cannot be compiled; if not, that is an error.
        mode: that of `torch.compile`; this backend has none.

    Raises:
        Error: PyTorch or torch-mlir is not installed, or an option is wrong.
        CompilationError: a graph cannot be compiled, and `fallback` is false.
    """
    if mode is not None:
        raise Error(f"the backend mdh has options, but no modes: mode must be None, but is {described(mode)}")
    chosen = _chosen(options or {})
    common = module("torch._dynamo.backends.common", "the backend mdh")
    known = table()

    def compiled(graph: Any, inputs: Sequence[Any]) -> Any:
        boxed: Any = module("functorch.compile", "the backend mdh").make_boxed_func
        return boxed(_compiled(graph, chosen))

    made = common.aot_autograd(fw_compiler=compiled, bw_compiler=compiled, decompositions=known)(graph, inputs)
    return cast(Callable[..., Any], made)


def _chosen(options: dict[str, Any]) -> Options:
    """Checks the options."""
    known = Options.__dataclass_fields__
    for name, value in options.items():
        if name not in known:
            raise Error(f"the backend mdh has no option '{name}'{instead(name, known)}")
        if name == "threads":
            if value is not None and (type(value) is not int or value < 1):
                raise Error(f"the option threads of the backend mdh must be a positive integer, but is {described(value)}")
        elif name == "database":
            options = {**options, name: path_of(value)}
        elif type(value) is not bool:
            raise Error(f"the option {name} of the backend mdh must be True or False, but is {described(value)}")
    return Options(**options)


def _compiled(graph: Any, options: Options) -> Callable[..., Any]:
    """A graph of ATen as a function of its inputs."""
    count = len(calls(graph))
    if count == 0:
        return cast(Callable[..., Any], graph.forward)
    try:
        function = Subgraph(graph, options)
    except CompilationError as error:
        if not options.fallback:
            raise problem(graph, options, error) from error
        whole = error
    else:
        fallback.say(_LOG, options, [f"a graph of {fallback.operations(count)} is compiled"])
        return function
    parts, outcome = partition(graph, options)
    reasons = outcome.reasons or {"the graph": str(whole)}
    fallback.say(_LOG, options, fallback.report("PyTorch", "graph", count, reasons, outcome.compiled))
    return cast(Callable[..., Any], parts.forward)
