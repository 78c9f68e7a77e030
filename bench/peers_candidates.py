"""How well the cost model ranks: the default schedule and others from good to bad ones, what it expects of them and what they take."""

import json
import statistics

import run
from run import ROOT

# Rows whose call takes longer are left out, and candidates whose first call takes longer are counted by it.
SHORT, ONCE = 0.3, 1
BATCHES, BATCH = 3, 0.1


def ranks(values):
    """The place of each value among them; equal ones share the mean of theirs."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]


def correlation(left, right):
    """Spearman's rank correlation; none for less than three pairs or values that are all equal."""
    if len(left) < 3 or len(set(left)) < 2 or len(set(right)) < 2:
        return None
    return statistics.correlation(ranks(left), ranks(right))


def compiled(row, builder, threads, count):
    """The candidates of a row: what is expected of each, and the library, or why there is none."""
    program, folder = ROOT / "examples" / f"{row.example}.mlir", builder.folder / f"{row.name}_candidates"
    same = (program, "--function", row.function, "--threads", threads)
    listed = run.command(builder.tools / "mdh", "explain", *same, "--candidates", count, "--output", folder, "--json")
    for number, candidate in enumerate(json.loads(listed)):
        library = folder / f"{number}.so"
        found = {"expected_seconds": candidate["expected_seconds"]}
        try:
            run.command(builder.tools / "mdh", "compile", *same, "--schedule", candidate["file"], "--emit", "shared", "--output", library)
        except RuntimeError as error:
            found["error"] = str(error)[:300]
        yield found, library


def timed(worker, library, check):
    """The seconds of a call of a library, after its result has been checked."""
    worker.ask(f"library {library}")
    found = check(worker.ask("check"))
    if "wrong" in found:
        return found
    seconds = found.pop("first")
    if seconds < ONCE:
        call = worker.ask("run 1 1")["seconds"]
        count = max(1, round(BATCH / max(call, 1e-7)))
        seconds = statistics.median(worker.ask(f"run {count} 1")["seconds"] for _ in range(BATCHES))
    return found | {"seconds": seconds}


def measure(row, builder, start, check, threads, count):
    """Expected and measured seconds of the candidates of a row, the default first, and the correlation of their ranks.
    `start` begins a process for our function, `check` says what a result's check means."""
    entries, worker = [], None
    try:
        for found, library in compiled(row, builder, threads, count):
            entries.append(found)
            if "error" in found:
                continue
            try:
                worker = worker or start()
                found |= timed(worker, library, check)
            except (RuntimeError, OSError) as error:
                # Its process may have ended, or wait for something.
                found["error"] = str(error)[:300]
                if worker:
                    worker.close()
                worker = None
            library.unlink(missing_ok=True)
    finally:
        if worker:
            worker.close()
    pairs = [(found["expected_seconds"], found["seconds"]) for found in entries if "seconds" in found]
    return {"candidates": entries, "rank_correlation": correlation(*map(list, zip(*pairs))) if pairs else None}
