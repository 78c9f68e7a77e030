"""Decompositions of operations of ATen that torch-mlir lowers to other numbers than PyTorch's: NaN, sums of 16 bits,
integers, and indices.

Each is a function like its operation, of operations that torch-mlir lowers as they are; it returns `NotImplemented` for
arguments that torch-mlir lowers rightly.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from ..frameworks.modules import module
from .table import decomposition, floats, in_f32, promoted, torch_module


# NaN is the larger and the smaller of two numbers, and stays where a number is limited.


@decomposition("maximum.default")
def _maximum(a: Any, b: Any) -> Any:
    a, b = promoted(a, b)
    if a.dtype.is_floating_point:
        return torch_module().where((a >= b) | torch_module().isnan(a), a, b)
    return a | b if a.dtype is torch_module().bool else NotImplemented


@decomposition("minimum.default")
def _minimum(a: Any, b: Any) -> Any:
    a, b = promoted(a, b)
    if a.dtype.is_floating_point:
        return torch_module().where((a <= b) | torch_module().isnan(a), a, b)
    return a & b if a.dtype is torch_module().bool else NotImplemented


@decomposition("fmax.default")
def _fmax(a: Any, b: Any) -> Any:
    torch = torch_module()
    a, b = promoted(a, b)
    return torch.where((b > a) | torch.isnan(a), b, a) if a.dtype.is_floating_point else torch.maximum(a, b)


@decomposition("fmin.default")
def _fmin(a: Any, b: Any) -> Any:
    torch = torch_module()
    a, b = promoted(a, b)
    return torch.where((b < a) | torch.isnan(a), b, a) if a.dtype.is_floating_point else torch.minimum(a, b)


@decomposition("clamp.default")
def _clamp(x: Any, low: Any = None, high: Any = None) -> Any:
    torch = torch_module()
    dtype = torch.result_type(x, next((one for one in (low, high) if isinstance(one, float)), 0))
    x = x if x.dtype == dtype else x.to(dtype)
    for bound, is_outside in ((low, torch.lt), (high, torch.gt)):
        if bound is not None:
            limit = torch.scalar_tensor(bound, dtype=dtype)
            x = torch.full_like(x, bound) if math.isnan(bound) else torch.where(is_outside(x, limit), limit, x)
    return x


@decomposition("hardtanh.default")
def _hardtanh(x: Any, low: Any = -1, high: Any = 1) -> Any:
    """Limits, which are integers for integers."""
    return _clamp(x, low, high) if x.dtype.is_floating_point else _clamp(x, int(low), int(high))


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


# Integers.


@decomposition("neg.default")
def _neg(x: Any) -> Any:
    """torch-mlir negates integers as floats."""
    return NotImplemented if x.dtype.is_floating_point or x.dtype.is_complex else x * -1


@decomposition("add.Tensor", "add.Scalar")
def _add(x: Any, y: Any, alpha: Any = 1) -> Any:
    """The sum of bool, which torch-mlir takes modulo 2 for a number."""
    torch = torch_module()
    if not (isinstance(x, torch.Tensor) and x.dtype is torch.bool and isinstance(y, bool)):
        return NotImplemented
    return torch.ones_like(x) if y and alpha else x.clone()


@decomposition("prims.scalar_tensor.default")
def _scalar_tensor(value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return torch_module().scalar_tensor(value, dtype=dtype, device=device)


def _with_bits(name: str, x: Any, bits: Any) -> Any:
    """An operation on bits with a number."""
    torch = torch_module()
    return getattr(torch, name)(x, _scalar_tensor(bits, dtype=torch.result_type(x, bits)))


for _name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    decomposition(f"{_name}.Scalar")(functools.partial(_with_bits, _name))


@decomposition("pow.Tensor_Scalar")
def _power(x: Any, exponent: Any) -> Any:
    """The power of integers, by products, and square roots, which are NaN of negative infinity."""
    torch = torch_module()
    if exponent in (0.5, -0.5) and not x.dtype.is_complex:
        return torch.sqrt(floats(x)) if exponent > 0 else torch.rsqrt(floats(x))
    is_number = type(exponent) is int and exponent >= 0
    if x.dtype.is_floating_point or x.dtype.is_complex or x.dtype is torch.bool or not is_number:
        return NotImplemented
    result, factor = torch.ones_like(x), x
    while exponent:
        if exponent & 1:
            result = result * factor
        exponent >>= 1
        factor = factor * factor if exponent else factor
    return result


@decomposition("copysign.Scalar")
def _copysign_of_number(x: Any, sign: Any) -> Any:
    size = torch_module().abs(floats(x))
    return -size if math.copysign(1.0, sign) < 0 else size


@decomposition("copysign.Tensor")
def _copysign(x: Any, sign: Any) -> Any:
    # The size of the least integer is none of its type.
    return NotImplemented if x.dtype.is_floating_point else torch_module().copysign(floats(x), sign)


@decomposition("gelu.default")
def _gelu(x: Any, *, approximate: str = "none") -> Any:
    if approximate != "tanh":
        return NotImplemented
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
    return 0.5 * x * (1 + torch_module().tanh(inner))


# What PyTorch computes in f32 for 16 bits: sums and products that are accumulated, and functions that torch-mlir composes.
for _name in (
    "_log_softmax.default",
    "_softmax.default",
    "avg_pool2d.default",
    "avg_pool3d.default",
    "cumprod.default",
    "cumsum.default",
    "elu.default",
    "gelu.default",
    "linalg_vector_norm.default",
    "mean.default",
    "mean.dim",
    "pow.Tensor_Scalar",
    "prod.default",
    "prod.dim_int",
    "sum.default",
    "sum.dim_IntList",
):
    in_f32(_name)


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


@decomposition("index_fill.int_Scalar", "index_fill.int_Tensor")
def _index_fill(x: Any, dim: int, index: Any, value: Any) -> Any:
    """Its indices count from the end, unlike those of `index_copy`, by which PyTorch decomposes it."""
    torch = torch_module()
    if x.dim() == 0 or index.dtype is not torch.int64:
        return NotImplemented
    filling = value.to(x.dtype) if isinstance(value, torch.Tensor) else torch.scalar_tensor(value, dtype=x.dtype)
    return torch.ops.aten.index_put(x, [*[None] * (dim % x.dim()), index.reshape(-1)], filling)


@decomposition("scatter_reduce.two")
def _scatter_reduce(x: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True) -> Any:
    """The mean of integers, which is rounded down."""
    torch = torch_module()
    if reduce != "mean" or x.dtype.is_floating_point:
        return NotImplemented

    def sums(x: Any, source: Any) -> Any:
        return torch.scatter_reduce(x, dim, index, source, "sum", include_self=include_self)

    return torch.div(sums(x, source), sums(torch.ones_like(x), torch.ones_like(source)), rounding_mode="floor")
