"""Runs a command `mdh run TEXT --function NAME --input …` and compares the results with those of NumPy, which
`test/raise/oracle` has written to `test/raise/expected/TEXT.json`. Requires only Python 3.

usage: against_numpy.py COMMAND …     as in RUN: %against-numpy mdh run %s --function main --input %t0.npy --check

Integers and truth values must be equal. A float may differ by `tolerance * max(|expected|, magnitude)`, where the
tolerance is that of the result, 0 unless the oracle says otherwise, and the magnitude is that of the terms of sums in
which terms cancel. NaN is equal to NaN, and 0.0 to -0.0.
"""

import ast
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

from arrays import TYPES

ROOT = pathlib.Path(__file__).resolve().parents[1]
CODES_OF_FLOATS = {kind: "<" + code for kind, (_, code) in TYPES.items() if "f" in kind}


def case(command):
    """The name of a run in the file of expected results: the function and the inputs. A file that `arrays.py` wrote is
    named by its number, as in the RUN line."""
    function = command[command.index("--function") + 1]
    inputs = [value for option, value in zip(command, command[1:]) if option == "--input"]
    return " ".join([function] + [re.sub(r".*\.tmp(\d+\.npy)$", r"%t\1", value) for value in inputs])


def read(file, kind):
    """The shape and the elements of an .npy file, whose elements must be of this type."""
    data = pathlib.Path(file).read_bytes()
    length = struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10 : 10 + length].decode())
    descr, code = TYPES[kind]
    if header["descr"].replace("<V", "|V") != descr or header["fortran_order"]:
        sys.exit(f"{file}: requires elements {descr}, in the order of C, but has {header}")
    data = data[10 + length :]
    if kind == "bf16":
        # The upper half of an f32.
        data = b"".join(b"\0\0" + data[at : at + 2] for at in range(0, len(data), 2))
    return header["shape"], [value for (value,) in struct.iter_unpack("<" + code, data)]


def difference(result, shape, elements):
    """What differs from the expected result, or nothing."""
    if list(shape) != result["shape"]:
        return f"has shape {list(shape)}, but NumPy's has {result['shape']}"
    expected = [value for row in result["rows"] for value in row]
    if code := CODES_OF_FLOATS.get(result["type"]):
        # The digits of a number are those that determine it in its type.
        expected = [struct.unpack(code, struct.pack(code, float(value)))[0] for value in expected]
    for at, (value, right) in enumerate(zip(elements, expected, strict=True)):
        if value == right or value != value and right != right:
            continue
        bound = result.get("tolerance", 0) * max(abs(right), result.get("magnitude", 0))
        if not (math.isfinite(value) and math.isfinite(right) and abs(value - right) <= bound):
            return f"is {value} at element {at} in row-major order, but NumPy's is {right} (a difference of {bound} is allowed)"
    return None


def main(command):
    """Runs the command and compares; the exit code is that of the command unless a result differs."""
    text = next(pathlib.Path(word) for word in command if word.endswith(".mlir"))
    file = (ROOT / "expected" / text.resolve().relative_to(ROOT)).with_suffix(".json")
    name = case(command)
    cases = json.loads(file.read_text()) if file.exists() else {}
    if name not in cases:
        sys.exit(f"{file}: no result of NumPy for '{name}': add it to test/raise/oracle, and run that")
    with tempfile.TemporaryDirectory() as folder:
        outputs = [f"{folder}/{number}.npy" for number in range(len(cases[name]))]
        options = [word for output in outputs for word in ("--output", output)]
        code = subprocess.run(command + options).returncode
        if code:
            sys.exit(code)
        for number, (result, output) in enumerate(zip(cases[name], outputs), 1):
            complaint = difference(result, *read(output, result["type"]))
            if complaint:
                sys.exit(f"result {number} of '{name}' {complaint}")


if __name__ == "__main__":
    main(sys.argv[1:])
