"""Operations of ATen on complex numbers, as functions of their real and imaginary parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .table import torch_module


_Function = TypeVar("_Function", bound=Callable[..., Any])


class Pair:
    """A tensor of complex numbers: its real and its imaginary parts."""

    def __init__(self, re: Any, im: Any) -> None:
        self.re = re
        self.im = im

    def __getitem__(self, part: int) -> Any:
        return (self.re, self.im)[part]


# Operations that do the same with both parts.
PARTWISE = frozenset(
    """_unsafe_view alias cat clone constant_pad_nd detach diagonal expand flip index lift_fresh_copy mean neg
    permute reshape select slice squeeze stack sum t transpose unsqueeze view where""".split()
)

# By name, those of which the parts of a result depend on both parts.
FUNCTIONS: dict[str, Callable[..., Any]] = {}


def _operation(*names: str) -> Callable[[_Function], _Function]:
    def register(function: _Function) -> _Function:
        FUNCTIONS.update((name, function) for name in names)
        return function

    return register


def _parts(value: Any) -> tuple[Any, Any]:
    """The parts of an operand; 0 is the imaginary part of one that is real."""
    if isinstance(value, complex):
        return value.real, value.imag
    return (value.re, value.im) if isinstance(value, Pair) else (value, 0)


def _part(dtype: Any) -> Any:
    """The type of the parts of complex numbers."""
    torch = torch_module()
    return {torch.complex64: torch.float32, torch.complex128: torch.float64}[dtype]


def _is_real(value: Any) -> bool:
    return not isinstance(value, (Pair, complex))


@_operation("add")
def _add(x: Any, y: Any, *, alpha: Any = 1) -> Pair:
    (a, b), (c, d) = _parts(x), _parts(y)
    if alpha != 1:
        c, d = alpha * c, alpha * d
    return Pair(*_alike(a + c, b + d))


@_operation("sub")
def _sub(x: Any, y: Any, *, alpha: Any = 1) -> Pair:
    return _add(x, y, alpha=-alpha)


@_operation("rsub")
def _rsub(x: Any, y: Any, alpha: Any = 1) -> Pair:
    return _add(y, x, alpha=-alpha)


def _alike(re: Any, im: Any) -> tuple[Any, Any]:
    """Both parts with the shape of the result."""
    torch = torch_module()
    if not isinstance(im, torch.Tensor):
        im = torch.full_like(re, im)
    if not isinstance(re, torch.Tensor):
        re = torch.full_like(im, re)
    return tuple(torch.broadcast_tensors(re, im))


@_operation("mul")
def _mul(x: Any, y: Any) -> Any:
    (a, b), (c, d) = _parts(x), _parts(y)
    if _is_real(x) and _is_real(y):
        return a * c
    if _is_real(x) or _is_real(y):
        return Pair(*_alike(a * c, a * d if _is_real(x) else b * c))
    return Pair(*_alike(a * c - b * d, a * d + b * c))


@_operation("div.Tensor", "div.Scalar")
def _div(x: Any, y: Any) -> Pair:
    """The quotient by Smith's method, which does not square the denominator."""
    torch = torch_module()
    (a, b), (c, d) = _parts(x), _parts(y)
    if _is_real(y):
        return Pair(a / c, b / c)
    if isinstance(y, complex):
        c, d = (torch.full_like(a, one) for one in (c, d))
    is_flat = abs(c) >= abs(d)
    large, small = torch.where(is_flat, c, d), torch.where(is_flat, d, c)
    ratio = small / large
    denominator = large + small * ratio
    if _is_real(x):
        a, b = a + torch.zeros_like(large), torch.zeros_like(large)
    first, second = torch.where(is_flat, a, b), torch.where(is_flat, b, a)
    re = (first + second * ratio) / denominator
    im = (second - first * ratio) / denominator
    return Pair(re, torch.where(is_flat, im, -im))


@_operation("reciprocal")
def _reciprocal(x: Pair) -> Pair:
    return _div(torch_module().ones_like(x.re), x)


@_operation("_conj", "_conj_physical", "conj_physical")
def _conj(x: Pair) -> Pair:
    return Pair(x.re, -x.im)


@_operation("resolve_conj", "resolve_neg")
def _same(x: Pair) -> Pair:
    return x


@_operation("abs")
def _abs(x: Pair) -> Any:
    """The distance from 0, whose square may be larger than all numbers."""
    torch = torch_module()
    a, b = abs(x.re), abs(x.im)
    large, small = torch.maximum(a, b), torch.minimum(a, b)
    ratio = small / large
    is_exact = (large == 0) | torch.isinf(large)
    return torch.where(is_exact, large, large * torch.sqrt(1 + ratio * ratio))


@_operation("angle")
def _angle(x: Pair) -> Any:
    return torch_module().atan2(x.im, x.re)


@_operation("exp")
def _exp(x: Pair) -> Pair:
    torch = torch_module()
    e = torch.exp(x.re)
    return Pair(e * torch.cos(x.im), torch.where(x.im == 0, x.im, e * torch.sin(x.im)))


@_operation("log")
def _log(x: Pair) -> Pair:
    return Pair(torch_module().log(_abs(x)), _angle(x))


@_operation("sqrt")
def _sqrt(x: Pair) -> Pair:
    torch = torch_module()
    a = torch.sqrt((_abs(x) + abs(x.re)) / 2)
    b = torch.where(a == 0, a, abs(x.im) / (2 * a))
    is_right = x.re >= 0
    re, im = torch.where(is_right, a, b), torch.where(is_right, b, a)
    return Pair(re, torch.where(x.im < 0, -im, im))


@_operation("sin")
def _sin(x: Pair) -> Pair:
    torch = torch_module()
    return Pair(torch.sin(x.re) * torch.cosh(x.im), torch.cos(x.re) * torch.sinh(x.im))


@_operation("cos")
def _cos(x: Pair) -> Pair:
    torch = torch_module()
    return Pair(torch.cos(x.re) * torch.cosh(x.im), -(torch.sin(x.re) * torch.sinh(x.im)))


@_operation("tanh")
def _tanh(x: Pair) -> Pair:
    """(e^2z - 1) / (e^2z + 1), of which no part overflows."""
    torch = torch_module()
    t, s = torch.tanh(x.re), torch.tan(x.im)
    denominator = 1 + t * t * s * s
    return Pair(t * (1 + s * s) / denominator, s * (1 - t * t) / denominator)


@_operation("sgn")
def _sgn(x: Pair) -> Pair:
    torch = torch_module()
    length = _abs(x)
    return Pair(*(torch.where(length == 0, part, part / length) for part in (x.re, x.im)))


@_operation("pow.Tensor_Scalar")
def _pow(x: Pair, exponent: Any) -> Pair:
    if isinstance(exponent, int) and 0 < exponent < 8:
        result = x
        for _ in range(exponent - 1):
            result = _mul(result, x)
        return result
    return _exp(_mul(_log(x), exponent))


@_operation("eq")
def _eq(x: Any, y: Any) -> Any:
    (a, b), (c, d) = _parts(x), _parts(y)
    return (a == c) & (b == d)


@_operation("ne")
def _ne(x: Any, y: Any) -> Any:
    return ~_eq(x, y)


@_operation("view_as_real")
def _view_as_real(x: Pair) -> Any:
    return torch_module().stack((x.re, x.im), -1)


@_operation("view_as_complex")
def _view_as_complex(x: Any) -> Pair:
    return Pair(x.select(-1, 0), x.select(-1, 1))


@_operation("complex")
def _complex(re: Any, im: Any) -> Pair:
    return Pair(*_alike(re, im))


@_operation("scalar_tensor", "full")
def _filled(*arguments: Any, dtype: Any, **named: Any) -> Pair:
    """A new tensor, whose last argument is the number."""
    filled = getattr(torch_module(), "full" if len(arguments) > 1 else "scalar_tensor")
    *sizes, number = arguments
    return Pair(*(filled(*sizes, part, dtype=_part(dtype), **named) for part in _parts(number)))


@_operation("polar")
def _polar(length: Any, angle: Any) -> Pair:
    torch = torch_module()
    return Pair(length * torch.cos(angle), length * torch.sin(angle))


@_operation("_to_copy", "prims.convert_element_type")
def _converted(x: Any, dtype: Any = None, **_: Any) -> Any:
    """Another precision, or a real tensor as a complex one."""
    torch = torch_module()
    if dtype is not None and not dtype.is_complex:
        return x.re.to(dtype)
    re, im = _alike(*_parts(x))
    part = re.dtype if dtype is None else _part(dtype)
    return Pair(re.to(part), im.to(part))


@_operation("mm", "bmm", "mv", "dot")
def _product(x: Any, y: Any) -> Pair:
    """A product of matrices or vectors."""
    torch = torch_module()
    if _is_real(x):
        return Pair(torch.matmul(x, y.re), torch.matmul(x, y.im))
    if _is_real(y):
        return Pair(torch.matmul(x.re, y), torch.matmul(x.im, y))
    re = torch.matmul(x.re, y.re) - torch.matmul(x.im, y.im)
    return Pair(re, torch.matmul(x.re, y.im) + torch.matmul(x.im, y.re))


@_operation("vdot")
def _vdot(x: Pair, y: Pair) -> Pair:
    return _product(_conj(x), y)


@_operation("addmm")
def _addmm(start: Any, x: Any, y: Any, *, beta: Any = 1, alpha: Any = 1) -> Pair:
    return _add(_mul(beta, start) if beta != 1 else start, _product(x, y), alpha=alpha)
