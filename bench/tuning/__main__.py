"""Measures what tuning gains: the best schedule beside the default one, on named rows of the record.

    python3 -m bench.tuning                            all rows, 10 minutes each: tuning.json and tuning.md in bench/results
    python3 -m bench.tuning --budget 60s matmul scan   only some rows; printed, and with --record recorded beside the others
    python3 -m bench.tuning --minute --record matmul   what a session of one minute reaches, for rows that are recorded
    python3 -m bench.tuning sizes --budget 60s         new sizes from a database with eight others
    python3 -m bench.tuning kills --count 200          kills tuners at random moments, and checks what they recorded

Needs `cargo build --release`, and NumPy for inputs of dynamic sizes. All times are those of `mdh tune`, which measures
candidates in turns with the best schedule, and compares the best with the default in the end. The exit code is 1 if a
measure is missed.
"""

import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from bench import harness
from bench.harness import EXAMPLES, RESULTS, machine
from bench.tuning.record import KNOWN_SIZES, NEW_SIZE_EVALUATIONS, NEW_SIZE_MEASURE, ROWS, missed, page, write
from bench.tuning.sessions import MDH, measured, moment, rows, tune


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
    parser = harness.parser(__doc__)
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
        "date": harness.now(),
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
