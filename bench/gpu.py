#!/usr/bin/env python3
"""Measures the computations of the experiments on a GPU of NVIDIA, against cuBLAS, cuDNN, PyTorch and Triton, in the same run.

    bench/gpu.py                               everything: the record
    bench/gpu.py matmul dot_16777216           an example, or one size of it
    bench/gpu.py matmul --peers cuBLAS         against one peer only
    bench/gpu.py dot --engine opencl           on a device of OpenCL, against nothing
    bench/gpu.py --list                        the rows, and the peers of each

It needs NumPy; PyTorch, which brings cuDNN, and Triton are measured where they are installed, and cuBLAS where its library is found. Times
are those of kernels by events of the device, without copies to the device and back. First all results are checked: sampled elements
against their definition in double precision; one that is wrong is said to be so, and not timed. Our functions are run by `mdh run` with
their default schedules, again and again, and its inputs are copied to the device before each run; those of peers are, too. The
device is kept busy until all of a call has arrived there, so that times have no launches. What counts is the median of all runs, of a
peer that of its fastest variant: algorithms of cuBLAS, layouts of cuDNN, tiles of Triton. Compiled PyTorch may choose among all kernels that it has.

Bandwidth is that of the bytes that a row reads and writes at least, relative to a copy of 1 GiB on the device. All rows together are
the record: gpu.json and gpu.md in bench/results. A part of them is printed only, or written where --output says. Without a device it
says so, and ends with exit code 4.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import run
from gpu_device import Cuda, Missing
from peers_page import mean, milliseconds
from run import ROOT

TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
TOLERANCE = 1e-4
# The exit code of what needs a device where there is none.
NO_DEVICE = 4
# Rows that the bandwidth of memory bounds.
BOUND_BY_MEMORY = ("dot", "matvec", "jacobi3d", "scan")


def ours(arguments, row, paths, arrays, folder):
    """What our kernels take, after their results have been checked."""
    outputs = [folder / f"output{number}.npy" for number in range(len(row.outputs))]
    command = [arguments.tools / "mdh", "run", ROOT / "examples" / f"{row.example}.mlir", "--function", row.function]
    command += ["--engine", arguments.engine, "--repeat", arguments.repeat, "--json"]
    command += [part for path in paths for part in ("--input", path)] + [part for path in outputs for part in ("--output", path)]
    report = json.loads(run.command(*command))
    found = checked(row, arrays, [numpy.load(path) for path in outputs])
    found |= {"compile_seconds": report["compile_seconds"], "whole_seconds": report["run_seconds"]["median"]}
    return found if "wrong" in found else found | {"seconds": report["kernel_seconds"]["median"], "least": report["kernel_seconds"]["min"]}


def checked(row, arrays, results):
    """How far results are from their definition."""
    difference = peers_rows.check(row, arrays, [result.reshape(shape) for result, (_, shape) in zip(results, row.outputs)])
    # JSON has no infinity.
    return {"difference": difference if math.isfinite(difference) else None} | ({} if difference <= TOLERANCE else {"wrong": True})


def theirs(peer, row, cuda, arrays, addresses, repeat):
    """What the fastest variant of a peer takes whose results are right."""
    best, problems = {}, []
    variants = iter(peer(row, cuda, arrays, addresses))
    while True:
        try:
            start, results, refresh = next(variants)
        except StopIteration:
            break
        try:
            refresh()
            start()
            found = checked(row, arrays, results())
            if "wrong" in found:
                problems.append("wrong")
                continue
            found |= cuda.time(start, repeat, refresh)
        except Exception as error:  # noqa: BLE001: a variant that a library does not have
            problems.append(f"{type(error).__name__}: {error}"[:200])
            continue
        if found["seconds"] < best.get("seconds", math.inf):
            best = found
    return best or {"error": problems[0] if problems else "no variant"}


def measure(arguments, row, peers, cuda, folder):
    """A row: our time, and those of peers."""
    arrays, paths = list(row.arrays()), []
    for number, array in enumerate(arrays):
        paths.append(folder / f"input{number}.npy")
        numpy.save(paths[-1], array)
    measured = {"peers": {}}
    try:
        measured |= ours(arguments, row, paths, arrays, folder)
    except (RuntimeError, OSError, KeyError, ValueError) as error:
        measured["error"] = str(error).strip().splitlines()[-1][:300]
    if cuda:
        with cuda.arrays(arrays) as addresses:
            for name, peer in peers.items():
                if not has(peer, row):
                    continue
                try:
                    measured["peers"][name] = theirs(peer, row, cuda, arrays, addresses, arguments.repeat)
                except Exception as error:  # noqa: BLE001: a peer that fails is a result
                    measured["peers"][name] = {"error": f"{type(error).__name__}: {error}"[:300]}
    timed = {name: entry["seconds"] for name, entry in measured["peers"].items() if "seconds" in entry}
    if timed:
        measured["best"] = min(timed, key=timed.get)
        measured["best_seconds"] = timed[measured["best"]]
    if "seconds" in measured:
        measured["gflops"] = row.operations / measured["seconds"] / 1e9
        measured["bandwidth"] = (row.read + row.written) / measured["seconds"]
        if timed:
            measured["ratio"] = measured["best_seconds"] / measured["seconds"]
    return measured


def page(record):
    """The record for a person."""
    results = record["rows"]
    ratios = [row["ratio"] for row in results.values() if "ratio" in row]
    copy = record["copy_bandwidth"]
    lines = [
        f"# Benchmark on a GPU, {record['date']}" if record["engine"] == "cuda" else f"# Benchmark with OpenCL, {record['date']}",
        "",
        f"{record['device']}, fp32 without tensor cores, default schedules, times of kernels.",
        f"Versions: {', '.join(f'{name} {version}' for name, version in record['versions'].items())}.",
    ]
    if copy:
        lines.append(f"A copy of 1 GiB on the device: {copy / 1e9:.0f} GB/s, read and written.")
    if ratios:
        faster = sum(ratio >= 1 for ratio in ratios)
        lines.append(f"Best peer / mdh: {mean(ratios):.2f} (geometric mean); at least as fast in {faster} of {len(ratios)} rows.")
    lines += ["", "A ratio of 2 means twice as fast as the fastest of the peers. Times are medians, in milliseconds.", ""]
    lines += ["| computation | mdh | best peer | best / mdh | GFLOP/s | GB/s | of a copy | the others |", "|---|---|---|---|---|---|---|---|"]
    for name, row in results.items():
        peers = row["peers"]
        rest = [f"{peer} {milliseconds(entry['seconds'])}" for peer, entry in peers.items() if "seconds" in entry and peer != row.get("best")]
        rest += [f"{peer} failed" for peer, entry in peers.items() if "error" in entry]
        best = f"{row['best']} {milliseconds(row['best_seconds'])}" if "best" in row else ""
        if "seconds" not in row:
            lines.append(f"| {name} | {'WRONG' if row.get('wrong') else 'failed'} | {best} | | | | | {', '.join(rest)} |")
            continue
        ratio = f"{row['ratio']:.2f}" if "ratio" in row else ""
        # Only where it bounds the row does it say how good the kernel is.
        share = f"{row['bandwidth'] / copy:.2f}" if copy and name.startswith(BOUND_BY_MEMORY) else ""
        lines.append(
            f"| {name} | {milliseconds(row['seconds'])} | {best} | {ratio} | {row['gflops']:.1f} | {row['bandwidth'] / 1e9:.1f} "
            f"| {share} | {', '.join(rest)} |"
        )
    failed = [f"- {name}: {row['error']}" for name, row in results.items() if "error" in row]
    failed += [
        f"- {peer} on {name}: {entry['error']}" for name, row in results.items() for peer, entry in row["peers"].items() if "error" in entry
    ]
    return "\n".join(lines + (["", "What failed:", "", *failed] if failed else [])) + "\n"


def device(arguments):
    """What our tool says of the first device of the engine."""
    done = subprocess.run([arguments.tools / "mdh", "devices", "--engine", arguments.engine, "--json"], capture_output=True, text=True)
    if not done.stdout:
        sys.exit(done.stderr.strip())
    answer = json.loads(done.stdout)
    if not answer["devices"]:
        raise Missing(answer["missing"][arguments.engine])
    return answer["devices"][0]


def has(peer, row):
    """Whether a peer computes a row."""
    return ("ccsdt" if row.example.startswith("ccsdt") else row.example) in peer.examples


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="what to measure: examples, or sizes of them (default: all)")
    parser.add_argument("--engine", choices=("cuda", "opencl"), default="cuda", help="what runs our kernels (default: cuda)")
    parser.add_argument("--peers", help="measure against these only, with commas between them")
    parser.add_argument("--repeat", type=int, default=21, help="how often each is run (default: 21)")
    parser.add_argument("--long", action="store_true", help="also the larger rows of PRL")
    parser.add_argument("--list", action="store_true", help="list the rows and their peers, and end")
    parser.add_argument("--tools", type=pathlib.Path, default=TARGET / "release", help="where mdh is")
    parser.add_argument("--output", type=pathlib.Path, help="the folder of the results (default for all rows: bench/results)")
    arguments = parser.parse_args()
    global numpy, peers_rows
    try:
        cuda = Cuda() if arguments.engine == "cuda" else None
        found = device(arguments)
    except Missing as missing:
        print(f"gpu: {missing}", file=sys.stderr)
        sys.exit(NO_DEVICE)
    try:
        import gpu_peers
        import numpy
        import peers_rows
    except ModuleNotFoundError as error:
        sys.exit(f"error: {error}: it needs NumPy, and for peers PyTorch (pip install numpy torch)")
    table = peers_rows.rows()
    unknown = [name for name in arguments.rows if name not in table and name not in {row.example for row in table.values()}]
    if unknown:
        parser.error(f"no row {', '.join(unknown)}: there are {', '.join(table)}")
    peers = gpu_peers.installed() if cuda else {}
    if arguments.peers:
        missing = [name for name in arguments.peers.split(",") if name not in peers]
        if missing:
            parser.error(f"not installed: {', '.join(missing)}; there are {', '.join(peers)}")
        peers = {name: peers[name] for name in arguments.peers.split(",")}
    chosen = {
        name: row
        for name, row in table.items()
        if name in arguments.rows or (row.example in arguments.rows or not arguments.rows) and (arguments.long or name not in peers_rows.LONG)
    }
    if arguments.list:
        for name, row in chosen.items():
            print(f"{name}: {', '.join(peer for peer, what in peers.items() if has(what, row))}")
        return
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    record = {
        "date": datetime.datetime.now().isoformat(timespec="seconds"),
        "engine": arguments.engine,
        "device": found["name"],
        "versions": {
            **({"mdh": commit} if commit else {}),
            "driver": found["driver"],
            "Python": platform.python_version(),
            **{name: peer.version() for name, peer in peers.items() if name != "PyTorch compiled"},
        },
        "repeat": arguments.repeat,
        "copy_bandwidth": cuda.bandwidth() if cuda else None,
        "rows": {},
    }
    for name, row in chosen.items():
        with tempfile.TemporaryDirectory() as folder:
            result = record["rows"][name] = measure(arguments, row, peers, cuda, pathlib.Path(folder))
        own = f"{milliseconds(result['seconds'])} ms" if "seconds" in result else result.get("error", "WRONG")
        best = f"; {result['best']} {milliseconds(result['best_seconds'])} ms" if "best" in result else ""
        print(f"{name}: {own}{best}{', ratio %.2f' % result['ratio'] if 'ratio' in result else ''}", flush=True)
    complete = cuda and not (arguments.rows or arguments.peers)
    output = arguments.output or (ROOT / "bench" / "results" if complete else None)
    if output:
        output.mkdir(parents=True, exist_ok=True)
        (output / "gpu.json").write_text(json.dumps(record, indent=1) + "\n")
        (output / "gpu.md").write_text(page(record))
    print(page(record), end="")
    failed = [name for name, row in record["rows"].items() if "seconds" not in row]
    sys.exit(f"not computed correctly: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
