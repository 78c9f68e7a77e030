"""Formats a record of a GPU as Markdown."""

from bench.harness import mean, milliseconds, table, versions

# Memory-bound rows.
BOUND_BY_MEMORY = ("dot", "matvec", "jacobi3d", "scan", "transpose")


def derive(found, row):
    """Adds derived values to the times of a row."""
    for name in ("best", "best_seconds", "ratio"):
        found.pop(name, None)
    timed = {name: entry["seconds"] for name, entry in found["peers"].items() if "seconds" in entry}
    if timed:
        found["best"] = min(timed, key=timed.get)
        found["best_seconds"] = timed[found["best"]]
    if "seconds" in found:
        found["gflops"] = row.operations / found["seconds"] / 1e9
        found["bandwidth"] = (row.read + row.written) / found["seconds"]
        if timed:
            found["ratio"] = found["best_seconds"] / found["seconds"]


def cells(name, row, copy):
    """The cells of the table for a row of the record. `copy`: the bandwidth of a copy, if it was measured."""
    peers = row["peers"]
    rest = [f"{peer} {milliseconds(entry['seconds'])}" for peer, entry in peers.items() if "seconds" in entry and peer != row.get("best")]
    rest += [f"{peer} failed" for peer, entry in peers.items() if "error" in entry]
    best = f"{row['best']} {milliseconds(row['best_seconds'])}" if "best" in row else ""
    if "seconds" not in row:
        own = "WRONG" if row.get("error", "").startswith("wrong") else "failed" if "error" in row else ""
        return [name, own, best, "", "", "", "", ", ".join(rest)]
    ratio = f"{row['ratio']:.2f}" if "ratio" in row else ""
    # The bandwidth is a measure of the kernel's quality only in memory-bound rows.
    share = f"{row['bandwidth'] / copy:.2f}" if copy and name.startswith(BOUND_BY_MEMORY) else ""
    return [name, milliseconds(row["seconds"]), best, ratio, f"{row['gflops']:.1f}", f"{row['bandwidth'] / 1e9:.1f}", share, ", ".join(rest)]


def page(record):
    """The record as Markdown."""
    results = record["rows"]
    ratios = [row["ratio"] for row in results.values() if "ratio" in row]
    copy = record["copy_bandwidth"]
    lines = [
        f"# Benchmark on a GPU, {record['date']}" if record["engine"] == "cuda" else f"# Benchmark with OpenCL, {record['date']}",
        "",
        f"{record['device']}, fp32 without tensor cores, default schedules, times of kernels.",
        f"Versions: {versions(record)}.",
    ]
    if copy:
        lines.append(f"A copy of {record['copy_bytes'] / 2**20:g} MiB on the device: {copy / 1e9:.0f} GB/s, read and written.")
    if ratios:
        faster = sum(ratio >= 1 for ratio in ratios)
        lines.append(f"Best peer / mdh: {mean(ratios):.2f} (geometric mean); at least as fast in {faster} of {len(ratios)} rows.")
    lines += ["", "A ratio of 2 means twice as fast as the fastest of the peers. Times are medians, in milliseconds.", ""]
    titles = ["computation", "mdh", "best peer", "best / mdh", "GFLOP/s", "GB/s", "of a copy", "the others"]
    lines += table(titles, (cells(name, row, copy) for name, row in results.items()))
    failed = [f"- {name}: {row['error']}" for name, row in results.items() if "error" in row]
    failed += [
        f"- {peer} on {name}: {entry['error']}" for name, row in results.items() for peer, entry in row["peers"].items() if "error" in entry
    ]
    return "\n".join(lines + (["", "What failed:", "", *failed] if failed else [])) + "\n"
