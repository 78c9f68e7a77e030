"""Decompositions of softmax, sums of exponentials and variances, which torch-mlir lowers to other numbers at the edges of types.

Each is a function like its operation, as in `decompositions.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from .table import decomposition, promoted, torch_module, wide


def _logarithm_of_sum(base: float) -> Callable[[Any, Any], Any]:
    """The decomposition of the logarithm, to a base, of the sum of two powers of it."""
    scale = math.log(base)

    def function(a: Any, b: Any) -> Any:
        torch = torch_module()
        if not (a.dtype.is_floating_point and b.dtype.is_floating_point):
            return NotImplemented
        dtype = torch.result_type(a, b)
        a, b = promoted(wide(a), wide(b))
        # NaN is neither larger nor smaller.
        larger, smaller = torch.where(a >= b, a, b), torch.where(a >= b, b, a)
        power = torch.exp((smaller - larger) * scale)
        both = larger + torch.log1p(power) * (1 / scale)
        # The difference of two equal infinities is no number.
        return torch.where((a == b) & torch.isinf(a), a, both).to(dtype)

    return function


decomposition("logaddexp.default")(_logarithm_of_sum(math.e))
decomposition("logaddexp2.default")(_logarithm_of_sum(2.0))


def _moments(x: Any, dim: Sequence[int] | None, correction: Any, keepdim: bool) -> tuple[Any, Any]:
    """The variance and the mean, in f64, as PyTorch computes them."""
    torch = torch_module()
    axes = list(dim) if dim else list(range(x.dim()))
    count: Any = 1
    for axis in axes:
        count = count * x.shape[axis] if x.dim() else count
    given = x.to(torch.float64)
    mean = torch.sum(given, axes, True) / count
    squares = torch.sum((given - mean) ** 2, axes, keepdim)
    degrees = count - (1 if correction is None else correction)
    if not keepdim:
        mean = torch.sum(mean, axes, False)
    # The mean of infinite elements is no number where the variance is computed with it.
    mean = torch.where(torch.isnan(squares), math.nan, mean)
    # There are no negative degrees of freedom.
    if isinstance(degrees, (int, float)):
        return squares / max(0.0, degrees), mean
    return squares / torch.sym_max(0, degrees), mean


def _of_floats(finish: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """The decomposition of a function of the variance and the mean."""

    def function(x: Any, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
        if not x.dtype.is_floating_point:
            return NotImplemented
        variance, mean = _moments(x, dim, correction, keepdim)
        results = finish(variance, mean)
        return tuple(one.to(x.dtype) for one in results) if isinstance(results, tuple) else results.to(x.dtype)

    return function


decomposition("var.correction")(_of_floats(lambda variance, mean: variance))
decomposition("var_mean.correction")(_of_floats(lambda variance, mean: (variance, mean)))
decomposition("std.correction")(_of_floats(lambda variance, mean: torch_module().sqrt(variance)))
decomposition("std_mean.correction")(_of_floats(lambda variance, mean: (torch_module().sqrt(variance), mean)))


def _of_one_element(name: str) -> Callable[..., Any]:
    """The decomposition of softmax of a tensor without dimensions, on which the patterns of torch-mlir do not end."""

    def function(x: Any, dim: int, half_to_float: bool) -> Any:
        if x.dim():
            return NotImplemented
        operation = getattr(torch_module().ops.aten, name).default
        return operation(x.reshape([1]), 0, half_to_float).reshape([])

    return function


decomposition("_softmax.default")(_of_one_element("_softmax"))
decomposition("_log_softmax.default")(_of_one_element("_log_softmax"))


@decomposition("_softmax_backward_data.default")
def _softmax_backward(gradient: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    """As PyTorch computes it: infinite gradients of elements that are 0 are no numbers."""
    given, weight = wide(gradient), wide(output)
    rest = given - torch_module().sum(given * weight, [dim] if gradient.dim() else [], True)
    return (rest * weight).to(input_dtype)


@decomposition("_log_softmax_backward_data.default")
def _log_softmax_backward(gradient: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    given = wide(gradient)
    total = torch_module().sum(given, [dim] if gradient.dim() else [], True)
    return (given - torch_module().exp(wide(output)) * total).to(input_dtype)


@decomposition("linalg_vector_norm.default")
def _norm_of_one(x: Any, order: float = 2, dimensions: Any = None, keep: bool = False, *, dtype: Any = None) -> Any:
    """The norm of one number is its absolute value, also where its square is none of its type."""
    x = x if dtype is None else x.to(dtype)
    reduced = [d % x.dim() for d in dimensions] if dimensions and x.dim() else list(range(x.dim()))
    is_one = all(type(x.shape[d]) is int and x.shape[d] == 1 for d in reduced) and (x.dim() or not dimensions)
    if order == 0 or not is_one or x.dtype.is_complex:
        return NotImplemented if dtype is None else torch_module().linalg.vector_norm(x, order, dimensions, keep)
    kept = [1 if d in reduced else n for d, n in enumerate(x.shape) if keep or d not in reduced]
    return abs(x).reshape(kept)
