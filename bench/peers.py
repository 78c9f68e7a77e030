#!/usr/bin/env python3
"""Measures the computations of the experiments against other compilers and libraries, and against the limits of the machine.

    bench/peers.py                              everything, on one thread and on all: the record
    bench/peers.py matmul dot_16777216          an example, or one size of it
    bench/peers.py matmul --threads 1 --time 2  on one thread, for about two seconds a row
    bench/peers.py mcc --peers oneDNN,XLA       against some peers only
    bench/peers.py --quick                      a third of the time, no candidates
    bench/peers.py --list                       the rows, and the peers of each

scripts/peers.sh installs the peers; one that is not installed is left out. Our functions are compiled by `mdh compile --emit shared`
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

import argparse
import contextlib
import datetime
import importlib.util
import json
import math
import os
import pathlib
import select
import statistics
import subprocess
import sys
import tempfile
import time

import peers_candidates
import run
from peers_machine import available, better, busy, clang, code_bytes, enter, environment, machine, processors, versions
from peers_page import APART, INDUCTOR, SIMPLE, chart, milliseconds, page
from run import ROOT

rows = None  # peers_rows, which needs the NumPy of the virtual environment
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
BENCH = ROOT / "bench"

# Peers by example, except those of every row: C, which is clang -O3 -march=native, and C with -ffast-math.
BLAS = ["MKL", "OpenBLAS"]
GENERAL = ["XLA", "PyTorch"]
CONVOLUTION = ["oneDNN", "oneDNN packed", *GENERAL]
PEERS = {
    "dot": [*BLAS, *GENERAL, "Numba"],
    "matvec": [*BLAS, "oneDNN", *GENERAL, "Numba"],
    "matmul": [*BLAS, "MKL gemv", "OpenBLAS gemv", "oneDNN", "oneDNN packed", *GENERAL],
    "matmul_transposed": [*BLAS, *GENERAL],
    "bmatmul": [*BLAS, "oneDNN", "oneDNN packed", *GENERAL],
    "conv2d": [*CONVOLUTION, "Numba"],
    "mcc": CONVOLUTION,
    "mcc_strided": CONVOLUTION,
    "mcc_capsule": ["XLA", "Numba"],
    "jacobi3d": ["XLA", "Numba"],
    "prl": [],
    "scan": ["NumPy", *GENERAL, "Numba"],
    "histo": ["NumPy", *GENERAL, "Numba"],
    "math": [*GENERAL, INDUCTOR],
}
CONTRACTION = ["NumPy", *GENERAL]
# The value of CASE in bench/c/blas.c, and the routine.
ROUTINES = {
    "dot": (0, "sdot"),
    "matvec": (1, "sgemv"),
    "matmul": (2, "sgemm"),
    "matmul_transposed": (3, "sgemm"),
    "bmatmul": (4, "sgemm_batch_strided"),
}
ONE_BY_ONE = (5, "sgemm")
ONE_ROW = (6, "sgemv")

BATCHES = 7
# In seconds: calls longer than SLOW are timed in three batches, and calls longer than ONCE only once, when they are
# checked. Calls longer than SLOW that take BEHIND times as long as the fastest are timed once, too, because more
# precision would not be informative. LIMIT is the time limit of an answer.
SLOW, ONCE, BEHIND, LIMIT = 1, 5, 4, 300
# Rows of more operations than MANY may leave out peers: plain C if C with -ffast-math takes more than LONG seconds, and
# peers that would take more than TOO_LONG seconds on fewer threads.
MANY, LONG, TOO_LONG = 2e10, 20, 60
SILENT = "no answer"


def installed():
    """The installed peers."""
    lib = pathlib.Path(sys.prefix) / "lib"
    has = lambda module: importlib.util.find_spec(module) is not None
    found = [SIMPLE, "C", "C fast-math"]
    found += ["MKL", "MKL gemv"] if list(lib.glob("libmkl_rt.so*")) and (lib / "libiomp5.so").exists() else []
    found += ["OpenBLAS", "OpenBLAS gemv"] if has("scipy_openblas32") else []
    found += ["oneDNN", "oneDNN packed"] if list(lib.glob("libdnnl.so*")) and (lib.parent / "include/oneapi/dnnl/dnnl.h").exists() else []
    found += ["NumPy"]
    found += [name for name, module in (("Numba", "numba"), ("XLA", "jax"), ("PyTorch", "torch"), (INDUCTOR, "torch")) if has(module)]
    return found


def peers_of(row):
    """The peers of a row, installed or not."""
    names = CONTRACTION if row.example.startswith("ccsdt") else PEERS[row.example]
    # A product with a one-row matrix is a matrix-vector product, which has its own routine.
    names = [name for name in names if not name.endswith("gemv") or row.sizes["i"] == 1]
    return [*names, *([SIMPLE] if row.example in ("matmul", "mcc") else []), "C fast-math", "C"]


class Builder:
    """Compiles the libraries that processes load, each once."""

    def __init__(self, tools, clang, folder):
        self.tools, self.clang, self.folder, self.count = tools, clang, folder, 0
        self.calls = self.library("calls.c", "-O2")

    def library(self, source, *flags):
        """Compiles a C file to a shared library."""
        self.count += 1
        path = self.folder / f"{self.count}.so"
        run.command(self.clang, "-shared", "-fPIC", *flags, BENCH / "c" / source, "-o", path)
        return str(path)

    def job(self, row, peer, threads):
        """The job description for a process of this peer."""
        job = {"row": row.name, "peer": peer, "calls": self.calls}
        sizes = row.sizes
        kind = peer.split()[0]
        if kind == "mdh":
            path = self.folder / f"{row.name}_{threads}_{len(peer)}.so"
            program = row.program(self.folder)
            start = time.perf_counter()
            options = ["--function", row.function, "--threads", threads, "--emit", "shared", "--output", path]
            options += ["--system", "openmp"] if peer == SIMPLE else []
            run.command(self.tools / "mdh", "compile", program, *options)
            seconds = time.perf_counter() - start
            job |= {"function": row.function, "library": str(path), "compile_seconds": seconds, "code_bytes": code_bytes(path)}
        elif kind == "C":
            flags = ["-O3", "-march=native", *(["-ffast-math"] if peer != "C" else []), *(["-fopenmp"] if threads > 1 else [])]
            source = "ccsdt" if row.example.startswith("ccsdt") else row.example
            job["library"] = self.library(f"{source}.c", *flags, *row.macros())
        elif kind in BLAS:
            case, job["routine"] = ONE_ROW if peer.endswith("gemv") else ROUTINES[row.example]
            if kind == "OpenBLAS" and row.example == "bmatmul":
                case, job["routine"] = ONE_BY_ONE
            job["library"] = self.library("blas.c", "-O2", f"-DCASE={case}", *row.macros())
        elif kind == "oneDNN":
            i, j, k = (sizes.get(d, 1) for d in "ijk")
            if row.example in ("matmul", "matvec"):
                shape = {"RANK": 2, "SOURCE": f"{i},{k}", "WEIGHTS": f"{k},{j}", "TARGET": f"{i},{j}"}
                shape |= {"SOURCE_TAG": "dnnl_ab", "WEIGHTS_TAG": "dnnl_ab"}
            elif row.example == "bmatmul":
                b = sizes["b"]
                shape = {"RANK": 3, "SOURCE": f"{b},{i},{k}", "WEIGHTS": f"{b},{k},{j}", "TARGET": f"{b},{i},{j}"}
                shape |= {"SOURCE_TAG": "dnnl_abc", "WEIGHTS_TAG": "dnnl_abc"}
            else:
                n, c, k = (1, 1, 1) if row.example == "conv2d" else (sizes[d] for d in "nck")
                height, width = row.inputs[0][2][:2] if row.example == "conv2d" else row.inputs[0][2][1:3]
                shape = {"RANK": 4, "STRIDE": row.stride, "SOURCE": f"{n},{c},{height},{width}"}
                shape |= {"WEIGHTS": f"{k},{c},{sizes['r']},{sizes['s']}", "TARGET": f"{n},{k},{sizes['p']},{sizes['q']}"}
                shape |= {"SOURCE_TAG": "dnnl_nhwc", "WEIGHTS_TAG": "dnnl_ohwi"}
            # With weights in the given layout, oneDNN convolves by its slow reference implementation only. For
            # convolutions, they are converted in each call.
            shape["PACKED"] = 1 if peer == "oneDNN packed" else 2 if "STRIDE" in shape else 0
            prefix = pathlib.Path(sys.prefix)
            flags = ["-O2", f"-I{prefix}/include", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-ldnnl"]
            job["library"] = self.library("onednn.c", *(f"-D{name}={value}" for name, value in shape.items()), *flags)
        return job


class Worker:
    """A process for one peer of a row."""

    def __init__(self, job, inputs, threads):
        self.job, self.peer = job, job["peer"]
        cpus = processors(threads)
        self.process = subprocess.Popen(
            [sys.executable, BENCH / "peers_worker.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if self.peer != "mdh" else None,
            text=True,
            env=environment(threads),
            preexec_fn=lambda: os.sched_setaffinity(0, cpus),
        )
        self.ask(json.dumps({**job, "inputs": [str(path) for path in inputs]}))

    def ask(self, line):
        """Sends a command and returns the answer. Raises RuntimeError if there is none."""
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        ready, _, _ = select.select([self.process.stdout], [], [], LIMIT)
        if not ready:
            raise RuntimeError(f"{SILENT} in {LIMIT} seconds")
        text = self.process.stdout.readline()
        if not text:
            status = self.process.wait()
            raise RuntimeError(f"ended with status {status}")
        answer = json.loads(text)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def close(self):
        """Kills the process."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()


def checked(row, answer, reference):
    """Interprets the check of a result: its difference from the definition and from a reference, and whether it is wrong."""
    difference = answer["difference"]
    if reference is not None and difference <= row.tolerance:
        difference = max(difference, rows.distance(reference, answer["fingerprint"]))
    return {"difference": difference} | ({} if difference <= row.tolerance else {"wrong": True})


def hopeless(more, threads):
    """The peers that would take too long on `threads` threads and were not the fastest on more threads, with the reason."""
    if not more:
        return {}
    count, peers = more
    timed = {name: entry["seconds"] for name, entry in peers.items() if "seconds" in entry and name != "mdh" and name not in APART}
    slow = {name: value for name, value in timed.items() if value * count / threads > TOO_LONG and value > min(timed.values())}
    reasons = {name: f"a call takes {value:.0f} s on {count} threads, which is not the fastest" for name, value in slow.items()}
    late = [name for name, entry in peers.items() if name != "mdh" and ("left_out" in entry or entry.get("error", "").startswith(SILENT))]
    return reasons | {name: f"on {count} threads it was left out, or too late" for name in late}


def measure(row, names, builder, inputs, threads, seconds, batches, more=None):
    """The times of our function and its peers at one number of threads, and a fingerprint of a correct result. `more`
    has the results on more threads."""
    found = {name: {} for name in names}
    if row.operations > MANY:
        for name, reason in hopeless(more, threads).items():
            found[name]["left_out"] = reason
    free = available()
    # Peers that allocate their results may have several of them live, and transposed operands.
    need = {name: row.held * (4 if name.split()[0] in ("XLA", "NumPy", "PyTorch") else 1.2) for name in names}
    in_turns = sum(need.values()) < 0.6 * free
    reference = None

    def start(name):
        nonlocal reference
        fast = found.get("C fast-math", {}).get("first", 0)
        if name == "C" and row.operations > MANY and fast > LONG:
            found[name]["left_out"] = f"a call with -ffast-math takes {fast:.0f} s"
        if "left_out" in found[name]:
            return None
        if need[name] > 0.7 * free:
            found[name]["error"] = f"would need {need[name] / 2**30:.1f} GiB of memory"
            return None
        worker = None
        try:
            job = builder.job(row, name, threads)
            found[name] |= {key: job[key] for key in ("compile_seconds", "code_bytes") if key in job}
            worker = Worker(job, inputs, threads)
            answer = worker.ask("check")
        except (RuntimeError, OSError, KeyError) as error:
            found[name]["error"] = str(error)[:300]
            if worker:
                worker.close()
            return None
        found[name] |= checked(row, answer, reference)
        wrong = "wrong" in found[name]
        if reference is None and not wrong and name != "mdh":
            reference = answer["fingerprint"]
        if "packing_seconds" in answer:
            found[name]["packing_seconds"] = answer["packing_seconds"]
        if wrong:
            worker.close()
            return None
        worker.first = found[name]["first"] = answer["seconds"]
        return worker

    def batch(worker):
        call = worker.call
        count = max(1, min(100000, round(seconds / batches / len(names) / call)))
        before = 1 if call < SLOW else 0
        time.sleep(0.02 if threads > 1 else 0)
        worker.call = worker.ask(f"run {count} {before}")["seconds"]
        worker.times.append(worker.call)

    def warm(worker):
        worker.times = []
        fastest = min(entry["first"] for entry in found.values() if "first" in entry)
        once = worker.first > ONCE or worker.first > max(SLOW, BEHIND * fastest)
        worker.call = worker.first if once else worker.ask(f"run 1 {int(worker.first < SLOW)}")["seconds"]
        worker.batches = 0 if once else batches if worker.call < SLOW else min(3, batches)

    def done(worker):
        times = worker.times or [worker.first]
        found[worker.peer] |= {"seconds": statistics.median(times), "least": min(times), "most": max(times), "batches": len(times)}

    # The plain loops come first: the other results are compared with theirs.
    plain = ["C fast-math", "C"] if row.operations > MANY and row.tolerance > 0 else ["C"]
    order = [*(name for name in plain if name in names), *(name for name in names if name not in (*plain, "mdh")), "mdh"]
    workers = []
    try:
        if in_turns:
            workers = [worker for worker in map(start, order) if worker]
            failed = set()
            for turn in range(-1, batches):
                # Rotate, so that a peer does not always run after the same other peer.
                shift = max(turn, 0) % max(1, len(workers))
                for worker in workers[shift:] + workers[:shift]:
                    try:
                        if turn < 0:
                            warm(worker)
                        elif turn < worker.batches and worker not in failed:
                            batch(worker)
                    except RuntimeError as error:
                        found[worker.peer]["error"] = str(error)
                        failed.add(worker)
            for worker in workers:
                if worker not in failed:
                    done(worker)
        else:
            for name in order:
                workers = [worker for worker in [start(name)] if worker]
                for worker in workers:
                    try:
                        warm(worker)
                        for _ in range(worker.batches):
                            batch(worker)
                        done(worker)
                    except RuntimeError as error:
                        found[name]["error"] = str(error)
                    worker.close()
                workers = []
    finally:
        for worker in workers:
            worker.close()
    return {"peers": found, "in_turns": in_turns}, reference


def bound(row, able):
    """The lower bound of the time of a row in seconds, and the limiting resource."""
    kinds = ["read"] if row.written < 0.1 * (row.read + row.written) else [kind for kind in able["bandwidth"] if kind != "read"]
    size = row.read + row.written
    rates = [rate for kind in kinds for at, rate in able["bandwidth"][kind] if at >= size]
    rate = max(rates or [able["bandwidth"][kind][-1][1] for kind in kinds])
    # An addition or a comparison alone takes as long as a fused multiply-add.
    operations = row.operations / (able["peak"] if row.fused else able["peak"] / 2)
    return (operations, "operations") if operations > size / rate else (size / rate, "memory")


def evaluate(row, measured, able):
    """Adds derived values to the measurements."""
    seconds, by = bound(row, able)
    timed = {name: entry["seconds"] for name, entry in measured["peers"].items() if "seconds" in entry}
    others = {name: value for name, value in timed.items() if name != "mdh" and name not in APART}
    measured |= {"bound_seconds": seconds, "bound_by": by}
    if others:
        best = min(others, key=others.get)
        measured |= {"best": best, "best_seconds": others[best]}
    if "mdh" in timed:
        measured |= {"seconds": timed["mdh"], "gflops": row.operations / timed["mdh"] / 1e9, "fraction": seconds / timed["mdh"]}
        if others:
            measured["ratio"] = others[best] / timed["mdh"]
    return measured


def ranked(row, builder, inputs, threads, count, reference):
    """The expected times of `count` schedules by the cost model, and their measured times."""

    def check(answer):
        found = checked(row, answer, reference)
        return found if "wrong" in found else found | {"first": answer["seconds"]}

    # A process begins with the default schedule. It then loads one library after the other.
    start = lambda: Worker(builder.job(row, "mdh", threads), inputs, threads)
    try:
        return peers_candidates.measure(row, builder, start, check, threads, count)
    except (RuntimeError, OSError, ValueError) as error:
        return {"candidates": [{"error": str(error)[:300]}], "rank_correlation": None}


def main():
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
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
    parser.add_argument("--tools", type=pathlib.Path, default=TARGET / "release", help="the folder of mdh")
    parser.add_argument("--clang", default=clang(), help="the compiler of the plain loops")
    parser.add_argument("--output", type=pathlib.Path, help="the folder of the results (default for all rows: bench/results)")
    arguments = parser.parse_args()
    enter(arguments.venv, f"no peers in {arguments.venv}: scripts/peers.sh installs them")

    global rows
    import peers_rows as rows

    table = rows.rows()
    unknown = [name for name in arguments.rows if name not in table and name not in {row.example for row in table.values()}]
    if unknown:
        parser.error(f"no row {', '.join(unknown)}: there are {', '.join(table)}")
    there = installed()
    wanted = arguments.peers.split(",") if arguments.peers else there
    missing = [name for name in wanted if name not in there]
    if missing:
        parser.error(f"not installed: {', '.join(missing)}; there are {', '.join(there)}")
    chosen = {
        name: row
        for name, row in table.items()
        if name in arguments.rows or (row.example in arguments.rows or not arguments.rows) and (arguments.long or name not in rows.LONG)
    }
    if arguments.list:
        for name, row in chosen.items():
            print(f"{name}: {', '.join(peer for peer in peers_of(row) if peer in wanted)}")
        return
    cores = len(os.sched_getaffinity(0))
    counts = [int(count) for count in arguments.threads.split(",")] if arguments.threads else sorted({1, cores})
    if not all(1 <= count <= cores for count in counts):
        parser.error(f"--threads: there are {cores} processors")
    candidates = arguments.candidates if arguments.candidates is not None else 0 if arguments.quick else 8
    if not 0 <= candidates <= 10000:
        parser.error("--candidates: from 0 to 10000")
    batches, seconds = (3, arguments.time / 3) if arguments.quick else (BATCHES, arguments.time)
    record = {
        "date": datetime.datetime.now().isoformat(timespec="seconds"),
        "machine": {"processor": run.processor(), "cores": os.cpu_count()},
        "installed": [name for name in there if name in wanted],
        "versions": versions(arguments.clang),
        "seconds": seconds,
        "able": {},
        "rows": {str(count): {} for count in counts},
    }
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run.command(
            arguments.clang, "-O3", "-march=native", "-ffp-contract=fast", "-fopenmp", BENCH / "c" / "machine.c", "-o", folder / "machine"
        )
        for count in counts:
            able = record["able"][str(count)] = machine(folder / "machine", count)
            read = dict(able["bandwidth"]["read"])
            print(
                f"{count} thread{'s' if count > 1 else ''}: {able['peak'] / 1e9:.0f} GFLOP/s; {read[1 << 26] / 1e9:.1f} GB/s of 64 MiB, "
                f"{read[1 << 30] / 1e9:.1f} GB/s of 1 GiB",
                flush=True,
            )
        builder = Builder(arguments.tools, arguments.clang, folder)
        for name, row in chosen.items():
            inputs = []
            for number, array in enumerate(row.arrays()):
                inputs.append(folder / f"input{number}")
                array.tofile(inputs[-1])
            # Larger numbers of threads first: they show which peers are too slow for fewer threads.
            more = None
            for count in sorted(counts, reverse=True):
                names = ["mdh", *(peer for peer in peers_of(row) if peer in wanted)]
                start, used = time.monotonic(), busy()
                measured, reference = measure(row, names, builder, inputs, count, seconds, batches, more)
                measured["others"] = max(0.0, busy() - used) / (time.monotonic() - start)
                result = record["rows"][str(count)][name] = evaluate(row, measured, record["able"][str(count)])
                if count == max(counts) and candidates and result.get("seconds", math.inf) < peers_candidates.SHORT:
                    result |= ranked(row, builder, inputs, count, candidates, reference)
                more = (count, result["peers"])
                own = "WRONG OR FAILED"
                if "seconds" in result:
                    own = f"{milliseconds(result['seconds'])} ms, {result['fraction']:.2f} of the bound"
                best = f"; {result['best']} {milliseconds(result['best_seconds'])} ms" if "best" in result else ""
                print(f"{name}, {count}: {own}{best}{', ratio %.2f' % result['ratio'] if 'ratio' in result else ''}", flush=True)
            for path in inputs:
                path.unlink()
        for count in counts if not arguments.quick else []:
            record["able"][str(count)] = better(record["able"][str(count)], machine(folder / "machine", count))
            for name, result in record["rows"][str(count)].items():
                evaluate(chosen[name], result, record["able"][str(count)])
    complete = not (arguments.rows or arguments.peers or arguments.threads)
    output = arguments.output or (ROOT / "bench" / "results" if complete else None)
    if output:
        output.mkdir(parents=True, exist_ok=True)
        (output / "peers.json").write_text(json.dumps(record, indent=1) + "\n")
        (output / "peers.md").write_text(page(record, "peers.svg"))
        (output / "peers.svg").write_text(chart(record))
    print(page(record, None), end="")
    failed = [f"{name} on {count}" for count, results in record["rows"].items() for name, row in results.items() if "seconds" not in row]
    failed += [
        f"candidate {number + 1} of {name}"
        for results in record["rows"].values()
        for name, row in results.items()
        for number, candidate in enumerate(row.get("candidates", []))
        if "seconds" not in candidate
    ]
    sys.exit(f"not computed correctly: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
