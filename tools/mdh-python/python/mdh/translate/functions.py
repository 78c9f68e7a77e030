"""The functions that translated code may call, by the Python objects that they are."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy

from ..computations import operators

# Functions of one float, as `math` and NumPy name them.
_SAME_NAMES = (
    "sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    "erf erfc cbrt floor ceil trunc"
).split()
_NUMPY_NAMES = {
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
}


def _present(module: Any, names: dict[str, str]) -> list[tuple[Any, str]]:
    """The functions of a module, each with the kind of operation that it is. Older versions of Python lack some."""
    return [(getattr(module, name), kind) for name, kind in names.items() if hasattr(module, name)]


FLOAT_FUNCTIONS: list[tuple[Any, str]] = [
    *_present(math, {name: f"math.{name}" for name in _SAME_NAMES}),
    *_present(numpy, {name: f"math.{name}" for name in _SAME_NAMES}),
    *_present(numpy, {name: f"math.{kind}" for name, kind in _NUMPY_NAMES.items()}),
]
"""Functions of one float, which return one of its type."""

FLOAT_FUNCTIONS_OF_TWO: list[tuple[Any, str]] = [
    *_present(math, {"atan2": "math.atan2", "copysign": "math.copysign", "fmod": "fmod", "pow": "math.powf"}),
    *_present(numpy, {"arctan2": "math.atan2", "copysign": "math.copysign", "fmod": "fmod"}),
]
"""Functions of two floats of one type."""

CLASSES: list[tuple[Any, str]] = [
    *_present(math, {name: name for name in ("isnan", "isinf", "isfinite")}),
    *_present(numpy, {name: name for name in ("isnan", "isinf", "isfinite")}),
]
"""Predicates of one float."""

ABSOLUTE: list[Any] = [builtins.abs, math.fabs, numpy.abs, numpy.fabs]
"""The absolute value."""

OF_SEVERAL: list[tuple[Any, str]] = [
    (builtins.min, "min"),
    (builtins.max, "max"),
    (numpy.minimum, "min"),
    (numpy.maximum, "max"),
    *((operator, operator.name) for operator in (operators.min, operators.max)),
]
"""Functions of two or more numbers of one type."""

OPERATORS: list[tuple[Any, str]] = [
    (operators.add, "+"),
    (operators.mul, "*"),
    (operators.and_, "&"),
    (operators.or_, "|"),
    (operators.xor, "^"),
]
"""Built-in operators, as functions of two values."""

OF_CONSTANTS: list[Any] = [
    builtins.len,
    builtins.range,
    builtins.zip,
    builtins.enumerate,
    builtins.reversed,
    builtins.sum,
    builtins.round,
]
"""Functions that are called when a program is translated: all of their arguments are constants."""


def find(table: list[tuple[Any, str]], function: Any) -> str | None:
    """The kind of operation of a function; None if the table does not have it."""
    return next((kind for known, kind in table if known is function), None)


def is_foldable(function: Any) -> bool:
    """True if calls with constant arguments are evaluated by Python."""
    tables = (FLOAT_FUNCTIONS, FLOAT_FUNCTIONS_OF_TWO, CLASSES, OF_SEVERAL, OPERATORS)
    lists = (ABSOLUTE, OF_CONSTANTS, [builtins.int, builtins.float, builtins.bool])
    return any(find(table, function) is not None for table in tables) or any(
        function is known for known_list in lists for known in known_list
    )
