"""Softmax and attention.

- A softmax in the published interface. The scalar function makes a state (maximum, sum) of an element, and a user
  operator merges two states: the sum of the one with the smaller maximum is scaled. So a row is read once for its
  maximum and its sum, and in any order. A second computation divides.
- Attention, softmax(Q K^T / sqrt(d)) V, as a program in MLIR. Operations of `linalg` say what is computed; the compiler
  makes loops of them in which parts of the scores are computed where they are read, so that all of them together need
  not exist.
"""

import math

import numpy
from measure import options
from mdh import *
from mdh import compile as compile_mlir
from mdh import compiler as mdhc


@pw_custom_func()
def merge(res, lhs, rhs):
    """The state of two parts of a row; the sum of each part is relative to its maximum."""
    largest = max(lhs["largest"], rhs["largest"])
    res["largest"] = largest
    res["total"] = lhs["total"] * math.exp(lhs["largest"] - largest) + rhs["total"] * math.exp(rhs["largest"] - largest)


def states(rows: int, columns: int) -> Computation:
    """The maximum of each row, and the sum of the exponentials relative to it."""

    @mdh(out(largest=Buffer[fp32], total=Buffer[fp32]), inp(x=Buffer[fp32]), combine_ops(cc, pw(merge)))
    def states(largest, total, x):
        for i in range(rows):
            for j in range(columns):
                largest[i] = x[i, j]
                total[i] = 1.0

    return states


def quotients(rows: int, columns: int) -> Computation:
    """The softmax of each row, of its state."""

    @mdh(out(y=Buffer[fp32]), inp(x=Buffer[fp32], largest=Buffer[fp32], total=Buffer[fp32]), combine_ops(cc, cc))
    def quotients(y, x, largest, total):
        for i in range(rows):
            for j in range(columns):
                y[i, j] = math.exp(x[i, j] - largest[i]) / total[i]

    return quotients


def attention(heads: int, length: int, depth: int) -> str:
    """A program for queries, keys and values of shape (heads, length, depth)."""
    vectors, scores = f"tensor<{heads}x{length}x{depth}xf32>", f"tensor<{heads}x{length}x{length}xf32>"
    queries, keys, result = (f"affine_map<(h, q, k, d) -> (h, {index})>" for index in ("q, d", "k, d", "q, k"))
    return f"""
      #same = affine_map<(h, q, k) -> (h, q, k)>
      func.func @attention(%queries: {vectors}, %keys: {vectors}, %values: {vectors}) -> {vectors} {{
        %zero = arith.constant 0.0 : f32
        %factor = arith.constant {1 / math.sqrt(depth):e} : f32
        %matrix = tensor.empty() : {scores}
        %start = linalg.fill ins(%zero : f32) outs(%matrix : {scores}) -> {scores}
        %products = linalg.contract indexing_maps = [{queries}, {keys}, {result}]
            ins(%queries, %keys : {vectors}, {vectors}) outs(%start : {scores}) -> {scores}
        %scaled = linalg.generic {{indexing_maps = [#same, #same],
            iterator_types = ["parallel", "parallel", "parallel"]}}
            ins(%products : {scores}) outs(%matrix : {scores}) {{
        ^bb0(%product: f32, %unused: f32):
          %score = arith.mulf %product, %factor : f32
          linalg.yield %score : f32
        }} -> {scores}
        %weights = linalg.softmax dimension(2) ins(%scaled : {scores}) outs(%matrix : {scores}) -> {scores}
        %empty = tensor.empty() : {vectors}
        %sums = linalg.fill ins(%zero : f32) outs(%empty : {vectors}) -> {vectors}
        %mixed = linalg.batch_matmul ins(%weights, %values : {scores}, {vectors}) outs(%sums : {vectors}) -> {vectors}
        return %mixed : {vectors}
      }}"""


def numpy_softmax(x: numpy.ndarray) -> numpy.ndarray:
    exponentials = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def numpy_attention(queries: numpy.ndarray, keys: numpy.ndarray, values: numpy.ndarray) -> numpy.ndarray:
    scale = numpy.float32(1 / math.sqrt(queries.shape[-1]))
    return numpy_softmax(queries @ keys.transpose(0, 2, 1) * scale) @ values


def main() -> None:
    chosen = options(__doc__)
    random = numpy.random.default_rng(8)

    rows, columns = chosen.size((4096, 2048), (30, 70))
    x = 4 * random.standard_normal((rows, columns), "float32")
    largest, total, y = numpy.empty(rows, "float32"), numpy.empty(rows, "float32"), numpy.empty_like(x)
    first, second = mdhc.compile(states(rows, columns)), mdhc.compile(quotients(rows, columns))

    def softmax():
        first.run(largest, total, x)
        second.run(y, x, largest, total)

    softmax()
    numpy.testing.assert_allclose(y, numpy_softmax(x), rtol=1e-4, atol=1e-7)
    chosen.compare(f"softmax of {rows} rows of {columns}", softmax, lambda: numpy_softmax(x))

    heads, length, depth = chosen.size((8, 1024, 64), (2, 40, 16))
    shape = (heads, length, depth)
    queries, keys, values = (random.standard_normal(shape, "float32") for _ in range(3))
    function = compile_mlir(attention(*shape))
    expected = numpy_attention(queries, keys, values)
    result = numpy.empty_like(expected)
    function(queries, keys, values, out=result)
    numpy.testing.assert_allclose(result, expected, rtol=1e-3, atol=1e-4)
    chosen.compare(
        f"attention of {heads} heads, length {length}, depth {depth}",
        lambda: function(queries, keys, values, out=result),
        lambda: numpy_attention(queries, keys, values),
    )


if __name__ == "__main__":
    main()
