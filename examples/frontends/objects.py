"""Object files of MLIR programs: compiling them with `mdh compile`, and calling their functions on arrays of NumPy."""

import ctypes
import pathlib
import subprocess
import tempfile

import numpy as np

Numbers = ctypes.POINTER(ctypes.c_int64)
# The codes of element types in mdh_array, by NumPy's names.
TYPES = {"bool": 0x101, "int8": 0x108, "int16": 0x110, "int32": 0x120, "int64": 0x140,
         "float16": 0x210, "float32": 0x220, "float64": 0x240}


class Array(ctypes.Structure):
    """mdh_array of the header."""

    _fields_ = [("data", ctypes.c_void_p), ("sizes", Numbers), ("strides", Numbers), ("allocation", ctypes.c_void_p),
                ("type", ctypes.c_int32), ("rank", ctypes.c_int32)]


def compile_object(program, output, prefix):
    """Writes the object file of a program, given as text, and beside it the header. The names of functions get the prefix."""
    output = pathlib.Path(output)
    for what, file in [("object", output), ("header", output.with_suffix(".h"))]:
        # With more than one thread, the object is linked with LLVM's OpenMP library (-lomp), too.
        command = ["mdh", "compile", "-", "--emit", what, "--threads", "1", "--prefix", prefix, "--output", file]
        subprocess.run(command, input=program.encode(), check=True)


def load_function(file, name):
    """A function of an object file, which is linked to a shared library for this process."""
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder) / "library.so"
        subprocess.run(["cc", "-shared", "-o", library, file, "-lm"], check=True)
        symbol = ctypes.CDLL(str(library))[name]
    symbol.argtypes = [ctypes.POINTER(Array), ctypes.POINTER(Array), ctypes.c_char_p]
    return symbol


def call(symbol, arguments, results):
    """Calls a function on row-major arrays, and writes its results to others."""
    message = ctypes.create_string_buffer(256)
    if symbol(arrays(arguments), arrays(results), message):
        raise ValueError(message.value.decode())


def compare(symbol, arguments, expected):
    """Calls a function with one result, which must be close to the expected one."""
    result = np.empty_like(expected)
    call(symbol, arguments, [result])
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)
    print("agrees")


def arrays(values):
    """Arrays for a call, which refer to the memory of arrays of NumPy."""
    described = (Array * len(values))()
    for array, value in zip(described, values):
        if not value.flags.c_contiguous:
            raise ValueError("a row-major array is required")
        array.data, array.type, array.rank = value.ctypes.data, TYPES[value.dtype.name], value.ndim
        array.sizes = (ctypes.c_int64 * max(1, value.ndim))(*value.shape)
    return described
