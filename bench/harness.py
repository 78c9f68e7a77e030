"""What the benchmarks share: the folders of the project, commands, times, the machine, and the pages of records.

Needs Python alone: some benchmarks begin before NumPy is there, or do without it.
"""

import argparse
import contextlib
import datetime
import importlib.metadata
import json
import math
import os
import pathlib
import platform
import resource
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results"
PLAIN = ROOT / "bench" / "c"
EXAMPLES = ROOT / "examples"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
RELEASE = TARGET / "release"

# Results are allocated in each call. With these settings, the C library reuses memory without new page faults; C's
# results cause none, either.
KEEP_MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_TOP_PAD_": str(1 << 20)}


def parser(description):
    """A parser of the command line of a module whose help begins with the text of the module."""
    name = sys.modules["__main__"].__spec__.name.removesuffix(".__main__")
    return argparse.ArgumentParser(f"python3 -m {name}", description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def command(*arguments):
    """Runs a command; returns its standard output. Raises RuntimeError with its messages if it fails."""
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, arguments))}\n{done.stderr.strip()}")
    return done.stdout


def module(name):
    """The command that runs a module of the benchmarks in a process of its own."""
    return [sys.executable, "-m", f"bench.{name}"]


def again(python=sys.executable):
    """The command of this process, for another interpreter or other variables of the environment."""
    return [str(python), *sys.orig_argv[1:]]


def seconds_of(call):
    """The time of a call in seconds."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def in_turns(actions, rounds, enough=lambda times: False):
    """The times that actions return, by name: in each round all of them, one after the other, until it is enough."""
    times = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            times[name].append(action())
        if enough(times):
            break
    return times


def mean(values):
    """The geometric mean."""
    values = list(values)
    return math.exp(statistics.fmean(map(math.log, values))) if values else math.nan


def processor():
    """The name of the processor."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def machine():
    """This machine."""
    flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    vectors = next((name for name in ("avx512f", "avx2") if name in flags), None)
    return {"processor": processor(), "vectors": vectors, "cores": os.cpu_count(), "system": platform.platform()}


def described(known):
    """The machine of a record as a part of a sentence."""
    vectors = f" with {known['vectors']}" if known.get("vectors") else ""
    system = f"; {known['system']}" if "system" in known else ""
    return f"{known['processor']}{vectors}, {known['cores']} cores{system}"


def busy():
    """Processor time in seconds that other processes have used since boot, without this program and its child processes."""
    fields = list(map(int, pathlib.Path("/proc/stat").read_text(encoding="utf-8").split("\n", 1)[0].split()[1:9]))
    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK") - sum(usage.ru_utime + usage.ru_stime for usage in own)


def clang():
    """The clang of the LLVM that the project is built with."""
    prefix = os.environ.get("MLIR_SYS_220_PREFIX")
    if not prefix:
        lines = (ROOT / ".cargo" / "config.toml").read_text(encoding="utf-8").splitlines()
        prefix = next((line.split('"')[1] for line in lines if line.startswith("MLIR_SYS_220_PREFIX")), None)
    return os.environ.get("CLANG") or (f"{prefix}/bin/clang" if prefix else "clang-22")


def packages(distributions):
    """The versions of the packages that are installed, by title; `distributions` has their names."""
    found = {}
    for title, name in distributions.items():
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[title] = importlib.metadata.version(name)
    return found


def now():
    """The date and time of a record."""
    return datetime.datetime.now().isoformat(timespec="seconds")


def milliseconds(seconds):
    """A time with at least three significant digits."""
    return f"{seconds * 1e3:.4f}" if seconds < 1e-4 else f"{seconds * 1e3:.3f}" if seconds < 1e-2 else f"{seconds * 1e3:.1f}"


def versions(record):
    """The versions of a record as a part of a sentence."""
    return ", ".join(f"{name} {version}" for name, version in record["versions"].items())


def measures(missed):
    """Whether the measures are met, as a sentence."""
    return f"Missed: {'; '.join(missed)}." if missed else "All of them are met."


def table(titles, rows):
    """The lines of a table in Markdown."""
    line = lambda cells: f"| {' | '.join(map(str, cells))} |"
    return [line(titles), "|---" * len(titles) + "|", *map(line, rows)]


def write(path, text):
    """Writes a file atomically; its folder is created if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def write_record(folder, name, record, page=None):
    """Writes a record, and its page if it has one."""
    write(folder / f"{name}.json", json.dumps(record, indent=1) + "\n")
    if page is not None:
        write(folder / f"{name}.md", page)
