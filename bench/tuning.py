#!/usr/bin/env python3
"""Measures what tuning gains: the best schedule beside the default one, on named rows of the record.

    bench/tuning.py                            all rows, 10 minutes each: tuning.json and tuning.md in bench/results
    bench/tuning.py --budget 60s matmul scan   only some rows; printed, and with --record recorded beside the others
    bench/tuning.py --minute --record matmul   what a session of one minute reaches, for rows that are recorded
    bench/tuning.py sizes --budget 60s         new sizes from a database with eight others
    bench/tuning.py kills --count 200          kills tuners at random moments, and checks what they recorded

Needs `cargo build --release`, and NumPy for inputs of dynamic sizes. All times are those of `mdh tune`, which measures
candidates in turns with the best schedule, and compares the best with the default in the end. The exit code is 1 if a
measure is missed.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import platform
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import run
from run import ROOT

TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
MDH = TARGET / "release" / "mdh"
EXAMPLES = ROOT / "examples"
RESULTS = ROOT / "bench" / "results"
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


def tune(program, function, database, budget, inputs=(), **options):
    """The result of `mdh tune` as a dictionary."""
    command = [MDH, "tune", program, "--function", function, "--database", database, "--budget", budget, "--json"]
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    for path in inputs:
        command += ["--input", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{function}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def rows(database):
    """All rows of a database."""
    command = [MDH, "database", "export", "--format", "json", "--database", database]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["measurements"]


def moment(row):
    """When a row was recorded, in seconds."""
    return datetime.datetime.fromisoformat(row["created"].replace("Z", "+00:00")).timestamp()


def measured(row):
    """The ratio of a row to the default; None if it has no time."""
    return row.get("ratio") if row["outcome"] == "measured" else None


def prl_inputs(folder):
    """Records for the probabilistic record linkage, which needs two identifiers and two tables."""
    import numpy

    generator = numpy.random.default_rng(1)
    paths = []
    for name, shape, dtype in (("N_id", (1024,), "int64"), ("N", (1024, 14), "int32"), ("E_id", (1024,), "int64"), ("E", (1024, 14), "int32")):
        values = numpy.arange(shape[0], dtype=dtype) if len(shape) == 1 else generator.integers(0, 16, shape, dtype)
        paths.append(folder / f"{name}.npy")
        numpy.save(paths[-1], values)
    return paths


def tune_row(name, database, budget, **options):
    """The result of `mdh tune` for a row."""
    file, function = ROWS[name]
    inputs = prl_inputs(database.parent) if name.startswith("prl") else ()
    return tune(EXAMPLES / f"{file}.mlir", function, database, budget, inputs, **options)


def one_row(name, budget, folder, strategy):
    """The record of a row."""
    database = folder / f"{ROWS[name][1]}.db"
    result = tune_row(name, database, budget, **({"strategy": strategy} if strategy else {}))
    recorded = sorted(rows(database), key=moment)
    first = moment(recorded[0])
    ratios = [(moment(row) - first, ratio) for row in recorded if (ratio := measured(row)) is not None]
    best = min(ratio for _, ratio in ratios)
    minute = min((ratio for at, ratio in ratios if at <= 60), default=1.0)
    return {
        "default": result["default_seconds"],
        "ratio": result["ratio"],
        "best_known": min(best, result["ratio"]),
        "after_minute": max(minute, result["ratio"]),
        "evaluations": result["evaluations"],
        "failed": result["failed"],
        "elapsed": result["elapsed_seconds"],
        "strategy": result["strategy"],
        "budget": budget,
    }


def minute_of(name, row, folder):
    """A recorded row with what a session of its own reaches in one minute."""
    result = tune_row(name, folder / f"{ROWS[name][1]}-minute.db", "60s")
    return {**row, "after_minute": max(result["ratio"], row["ratio"]), "minute_alone": True}


def machine():
    """This machine."""
    flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    vectors = next((name for name in ("avx512f", "avx2") if name in flags), None)
    return {"processor": run.processor(), "vectors": vectors, "cores": os.cpu_count(), "system": platform.platform()}


def described(machine_of_record):
    """A machine as a sentence."""
    vectors = machine_of_record.get("vectors")
    name = machine_of_record["processor"] + (f" with {vectors}" if vectors else "")
    return f"{name}, {machine_of_record['cores']} cores; {machine_of_record['system']}."


def mean(values):
    """The geometric mean."""
    return math.exp(statistics.fmean(math.log(value) for value in values))


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


def page(record):
    """The record as Markdown."""
    found = record["rows"]
    lines = [
        f"# Tuning: the best schedule beside the default one, {record['date']}",
        "",
        described(record["machine"]),
        f"Budget of a row: {', '.join(sorted({row['budget'] for row in found.values()}))}.",
        "",
        f"Measures: never slower than the default; a mean gain of {GAIN:.2f}, or within {NEAR - 1:.0%} of the best known; after 60 s",
        f"{MINUTE:.0%} of that speed (with *: of a session of its own of 60 s); the default alone {DEFAULT:.0%}.",
        f"Missed: {'; '.join(record['missed'])}." if record["missed"] else "All of them are met.",
        "",
        "| row | default, in ms | best, in ms | times as fast | after 60 s | evaluations | without a time |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, row in found.items():
        default, best = row["default"] * 1e3, row["default"] * row["ratio"] * 1e3
        alone = "*" if row.get("minute_alone") else ""
        lines.append(
            f"| {name} | {default:.4g} | {best:.4g} | {1 / row['ratio']:.2f} | {1 / row['after_minute']:.2f}{alone} "
            f"| {row['evaluations']} | {row['failed']} |"
        )
    gain = mean([1 / row["ratio"] for row in found.values()])
    lines += ["", f"Geometric mean: {gain:.3f} times as fast as the default.", *left_out(found)]
    return "\n".join([*lines, *new_sizes(record), *beside_tvm(record), ""])


def beside_tvm(record):
    """The comparison with TVM as Markdown: tuning_tvm.py measures it."""
    found = record.get("tvm")
    if not found:
        return []
    lines = [
        "",
        "## TVM's MetaSchedule",
        "",
        f"{record['tvm_measured']['date']}: {described(record['tvm_measured']['machine'])}",
        "Each system tunes a row for the same time; then both results are called in turns (`bench/tuning_tvm.py`).",
        "A ratio above 1 means that the schedule of `mdh tune` is faster.",
        "",
        "| row | seconds of tuning | MDH, in ms | TVM, in ms | candidates of TVM | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in found.items():
        own, other = row["seconds"], row["tvm_seconds"]
        lines.append(f"| {name} | {row['budget']} | {own * 1e3:.4g} | {other * 1e3:.4g} | {row['tvm_candidates']} | {other / own:.2f} |")
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
        "| rows | part of its own optimum |",
        "|---|---|",
        *(f"| {m} | {part:.3f} |" for m, part in known["parts"].items()),
    ]


def write(part):
    """Writes a part of the record; other parts and rows stay as they are."""
    path = RESULTS / "tuning.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    found = {**known.get("rows", {}), **part.get("rows", {})}
    record = {**known, **part, "rows": {name: found[name] for name in ROWS if name in found}}
    record["missed"] = missed(record["rows"]) if record["rows"] else []
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "tuning.md").write_text(page(record), encoding="utf-8")


def left_out(found):
    """The rows that were not measured, as a sentence."""
    names = [name for name in ROWS if name not in found]
    return ["", f"Not measured: {', '.join(names)}."] if names else []


def matmul(rows_of_left):
    """A program that multiplies a matrix of some rows by one of 512 x 512."""
    m = rows_of_left
    return f"""func.func @product(%A: tensor<{m}x512xf32>, %B: tensor<512x512xf32>) -> tensor<{m}x512xf32> {{
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<{m}x512xf32>, tensor<512x512xf32>) -> !mdh.mda<{m}x512x512, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {{
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  }} : !mdh.mda<{m}x512x512, f32, f32> -> !mdh.mda<{m}x512x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<{m}x512x1, f32> -> tensor<{m}x512xf32>
  return %w : tensor<{m}x512xf32>
}}
"""


def sizes(budget, folder):
    """What a new size reaches in few evaluations, from a database with eight others, beside its own optimum."""
    program, known = folder / "product.mlir", folder / "known.db"
    for m in KNOWN_SIZES:
        program.write_text(matmul(m), encoding="utf-8")
        tune(program, "product", known, budget)
    found = {}
    for m in (48, 80, 192, 320):
        program.write_text(matmul(m), encoding="utf-8")
        new = tune(program, "product", known, str(NEW_SIZE_EVALUATIONS))
        own = tune(program, "product", folder / f"own-{m}.db", budget)
        found[m] = min(1.0, own["ratio"] / new["ratio"])
    return found


def kills(count, folder):
    """Kills tuners at random moments: no row may be lost, changed or repeated."""
    database, generator, before = folder / "kills.db", random.Random(1), {}
    for number in range(count):
        command = [MDH, "tune", EXAMPLES / "matmul.mlir", "--function", "matmul_small", "--database", database]
        process = subprocess.Popen([*command, "--budget", "1h"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(generator.uniform(0.2, 3))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if not database.exists():
            continue
        after = {}
        for row in rows(database):
            name = json.dumps(row["schedule"])
            if name in after:
                raise SystemExit(f"kill {number + 1}: a schedule has two rows")
            after[name] = row
        lost = [name for name in before if name not in after]
        if lost:
            raise SystemExit(f"kill {number + 1}: {len(lost)} rows are lost")
        # The default and the best schedules are measured again in each session.
        again = [name for name, row in before.items() if after[name]["created"] != row["created"]]
        if len(again) > 3:
            raise SystemExit(f"kill {number + 1}: {len(again)} schedules were measured again")
        before = after
    return len(before)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="rows, sizes or kills")
    parser.add_argument("--budget", default="10m")
    parser.add_argument("--strategy")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--minute", action="store_true", help="measure only what a session of one minute reaches")
    parser.add_argument("--count", type=int, default=200, help="number of kills")
    parser.add_argument("--databases", type=pathlib.Path, help="a folder that keeps the databases")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.databases or pathlib.Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        if options.names == ["kills"]:
            print(f"{options.count} kills: {kills(options.count, folder)} rows, none lost or repeated")
            return
        if options.names == ["sizes"]:
            found = sizes(options.budget, folder)
            print("\n".join(f"{m} rows: {part:.3f} of its own optimum" for m, part in found.items()))
            if options.record:
                write({"sizes": {"budget": options.budget, "parts": {str(m): part for m, part in found.items()}}})
            sys.exit(any(part < NEW_SIZE_MEASURE for part in found.values()))
        chosen = [row for row in ROWS if not options.names or any(row.startswith(name) for name in options.names)]
        found = {}
        recorded = json.loads((RESULTS / "tuning.json").read_text(encoding="utf-8"))["rows"] if options.minute else {}
        for row in chosen:
            if options.minute:
                found[row] = minute_of(row, recorded[row], folder)
            else:
                found[row] = one_row(row, options.budget, folder, options.strategy)
            print(f"{row}: {1 / found[row]['ratio']:.3f} times as fast, {found[row]['evaluations']} evaluations", flush=True)
    record = {
        "date": datetime.datetime.now().isoformat(timespec="seconds"),
        "machine": machine(),
        "rows": found,
        "missed": missed(found),
    }
    if options.record or not options.names:
        write(record)
    print(page(record))
    sys.exit(bool(record["missed"]))


if __name__ == "__main__":
    main()
