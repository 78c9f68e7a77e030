"""Tensor contractions, written as in `numpy.einsum`.

NumPy computes a contraction as a product of matrices, for which it copies the tensors into another order of their
dimensions; the result keeps the order of the product. For mdh, the order is a matter of the index functions, and the
result has the order that its specification says.

The first contraction is in the published interface, and its index functions are written out. The others are made of
their specifications, as MLIR text: `linalg.contract` has an affine map for each tensor.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy
from measure import options
from mdh import *
from mdh import compile as compile_mlir
from mdh import compiler as mdhc

# A contraction of coupled-cluster methods in chemistry, one of two dimensions, and the scores of attention.
SPECIFICATIONS = {
    "gdab,efgc->abcdef": {"a": 24, "b": 16, "c": 16, "d": 24, "e": 16, "f": 16, "g": 24},
    "aebf,dfce->abcd": {"a": 48, "b": 36, "c": 24, "d": 36, "e": 48, "f": 36},
    "bqhd,bkhd->bhqk": {"b": 8, "q": 256, "k": 256, "h": 8, "d": 64},
}


def coupled_cluster(extents: dict[str, int]) -> Computation:
    """gdab,efgc->abcdef, a contraction of CCSD(T): six dimensions are kept, and one is summed."""
    A, B, C, D, E, F, G = (extents[letter] for letter in "abcdefg")

    @mdh()
    def coupled_cluster():
        @scalar_function()
        def multiply(out, inp):
            out["result"] = inp["left"] * inp["right"]

        return (
            out_view[fp32](result=[lambda a, b, c, d, e, f, g: (a, b, c, d, e, f)]),
            md_hom[A, B, C, D, E, F, G](multiply, (cc, cc, cc, cc, cc, cc, pw(add))),
            inp_view[fp32, fp32](
                left=[lambda a, b, c, d, e, f, g: (g, d, a, b)],
                right=[lambda a, b, c, d, e, f, g: (e, f, g, c)],
            ),
        )

    return coupled_cluster


def contraction(specification: str, extents: dict[str, int]) -> str:
    """A program in MLIR with the function of a specification."""
    letters = ", ".join(extents)
    left, right, result = specification.replace("->", ",").split(",")
    maps = ", ".join(f"affine_map<({letters}) -> ({', '.join(tensor)})>" for tensor in (left, right, result))
    types = [f"tensor<{''.join(f'{extents[letter]}x' for letter in tensor)}f32>" for tensor in (left, right, result)]
    return f"""
        func.func @contraction(%left: {types[0]}, %right: {types[1]}) -> {types[2]} {{
          %zero = arith.constant 0.0 : f32
          %empty = tensor.empty() : {types[2]}
          %start = linalg.fill ins(%zero : f32) outs(%empty : {types[2]}) -> {types[2]}
          %sum = linalg.contract indexing_maps = [{maps}]
              ins(%left, %right : {types[0]}, {types[1]}) outs(%start : {types[2]}) -> {types[2]}
          return %sum : {types[2]}
        }}"""


def compiled(specification: str, extents: dict[str, int]) -> Callable[..., Any]:
    """A function of both operands and the result, which it writes."""
    if specification == "gdab,efgc->abcdef":
        published = mdhc.compile(coupled_cluster(extents))
        return lambda left, right, result: published.run(result, left, right)
    program = compile_mlir(contraction(specification, extents))
    return lambda left, right, result: program(left, right, out=result)


def main() -> None:
    chosen = options(__doc__)
    random = numpy.random.default_rng(4)
    for specification, large in SPECIFICATIONS.items():
        extents = chosen.size(large, {letter: 2 + extent // 16 for letter, extent in large.items()})
        operands = specification.split("->")[0].split(",")
        shapes = [[extents[letter] for letter in tensor] for tensor in operands]
        left, right = (random.standard_normal(shape, "float32") for shape in shapes)
        expected = numpy.einsum(specification, left, right, optimize=True)
        result = numpy.empty(expected.shape, "float32")
        function = compiled(specification, extents)
        function(left, right, result)
        numpy.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5 * abs(expected).max())
        chosen.compare(
            f"{specification}, {math.prod(extents.values()):,} products",
            lambda: function(left, right, result),
            lambda: numpy.einsum(specification, left, right, optimize=True),
        )


if __name__ == "__main__":
    main()
