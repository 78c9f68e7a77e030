"""Validates the cost model's ranking: expected and measured times of the default schedule and of others from good to bad."""

import json
import statistics

from bench.harness import EXAMPLES, command

# In seconds: rows with longer calls than SHORT are left out; a candidate whose first call is longer than ONCE is timed
# by it.
SHORT, ONCE = 0.3, 1
BATCHES, BATCH = 3, 0.1


def ranks(values):
    """The rank of each value; ties get their mean rank."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]


def correlation(left, right):
    """Spearman's rank correlation; `None` for less than three pairs or constant values."""
    if len(left) < 3 or len(set(left)) < 2 or len(set(right)) < 2:
        return None
    return statistics.correlation(ranks(left), ranks(right))


def compiled(row, builder, threads, count):
    """Compiles the candidates of a row. Yields the expected time and the library of each, or the error."""
    program, folder = EXAMPLES / f"{row.example}.mlir", builder.folder / f"{row.name}_candidates"
    same = (program, "--function", row.function, "--threads", threads)
    listed = command(builder.tools / "mdh", "explain", *same, "--candidates", count, "--output", folder, "--json")
    for number, candidate in enumerate(json.loads(listed)):
        library = folder / f"{number}.so"
        found = {"expected_seconds": candidate["expected_seconds"]}
        try:
            command(builder.tools / "mdh", "compile", *same, "--schedule", candidate["file"], "--emit", "shared", "--output", library)
        except RuntimeError as error:
            found["error"] = str(error)[:300]
        yield found, library


def timed(worker, library, check):
    """The time of a call of a library in seconds, after its result has been checked."""
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
    `start` starts a process for our function; `check` interprets the check of a result."""
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
                # The process may have exited, or may hang.
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
