"""Translation of Python statements: assignments, branches and calls of functions that return a value."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ..types import BasicType
from . import loops
from .bindings import Binding, describe
from .expressions import BINARY, Expressions
from .jumps import GOES_ON, RETURN, at_ends, spell
from .operations import Block, Value
from .slots import Slot, unify


class Statements(Expressions):
    """Translates the statements of one function into a block.

    `is_procedure` is True for functions that return no value.
    """

    is_procedure = False

    def result(self, statements: Sequence[ast.stmt]) -> Binding:
        """The value that a function body returns."""
        self.body(statements)
        if RETURN not in self.variables:
            raise self.error(self.source.node, "the function must return a value on every path")
        return self.variables[RETURN]

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Translates a function body or the body of a loop."""
        try:
            rewritten = at_ends(statements)
        except RecursionError:
            raise self.error(
                statements[0], "these branches with 'return', 'break' or 'continue' are too many"
            ) from None
        is_left, self.repetitions.is_left = self.repetitions.is_left, False
        self.run(rewritten)
        self.repetitions.is_left = is_left

    def run(self, statements: Sequence[ast.stmt]) -> None:
        """Translates statements whose jumps are at the ends."""
        is_left = self.repetitions.is_left
        self.repetitions.is_left = is_left or isinstance(statements[-1] if statements else None, ast.Break)
        for statement in statements:
            method = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if isinstance(statement, (ast.Global, ast.Nonlocal, ast.Delete)):
                raise self.error(statement, f"{describe(statement)} is a side effect, which a function must not have")
            if method is None or isinstance(statement, ast.expr):
                raise self.error(statement, f"{describe(statement)} cannot be translated")
            method(statement)
        self.repetitions.is_left = is_left

    # One method for each kind of statement.

    def _pass(self, node: ast.Pass) -> None:
        pass

    def _continue(self, node: ast.Continue) -> None:
        self._of_loop(node, "continue")

    def _break(self, node: ast.Break) -> None:
        self._of_loop(node, "break")
        self.variables[GOES_ON] = False

    def _of_loop(self, node: ast.stmt, name: str) -> None:
        if GOES_ON not in self.variables:
            raise self.error(node, f"'{name}' is not possible here: the loop is over a dimension or constants")

    def _expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            called = ast.unparse(node.value.func)
            message = f"the result of '{called}' must be used: a function must not have side effects"
            raise self.error(node, message)
        if not isinstance(node.value, ast.Constant):
            raise self.error(node, "a statement must assign a value: expressions have no effect")

    def _return(self, node: ast.Return) -> None:
        if self.is_procedure:
            if node.value is not None:
                raise self.error(node, "this function assigns its results, and must not return a value")
            return
        if node.value is None:
            raise self.error(node, "'return' requires a value")
        self.variables[RETURN] = self.evaluate(node.value)

    def _assign(self, node: ast.Assign) -> None:
        binding = self.evaluate(node.value)
        for target in node.targets:
            self.assign(target, binding)

    def _annassign(self, node: ast.AnnAssign) -> None:
        if node.value is None:
            raise self.error(node, "a declaration requires a value")
        basic = self.evaluate(node.annotation)
        if not isinstance(basic, BasicType):
            raise self.error(node.annotation, "the type of a variable must be a basic type, such as fp32")
        value = self.value(self.evaluate(node.value), node.value)
        unify(Slot(basic), value.slot, self.source.location(node.value), "the variable and its value")
        self.assign(node.target, value)

    def _augassign(self, node: ast.AugAssign) -> None:
        read = ast.copy_location(_loaded(node.target), node.target)
        result = self.binary(
            node, BINARY.get(type(node.op)), self.evaluate(read), self.evaluate(node.value), (node, node.value)
        )
        self.assign(node.target, result)

    def _if(self, node: ast.If) -> None:
        condition = self.condition(node.test)
        if isinstance(condition, bool):
            self.run(node.body if condition else node.orelse)
            return
        before = dict(self.variables)
        then_block, then = self.branch(node.body, before)
        else_block, otherwise = self.branch(node.orelse, before)
        self.variables = dict(before)
        merge = _Merge(self, node, then_block, else_block)
        for name in [*then, *(name for name in otherwise if name not in then)]:
            if name not in then or name not in otherwise:
                # Assigned on one path only, so it has no value afterwards.
                self.variables.pop(name, None)
            elif then[name] is not otherwise[name]:
                self.variables[name] = merge.both(then[name], otherwise[name], spell(name))
        merge.finish(condition)

    def branch(self, statements: Sequence[ast.stmt], variables: dict[Any, Binding]) -> tuple[Block, dict[Any, Binding]]:
        """Translates statements into a block of their own: the block, and the variables at its end."""
        outer, self.block, self.variables = self.block, Block(), dict(variables)
        self.run(statements)
        inner, self.block = self.block, outer
        return inner, self.variables

    def _for(self, node: ast.For) -> None:
        loops.translate(self, node)

    def _while(self, node: ast.While) -> None:
        message = "'while' cannot be translated: write 'for n in range(CONSTANT)', which 'break' may leave"
        raise self.error(node, message)


def _loaded(target: ast.expr) -> ast.expr:
    """The expression that reads what an assignment writes."""
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    assert isinstance(target, ast.Subscript)
    return ast.Subscript(target.value, target.slice, ast.Load())


class _Merge:
    """Combines the variables of two branches."""

    def __init__(self, at: Statements, node: ast.If, then: Block, otherwise: Block) -> None:
        self.at, self.node = at, node
        self.blocks = (then, otherwise)
        self.operands: tuple[list[Value], list[Value]] = ([], [])
        self.results: list[Value] = []

    def both(self, then: Binding, otherwise: Binding, name: str) -> Binding:
        """The binding after the branches."""
        if isinstance(then, tuple) and isinstance(otherwise, tuple) and len(then) == len(otherwise):
            return tuple(self.both(a, b, name) for a, b in zip(then, otherwise))
        if type(then) is type(otherwise) and isinstance(then, (int, float, str)) and then == otherwise:
            return then
        values = []
        for block, binding in zip(self.blocks, (then, otherwise)):
            outer, self.at.block = self.at.block, block
            values.append(self.at.value(binding, self.node))
            self.at.block = outer
        unify(values[0].slot, values[1].slot, self.at.source.location(self.node), f"{name} of both branches")
        for operands, value in zip(self.operands, values):
            operands.append(value)
        self.results.append(Value(values[0].slot))
        return self.results[-1]

    def finish(self, condition: Value) -> None:
        """Appends the operation."""
        location = self.at.source.location(self.node)
        for block, operands in zip(self.blocks, self.operands):
            block.add("yield", operands, [], location)
        if self.results:
            slots = [result.slot for result in self.results]
            self.at.block.add("if", [condition], slots, location, None, list(self.blocks))
            self.at.block.operations[-1].results = self.results
