"""Translation of calls: conversions, functions of `math`, and functions of the program, which are inlined."""

from __future__ import annotations

import ast
import builtins
import inspect
from typing import TYPE_CHECKING, Any

from ..types import BasicType, bool_, fp64, int64
from . import functions
from .bindings import Binding, is_dynamic
from .slots import Slot, unify
from .source import is_function, source_of

if TYPE_CHECKING:
    from .expressions import Expressions

DEEPEST = 32
"""The number of calls that may be nested."""

# Types of Python, as conversions.
_CONVERSIONS: list[tuple[Any, BasicType]] = [(builtins.int, int64), (builtins.float, fp64), (builtins.bool, bool_)]


def call(at: Expressions, node: ast.Call) -> Binding:
    """The binding of a call."""
    function = at.evaluate(node.func)
    if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
        raise at.error(node, "arguments must be given by position, without keywords and '*'")
    arguments = [at.evaluate(argument) for argument in node.args]
    if functions.is_foldable(function) and not any(is_dynamic(argument) for argument in arguments):
        return at.fold(node, function, *arguments)
    conversion = next((basic for python, basic in _CONVERSIONS if python is function), None)
    target = function if isinstance(function, BasicType) else conversion
    if target is not None:
        _require(at, node, len(arguments) == 1, f"{target.name}()", "one argument", arguments)
        value = at.value(arguments[0], node)
        if value.slot.known is None and not is_dynamic(arguments[0]):
            unify(value.slot, Slot(target), at.source.location(node), f"the constant and {target.name}()")
            return value
        return at.block.one("convert", [value], Slot(target), at.source.location(node))
    if (
        any(function is known for known in (tuple, list, len, sum))
        and len(arguments) == 1
        and isinstance(arguments[0], tuple)
    ):
        return _of_tuple(at, node, function, arguments[0])
    if (found := _of_table(at, node, function, arguments)) is not None:
        return found
    if is_function(function):
        return _inline(at, node, function, arguments)
    name = getattr(function, "__name__", type(function).__name__)
    if functions.is_foldable(function):
        raise at.error(node, f"'{name}' requires constants here")
    message = f"'{name}' cannot be called here: a type, a function of math or a function of the program is required"
    raise at.error(node, message)


def _of_tuple(at: Expressions, node: ast.Call, function: Any, parts: tuple[Binding, ...]) -> Binding:
    """The result of a function of a tuple."""
    from .expressions import BINARY

    if function is len:
        return len(parts)
    if function is not sum:
        return parts
    total: Binding = 0
    for number, part in enumerate(parts):
        total = at.binary(node, BINARY[ast.Add], total, part, (node, node)) if number else part
    return total


def _require(at: Expressions, node: ast.Call, holds: bool, name: str, what: str, arguments: list[Any]) -> None:
    if not holds:
        raise at.error(node, f"{name} requires {what}, but has {len(arguments)}")


def _of_table(at: Expressions, node: ast.Call, function: Any, arguments: list[Binding]) -> Binding | None:
    """The result of a known function; None for all others."""
    name = f"{getattr(function, '__name__', function)}()"
    location = at.source.location(node)

    def values() -> list[Any]:
        return [at.value(argument, part) for argument, part in zip(arguments, node.args)]

    if kind := functions.find(functions.FLOAT_FUNCTIONS, function):
        _require(at, node, len(arguments) == 1, name, "one argument", arguments)
        return at.operation(kind, values(), node, name[:-2])
    if kind := functions.find(functions.FLOAT_FUNCTIONS_OF_TWO, function):
        _require(at, node, len(arguments) == 2, name, "two arguments", arguments)
        return at.operation(kind, values(), node, name[:-2])
    if kind := functions.find(functions.CLASSES, function):
        _require(at, node, len(arguments) == 1, name, "one argument", arguments)
        return at.block.one("classify", values(), Slot(bool_), location, kind)
    if any(function is known for known in functions.ABSOLUTE):
        _require(at, node, len(arguments) == 1, name, "one argument", arguments)
        return at.operation("abs", values(), node)
    if kind := functions.find(functions.OF_SEVERAL, function):
        _require(at, node, len(arguments) >= 2, name, "at least two arguments", arguments)
        first, *rest = values()
        for value in rest:
            first = at.operation(kind, [first, value], node)
        return first
    if kind := functions.find(functions.OPERATORS, function):
        _require(at, node, len(arguments) == 2, name, "two arguments", arguments)
        return at.operation(kind, values(), node)
    return None


def _inline(at: Expressions, node: ast.Call, function: Any, arguments: list[Binding]) -> Binding:
    """The result of a function of the program: its body is translated in place."""
    if at.depth >= DEEPEST:
        raise at.error(node, f"calls must not nest deeper than {DEEPEST}: '{function.__name__}' may call itself")
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise at.error(node, f"'{function.__name__}' must be a plain function")
    from .statements import Statements

    source = source_of(function)
    names, variables = source.parameters(), source.defaults()
    variables.update(zip(names, arguments))
    if len(arguments) > len(names) or len(variables) != len(names):
        raise at.error(node, f"'{function.__name__}' requires {len(names)} arguments, but has {len(arguments)}")
    inner = Statements(source, at.block, variables, at.depth + 1)
    if isinstance(source.node, ast.Lambda):
        return inner.evaluate(source.node.body)
    return inner.result(source.node.body)
