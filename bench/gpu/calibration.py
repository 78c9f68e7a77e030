"""Compares the expected times of the device's cost model with measured ones: of default schedules, and of others from good to bad.

    python3 -m bench.gpu.calibration FOLDER --compile      compiles the schedules of `mdh explain --candidates`: needs our tools, no GPU
    python3 -m bench.gpu.calibration FOLDER                measures them, which needs only Python, NumPy and the driver
    python3 -m bench.gpu.calibration FOLDER matmul_1024    only some rows

Each result is checked before it is timed. The record has all expected and measured times, the rank correlation of both
for each row, and how much slower the default schedule is than the fastest. It is gpu_calibration.json and gpu_calibration.md in
bench/results, or in --output. A process that a kernel kills is replaced. Without a device, the exit code is 4.
"""

import concurrent.futures
import json
import os
import pathlib
import statistics
import sys

from bench.gpu import measure
from bench.gpu.device import Cuda
from bench.gpu.jobs import serve
from bench.harness import RESULTS, command, mean, milliseconds, module, table, versions, write_record
from bench.peers.candidates import correlation

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
        from bench.gpu.rows import program

        self.arguments, self.tool = arguments, arguments.tools / "mdh"
        self.common = {row.name: [program(row, arguments.folder), "--function", row.function] for row in rows}

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
    measure.write_list(arguments.folder, arguments.arch, "candidates", entries)
    print(f"{sum('error' not in entry for entry in entries)} of {len(entries)} candidates of {len(rows)} rows are in {arguments.folder}")


class Worker:
    """The measuring process: the arrays of a row stay on the device for all its candidates."""

    def __init__(self, options):
        from bench.gpu import rows, worker

        self.options, self.folder = options, pathlib.Path(options["folder"])
        self.library, self.rows = worker, rows.rows(options["small"])
        self.cuda = Cuda(worker.LITTLE) if options["small"] else Cuda()
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
        from bench.gpu.kernels import Kernels

        row, cuda = self.rows[name], self.cuda
        self.use(row)
        with Kernels(cuda, self.folder / file, [array.shape for array in self.arrays], self.own) as kernels:
            results = lambda: self.library.on_device(cuda, row, kernels)
            variant = kernels.start, results, lambda: cuda.refresh(self.own, self.sources, self.arrays)
            found = self.library.measured(cuda, row, self.arrays, variant, self.options["repeat"])
            return {"error": f"wrong by {found['difference']}"} if "wrong" in found else found


def work(options):
    """The measuring process, for candidates: its jobs are rows and files."""
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


def cells(name, row):
    """The cells of the table for a row of the record."""
    first, number = row["candidates"][0], sum("seconds" in entry for entry in row["candidates"])
    rank = "" if row["rank_correlation"] is None else f"{row['rank_correlation']:.2f}"
    default = milliseconds(row["default_seconds"]) if "default_seconds" in row else "failed"
    fastest = milliseconds(row["fastest_seconds"]) if number else ""
    share = f"{row['fastest_seconds'] / row['default_seconds']:.2f}" if "default_seconds" in row else ""
    return [name, number, rank, milliseconds(first["expected_seconds"]), default, fastest, share]


def page(content):
    """The record as Markdown."""
    rows = content["rows"]
    correlations = [row["rank_correlation"] for row in rows.values() if row["rank_correlation"] is not None]
    losses = [row["fastest_seconds"] / row["default_seconds"] for row in rows.values() if "default_seconds" in row]
    lines = [
        f"# The cost model of devices, {content['date']}",
        "",
        f"{content['device']}; versions: {versions(content)}.",
    ]
    if correlations:
        lines.append(f"Median rank correlation of expected and measured times: {statistics.median(correlations):.2f}.")
    if losses:
        lines.append(f"The default schedule has {mean(losses):.2f} of the speed of the fastest candidate (geometric mean).")
    lines += ["", "Times are in milliseconds.", ""]
    titles = ["computation", "schedules", "rank correlation", "default, expected", "default", "fastest", "fastest / default"]
    lines += table(titles, (cells(name, row) for name, row in rows.items()))
    failed = [f"- {entry['file']}: {entry['error']}" for row in rows.values() for entry in row["candidates"] if "error" in entry]
    return "\n".join(lines + (["", "What failed:", "", *failed] if failed else [])) + "\n"


class Results:
    """The results, written to disk when a row is complete, and at the end."""

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
        write_record(self.output, "gpu_calibration", self.content, page(self.content))


def parse():
    """Parses the command line."""
    parser = measure.parser_of_kernels(__doc__, "the folder of the kernels")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="only these rows of bench.gpu")
    parser.add_argument("--count", type=int, default=20, help="number of schedules of each row (default: 20)")
    parser.add_argument("--system", default="cuda", help="the system (default: cuda)")
    parser.add_argument("--machine", type=pathlib.Path, metavar="FILE", help="the machine that the cost model is asked about")
    parser.add_argument("--small", action="store_true", help="small sizes, to check that everything works")
    parser.add_argument("--repeat", type=int, default=9, help="number of timed runs of each schedule (default: 9)")
    parser.add_argument("--output", type=pathlib.Path, default=RESULTS, help="the folder of the results")
    return parser, measure.parsed(parser)


def main():
    """Runs the command."""
    options = measure.given_options()
    if options is not None:
        work(options)
        return
    parser, arguments = parse()
    if arguments.compile:
        from bench.gpu.rows import rows
        from bench.peers.rows import chosen as chosen_rows

        compile_candidates(arguments, chosen_rows(parser, rows(arguments.small), arguments.rows, long=False))
        return
    described = measure.listed(parser, arguments.folder, "candidates")
    entries = [entry for entry in described["candidates"] if not arguments.rows or entry["row"] in arguments.rows]
    content = measure.begun(described) | {"repeat": arguments.repeat, "rows": {}}
    results = Results(arguments.output, content, entries)
    options = {"folder": str(arguments.folder.resolve()), "repeat": arguments.repeat, "small": arguments.small}
    jobs = [[entry["row"], entry["file"]] for entry in entries if "error" not in entry]
    rows = {entry["row"]: entry["row"] for entry in entries}
    left = measure.measure(arguments, options, jobs, rows, results, module("gpu.calibration"))
    results.write()
    print(page(results.content), end="")
    sys.exit(bool(left))


if __name__ == "__main__":
    main()
