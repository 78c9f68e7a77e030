"""The machine of the peers: the environment of processes, the limits of the hardware, and the installed versions."""

import contextlib
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

from bench import harness
from bench.harness import ROOT, command

PACKAGES = {"MKL": "mkl", "OpenBLAS": "scipy-openblas32", "NumPy": "numpy", "Numba": "numba", "JAX": "jax", "PyTorch": "torch"}


def environment(threads):
    """The environment variables that libraries read at startup. Waiting threads sleep soon, so that they do not disturb
    the next process."""
    count = str(threads)
    return {
        **os.environ,
        **harness.KEEP_MEMORY,
        **{name: count for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")},
        "OMP_DYNAMIC": "false",
        "MKL_DYNAMIC": "false",
        "MKL_INTERFACE_LAYER": "LP64",
        "MKL_THREADING_LAYER": "INTEL",
        "OMP_PLACES": "cores",
        "OMP_PROC_BIND": "close" if threads > 1 else "false",
        "KMP_BLOCKTIME": "5ms",
        "GOMP_SPINCOUNT": "100000",
        "OPENBLAS_THREAD_TIMEOUT": "23",
        "MALLOC_ARENA_MAX": "1",
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
        "XLA_FLAGS": f"--xla_cpu_multi_thread_eigen={'true' if threads > 1 else 'false'}",
        "JAX_PLATFORMS": "cpu",
        "CUDA_VISIBLE_DEVICES": "",
    }


def enter(venv, missing):
    """Continues with the interpreter and the libraries of a virtual environment. `missing`: what to say if there is none."""
    python = venv / "bin" / "python"
    if pathlib.Path(sys.prefix).resolve() != venv.resolve():
        if not python.exists():
            sys.exit(f"error: {missing}")
        os.execv(python, harness.again(python))


def processors(threads):
    """The processors for `threads` threads."""
    return sorted(os.sched_getaffinity(0))[-threads:]


def versions(clang):
    """The versions of the compilers and libraries."""
    found = {}
    # Without a repository, the date identifies what was measured.
    with contextlib.suppress(RuntimeError, OSError):
        found["mdh"] = command("git", "-C", ROOT, "describe", "--always", "--dirty").strip()
    found["clang"] = command(clang, "--version").splitlines()[0].removeprefix("Debian clang version ")
    found |= harness.packages(PACKAGES)
    header = pathlib.Path(sys.prefix) / "include/oneapi/dnnl/dnnl_version.h"
    if header.exists():
        defined = dict(re.findall(r"#define DNNL_VERSION_(\w+) (\d+)", header.read_text()))
        found["oneDNN"] = ".".join(defined.get(part, "?") for part in ("MAJOR", "MINOR", "PATCH"))
    return found


def code_bytes(path):
    """The size of the machine code in a library in bytes: that of its executable sections."""
    data = pathlib.Path(path).read_bytes()
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    headers = (struct.unpack_from("<IIQQQQ", data, table + size * i) for i in range(count))
    return sum(length for _, _, flags, _, _, length in headers if flags & 4)


def available():
    """Available memory in bytes."""
    text = pathlib.Path("/proc/meminfo").read_text()
    return 1024 * int(next(line for line in text.splitlines() if line.startswith("MemAvailable")).split()[1])


def limits(executable, threads):
    """Measures the limits of the machine with `threads` threads."""
    cpus = processors(threads)
    done = subprocess.run(
        [executable, str(threads)],
        capture_output=True,
        text=True,
        check=True,
        env=environment(threads) | {"OMP_WAIT_POLICY": "active"},
        preexec_fn=lambda: os.sched_setaffinity(0, cpus),
    )
    return json.loads(done.stdout)


def better(left, right):
    """The maximum of two measurements of the machine, which discards disturbances of one of them."""
    bandwidth = {
        kind: [[size, max(rate, other)] for (size, rate), (_, other) in zip(rates, right["bandwidth"][kind])]
        for kind, rates in left["bandwidth"].items()
    }
    return {"peak": max(left["peak"], right["peak"]), "bandwidth": bandwidth}
