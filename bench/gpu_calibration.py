#!/usr/bin/env python3
"""Compares the expected times of the device's cost model with measured ones: of default schedules, and of others from good to bad.

    bench/gpu_calibration.py FOLDER --compile      compiles the schedules of `mdh explain --candidates`: needs our tools, no GPU
    bench/gpu_calibration.py FOLDER                measures them, which needs only Python, NumPy and the driver
    bench/gpu_calibration.py FOLDER matmul_1024    only some rows

Each result is checked as by gpu.py before it is timed. The record has all expected and measured times, the rank correlation of both
for each row, and how much slower the default schedule is than the fastest. It is gpu_calibration.json and gpu_calibration.md in
bench/results, or in --output. A process that a kernel kills is replaced. Without a device, the exit code is 4.
"""

import argparse
import concurrent.futures
import datetime
import json
import math
import os
import pathlib
import statistics
import sys
import time

import gpu
from gpu_device import Cuda
from gpu_jobs import serve
from peers_candidates import correlation
from peers_page import mean, milliseconds
from run import ROOT, command

# How many schedules are drawn for each that is compiled, and how many of these are the best by expectation. The others are spread
# evenly up to a multiple of the expected time of the default.
DRAWN, BEST, SLOWEST = 8, 0.4, 6.0


def chosen(listed, count):
    """The candidates to compile: the best ones by expectation, and others up to SLOWEST times the default's expected time."""
    limit = SLOWEST * listed[0]["expected_seconds"]
    listed = [candidate for candidate in listed if candidate["expected_seconds"] <= limit]
    best = min(len(listed), max(1, round(BEST * count)))
    rest, wanted = listed[best:], count - best
    if len(rest) > wanted:
        rest = [rest[number * len(rest) // wanted] for number in range(wanted)]
    return listed[:best] + rest


class Compiler:
    """Compiles candidates to a folder."""

    def __init__(self, arguments, rows):
        import gpu_rows

        self.arguments, self.tool = arguments, arguments.tools / "mdh"
        self.common = {row.name: [gpu_rows.program(row, arguments.folder), "--function", row.function] for row in rows}

    def expected(self, row):
        """The candidates of a row: schedule files and expected times."""
        options = ["--system", self.arguments.system, "--candidates", DRAWN * self.arguments.count, "--json"]
        options += ["--machine", self.arguments.machine] if self.arguments.machine else []
        folder = self.arguments.folder / "schedules" / row.name
        return chosen(json.loads(command(self.tool, "explain", *self.common[row.name], *options, "--output", folder)), self.arguments.count)

    def compile(self, row, number, candidate):
        """Compiles a candidate. Returns its entry in the list."""
        name = f"{row.name}-{number:02}"
        entry = {"row": row.name, "file": f"{name}.{self.arguments.emit}", "expected_seconds": candidate["expected_seconds"]}
        options = ["--target", "cuda", "--arch", self.arguments.arch, "--emit", self.arguments.emit, "--schedule", candidate["file"]]
        try:
            command(self.tool, "compile", *self.common[row.name], *options, "-o", self.arguments.folder / entry["file"])
        except RuntimeError as error:
            entry["error"] = str(error)[:300]
        return entry


def compile_candidates(arguments, rows):
    """Writes the folder of candidates."""
    arguments.folder.mkdir(parents=True, exist_ok=True)
    compiler = Compiler(arguments, rows.values())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(compiler.expected, rows.values()))
        jobs = [
            pool.submit(compiler.compile, row, number, candidate)
            for row, candidates in zip(rows.values(), found)
            for number, candidate in enumerate(candidates)
        ]
        entries = [job.result() for job in jobs]
    content = {"commit": gpu.commit(), "arch": arguments.arch, "candidates": entries}
    (arguments.folder / gpu.LIST).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"{sum('error' not in entry for entry in entries)} of {len(entries)} candidates of {len(rows)} rows are in {arguments.folder}")


class Worker:
    """The measuring process: the arrays of a row stay on the device for all its candidates."""

    def __init__(self, options):
        import gpu_rows
        import gpu_worker

        self.options, self.folder = options, pathlib.Path(options["folder"])
        self.library, self.rows = gpu_worker, gpu_rows.rows(options["small"])
        self.cuda = Cuda(gpu_worker.LITTLE) if options["small"] else Cuda()
        self.row, self.arrays, self.sources, self.own = None, [], [], []

    def use(self, row):
        """Brings the arrays of a row to the device."""
        if row is self.row:
            return
        for address in [*self.sources, *self.own]:
            self.cuda.free(address)
        self.row, self.arrays = row, [array.copy() for array in row.arrays()]
        self.sources, self.own = ([self.cuda.allocate(array.nbytes) for array in self.arrays] for _ in range(2))
        for address, array in zip(self.sources, self.arrays):
            self.cuda.copy(address, array.ctypes.data, array.nbytes)
        self.cuda.wait()

    def job(self, name, file):
        """Checks and measures a candidate."""
        from gpu_kernels import Kernels

        row, cuda = self.rows[name], self.cuda
        self.use(row)
        with Kernels(cuda, self.folder / file, [array.shape for array in self.arrays], self.own) as kernels:
            results = lambda: self.library.on_device(cuda, row, kernels)
            variant = kernels.start, results, lambda: cuda.refresh(self.own, self.sources, self.arrays)
            found = self.library.measured(cuda, row, self.arrays, variant, self.options["repeat"])
            return {"error": f"wrong by {found['difference']}"} if "wrong" in found else found


def work(options):
    """The measuring process of gpu.py, for candidates: its jobs are rows and files."""
    worker = Worker(options)
    device, driver = worker.cuda.describe()
    header = {"device": device, "versions": {"driver": driver}, "peers": None}
    serve(options, header, options["jobs"], worker.job, worker.cuda.is_well)


def summary(entries):
    """The rank correlation of a row, and the times of its default and of its fastest schedule."""
    timed = [entry for entry in entries if "seconds" in entry]
    found = {"candidates": entries, "rank_correlation": correlation(*([entry[key] for entry in timed] for key in ("expected_seconds", "seconds")))}
    if timed:
        found["fastest_seconds"] = min(entry["seconds"] for entry in timed)
    if "seconds" in entries[0]:
        found["default_seconds"] = entries[0]["seconds"]
    return found


def page(content):
    """The record as Markdown."""
    rows = content["rows"]
    correlations = [row["rank_correlation"] for row in rows.values() if row["rank_correlation"] is not None]
    losses = [row["fastest_seconds"] / row["default_seconds"] for row in rows.values() if "default_seconds" in row]
    lines = [
        f"# The cost model of devices, {content['date']}",
        "",
        f"{content['device']}; versions: {', '.join(f'{name} {version}' for name, version in content['versions'].items())}.",
    ]
    if correlations:
        lines.append(f"Median rank correlation of expected and measured times: {statistics.median(correlations):.2f}.")
    if losses:
        lines.append(f"The default schedule has {mean(losses):.2f} of the speed of the fastest candidate (geometric mean).")
    lines += ["", "Times are in milliseconds.", ""]
    lines += ["| computation | schedules | rank correlation | default, expected | default | fastest | fastest / default |", "|---|---|---|---|---|---|---|"]
    for name, row in rows.items():
        first, number = row["candidates"][0], sum("seconds" in entry for entry in row["candidates"])
        rank = "" if row["rank_correlation"] is None else f"{row['rank_correlation']:.2f}"
        default = milliseconds(row["default_seconds"]) if "default_seconds" in row else "failed"
        fastest = milliseconds(row["fastest_seconds"]) if number else ""
        share = f"{row['fastest_seconds'] / row['default_seconds']:.2f}" if "default_seconds" in row else ""
        lines.append(f"| {name} | {number} | {rank} | {milliseconds(first['expected_seconds'])} | {default} | {fastest} | {share} |")
    failed = [f"- {entry['file']}: {entry['error']}" for row in rows.values() for entry in row["candidates"] if "error" in entry]
    return "\n".join(lines + (["", "What failed:", "", *failed] if failed else [])) + "\n"


class Results:
    """The results, written to disk when a row is complete, and at the end: a record of gpu.py."""

    def __init__(self, output, content, entries):
        self.output, self.content = output, content
        self.entries, self.row = {(entry["row"], entry["file"]): dict(entry) for entry in entries}, None

    def add(self, row, file, entry):
        """Adds the result of a candidate."""
        self.entries[row, file] |= entry
        if "error" in entry:
            print(f"{file}: {entry['error']}", flush=True)
        if row not in (self.row, None):
            self.write()
        self.row = row

    def write(self):
        """Writes the record and its page."""
        measured = [entry for entry in self.entries.values() if "seconds" in entry or "error" in entry]
        rows = dict.fromkeys(entry["row"] for entry in measured)
        self.content["rows"] = {row: summary([entry for entry in measured if entry["row"] == row]) for row in rows}
        gpu.write(self.output / "gpu_calibration.json", json.dumps(self.content, indent=1) + "\n")
        gpu.write(self.output / "gpu_calibration.md", page(self.content))


def parse():
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER", help="the folder of the kernels")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="only these rows of gpu.py")
    parser.add_argument("--compile", action="store_true", help="write the folder, and exit")
    parser.add_argument("--count", type=int, default=20, help="number of schedules of each row (default: 20)")
    parser.add_argument("--system", default="cuda", help="the system (default: cuda)")
    parser.add_argument("--machine", type=pathlib.Path, metavar="FILE", help="the machine that the cost model is asked about")
    gpu.add_compiler(parser)
    parser.add_argument("--small", action="store_true", help="small sizes, to check that everything works")
    parser.add_argument("--repeat", type=int, default=9, help="number of timed runs of each schedule (default: 9)")
    parser.add_argument("--budget", type=float, default=math.inf, help="time limit in seconds")
    parser.add_argument("--limit", type=float, default=30, help="time limit in seconds for each schedule (default: 30)")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "bench" / "results", help="the folder of the results")
    arguments = parser.parse_intermixed_args()
    arguments.end = time.monotonic() + arguments.budget
    return parser, arguments


def main():
    """Runs the command."""
    if sys.argv[1:] and sys.argv[1].startswith("{"):
        work(json.loads(sys.argv[1]))
        return
    parser, arguments = parse()
    if arguments.compile:
        import gpu_rows
        import peers_rows

        table = gpu_rows.rows(arguments.small)
        unknown = [name for name in arguments.rows if name not in table]
        if unknown:
            parser.error(f"no row {', '.join(unknown)}: there are {', '.join(table)}")
        compile_candidates(arguments, {name: row for name, row in table.items() if (name in arguments.rows if arguments.rows else name not in peers_rows.LONG)})
        return
    described = gpu.listed(parser, arguments.folder, "candidates")
    device, driver = gpu.on_device(lambda: Cuda(4)).describe()
    entries = [entry for entry in described["candidates"] if not arguments.rows or entry["row"] in arguments.rows]
    date = datetime.datetime.now().isoformat(timespec="seconds")
    content = {"date": date, "device": device, "versions": {"mdh": described["commit"], "driver": driver}, "repeat": arguments.repeat, "rows": {}}
    results = Results(arguments.output, content, entries)
    options = {"folder": str(arguments.folder.resolve()), "repeat": arguments.repeat, "small": arguments.small}
    jobs = [[entry["row"], entry["file"]] for entry in entries if "error" not in entry]
    left = gpu.measure(arguments, options, jobs, {entry["row"]: entry["row"] for entry in entries}, results, pathlib.Path(__file__).resolve())
    results.write()
    print(page(results.content), end="")
    sys.exit(bool(left))


if __name__ == "__main__":
    main()
