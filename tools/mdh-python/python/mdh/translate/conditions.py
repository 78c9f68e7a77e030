"""Translation of `and`, `or` and conditional expressions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..types import bool_
from .bindings import Binding
from .operations import Block, Value
from .slots import Slot, unify

if TYPE_CHECKING:
    from .expressions import Expressions

# Operations that may be computed although their result is not used: they are short and cannot trap.
_SPECULATED = {
    "+",
    "-",
    "*",
    "&",
    "|",
    "^",
    "min",
    "max",
    "abs",
    "negate",
    "~",
    "compare",
    "select",
    "constant",
    "convert",
    "index",
    "size",
}


def combined(at: Expressions, node: ast.BoolOp) -> Binding:
    """`and` and `or`. What follows is computed only if it has to be, where that makes a difference."""
    is_and = isinstance(node.op, ast.And)
    first, rest = node.values[0], node.values[1:]
    left = at.condition(first)
    if not rest:
        return left
    remaining = ast.copy_location(ast.BoolOp(node.op, rest), rest[0])
    if isinstance(left, bool):
        return combined(at, remaining) if left is is_and else left
    block = Block()
    right = _inside(at, block, remaining)
    if _is_speculated(block):
        at.block.operations += block.operations
        return at.operation("&" if is_and else "|", [left, right], node)
    other = Block()
    known = other.one("constant", [], Slot(bool_), at.source.location(node), not is_and)
    regions = [(block, right), (other, known)]
    return _branch(at, node, left, *(regions if is_and else regions[::-1]))


def selected(at: Expressions, node: ast.IfExp) -> Binding:
    """A conditional expression. Both values are computed if they are short and cannot trap."""
    condition = at.condition(node.test)
    if isinstance(condition, bool):
        return at.evaluate(node.body if condition else node.orelse)
    then_block, else_block = Block(), Block()
    then, otherwise = _inside(at, then_block, node.body), _inside(at, else_block, node.orelse)
    location = at.source.location(node)
    unify(then.slot, otherwise.slot, location, "the two values of this conditional expression")
    if _is_speculated(then_block) and _is_speculated(else_block):
        at.block.operations += then_block.operations + else_block.operations
        return at.block.one("select", [condition, then, otherwise], then.slot, location)
    return _branch(at, node, condition, (then_block, then), (else_block, otherwise))


def _inside(at: Expressions, block: Block, node: ast.expr) -> Value:
    """The value of an expression that is computed in another block."""
    outer, at.block = at.block, block
    try:
        return at.value(at.evaluate(node), node)
    finally:
        at.block = outer


def _branch(
    at: Expressions, node: ast.AST, condition: Value, then: tuple[Block, Value], otherwise: tuple[Block, Value]
) -> Value:
    location = at.source.location(node)
    for block, value in (then, otherwise):
        block.add("yield", [value], [], location)
    return at.block.add("if", [condition], [then[1].slot], location, None, [then[0], otherwise[0]])[0]


def _is_speculated(block: Block) -> bool:
    return all(operation.kind in _SPECULATED for operation in block.all())
