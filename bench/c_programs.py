"""The C kernels of PolyBench with `mdh cc`, against clang, clang with Polly, and gcc.

    python3 -m bench.c_programs                          all measures, written as a record
    python3 -m bench.c_programs --kernel gemm mvt        two kernels, printed only
    python3 -m bench.c_programs --size 1000 --rounds 15  other extents, more rounds

The kernels are test/c/Inputs/polybench.c, with arrays of variable length: all sizes are arguments. All compilers run with
-O3 -march=native and one thread. Results in the order of C must have the bits of clang's, and those of -ffast-math its
values, before anything is timed. The programs take turns; a time is the median of the rounds, each the median of calls
of a process of its own. A ratio is clang's time without -ffast-math, divided by the own one.

It needs Python alone, and clang; gcc and Polly are left out where they are missing.
"""

import array
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from bench import harness

INPUTS = harness.ROOT / "test" / "c" / "Inputs"
GEMM = harness.EXAMPLES / "c" / "gemm.c"
FLAGS = ["-O3", "-march=native"]
CUBES = ("doitgen", "heat_3d")
INTEGERS = ("floyd_warshall", "nussinov")
PRODUCTS = ("2mm", "3mm", "gemm")
# The extents of kernels with 3-dimensional arrays, of products on two threads, and of small calls.
CUBE, LARGE, SMALL = 64, 1000, (4, 8)
# The programs of mdh on one thread and on two.
ON_THREADS = ("mdh-1", "mdh-2")
# Seconds of a process that times a kernel, without the preparation of its arrays.
PROCESS = 0.1
# Values of -ffast-math may differ from those in the order of C by so much, relative to the largest one of all arrays.
TOLERANCE = 1e-9
# The measures.
ORDERED, FAST, LEAST, THREADS, CALL, NEST, NONE = 1.8, 2.3, 0.95, 1.6, 100, 1.0, 1.2


def compilers(mdh):
    """The command line of each compiler that is there, by name."""
    clang = [harness.clang(), *FLAGS]
    found = {
        "mdh": [mdh, "cc", *FLAGS],
        "mdh, fast": [mdh, "cc", *FLAGS, "-ffast-math"],
        "clang": clang,
        "clang, fast": [*clang, "-ffast-math"],
        "Polly": [*clang, "-mllvm", "-polly"],
        "gcc": ["gcc", *FLAGS],
    }
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "empty.c"
        source.write_text("int main(void) { return 0; }\n", encoding="utf-8")

        def works(line):
            return shutil.which(line[0]) and not subprocess.run([*line, "-c", source, "-o", f"{folder}/empty.o"], capture_output=True).returncode

        return {name: line for name, line in found.items() if works(line)}


class Programs:
    """The programs of the kernels in a folder, one for each compiler."""

    def __init__(self, lines, folder):
        self.folder = pathlib.Path(folder)
        self.lines = lines
        for name, line in lines.items():
            self.build(name, line)

    def path(self, name):
        return self.folder / name.replace(", ", "-")

    def build(self, name, line, *flags):
        """Builds the program of a compiler; its driver is clang's in all of them."""
        path = self.path(name)
        report = [f"--mdh-report={path}.json"] if "cc" in line else []
        harness.command(*line, *flags, *report, "-DFORM=1", "-c", INPUTS / "polybench.c", "-o", f"{path}.o")
        link = [flag for flag in flags if flag == "-fopenmp"]
        driver = [harness.clang(), "-O1", "-DFORM=1", INPUTS / "polybench_main.c"]
        harness.command(*driver, f"{path}.o", "-o", path, *link, "-lm")

    def values(self, name, kernel, size):
        """The values of all arrays of a kernel after a call, as bytes."""
        return subprocess.run([self.path(name), "-v", str(size), kernel], capture_output=True, check=True).stdout

    def check(self, kernel, size, names):
        """Raises RuntimeError if one of these programs computes other values than clang's."""
        expected = self.values("clang", kernel, size)
        for name in names:
            found = self.values(name, kernel, size)
            if found == expected:
                continue
            if name in ("mdh", *ON_THREADS) or kernel in INTEGERS:
                raise RuntimeError(f"{kernel}: {name} computes other bits than clang")
            if difference(found, expected) > TOLERANCE:
                raise RuntimeError(f"{kernel}: {name} differs by {difference(found, expected):.1e} from clang")

    def seconds(self, name, kernel, size, calls):
        """The median time of calls in a process, in seconds."""
        return int(harness.command(self.path(name), "-t", size, calls, kernel)) * 1e-9


def difference(found, expected):
    """The largest difference of doubles, relative to the largest value."""
    values = [array.array("d", data) for data in (found, expected)]
    largest = max(map(abs, values[1]), default=0.0)
    return max((abs(a - b) for a, b in zip(*values) if a != b), default=0.0) / (largest or 1.0)


def raised(programs):
    """The kernels of which a part is raised in the order of C, from the report."""
    report = json.loads(pathlib.Path(f"{programs.path('mdh')}.json").read_text(encoding="utf-8"))
    functions = {nest["function"].split("_nest")[0] for nest in report["raised"]}
    return {kernel for kernel in kernels() if f"kernel_{kernel}" in functions}


def kernels():
    """The names of all kernels, from the driver."""
    lines = (INPUTS / "polybench_main.c").read_text(encoding="utf-8").splitlines()
    return [line.split("(")[1].split(",")[0] for line in lines if line.strip().startswith("KERNEL(")]


def measure(programs, kernel, size, rounds):
    """The time of a kernel with each compiler, in seconds."""
    programs.check(kernel, size, programs.lines)
    once = programs.seconds("clang", kernel, size, 3)
    calls = max(3, min(2000, int(PROCESS / once)))
    actions = {name: lambda name=name: programs.seconds(name, kernel, size, calls) for name in programs.lines}
    return {name: statistics.median(times) for name, times in harness.in_turns(actions, rounds).items()}


def small_calls(programs, rounds):
    """What a call of gemm costs more than clang's, in nanoseconds, by extent."""
    found = {}
    for size in SMALL:
        programs.check("gemm", size, ["mdh"])
        actions = {name: lambda name=name: programs.seconds(name, "gemm", size, 20000) for name in ("mdh", "clang")}
        times = harness.in_turns(actions, rounds)
        found[size] = 1e9 * (statistics.median(times["mdh"]) - statistics.median(times["clang"]))
    return found


def two_threads(programs, rounds):
    """The time of products with one thread, divided by that with two."""
    for count, name in enumerate(ON_THREADS, 1):
        programs.build(name, programs.lines["mdh"], f"--mdh-threads={count}", "-fopenmp")
    found = {}
    for kernel in PRODUCTS:
        programs.check(kernel, LARGE, ON_THREADS)
        actions = {name: lambda name=name: programs.seconds(name, kernel, LARGE, 3) for name in ON_THREADS}
        one, two = (statistics.median(times) for times in harness.in_turns(actions, rounds).values())
        found[kernel] = one / two
    return found


def compile_times(lines, folder, rounds):
    """The times of `mdh cc` and clang for a file with one nest, and for one with none, in seconds."""
    none = pathlib.Path(folder) / "none.c"
    none.write_text('#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nint twice(int x) { return 2 * x; }\n', encoding="utf-8")
    driver = INPUTS / "polybench_main.c"
    found = {}
    for title, file in {"one nest": GEMM, "no loop": none, "polybench.c": INPUTS / "polybench.c", "its driver": driver}.items():
        actions = {
            name: lambda name=name: harness.seconds_of(lambda: harness.command(*lines[name], "-c", file, "-o", f"{folder}/timed.o"))
            for name in ("mdh", "clang")
        }
        times = harness.in_turns(actions, rounds)
        found[title] = {name: statistics.median(taken) for name, taken in times.items()}
    return found


def summary(record):
    """The geometric means of the ratios of kernels that are raised in part or whole, by what is compared."""
    rows = [row for row in record["kernels"].values() if row["raised"]]
    ratio = lambda row, name, others: min(row["seconds"][other] for other in others if other in row["seconds"]) / row["seconds"][name]
    return {
        "mdh, clang": harness.mean(ratio(row, "mdh", ["clang"]) for row in rows),
        "mdh, clang or gcc": harness.mean(ratio(row, "mdh", ["clang", "gcc"]) for row in rows),
        "mdh, fast, clang": harness.mean(ratio(row, "mdh, fast", ["clang"]) for row in rows),
        "mdh, fast, clang, fast": harness.mean(ratio(row, "mdh, fast", ["clang, fast"]) for row in rows),
        "mdh, fast, Polly": harness.mean(ratio(row, "mdh, fast", ["Polly"]) for row in rows if "Polly" in row["seconds"]),
    }


def missed(record):
    """The measures that are not met."""
    means, found = summary(record), []
    for name, least in (("mdh", ORDERED), ("mdh, fast", FAST)):
        if means[f"{name}, clang"] < least:
            found.append(f"{name}: a mean of {means[f'{name}, clang']:.2f}")
    for kernel, row in record["kernels"].items():
        best = min(row["seconds"][name] for name in ("clang", "gcc") if name in row["seconds"]) / row["seconds"]["mdh"]
        if best < LEAST:
            found.append(f"{kernel} at {best:.2f}")
    found += [f"a call with n = {size}: {cost:.0f} ns" for size, cost in record.get("calls", {}).items() if cost > CALL]
    found += [f"{kernel} on two threads: {ratio:.2f}" for kernel, ratio in record.get("threads", {}).items() if ratio < THREADS]
    for title, times in record.get("compile", {}).items():
        more = times["mdh"] - times["clang"] > NEST if title == "one nest" else times["mdh"] > NONE * times["clang"]
        if more and title in ("one nest", "no loop", "its driver"):
            found.append(f"compiling '{title}': {times['mdh']:.2f} s, clang {times['clang']:.2f} s")
    return found


def page(record):
    """The page of a record."""
    names = list(next(iter(record["kernels"].values()))["seconds"])
    others = [name for name in names if name != "clang"]
    rows = []
    for kernel, row in record["kernels"].items():
        times = row["seconds"]
        rows.append([kernel, "yes" if row["raised"] else "", f"{1e3 * times['clang']:.4g}", *(f"{times['clang'] / times[name]:.2f}" for name in others)])
    means = summary(record)
    lines = [
        f"# C programs: PolyBench with `mdh cc`, {record['time']}",
        "",
        f"{harness.described(record['machine'])}.",
        f"Extents {record['size']}, and {CUBE} for 3-dimensional arrays; one thread; all compilers with {' '.join(FLAGS)}.",
        f"Meanwhile other processes used {record['busy']:.2f} processors.",
        "",
        f"Measures: a geometric mean of {ORDERED} in the order of C and of {FAST} with -ffast-math for mdh alone, over the kernels that",
        f"are raised in part or whole; no kernel under {LEAST} of the better of clang and gcc; {THREADS} on two threads for products;",
        f"a small call at most {CALL} ns more; a file with one nest compiled in {NEST:.0f} s more, one with none in {100 * NONE - 100:.0f} % more.",
        harness.measures(missed(record)),
        "",
        *harness.table(["compared", "geometric mean"], [[title.replace("mdh, fast", "mdh -ffast-math"), f"{value:.2f}"] for title, value in means.items()]),
        "",
        "## Kernels",
        "",
        "Ratios to clang in the order of C: above 1 is faster. `fast` is -ffast-math.",
        "",
        *harness.table(["kernel", "raised", "clang, in ms", *others], rows),
    ]
    if "calls" in record:
        calls = [[size, f"{cost:.0f}"] for size, cost in record["calls"].items()]
        threads = [[kernel, f"{ratio:.2f}"] for kernel, ratio in record["threads"].items()]
        compiled = [[title, f"{times['mdh']:.3f}", f"{times['clang']:.3f}"] for title, times in record["compile"].items()]
        lines += ["", "## Small calls", "", *harness.table(["n of gemm", "ns more than clang"], calls)]
        lines += ["", f"## Two threads, extents {LARGE}", "", *harness.table(["kernel", "ratio to one thread"], threads)]
        lines += ["", "## Compile times", "", *harness.table(["file", "mdh cc, in s", "clang, in s"], compiled)]
    return "\n".join(lines) + "\n"


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--mdh", default=str(harness.RELEASE / "mdh"), help="the command-line tool")
    parser.add_argument("--kernel", nargs="+", default=[], help="only these kernels")
    parser.add_argument("--size", type=int, default=500, help="the extents")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of all programs")
    arguments = parser.parse_args()
    os.environ |= {"MDH_CACHE_DIR": "", "MDH_DATABASE": ""}
    start, others = time.perf_counter(), harness.busy()
    with tempfile.TemporaryDirectory() as folder:
        lines = compilers(arguments.mdh)
        if "mdh" not in lines:
            sys.exit(f"{arguments.mdh} does not compile C")
        programs = Programs(lines, folder)
        own = raised(programs)
        record = {"time": harness.now(), "machine": harness.machine(), "size": arguments.size, "kernels": {}}
        for kernel in arguments.kernel or kernels():
            size = CUBE if kernel in CUBES else arguments.size
            times = measure(programs, kernel, size, arguments.rounds)
            record["kernels"][kernel] = {"raised": kernel in own, "seconds": times}
            print(kernel, *(f"{name} {times['clang'] / time:.2f}" for name, time in times.items()), sep="  ", flush=True)
        if not arguments.kernel:
            record["calls"] = small_calls(programs, arguments.rounds)
            record["threads"] = two_threads(programs, arguments.rounds)
            record["compile"] = compile_times(lines, folder, arguments.rounds)
    record["busy"] = (harness.busy() - others) / (time.perf_counter() - start)
    if not math.isfinite(summary(record)["mdh, clang"]) or arguments.kernel:
        print("\n".join(page(record).splitlines()[4:]))
    else:
        harness.write_record(harness.RESULTS, "c_programs", record, page(record))
        print(harness.measures(missed(record)))


if __name__ == "__main__":
    main()
