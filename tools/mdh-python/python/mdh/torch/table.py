"""The decompositions of the backend of PyTorch, by operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..frameworks.modules import module

# Operations of which torch-mlir has none, and which PyTorch decomposes.
_OF_PYTORCH = (
    "addmv.default",
    "as_strided_copy.default",
    "bitwise_left_shift.Tensor_Scalar",
    "bitwise_right_shift.Tensor_Scalar",
    "narrow_copy.default",
    "permute_copy.default",
    "unbind_copy.int",
    "view_copy.default",
)

_TABLE: dict[str, Callable[..., Any]] = {}

# Operations whose floats of 16 bits are computed in f32, as PyTorch does.
_IN_F32: list[str] = []


def decomposition(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a decomposition of operations of ATen, such as "clamp.default", or of others, such as "prims.iota.default"."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _TABLE.update((name, function) for name in names)
        return function

    return register


def in_f32(name: str) -> None:
    """Registers an operation whose floats of 16 bits are computed in f32. A decomposition of it is one of other types."""
    _IN_F32.append(name)


def _rounded(operation: Any, of_other_types: Callable[..., Any] | None) -> Callable[..., Any]:
    """The decomposition of an operation of 16 bits: that of f32, rounded."""

    def function(x: Any, *arguments: Any, **named: Any) -> Any:
        torch = torch_module()
        result = named.get("dtype") or x.dtype
        if result in (torch.float16, torch.bfloat16) and x.dtype.is_floating_point:
            rest = {key: value for key, value in named.items() if key != "dtype"}
            return operation(x.to(torch.float32), *arguments, **rest).to(result)
        return NotImplemented if of_other_types is None else of_other_types(x, *arguments, **named)

    return function


def table() -> dict[Any, Callable[..., Any]]:
    """The decompositions, those of torch-mlir among them, by operation."""
    known = dict(module("torch_mlir.extras.fx_decomp_util", "the backend mdh").get_decomposition_table())
    own = module("torch._decomp", "the backend mdh").decomposition_table
    known.update({operation: own[operation] for operation in map(_operation, _OF_PYTORCH)})
    known.update({_operation(name): function for name, function in _TABLE.items()})
    known.update({_operation(name): _rounded(_operation(name), _TABLE.get(name)) for name in _IN_F32})
    return known


def _operation(name: str) -> Any:
    """The operation of a name, that of ATen if it does not say another namespace."""
    *space, packet, overload = name.split(".")
    return getattr(getattr(getattr(torch_module().ops, *space or ["aten"]), packet), overload)


def torch_module() -> Any:
    """PyTorch, which is loaded when a graph is compiled."""
    return module("torch", "the backend mdh")


def promoted(*values: Any) -> tuple[Any, ...]:
    """Two tensors with the type of the results of elementwise operations."""
    dtype = torch_module().result_type(*values)
    return tuple(value if value.dtype == dtype else value.to(dtype) for value in values)


def floats(x: Any) -> Any:
    """The tensor with floats."""
    torch = torch_module()
    return x if x.dtype.is_floating_point or x.dtype.is_complex else x.to(torch.get_default_dtype())


def example(size: Any) -> int:
    """A size, or an example of one that is not known; a conversion would restrict the graph to it."""
    return size if isinstance(size, int) else int(size.node.hint or 0)


def wide(x: Any) -> Any:
    """The tensor with floats in which sums are accumulated."""
    torch = torch_module()
    return x.to(torch.float32) if x.dtype in (torch.float16, torch.bfloat16) else x
