"""The identity that a combining function of the program declares."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from ..errors import Location, TranslationError
from ..messages import described, did_you_mean
from ..types import BasicType, of_dtype
from .operations import Block
from .scalar import Component, Region
from .slots import Slot
from .source import Source, source_of

# The identities of built-in functions, on integers of a number of bits and on floats.
_BUILTIN: dict[str, tuple[Callable[[int], int], float]] = {
    "add": (lambda bits: 0, 0.0),
    "mul": (lambda bits: 1, 1.0),
    "min": (lambda bits: (1 << (bits - 1)) - 1, float("inf")),
    "max": (lambda bits: -(1 << (bits - 1)), float("-inf")),
    "and": (lambda bits: -1, 0.0),
    "or": (lambda bits: 0, 0.0),
    "xor": (lambda bits: 0, 0.0),
}


def translate_identity(function: Callable[..., Any], identity: Any, outputs: Sequence[Component]) -> Region:
    """A block that yields the identity: a number for each component of the result."""
    source = source_of(function)
    place = _Place(source)
    if isinstance(identity, dict):
        names = list(dict.fromkeys(component.buffer for component in outputs))
        for name in identity:
            if name not in names:
                message = f"the identity has a number for {described(name)}, which is no output"
                rest = did_you_mean(name, names) or f": they are {', '.join(names)}"
                raise TranslationError(f"{message}{rest}", place.of(name))
    block, results = Block(), []
    for component in outputs:
        number = identity
        if isinstance(identity, dict):
            if component.buffer not in identity:
                message = f"the identity requires a number for each output, but has none for '{component.buffer}'"
                raise TranslationError(message, place.of())
            number = identity[component.buffer]
        location = place.of(component.buffer)
        if not is_of_type(number, component.type):
            required = f"the identity of '{component.buffer}' must be a number of type {component.type}"
            raise TranslationError(f"{required}, but is {described(number)}", location)
        number = number.item() if isinstance(number, numpy.generic) else number
        results.append(block.one("constant", [], Slot(component.type), location, number))
    return Region([], block, results, place.of())


def is_of_type(number: Any, basic: BasicType) -> bool:
    """True for numbers of Python and NumPy that a type takes without a conversion of values.

    Integers become floats; NumPy's numbers must have the type.
    """
    if isinstance(number, numpy.generic):
        return of_dtype(number.dtype) is basic
    if basic.is_bool or isinstance(number, bool):
        return basic.is_bool and isinstance(number, bool)
    return isinstance(number, (int, float) if basic.is_float else int)


def is_builtin(identity: Region, names: Sequence[str]) -> bool:
    """True if an identity is that of built-in functions."""
    for name, operation in zip(names, identity.block.operations):
        on_integers, on_floats = _BUILTIN[name]
        basic = operation.results[0].slot.type
        known: Any = on_integers(basic.bits) if basic.is_integer else on_floats
        if operation.attribute != (name == "and" if basic.is_bool else known):
            return False
    return True


class _Place:
    """Where a decorator declares an identity; the function itself if it is not known."""

    def __init__(self, source: Source) -> None:
        self.source = source
        decorators: list[ast.expr] = getattr(source.node, "decorator_list", [])
        keywords = (k for one in decorators if isinstance(one, ast.Call) for k in one.keywords if k.arg == "identity")
        self.node: ast.AST = next((keyword.value for keyword in keywords), source.node)

    def of(self, name: Any = None) -> Location:
        """The place of the number of an output, or of the identity."""
        if isinstance(self.node, ast.Dict):
            pairs = zip(self.node.keys, self.node.values)
            found = (value for key, value in pairs if isinstance(key, ast.Constant) and key.value == name)
            return self.source.location(next(found, self.node))
        return self.source.location(self.node)
