"""Measures compile times, and every example against plain C loops in the same process.

    python3 -m bench.run                        all examples
    python3 -m bench.run matmul scan            some of them
    python3 -m bench.run --threads 1 --time 1   on one thread, about one second each
    python3 -m bench.run --build                also a clean build of everything, in a separate folder (minutes)

Each example is compiled by `mdh compile --emit shared` with its default schedule; the plain loops of bench/c are compiled by clang with
-O3 -march=native. First their results are compared, then both are called alternately. The ratio is that of the medians (C / mdh,
so 2 means twice as fast as C). All examples together are the record: results.json and results.md in bench/results. A subset is only
printed, or written to --output.
"""

import ctypes
import math
import os
import pathlib
import random
import statistics
import sys
import tempfile
import zlib

from bench import harness
from bench.examples import OUTPUTS, generate, macros, plain
from bench.harness import EXAMPLES, PLAIN, RESULTS, ROOT, command, in_turns, seconds_of
from bench.interface import FREE, arrays

# The measured functions: example, function, and sizes if the function has dynamic extents.
CAPSULE = {"n": 1, "p": 56, "q": 56, "k": 32, "r": 3, "s": 3, "c": 3, "mi": 4, "mj": 4, "mk": 4, "height": 58}
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

CTYPES = {"f32": ctypes.c_float, "f64": ctypes.c_double, "i32": ctypes.c_int32, "i64": ctypes.c_int64}


def wall(repeat, *arguments):
    """The median wall time of a command in seconds."""
    return statistics.median(seconds_of(lambda: command(*arguments)) for _ in range(repeat))


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
        program = EXAMPLES / f"{name}.mlir"
        sizes = given or example.sizes_of(self.function if self.function in example.sizes else None, "small")
        inputs = [] if name == "mandelbrot" else example.inputs(sizes)
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
        self.outputs = OUTPUTS[name](sizes)
        self.expected = []
        for dtype, shape in self.outputs:
            memory, address = aligned(math.prod(shape) * ctypes.sizeof(CTYPES[dtype]))
            self.keep.append(memory)
            self.expected.append(address)
        self.arguments = arrays(given)
        self.results = arrays([(None, shape) for _, shape in self.outputs])
        shared = folder / f"{name}.so"
        compile = lambda: command(tools / "mdh", "compile", program, "--function", self.function, "--emit", "shared", "--output", shared)
        self.compile_seconds = seconds_of(compile)
        self.mdh = getattr(ctypes.CDLL(str(shared)), self.function)
        library = folder / f"{name}_c.so"
        sizes_of_loops = macros(name, sizes, inputs[0][2] if inputs else [])
        command(clang, "-O3", "-march=native", "-shared", "-fPIC", *sizes_of_loops, PLAIN / plain(name), "-o", library)
        self.plain = ctypes.CDLL(str(library)).run
        self.plain.restype = None
        self.inputs = (ctypes.c_void_p * max(1, len(self.addresses)))(*self.addresses)
        self.targets = (ctypes.c_void_p * len(self.expected))(*self.expected)

    def call_plain(self):
        """Seconds of one call of the plain loops."""
        return seconds_of(lambda: self.plain(self.inputs, self.targets))

    def call_mdh(self, compare=None):
        """Seconds of one call of compiled code. Its results are passed to `compare`, then freed."""
        seconds = seconds_of(lambda: self.mdh(self.arguments, self.results, None))
        for (dtype, shape), expected, result in zip(self.outputs, self.expected, self.results):
            if compare:
                compare(dtype, result.data, expected, math.prod(shape))
            FREE(ctypes.c_void_p(result.allocation))
            result.data = None
        return seconds


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
    enough = lambda times: len(times["c"]) >= 3 and max(map(sum, times.values())) >= budget
    times = in_turns({"mdh": case.call_mdh, "c": case.call_plain}, 1000, enough)
    ours, loops = map(statistics.median, times.values())
    return {
        "function": case.function,
        "compile_seconds": case.compile_seconds,
        "mdh_seconds": ours,
        "c_seconds": loops,
        "ratio": loops / ours,
        "calls": len(times["mdh"]),
        "largest_difference": worst,
        # Reordered sums of 32-bit floats differ more, the longer they are; both orders are correct.
        "correct": worst <= 1e-3,
    }


def commands(tools, folder, build):
    """The times of commands that a user waits for."""
    matmul = EXAMPLES / "matmul.mlir"
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
        os.chdir(ROOT)
        build_all = ("cargo", "build", "--workspace", "--release", "--target-dir", folder / "build")
        attempt(BUILD, 480, lambda: seconds_of(lambda: command(*build_all)))
    return measured


def cells(name, row):
    """The cells of the table for an example."""
    if "error" in row:
        return [name, "", "", "", "failed", ""]
    times = [f"{row[kind] * 1e3:.3f} ms" for kind in ("c_seconds", "mdh_seconds")]
    return [row["function"], *times, f"{row['ratio']:.2f}", "yes" if row["correct"] else "NO", f"{row['compile_seconds']:.2f} s"]


def page(results):
    """The results as Markdown."""
    lines = [
        f"# Benchmark, {results['date']}",
        "",
        f"{harness.described(results['machine'])}; {results['threads']} threads, default schedules.",
        *([f"A part of the examples: {len(results['examples'])} of {len(CASES)}."] if len(results["examples"]) < len(CASES) else []),
        *([] if BUILD in results["commands"] else ["Without a clean build, which `make bench` measures, too."]),
        "",
    ]
    seconds = lambda row: f"{row['seconds']:.3f}" if "seconds" in row else "failed"
    lines += harness.table(["command", "seconds", "limit"], ([name, seconds(row), row["limit"]] for name, row in results["commands"].items()))
    titles = ["function", "C loops", "mdh", "C / mdh", "correct", "compile"]
    lines += ["", *harness.table(titles, (cells(name, row) for name, row in results["examples"].items()))]
    slower = [row["function"] for row in results["examples"].values() if row.get("ratio", 1) < 1]
    lines += ["", f"Slower than the C loops: {', '.join(slower) or 'none'}."]
    return "\n".join(lines) + "\n"


def main():
    """Runs the command."""
    parser = harness.parser(__doc__)
    parser.add_argument("examples", nargs="*", metavar="EXAMPLE", help="examples to measure (default: all)")
    parser.add_argument("--threads", type=int, default=2, help="OpenMP threads of compiled code (default: 2)")
    parser.add_argument("--time", type=float, default=2, help="seconds per example and variant (default: 2)")
    parser.add_argument("--tools", type=pathlib.Path, default=harness.RELEASE, help="the folder of mdh and mdh-opt")
    parser.add_argument("--clang", default=harness.clang(), help="the compiler of the plain loops")
    parser.add_argument("--build", action="store_true", help="also measure a clean build")
    parser.add_argument("--output", type=pathlib.Path, help="the folder of the results (default for all examples: bench/results)")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.examples if name not in CASES]
    if unknown:
        parser.error(f"no example {', '.join(unknown)}: there are {', '.join(CASES)}")
    wanted = {**harness.KEEP_MEMORY, "OMP_NUM_THREADS": str(arguments.threads)}
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        # The C library and OpenMP read these at startup.
        os.execve(sys.executable, harness.again(), {**os.environ, **wanted})

    results = {
        "date": harness.now(),
        "machine": harness.machine(),
        "threads": arguments.threads,
        "examples": {},
    }
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        results["commands"] = commands(arguments.tools, folder, arguments.build)
        command(arguments.clang, "-O2", "-shared", "-fPIC", PLAIN / "compare.c", "-lm", "-o", folder / "compare.so")
        comparison = ctypes.CDLL(str(folder / "compare.so"))
        for name in arguments.examples or CASES:
            try:
                row = measure(Case(name, arguments.tools, arguments.clang, folder), comparison, arguments.time)
                print(f"{row['function']}: {row['ratio']:.2f} times as fast as C{'' if row['correct'] else ', WRONG RESULT'}", flush=True)
            except (RuntimeError, OSError) as error:
                row = {"error": str(error)}
                print(f"{name}: {error}", file=sys.stderr, flush=True)
            results["examples"][name] = row
    output = arguments.output or (None if arguments.examples else RESULTS)
    if output:
        harness.write_record(output, "results", results, page(results))
    print(page(results), end="")
    failed = [name for name, row in results["examples"].items() if not row.get("correct")]
    sys.exit(f"not computed correctly: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
