"""Translation of Python expressions to bindings."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy

from ..computations.sizes import Size
from ..errors import TranslationError
from ..messages import described, did_you_mean, without_address
from ..types import bool_, of_dtype
from . import calls, conditions
from .affine import Affine
from .bindings import Binding, Counter, Named, describe, is_dynamic, linear
from .operations import INDEX, Block, Value
from .printing import COMPARISONS
from .repetition import Repetitions
from .slots import Slot, unify
from .source import UNBOUND, Source

BINARY: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
    ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
}
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
COMPARE: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}


class Expressions:
    """Translates expressions of one function into a block.

    `variables` are the parameters and local variables that have a binding; `local` are the names that the function
    assigns, which hide those of enclosing scopes.
    """

    def __init__(self, source: Source, block: Block, variables: dict[Any, Binding], depth: int = 0) -> None:
        self.source = source
        self.block = block
        self.variables = variables
        self.depth = depth
        self.repetitions = Repetitions(source)
        body = [] if isinstance(source.node, ast.Lambda) else source.node.body
        stored = [node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name)]
        self.local = {node.id for node in stored if isinstance(node.ctx, ast.Store)}

    def error(self, node: ast.AST, message: str) -> TranslationError:
        """An error at a node."""
        return self.source.error(node, message)

    def evaluate(self, node: ast.expr) -> Binding:
        """The binding of an expression."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise self.error(node, f"{describe(node)} cannot be translated")
        return method(node)

    def value(self, binding: Binding, node: ast.AST) -> Value:
        """A binding as a value of the program."""
        location = self.source.location(node)
        if isinstance(binding, Value):
            return binding
        if isinstance(binding, Counter):
            return self.block.one("convert", [binding.value], Slot(), location)
        if isinstance(binding, Affine):
            indices = ((number, factor) for number, factor in enumerate(binding.coefficients) if factor)
            return self._sum("index", indices, binding.constant, node)
        if isinstance(binding, Size):
            return self._sum("size", binding.terms.items(), binding.constant, node)
        if isinstance(binding, numpy.generic) and (basic := of_dtype(binding.dtype)):
            return self.block.one("constant", [], Slot(basic), location, binding.item())
        if isinstance(binding, bool):
            return self.block.one("constant", [], Slot(bool_), location, binding)
        if isinstance(binding, (int, float)):
            literal = "integer" if isinstance(binding, int) else "float"
            return self.block.one("constant", [], Slot(literal=literal), location, binding)
        if isinstance(binding, Named):
            raise self.error(node, f"a number is required, not all of '{binding.name}': a subscript is missing")
        kind = "a tuple" if isinstance(binding, tuple) else described(binding)
        raise self.error(node, f"a number is required, not {kind}")

    def _sum(self, kind: str, terms: Iterable[tuple[Any, int]], constant: int, node: ast.AST) -> Value:
        """The value of a linear expression of indices or sizes, whose type is not known yet."""
        location = self.source.location(node)
        total: Value | None = None
        for what, factor in terms:
            number = self.block.one(kind, [], Slot(INDEX), location, what)
            term = self.block.one("convert", [number], Slot(), location)
            if factor != 1:
                term = self.operation("*", [term, self.value(factor, node)], node)
            total = term if total is None else self.operation("+", [total, term], node)
        if total is None:
            return self.value(constant, node)
        return self.operation("+", [total, self.value(constant, node)], node) if constant else total

    def operation(self, kind: str, operands: list[Value], node: ast.AST, attribute: Any = None) -> Value:
        """An operation whose operands and result have one type."""
        for operand in operands[1:]:
            unify(operands[0].slot, operand.slot, self.source.location(node))
        return self.block.one(kind, operands, operands[0].slot, self.source.location(node), attribute)

    def assign(self, target: ast.expr, binding: Binding) -> None:
        """Assigns a binding to a name, an element or several of them."""
        if isinstance(target, ast.Name):
            self.variables[target.id] = binding
        elif isinstance(target, (ast.Tuple, ast.List)):
            if not isinstance(binding, (tuple, list)) or len(binding) != len(target.elts):
                raise self.error(target, f"a tuple of {len(target.elts)} values is required")
            for part, value in zip(target.elts, binding):
                self.assign(part, value)
        elif isinstance(target, ast.Subscript) and isinstance(of := self.evaluate(target.value), Named):
            of.assign(self, target, self.evaluate(target.slice), binding)
        else:
            raise self.error(target, "only local variables and outputs can be assigned")

    def condition(self, node: ast.expr) -> Value | bool:
        """A truth value, or a constant."""
        binding = self.evaluate(node)
        if not is_dynamic(binding):
            return bool(binding)
        value = self.value(binding, node)
        if value.slot.known is not bool_:
            message = f"a condition must be a comparison or have the type bool_, not {value.slot.describe()}"
            raise self.error(node, message)
        return value

    def fold(self, node: ast.AST, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result of a Python function on constants."""
        try:
            return function(*arguments)
        except Exception as error:
            raise self.error(node, f"this constant has no value: {without_address(error)}") from None

    # One method for each kind of expression.

    def _constant(self, node: ast.Constant) -> Binding:
        return node.value

    def _tuple(self, node: ast.Tuple) -> Binding:
        return tuple(self.evaluate(part) for part in node.elts)

    _list = _tuple

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp) -> Binding:
        """A comprehension over constants is a tuple."""
        generator = node.generators[0]
        sequence = self.evaluate(generator.iter)
        is_constant = isinstance(sequence, tuple) or (hasattr(sequence, "__iter__") and not is_dynamic(sequence))
        if len(node.generators) > 1 or generator.ifs or not is_constant:
            raise self.error(node, "a comprehension requires one 'for' over a sequence of constants, without 'if'")
        outer = dict(self.variables)
        parts = []
        for item in sequence:
            self.assign(generator.target, item)
            parts.append(self.evaluate(node.elt))
        self.variables = outer
        return tuple(parts)

    _generatorexp = _listcomp

    def _name(self, node: ast.Name) -> Binding:
        if node.id in self.variables:
            return self.variables[node.id]
        if node.id in self.local:
            raise self.error(node, f"'{node.id}' must be assigned on every path before it is read")
        found = self.source.lookup(node.id)
        if found is UNBOUND:
            names = [*filter(lambda name: isinstance(name, str), self.variables), *self.source.names()]
            raise self.error(node, f"the name '{node.id}' is not defined{did_you_mean(node.id, names)}")
        return found

    def _attribute(self, node: ast.Attribute) -> Binding:
        of = self.evaluate(node.value)
        if isinstance(of, Named):
            raise self.error(node, f"'{of.name}' has no attribute '{node.attr}': write {of.name}[…]")
        if is_dynamic(of) or not hasattr(of, node.attr):
            what, names = ("a value of the program", []) if is_dynamic(of) else (described(of), dir(of))
            raise self.error(node, f"{what} has no attribute '{node.attr}'{did_you_mean(node.attr, names)}")
        return getattr(of, node.attr)

    def _binop(self, node: ast.BinOp) -> Binding:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        return self.binary(node, BINARY.get(type(node.op)), left, right, (node.left, node.right))

    def binary(
        self,
        node: ast.AST,
        row: tuple[str, Callable[[Any, Any], Any]] | None,
        left: Binding,
        right: Binding,
        places: tuple[ast.AST, ast.AST],
    ) -> Binding:
        """The binding of an operation of two operands, which are at the given places."""
        if row is None:
            raise self.error(node, "'@' cannot be translated: a product of matrices is a computation of its own")
        symbol, function = row
        if not is_dynamic(left) and not is_dynamic(right):
            return self.fold(node, function, left, right)
        if (result := linear(symbol, left, right)) is not None:
            return result
        if symbol == "**":
            return self._power(node, left, right, places)
        return self.operation(symbol, [self.value(left, places[0]), self.value(right, places[1])], node)

    def _power(self, node: ast.AST, left: Binding, right: Binding, places: tuple[ast.AST, ast.AST]) -> Binding:
        base = self.value(left, places[0])
        if isinstance(right, int) and not isinstance(right, bool):
            if not -(1 << 31) <= right < 1 << 31:
                raise self.error(node, f"the exponent must have 32 bits, but is {right}")
            return self.block.one("power", [base], base.slot, self.source.location(places[1]), right)
        return self.operation("math.powf", [base, self.value(right, places[1])], node, "**")

    def _unaryop(self, node: ast.UnaryOp) -> Binding:
        binding = self.evaluate(node.operand)
        if not is_dynamic(binding):
            return self.fold(node, UNARY[type(node.op)], binding)
        if isinstance(binding, Affine) and isinstance(node.op, ast.USub):
            return binding.scaled(-1)
        if isinstance(binding, Size) and isinstance(node.op, ast.USub):
            return -1 * binding
        value = self.value(binding, node.operand)
        if isinstance(node.op, ast.Not):
            if value.slot.known is not bool_:
                raise self.error(node, f"'not' requires bool_, not {value.slot.describe()}")
            return self.operation("~", [value], node)
        if isinstance(node.op, ast.UAdd):
            return value
        return self.operation("negate" if isinstance(node.op, ast.USub) else "~", [value], node)

    def _compare(self, node: ast.Compare) -> Binding:
        result: Binding = True
        left, left_node = self.evaluate(node.left), node.left
        for comparison, right_node in zip(node.ops, node.comparators):
            if type(comparison) not in COMPARE:
                raise self.error(node, f"comparisons are {', '.join(COMPARISONS)}: 'is' and 'in' cannot be translated")
            right = self.evaluate(right_node)
            symbol, function = COMPARE[type(comparison)]
            if is_dynamic(left) or is_dynamic(right):
                operands = [self.value(left, left_node), self.value(right, right_node)]
                location = self.source.location(node)
                unify(operands[0].slot, operands[1].slot, location)
                one: Binding = self.block.one("compare", operands, Slot(bool_), location, symbol)
            else:
                one = self.fold(node, function, left, right)
            result = self._both(node, result, one)
            left, left_node = right, right_node
        return result

    def _both(self, node: ast.AST, left: Binding, right: Binding) -> Binding:
        if not is_dynamic(left):
            return right if left else left
        return self.operation("&", [left, self.value(right, node)], node)

    def _boolop(self, node: ast.BoolOp) -> Binding:
        return conditions.combined(self, node)

    def _ifexp(self, node: ast.IfExp) -> Binding:
        return conditions.selected(self, node)

    def _subscript(self, node: ast.Subscript) -> Binding:
        of = self.evaluate(node.value)
        key = self.evaluate(node.slice)
        if isinstance(of, Named):
            return of.read(self, node, key)
        if is_dynamic(key) or isinstance(of, (Value, Affine, Counter)):
            raise self.error(node, "a subscript requires a constant sequence and a constant index")
        return self.fold(node, operator.getitem, of, key)

    def _call(self, node: ast.Call) -> Binding:
        return calls.call(self, node)
