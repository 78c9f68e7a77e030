"""Rewrites of StableHLO before it is lowered to linalg: what the passes of jaxlib do not lower, or lower to other numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..frameworks.modules import module
from .scans import expand

# Sums of products, which XLA accumulates in f32.
_PRODUCTS = ("stablehlo.convolution", "stablehlo.dot", "stablehlo.dot_general")
# Reductions with a region; XLA accumulates their sums in f32.
_REDUCTIONS = ("stablehlo.reduce", "stablehlo.reduce_window")
# Operations that say when, or where, something is computed.
_BARRIERS = ("stablehlo.optimization_barrier", "sdy.sharding_constraint")
# Calls that say where the elements of an array are to be.
_SHARDINGS = ("Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "annotate_device_placement")


def rewrite(program: Any) -> None:
    """Rewrites a program, whose context is entered."""
    for operation in list(inside(program.operation)):
        is_reduction = operation.name == "stablehlo.reduce" and not len(operation.attributes["dimensions"])
        if operation.name in _BARRIERS or _is_sharding(operation) or is_reduction:
            _forward(operation)
    _fill_empty(program)
    for operation in list(inside(program.operation)):
        if operation.name in _PRODUCTS:
            _accumulate(operation)
        elif operation.name == "stablehlo.reduce_window" and expand(operation):
            continue
        elif operation.name in _REDUCTIONS and _is_sum(operation):
            _sum(operation)


def inside(operation: Any) -> Iterator[Any]:
    """The operations in the regions of an operation."""
    for region in operation.regions:
        for block in region.blocks:
            for one in block.operations:
                yield one.operation
                yield from inside(one.operation)


def _is_sharding(operation: Any) -> bool:
    return operation.name == "stablehlo.custom_call" and operation.attributes["call_target_name"].value in _SHARDINGS


def _forward(operation: Any) -> None:
    """Replaces an operation whose results are its first operands.

        %b = stablehlo.optimization_barrier %a                 -->   %a
        %b = stablehlo.reduce(%a init: %c) .. dimensions = []   -->   %a
    """
    for result, operand in zip(list(operation.results), list(operation.operands)):
        result.replace_all_uses_with(operand)
    operation.erase()


def created(name: str, ty: Any, operand: Any, place: Any, location: Any) -> Any:
    """The result of a new operation with an operand."""
    ir = module("jaxlib.mlir.ir", "mdh.jit")
    return ir.Operation.create(name, results=[ty], operands=[operand], ip=place, loc=location).result


def _fill_empty(program: Any) -> None:
    """Replaces tensors without elements, and reductions and paddings of them, which the passes of jaxlib do not lower.

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
    for operation in reversed(list(inside(program.operation))):
        if not operation.name.startswith("stablehlo.") or not operation.results:
            continue
        if all(map(is_empty, operation.results)):
            for result in operation.results:
                # Parsed as a whole: the bindings have no attribute for constants of complex numbers.
                constant = ir.Operation.parse(f"stablehlo.constant dense<> : {result.type}")
                ir.InsertionPoint(operation).insert(constant)
                result.replace_all_uses_with(constant.operation.results[0])
            operation.erase()
        elif operation.name == "stablehlo.pad" and is_empty(operation.operands[0]):
            dimensions = "broadcast_dimensions", ir.DenseI64ArrayAttr.get([])
            replace(operation, "stablehlo.broadcast_in_dim", [operation.operands[1]], dimensions, 0)
            operation.erase()
        elif operation.name == "stablehlo.reduce" and is_empty(operation.operands[0]):
            for number in range(len(operation.results)):
                start = operation.operands[len(operation.results) + number]
                dimensions = "broadcast_dimensions", ir.DenseI64ArrayAttr.get([])
                replace(operation, "stablehlo.broadcast_in_dim", [start], dimensions, number)
            operation.erase()


def _is_low(ty: Any) -> bool:
    """Whether elements are floats of 16 bits."""
    return str(ty.element_type) in ("bf16", "f16")


def _wide(ty: Any) -> Any:
    """The type with elements of f32."""
    ir = module("jaxlib.mlir.ir", "mdh.jit")
    return ir.RankedTensorType.get(ty.shape, ir.F32Type.get())


def _narrow_results(operation: Any) -> None:
    """Computes results of 16 bits in f32, and rounds them afterwards."""
    ir = module("jaxlib.mlir.ir", "mdh.jit")
    for result in operation.results:
        own = result.type
        if _is_low(own):
            result.set_type(_wide(own))
            narrow = created("stablehlo.convert", own, result, ir.InsertionPoint.after(operation), operation.location)
            result.replace_all_uses_except(narrow, narrow.owner.operation)


def _accumulate(operation: Any) -> None:
    """Accumulates products in f32.

        stablehlo.dot_general %a, %b : .. -> tensor<4x4xbf16>   -->   %c = stablehlo.dot_general %a, %b : .. -> tensor<4x4xf32>
                                                                      stablehlo.convert %c
    """
    if "algorithm" in operation.attributes:
        # The accumulation is in f32, or in the type of the result, anyway.
        del operation.attributes["algorithm"]
    _convert_result(operation)
    _narrow_results(operation)


def _convert_result(operation: Any) -> None:
    """Converts a result that has not the type of its operands, if that has fewer numbers, at the end; jaxlib converts operands.

        stablehlo.dot %a, %b : .. f32 -> tensor<4x4xi32>   -->   %c = stablehlo.dot %a, %b : .. f32 -> tensor<4x4xf32>
                                                                 stablehlo.convert %c
    """
    ir = module("jaxlib.mlir.ir", "mdh.jit")
    result, own = operation.results[0], operation.results[0].type
    given = operation.operands[0].type.element_type
    is_float, was_float = (isinstance(one, ir.FloatType) for one in (own.element_type, given))
    if was_float and (not is_float or own.element_type.width < given.width):
        result.set_type(ir.RankedTensorType.get(own.shape, given))
        converted = created("stablehlo.convert", own, result, ir.InsertionPoint.after(operation), operation.location)
        result.replace_all_uses_except(converted, converted.owner.operation)


def _is_sum(operation: Any) -> bool:
    """Whether a reduction adds floats of 16 bits."""
    body = [one.operation for one in operation.regions[0].blocks[0].operations]
    return len(body) == 2 and body[0].name == "stablehlo.add" and _is_low(operation.results[0].type)


def _sum(operation: Any) -> None:
    """Adds in f32."""
    place = module("jaxlib.mlir.ir", "mdh.jit").InsertionPoint(operation)
    for number, operand in enumerate(list(operation.operands)):
        wide = created("stablehlo.convert", _wide(operand.type), operand, place, operation.location)
        operation.operands[number] = wide
    block = operation.regions[0].blocks[0]
    for argument in block.arguments:
        argument.set_type(_wide(argument.type))
    for result in block.operations[0].operation.results:
        result.set_type(_wide(result.type))
    _narrow_results(operation)
