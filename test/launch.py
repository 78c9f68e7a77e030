"""Launches the kernels of a function from their manifest, without our tools: launch.py PTX INPUTS.. -- OUTPUTS..

Arrays are .npy files. The outputs are what the kernels have to compute, byte by byte.
"""

import ast
import ctypes
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench"))
from gpu_device import Cuda  # noqa: E402
from gpu_kernels import Kernels  # noqa: E402


def read(path):
    """The shape and the bytes of an array."""
    content = pathlib.Path(path).read_bytes()
    start = 10 + int.from_bytes(content[8:10], "little")
    return ast.literal_eval(content[10:start].decode())["shape"], content[start:]


def main():
    """The command line."""
    cuda, end = Cuda(4), sys.argv.index("--")
    inputs = [read(path) for path in sys.argv[2:end]]
    addresses = []
    for _, content in inputs:
        addresses.append(cuda.allocate(len(content)))
        source = ctypes.create_string_buffer(content, len(content))
        cuda.copy(addresses[-1], ctypes.addressof(source), len(content))
        cuda.wait()
    with Kernels(cuda, pathlib.Path(sys.argv[1]), [shape for shape, _ in inputs], addresses) as kernels:
        seconds = cuda.once(kernels.start)
        for number, path in enumerate(sys.argv[end + 1 :]):
            _, expected = read(path)
            found = ctypes.create_string_buffer(len(expected))
            cuda.copy(ctypes.addressof(found), kernels.outputs[number], len(expected))
            cuda.wait()
            if found.raw != expected:
                sys.exit(f"{path}: the kernels compute something else")
    print(f"{len(kernels.launches)} launches{'' if seconds >= 0 else ' in no time'}")


main()
