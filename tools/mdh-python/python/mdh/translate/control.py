"""MLIR text of branches and loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .operations import Block, Operation, Value

if TYPE_CHECKING:
    from .printing import Printer


def _results(printer: Printer, operation: Operation) -> str:
    """`%v:2 = `, and names for each of the results."""
    if not operation.results:
        return ""
    name = printer.names.unique("v")
    several = len(operation.results) > 1
    for number, result in enumerate(operation.results):
        printer.spelled[id(result)] = f"{name}#{number}" if several else name
    return f"{name}:{len(operation.results)} = " if several else f"{name} = "


def spell_if(printer: Printer, operation: Operation) -> None:
    """A branch, and its two blocks."""
    results = _results(printer, operation)
    to = f" -> ({printer.types(operation.results)})"
    printer.line(f"{results}scf.if {printer.name(operation.operands[0])}{to} {{")
    printer.region(operation.regions[0])
    printer.line("} else {")
    printer.region(operation.regions[1])
    printer.line("}", operation.location)


def spell_yield(printer: Printer, operation: Operation) -> None:
    """The end of a block."""
    printer.line(f"scf.yield {printer.values(operation.operands)} : {printer.types(operation.operands)}")


def _carried(printer: Printer, arguments: list[Value], operands: list[Value]) -> str:
    pairs = zip(arguments, operands)
    return ", ".join(f"{printer.name(argument)} = {printer.name(operand)}" for argument, operand in pairs)


def _bounds(printer: Printer, operation: Operation) -> list[str]:
    """Constants for the start, the stop and the step of a loop."""
    return [printer.temporary(operation, f"arith.constant {number} : index") for number in operation.attribute]


def spell_for(printer: Printer, operation: Operation) -> None:
    """A loop without `break`."""
    start, stop, step = _bounds(printer, operation)
    body = operation.regions[0]
    results = _results(printer, operation)
    counter = printer.name(body.arguments[0], "n")
    carried = _carried(printer, body.arguments[1:], operation.operands)
    head = f"{results}scf.for {counter} = {start} to {stop} step {step} iter_args({carried})"
    printer.line(f"{head} -> ({printer.types(operation.results)}) {{")
    printer.region(body)
    printer.line("}", operation.location)


def spell_while(printer: Printer, operation: Operation) -> None:
    """A loop with `break`: the first carried value is True until the loop is left."""
    start, stop, step = _bounds(printer, operation)
    before, body = operation.regions
    results = _results(printer, operation)
    types = ", ".join(["index", printer.types(operation.operands)])
    counter = printer.name(before.arguments[0], "n")
    carried = _carried(printer, before.arguments[1:], operation.operands)
    # The counter is the last result, which nothing reads.
    printer.line(f"{results}scf.while ({counter} = {start}, {carried}) : ({types}) -> ({types}) {{")
    printer.indent += "  "
    more = printer.temporary(operation, f"arith.cmpi slt, {counter}, {stop} : index")
    both = printer.temporary(operation, f"arith.andi {more}, {printer.name(before.arguments[1])} : i1")
    printer.line(f"scf.condition({both}) {printer.values(before.arguments)} : {types}")
    printer.indent = printer.indent[:-2]
    printer.line("} do {")
    arguments = ", ".join(f"{printer.name(value)}: {value.slot.type.mlir}" for value in body.arguments)
    printer.line(f"^bb0({arguments}):")
    printer.indent += "  "
    printer.block(Block([], body.operations[:-1]))
    last = body.operations[-1].operands
    following = printer.temporary(operation, f"arith.addi {printer.name(body.arguments[0])}, {step} : index")
    printer.line(f"scf.yield {following}, {printer.values(last)} : {types}")
    printer.indent = printer.indent[:-2]
    printer.line("}", operation.location)
