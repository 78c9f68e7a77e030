"""Measures tuned schedules beside those that TVM's MetaSchedule finds in the same time.

    python3 -m bench.tuning.tvm                          four rows, 10 minutes for each system: recorded in bench/results/tuning.md
    python3 -m bench.tuning.tvm --budget 60 matmul_1024  only some rows, 60 seconds each; printed

scripts/setup/peers.sh tvm installs TVM. `mdh tune` and MetaSchedule tune one after the other, on all cores. Then both results are checked
against the definition, and called in turns, as by bench.peers; a ratio above 1 means that the schedule of `mdh tune` is faster.
"""

import datetime
import os
import pathlib
import subprocess
import sys
import tempfile

from bench import harness
from bench.harness import RELEASE, TARGET, clang, mean, module
from bench.peers.machine import enter, environment
from bench.tuning import record, sessions

ROWS = ["matmul_1024", "bmatmul_16x10x500x64", "mcc_512", "jacobi3d_256"]
# Seconds for the calls of both, and seconds that a tuner may take longer.
CALLS, LATE = 20, 300


def tuned(row, budget, folder, threads):
    """Tunes a row with both systems; the environment in which both results are used."""
    database, records = folder / f"{row.name}.db", folder / f"{row.name}.tvm"
    sessions.tune(row.program(folder), row.function, database, f"{budget}s")
    records.mkdir()
    command = [*module("peers.tvm"), row.name, records, str(budget)]
    done = subprocess.run(command, env=environment(threads), capture_output=True, text=True, timeout=budget + LATE, check=False)
    if done.returncode:
        raise SystemExit(f"{row.name}: TVM failed: {done.stderr.strip()[-400:]}")
    lines = [path.read_text(encoding="utf-8").count("\n") for path in records.glob("database_tuning_record*.json")]
    return {"MDH_DATABASE": str(database), "TVM_TUNED": str(records)}, sum(lines)


def main():
    """Runs the command."""
    parser = harness.parser(__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"rows of bench.peers (default: {', '.join(ROWS)})")
    parser.add_argument("--budget", type=int, default=600, help="seconds for each system (default: 600)")
    parser.add_argument("--venv", type=pathlib.Path, default=TARGET / "peers", help="the virtual environment of TVM (default: target/peers)")
    options = parser.parse_args()
    enter(options.venv, f"no TVM in {options.venv}: scripts/setup/peers.sh tvm installs it")

    # They need the NumPy of the virtual environment.
    from bench.peers import measure
    from bench.peers.build import Builder
    from bench.peers.rows import rows

    table, threads, found = rows(), len(os.sched_getaffinity(0)), {}
    for name in options.rows or ROWS:
        row = table[name]
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            uses, candidates = tuned(row, options.budget, folder, threads)
            os.environ.update(uses)
            inputs = [folder / f"input{number}" for number in range(len(row.inputs))]
            for path, array in zip(inputs, row.arrays()):
                array.tofile(path)
            builder = Builder(RELEASE, clang(), folder)
            results = measure.measure(row, ["mdh", "TVM"], builder, inputs, threads, CALLS, measure.BATCHES)[0]["peers"]
        for peer, result in results.items():
            if "seconds" not in result:
                sys.exit(f"{name}: {peer}: {result.get('error', 'the result is wrong')}")
        own, other = results["mdh"]["seconds"], results["TVM"]["seconds"]
        found[name] = {"seconds": own, "tvm_seconds": other, "tvm_candidates": candidates, "budget": options.budget}
        print(f"{name}: {own * 1e3:.4g} ms, TVM {other * 1e3:.4g} ms ({candidates} candidates): {other / own:.2f}", flush=True)
    print(f"geometric mean: {mean(row['tvm_seconds'] / row['seconds'] for row in found.values()):.2f}")
    if not options.rows:
        # Its machine may be another one than that of the rows.
        record.write({"tvm": found, "tvm_measured": {"date": datetime.date.today().isoformat(), "machine": harness.machine()}})


if __name__ == "__main__":
    main()
