"""Combine operators: `cc`, `pw(…)` and `ps(…)`, the functions that they take, and decorators for a program's own."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

from ..translate.source import require_parentheses


class BuiltinOperator:
    """A built-in combining function, such as `add`, which is associative and commutative.

    >>> add, add(1, 2)
    (add, 3)
    """

    def __init__(self, name: str, function: Callable[[Any, Any], Any]) -> None:
        self.name = name
        self.function = function

    def __repr__(self) -> str:
        return self.name

    def __call__(self, left: Any, right: Any) -> Any:
        """The combination of two values; operators can be called in scalar functions, too."""
        return self.function(left, right)


add = BuiltinOperator("add", operator.add)
mul = BuiltinOperator("mul", operator.mul)
min = BuiltinOperator("min", builtins.min)
max = BuiltinOperator("max", builtins.max)
and_ = BuiltinOperator("and", operator.and_)
or_ = BuiltinOperator("or", operator.or_)
xor = BuiltinOperator("xor", operator.xor)

BUILTIN = {"add": add, "mul": mul, "min": min, "max": max, "and_": and_, "or_": or_, "xor": xor}
"""The built-in combining functions, by their names in Python."""

# Functions of Python that mean a built-in operator.
_SYNONYMS: list[tuple[Any, BuiltinOperator]] = [
    (builtins.min, min),
    (builtins.max, max),
    (operator.add, add),
    (operator.mul, mul),
    (operator.and_, and_),
    (operator.or_, or_),
    (operator.xor, xor),
]


class CustomOperator:
    """A combining function of the program: a Python function of `res`, `lhs` and `rhs`, which must be associative.

    `commutative` is True for those of `pw_custom_func`; `identity` is a number for all outputs, or a dictionary with a
    number for each output, and None if it is not declared.
    """

    def __init__(self, function: Callable[..., Any], *, commutative: bool, identity: Any = None) -> None:
        self.function = function
        self.commutative = commutative
        self.identity = identity
        self.__name__ = getattr(function, "__name__", "operator")
        self.__doc__ = function.__doc__

    def __repr__(self) -> str:
        return self.__name__


_Decorator = Callable[[Callable[..., Any]], CustomOperator]


def pw_custom_func(function: object = None, /, *, identity: Any = None) -> _Decorator:
    """Decorates a combining function for `pw`: it must be associative and commutative.

    The function takes `res`, `lhs` and `rhs`, and assigns `res['w']` from `lhs['w']` and `rhs['w']` for each output.
    It may be used in `ps`, too.

    `identity` is what a reduction over no points gives: a number for all outputs, or a dictionary with a number for
    each output, such as `{'w': 0.0}`. Combining it with a value must give the value, which is not checked.

    >>> import math
    >>> @pw_custom_func(identity=-math.inf)
    ... def larger(res, lhs, rhs):
    ...     res['w'] = lhs['w'] if lhs['w'] > rhs['w'] else rhs['w']
    >>> larger, larger.identity
    (larger, -inf)
    """
    require_parentheses("pw_custom_func", function)
    return lambda function: CustomOperator(function, commutative=True, identity=identity)


def ps_custom_func(function: object = None, /, *, identity: Any = None) -> _Decorator:
    """Decorates a combining function for `ps`: it must be associative. `identity` is that of `pw_custom_func`."""
    require_parentheses("ps_custom_func", function)
    return lambda function: CustomOperator(function, commutative=False, identity=identity)


class CombineOperator:
    """The combine operator of a dimension: `cc`, or `pw` or `ps` of combining functions."""

    def __init__(self, kind: str, functions: tuple[Any, ...] = ()) -> None:
        self.kind = kind
        self.functions = functions

    def __repr__(self) -> str:
        return f"{self.kind}({', '.join(map(repr, self.functions))})" if self.functions else self.kind

    @property
    def is_kept(self) -> bool:
        """True if the dimension keeps its extent in the result."""
        return self.kind != "pw"


cc = CombineOperator("cc")
"""Concatenation: the dimension is kept."""


def _functions(functions: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(functions) == 1 and isinstance(functions[0], (tuple, list)):
        functions = tuple(functions[0])
    return tuple(next((to for of, to in _SYNONYMS if of is function), function) for function in functions)


def pw(*functions: Any) -> CombineOperator:
    """Point-wise combination: the dimension is reduced.

    Takes one function for all outputs, or a built-in function for each output.

    >>> pw(add), pw(add, mul)
    (pw(add), pw(add, mul))
    """
    return CombineOperator("pw", _functions(functions))


def ps(*functions: Any) -> CombineOperator:
    """Prefix sum: element i of the dimension is the combination of the elements 0 to i.

    >>> ps(max)
    ps(max)
    """
    return CombineOperator("ps", _functions(functions))
