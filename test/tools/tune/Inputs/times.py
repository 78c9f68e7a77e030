"""Checks that the rows of an exported database were measured one after the other."""

import datetime
import json
import pathlib
import sys

rows = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))["measurements"]
times = sorted(datetime.datetime.fromisoformat(row["created"].replace("Z", "+00:00")) for row in rows)
gaps = [(later - earlier).total_seconds() for earlier, later in zip(times, times[1:])]
assert len(rows) > 2 and min(gaps) > 1e-3, gaps
