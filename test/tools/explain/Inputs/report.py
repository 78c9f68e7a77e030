"""Compares the JSON of `mdh explain` with its other outputs: report.py JSON TEXT NEST SVG."""

import json
import pathlib
import sys

report, text, nest, svg = (pathlib.Path(path).read_text(encoding="utf-8") for path in sys.argv[1:])
report = json.loads(report)
assert report["text"] == text
# The file has a legend below the nests.
nest, legend = nest.split("\nhow to read the nests\n")
assert legend
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
    parameters = one["parameters"]["rows"]
    # The table has all levels, and the text a row for each that has an effect, which those with several parts have.
    assert len({row[0] for row in parameters}) == len(parameters)
    shown = [row for row in parameters if row[1] != "1"] + one["buffers"]["rows"]
    assert all(cell in text for row in shown for cell in row)
    assert len(one["dimensions"]) == len({row[0].split()[1] for row in parameters})
    dimensions = (f"{d['extent']}, {d['operator']}" for d in one["dimensions"])
    assert all(dimension in text for dimension in dimensions)
