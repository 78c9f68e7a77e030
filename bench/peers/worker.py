"""The process of one peer: see measure.py, which sets its environment and processor affinity.

It reads a job as JSON, then commands, one per line: `check` (check results against their definition, and compute their fingerprint),
`run N W` (mean seconds of N calls after W untimed ones), `library PATH` (load another library of this compiler with the same
function). It answers in JSON. Output of libraries is redirected, so that it does not mix with the answers.
"""

import ctypes
import json
import os
import pathlib
import sys
import time

import numpy

from bench import interface
from bench.peers import math as math_rows
from bench.peers import rows
from bench.peers.torch import function_of


def pointers(arrays):
    """The addresses of arrays, for C."""
    return (ctypes.c_void_p * max(4, len(arrays)))(*[array.ctypes.data for array in arrays])


def empty(shape, dtype):
    """An array aligned to a cache line."""
    size = rows.size_of(dtype) * int(numpy.prod(shape, dtype=numpy.int64))
    memory = numpy.zeros(size + 64, dtype=numpy.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size].view(rows.TYPES[dtype]).reshape(shape)


class Library:
    """A library with a function `run` that takes the addresses of inputs and outputs."""

    def __init__(self, job, arrays, outputs):
        self.calls = ctypes.CDLL(job["calls"]).time_calls
        self.calls.restype = ctypes.c_double
        self.library = ctypes.CDLL(job["library"])
        self.outputs, self.arrays = outputs, arrays
        self.given, self.taken = pointers(arrays), pointers(outputs)
        if "routine" in job:
            self.blas = blas(job["peer"].split()[0])
            names = [prefix + job["routine"] for prefix in ("cblas_", "scipy_cblas_")]
            routine = next(getattr(self.blas, name) for name in names if hasattr(self.blas, name))
            ctypes.c_void_p.in_dll(self.library, "routine").value = ctypes.cast(routine, ctypes.c_void_p).value

    def loop(self, count):
        """Seconds of `count` calls."""
        return self.calls(ctypes.c_int64(count), self.library.run, self.given, self.taken)

    def results(self):
        """The results of the last call."""
        return self.outputs

    def notes(self):
        """Additional measurements."""
        return {"packing_seconds": ctypes.c_double.in_dll(self.library, "packing").value} if hasattr(self.library, "packing") else {}


def blas(name):
    """Loads MKL or OpenBLAS."""
    if name == "OpenBLAS":
        import scipy_openblas32

        return ctypes.CDLL(str(pathlib.Path(scipy_openblas32.get_lib_dir()) / scipy_openblas32.get_library(fullname=True)))
    folder = pathlib.Path(sys.prefix) / "lib"
    ctypes.CDLL(str(folder / "libiomp5.so"), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(next(folder.glob("libmkl_rt.so*"))), mode=ctypes.RTLD_GLOBAL)


class Compiled:
    """A function compiled by this compiler."""

    def __init__(self, job, arrays, outputs):
        self.calls = ctypes.CDLL(job["calls"]).time_compiled
        self.calls.restype = ctypes.c_double
        self.function = getattr(ctypes.CDLL(job["library"]), job["function"])
        self.given = interface.arrays([(array.ctypes.data, array.shape) for array in arrays])
        self.shapes = [(output.dtype, output.shape) for output in outputs]
        self.taken = interface.arrays([(None, shape) for _, shape in self.shapes])
        self.arrays = arrays

    def free(self):
        """Frees the results of the last call."""
        for result in self.taken:
            interface.FREE(ctypes.c_void_p(result.allocation))
            result.data = result.allocation = None

    def loop(self, count):
        """Seconds of `count` calls."""
        self.free()
        return self.calls(ctypes.c_int64(count), self.function, self.given, self.taken, ctypes.c_int64(len(self.shapes)))

    def results(self):
        """The results of the last call."""
        found = []
        for result, (dtype, shape) in zip(self.taken, self.shapes):
            size = int(numpy.prod(shape, dtype=numpy.int64)) * dtype.itemsize
            memory = (ctypes.c_char * size).from_address(result.data)
            found.append(numpy.frombuffer(memory, dtype=dtype).reshape(shape))
        return found

    def notes(self):
        """Additional measurements."""
        return {}


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


def main():
    """Answers commands until the input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(**values):
        print(json.dumps(values), file=answers, flush=True)

    peer = None
    for line in sys.stdin:
        try:
            if peer is None:
                job = json.loads(line)
                row = rows.rows()[job["row"]]
                arrays = []
                for (_, dtype, shape), path in zip(row.inputs, job["inputs"]):
                    array = empty(shape, dtype)
                    array[...] = numpy.memmap(path, dtype=rows.TYPES[dtype], mode="r", shape=shape)
                    arrays.append(array)
                name = job["peer"].split()[0]
                if name in ("mdh", "XLA", "NumPy", "PyTorch"):
                    # These peers allocate their results. Shapes and types without memory suffice.
                    outputs = [numpy.broadcast_to(rows.TYPES[dtype](0), shape) for dtype, shape in row.outputs]
                else:
                    outputs = [empty(shape, dtype) for dtype, shape in row.outputs]
                if name in PYTHON:
                    peer = PYTHON[job["peer"]](row, arrays, outputs)
                else:
                    peer = (Compiled if name == "mdh" else Library)(job, arrays, outputs)
                answer(ready=True)
            elif line.split()[0] == "check":
                first = peer.loop(1)
                results = [result.reshape(shape) for result, (_, shape) in zip(peer.results(), row.outputs)]
                difference, fingerprint = rows.check(row, arrays, results), rows.fingerprint(results)
                answer(seconds=first, difference=difference, fingerprint=fingerprint, **peer.notes())
            elif line.split()[0] == "library":
                peer.free()
                job["library"] = line.split(maxsplit=1)[1].strip()
                peer = Compiled(job, arrays, outputs)
                answer(ready=True)
            else:
                count, before = (*map(int, line.split()[1:]), 1)[:2]
                # The caches have contents of other peers.
                if before:
                    peer.loop(before)
                answer(seconds=peer.loop(count) / count)
        except Exception as error:  # noqa: BLE001: a failed peer is a result
            answer(error=f"{type(error).__name__}: {error}"[:400])


if __name__ == "__main__":
    main()
