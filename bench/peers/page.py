"""Formats a record of the peers: tables and bar charts."""

import math
import statistics

from bench.harness import described, mean, milliseconds, table, versions

# Our default schedules for the system @openmp: one loop per dimension, no tiles, no explicit vectors.
SIMPLE = "mdh simple"
# PyTorch functions compiled by its compiler, which takes seconds.
INDUCTOR = "PyTorch compiled"
# Peers that are excluded from the comparison. Weights that were converted beforehand are a different task.
APART = ["oneDNN packed", SIMPLE, INDUCTOR]
# Rows below this ratio are listed.
BEHIND = 0.9


def summary(record):
    """A table of the ratios and the machine by number of threads."""
    titles = ["threads", "rows", "best peer / mdh", "rows at least as fast", "fraction of the bound", "FMA peak", "read, 64 MiB", "1 GiB"]
    rows = []
    for threads, able in record["able"].items():
        results = [row for row in record["rows"][threads].values() if "ratio" in row]
        faster = f"{sum(row['ratio'] >= 1 for row in results)} of {len(results)}"
        ratio, fraction = (f"{mean(row[kind] for row in results):.2f}" for kind in ("ratio", "fraction"))
        read = dict(able["bandwidth"]["read"])
        bandwidths = [f"{read[size] / 1e9:.1f} GB/s" for size in (1 << 26, 1 << 30)]
        rows.append([threads, len(results), ratio, faster, fraction, f"{able['peak'] / 1e9:.0f} GFLOP/s", *bandwidths])
    return table(titles, rows)


def cells(name, row):
    """The cells of the table for a row of the record."""
    peers = row["peers"]
    shown = ("mdh", row.get("best"), *APART)
    others = sorted((entry["seconds"], peer) for peer, entry in peers.items() if "seconds" in entry and peer not in shown)
    rest = ", ".join(f"{peer} {milliseconds(seconds)}" for seconds, peer in others)
    best = f"{row['best']} {milliseconds(row['best_seconds'])}" if "best" in row else ""
    limit = [f"{milliseconds(row['bound_seconds'])}, {row['bound_by']}", f"{row['others']:.2f}"]
    if "seconds" not in row:
        return [name, "WRONG" if peers["mdh"].get("wrong") else "failed", best, "", "", "", *limit, rest]
    ratio = f"{row['ratio']:.2f}" if "ratio" in row else ""
    return [name, milliseconds(row["seconds"]), best, ratio, f"{row['gflops']:.1f}", f"{row['fraction']:.2f}", *limit, rest]


def page(record, picture):
    """The record as Markdown."""
    lines = [
        f"# Benchmark against peers, {record['date']}",
        "",
        f"{described(record['machine'])}. Default schedules.",
        f"Peers: {', '.join(record['installed'])}.",
        f"Versions: {versions(record)}.",
        "",
        *summary(record),
        "",
    ]
    for threads, results in record["rows"].items():
        behind = sorted((row["ratio"], name, row["best"]) for name, row in results.items() if row.get("ratio", 1) < BEHIND)
        named = ", ".join(f"{name} {ratio:.2f} ({best})" for ratio, name, best in behind) or "none"
        lines.append(f"Below {BEHIND} on {threads} thread{'s' if threads != '1' else ''}: {named}.")
    lines += ["", *([f"![the ratios and fractions]({picture})", ""] if picture else [])]
    lines += [
        "Ratios and fractions above are geometric means. A ratio of 2 means twice as fast as the fastest of the peers. The bound is the",
        "larger of the times that operations and bytes take at the measured rates. Times are medians, in milliseconds. Load is how many",
        "processors others used meanwhile: rows where it is not small are to be measured again. Calls of more than 5 seconds, or of more than a",
        "second and 4 times as long as the fastest, were called once. What was left out is named below the tables.",
    ]
    for threads, results in record["rows"].items():
        lines += ["", f"## {threads} thread{'s' if threads != '1' else ''}", ""]
        titles = ["computation", "mdh", "best peer", "best / mdh", "GFLOP/s", "of the bound", "bound", "load", "the others"]
        lines += table(titles, (cells(name, row) for name, row in results.items()))
        packed = [(name, row["peers"][APART[0]]) for name, row in results.items() if "seconds" in row["peers"].get(APART[0], {})]
        if packed:
            lines += ["", "oneDNN with weights that it converted beforehand, which is not counted above:", ""]
            own = lambda name: milliseconds(results[name]["seconds"]) if "seconds" in results[name] else ""
            both = lambda entry: [milliseconds(entry["seconds"]), milliseconds(entry.get("packing_seconds", 0))]
            lines += table(["computation", "mdh", "oneDNN", "conversion"], ([name, own(name), *both(entry)] for name, entry in packed))
        simple = [(name, row["seconds"], row["peers"][SIMPLE]["seconds"]) for name, row in results.items() if "seconds" in row and "seconds" in row["peers"].get(SIMPLE, {})]
        if simple:
            lines += ["", "Simple schedules, one loop a dimension (`--system openmp`):", ""]
            rows = ([name, milliseconds(own), milliseconds(other), f"{other / own:.1f}"] for name, own, other in simple)
            lines += table(["computation", "mdh", "simple", "simple / mdh"], rows)
        lines += [*compiled(results), *ranking(results)]
        notes = [
            f"- {name}, {peer}: {problem(entry)}"
            for name, row in results.items()
            for peer, entry in [*row["peers"].items(), *((f"candidate {n + 1}", entry) for n, entry in enumerate(row.get("candidates", [])))]
            if problem(entry)
        ]
        apart = [name for name, row in results.items() if not row["in_turns"]]
        notes += [f"- {name}: one after another, not in turns, as memory does not hold all" for name in apart]
        lines += ["", *notes] if notes else []
    return "\n".join(lines) + "\n"


def compiled(results):
    """A table of our compile times and code sizes, and of the times of PyTorch's compiler for the same rows."""
    rows = {name: row["peers"]["mdh"] for name, row in results.items() if "code_bytes" in row["peers"].get("mdh", {})}
    if not rows:
        return []
    lines = ["", "Compiled: the seconds that `mdh compile --emit shared` takes, the machine code, and functions that `torch.compile` made:", ""]
    time = lambda found: milliseconds(found["seconds"]) if "seconds" in found else ""
    times = lambda name, entry: [time(entry), time(results[name]["peers"].get(INDUCTOR, {}))]
    sizes = lambda entry: [f"{entry['compile_seconds']:.2f}", f"{entry['code_bytes'] / 1024:.1f}"]
    titles = ["computation", "seconds", "KiB of code", "mdh", "PyTorch compiled"]
    return lines + table(titles, ([name, *sizes(entry), *times(name, entry)] for name, entry in rows.items()))


def problem(entry):
    """The reason for a missing time, if any."""
    if "left_out" in entry:
        return f"left out: {entry['left_out']}"
    return "wrong result, not timed" if entry.get("wrong") else entry["error"].splitlines()[0] if "error" in entry else None


def ranking(results):
    """A table of the rank correlation of the cost model for each row."""
    rows = {name: row for name, row in results.items() if row.get("rank_correlation") is not None}
    if not rows:
        return []
    lines = ["", "## The cost model", ""]
    lines += ["The default schedule, then others from good to bad ones in the order of what the cost model expects. The correlation is"]
    lines += ["Spearman's, of the ranks of expected and measured times: 1 is the same order.", ""]
    titles = ["computation", "correlation", "default: expected / measured", "expected, the best first", "measured", "default / fastest"]
    quotients, slower, cells = [], [], []
    for name, row in rows.items():
        found = [entry for entry in row["candidates"] if "seconds" in entry]
        quotients.append(row["candidates"][0]["expected_seconds"] / row["seconds"])
        slower.append(found[0]["seconds"] / min(entry["seconds"] for entry in found))
        times = (" ".join(milliseconds(entry[kind]) for entry in found) for kind in ("expected_seconds", "seconds"))
        cells.append([name, f"{row['rank_correlation']:.2f}", f"{quotients[-1]:.2f}", *times, f"{slower[-1]:.2f}"])
    correlation, quotient, slow = (f"{statistics.median(of):.2f}" for of in ([row["rank_correlation"] for row in rows.values()], quotients, slower))
    return [*lines, *table(titles, [*cells, [f"median of {len(rows)}", correlation, quotient, "", "", slow]])]


def chart(record):
    """A bar chart of the ratios and fractions."""
    names = list(dict.fromkeys(name for results in record["rows"].values() for name in results))
    label, width, gap, line, top = 230, 260, 90, 18, 60
    panels = [(threads, kind) for threads in record["rows"] for kind in ("ratio", "fraction")]
    right = label + len(panels) * (width + gap)
    height = top + line * len(names) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right} {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{right}" height="{height}" fill="white"/>',
    ]
    for number, name in enumerate(names):
        parts.append(f'<text x="{label - 8}" y="{top + number * line + 12}" text-anchor="end">{name}</text>')
    bottom = top + line * len(names)
    for place, (threads, kind) in enumerate(panels):
        left = label + place * (width + gap)
        title = "best peer / mdh (log)" if kind == "ratio" else "fraction of the bound"
        parts.append(f'<text x="{left}" y="20" font-weight="bold">{title}, {threads} thread{"s" if threads != "1" else ""}</text>')
        # Ratios from 1/16 to 16, fractions from 0 to 1.
        scale = (lambda v: min(1, max(0, (math.log2(v) + 4) / 8))) if kind == "ratio" else (lambda v: min(1, v))
        for mark in [1 / 16, 1 / 4, 1, 4, 16] if kind == "ratio" else [0, 0.25, 0.5, 0.75, 1]:
            x = left + width * scale(mark)
            parts.append(f'<line x1="{x:.1f}" y1="{top - 8}" x2="{x:.1f}" y2="{bottom}" stroke="{"#888" if mark == 1 else "#ddd"}"/>')
            text = f"1/{round(1 / mark)}" if 0 < mark < 1 and kind == "ratio" else f"{mark:g}"
            parts.append(f'<text x="{x:.1f}" y="{top - 14}" text-anchor="middle" fill="#555">{text}</text>')
        start = left + width * scale(1) if kind == "ratio" else left
        for number, name in enumerate(names):
            value = record["rows"][threads].get(name, {}).get(kind)
            if value is None:
                continue
            x, y = left + width * scale(value), top + number * line
            color = "#5b8fd0" if kind == "fraction" else "#4a9d5b" if value >= 1 else "#d98236"
            parts.append(f'<rect x="{min(x, start):.1f}" y="{y + 2}" width="{abs(x - start):.1f}" height="{line - 5}" fill="{color}"/>')
            parts.append(f'<text x="{left + width + 6}" y="{y + 12}">{value:.2f}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
