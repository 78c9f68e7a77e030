"""Decompositions of operations of ATen that torch-mlir lowers to other numbers than PyTorch's: NaN, divisions, sums of 16 bits,
and indices.

Each is a function like its operation, of operations that torch-mlir lowers as they are; it returns `NotImplemented` for
arguments that torch-mlir lowers rightly.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from typing import Any

from .frameworks import module
from .torch_table import decomposition, torch_module


def _promoted(*values: Any) -> tuple[Any, ...]:
    """Tensors with the type of the results of elementwise operations."""
    dtype = functools.reduce(torch_module().promote_types, [value.dtype for value in values])
    return tuple(value if value.dtype == dtype else value.to(dtype) for value in values)


# NaN is the larger and the smaller of two numbers, and stays where a number is limited.


@decomposition("maximum.default")
def _maximum(a: Any, b: Any) -> Any:
    a, b = _promoted(a, b)
    if a.dtype.is_floating_point:
        return torch_module().where((a >= b) | torch_module().isnan(a), a, b)
    return a | b if a.dtype is torch_module().bool else NotImplemented


@decomposition("minimum.default")
def _minimum(a: Any, b: Any) -> Any:
    a, b = _promoted(a, b)
    if a.dtype.is_floating_point:
        return torch_module().where((a <= b) | torch_module().isnan(a), a, b)
    return a & b if a.dtype is torch_module().bool else NotImplemented


@decomposition("clamp.default", "hardtanh.default")
def _clamp(x: Any, low: Any = None, high: Any = None) -> Any:
    torch = torch_module()
    dtype = torch.result_type(x, next((one for one in (low, high) if isinstance(one, float)), 0))
    x = x if x.dtype == dtype else x.to(dtype)
    for bound, is_outside in ((low, torch.lt), (high, torch.gt)):
        if bound is not None:
            limit = torch.scalar_tensor(bound, dtype=dtype)
            x = torch.full_like(x, bound) if math.isnan(bound) else torch.where(is_outside(x, limit), limit, x)
    return x


@decomposition("clamp_min.default")
def _clamp_min(x: Any, low: Any) -> Any:
    return _clamp(x, low)


@decomposition("clamp_max.default")
def _clamp_max(x: Any, high: Any) -> Any:
    return _clamp(x, None, high)


@decomposition("clamp.Tensor")
def _clamp_tensor(x: Any, low: Any = None, high: Any = None) -> Any:
    x = x if low is None else torch_module().maximum(x, low)
    return x if high is None else torch_module().minimum(x, high)


@decomposition("clamp_min.Tensor")
def _clamp_min_tensor(x: Any, low: Any) -> Any:
    return torch_module().maximum(x, low)


@decomposition("clamp_max.Tensor")
def _clamp_max_tensor(x: Any, high: Any) -> Any:
    return torch_module().minimum(x, high)


def _extremes(x: Any, is_largest: bool, dim: int) -> tuple[Any, Any]:
    """The extreme elements of floats along a dimension, and their first positions; the first NaN, if there is any."""
    torch = torch_module()
    values = torch.amax(x, dim, True) if is_largest else torch.amin(x, dim, True)
    found = ((x == values) | torch.isnan(x)).to(torch.int32)
    return values, torch.argmax(found, dim, True)


def _of_dimension(is_largest: bool, x: Any, dim: int, keepdim: bool = False) -> Any:
    if not x.dtype.is_floating_point or x.dim() == 0:
        return NotImplemented
    values, indices = _extremes(x, is_largest, dim)
    return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))


def _position(is_largest: bool, x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    if not x.dtype.is_floating_point or x.dim() == 0:
        return NotImplemented
    flat, axis = (x.reshape(-1), 0) if dim is None else (x, dim)
    indices = _extremes(flat, is_largest, axis)[1]
    if dim is None:
        return indices.reshape([1] * x.dim() if keepdim else [])
    return indices if keepdim else indices.squeeze(axis)


decomposition("max.dim")(functools.partial(_of_dimension, True))
decomposition("min.dim")(functools.partial(_of_dimension, False))
decomposition("argmax.default")(functools.partial(_position, True))
decomposition("argmin.default")(functools.partial(_position, False))


# Divisions.


def _floats(x: Any) -> Any:
    """The tensor with floats."""
    torch = torch_module()
    return x if x.dtype.is_floating_point else x.to(torch.get_default_dtype())


@decomposition("reciprocal.default")
def _reciprocal(x: Any) -> Any:
    x = _floats(x)
    return torch_module().scalar_tensor(1.0, dtype=x.dtype) / x


def _remainder_of_truncation(a: Any, b: Any) -> Any:
    """The remainder with the sign of the dividend: exact, also if the quotient is large."""
    torch = torch_module()
    divisor = torch.scalar_tensor(abs(b), dtype=a.dtype) if _is_number(b) else b.abs()
    rest = torch.remainder(a.abs(), divisor)
    return torch.where(a < 0, -rest, rest)


def _is_number(x: Any) -> bool:
    return not isinstance(x, torch_module().Tensor)


def _truncated(a: Any, b: Any) -> Any:
    """The quotient of integers, rounded to zero; that of the least integer and -1 is the least integer, as in PyTorch."""
    torch = torch_module()
    if _is_number(b):
        is_minus_one, divisor = b == -1, torch.scalar_tensor(1 if b == -1 else b, dtype=a.dtype)
    else:
        is_minus_one = b == -1
        divisor = torch.where(is_minus_one, 1, b)
    _division.is_plain = True
    try:
        quotient = torch.div(a, divisor, rounding_mode="trunc")
    finally:
        _division.is_plain = False
    if _is_number(b):
        return a * -1 if is_minus_one else quotient
    return torch.where(is_minus_one, a * -1, quotient)


# Whether the division that is decomposed, by this thread, is to be lowered as it is.
_division = threading.local()


def _floor_of_integers(a: Any, b: Any) -> Any:
    torch = torch_module()
    quotient = _truncated(a, b)
    return torch.where(_has_other_sign(a - quotient * b, b), quotient - 1, quotient)


def _has_other_sign(rest: Any, b: Any) -> Any:
    """Whether a remainder is not 0, and has another sign than the divisor."""
    if _is_number(b):
        return rest > 0 if b < 0 else rest < 0
    return ((rest < 0) & (b > 0)) | ((rest > 0) & (b < 0))


def _floor_of_floats(a: Any, b: Any) -> Any:
    """As PyTorch and Python do: the quotient of what the remainder leaves, which is nearly an integer."""
    torch = torch_module()
    divisor = torch.scalar_tensor(b, dtype=a.dtype) if _is_number(b) else b
    rest = _remainder_of_truncation(a, b)
    quotient = (a - rest) / divisor
    quotient = torch.where(_has_other_sign(rest, b), quotient - 1, quotient)
    floor = torch.floor(quotient)
    floor = torch.where(quotient - floor > 0.5, floor + 1, floor)
    exact = a / divisor
    floor = torch.where(quotient == 0, exact * 0, floor)
    if _is_number(b):
        return floor if b else exact
    return torch.where(b == 0, exact, floor)


def _with_types(a: Any, b: Any) -> tuple[Any, ...]:
    """Operands with the type of the result; a number stays one. torch-mlir folds comparisons of constants wrongly, or crashes."""
    torch = torch_module()
    if not _is_number(b):
        return _promoted(a, b)
    dtype = torch.result_type(a, b)
    a = a if a.dtype == dtype else a.to(dtype)
    return a, float(b) if dtype.is_floating_point else int(b)


@decomposition("fmod.Tensor", "fmod.Scalar")
def _fmod(a: Any, b: Any) -> Any:
    a, b = _with_types(a, b)
    return _remainder_of_truncation(a, b) if a.dtype.is_floating_point else a - _truncated(a, b) * b


@decomposition("remainder.Tensor", "remainder.Scalar")
def _remainder(a: Any, b: Any) -> Any:
    a, b = _with_types(a, b)
    return NotImplemented if a.dtype.is_floating_point else a - _floor_of_integers(a, b) * b


@decomposition("div.Tensor_mode", "div.Scalar_mode")
def _div(a: Any, b: Any, *, rounding_mode: str | None = None) -> Any:
    torch = torch_module()
    if rounding_mode is None:
        return torch.true_divide(a, b)
    if getattr(_division, "is_plain", False):
        return NotImplemented
    a, b = _with_types(a, b)
    if a.dtype.is_floating_point:
        return torch.trunc(a / b) if rounding_mode == "trunc" else _floor_of_floats(a, b)
    return _floor_of_integers(a, b) if rounding_mode == "floor" else _truncated(a, b)


@decomposition("floor_divide.default", "floor_divide.Scalar")
def _floor_divide(a: Any, b: Any) -> Any:
    return _div(a, b, rounding_mode="floor")


@decomposition("gelu.default")
def _gelu(x: Any, *, approximate: str = "none") -> Any:
    if approximate != "tanh":
        return NotImplemented
    torch = torch_module()
    wide = x.to(torch.float32) if x.dtype in (torch.float16, torch.bfloat16) else x
    inner = math.sqrt(2 / math.pi) * (wide + 0.044715 * (wide * wide * wide))
    return (0.5 * wide * (1 + torch.tanh(inner))).to(x.dtype)


# Sums and products of 16 bits are accumulated in f32, as PyTorch does.


def _accumulated(name: str) -> Callable[..., Any]:
    """The decomposition of a reduction, a scan or a pooling."""

    def function(x: Any, *arguments: Any, dtype: Any = None, **named: Any) -> Any:
        torch = torch_module()
        result = x.dtype if dtype is None else dtype
        if result not in (torch.float16, torch.bfloat16) or not x.dtype.is_floating_point:
            return NotImplemented
        packet, overload = name.split(".")
        operation = getattr(getattr(torch.ops.aten, packet), overload)
        return operation(x.to(torch.float32), *arguments, **named).to(result)

    return function


for _name in (
    "avg_pool2d.default",
    "avg_pool3d.default",
    "cumprod.default",
    "cumsum.default",
    "mean.default",
    "mean.dim",
    "prod.default",
    "prod.dim_int",
    "sum.default",
    "sum.dim_IntList",
):
    decomposition(_name)(_accumulated(_name))


# Indices of these do not count from the end; those of the operations that they become do.


def _from_the_start(name: str) -> Callable[..., Any]:
    """The decomposition of a write at indices along a dimension."""

    def function(x: Any, dim: int, index: Any, *arguments: Any, **named: Any) -> Any:
        torch = torch_module()
        if x.dim() == 0:
            return NotImplemented
        # What is outside is an error.
        inside = torch.where(index < 0, x.shape[dim], index)
        written = getattr(module("torch._decomp.decompositions", "the backend mdh"), name)
        return written(x, dim, inside, *arguments, **named)

    return function


decomposition("index_add.default")(_from_the_start("index_add"))
decomposition("index_copy.default")(_from_the_start("index_copy"))
