"""Compares functions of a program before and after a transformation: runs both with the reference evaluator and the second one
on the processor, and requires equal results, bit for bit.

    compare.py FOLDER BEFORE AFTER FUNCTION=INPUT,INPUT:RESULTS ...

An input is a shape such as [12x6], for floats that are small integers, or a number for a scalar; RESULTS is the number of results.
"""

import pathlib
import random
import struct
import subprocess
import sys

folder, before, after, *functions = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)


def array(name, sizes):
    """Writes an .npy file with 32-bit floats."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({', '.join(sizes)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    count = 1
    for size in sizes:
        count *= int(size)
    elements = random.Random(name).choices(range(-8, 9), k=count)
    path = folder / name
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{count}f", *elements))
    return path


def run(program, function, inputs, results, *options):
    """The bytes of the results."""
    outputs = [folder / f"result{i}.npy" for i in range(results)]
    arguments = [f"--input={path}" for path in inputs] + [f"--output={path}" for path in outputs]
    subprocess.run(["mdh", "run", program, "--function", function, *arguments, *options], check=True, stdout=subprocess.DEVNULL)
    return [path.read_bytes() for path in outputs]


for function in functions:
    name, rest = function.split("=")
    shapes, results = rest.split(":")
    inputs = list(filter(None, shapes.split(",")))
    for i, given in enumerate(inputs):
        if given.startswith("["):
            inputs[i] = array(f"{name}{i}.npy", given.strip("[]").split("x"))
    expected = run(before, name, inputs, int(results), "--engine=reference")
    found = run(after, name, inputs, int(results), "--check")
    evaluated = run(after, name, inputs, int(results), "--engine=reference")
    if not expected == found == evaluated:
        sys.exit(f"{name}: the results differ")
    print(f"{name} agrees")
