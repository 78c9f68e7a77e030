"""A process of bench.python: calls one function on arrays of 4 x 4 floats again and again.

usage: python3 -m bench.python.calls NAME

It writes the maximum difference from NumPy, and for each number that it reads the time of that many calls in seconds.
"""

import importlib
import itertools
import sys
import time

import numpy

SIZE = 4
TENSOR = f"tensor<{SIZE}x{SIZE}xf32>"
FUSED = f"""
func.func @fused(%a: {TENSOR}, %b: {TENSOR}, %c: {TENSOR}) -> {TENSOR} {{
  %e = tensor.empty() : {TENSOR}
  %p = linalg.mul ins(%a, %b : {TENSOR}, {TENSOR}) outs(%e : {TENSOR}) -> {TENSOR}
  %r = linalg.add ins(%p, %c : {TENSOR}, {TENSOR}) outs(%e : {TENSOR}) -> {TENSOR}
  return %r : {TENSOR}
}}"""
PRODUCT = f"""
func.func @product(%a: {TENSOR}, %b: {TENSOR}) -> {TENSOR} {{
  %e = tensor.empty() : {TENSOR}
  %r = linalg.mul ins(%a, %b : {TENSOR}, {TENSOR}) outs(%e : {TENSOR}) -> {TENSOR}
  return %r : {TENSOR}
}}"""


def fused(a, b, c):
    return a * b + c


def product(a, b, c):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            c[i, j] = a[i, j] * b[i, j]


def published():
    """The product in the published interface."""
    from mdh import cc, compiler, fp32, inp_view, md_hom, mdh, out_view, scalar_function
    from mdh.types import Scalar

    @mdh()
    def computation():
        @scalar_function()
        def multiply(out: Scalar[fp32], inp: Scalar[fp32, fp32]):
            out["c"] = inp["a"] * inp["b"]

        return (
            out_view[fp32](c=[lambda i, j: (i, j)]),
            md_hom[SIZE, SIZE](multiply, (cc, cc)),
            inp_view[fp32, fp32](a=[lambda i, j: (i, j)], b=[lambda i, j: (i, j)]),
        )

    run = compiler.compile(computation=computation).run
    return lambda a, b, c: run(c, a, b)


def compiled(backend):
    """The function compiled by torch.compile."""
    torch = importlib.import_module("torch")
    function = torch.compile(fused, backend=backend)

    def call(a, b, c):
        with torch.no_grad():
            return function(a, b, c)

    return call


def jitted():
    """The function compiled by XLA, which is called until its result is there."""
    function = importlib.import_module("jax").jit(fused)
    return lambda a, b, c: function(a, b, c).block_until_ready()


def imported(name):
    return importlib.import_module(name)


def into(function):
    """A function that writes its result to its last argument."""
    return lambda a, b, c: function(a, b, out=c)


# By name: what makes the function, what makes an argument of an array of NumPy, and whether the last argument is the result.
SAME = lambda x: x
JAX = lambda x: imported("jax.numpy").asarray(x)
TORCH = lambda x: imported("torch").from_numpy(x)
WAYS = {
    "mdh.compile": (lambda: imported("mdh").compile(FUSED), SAME, False),
    "mdh.compile, out=": (lambda: into(imported("mdh").compile(PRODUCT)), SAME, True),
    "published interface, run": (published, SAME, True),
    "mdh.jit": (lambda: imported("mdh").jit(fused), SAME, False),
    "Numba": (lambda: imported("numba").njit(fused), SAME, False),
    "Numba, in place": (lambda: imported("numba").njit(product), SAME, True),
    "NumPy": (lambda: fused, SAME, False),
    "jax.jit": (jitted, SAME, False),
    "mdh.jit, arrays of JAX": (lambda: imported("mdh").jit(fused), JAX, False),
    "jax.jit, arrays of JAX": (jitted, JAX, False),
    "torch.compile, mdh": (lambda: compiled("mdh"), TORCH, False),
    "torch.compile": (lambda: compiled("inductor"), TORCH, False),
    "PyTorch": (lambda: fused, TORCH, False),
}


def main():
    make, lend, in_place = WAYS[sys.argv[1]]
    random = numpy.random.default_rng(5)
    a, b, c = (random.random((SIZE, SIZE), numpy.float32) for _ in range(3))
    wanted = a * b if in_place else a * b + c
    function, arguments = make(), [lend(one) for one in (a, b, c)]
    result = function(*arguments)
    print(float(abs(numpy.asarray(arguments[-1] if in_place else result) - wanted).max()), flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        for _ in itertools.repeat(None, int(line)):
            function(*arguments)
        print(time.perf_counter() - start, flush=True)


if __name__ == "__main__":
    main()
