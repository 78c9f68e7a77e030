"""The syntax tree of a Python function, and the Python objects that its names stand for."""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import inspect
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any, TypeGuard

from ..errors import ArgumentTypeError, Location, TranslationError
from ..messages import described

FunctionNode = ast.FunctionDef | ast.Lambda


class Unbound:
    """A name without a value."""


UNBOUND = Unbound()


class Source:
    """A Python function with its syntax tree."""

    def __init__(self, function: FunctionType, node: FunctionNode) -> None:
        self.function = function
        self.node = node
        self.file = function.__code__.co_filename

    def location(self, node: ast.AST) -> Location:
        """The place of a node. Columns count characters of UTF-8 bytes, as Python's own do, from 1."""
        line = getattr(node, "lineno", self.node.lineno)
        column = getattr(node, "col_offset", self.node.col_offset)
        return Location(self.file, line, column + 1)

    def error(self, node: ast.AST, message: str) -> TranslationError:
        """An error at a node."""
        return TranslationError(message, self.location(node))

    def parameters(self) -> list[str]:
        """The names of the parameters, which must be plain ones."""
        arguments = self.node.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
            raise self.error(self.node, "parameters must be plain names, without '*' and '**'")
        return [argument.arg for argument in [*arguments.posonlyargs, *arguments.args]]

    def defaults(self) -> dict[str, Any]:
        """The default values of parameters."""
        names = self.parameters()
        values = self.function.__defaults__ or ()
        return dict(zip(names[len(names) - len(values) :], values))

    def lookup(self, name: str) -> Any:
        """The object that a free name stands for: a variable of an enclosing function, a global or a built-in one."""
        cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or ()))
        if name in cells:
            try:
                return cells[name].cell_contents
            except ValueError:
                return UNBOUND
        if name in self.function.__globals__:
            return self.function.__globals__[name]
        return getattr(builtins, name, UNBOUND)


    def names(self) -> list[str]:
        """All names that `lookup` finds."""
        return [*self.function.__code__.co_freevars, *self.function.__globals__, *dir(builtins)]


def start_of(function: FunctionType) -> Location:
    """The line on which a function begins."""
    return Location(function.__code__.co_filename, function.__code__.co_firstlineno, 1)


def require_parentheses(decorator: str, function: object) -> None:
    """Raises `TranslationError` if a decorator has been used without the parentheses after its name."""
    if is_function(function):
        raise TranslationError(f"the decorator requires parentheses: write @{decorator}()", start_of(function))
    if function is not None:
        raise ArgumentTypeError(f"{decorator}() has no arguments without a name, but has {described(function)}")


def is_function(value: object) -> TypeGuard[FunctionType]:
    """True for functions and lambdas written in Python."""
    return isinstance(value, FunctionType)


def source_of(function: Callable[..., Any]) -> Source:
    """The syntax tree of a function or lambda.

    Raises `TranslationError` if its source is not available, such as for code passed to `exec`.
    """
    function = inspect.unwrap(function)
    if not is_function(function):
        raise ArgumentTypeError(f"a function written in Python is required, not {described(function)}")
    code = function.__code__
    kind = "lambda" if function.__name__ == "<lambda>" else "function"
    try:
        lines, _ = inspect.findsource(code)
        tree = _parse("".join(lines))
    except (OSError, TypeError, SyntaxError, IndexError):
        message = f"the source of this {kind} is required, but is not available: write it in a file"
        raise TranslationError(message, start_of(function)) from None
    # Names of a statement at the top are global ones in any case, so that the other statements do not matter.
    statements = [statement for statement in tree.body if _spans(statement, code.co_firstlineno)]
    nodes = [(statement, node) for statement in statements for node in _functions(statement)]
    candidates = [
        (statement, node)
        for statement, node in nodes
        if _begins_at(node) == code.co_firstlineno and _named(node) == code.co_name
    ]
    if len(candidates) > 1:
        candidates = [(statement, node) for statement, node in candidates if _compiles_to(statement, node, code)]
    if not candidates:
        message = f"the source of this {kind} is required, but the file has changed since it was read"
        raise TranslationError(message, start_of(function))
    return Source(function, candidates[0][1])


@functools.lru_cache(maxsize=32)
def _parse(text: str) -> ast.Module:
    return ast.parse(text)


def _functions(tree: ast.AST) -> Iterator[FunctionNode]:
    return (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.Lambda)))


def _spans(statement: ast.stmt, line: int) -> bool:
    return _begins_at(statement) <= line <= (statement.end_lineno or statement.lineno)


def _named(node: FunctionNode) -> str:
    return "<lambda>" if isinstance(node, ast.Lambda) else node.name


def _begins_at(node: ast.stmt | ast.Lambda) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


# Moves a node to lines of its own, so that its code can be told apart.
_FAR = 1_000_000


def _compiles_to(statement: ast.stmt, node: FunctionNode, code: CodeType) -> bool:
    """True if the code of a function is that of the node. If it is also that of another node, both mean the same."""
    moved = copy.deepcopy(statement)
    pairs = zip(ast.walk(statement), ast.walk(moved))
    ast.increment_lineno(next(copied for original, copied in pairs if original is node), _FAR)
    module = compile(ast.Module([moved], []), code.co_filename, "exec", dont_inherit=True)
    return any(_same(candidate, code) for candidate in _far(module))


def _far(code: CodeType) -> Iterator[CodeType]:
    """The code of the node that was moved, without that of functions in it."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_firstlineno > _FAR:
                yield constant
            else:
                yield from _far(constant)


def _same(left: CodeType, right: CodeType) -> bool:
    """True if two functions have the same code, wherever they stand."""
    parts = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars")
    if any(getattr(left, part) != getattr(right, part) for part in parts) or len(left.co_consts) != len(
        right.co_consts
    ):
        return False
    return all(
        _same(a, b) if isinstance(a, CodeType) and isinstance(b, CodeType) else type(a) is type(b) and a == b
        for a, b in zip(left.co_consts, right.co_consts)
    )
