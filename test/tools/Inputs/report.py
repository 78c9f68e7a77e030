"""Compares the JSON of `mdh explain` with its other outputs: report.py JSON TEXT NEST SVG."""

import json
import pathlib
import sys

report, text, nest, svg = (pathlib.Path(path).read_text(encoding="utf-8") for path in sys.argv[1:])
report = json.loads(report)
assert report["text"] == text
assert report["nest"] == nest
assert report["svg"] == svg
computations = report["computations"]
assert report["why"] == "".join(one["why"] for one in computations) and "expected: " in report["why"]
# A computation that is computed in parts is in the nest of another one.
own = [one for one in computations if one["nest"] is not None]
assert nest == "".join(one["nest"] for one in own) and len(own) == len(computations) - 1
for one in computations:
    assert one["title"].startswith(f"@{one['function']}, computation {one['number']}, on @")
    assert (one["svg"] is None) == (one["nest"] is None)
    for table in ["parameters", "buffers"]:
        rows = one[table]["rows"]
        assert all(len(row) == len(one[table]["header"]) for row in rows)
        assert all(cell in text for row in rows for cell in row)
    assert one["parameters"]["rows"]
