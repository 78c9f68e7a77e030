"""Translation of bounded loops.

A loop over constants is unrolled if its variable is a subscript or its sequence is no range; other loops are loops of
the program.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from .bindings import Binding, Counter, is_dynamic
from .jumps import GOES_ON, has_jump, has_return, spell
from .operations import INDEX, Block, Value
from .repetition import Repetition
from .slots import Slot, unify

if TYPE_CHECKING:
    from .statements import Statements

LARGEST = 4096
"""The number of iterations that may be unrolled."""


def translate(at: Statements, node: ast.For) -> None:
    """Translates a loop."""
    if node.orelse:
        raise at.error(node.orelse[0], "'else' of a loop cannot be translated")
    if has_return(node.body):
        raise at.error(node, "'return' inside of a loop cannot be translated: assign a variable and use 'break'")
    sequence = at.evaluate(node.iter)
    if is_dynamic(sequence) and not isinstance(sequence, tuple):
        raise at.error(node.iter, "a loop requires a constant number of iterations, such as range(16)")
    if isinstance(sequence, range) and max(map(abs, (sequence.start, sequence.stop, sequence.step))) >= 1 << 62:
        raise at.error(node.iter, "the bounds of a loop must be less than 2^62")
    if not hasattr(sequence, "__iter__"):
        raise at.error(node.iter, "a loop requires a range or another sequence of constants")
    names = _names(node.target)
    is_program = isinstance(sequence, range) and sequence.step > 0 and isinstance(node.target, ast.Name)
    if is_program and not any(_is_subscript(statement, names) for statement in node.body):
        _loop(at, node, sequence)
    else:
        _unroll(at, node, sequence)


def _names(target: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}


def _is_subscript(statement: ast.stmt, names: set[str]) -> bool:
    """True if one of the names occurs in a subscript or bounds another loop."""
    for node in ast.walk(statement):
        inner = node.slice if isinstance(node, ast.Subscript) else node.iter if isinstance(node, ast.For) else None
        if inner is not None and names & _names(inner):
            return True
    return False


def _unroll(at: Statements, node: ast.For, sequence: Any) -> None:
    if has_jump(node.body, (ast.Break,)):
        raise at.error(node, "'break' requires a loop over a range whose variable is no subscript")
    outer = at.variables.pop(GOES_ON, None)
    loop = Repetition(node)
    at.repetitions.loops.append(loop)
    for number, item in enumerate(sequence):
        if number == LARGEST:
            raise at.error(node, f"a loop over constants must have at most {LARGEST} iterations")
        at.assign(node.target, item)
        if has_jump(node.body):
            at.variables[GOES_ON] = True
        loop.iteration = number
        at.body(node.body)
        at.variables.pop(GOES_ON, None)
    at.repetitions.loops.pop()
    if outer is not None:
        at.variables[GOES_ON] = outer


def _leaves(binding: Binding) -> list[Binding]:
    if isinstance(binding, tuple):
        return [leaf for part in binding for leaf in _leaves(part)]
    return [binding]


def _rebuilt(binding: Binding, leaves: list[Value]) -> Binding:
    """A binding of the same structure, with values instead of its leaves, which are taken from the list."""
    if isinstance(binding, tuple):
        return tuple(_rebuilt(part, leaves) for part in binding)
    return leaves.pop(0)


def _assigned(at: Statements, node: ast.For) -> list[Any]:
    """The variables that the body may assign and that have a value before, in a fixed order."""
    stored: set[str] = set()
    assigns_output = False
    for statement in node.body:
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                stored.add(part.id)
            assigns_output |= isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store)
    stored -= _names(node.target)
    return [name for name in at.variables if name in stored or (assigns_output and not isinstance(name, str))]


def _loop(at: Statements, node: ast.For, sequence: range) -> None:
    location = at.source.location(node)
    leaves_early = has_jump(node.body, (ast.Break,))
    outer = at.variables.pop(GOES_ON, None)
    carried = _assigned(at, node)
    before = dict(at.variables)
    initial = [at.value(leaf, node) for name in carried for leaf in _leaves(before[name])]
    if leaves_early:
        initial.insert(0, at.value(True, node))
    body = Block()
    counter = Value(Slot(INDEX))
    arguments = [Value(value.slot) for value in initial]
    body.arguments = [counter, *arguments]

    at.variables = dict(before)
    remaining = arguments[1:] if leaves_early else list(arguments)
    for name in carried:
        at.variables[name] = _rebuilt(before[name], remaining)
    assert isinstance(node.target, ast.Name)
    at.variables[node.target.id] = Counter(counter)
    if has_jump(node.body):
        at.variables[GOES_ON] = True
    outer_block, at.block = at.block, body
    at.repetitions.loops.append(Repetition(node, 0 if len(sequence) <= 1 else None))
    at.body(node.body)
    at.repetitions.loops.pop()
    finals = [at.value(at.variables[GOES_ON], node)] if leaves_early else []
    for name in carried:
        if name not in at.variables:
            raise at.error(node, f"{spell(name)} must be assigned on every path of the loop")
        before_leaves, leaves = _leaves(before[name]), _leaves(at.variables[name])
        if len(before_leaves) != len(leaves):
            raise at.error(node, f"{spell(name)} must be a tuple of {len(before_leaves)} values in each iteration")
        finals += [at.value(leaf, node) for leaf in leaves]
    for value, final in zip(initial, finals):
        unify(value.slot, final.slot, location, "a variable before and after an iteration")
    body.add("yield", finals, [], location)
    at.block = outer_block

    slots = [value.slot for value in initial]
    bounds = (sequence.start, sequence.stop, sequence.step)
    if leaves_early:
        head = Block([Value(Slot(INDEX)), *(Value(slot) for slot in slots)])
        results = at.block.add("while", initial, [Slot(INDEX), *slots], location, bounds, [head, body])[2:]
    else:
        results = list(at.block.add("for", initial, slots, location, bounds, [body])) if initial else []
    at.variables = before
    at.variables.pop(node.target.id, None)
    for name in carried:
        at.variables[name] = _rebuilt(before[name], results)
    if outer is not None:
        at.variables[GOES_ON] = outer
