"""The high-level form: `out_view[…](…), md_hom[…](…), inp_view[…](…)`.

These objects only hold what a program wrote; `build` checks it, with the places in the Python code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import ArgumentTypeError
from ..translate.source import require_parentheses


@dataclass(frozen=True)
class View:
    """A view: the element types, and for each buffer the index functions of its accesses."""

    kind: str
    types: tuple[Any, ...]
    buffers: dict[str, Any]


class _Views:
    """`out_view` or `inp_view`: `inp_view[T, T](M=[lambda i, k: (i, k)], v=[lambda i, k: (k)])`.

    The bracket has the element type of each buffer; a view without buffers has no bracket.
    """

    def __init__(self, kind: str, types: tuple[Any, ...] = ()) -> None:
        self._kind = kind
        self._types = types

    def __getitem__(self, types: Any) -> _Views:
        return _Views(self._kind, types if isinstance(types, tuple) else (types,))

    def __call__(self, *unnamed: Any, **buffers: Any) -> View:
        if unnamed:
            example = f"{self._kind}[fp32](x=[lambda i: (i)])"
            raise ArgumentTypeError(f"{self._kind} requires buffers with names, such as {example}")
        return View(self._kind, self._types, buffers)


out_view = _Views("out_view")
inp_view = _Views("inp_view")


@dataclass(frozen=True)
class Homomorphism:
    """`md_hom` with its extents, its scalar function and its combine operators."""

    extents: tuple[Any, ...]
    function: Any
    operators: tuple[Any, ...]


class _Homomorphisms:
    """`md_hom[I, K](f, (cc, pw(add)))`: the extents, the scalar function, and a combine operator for each dimension."""

    def __init__(self, extents: tuple[Any, ...] = ()) -> None:
        self._extents = extents

    def __getitem__(self, extents: Any) -> _Homomorphisms:
        return _Homomorphisms(extents if isinstance(extents, tuple) else (extents,))

    def __call__(self, function: Any = None, operators: Any = None, *others: Any) -> Homomorphism:
        if function is None or operators is None or others:
            required = "the extents in brackets, a scalar function, and the combine operators"
            raise ArgumentTypeError(f"md_hom requires {required}, such as md_hom[I](f, cc)")
        return Homomorphism(
            self._extents, function, tuple(operators) if isinstance(operators, (tuple, list)) else (operators,)
        )


md_hom = _Homomorphisms()


class ScalarFunction:
    """A function that is applied to each point; it takes `out`, `inp`, and if it has a third parameter `idx`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__name__ = getattr(function, "__name__", "function")
        self.__doc__ = function.__doc__


def scalar_function(function: object = None, /) -> Callable[[Callable[..., Any]], ScalarFunction]:
    """Decorates a scalar function.

    It reads `inp['M']`, or `inp['x', 1]`, `inp['x', 2]`, … of a buffer with several accesses, and assigns `out['w']`
    for each output. A third parameter `idx` has the indices of the point, `idx[0]` being that of the first dimension.

    >>> @scalar_function()
    ... def multiply(out, inp):
    ...     out['w'] = inp['M'] * inp['v']
    >>> multiply.__name__
    'multiply'
    """
    require_parentheses("scalar_function", function)
    return ScalarFunction


@dataclass(frozen=True)
class Buffers:
    """The buffers of the directive form, by name, in order."""

    kind: str
    buffers: dict[str, Any]


def out(**buffers: Any) -> Buffers:
    """The outputs of the directive form: `out(w=Buffer[T])`."""
    return Buffers("out", buffers)


def inp(**buffers: Any) -> Buffers:
    """The inputs of the directive form: `inp(M=Buffer[T], v=Buffer[T])`."""
    return Buffers("inp", buffers)


@dataclass(frozen=True)
class CombineOperators:
    """The combine operators of the directive form, one for each loop."""

    operators: tuple[Any, ...]


def combine_ops(*operators: Any) -> CombineOperators:
    """The combine operators of the directive form: `combine_ops(cc, pw(add))`."""
    if len(operators) == 1 and isinstance(operators[0], (tuple, list)):
        operators = tuple(operators[0])
    return CombineOperators(operators)
