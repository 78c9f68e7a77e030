"""Graphs of ATen on complex numbers as graphs on their real and imaginary parts.

    aten.mul(x, y)   -->   a * c - b * d, a * d + b * c

Arguments and results are real tensors with a last dimension of the two parts, in the memory of the complex ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import CompilationError
from ..frameworks.modules import module
from ..messages import without_address
from .complex_functions import FUNCTIONS, PARTWISE, Pair
from .table import table


def has_complex(graph: Any) -> bool:
    """Whether a graph has complex tensors."""
    torch = module("torch", "the backend mdh")
    values = (node.meta.get("val") for node in graph.graph.nodes)
    return any(isinstance(value, torch.Tensor) and value.is_complex() for value in values)


def split(graph: Any) -> Any:
    """A graph on the parts of complex numbers.

    Raises:
        CompilationError: an operation has no equivalent on parts.
    """
    torch = module("torch", "the backend mdh")
    inputs = [node.meta["val"] for node in graph.graph.nodes if node.op == "placeholder"]
    if not all(isinstance(value, torch.Tensor) for value in inputs):
        raise CompilationError("requires complex numbers in a graph of static sizes, but one is dynamic")
    mode = next((value.fake_mode for value in inputs if hasattr(value, "fake_mode")), None)
    if mode is None:
        raise CompilationError("requires a graph with arguments in a graph with complex numbers")
    run = _on_parts(graph)
    trace: Any = module("torch.fx.experimental.proxy_tensor", "the backend mdh").make_fx
    try:
        with mode:
            given = [torch.view_as_real(value.resolve_conj()) if value.is_complex() else value for value in inputs]
            return trace(run, decomposition_table=table(), tracing_mode="real", _allow_non_fake_inputs=True)(*given)
    except CompilationError:
        raise
    except Exception as error:
        raise CompilationError(f"requires operations that act on real and imaginary parts: {without_address(error)}") from error


def _on_parts(graph: Any) -> Callable[..., Any]:
    """The function of a graph on parts."""
    torch = module("torch", "the backend mdh")
    fx = module("torch.fx", "the backend mdh")
    map_aggregate = module("torch.fx.node", "the backend mdh").map_aggregate

    class OnParts(fx.Interpreter):  # type: ignore[misc, name-defined]
        """Executes a graph whose complex values are pairs."""

        extra_traceback = False

        def placeholder(self, target: Any, arguments: Any, named: Any) -> Any:
            return self._paired(super().placeholder(target, arguments, named))

        def get_attr(self, target: Any, arguments: Any, named: Any) -> Any:
            value = super().get_attr(target, arguments, named)
            return self._paired(torch.view_as_real(value.resolve_conj()) if value.is_complex() else value)

        def _paired(self, value: Any) -> Any:
            is_complex = self._node.meta["val"].is_complex() if "val" in self._node.meta else value.is_complex()
            return Pair(value.select(-1, 0), value.select(-1, 1)) if is_complex else value

        def run_node(self, node: Any) -> Any:
            self._node = node
            return super().run_node(node)

        def call_function(self, target: Any, arguments: Any, named: Any) -> Any:
            result = self._node.meta.get("val")
            found: list[bool] = []
            map_aggregate((arguments, named), lambda one: found.append(isinstance(one, (Pair, complex))))
            is_complex = isinstance(result, torch.Tensor) and result.is_complex()
            if not any(found) and not is_complex:
                return super().call_function(target, arguments, named)
            name = str(target).removeprefix("aten.").removesuffix(".default")
            function = FUNCTIONS.get(name) or FUNCTIONS.get(name.partition(".")[0])
            if function is not None:
                return function(*arguments, **named)
            if name.partition(".")[0] not in PARTWISE:
                kinds = [one.meta["val"] for one in (self._node, *self._node.all_input_nodes) if "val" in one.meta]
                kind = next(one.dtype for one in kinds if isinstance(one, torch.Tensor) and one.is_complex())
                raise CompilationError(f"requires real numbers, but has {kind}")

            def of(part: int) -> Any:
                chosen = map_aggregate((arguments, named), lambda one: _chosen(one, part))
                return target(*chosen[0], **chosen[1])

            return Pair(of(0), of(1))

        def output(self, target: Any, arguments: Any, named: Any) -> Any:
            joined = super().output(target, arguments, named)
            return map_aggregate(joined, lambda one: torch.stack((one.re, one.im), -1) if isinstance(one, Pair) else one)

    def _chosen(operand: Any, part: int) -> Any:
        """A part of an operand. The imaginary part of real numbers is 0; conditions and indices are the same for both."""
        if isinstance(operand, (Pair, complex)):
            return operand[part] if isinstance(operand, Pair) else (operand.real, operand.imag)[part]
        is_real = isinstance(operand, torch.Tensor) and operand.is_floating_point()
        return torch.zeros_like(operand) if is_real and part else operand

    return lambda *values: OnParts(graph).run(*values)
