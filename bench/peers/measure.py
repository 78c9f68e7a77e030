"""Measures the peers of a row, each in a process of its own, and derives what the record has of a row."""

import contextlib
import json
import os
import select
import statistics
import subprocess
import time

from bench.harness import module
from bench.peers import candidates, rows
from bench.peers.machine import available, environment, processors
from bench.peers.page import APART

BATCHES = 7
# In seconds: calls longer than SLOW are timed in three batches, and calls longer than ONCE only once, when they are
# checked. Calls longer than SLOW that take BEHIND times as long as the fastest are timed once, too, because more
# precision would not be informative. LIMIT is the time limit of an answer.
SLOW, ONCE, BEHIND, LIMIT = 1, 5, 4, 300
# Rows of more operations than MANY may leave out peers: plain C if C with -ffast-math takes more than LONG seconds, and
# peers that would take more than TOO_LONG seconds on fewer threads.
MANY, LONG, TOO_LONG = 2e10, 20, 60
SILENT = "no answer"


class Worker:
    """A process for one peer of a row."""

    def __init__(self, job, inputs, threads):
        self.job, self.peer = job, job["peer"]
        cpus = processors(threads)
        self.process = subprocess.Popen(
            module("peers.worker"),
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
        return candidates.measure(row, builder, start, check, threads, count)
    except (RuntimeError, OSError, ValueError) as error:
        return {"candidates": [{"error": str(error)[:300]}], "rank_correlation": None}
