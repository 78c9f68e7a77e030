#!/usr/bin/env python3
"""Measures the computations of the experiments on an NVIDIA GPU, against cuBLAS, cuDNN, PyTorch and Triton, in the same run.

    bench/gpu.py                               everything: the record
    bench/gpu.py matmul dot_16777216           an example, or one size of it
    bench/gpu.py matmul --peers cuBLAS         against one peer only
    bench/gpu.py dot --engine opencl           on an OpenCL device, without peers
    bench/gpu.py --list                        the rows, and the peers of each
    bench/gpu.py --compile FOLDER              only compile the kernels of all rows, which needs no GPU
    bench/gpu.py --kernels FOLDER              measure those: needs neither our tools nor LLVM, only Python and NumPy
    bench/gpu.py --budget 540 --resume         for nine minutes, and without what the record has already

Requires NumPy. PyTorch, which brings cuDNN, and Triton are measured if installed; cuBLAS is measured if its library is found.
Times are kernel times from device events, without transfers between host and device. First all results are checked: sampled
elements are compared with their definition in double precision. A wrong result is reported and not timed. `mdh run` runs our
functions repeatedly with their default schedules. Before each run, the inputs are copied to the device, for peers, too. With
--kernels, our kernels are launched from their manifests, in the same process and measured like the peers. The device is kept
busy until all work of a call is enqueued, so that times do not include launch overhead. The result is the median of all runs;
for a peer, that of its fastest variant: algorithms of cuBLAS, layouts of cuDNN, tiles of Triton. Compiled PyTorch may choose
among all kernels that it has. Triton and compiled PyTorch take long to compile, and come last.

A separate process measures. A job that kills it or exceeds --limit is recorded as failed, and a new process continues with the
remaining jobs. The record is written after each time. Bandwidth is the minimum number of bytes that a row reads and writes per
second, relative to a copy of 1 GiB on the device. All rows together are the record: gpu.json and gpu.md in bench/results.
A subset is only printed, or written to --output. Without a device, prints a message and exits with code 4.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import select
import signal
import subprocess
import sys
import tempfile
import time

import run
from gpu_device import Cuda, Missing
from gpu_page import derive, page
from peers_page import milliseconds
from run import ROOT

TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
# The measuring process.
WORKER = ROOT / "bench" / "gpu_worker.py"
# The exit code if there is no device.
NO_DEVICE = 4
# The list of kernels in a folder of checks or candidates.
LIST = "list.json"
# The file with the version of our compiler that compiled the kernels.
COMMIT = "commit"
# The maximum number of jobs that a process gets in its command line.
BATCH = 500
# Time limit in seconds for a process to load its libraries and get a device.
START = 180


class Worker:
    """The measuring process."""

    def __init__(self, program, options):
        self.read, write = os.pipe()
        command = [sys.executable, program, json.dumps(options | {"descriptor": write})]
        # The output of libraries is not an answer. The process is a session leader, so that its children are killed
        # with it.
        self.process = subprocess.Popen(command, pass_fds=[write], stdout=sys.stderr, start_new_session=True)
        os.close(write)
        self.rest = b""

    def answer(self, seconds):
        """The next answer; `None` if the process has exited. Raises TimeoutError after `seconds`."""
        end = time.monotonic() + seconds
        while b"\n" not in self.rest:
            if not select.select([self.read], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError
            more = os.read(self.read, 1 << 16)
            if not more:
                return None
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def end(self):
        """Ends the process if it is still running; returns its exit code."""
        os.close(self.read)
        try:
            # The last answer may arrive before the process exits.
            return self.process.wait(1)
        except subprocess.TimeoutExpired:
            return self.kill()

    def kill(self):
        """Kills the process and its children."""
        os.killpg(self.process.pid, signal.SIGKILL)
        return self.process.wait()


def write(path, text):
    """Writes a file atomically; its folder is created if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


class Record:
    """The results, written to disk after each job."""

    def __init__(self, output, content):
        self.output, self.content = output, content

    def write(self):
        """Writes the record atomically."""
        if not self.output:
            return
        write(self.output / "gpu.json", json.dumps(self.content, indent=1) + "\n")
        write(self.output / "gpu.md", page(self.content))

    def has(self, name, what):
        """True if the row has been measured for this peer."""
        row = self.content["rows"].get(name, {"peers": {}})
        return "seconds" in (row if what == "mdh" else row["peers"].get(what, {}))

    def add(self, row, what, entry):
        """Adds and prints the result of a job."""
        found = self.content["rows"].setdefault(row.name, {"peers": {}})
        if what == "mdh":
            # A resumed record may have an old error of this job.
            found.pop("error", None)
            found |= entry
        else:
            found["peers"][what] = entry
        derive(found, row)
        self.write()
        result = f"{milliseconds(entry['seconds'])} ms" if "seconds" in entry else entry["error"]
        ratio = f", ratio {found['ratio']:.2f}" if what != "mdh" and "ratio" in found else ""
        print(f"{row.name}: {what}: {result}{ratio}", flush=True)


def measure(arguments, options, jobs, rows, record, program=WORKER):
    """Runs jobs until the time limit in processes of a program; returns the remaining ones."""
    left, failures = list(jobs), 0
    while left and failures < 3:
        batch = left[:BATCH]
        worker, current, problem = Worker(program, options | {"jobs": batch}), None, None
        try:
            while batch:
                rest = arguments.end - time.monotonic()
                answer = worker.answer(min(rest, arguments.limit if current else START))
                if answer is None:
                    break
                if "header" in answer:
                    header = answer["header"]
                    installed = header.pop("peers")
                    if installed is not None:
                        left, batch = ([job for job in jobs if job[1] in ("mdh", *installed)] for jobs in (left, batch))
                    header["versions"] = record.content["versions"] | header["versions"]
                    record.content |= header
                elif "begins" in answer:
                    current = answer["begins"]
                else:
                    record.add(rows[answer["ended"][0]], answer["ended"][1], answer["entry"])
                    left.remove(answer["ended"])
                    batch.remove(answer["ended"])
                    current, failures = None, 0
        except TimeoutError:
            if time.monotonic() >= arguments.end:
                return left
            problem = f"took longer than {arguments.limit} s"
        finally:
            if batch:
                worker.kill()
            code = worker.end()
        if current:
            record.add(rows[current[0]], current[1], {"error": problem or f"ended its process, exit code {code}"})
            left.remove(current)
        elif batch:
            failures += 1
    return left


def commit():
    """The git commit; empty without a repository."""
    return subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()


def on_device(action):
    """Returns the result of an action; without a device, prints a message and exits."""
    try:
        return action()
    except Missing as missing:
        print(f"gpu: {missing}", file=sys.stderr)
        sys.exit(NO_DEVICE)


def listed(parser, folder, what):
    """The list of kernels that --compile has written to a folder."""
    try:
        return json.loads((folder / LIST).read_text(encoding="utf-8"))
    except OSError:
        parser.error(f"no {what} in {folder}: --compile writes them")


def add_compiler(parser):
    """Adds the options of --compile."""
    parser.add_argument("--arch", default="sm_90", help="the architecture for --compile (default: sm_90)")
    parser.add_argument("--emit", choices=("ptx", "cubin"), default="ptx", help="the form of the kernels of --compile (default: ptx)")
    parser.add_argument("--tools", type=pathlib.Path, default=TARGET / "release", help="the folder of mdh")


def compile_kernels(arguments, rows):
    """Compiles the kernels of all rows, with their manifests; returns the names of the rows that fail."""
    arguments.compile.mkdir(parents=True, exist_ok=True)
    # The machine that measures the kernels may have no repository.
    (arguments.compile / COMMIT).write_text(commit())
    failed = []
    for row in rows.values():
        command = [arguments.tools / "mdh", "compile", gpu_rows.program(row, arguments.compile), "--function", row.function, "--target", "cuda"]
        command += ["--arch", arguments.arch, "--emit", arguments.emit, "-o", arguments.compile / f"{row.name}.{arguments.emit}"]
        command += ["--machine", arguments.machine] if arguments.machine else []
        try:
            run.command(*command)
        except RuntimeError as error:
            failed.append(row.name)
            print(f"{row.name}: {error}", file=sys.stderr)
    return failed


def find(arguments):
    """The name of the device, and its driver version."""
    if arguments.engine == "cuda":
        return Cuda(0).describe()
    done = subprocess.run([arguments.tools / "mdh", "devices", "--engine", arguments.engine, "--json"], capture_output=True, text=True)
    if not done.stdout:
        sys.exit(done.stderr.strip())
    answer = json.loads(done.stdout)
    if not answer["devices"]:
        raise Missing(answer["missing"][arguments.engine])
    return answer["devices"][0]["name"], answer["devices"][0]["driver"]


def parse():
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows to measure: examples, or sizes of them (default: all)")
    parser.add_argument("--engine", choices=("cuda", "opencl"), default="cuda", help="the engine that runs our kernels (default: cuda)")
    parser.add_argument("--peers", help="comma-separated peers to measure against, or 'none' (default: all that are installed)")
    parser.add_argument("--repeat", type=int, default=21, help="number of timed runs of each function (default: 21)")
    parser.add_argument("--budget", type=float, default=float("inf"), help="time limit in seconds; the record then has the results so far")
    parser.add_argument("--limit", type=float, default=120, help="time limit in seconds for each row of each peer (default: 120)")
    parser.add_argument("--resume", action="store_true", help="keep the times in the record, and measure the others")
    parser.add_argument("--long", action="store_true", help="also the larger rows of PRL")
    parser.add_argument("--small", action="store_true", help="small sizes, to check that everything works")
    parser.add_argument("--list", action="store_true", help="list the rows and their peers, and exit")
    parser.add_argument("--compile", type=pathlib.Path, metavar="FOLDER", help="compile the kernels of the rows to FOLDER, and exit")
    add_compiler(parser)
    parser.add_argument("--machine", type=pathlib.Path, metavar="FILE", help="the machine that --compile makes default schedules for")
    parser.add_argument("--kernels", type=pathlib.Path, metavar="FOLDER", help="measure the kernels that --compile wrote to FOLDER")
    parser.add_argument("--output", type=pathlib.Path, help="the folder of the results (default for all rows: bench/results)")
    arguments = parser.parse_args()
    arguments.end = time.monotonic() + arguments.budget
    if arguments.kernels and not (arguments.kernels / COMMIT).exists():
        parser.error(f"--kernels requires a folder that --compile has written, got {arguments.kernels}")
    return parser, arguments


def choose(parser, arguments):
    """The selected rows."""
    table = gpu_rows.rows(arguments.small)
    unknown = [name for name in arguments.rows if name not in table and name not in {row.example for row in table.values()}]
    if unknown:
        parser.error(f"no row {', '.join(unknown)}: there are {', '.join(table)}")
    return {
        name: row
        for name, row in table.items()
        if name in arguments.rows or (row.example in arguments.rows or not arguments.rows) and (arguments.long or name not in peers_rows.LONG)
    }


def start(arguments, found, output):
    """A new record, or the existing one of the same device to resume."""
    mdh = (arguments.kernels / COMMIT).read_text() if arguments.kernels else commit()
    versions = {**({"mdh": mdh} if mdh else {}), "driver": found[1], "Python": platform.python_version()}
    content = {
        "date": datetime.datetime.now().isoformat(timespec="seconds"),
        "engine": arguments.engine,
        "device": found[0],
        "versions": versions,
        "repeat": arguments.repeat,
        "copy_bytes": None,
        "copy_bandwidth": None,
        "rows": {},
    }
    old = output / "gpu.json" if output else None
    if arguments.resume and old and old.exists():
        before = json.loads(old.read_text())
        if (before["engine"], before["device"]) != (content["engine"], content["device"]):
            sys.exit(f"error: {old} is of {before['device']} by {before['engine']}, so nothing of it can be kept")
        content |= {"rows": before["rows"], "versions": before["versions"] | versions, "date": before["date"]}
    return Record(output, content)


def main():
    """Runs the command."""
    parser, arguments = parse()
    # Check for a device before anything else.
    found = None if arguments.compile else on_device(lambda: find(arguments))
    global gpu_rows, peers_rows
    try:
        import gpu_rows
        import peers_rows
    except ModuleNotFoundError as error:
        sys.exit(f"error: {error}: it needs NumPy, and for peers PyTorch (pip install numpy torch)")
    rows = choose(parser, arguments)
    if arguments.compile:
        failed = compile_kernels(arguments, rows)
        sys.exit(f"not compiled: {', '.join(failed)}" if failed else 0)
    import gpu_peers

    peers = list(gpu_peers.PEERS) if arguments.engine == "cuda" and arguments.peers != "none" else []
    if arguments.list or arguments.peers and peers:
        peers = gpu_peers.installed()
    if arguments.peers and peers:
        missing = [name for name in arguments.peers.split(",") if name not in peers]
        if missing:
            parser.error(f"not installed: {', '.join(missing)}; there are {', '.join(peers)}")
        peers = arguments.peers.split(",")
    if arguments.list:
        for name, row in rows.items():
            print(f"{name}: {', '.join(peer for peer in peers if gpu_peers.computes(peer, row))}")
        return
    complete = arguments.engine == "cuda" and not (arguments.rows or arguments.peers or arguments.small)
    output = arguments.output or (ROOT / "bench" / "results" if complete else None)
    record = start(arguments, found, output)
    slow = [peer for peer in gpu_peers.SLOW if peer in peers]
    fast = [peer for peer in gpu_peers.PEERS if peer in peers and peer not in slow]
    jobs = [[name, what] for name, row in rows.items() for what in ["mdh", *fast] if what == "mdh" or gpu_peers.computes(what, row)]
    jobs += [[name, peer] for peer in slow for name, row in rows.items() if gpu_peers.computes(peer, row)]
    jobs = [job for job in jobs if not record.has(*job)]
    with tempfile.TemporaryDirectory() as folder:
        options = {"engine": arguments.engine, "tools": str(arguments.tools), "repeat": arguments.repeat, "small": arguments.small}
        options |= {"folder": folder, "kernels": str(arguments.kernels.resolve()) if arguments.kernels else None}
        left = measure(arguments, options, jobs, rows, record)
    record.write()
    print(page(record.content), end="")
    failed = [name for name in rows if "seconds" not in record.content["rows"].get(name, {})]
    if left:
        print(f"{len(left)} of {len(jobs)} times were not measured; --resume goes on", file=sys.stderr)
    sys.exit(f"not measured, or not computed correctly: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
