"""The decompositions of the backend of PyTorch, by operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .frameworks import module

_TABLE: dict[str, Callable[..., Any]] = {}


def decomposition(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a decomposition of operations of ATen, such as "clamp.default"."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _TABLE.update((name, function) for name in names)
        return function

    return register


def table() -> dict[Any, Callable[..., Any]]:
    """The decompositions, those of torch-mlir among them, by operation."""
    aten = torch_module().ops.aten
    known = dict(module("torch_mlir.extras.fx_decomp_util", "the backend mdh").get_decomposition_table())
    for name, function in _TABLE.items():
        packet, overload = name.split(".")
        known[getattr(getattr(aten, packet), overload)] = function
    return known


def torch_module() -> Any:
    """PyTorch, which is loaded when a graph is compiled."""
    return module("torch", "the backend mdh")
