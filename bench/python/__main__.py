"""Measures what a call from Python costs, how long the first result takes, and the size of the wheel.

    python3 -m bench.python                     the record: python.json and python.md in bench/results
    python3 -m bench.python --quick             a third of the rounds
    python3 -m bench.python --output FOLDER     writes the record elsewhere
    python3 -m bench.python calls               only a part, which is printed: calls, start or wheel

The interpreter needs the package, and the peers that are to be measured: Numba, JAX and PyTorch (scripts/measure/frontends.sh
installs them, and the wheel, in target/frontends). A peer that is not installed is left out.

Calls: every function has a process of its own. They are called in turns, one batch each; a result that differs from
NumPy's is an error. Start-up: every measurement is a fresh process, in turns, too, with an empty cache on disk and with
that of the process before. The first round is not counted: it reads the libraries from disk. Times are medians. The
exit code is 1 if a measure is missed.
"""

import contextlib
import importlib.metadata
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile

from bench import harness
from bench.harness import RESULTS, TARGET, busy, command, module, table
from bench.python.calls import WAYS as CALLS
from bench.python.start import WAYS as STARTS

PACKAGES = {"Numba": "numba", "NumPy": "numpy", "JAX": "jax", "PyTorch": "torch", "torch-mlir": "torch-mlir"}
# The measures: in seconds, and in bytes.
OVERHEAD, COLD, CACHED, WHEEL = 5e-6, 3, 0.2, 100_000_000
# What the measures of calls and of start-up are about.
OWN_CALLS = ["mdh.compile", "mdh.compile, out=", "published interface, run"]
OWN_STARTS = ["mdh.compile", "published interface"]
BATCH = 0.05
TOLERANCE = 1e-3


def environment(**extra):
    """The environment of a process: the processor is the only device."""
    return {**os.environ, "JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": "", **extra}


def installed(name):
    """Whether what a row calls is installed."""
    lower = name.lower()
    needed = {"jax": "jax", "torch": "torch", "numba": "numba", "mdh.jit": "jax", "torch.compile, mdh": "torch-mlir"}
    for part, package in needed.items():
        if part in lower:
            try:
                importlib.metadata.version(package)
            except importlib.metadata.PackageNotFoundError:
                return False
    return True


class Caller:
    """A process of calls.py."""

    def __init__(self, name):
        self.process = subprocess.Popen(
            [*module("python.calls"), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        self.name, self.count = name, 1
        difference = self.answer()
        if not difference <= TOLERANCE:
            raise RuntimeError(f"{name}: the result differs from NumPy's by {difference}")
        while (seconds := self.ask() * self.count) < BATCH:
            self.count *= 2 if seconds > BATCH / 4 else 4

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name}: ended with status {self.process.wait()}")
        return float(line)

    def ask(self):
        """The time of a call in a batch of calls."""
        self.process.stdin.write(f"{self.count}\n")
        self.process.stdin.flush()
        return self.answer() / self.count

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def summary(times):
    """The median of times in seconds, and their quartiles."""
    low, middle, high = statistics.quantiles(times, n=4, method="inclusive")
    return {"median": middle, "quartiles": [low, high], "count": len(times)}


def calls(rounds):
    """The times of calls, by row."""
    with contextlib.ExitStack() as stack:
        callers = {}
        for name in filter(installed, CALLS):
            callers[name] = Caller(name)
            stack.callback(callers[name].close)
        times = harness.in_turns({name: caller.ask for name, caller in callers.items()}, rounds)
    return {name: summary(found) for name, found in times.items()}


def started(name, folder):
    """Runs a fresh process; returns its time, and whether it has loaded libMLIR."""
    cache = STARTS[name][1]
    extra = {cache: str(folder)} if cache else {}
    if cache == "JAX_COMPILATION_CACHE_DIR":
        extra |= {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0", "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "0"}
    done = subprocess.run([*module("python.start"), name], capture_output=True, text=True, env=environment(**extra))
    if done.returncode:
        raise RuntimeError(f"{name}: ended with status {done.returncode}\n{done.stderr}")
    seconds, difference, loaded = map(float, done.stdout.split())
    if not difference <= TOLERANCE:
        raise RuntimeError(f"{name}: the result differs from NumPy's by {difference}")
    return seconds, bool(loaded)


def start(rounds):
    """The times to the first result, by row, without a cache on disk and with it."""
    cold, cached, loaded = {}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for round in range(rounds + 1):
            for name in filter(installed, STARTS):
                own = pathlib.Path(folder) / name.replace(" ", "_")
                shutil.rmtree(own, ignore_errors=True)
                own.mkdir()
                seconds, loaded[name, "cold"] = started(name, own)
                if round:
                    cold.setdefault(name, []).append(seconds)
                if STARTS[name][1]:
                    seconds, loaded[name, "cached"] = started(name, own)
                    if round:
                        cached.setdefault(name, []).append(seconds)
    return {
        name: {
            "cold": summary(times),
            **({"cached": summary(cached[name])} if name in cached else {}),
            **({"libMLIR_on_hit": loaded[name, "cached"]} if (name, "cached") in loaded else {}),
        }
        for name, times in cold.items()
    }


def wheel():
    """The wheel in target/wheels: its size, that of its libraries, and of what else is in it, in bytes."""
    found = sorted((TARGET / "wheels").glob("*.whl"))
    if not found:
        return None
    with zipfile.ZipFile(found[-1]) as archive:
        entries = archive.infolist()
    libraries = {one.filename: one for one in entries if ".so" in pathlib.PurePath(one.filename).name}
    others = sum(one.compress_size for one in entries if one.filename not in libraries)
    sizes = {name: [one.compress_size, one.file_size] for name, one in libraries.items()}
    return {"name": found[-1].name, "bytes": found[-1].stat().st_size, "libraries": sizes, "others": others}


def package():
    """The package that is measured: whether it is that of a wheel, and its version."""
    found = command(sys.executable, "-c", "import mdh; print(mdh.__file__)").strip()
    try:
        files = importlib.metadata.files("mdh-compiler") or []
        version = importlib.metadata.version("mdh-compiler")
    except importlib.metadata.PackageNotFoundError:
        return "a build that is not installed"
    owned = {os.path.realpath(one.locate()) for one in files}
    return f"the wheel {version}" if os.path.realpath(found) in owned else "a build that is not installed"


def missed(record):
    """The measures that are missed, each as a sentence."""
    problems = []
    for name in OWN_CALLS:
        if record["calls"][name]["median"] > OVERHEAD:
            problems.append(f"a call of {name} takes {record['calls'][name]['median'] * 1e6:.1f} µs")
    for name in OWN_STARTS:
        row = record["start"][name]
        for kind, limit in (("cold", COLD), ("cached", CACHED)):
            if row[kind]["median"] > limit:
                problems.append(f"the first result of {name}, {kind}, takes {row[kind]['median']:.2f} s")
        if row["libMLIR_on_hit"]:
            problems.append(f"{name} loads libMLIR although the result is in the cache")
    if record["wheel"] is not None and record["wheel"]["bytes"] > WHEEL:
        problems.append(f"the wheel has {record['wheel']['bytes'] / 1e6:.1f} MB")
    return problems


def call_table(rows):
    times = lambda row: [f"{row['median'] * 1e6:.2f}", " to ".join(f"{time * 1e6:.2f}" for time in row["quartiles"])]
    return table(["function", "a call, in µs", "quartiles"], ([name, *times(row)] for name, row in rows.items()))


def start_table(rows):
    cells = []
    for name, row in rows.items():
        cached = f"{row['cached']['median']:.3f}" if "cached" in row else ""
        own = name in OWN_STARTS or name == "mdh.jit"
        loaded = ("yes" if row["libMLIR_on_hit"] else "no") if own else ""
        cells.append([name, f"{row['cold']['median']:.3f}", cached, loaded])
    return table(["function", "without a cache, in s", "with the cache on disk, in s", "libMLIR is loaded on a hit"], cells)


def wheel_table(found):
    if found is None:
        return ["There is no wheel in target/wheels."]
    libraries = sorted(found["libraries"].items(), key=lambda item: -item[1][0])
    cells = [[name, *(f"{size / 1e6:.2f}" for size in sizes)] for name, sizes in libraries]
    cells.append(["all other files", f"{found['others'] / 1e6:.2f}", ""])
    return [f"{found['name']}: {found['bytes'] / 1e6:.1f} MB.", "", *table(["file", "compressed, in MB", "in MB"], cells)]


def page(record):
    """The record as Markdown."""
    return "\n".join(
        [
            f"# The Python package: calls, start-up and size, {record['date']}",
            "",
            f"{harness.described(record['machine'])}. Measured: {record['package']}.",
            f"Versions: {harness.versions(record)}.",
            f"Meanwhile other processes used {record['load']:.2f} processors.",
            "",
            f"Measures: a call of a compiled function of three arrays in at most {OVERHEAD * 1e6:.0f} µs more than its kernel; the",
            f"first result of a MatMul 64^3 in at most {COLD} s, and with the cache on disk in {CACHED * 1e3:.0f} ms, where libMLIR is not",
            f"loaded; a wheel of at most {WHEEL / 1e6:.0f} MB.",
            harness.measures(record["missed"]),
            "",
            "## Calls",
            "",
            "The functions compute a * b + c, or a * b with the result in a given array, on arrays of 4 x 4 floats, which takes a few",
            "nanoseconds: the times are those of calls. Arrays are of NumPy unless stated, and results are new unless stated.",
            "",
            *call_table(record["calls"]),
            "",
            "## Start-up",
            "",
            "The time in a fresh process from the import of the package, after that of NumPy, to the first result of a MatMul 64^3.",
            "PyTorch calls a library; the others compile the product. Caches on disk are those of the packages themselves.",
            "",
            *start_table(record["start"]),
            "",
            "## Size",
            "",
            *wheel_table(record["wheel"]),
            "",
        ]
    )


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("part", nargs="?", choices=["calls", "start", "wheel"])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--output", type=pathlib.Path, default=RESULTS)
    options = parser.parse_args()
    rounds = (7, 3) if options.quick else (21, 9)
    tables = {
        "calls": lambda: call_table(calls(rounds[0])),
        "start": lambda: start_table(start(rounds[1])),
        "wheel": lambda: wheel_table(wheel()),
    }
    if options.part:
        print("\n".join(tables[options.part]()))
        return
    start_time, used = time.perf_counter(), busy()
    record = {
        "date": harness.now(),
        "machine": harness.machine(),
        "package": package(),
        "versions": {"Python": platform.python_version()} | harness.packages(PACKAGES),
        "calls": calls(rounds[0]),
        "start": start(rounds[1]),
        "wheel": wheel(),
    }
    record["load"] = (busy() - used) / (time.perf_counter() - start_time)
    record["missed"] = missed(record)
    harness.write_record(options.output, "python", record, page(record))
    print(page(record))
    sys.exit(bool(record["missed"]))


if __name__ == "__main__":
    main()
