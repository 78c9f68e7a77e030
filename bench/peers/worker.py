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

import numpy

from bench import interface
from bench.peers import rows
from bench.peers.frameworks import PYTHON


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
