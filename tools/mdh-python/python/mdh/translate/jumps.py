"""Rewrites statements such that `return`, `break` and `continue` are the last ones of their blocks.

What follows an `if` that jumps is moved into its branches: `if c: return a` and then `return b` become
`if c: return a` `else: return b`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

RETURN = "return"
"""The variable that `return` assigns; no name of Python can be a keyword."""
GOES_ON = "while"
"""The variable that `break` assigns: True until then."""
JUMPS = (ast.Return, ast.Break, ast.Continue)
LARGEST = 10_000
"""The number of statements that a block may have after it was rewritten."""


def spell(name: Any) -> str:
    """A variable as messages name it."""
    if name == RETURN:
        return "the returned value"
    return f"'{name}'" if isinstance(name, str) else str(name)


def at_ends(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements with all jumps at the ends of blocks. Raises `RecursionError` if they become too many."""
    result: list[ast.stmt] = []
    for position, statement in enumerate(statements):
        if isinstance(statement, JUMPS):
            return [*result, statement]
        rest = statements[position + 1 :]
        if isinstance(statement, ast.If) and has_jump([statement]):
            then = at_ends([*statement.body, *rest])
            otherwise = at_ends([*statement.orelse, *rest])
            if _size(then) + _size(otherwise) > LARGEST:
                raise RecursionError
            rewritten = ast.If(statement.test, then, otherwise)
            return [*result, ast.copy_location(rewritten, statement)]
        result.append(statement)
    return result


def has_jump(statements: Sequence[ast.stmt], kinds: tuple[type[ast.stmt], ...] = JUMPS) -> bool:
    """True if the statements contain a jump that leaves them."""
    for statement in statements:
        if isinstance(statement, kinds):
            return True
        if isinstance(statement, ast.If) and (has_jump(statement.body, kinds) or has_jump(statement.orelse, kinds)):
            return True
        if isinstance(statement, (ast.For, ast.While)) and has_return(statement.body):
            return True
    return False


def has_return(statements: Sequence[ast.stmt]) -> bool:
    """True if the statements contain `return`."""
    nodes = (node for statement in statements for node in ast.walk(statement))
    return any(isinstance(node, ast.Return) for node in nodes)


def _size(statements: Sequence[ast.stmt]) -> int:
    return sum(1 for statement in statements for node in ast.walk(statement) if isinstance(node, ast.stmt))
