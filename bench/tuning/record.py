"""The record of what tuning gains, and its page."""

import json

from bench.harness import RESULTS, described, mean, measures, table, write_record

ROWS = {
    "matmul 1024": ("matmul", "matmul_1024"),
    "matmul 16x1000x2048": ("matmul", "matmul_resnet50_batch16"),
    "matmul transposed 10x500x64": ("matmul_transposed", "matmul_transposed_10x500x64"),
    "bmatmul 16x10x500x64": ("bmatmul", "bmatmul_16x10x500x64"),
    "mcc 512": ("mcc", "mcc_512"),
    "mcc strided, ResNet-50": ("mcc_strided", "mcc_strided_resnet50"),
    "ccsd(t) gdab-efgc": ("ccsdt_gdab_efgc", "ccsdt_gdab_efgc_real"),
    "ccsd(t) gfab-degc": ("ccsdt_gfab_degc", "ccsdt_gfab_degc_real"),
    "conv2d 4096": ("conv2d", "conv2d_4096"),
    "jacobi3d 256": ("jacobi3d", "jacobi3d_256"),
    "prl 1024": ("prl", "prl"),
    "scan 2^24": ("scan", "scan_16777216"),
}
# The measures: the mean gain, what is within the best known, what a minute is worth, and what the default is.
GAIN, NEAR, MINUTE, DEFAULT = 1.10, 1.03, 0.95, 0.85
# Sizes for the transfer to new ones: numbers of rows of a MatMul.
KNOWN_SIZES = (16, 32, 64, 96, 128, 256, 384, 512)
NEW_SIZE_EVALUATIONS, NEW_SIZE_MEASURE = 20, 0.95


def missed(found):
    """The measures that are missed, each as a sentence."""
    problems = [f"{name} is slower than the default" for name, row in found.items() if row["ratio"] > 1]
    gain = mean([1 / row["ratio"] for row in found.values()])
    near = all(row["ratio"] <= NEAR * row["best_known"] for row in found.values())
    if gain < GAIN and not near:
        problems.append(f"the mean gain is {gain:.2f}")
    for name, row in found.items():
        if row["ratio"] / row["after_minute"] < MINUTE:
            problems.append(f"{name} after 60 s has {row['ratio'] / row['after_minute']:.2f} of the final speed")
        if row["ratio"] < DEFAULT:
            problems.append(f"the default of {name} has {row['ratio']:.2f} of the best speed")
    return problems


def cells(name, row):
    """The cells of the table for a row of the record."""
    default, best = row["default"] * 1e3, row["default"] * row["ratio"] * 1e3
    alone = "*" if row.get("minute_alone") else ""
    ratios = [f"{1 / row['ratio']:.2f}", f"{1 / row['after_minute']:.2f}{alone}"]
    return [name, f"{default:.4g}", f"{best:.4g}", *ratios, row["evaluations"], row["failed"]]


def page(record):
    """The record as Markdown."""
    found = record["rows"]
    lines = [
        f"# Tuning: the best schedule beside the default one, {record['date']}",
        "",
        f"{described(record['machine'])}.",
        f"Budget of a row: {', '.join(sorted({row['budget'] for row in found.values()}))}.",
        "",
        f"Measures: never slower than the default; a mean gain of {GAIN:.2f}, or within {NEAR - 1:.0%} of the best known; after 60 s",
        f"{MINUTE:.0%} of that speed (with *: of a session of its own of 60 s); the default alone {DEFAULT:.0%}.",
        measures(record["missed"]),
        "",
    ]
    titles = ["row", "default, in ms", "best, in ms", "times as fast", "after 60 s", "evaluations", "without a time"]
    lines += table(titles, (cells(name, row) for name, row in found.items()))
    gain = mean([1 / row["ratio"] for row in found.values()])
    lines += ["", f"Geometric mean: {gain:.3f} times as fast as the default.", *left_out(found)]
    return "\n".join([*lines, *new_sizes(record), *beside_tvm(record), ""])


def beside_tvm(record):
    """The comparison with TVM as Markdown: tvm.py measures it."""
    found = record.get("tvm")
    if not found:
        return []
    lines = [
        "",
        "## TVM's MetaSchedule",
        "",
        f"{record['tvm_measured']['date']}: {described(record['tvm_measured']['machine'])}.",
        "Each system tunes a row for the same time; then both results are called in turns (`python3 -m bench.tuning.tvm`).",
        "A ratio above 1 means that the schedule of `mdh tune` is faster.",
        "",
    ]
    times = lambda row: [f"{seconds * 1e3:.4g}" for seconds in (row["seconds"], row["tvm_seconds"])]
    cells = lambda row: [row["budget"], *times(row), row["tvm_candidates"], f"{row['tvm_seconds'] / row['seconds']:.2f}"]
    lines += table(
        ["row", "seconds of tuning", "MDH, in ms", "TVM, in ms", "candidates of TVM", "ratio"], ([name, *cells(row)] for name, row in found.items())
    )
    return [*lines, "", f"Geometric mean: {mean([row['tvm_seconds'] / row['seconds'] for row in found.values()]):.2f}."]


def new_sizes(record):
    """The new sizes of a record as Markdown."""
    known = record.get("sizes")
    if not known:
        return []
    return [
        "",
        "## New sizes",
        "",
        f"A MatMul with {', '.join(map(str, KNOWN_SIZES))} rows is tuned for {known['budget']} each, then one with another number of rows with",
        f"{NEW_SIZE_EVALUATIONS} measurements, which begin with the schedules of the nearest sizes.",
        "The best of them is compared with the best schedule of its own session with the same budget; the measure is",
        f"{NEW_SIZE_MEASURE:.0%} of its speed.",
        "",
        *table(["rows", "part of its own optimum"], ([m, f"{part:.3f}"] for m, part in known["parts"].items())),
    ]


def left_out(found):
    """The rows that were not measured, as a sentence."""
    names = [name for name in ROWS if name not in found]
    return ["", f"Not measured: {', '.join(names)}."] if names else []


def write(part):
    """Writes a part of the record; other parts and rows stay as they are."""
    path = RESULTS / "tuning.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    found = {**known.get("rows", {}), **part.get("rows", {})}
    record = {**known, **part, "rows": {name: found[name] for name in ROWS if name in found}}
    record["missed"] = missed(record["rows"]) if record["rows"] else []
    write_record(RESULTS, "tuning", record, page(record))
