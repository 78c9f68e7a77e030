"""Measures the computations of the experiments against other compilers and libraries, and against the limits of the machine.

    python3 -m bench.peers                              everything, on one thread and on all: the record
    python3 -m bench.peers matmul dot_16777216          an example, or one size of it
    python3 -m bench.peers matmul --threads 1 --time 2  on one thread, for about two seconds a row
    python3 -m bench.peers mcc --peers oneDNN,XLA       against some peers only
    python3 -m bench.peers --quick                      a third of the time, no candidates
    python3 -m bench.peers --list                       the rows, and the peers of each

scripts/setup/peers.sh installs the peers; one that is not installed is left out. Our functions are compiled by `mdh compile --emit shared`
with their default schedules for the number of threads. Every peer of a row is a separate process, whose number of threads and
processor affinity are set before any library is loaded. First all results are checked: sampled elements against their definition in
double precision, and sums over all parts against those of the plain C loops (or of the first other peer if those are left out).
A wrong result is reported and not timed. Then the processes are called round-robin, one batch each, while the others sleep. The
result is the median of the batches (7, and 3 for calls of more than a second). A call of more than 5 seconds is timed once, and so
is one of more than a second that takes 4 times as long as the fastest. For computations that take minutes, peers that cannot be the
fastest are left out, which the page states: plain C if C with -ffast-math takes more than 20 seconds, and on fewer threads a peer
that would take more than a minute and was not the fastest on more threads. Every batch begins with an untimed call, so the caches
have the contents that the peer's own last call left. Results that the call allocates (ours, XLA's, NumPy's) reuse memory of the
process.

The bound of a row is the maximum of its compute time and its memory time at the rates measured at the start: fused multiply-adds,
and bandwidth by the size of the data that is read and written. All rows together are the record: peers.json, peers.md and peers.svg
in bench/results. A subset is only printed, or written to --output.

For rows with short calls, the schedules that `mdh explain --candidates` writes are also measured, on the largest number of threads.
The record has the expected time of each by the cost model, its measured time, and the rank correlation of both.
"""

import math
import os
import pathlib
import tempfile
import time
import sys

from bench import harness
from bench.harness import PLAIN, RESULTS, TARGET, busy, clang, command, milliseconds
from bench.peers.machine import better, enter, limits, versions
from bench.peers.page import chart, page


def parse():
    """Parses the command line."""
    parser = harness.parser(__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows to measure: examples, or sizes of them (default: all)")
    parser.add_argument("--threads", help="comma-separated numbers of threads (default: 1 and all)")
    parser.add_argument("--peers", help="comma-separated peers to measure against (default: all that are installed)")
    parser.add_argument("--time", type=float, default=6, help="seconds for each row and number of threads, if calls are short (default: 6)")
    parser.add_argument(
        "--quick", action="store_true", help="3 batches, a third of the time, no candidates; the machine is measured once instead of twice"
    )
    parser.add_argument("--candidates", type=int, metavar="N", help="number of schedules per row to validate the ranking by the cost model (default: 8)")
    parser.add_argument("--long", action="store_true", help="also the rows of PRL that take minutes per call")
    parser.add_argument("--list", action="store_true", help="list the rows and their peers, and exit")
    parser.add_argument("--venv", type=pathlib.Path, default=TARGET / "peers", help="the virtual environment of the peers (default: target/peers)")
    parser.add_argument("--tools", type=pathlib.Path, default=harness.RELEASE, help="the folder of mdh")
    parser.add_argument("--clang", default=clang(), help="the compiler of the plain loops")
    parser.add_argument("--output", type=pathlib.Path, help="the folder of the results (default for all rows: bench/results)")
    return parser, parser.parse_args()


def numbers(parser, arguments):
    """The numbers of threads, and the number of candidates."""
    cores = len(os.sched_getaffinity(0))
    counts = [int(count) for count in arguments.threads.split(",")] if arguments.threads else sorted({1, cores})
    if not all(1 <= count <= cores for count in counts):
        parser.error(f"--threads: there are {cores} processors")
    candidates = arguments.candidates if arguments.candidates is not None else 0 if arguments.quick else 8
    if not 0 <= candidates <= 10000:
        parser.error("--candidates: from 0 to 10000")
    return counts, candidates


def wanted_peers(parser, arguments):
    """The peers to measure against."""
    there = build.installed()
    wanted = arguments.peers.split(",") if arguments.peers else there
    missing = [name for name in wanted if name not in there]
    if missing:
        parser.error(f"not installed: {', '.join(missing)}; there are {', '.join(there)}")
    return [name for name in there if name in wanted]


def measure_machine(executable, count):
    """Measures the limits of the machine with a number of threads, and prints them."""
    able = limits(executable, count)
    read = dict(able["bandwidth"]["read"])
    print(
        f"{count} thread{'s' if count > 1 else ''}: {able['peak'] / 1e9:.0f} GFLOP/s; {read[1 << 26] / 1e9:.1f} GB/s of 64 MiB, "
        f"{read[1 << 30] / 1e9:.1f} GB/s of 1 GiB",
        flush=True,
    )
    return able


def measure_row(row, wanted, builder, record, counts, candidates, batches):
    """Adds a row to the record, with each number of threads."""
    inputs = []
    for number, array in enumerate(row.arrays()):
        inputs.append(builder.folder / f"input{number}")
        array.tofile(inputs[-1])
    # Larger numbers of threads first: they show which peers are too slow for fewer threads.
    more = None
    for count in sorted(counts, reverse=True):
        names = ["mdh", *(peer for peer in build.peers_of(row) if peer in wanted)]
        start, used = time.monotonic(), busy()
        measured, reference = measure.measure(row, names, builder, inputs, count, record["seconds"], batches, more)
        measured["others"] = max(0.0, busy() - used) / (time.monotonic() - start)
        result = record["rows"][str(count)][row.name] = measure.evaluate(row, measured, record["able"][str(count)])
        if count == max(counts) and candidates and result.get("seconds", math.inf) < SHORT:
            result |= measure.ranked(row, builder, inputs, count, candidates, reference)
        more = (count, result["peers"])
        own = "WRONG OR FAILED"
        if "seconds" in result:
            own = f"{milliseconds(result['seconds'])} ms, {result['fraction']:.2f} of the bound"
        best = f"; {result['best']} {milliseconds(result['best_seconds'])} ms" if "best" in result else ""
        print(f"{row.name}, {count}: {own}{best}{', ratio %.2f' % result['ratio'] if 'ratio' in result else ''}", flush=True)
    for path in inputs:
        path.unlink()


def failures(record):
    """What was not computed correctly."""
    failed = [f"{name} on {count}" for count, results in record["rows"].items() for name, row in results.items() if "seconds" not in row]
    return failed + [
        f"candidate {number + 1} of {name}"
        for results in record["rows"].values()
        for name, row in results.items()
        for number, candidate in enumerate(row.get("candidates", []))
        if "seconds" not in candidate
    ]


def measured(arguments, record, chosen, counts, candidates, batches):
    """Fills the record."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        executable = folder / "machine"
        command(arguments.clang, "-O3", "-march=native", "-ffp-contract=fast", "-fopenmp", PLAIN / "machine.c", "-o", executable)
        for count in counts:
            record["able"][str(count)] = measure_machine(executable, count)
        builder = build.Builder(arguments.tools, arguments.clang, folder)
        for row in chosen.values():
            measure_row(row, record["installed"], builder, record, counts, candidates, batches)
        for count in counts if not arguments.quick else []:
            able = record["able"][str(count)] = better(record["able"][str(count)], limits(executable, count))
            for name, result in record["rows"][str(count)].items():
                measure.evaluate(chosen[name], result, able)


def main():
    """Runs the command."""
    parser, arguments = parse()
    enter(arguments.venv, f"no peers in {arguments.venv}: scripts/setup/peers.sh installs them")

    # They need the NumPy of the virtual environment.
    global SHORT, build, measure
    from bench.peers import build, measure, rows
    from bench.peers.candidates import SHORT

    chosen = rows.chosen(parser, rows.rows(), arguments.rows, arguments.long)
    wanted = wanted_peers(parser, arguments)
    if arguments.list:
        for name, row in chosen.items():
            print(f"{name}: {', '.join(peer for peer in build.peers_of(row) if peer in wanted)}")
        return
    counts, candidates = numbers(parser, arguments)
    batches, seconds = (3, arguments.time / 3) if arguments.quick else (measure.BATCHES, arguments.time)
    record = {
        "date": harness.now(),
        "machine": harness.machine(),
        "installed": wanted,
        "versions": versions(arguments.clang),
        "seconds": seconds,
        "able": {},
        "rows": {str(count): {} for count in counts},
    }
    measured(arguments, record, chosen, counts, candidates, batches)
    complete = not (arguments.rows or arguments.peers or arguments.threads)
    output = arguments.output or (RESULTS if complete else None)
    if output:
        harness.write_record(output, "peers", record, page(record, "peers.svg"))
        harness.write(output / "peers.svg", chart(record))
    print(page(record, None), end="")
    failed = failures(record)
    sys.exit(f"not computed correctly: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
