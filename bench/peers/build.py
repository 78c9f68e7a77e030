"""The peers of a row, and how each of them is built."""

import importlib.util
import pathlib
import sys

from bench.examples import plain
from bench.harness import PLAIN, command, seconds_of
from bench.peers.machine import code_bytes
from bench.peers.page import INDUCTOR, SIMPLE

# Peers by example, except those of every row: C, which is clang -O3 -march=native, and C with -ffast-math.
BLAS = ["MKL", "OpenBLAS"]
GENERAL = ["XLA", "PyTorch"]
CONVOLUTION = ["oneDNN", "oneDNN packed", *GENERAL]
PEERS = {
    "dot": [*BLAS, *GENERAL, "Numba"],
    "matvec": [*BLAS, "oneDNN", *GENERAL, "Numba"],
    "matmul": [*BLAS, "MKL gemv", "OpenBLAS gemv", "oneDNN", "oneDNN packed", *GENERAL],
    "matmul_transposed": [*BLAS, *GENERAL],
    "bmatmul": [*BLAS, "oneDNN", "oneDNN packed", *GENERAL],
    "conv2d": [*CONVOLUTION, "Numba"],
    "mcc": CONVOLUTION,
    "mcc_strided": CONVOLUTION,
    "mcc_capsule": ["XLA", "Numba"],
    "jacobi3d": ["XLA", "Numba"],
    "prl": [],
    "scan": ["NumPy", *GENERAL, "Numba"],
    "histo": ["NumPy", *GENERAL, "Numba"],
    "math": [*GENERAL, INDUCTOR],
}
CONTRACTION = ["NumPy", *GENERAL]
# The value of CASE in bench/c/blas.c, and the routine.
ROUTINES = {
    "dot": (0, "sdot"),
    "matvec": (1, "sgemv"),
    "matmul": (2, "sgemm"),
    "matmul_transposed": (3, "sgemm"),
    "bmatmul": (4, "sgemm_batch_strided"),
}
ONE_BY_ONE = (5, "sgemm")
ONE_ROW = (6, "sgemv")


def installed():
    """The installed peers."""
    lib = pathlib.Path(sys.prefix) / "lib"
    has = lambda module: importlib.util.find_spec(module) is not None
    found = [SIMPLE, "C", "C fast-math"]
    found += ["MKL", "MKL gemv"] if list(lib.glob("libmkl_rt.so*")) and (lib / "libiomp5.so").exists() else []
    found += ["OpenBLAS", "OpenBLAS gemv"] if has("scipy_openblas32") else []
    found += ["oneDNN", "oneDNN packed"] if list(lib.glob("libdnnl.so*")) and (lib.parent / "include/oneapi/dnnl/dnnl.h").exists() else []
    found += ["NumPy"]
    found += [name for name, module in (("Numba", "numba"), ("XLA", "jax"), ("PyTorch", "torch"), (INDUCTOR, "torch")) if has(module)]
    return found


def peers_of(row):
    """The peers of a row, installed or not."""
    names = CONTRACTION if row.example.startswith("ccsdt") else PEERS[row.example]
    # A product with a one-row matrix is a matrix-vector product, which has its own routine.
    names = [name for name in names if not name.endswith("gemv") or row.sizes["i"] == 1]
    return [*names, *([SIMPLE] if row.example in ("matmul", "mcc") else []), "C fast-math", "C"]


class Builder:
    """Compiles the libraries that processes load, each once."""

    def __init__(self, tools, clang, folder):
        self.tools, self.clang, self.folder, self.count = tools, clang, folder, 0
        self.calls = self.library("calls.c", "-O2")

    def library(self, source, *flags):
        """Compiles a C file to a shared library."""
        self.count += 1
        path = self.folder / f"{self.count}.so"
        command(self.clang, "-shared", "-fPIC", *flags, PLAIN / source, "-o", path)
        return str(path)

    def job(self, row, peer, threads):
        """The job description for a process of this peer."""
        job = {"row": row.name, "peer": peer, "calls": self.calls}
        sizes = row.sizes
        kind = peer.split()[0]
        if kind == "mdh":
            path = self.folder / f"{row.name}_{threads}_{len(peer)}.so"
            program = row.program(self.folder)
            options = ["--function", row.function, "--threads", threads, "--emit", "shared", "--output", path]
            options += ["--system", "openmp"] if peer == SIMPLE else []
            seconds = seconds_of(lambda: command(self.tools / "mdh", "compile", program, *options))
            job |= {"function": row.function, "library": str(path), "compile_seconds": seconds, "code_bytes": code_bytes(path)}
        elif kind == "C":
            flags = ["-O3", "-march=native", *(["-ffast-math"] if peer != "C" else []), *(["-fopenmp"] if threads > 1 else [])]
            job["library"] = self.library(plain(row.example), *flags, *row.macros())
        elif kind in BLAS:
            case, job["routine"] = ONE_ROW if peer.endswith("gemv") else ROUTINES[row.example]
            if kind == "OpenBLAS" and row.example == "bmatmul":
                case, job["routine"] = ONE_BY_ONE
            job["library"] = self.library("blas.c", "-O2", f"-DCASE={case}", *row.macros())
        elif kind == "oneDNN":
            i, j, k = (sizes.get(d, 1) for d in "ijk")
            if row.example in ("matmul", "matvec"):
                shape = {"RANK": 2, "SOURCE": f"{i},{k}", "WEIGHTS": f"{k},{j}", "TARGET": f"{i},{j}"}
                shape |= {"SOURCE_TAG": "dnnl_ab", "WEIGHTS_TAG": "dnnl_ab"}
            elif row.example == "bmatmul":
                b = sizes["b"]
                shape = {"RANK": 3, "SOURCE": f"{b},{i},{k}", "WEIGHTS": f"{b},{k},{j}", "TARGET": f"{b},{i},{j}"}
                shape |= {"SOURCE_TAG": "dnnl_abc", "WEIGHTS_TAG": "dnnl_abc"}
            else:
                n, c, k = (1, 1, 1) if row.example == "conv2d" else (sizes[d] for d in "nck")
                height, width = row.inputs[0][2][:2] if row.example == "conv2d" else row.inputs[0][2][1:3]
                shape = {"RANK": 4, "STRIDE": row.stride, "SOURCE": f"{n},{c},{height},{width}"}
                shape |= {"WEIGHTS": f"{k},{c},{sizes['r']},{sizes['s']}", "TARGET": f"{n},{k},{sizes['p']},{sizes['q']}"}
                shape |= {"SOURCE_TAG": "dnnl_nhwc", "WEIGHTS_TAG": "dnnl_ohwi"}
            # With weights in the given layout, oneDNN convolves by its slow reference implementation only. For
            # convolutions, they are converted in each call.
            shape["PACKED"] = 1 if peer == "oneDNN packed" else 2 if "STRIDE" in shape else 0
            prefix = pathlib.Path(sys.prefix)
            flags = ["-O2", f"-I{prefix}/include", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-ldnnl"]
            job["library"] = self.library("onednn.c", *(f"-D{name}={value}" for name, value in shape.items()), *flags)
        return job
