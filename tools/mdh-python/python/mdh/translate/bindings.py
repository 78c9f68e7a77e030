"""What the expressions of a function stand for while it is translated.

A *binding* is a `Value` of the program, an `Affine` of the indices of a point, a `Counter` of a loop, a `Named` tuple
or buffer, a tuple of bindings, or any other Python object, which is a constant.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import numpy

from .affine import Affine
from .operations import Value

if TYPE_CHECKING:
    from .expressions import Expressions

Binding = Any


class Counter:
    """The variable of a loop of the program: each use of it has a type of its own."""

    def __init__(self, value: Value) -> None:
        self.value = value


class Named:
    """A binding that is read and assigned by subscripts, such as `inp['M']` or a buffer."""

    name: str

    def read(self, at: Expressions, node: ast.Subscript, key: Binding) -> Binding:
        """The element."""
        raise NotImplementedError

    def assign(self, at: Expressions, node: ast.Subscript, key: Binding, value: Binding) -> None:
        """Assigns the element."""
        raise NotImplementedError


def is_dynamic(binding: Binding) -> bool:
    """True if a binding is known only when the program runs."""
    if isinstance(binding, tuple):
        return any(is_dynamic(part) for part in binding)
    return isinstance(binding, (Value, Affine, Counter, Named))


def linear(symbol: str, left: Binding, right: Binding) -> Affine | None:
    """The result of an operation on linear expressions if it is one."""
    if isinstance(right, Affine) and not isinstance(left, Affine) and symbol in "+*":
        left, right = right, left
    if symbol == "-" and isinstance(right, Affine):
        negative = right.scaled(-1)
        if isinstance(left, Affine):
            return left + negative
        return negative.shifted(left) if is_integer(left) else None
    if isinstance(left, Affine) and isinstance(right, Affine):
        return left + right if symbol == "+" else None
    if isinstance(left, Affine) and is_integer(right):
        number = int(right)
        return {"+": left.shifted(number), "-": left.shifted(-number), "*": left.scaled(number)}.get(symbol)
    return None


def is_integer(binding: Binding) -> bool:
    """True for integers of Python and NumPy."""
    return isinstance(binding, (int, numpy.integer)) and not isinstance(binding, bool)


def describe(node: ast.AST) -> str:
    """How messages name a construct."""
    names = {
        "Lambda": "a lambda",
        "ListComp": "a comprehension",
        "GeneratorExp": "a comprehension",
        "JoinedStr": "a string",
        "Dict": "a dictionary",
        "NamedExpr": "':='",
        "Starred": "'*'",
        "Slice": "a slice",
        "FunctionDef": "a nested function",
        "ClassDef": "a class",
        "With": "'with'",
        "Try": "'try'",
        "Raise": "'raise'",
        "Assert": "'assert'",
        "Global": "'global'",
        "Nonlocal": "'nonlocal'",
        "Delete": "'del'",
        "Import": "'import'",
        "ImportFrom": "'import'",
    }
    return names.get(type(node).__name__, f"'{type(node).__name__}'")
