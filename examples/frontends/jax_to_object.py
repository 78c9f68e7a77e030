"""A JAX function as an object file with a C interface.

usage: python jax_to_object.py OUTPUT     such as attention.o; the header, attention.h, is written beside it
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jaxlib.mlir.dialects import stablehlo
from jaxlib.mlir.passmanager import PassManager

from objects import compare, compile_object, load_function

# StableHLO to linalg, by the passes of jaxlib.
PASSES = """builtin.module(
    inline, func.func(chlo-legalize-to-stablehlo, stablehlo-legalize-to-linalg), canonicalize, cse)"""


def attention(queries, keys, values):
    weights = jax.nn.softmax(queries @ keys.T / jnp.sqrt(keys.shape[1]))
    return weights @ values


def to_linalg(function, *arguments):
    """The program of a function for arguments of these shapes and types. The generic form needs no dialect of JAX to be read."""
    module = jax.jit(function).lower(*arguments).compiler_ir("stablehlo")
    stablehlo.register_stablehlo_passes()
    with module.context:
        PassManager.parse(PASSES).run(module.operation)
    return module.operation.get_asm(print_generic_op_form=True)


def main(output):
    random = np.random.default_rng(0)
    arguments = [random.random((128, 64), np.float32) for _ in range(3)]
    # JAX names the function main.
    compile_object(to_linalg(attention, *arguments), output, prefix="jax_")
    compare(load_function(output, "jax_main"), arguments, np.asarray(attention(*arguments)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
