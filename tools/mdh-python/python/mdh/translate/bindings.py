"""What the expressions of a function stand for while it is translated.

A *binding* is a `Value` of the program, an `Affine` of the indices of a point, a `Counter` of a loop, a `Size`, a
`Named` tuple or buffer, a tuple of bindings, or any other Python object, which is a constant.
"""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any

from ..computations.sizes import Size, is_integer
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
    return isinstance(binding, (Value, Affine, Counter, Named, Size))


def linear(symbol: str, left: Binding, right: Binding) -> Affine | Size | int | None:
    """The result of an operation on linear expressions of indices, or on sizes, if it is one."""
    if isinstance(left, Size) or isinstance(right, Size):
        return _of_sizes(symbol, left, right)
    if isinstance(right, Affine) and not isinstance(left, Affine) and symbol in "+*":
        left, right = right, left
    if symbol == "-" and isinstance(right, Affine):
        negative = right.scaled(-1)
        if isinstance(left, Affine):
            return left + negative
        return negative.shifted(int(left)) if is_integer(left) else None
    if isinstance(left, Affine) and isinstance(right, Affine):
        return left + right if symbol == "+" else None
    if isinstance(left, Affine) and is_integer(right):
        number = int(right)
        return {"+": left.shifted(number), "-": left.shifted(-number), "*": left.scaled(number)}.get(symbol)
    return None


def _of_sizes(symbol: str, left: Binding, right: Binding) -> Size | int | None:
    if symbol not in "+-*" or not all(isinstance(one, Size) or is_integer(one) for one in (left, right)):
        return None
    if symbol == "*" and isinstance(left, Size) and isinstance(right, Size):
        return None
    result: Size | int = {"+": operator.add, "-": operator.sub, "*": operator.mul}[symbol](left, right)
    return result


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
