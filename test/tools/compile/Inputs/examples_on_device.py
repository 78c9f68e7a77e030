"""Compiles examples for arrays in device memory, calls them, and compares the results with the reference evaluator."""

import ast
import ctypes
import math
import pathlib
import random
import re
import struct
import subprocess
import sys

from device_arrays import ELEMENTS, array, call, load_runtime, receive, send

# A result of one kernel, several kernels, several results, no arguments, memrefs, and results with initial values.
EXAMPLES = {
    "matmul": "matmul_small",
    "dot": "dot_small",
    "scan": "scan_small",
    "histo": "histo_small",
    "mbbs": "mbbs_small",
    "prl": "prl_small",
    "reduce_multiple": "reduce_multiple_small",
    "jacobi3d": "jacobi3d_small",
    "mandelbrot": "mandelbrot_small",
    "compute_matvec": "compute_matvec_small",
}
examples, folder = map(pathlib.Path, sys.argv[1:])
load_runtime()
generator = random.Random(1)


def parameters(text):
    """The element and sizes of each tensor or memref in a text."""
    found = re.findall(r"(?:tensor|memref)<((?:\d+x)*)(\w+)>", text)
    return [(element, [int(size) for size in sizes.split("x")[:-1]]) for sizes, element in found]


def write(path, element, sizes, values):
    """Writes an array as .npy."""
    letter = ELEMENTS[element][1]
    kind = f"<{'f' if letter == 'f' else 'i'}{struct.calcsize(letter)}"
    shape = "".join(f"{size}," for size in sizes)
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape})}}"
    header = header.ljust(-(-(len(header) + 11) // 64) * 64 - 11) + "\n"
    content = struct.pack(f"{len(values)}{letter}", *values)
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + content)


def read(path, element):
    """The elements of an array in .npy."""
    content = path.read_bytes()
    (size,) = struct.unpack("<H", content[8:10])
    assert not ast.literal_eval(content[10 : 10 + size].decode())["fortran_order"]
    return [value for (value,) in struct.iter_unpack(ELEMENTS[element][1], content[10 + size :])]


def value(element):
    return generator.randrange(10) if element.startswith("i") else generator.uniform(-1, 1)


def agree(own, expected, element):
    if element.startswith("i"):
        return own == expected
    return len(own) == len(expected) and all(math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-5) for a, b in zip(own, expected))


for file, function in EXAMPLES.items():
    program, library = examples / f"{file}.mlir", folder / f"{file}.so"
    options = ["--target", "cuda", "--memory", "device", "--checked", "--opt-level", "1"]
    command = ["mdh", "compile", program, "--function", function, *options, "--emit", "shared", "--output", library]
    subprocess.run(command, check=True)
    signature = re.search(rf"@{function}\((.*?)\)\s*->\s*([^{{]*)\{{", program.read_text(encoding="utf-8"), re.DOTALL)
    given, wanted = parameters(signature[1]), parameters(signature[2])
    command, arguments, results = ["mdh", "run", program, "--function", function, "--engine", "reference"], [], []
    for number, (element, sizes) in enumerate(given):
        values = [value(element) for _ in range(math.prod(sizes))]
        write(folder / f"{number}.npy", element, sizes, values)
        command += ["--input", folder / f"{number}.npy"]
        arguments.append(array(send(values, element), sizes, element=element))
    for number, (element, sizes) in enumerate(wanted):
        command += ["--output", folder / f"result-{number}.npy"]
        # What a result keeps of its former contents is 0, as for the reference evaluator.
        results.append(array(send([0] * math.prod(sizes), element), sizes, element=element))
    subprocess.run(command, check=True)
    status = call(ctypes.CDLL(library), function, arguments, results)
    assert status == (0, ""), status
    for number, ((element, sizes), result) in enumerate(zip(wanted, results)):
        own = receive(result.data, math.prod(sizes), element)
        assert agree(own, read(folder / f"result-{number}.npy", element), element), (function, number)
    print(f"{function}: agrees")
