"""Writes the table of PyTorch's operations in the documents.

usage: op_table.py OUTCOMES ... > docs/torch-operations.md

The files are those of `op_database.py --outcomes FILE`, one for each type.
"""

from __future__ import annotations

import collections
import json
import pathlib
import re
import sys

SHORT = {
    "bfloat16": "bf16",
    "bool": "bool",
    "float32": "f32",
    "float64": "f64",
    "int32": "i32",
    "int64": "i64",
}

# A place in the source, which torch-mlir says before a problem.
PLACE = re.compile(r"callsite\(.*\d\): ")

HEAD = """# Operations of PyTorch

What `torch.compile(…, backend="mdh")` compiles of the operations of PyTorch's own test database, and what PyTorch executes, with the reason.
Made from the outcomes of `tools/mdh-python/tests/frameworks/op_database.py` by `op_table.py` beside it.
Each operation was run with samples of the database and with the values at the edges of types (0, -0, NaN, infinities, limits, tensors with one element and with none).
It has the results of PyTorch without compilation, but for the exceptions that [python.md](python.md#modules-of-pytorch) says.

- compiled: the types whose samples are compiled as a whole.
- in parts: the types of which PyTorch executes a part.
- executed by PyTorch: the types of which it executes all.

Types that are not in a line were not run, or are none of the operation.

| operation | compiled | in parts | executed by PyTorch | reason |
|---|---|---|---|---|
"""


def row(name, outcomes):
    """The line of an operation."""
    kinds = {"compiled": [], "parts": [], "executed": []}
    reasons = {}
    for outcome in outcomes:
        whole, parts, executed = outcome["graphs"]
        if not outcome["samples"] or not any(outcome["graphs"]):
            continue
        kind = "parts" if parts or whole and executed else "executed" if executed else "compiled"
        kinds[kind].append(SHORT[outcome["dtype"]])
        # Without the place in the program.
        said = (PLACE.sub("", reason.splitlines()[0]).rpartition("error: ")[2] for reason in outcome["reasons"].values())
        reasons.update(dict.fromkeys(said))
    if not any(kinds.values()):
        return None
    said = "; ".join(reason.replace("|", "\\|").replace("\n", " ") for reason in reasons)
    return f"| `{name}` | {' | '.join(', '.join(types) for types in kinds.values())} | {said} |"


def main():
    outcomes = collections.defaultdict(list)
    for path in map(pathlib.Path, sys.argv[1:]):
        for line in path.read_text().splitlines():
            outcome = json.loads(line)
            outcomes[outcome["name"]].append(outcome)
    rows = [row(name, outcomes[name]) for name in sorted(outcomes)]
    sys.stdout.write(HEAD + "\n".join(row for row in rows if row) + "\n")


if __name__ == "__main__":
    main()
