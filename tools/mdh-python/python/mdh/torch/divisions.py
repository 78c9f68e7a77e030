"""Decompositions of divisions and remainders, whose results torch-mlir rounds in other ways than PyTorch.

Each is a function like its operation, as in `decompositions.py`.
"""

from __future__ import annotations

import threading
from typing import Any

from .table import decomposition, floats, promoted, torch_module


@decomposition("reciprocal.default")
def _reciprocal(x: Any) -> Any:
    x = floats(x)
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
    if _is_number(a):
        a = torch.full_like(b, a, dtype=torch.result_type(a, b))
    if not _is_number(b):
        return promoted(a, b)
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
