"""Translation of scalar functions and of combining functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import Location
from ..messages import described, instead
from ..types import BasicType, Scalar
from .affine import Affine
from .bindings import Binding, Named, is_dynamic
from .expressions import Expressions
from .operations import Block, Value
from .slots import Slot, unify
from .source import Source, source_of
from .statements import Statements


@dataclass(frozen=True)
class Component:
    """A component of a tuple: an access of a buffer, counted from 1, of as many accesses as the buffer has."""

    buffer: str
    number: int
    accesses: int
    type: BasicType

    def __str__(self) -> str:
        return f"['{self.buffer}']" if self.accesses == 1 else f"['{self.buffer}', {self.number}]"


@dataclass
class Region:
    """A translated function: the arguments of its block, its operations, and what it yields."""

    arguments: list[Value]
    block: Block
    results: list[Value]
    location: Location


class Components(Named):
    """The tuple that a parameter of a scalar function or of an operator stands for.

    Inputs have a value for each component; outputs have none, and are assigned.
    """

    def __init__(self, name: str, components: Sequence[Component], values: Sequence[Value] | None = None) -> None:
        self.name = name
        self.components = components
        self.values = values

    def find(self, at: Expressions, node: ast.Subscript, key: Binding) -> Component:
        """The component of a subscript such as `'x'` or `'x', 2`."""
        if is_dynamic(key):
            raise at.error(node, f"a subscript of '{self.name}' must be constant: the name of a buffer, and a number")
        buffer, number = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
        of_buffer = [component for component in self.components if component.buffer == buffer]
        if not of_buffer:
            names = [component.buffer for component in self.components]
            raise at.error(node, f"'{self.name}' has no buffer {described(buffer)}{instead(buffer, names)}")
        if number is None and len(of_buffer) == 1:
            return of_buffer[0]
        if not isinstance(number, int) or not 1 <= number <= len(of_buffer):
            required = f"{self.name}['{buffer}', n] requires n from 1 to {len(of_buffer)}"
            raise at.error(node, f"'{buffer}' has {len(of_buffer)} accesses: {required}")
        return of_buffer[number - 1]

    def variable(self, component: Component) -> Any:
        """The key of a component among the variables of a function."""
        return _Element(self.name, component)

    def read(self, at: Expressions, node: ast.Subscript, key: Binding) -> Binding:
        """The value of a component."""
        component = self.find(at, node, key)
        if self.values is not None:
            return self.values[self.components.index(component)]
        variable = self.variable(component)
        if variable not in at.variables:
            raise at.error(node, f"{variable} must be assigned on every path before it is read")
        return at.variables[variable]

    def assign(self, at: Expressions, node: ast.Subscript, key: Binding, value: Binding) -> None:
        """Assigns a component."""
        component = self.find(at, node, key)
        variable = self.variable(component)
        if self.values is not None:
            raise at.error(node, f"{variable} is an input, which cannot be assigned")
        at.variables[variable] = assigned(at, node, value, component.type, variable)


def assigned(at: Expressions, node: ast.AST, binding: Binding, basic: BasicType, variable: Any) -> Value:
    """The value that an output of a type is assigned. Raises `TranslationError` if a loop repeats the assignment."""
    if at.depth:
        raise at.error(node, f"{variable} must be assigned in the function itself, not in one that it calls")
    value = at.value(binding, node)
    unify(Slot(basic), value.slot, at.source.location(node), f"{variable} and its value")
    at.repetitions.check(variable)
    return value


@dataclass(frozen=True)
class _Element:
    """The variable of a component."""

    parameter: str
    component: Component

    def __str__(self) -> str:
        return f"{self.parameter}{self.component}"


def translate_scalar(
    function: Callable[..., Any], inputs: Sequence[Component], outputs: Sequence[Component], dimensions: int
) -> Region:
    """Translates a function of `out`, `inp` and, if it has a third parameter, the indices of the point."""
    source = source_of(function)
    names = source.parameters()
    if isinstance(source.node, ast.Lambda):
        raise source.error(source.node, "a scalar function must be a function, not a lambda")
    if len(names) not in (2, 3):
        message = "a scalar function has the parameters out, inp and, for the indices of the point, idx"
        raise source.error(source.node, f"{message}, but this has {len(names)}")
    arguments = [Value(Slot(component.type)) for component in inputs]
    of_out = Components(names[0], outputs)
    of_inp = Components(names[1], inputs, arguments)
    for name, components in zip(names, (of_out, of_inp)):
        _check_annotation(source, name, components.components)
    variables: dict[Any, Binding] = {names[0]: of_out, names[1]: of_inp}
    if len(names) == 3:
        variables[names[2]] = tuple(Affine.dimension(number, dimensions) for number in range(dimensions))
    return _run(source, variables, arguments, of_out)


def translate_operator(function: Callable[..., Any], outputs: Sequence[Component]) -> Region:
    """Translates a combining function of `res`, `lhs` and `rhs`."""
    source = source_of(function)
    names = source.parameters()
    if isinstance(source.node, ast.Lambda) or len(names) != 3:
        message = f"a combining function has the parameters res, lhs and rhs, but this has {len(names)}"
        raise source.error(source.node, message)
    of_res = Components(names[0], outputs)
    variables: dict[Any, Binding] = {names[0]: of_res}
    arguments = []
    for name in names[1:]:
        values = [Value(Slot(component.type)) for component in outputs]
        variables[name] = Components(name, outputs, values)
        arguments += values
    return _run(source, variables, arguments, of_res)


def _run(source: Source, variables: dict[Any, Binding], arguments: list[Value], outputs: Components) -> Region:
    assert isinstance(source.node, ast.FunctionDef)
    block = Block()
    statements = Statements(source, block, variables)
    body = source.node.body
    # A function without results may end early: `return` is the end of a path, as it is in Python.
    statements.is_procedure = True
    statements.body(body)
    results = []
    for component in outputs.components:
        variable = outputs.variable(component)
        if variable not in statements.variables:
            raise source.error(source.node, f"{variable} must be assigned on every path")
        results.append(statements.value(statements.variables[variable], source.node))
    return Region(arguments, block, results, source.location(source.node))


def _check_annotation(source: Source, name: str, components: Sequence[Component]) -> None:
    """Compares `Scalar[…]` of a parameter with the types of the buffers or of the accesses."""
    annotation = source.function.__annotations__.get(name)
    if not isinstance(annotation, Scalar):
        return
    of_buffers = tuple(component.type for component in components if component.number == 1)
    of_accesses = tuple(component.type for component in components)
    if annotation.types not in (of_buffers, of_accesses):
        found, required = (", ".join(map(str, types)) for types in (annotation.types, of_buffers))
        raise source.error(source.node, f"'{name}' has the types {found}, but its buffers have {required or 'none'}")
