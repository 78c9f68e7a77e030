"""The peers that are called from Python: XLA, NumPy, Numba, PyTorch and TVM."""

import os
import pathlib
import time

import numpy

from bench.peers import math as math_rows
from bench.peers.torch import function_of


class Call:
    """A Python function without arguments that returns an array, or a list of arrays."""

    def __init__(self, function):
        self.function, self.last = function, None

    def loop(self, count):
        """Seconds of `count` calls."""
        start = time.perf_counter()
        for _ in range(count):
            # Release the last result, so that its memory can be reused.
            self.last = None
            self.last = self.function()
        return time.perf_counter() - start

    def results(self):
        """The results of the last call."""
        found = self.last if isinstance(self.last, (list, tuple)) else [self.last]
        return [numpy.asarray(array) for array in found]

    def notes(self):
        """Additional measurements."""
        return {}


def xla(row, arrays, _):
    """XLA through JAX, compiled for these shapes, with the data already in JAX arrays."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", False)
    jax.config.update("jax_default_matmul_precision", "highest")

    def convolve(image, weights, stride, order):
        return jax.lax.conv_general_dilated(image, weights, (stride, stride), "VALID", dimension_numbers=("NHWC", order, "NHWC"))

    def capsule(image, weights):
        n, height, width, c, mi, mk = image.shape
        k, r, s, _, _, mj = weights.shape
        image = image.transpose(0, 4, 1, 2, 3, 5).reshape(n * mi, height, width, c * mk)
        weights = weights.transpose(1, 2, 3, 4, 0, 5).reshape(r, s, c * mk, k * mj)
        result = convolve(image, weights, row.stride, "HWIO")
        return result.reshape(n, mi, result.shape[1], result.shape[2], k, mj).transpose(0, 2, 3, 4, 1, 5)

    def stencil(image, weights):
        # For one channel, XLA's convolution is 50 times as slow.
        r, s = weights.shape
        p, q = image.shape[0] - r + 1, image.shape[1] - s + 1
        return sum(image[i : i + p, j : j + q] * weights[i, j] for i in range(r) for j in range(s))

    def jacobi(x):
        m = slice(1, -1)
        sides = [x[m, m, 2:], x[m, m, :-2], x[m, 2:, m], x[m, :-2, m], x[2:, m, m], x[:-2, m, m]]
        return sum(weight * side for weight, side in zip((0.161, 0.162, 0.163, 0.164, 0.165, 0.166), sides)) - 1.67 * x[m, m, m]

    if row.example == "math":
        # The call overhead of a `jit` function is lower than that of one compiled ahead of time.
        function, array = jax.jit(math_rows.xla(row.kind)), jax.device_put(arrays[0])
        function(array).block_until_ready()
        return Call(lambda: function(array).block_until_ready())
    s = row.sizes
    functions = {
        "dot": jnp.dot,
        "matvec": jnp.matmul,
        "matmul": jnp.matmul,
        "matmul_transposed": lambda a, b: b @ a,
        "bmatmul": jnp.matmul,
        "conv2d": stencil,
        "mcc": lambda i, f: convolve(i, f, 1, "OHWI"),
        "mcc_strided": lambda i, f: convolve(i, f, 2, "OHWI"),
        "mcc_capsule": capsule,
        "jacobi3d": jacobi,
        "scan": jnp.cumsum,
        "histo": lambda e, b: jnp.zeros(s["b"], jnp.int32).at[e].add(1),
    }
    if row.example.startswith("ccsdt"):
        subscripts = row.example.removeprefix("ccsdt_").replace("_", ",") + "->abcdef"
        function = lambda a, b: jnp.einsum(subscripts, a, b)
    else:
        function = functions[row.example]
    data = [jax.device_put(array) for array in arrays]
    compiled = jax.jit(function).lower(*data).compile()
    return Call(lambda: compiled(*data).block_until_ready())


def numpy_peer(row, arrays, _):
    """NumPy: a contraction as transpositions and a product by its OpenBLAS."""
    if row.example.startswith("ccsdt"):
        subscripts = row.example.removeprefix("ccsdt_").replace("_", ",") + "->abcdef"

        def function():
            return numpy.ascontiguousarray(numpy.einsum(subscripts, *arrays, optimize=True))

        return Call(function)
    functions = {"scan": lambda x: numpy.cumsum(x), "histo": lambda e, b: numpy.bincount(e, minlength=b.size)}
    return Call(lambda: functions[row.example](*arrays))


def inductor(row, arrays, _):
    """A math function, compiled by PyTorch."""
    import torch as library

    library.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    library.set_grad_enabled(False)
    array, function = library.from_numpy(arrays[0]), math_rows.torch(library, row.kind)
    compiled = library.compile(lambda x: function(x, out=None))
    # Compile now, because the time of the first call may count.
    compiled(array)
    return Call(lambda: compiled(array))


def torch(row, arrays, _):
    """PyTorch, eager."""
    import torch as library

    library.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    library.set_grad_enabled(False)
    if row.example == "math":
        array, function = library.from_numpy(arrays[0]), math_rows.torch(library, row.kind)
        out = library.empty_like(array)
        return Call(lambda: function(array, out=out))
    function = function_of(library, row)
    data = [library.from_numpy(array) for array in arrays]
    return Call(lambda: function(*data))


NUMBA = {
    "dot": """
def kernel(x, y, out):
    total = np.float32(0)
    for k in prange(x.size):
        total += x[k] * y[k]
    out[()] = total
""",
    "matvec": """
def kernel(x, y, out):
    for i in prange(I):
        total = np.float32(0)
        for k in range(K):
            total += x[i, k] * y[k]
        out[i] = total
""",
    "conv2d": """
def kernel(x, y, out):
    for p in prange(P):
        for q in range(Q):
            total = np.float32(0)
            for r in range(R):
                for s in range(S):
                    total += x[p + r, q + s] * y[r, s]
            out[p, q] = total
""",
    "mcc_capsule": """
def kernel(x, y, out):
    for row in prange(N * P):
        n, p = row // P, row % P
        for q in range(Q):
            for k in range(K):
                for mi in range(MI):
                    for mj in range(MJ):
                        out[n, p, q, k, mi, mj] = 0
                for r in range(R):
                    for s in range(S):
                        for c in range(C):
                            for mi in range(MI):
                                for mk in range(MK):
                                    for mj in range(MJ):
                                        out[n, p, q, k, mi, mj] += x[n, STRIDE * p + r, STRIDE * q + s, c, mi, mk] * y[k, r, s, c, mk, mj]
""",
    "jacobi3d": """
def kernel(x, out):
    for i in prange(I):
        for j in range(J):
            for k in range(K):
                out[i, j, k] = (np.float32(0.161) * x[i + 1, j + 1, k + 2] + np.float32(0.162) * x[i + 1, j + 1, k]
                                + np.float32(0.163) * x[i + 1, j + 2, k + 1] + np.float32(0.164) * x[i + 1, j, k + 1]
                                + np.float32(0.165) * x[i + 2, j + 1, k + 1] + np.float32(0.166) * x[i, j + 1, k + 1]
                                - np.float32(1.67) * x[i + 1, j + 1, k + 1])
""",
    "scan": """
def kernel(x, out):
    total = np.float32(0)
    for i in range(x.size):
        total += x[i]
        out[i] = total
""",
    "histo": """
def kernel(x, bins, out):
    part = np.zeros((THREADS, 4, B), np.int32)
    for t in prange(THREADS):
        for i in range(t * E // THREADS // 4, (t + 1) * E // THREADS // 4):
            for way in range(4):
                part[t, way, x[4 * i + way]] += 1
    for b in range(B):
        total = 0
        for t in range(THREADS):
            for way in range(4):
                total += part[t, way, b]
        out[b] = total
""",
}


def numba(row, arrays, outputs):
    """Numba, on loops as a user would write them."""
    import numba as library

    threads = int(os.environ["OMP_NUM_THREADS"])
    names = {"np": numpy, "prange": library.prange, "THREADS": threads, "STRIDE": row.stride}
    names |= {dimension.upper(): size for dimension, size in row.sizes.items()}
    exec(NUMBA[row.example], names)  # noqa: S102
    function = library.njit(fastmath=True, parallel=threads > 1)(names["kernel"])
    # Compile now, because the time of the first call may count.
    function.compile(tuple(map(library.typeof, (*arrays, *outputs))))

    def call():
        function(*arrays, *outputs)
        return outputs

    return Call(call)


class Tvm(Call):
    """The best schedule that TVM's MetaSchedule found: tvm.py tuned it."""

    def __init__(self, row, arrays, outputs):
        from bench.peers import tvm

        function, self.read = tvm.load(row, pathlib.Path(os.environ["TVM_TUNED"]), arrays, outputs)
        super().__init__(function)

    def results(self):
        """The results of the last call."""
        return self.read()


PYTHON = {"XLA": xla, "NumPy": numpy_peer, "Numba": numba, "PyTorch": torch, "PyTorch compiled": inductor, "TVM": Tvm}
