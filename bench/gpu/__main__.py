"""Measures the computations of the experiments on an NVIDIA GPU, against cuBLAS, cuDNN, PyTorch and Triton, in the same run.

    python3 -m bench.gpu                               everything: the record
    python3 -m bench.gpu matmul dot_16777216           an example, or one size of it
    python3 -m bench.gpu matmul --peers cuBLAS         against one peer only
    python3 -m bench.gpu dot --engine opencl           on an OpenCL device, without peers
    python3 -m bench.gpu --list                        the rows, and the peers of each
    python3 -m bench.gpu --compile FOLDER              only compile the kernels of all rows, which needs no GPU
    python3 -m bench.gpu --kernels FOLDER              measure those: needs neither our tools nor LLVM, only Python and NumPy
    python3 -m bench.gpu --budget 540 --resume         for nine minutes, and without what the record has already

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

import json
import pathlib
import platform
import subprocess
import sys
import tempfile

from bench import harness
from bench.gpu.device import Cuda, Missing
from bench.gpu.measure import add_compiler, commit, measure, on_device, parsed
from bench.gpu.page import page
from bench.gpu.record import Record
from bench.harness import RESULTS, command

# The file with the version of our compiler that compiled the kernels.
COMMIT = "commit"


def compile_kernels(arguments, rows):
    """Compiles the kernels of all rows, with their manifests; returns the names of the rows that fail."""
    arguments.compile.mkdir(parents=True, exist_ok=True)
    # The machine that measures the kernels may have no repository.
    (arguments.compile / COMMIT).write_text(commit())
    failed = []
    for row in rows.values():
        options = ["--function", row.function, "--target", "cuda", "--arch", arguments.arch, "--emit", arguments.emit]
        options += ["-o", arguments.compile / f"{row.name}.{arguments.emit}"]
        options += ["--machine", arguments.machine] if arguments.machine else []
        try:
            command(arguments.tools / "mdh", "compile", gpu_rows.program(row, arguments.compile), *options)
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
    parser = harness.parser(__doc__)
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
    arguments = parsed(parser)
    if arguments.kernels and not (arguments.kernels / COMMIT).exists():
        parser.error(f"--kernels requires a folder that --compile has written, got {arguments.kernels}")
    return parser, arguments


def start(arguments, found, output):
    """A new record, or the existing one of the same device to resume."""
    mdh = (arguments.kernels / COMMIT).read_text() if arguments.kernels else commit()
    versions = {**({"mdh": mdh} if mdh else {}), "driver": found[1], "Python": platform.python_version()}
    content = {
        "date": harness.now(),
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
    # They need NumPy.
    global gpu_rows
    try:
        from bench.gpu import rows as gpu_rows
        from bench.peers.rows import chosen
    except ModuleNotFoundError as error:
        sys.exit(f"error: {error}: it needs NumPy, and for peers PyTorch (pip install numpy torch)")
    rows = chosen(parser, gpu_rows.rows(arguments.small), arguments.rows, arguments.long)
    if arguments.compile:
        failed = compile_kernels(arguments, rows)
        sys.exit(f"not compiled: {', '.join(failed)}" if failed else 0)
    from bench.gpu import peers as gpu_peers

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
    output = arguments.output or (RESULTS if complete else None)
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
