"""Programs of JAX as MLIR that the compiler reads.

    a function on arrays --jax.jit--> StableHLO --passes of jaxlib--> linalg on tensors
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .errors import CompilationError
from .frameworks import module

# Operations of StableHLO without an equivalent in linalg stay; the compiler expands those that it knows.
# Patterns that change results are left out (docs/rationale.md).
_PATTERNS = ",".join(f"(anonymous namespace)::{name}" for name in ("IndexCastOfIndexCast", "IndexCastUIOfIndexCastUI"))
_PASSES = (
    "builtin.module(inline,func.func(chlo-legalize-to-stablehlo,stablehlo-legalize-to-linalg),"
    f"canonicalize{{disable-patterns={{{_PATTERNS}}}}},cse)"
)


def linalg_of(lowered: Any) -> str:
    """The text of a function that JAX has lowered, with the Python lines as locations. The function is called main.

    Raises:
        CompilationError: the passes of jaxlib reject the program.
    """
    module("jaxlib.mlir.dialects.stablehlo", "mdh.jit").register_stablehlo_passes()
    manager = module("jaxlib.mlir.passmanager", "mdh.jit").PassManager
    program = lowered.compiler_ir("stablehlo")
    try:
        with program.context, program.operation.location:
            _locate(program)
            _fill_empty(program)
            _make_signless(program)
            manager.parse(_PASSES).run(program.operation)
    except Exception as error:
        raise CompilationError(f"JAX cannot lower the function to linalg: {error}") from error
    _drop_attributes(program)
    _check_real(program)
    # The compiler does not read the own syntax of operations of StableHLO and CHLO.
    generic = any(operation.name.startswith(("stablehlo.", "chlo.")) for operation in _inside(program.operation))
    text: str = program.operation.get_asm(
        enable_debug_info=True, large_elements_limit=None, print_generic_op_form=generic
    )
    return text


def _functions(program: Any) -> list[Any]:
    return [one for one in program.body.operations if one.operation.name == "func.func"]


def _inside(operation: Any) -> Iterator[Any]:
    """The operations in the regions of an operation."""
    for region in operation.regions:
        for block in region.blocks:
            for one in block.operations:
                yield one.operation
                yield from _inside(one.operation)


def _locate(program: Any) -> None:
    """Gives the operations of private functions the line of a call; those that `jax.numpy` has lowered once have none.

        loc("sort")  -->  loc("stablehlo.sort"("jit(f)/jit(sort)"("program.py":3:5)))
    """
    ir = module("jaxlib.mlir.ir", "mdh.jit")
    functions = {one.name.value: one for one in _functions(program)}
    reached = ["main"]
    for name in reached:
        for operation in _inside(functions[name].operation):
            callee = operation.attributes["callee"].value if operation.name == "func.call" else None
            if callee is None or callee in reached:
                continue
            reached.append(callee)
            for one in _inside(functions[callee].operation):
                if not _place(one.location):
                    one.location = ir.Location.name(one.name, operation.location)


def _fill_empty(program: Any) -> None:
    """Replaces tensors without elements, and reductions of them, which the passes of jaxlib do not lower.

        %a = stablehlo.slice %x [2:2] : ... -> tensor<0xf32>       -->  %a = stablehlo.constant dense<>
        %b = stablehlo.reduce(%a init: %c) ... : ... -> tensor<f32>  -->  %b = stablehlo.broadcast_in_dim %c
    """
    ir = module("jaxlib.mlir.ir", "mdh.jit")

    def is_empty(value: Any) -> bool:
        return isinstance(value.type, ir.RankedTensorType) and 0 in value.type.shape

    def replace(operation: Any, name: str, operands: list[Any], attribute: tuple[str, Any], number: int) -> None:
        old = operation.results[number]
        with ir.InsertionPoint(operation), operation.location:
            new = ir.Operation.create(name, results=[old.type], operands=operands, attributes=dict([attribute]))
        old.replace_all_uses_with(new.result)

    # What is in the regions of an operation comes after it, and goes before it.
    for operation in reversed(list(_inside(program.operation))):
        if not operation.name.startswith("stablehlo.") or not operation.results:
            continue
        if all(map(is_empty, operation.results)):
            for number, result in enumerate(operation.results):
                value = "value", ir.Attribute.parse(f"dense<> : {result.type}")
                replace(operation, "stablehlo.constant", [], value, number)
            operation.erase()
        elif operation.name == "stablehlo.reduce" and is_empty(operation.operands[0]):
            for number in range(len(operation.results)):
                start = operation.operands[len(operation.results) + number]
                dimensions = "broadcast_dimensions", ir.DenseI64ArrayAttr.get([])
                replace(operation, "stablehlo.broadcast_in_dim", [start], dimensions, number)
            operation.erase()


def _place(location: Any) -> str | None:
    """The file, the line and the column of a location, if it has any: those of the innermost call."""
    found = re.search(r'"([^"]+)":(\d+:\d+)', str(location))
    return f"{found[1]}:{found[2]}" if found else None


def _check_real(program: Any) -> None:
    """Raises `CompilationError` if complex numbers are left."""
    for operation in _inside(program.operation):
        # Constants have no line of their own.
        values = [] if operation.name.endswith(".constant") else [*operation.operands, *operation.results]
        for value in values:
            element = re.search(r"complex<\w+>", str(value.type))
            if element:
                place = _place(operation.location) or "JAX"
                raise CompilationError(f"{place}: error: requires real numbers, but has {element[0]}")


def _make_signless(program: Any) -> None:
    """Gives the public function signless integers as arguments and results, which have the same bits as unsigned ones.

        func @main(%a: tensor<4xui32>)  -->  func @main(%b: tensor<4xi32>)
                                               %a = builtin.unrealized_conversion_cast %b
    """
    ir = module("jaxlib.mlir.ir", "mdh.jit")

    def signless(type: Any) -> Any:
        element = type.element_type
        if not isinstance(element, ir.IntegerType) or not element.is_unsigned:
            return type
        return ir.RankedTensorType.get(type.shape, ir.IntegerType.get_signless(element.width))

    def cast(value: Any, type: Any, place: Any) -> Any:
        operation = "builtin.unrealized_conversion_cast"
        return ir.Operation.create(operation, results=[type], operands=[value], ip=place, loc=value.location)

    function = next(one for one in _functions(program) if one.name.value == "main")
    block = function.body.blocks[0]
    for argument in block.arguments:
        own = argument.type
        if signless(own) != own:
            argument.set_type(signless(own))
            operation = cast(argument, own, ir.InsertionPoint.at_block_begin(block))
            argument.replace_all_uses_except(operation.result, operation)
    end = block.operations[len(block.operations) - 1]
    for number, value in enumerate(end.operands):
        own = value.type
        if signless(own) != own:
            end.operands[number] = cast(value, signless(own), ir.InsertionPoint(end)).result
    inputs = [argument.type for argument in block.arguments]
    results = [value.type for value in end.operands]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results))


def _drop_attributes(program: Any) -> None:
    """Removes the attributes of dialects that the compiler does not have, and the names of devices."""
    for operation in list(program.body.operations):
        if operation.operation.name.startswith("sdy."):
            operation.operation.erase()
    for operation in (program.operation, *program.body.operations):
        attributes = operation.attributes
        for name in [one if isinstance(one, str) else one.name for one in attributes]:
            if name.startswith(("mhlo.", "jax.")) or name in ("arg_attrs", "res_attrs"):
                del attributes[name]

