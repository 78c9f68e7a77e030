"""Programs of JAX as MLIR that the compiler reads.

    a function on arrays --jax.jit--> StableHLO --passes of jaxlib--> linalg on tensors
"""

from __future__ import annotations

import re
from typing import Any

from ..errors import CompilationError
from ..frameworks.modules import module
from ..messages import without_address
from .rewrites import created, inside, rewrite

# Operations of StableHLO without an equivalent in linalg stay; the compiler expands those that it knows.
# Patterns that change results are left out (docs/rationale.md).
_PATTERNS = ",".join(f"(anonymous namespace)::{name}" for name in ("IndexCastOfIndexCast", "IndexCastUIOfIndexCastUI"))
_PASSES = (
    "builtin.module(inline,func.func(chlo-legalize-to-stablehlo,stablehlo-legalize-to-linalg),"
    f"canonicalize{{disable-patterns={{{_PATTERNS}}}}},cse)"
)


# Types whose elements are smaller than those that the compiler computes with.
_SMALL = re.compile(r"(?:^|[<x])(f[468]E\w+|[su]?i[24])>?$")

# By operation that is left: what it does.
_UNSUPPORTED = {
    "stablehlo.cholesky": "Cholesky's decomposition",
    "stablehlo.fft": "the Fourier transform",
    "stablehlo.reduce_precision": "rounding to a number of digits",
    "stablehlo.rng": "this generator of random numbers",
    "stablehlo.rng_bit_generator": "this generator of random numbers",
    "stablehlo.select_and_scatter": "the gradient of a maximum or a minimum of windows",
    "stablehlo.sort": "sorting",
    "stablehlo.triangular_solve": "solving a triangular system",
}
# By a part of the name of a function that is called: what it does.
_CALLS = {
    "ApproxTopK": "selecting the largest elements",
    "python": "a call of Python",
    "potrf": "Cholesky's decomposition",
    "getrf": "the LU decomposition",
    "trsm": "solving a triangular system",
    "gesdd": "the singular value decomposition",
    "gesvd": "the singular value decomposition",
    "geqrf": "the QR decomposition",
    "orgqr": "the QR decomposition",
    "ungqr": "the QR decomposition",
    "syevd": "the eigenvalue decomposition",
    "heevd": "the eigenvalue decomposition",
    "geev": "the eigenvalue decomposition",
}


def linalg_of(lowered: Any) -> str:
    """The text of a function that JAX has lowered, with the Python lines as locations. The function is called main.

    Raises:
        CompilationError: the passes of jaxlib reject the program, or the compiler does not have all of its operations.
    """
    program = _linalg_of(lowered)
    _check_supported(program)
    return _spelled(program)


def text_of(lowered: Any) -> str:
    """The text of `linalg_of`, also of a program that it refuses: as far as the passes of jaxlib lower it."""
    try:
        return _spelled(_linalg_of(lowered))
    except CompilationError:
        return _spelled(lowered.compiler_ir("stablehlo"))


def _linalg_of(lowered: Any) -> Any:
    """A module in linalg. Operations without an equivalent stay."""
    module("jaxlib.mlir.dialects.stablehlo", "mdh.jit").register_stablehlo_passes()
    manager = module("jaxlib.mlir.passmanager", "mdh.jit").PassManager
    # JAX keeps its own.
    program = lowered.compiler_ir("stablehlo").operation.clone()
    try:
        with program.operation.context, program.operation.location:
            _locate(program)
            _rename(program)
            rewrite(program)
            _make_signless(program)
            manager.parse(_PASSES).run(program.operation)
    except Exception as error:
        raise CompilationError(f"JAX cannot lower the function to linalg: {without_address(error)}") from error
    _drop_attributes(program)
    return program


def _spelled(program: Any) -> str:
    # The compiler does not read the own syntax of operations of StableHLO and CHLO.
    generic = any(operation.name.startswith(("stablehlo.", "chlo.")) for operation in inside(program.operation))
    text: str = program.operation.get_asm(
        enable_debug_info=True, large_elements_limit=None, print_generic_op_form=generic
    )
    return text


def _functions(program: Any) -> list[Any]:
    return [one for one in program.body.operations if one.operation.name == "func.func"]


def _locate(program: Any) -> None:
    """Gives the operations of private functions the line of a call; those that `jax.numpy` has lowered once have none.

        loc("sort")  -->  loc("stablehlo.sort"("jit(f)/jit(sort)"("program.py":3:5)))
    """
    ir = module("jaxlib.mlir.ir", "mdh.jit")
    functions = {one.name.value: one for one in _functions(program)}
    reached = ["main"]
    for name in reached:
        for operation in inside(functions[name].operation):
            callee = operation.attributes["callee"].value if operation.name == "func.call" else None
            if callee is None or callee in reached:
                continue
            reached.append(callee)
            for one in inside(functions[callee].operation):
                if not _place(one.location):
                    one.location = ir.Location.name(one.name, operation.location)


def _rename(program: Any) -> None:
    """Gives private functions names that no function in a library has.

        call @round  -->  call @jit.round
    """
    ir = module("jaxlib.mlir.ir", "mdh.jit")
    for one in _functions(program):
        if one.name.value != "main":
            one.attributes["sym_name"] = ir.StringAttr.get(f"jit.{one.name.value}")
        for operation in inside(one.operation):
            if operation.name == "func.call":
                callee = f"jit.{operation.attributes['callee'].value}"
                operation.attributes["callee"] = ir.FlatSymbolRefAttr.get(callee)


def _place(location: Any) -> str | None:
    """The file, the line and the column of a location, if it has any: those of the innermost call."""
    found = re.search(r'"([^"]+)":(\d+:\d+)', str(location))
    return f"{found[1]}:{found[2]}" if found else None


def _check_supported(program: Any) -> None:
    """Raises `CompilationError` if operations or types that the compiler does not have are left."""
    for operation in inside(program.operation):
        what = _UNSUPPORTED.get(operation.name)
        if operation.name == "stablehlo.custom_call":
            target = operation.attributes["call_target_name"].value
            what = next((words for name, words in _CALLS.items() if name in target), f"the call of '{target}'")
        place = _place(operation.location) or "JAX"
        if what:
            raise CompilationError(f"{place}: error: {what} is not supported")
        # Constants have no line of their own.
        values = [] if operation.name.endswith(".constant") else [*operation.operands, *operation.results]
        for value in values:
            if small := _SMALL.search(str(value.type)):
                raise CompilationError(f"{place}: error: {small[1]} is not supported")


def _make_signless(program: Any) -> None:
    """Gives functions signless integers as arguments and results, which have the same bits as unsigned ones.

        func @main(%a: tensor<4xui32>)  -->  func @main(%b: tensor<4xi32>)
                                               %a = builtin.unrealized_conversion_cast %b
    """
    ir = module("jaxlib.mlir.ir", "mdh.jit")
    cast = "builtin.unrealized_conversion_cast"

    def signless(type: Any) -> Any:
        element = type.element_type
        if not isinstance(element, ir.IntegerType) or not element.is_unsigned:
            return type
        return ir.RankedTensorType.get(type.shape, ir.IntegerType.get_signless(element.width))

    def given(operation: Any) -> None:
        """Makes the operands of an operation signless."""
        for number, value in enumerate(operation.operands):
            if signless(value.type) != value.type:
                operation.operands[number] = created(
                    cast, signless(value.type), value, ir.InsertionPoint(operation), value.location
                )

    def taken(values: Any, place: Any) -> None:
        """Makes values signless that were unsigned, as their uses require."""
        for value in values:
            own = value.type
            if signless(own) != own:
                value.set_type(signless(own))
                unsigned = created(cast, own, value, place, value.location)
                value.replace_all_uses_except(unsigned, unsigned.owner.operation)

    for function in _functions(program):
        for operation in list(inside(function.operation)):
            if operation.name == "func.call":
                given(operation)
                taken(operation.results, ir.InsertionPoint.after(operation))
        block = function.body.blocks[0]
        end = block.operations[len(block.operations) - 1].operation
        given(end)
        taken(block.arguments, ir.InsertionPoint.at_block_begin(block))
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

