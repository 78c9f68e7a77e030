"""Programs of JAX as MLIR that the compiler reads.

    a function on arrays --jax.jit--> StableHLO --passes of jaxlib--> linalg on tensors
"""

from __future__ import annotations

from typing import Any

from .errors import CompilationError
from .frameworks import module

# Operations of StableHLO without an equivalent in linalg stay; the compiler expands those that it knows.
_PASSES = "builtin.module(inline,func.func(chlo-legalize-to-stablehlo,stablehlo-legalize-to-linalg),canonicalize,cse)"


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
            _make_signless(program)
            manager.parse(_PASSES).run(program.operation)
    except Exception as error:
        raise CompilationError(f"JAX cannot lower the function to linalg: {error}") from error
    _drop_attributes(program)
    generic = any(_has_unregistered(function) for function in program.body.operations)
    text: str = program.operation.get_asm(
        enable_debug_info=True, large_elements_limit=None, print_generic_op_form=generic
    )
    return text


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

    function = next(one for one in program.body.operations if one.name.value == "main")
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
    """Removes the attributes of dialects that the compiler does not have."""
    for operation in (program.operation, *program.body.operations):
        attributes = operation.attributes
        for name in [one if isinstance(one, str) else one.name for one in attributes]:
            if name.startswith(("mhlo.", "jax.")) or name in ("arg_attrs", "res_attrs"):
                del attributes[name]


def _has_unregistered(operation: Any) -> bool:
    """Whether an operation of StableHLO or CHLO is left, whose own syntax the compiler does not read."""
    inner = (one for region in operation.regions for block in region.blocks for one in block.operations)
    return operation.operation.name.startswith(("stablehlo.", "chlo.")) or any(map(_has_unregistered, inner))
