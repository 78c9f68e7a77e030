"""A fresh process of bench.python: the time from `import` to the first result of a MatMul 64^3.

usage: python3 -m bench.python.start NAME

It writes the time in seconds, the maximum difference from NumPy, and 1 or 0 for whether libMLIR has been loaded.
"""

import sys
import time

import numpy

SIZE = 64
T = f"tensor<{SIZE}x{SIZE}xf32>"
TEXT = f"""
func.func @matmul(%a: {T}, %b: {T}) -> {T} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {T}
  %f = linalg.fill ins(%zero : f32) outs(%e : {T}) -> {T}
  %r = linalg.matmul ins(%a, %b : {T}, {T}) outs(%f : {T}) -> {T}
  return %r : {T}
}}"""


def text(a, b):
    import mdh

    return mdh.compile(TEXT)(a, b)


def published(a, b):
    from mdh import add, cc, compiler, fp32, inp_view, md_hom, mdh, out_view, pw, scalar_function
    from mdh.types import Scalar

    @mdh()
    def matmul():
        @scalar_function()
        def multiply(out: Scalar[fp32], inp: Scalar[fp32, fp32]):
            out["c"] = inp["a"] * inp["b"]

        return (
            out_view[fp32](c=[lambda i, j, k: (i, j)]),
            md_hom[SIZE, SIZE, SIZE](multiply, (cc, cc, pw(add))),
            inp_view[fp32, fp32](a=[lambda i, j, k: (i, k)], b=[lambda i, j, k: (k, j)]),
        )

    c = numpy.empty((SIZE, SIZE), numpy.float32)
    compiler.compile(computation=matmul).run(c, a, b)
    return c


def mdh_jit(a, b):
    import mdh

    return mdh.jit(lambda a, b: a @ b)(a, b)


def jax_jit(a, b):
    import jax

    return numpy.asarray(jax.jit(lambda a, b: a @ b)(a, b))


def loops(a, b):
    c = numpy.zeros((a.shape[0], b.shape[1]), numpy.float32)
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


def numba(a, b):
    from numba import njit

    return njit(loops)(a, b)


def numba_cache(a, b):
    from numba import njit

    return njit(cache=True)(loops)(a, b)


def torch(a, b):
    from torch import from_numpy

    return (from_numpy(a) @ from_numpy(b)).numpy()


# By name: what is measured, and the environment variable of its cache on disk, if it has one. Names with a cache are
# measured twice: with an empty one, and with that of the process before.
WAYS = {
    "mdh.compile": (text, "MDH_CACHE_DIR"),
    "published interface": (published, "MDH_CACHE_DIR"),
    "Numba": (numba, None),
    "Numba, cache=True": (numba_cache, "NUMBA_CACHE_DIR"),
    "mdh.jit": (mdh_jit, "MDH_CACHE_DIR"),
    "jax.jit": (jax_jit, "JAX_COMPILATION_CACHE_DIR"),
    "PyTorch": (torch, None),
}


def main():
    random = numpy.random.default_rng(5)
    a, b = (random.random((SIZE, SIZE), numpy.float32) for _ in range(2))
    wanted = a @ b
    start = time.perf_counter()
    result = WAYS[sys.argv[1]][0](a, b)
    seconds = time.perf_counter() - start
    with open("/proc/self/maps", encoding="utf-8") as maps:
        print(seconds, float(abs(result - wanted).max()), int("libMLIR" in maps.read()))


if __name__ == "__main__":
    main()
