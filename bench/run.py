#!/usr/bin/env python3
"""Measures compile times, and every example against plain C loops in the same process.

    bench/run.py                        all examples
    bench/run.py matmul scan            some of them
    bench/run.py --threads 1 --time 1   on one thread, about one second each
    bench/run.py --build                also a clean build of everything, in a separate folder (minutes)

Each example is compiled by `mdh compile --emit shared` with its default schedule; the plain loops of bench/c are compiled by clang with
-O3 -march=native. First their results are compared, then both are called alternately. The ratio is that of the medians (C / mdh,
so 2 means twice as fast as C). All examples together are the record: results.json and results.md in bench/results. A subset is only
printed, or written to --output.
"""

import argparse
import ctypes
import datetime
import json
import math
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples"))
import generate  # noqa: E402

# The measured functions: example, function, and sizes if the function has dynamic extents. OUTPUTS: output shapes from
# the sizes.
CONVOLUTION = lambda s: [("f32", [s["n"], s["p"], s["q"], s["k"]])]
CAPSULE = {"n": 1, "p": 56, "q": 56, "k": 32, "r": 3, "s": 3, "c": 3, "mi": 4, "mj": 4, "mk": 4, "height": 58}
OUTPUTS = {
    "dot": lambda s: [("f32", [])],
    "matvec": lambda s: [("f32", [s["i"]])],
    "compute_matvec": lambda s: [("f32", [s["i"]])],
    "matmul": lambda s: [("f32", [s["i"], s["j"]])],
    "matmul_transposed": lambda s: [("f32", [s["j"], s["i"]])],
    "bmatmul": lambda s: [("f32", [s["b"], s["i"], s["j"]])],
    "conv2d": lambda s: [("f32", [s["p"], s["q"]])],
    "mcc": CONVOLUTION,
    "mcc_strided": CONVOLUTION,
    "mcc_capsule": lambda s: [("f32", [s["n"], s["p"], s["q"], s["k"], s["mi"], s["mj"]])],
    "jacobi1d": lambda s: [("f32", [s["i"]])],
    "compute_jacobi1d": lambda s: [("f32", [s["i"]])],
    "jacobi2d": lambda s: [("f32", [s["i"], s["j"]])],
    "jacobi3d": lambda s: [("f32", [s["i"], s["j"], s["k"]])],
    "prl": lambda s: [(t, [s["i"]]) for t in ("i64", "i64", "f32", "i32")],
    "histo": lambda s: [("i32", [s["b"]])],
    "genhisto": lambda s: [("i32", [s["b"]])],
    "map": lambda s: [("f32", [s["i"]])],
    "transpose": lambda s: [("f32", [s["i"], s["j"]])],
    "reduce": lambda s: [("f32", [])],
    "reduce_multiple": lambda s: [("f32", []), ("f32", [])],
    "scan": lambda s: [("f32", [s["i"]])],
    "mbbs": lambda s: [("f32", [s["i"]])],
    "mandelbrot": lambda s: [("i32", [s["i"], s["j"]])],
}
CASES = {
    "dot": ("dot_16777216", None),
    "matvec": ("matvec_4096", None),
    "matmul": ("matmul_1024", None),
    "matmul_transposed": ("matmul_transposed_10x500x64", None),
    "bmatmul": ("bmatmul_16x10x500x64", None),
    "conv2d": ("conv2d_4096", None),
    "mcc": ("mcc_512", None),
    "mcc_strided": ("mcc_strided_mobilenet", None),
    "mcc_capsule": ("mcc_capsule", CAPSULE),
    **{name: (f"{name}_real", None) for name in generate.EXAMPLES if name.startswith("ccsdt")},
    "jacobi1d": ("jacobi1d_16777214", None),
    "jacobi2d": ("jacobi2d_4096", None),
    "jacobi3d": ("jacobi3d_256", None),
    "prl": ("prl", {"i": 4096, "j": 4096}),
    "histo": ("histo_1048576x256", None),
    "genhisto": ("genhisto_1048576x256", None),
    "map": ("map_16777216", None),
    "reduce": ("reduce_16777216", None),
    "reduce_multiple": ("reduce_multiple_16777216", None),
    "scan": ("scan_16777216", None),
    "mbbs": ("mbbs_4096", None),
    "mandelbrot": ("mandelbrot_1024", None),
    "compute_matvec": ("compute_matvec_small", None),
    "compute_jacobi1d": ("compute_jacobi1d_small", None),
}

# The slowest of the timed commands.
BUILD = "clean build of everything"

# Results are allocated in each call. With these settings, the C library reuses memory without new page faults; C's
# results cause none, either.
KEEP_MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_TOP_PAD_": str(1 << 20)}
CTYPES = {"f32": ctypes.c_float, "f64": ctypes.c_double, "i32": ctypes.c_int32, "i64": ctypes.c_int64}


def command(*arguments):
    """Runs a command; returns its standard output. Raises RuntimeError with its messages if it fails."""
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, arguments))}\n{done.stderr.strip()}")
    return done.stdout


def wall(repeat, *arguments):
    """The median wall time of a command in seconds."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        command(*arguments)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


class Array(ctypes.Structure):
    """mdh_array of the headers that `mdh compile` generates."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("allocation", ctypes.c_void_p),
        ("type", ctypes.c_int32),
        ("rank", ctypes.c_int32),
    ]


def arrays(buffers):
    """Row-major arrays from addresses (`None` if the function allocates the array) and shapes."""
    made = (Array * max(1, len(buffers)))()
    for array, (address, shape) in zip(made, buffers):
        array.data, array.sizes, array.rank = address, (ctypes.c_int64 * max(1, len(shape)))(*shape), len(shape)
    return made


def aligned(size):
    """Memory whose address is aligned to a cache line, and the object that owns it."""
    memory = ctypes.create_string_buffer(size + 64)
    return memory, -(-ctypes.addressof(memory) // 64) * 64


class Case:
    """An example, compiled both ways, with its data."""

    def __init__(self, name, tools, clang, folder):
        self.name = name
        self.function, given = CASES[name]
        example = generate.EXAMPLES[name]
        program = ROOT / "examples" / f"{name}.mlir"
        sizes = given or example.sizes_of(self.function if self.function in example.sizes else None, "small")
        self.sizes = sizes
        if name == "mandelbrot":
            inputs = []
        else:
            inputs = example.inputs(sizes)
        outputs = (lambda s: [(inputs[0][1], [s[d] for d in "abcdef"])])(sizes) if name.startswith("ccsdt") else OUTPUTS[name](sizes)
        self.keep, self.addresses, given = [], [], []
        for label, dtype, shape, elements in inputs:
            memory, address = aligned(math.prod(shape) * ctypes.sizeof(CTYPES[dtype]))
            offset = 0
            for piece in elements(random.Random(zlib.crc32(label.encode())), dtype, shape):
                ctypes.memmove(address + offset, piece, len(piece))
                offset += len(piece)
            self.keep.append(memory)
            self.addresses.append(address)
            given.append((address, shape))
        self.outputs = outputs
        self.expected = []
        for dtype, shape in outputs:
            memory, address = aligned(math.prod(shape) * ctypes.sizeof(CTYPES[dtype]))
            self.keep.append(memory)
            self.expected.append(address)
        self.arguments = arrays(given)
        self.results = arrays([(None, shape) for _, shape in outputs])
        shared = folder / f"{name}.so"
        start = time.perf_counter()
        command(tools / "mdh", "compile", program, "--function", self.function, "--emit", "shared", "--output", shared)
        self.compile_seconds = time.perf_counter() - start
        self.mdh = getattr(ctypes.CDLL(str(shared)), self.function)
        macros = [f"-D{dimension.upper()}={size}" for dimension, size in sizes.items() if isinstance(size, int) and dimension != "height"]
        if name.startswith("mcc"):
            macros += [f"-DHEIGHT={inputs[0][2][1]}", f"-DWIDTH={inputs[0][2][2]}"]
        source = name
        if name.startswith("ccsdt"):
            source = "ccsdt"
            for macro, dimensions in zip(("LEFT", "RIGHT"), name.split("_")[1:]):
                position = "0"
                for dimension in dimensions:
                    position = f"({position})*{dimension.upper()}+{dimension}"
                macros.append(f"-D{macro}={position}")
        library = folder / f"{name}_c.so"
        command(clang, "-O3", "-march=native", "-shared", "-fPIC", *macros, ROOT / "bench" / "c" / f"{source}.c", "-o", library)
        self.plain = ctypes.CDLL(str(library)).run
        self.plain.restype = None
        self.inputs = (ctypes.c_void_p * max(1, len(self.addresses)))(*self.addresses)
        self.targets = (ctypes.c_void_p * len(self.expected))(*self.expected)

    def call_plain(self):
        """Seconds of one call of the plain loops."""
        start = time.perf_counter()
        self.plain(self.inputs, self.targets)
        return time.perf_counter() - start

    def call_mdh(self, compare=None):
        """Seconds of one call of compiled code. Its results are passed to `compare`, then freed."""
        start = time.perf_counter()
        self.mdh(self.arguments, self.results, None)
        seconds = time.perf_counter() - start
        for (dtype, shape), expected, result in zip(self.outputs, self.expected, self.results):
            if compare:
                compare(dtype, result.data, expected, math.prod(shape))
            FREE(ctypes.c_void_p(result.allocation))
            result.data = None
        return seconds


FREE = ctypes.CDLL(None).free
FREE.restype = None


def measure(case, comparison, budget):
    """Checks the results, then measures both alternately for about `budget` seconds each, at least three times."""
    case.call_plain()
    worst = 0.0

    def compare(dtype, left, right, count):
        nonlocal worst
        function = getattr(comparison, f"compare_{dtype}")
        function.restype = ctypes.c_double
        difference = function(ctypes.c_void_p(left), ctypes.c_void_p(right), ctypes.c_int64(count))
        worst = max(worst, difference)

    case.call_mdh(compare)
    ours, plain = [], []
    while len(ours) < 3 or (max(sum(ours), sum(plain)) < budget and len(ours) < 1000):
        ours.append(case.call_mdh())
        plain.append(case.call_plain())
    return {
        "function": case.function,
        "compile_seconds": case.compile_seconds,
        "mdh_seconds": statistics.median(ours),
        "c_seconds": statistics.median(plain),
        "ratio": statistics.median(plain) / statistics.median(ours),
        "calls": len(ours),
        "largest_difference": worst,
        # Reordered sums of 32-bit floats differ more, the longer they are; both orders are correct.
        "correct": worst <= 1e-3,
    }


def commands(tools, folder, build):
    """The times of commands that a user waits for."""
    matmul = ROOT / "examples" / "matmul.mlir"
    measured = {}

    def attempt(name, limit, action):
        try:
            measured[name] = {"seconds": action(), "limit": limit}
        except (RuntimeError, OSError) as error:
            measured[name] = {"error": str(error), "limit": limit}

    attempt("mdh-opt --lower-mdh examples/matmul.mlir", 0.3, lambda: wall(11, tools / "mdh-opt", "--lower-mdh", matmul, "-o", os.devnull))

    def first_result():
        generate.generate(generate.EXAMPLES["matmul"], "matmul_64", "small", folder)
        arguments = ["--function", "matmul_64", "--input", folder / "A.npy", "--input", folder / "B.npy", "--output", folder / "C.npy"]
        return wall(11, tools / "mdh", "run", matmul, *arguments)

    attempt("mdh run of MatMul 64^3, start to first result", 0.5, first_result)
    if build:

        def clean_build():
            start = time.perf_counter()
            command("cargo", "build", "--workspace", "--release", "--target-dir", folder / "build")
            return time.perf_counter() - start

        os.chdir(ROOT)
        attempt(BUILD, 480, clean_build)
    return measured


def table(results):
    """The results as Markdown."""
    lines = [
        f"# Benchmark, {results['date']}",
        "",
        f"{results['machine']['processor']}, {results['machine']['cores']} cores; {results['threads']} threads, default schedules.",
        *([f"A part of the examples: {len(results['examples'])} of {len(CASES)}."] if len(results["examples"]) < len(CASES) else []),
        *([] if BUILD in results["commands"] else ["Without a clean build, which `make bench` measures, too."]),
        "",
        "| command | seconds | limit |",
        "|---|---|---|",
    ]
    for name, row in results["commands"].items():
        lines.append(f"| {name} | {row['seconds']:.3f} | {row['limit']} |" if "seconds" in row else f"| {name} | failed | {row['limit']} |")
    lines += ["", "| function | C loops | mdh | C / mdh | correct | compile |", "|---|---|---|---|---|---|"]
    for name, row in results["examples"].items():
        if "error" in row:
            lines.append(f"| {name} | | | | failed | |")
            continue
        lines.append(
            f"| {row['function']} | {row['c_seconds'] * 1e3:.3f} ms | {row['mdh_seconds'] * 1e3:.3f} ms | {row['ratio']:.2f} "
            f"| {'yes' if row['correct'] else 'NO'} | {row['compile_seconds']:.2f} s |"
        )
    slower = [row["function"] for row in results["examples"].values() if row.get("ratio", 1) < 1]
    lines += ["", f"Slower than the C loops: {', '.join(slower) or 'none'}."]
    return "\n".join(lines) + "\n"


def processor():
    """The name of the processor."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def main():
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", nargs="*", metavar="EXAMPLE", help="examples to measure (default: all)")
    parser.add_argument("--threads", type=int, default=2, help="OpenMP threads of compiled code (default: 2)")
    parser.add_argument("--time", type=float, default=2, help="seconds per example and variant (default: 2)")
    parser.add_argument("--tools", type=pathlib.Path, default=ROOT / "target" / "release", help="the folder of mdh and mdh-opt")
    parser.add_argument("--clang", default=os.environ.get("CLANG", "clang-22"), help="the compiler of the plain loops")
    parser.add_argument("--build", action="store_true", help="also measure a clean build")
    parser.add_argument("--output", type=pathlib.Path, help="the folder of the results (default for all examples: bench/results)")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.examples if name not in CASES]
    if unknown:
        parser.error(f"no example {', '.join(unknown)}: there are {', '.join(CASES)}")
    wanted = {**KEEP_MEMORY, "OMP_NUM_THREADS": str(arguments.threads)}
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        # The C library and OpenMP read these at startup.
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **wanted})

    results = {
        "date": datetime.datetime.now().isoformat(timespec="seconds"),
        "machine": {"processor": processor(), "cores": os.cpu_count()},
        "threads": arguments.threads,
        "examples": {},
    }
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        results["commands"] = commands(arguments.tools, folder, arguments.build)
        command(arguments.clang, "-O2", "-shared", "-fPIC", ROOT / "bench" / "c" / "compare.c", "-lm", "-o", folder / "compare.so")
        comparison = ctypes.CDLL(str(folder / "compare.so"))
        for name in arguments.examples or CASES:
            try:
                row = measure(Case(name, arguments.tools, arguments.clang, folder), comparison, arguments.time)
                print(f"{row['function']}: {row['ratio']:.2f} times as fast as C{'' if row['correct'] else ', WRONG RESULT'}", flush=True)
            except (RuntimeError, OSError) as error:
                row = {"error": str(error)}
                print(f"{name}: {error}", file=sys.stderr, flush=True)
            results["examples"][name] = row
    output = arguments.output or (None if arguments.examples else ROOT / "bench" / "results")
    if output:
        output.mkdir(parents=True, exist_ok=True)
        (output / "results.json").write_text(json.dumps(results, indent=1) + "\n")
        (output / "results.md").write_text(table(results))
    print(table(results), end="")
    failed = [name for name, row in results["examples"].items() if not row.get("correct")]
    sys.exit(f"not computed correctly: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
