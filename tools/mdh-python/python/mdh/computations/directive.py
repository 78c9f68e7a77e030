"""The directive form: a nest of loops over the dimensions, around the scalar function."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import Location, TranslationError
from ..translate.affine import Affine
from ..translate.bindings import Binding, Named, is_dynamic
from ..translate.expressions import Expressions
from ..translate.operations import Block, Value
from ..translate.scalar import Region, assigned
from ..translate.slots import Slot
from ..translate.source import Source, source_of
from ..translate.statements import Statements
from ..types import Buffer, Scalar
from .build import Parts, Side, build
from .computation import Computation
from .operators import CombineOperator
from .sizes import Size
from .views import Buffers, CombineOperators


# Of a loop that assigns an output more than once.
_REMEDY = "give the loop an operator in combine_ops, such as pw(add), or assign a local variable in it, and {} after it"


def translate_directive(function: Callable[..., Any], arguments: Sequence[Any]) -> Computation:
    """The computation of a function decorated with `mdh(out(…), inp(…), combine_ops(…))`."""
    source = source_of(function)
    parts = Parts(source.function.__name__, source.location(source.node))
    kinds = [getattr(argument, "kind", type(argument).__name__) for argument in arguments]
    if kinds != ["out", "inp", "CombineOperators"]:
        parts.fail("the arguments of @mdh must be out(…), inp(…) and combine_ops(…), in this order")
    written, read, combined = arguments
    assert isinstance(written, Buffers) and isinstance(read, Buffers) and isinstance(combined, CombineOperators)
    outputs, inputs = _side(parts, written), _side(parts, read)
    if not written.buffers:
        parts.fail("out(…) requires at least one buffer")
    required = [*written.buffers, *read.buffers]
    if source.parameters() != required:
        found = ", ".join(source.parameters())
        parts.fail(f"the parameters must be the outputs and the inputs, ({', '.join(required)}), but are ({found})")
    if not combined.operators:
        parts.fail("combine_ops(…) requires a combine operator for each loop")
    names, extents, body = _nest(source, len(combined.operators))
    _check_assignments(source, body, [*required, *names])
    parts.operators(combined.operators, len(extents))
    operators: tuple[CombineOperator, ...] = combined.operators
    # The index functions are known when the body has been translated.
    region = _body(source, body, names, inputs, outputs)
    for side, verb in ((outputs, "assigned"), (inputs, "read")):
        for name, functions in side.functions.items():
            if not functions:
                parts.fail(f"'{name}' must be {verb} in the loops")
    return build(parts, names, extents, operators, inputs, outputs, lambda: region)


def _side(parts: Parts, buffers: Buffers) -> Side:
    types = []
    numbers = [name for name, buffer in buffers.buffers.items() if isinstance(buffer, Scalar)]
    for name, buffer in buffers.buffers.items():
        if name in numbers and buffers.kind == "out":
            parts.fail(f"the output '{name}' must be a Buffer[…]; its element is {name}[()] if it has no dimensions")
        if name in numbers and len(buffer.types) != 1:
            parts.fail(f"'{name}' must have one type, such as Scalar[fp32], but has {len(buffer.types)}")
        types.append(buffer.types[0] if name in numbers else buffer.type if isinstance(buffer, Buffer) else buffer)
    side = Side(parts.types(f"{buffers.kind}(…)", types, list(buffers.buffers)))
    side.numbers = numbers
    return side


def _check_assignments(source: Source, body: Sequence[ast.stmt], names: Sequence[str]) -> None:
    """Parameters and variables of the loops keep their meaning."""
    for node in (node for statement in body for node in ast.walk(statement)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names:
            raise source.error(node, f"'{node.id}' cannot be assigned: it is a parameter or the variable of a loop")


def _nest(source: Source, dimensions: int) -> tuple[list[str], list[Size | int], list[ast.stmt]]:
    """The variables and extents of the loops, and the statements inside of them."""
    assert isinstance(source.node, ast.FunctionDef)
    names: list[str] = []
    extents: list[Size | int] = []
    statements = [statement for statement in source.node.body if not _is_docstring(statement)]
    for number in range(dimensions):
        loop = statements[0] if statements else source.node
        if (
            len(statements) != 1
            or not isinstance(loop, ast.For)
            or not isinstance(loop.target, ast.Name)
            or loop.orelse
        ):
            message = (
                f"{dimensions} combine operators require as many loops, 'for i in range(I)', with nothing between them"
            )
            raise source.error(loop, f"{message}: loop {number + 1} is missing")
        extents.append(_extent(source, loop.iter))
        if loop.target.id in names:
            raise source.error(
                loop.target, f"each loop must have a variable of its own, but '{loop.target.id}' is taken"
            )
        names.append(loop.target.id)
        statements = loop.body
    rest = statements[0]
    if isinstance(rest, ast.For) and _size(source, rest.iter) is not None:
        name = ast.unparse(rest.target)
        message = f"the loop over '{name}' requires an operator in combine_ops, such as pw(add)"
        raise source.error(rest, f"{message}, because its extent is a Size")
    return names, extents, statements


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _extent(source: Source, node: ast.expr) -> Size | int:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in source.parameters():
            raise source.error(part, f"an extent must be an integer or a Size, but '{part.id}' is a parameter")
    if (size := _size(source, node)) is not None:
        return size
    bounds = Expressions(source, Block(), {}).evaluate(node)
    if not isinstance(bounds, range) or bounds.start != 0 or bounds.step != 1:
        raise source.error(node, "a loop over a dimension requires range(EXTENT), from 0 and with step 1")
    return max(bounds.stop, 0)


def _size(source: Source, node: ast.expr) -> Size | None:
    """The size in `range(size)`; None if there is something else."""
    at = Expressions(source, Block(), {})
    with contextlib.suppress(TranslationError):
        if isinstance(node, ast.Call) and len(node.args) == 1 and at.evaluate(node.func) is range:
            size = at.evaluate(node.args[0])
            return size if isinstance(size, Size) else None
    return None


class _Buffer(Named):
    """A buffer of the nest. Its index functions are collected in the order of their first use."""

    def __init__(self, name: str, side: Side, names: Sequence[str], *, is_output: bool) -> None:
        self.name = name
        self.side = side
        self.names = names
        self.is_output = is_output

    def _access(self, at: Expressions, node: ast.Subscript, key: Binding) -> tuple[_Element, bool]:
        """The variable of an access, and whether it is new."""
        indices = key if isinstance(key, tuple) else (key,)
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice] * len(indices)
        function = tuple(self._index(at, place, index) for place, index in zip(places, indices))
        functions = self.side.functions[self.name]
        is_new = function not in functions
        if is_new:
            functions.append(function)
            self.side.places[self.name].append(at.source.location(node))
        text = f"{self.name}[{', '.join(index.spell(self.names) for index in function)}]"
        return _Element(self.name, functions.index(function), text), is_new

    def _index(self, at: Expressions, node: ast.AST, index: Binding) -> Affine:
        if isinstance(index, Affine):
            return index
        if is_dynamic(index) or not hasattr(index, "__index__") or isinstance(index, bool):
            message = f"an index of '{self.name}' must be linear in the indices of the point, such as 2 * i + k + 1"
            raise at.error(node, message)
        return Affine.number(index.__index__(), len(self.names))

    def read(self, at: Expressions, node: ast.Subscript, key: Binding) -> Binding:
        """The value of an element."""
        if self.is_output:
            message = f"'{self.name}' is an output, which cannot be read: combine_ops says how results are combined"
            raise at.error(node, message)
        element, is_new = self._access(at, node, key)
        if is_new:
            self.side.values[element] = Value(Slot(self.side.types[self.name]))
        return self.side.values[element]

    def assign(self, at: Expressions, node: ast.Subscript, key: Binding, value: Binding) -> None:
        """Assigns an element."""
        if not self.is_output:
            raise at.error(node, f"'{self.name}' is an input, which cannot be assigned")
        element, _ = self._access(at, node, key)
        at.variables[element] = assigned(at, node, value, self.side.types[self.name], element)


class _Element:
    """The variable of an access; its text is for messages."""

    def __init__(self, buffer: str, number: int, text: str) -> None:
        self.buffer = buffer
        self.number = number
        self.text = text

    def __hash__(self) -> int:
        return hash((self.buffer, self.number))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Element) and (self.buffer, self.number) == (other.buffer, other.number)

    def __str__(self) -> str:
        return self.text


def _body(source: Source, body: Sequence[ast.stmt], names: Sequence[str], inputs: Side, outputs: Side) -> Region:
    """The scalar function."""
    variables: dict[Any, Binding] = {name: Affine.dimension(number, len(names)) for number, name in enumerate(names)}
    for side, is_output in ((inputs, False), (outputs, True)):
        for name in side.types:
            variables[name] = _Buffer(name, side, names, is_output=is_output)
    loaded = {node.id for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name)}
    for name in loaded.intersection(inputs.numbers):
        variables[name] = inputs.values[_Element(name, 0, "")] = Value(Slot(inputs.types[name]))
        inputs.functions[name].append(())
        inputs.places[name].append(source.location(source.node))
    block = Block()
    statements = Statements(source, block, variables)
    statements.is_procedure = True
    statements.repetitions.remedy = _REMEDY
    statements.body(body)
    results = []
    for name, functions in outputs.functions.items():
        for number, function in enumerate(functions):
            element = _Element(name, number, f"{name}[{', '.join(index.spell(names) for index in function)}]")
            if element not in statements.variables:
                raise source.error(body[-1], f"{element} must be assigned on every path")
            results.append(statements.value(statements.variables[element], body[-1]))
    arguments = [
        inputs.values[_Element(name, number, "")]
        for name, functions in inputs.functions.items()
        for number in range(len(functions))
    ]
    location: Location = source.location(source.node)
    return Region(arguments, block, results, location)
