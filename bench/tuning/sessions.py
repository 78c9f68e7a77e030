"""Sessions of `mdh tune`, and what they record."""

import datetime
import json
import subprocess

from bench.harness import RELEASE

MDH = RELEASE / "mdh"


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
