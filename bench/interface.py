"""The C interface of compiled functions (docs/embedding.md), for ctypes."""

import ctypes

# Frees what a function has allocated.
FREE = ctypes.CDLL(None).free
FREE.restype = None


class Array(ctypes.Structure):
    """mdh_array of the headers that `mdh compile` generates."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("allocation", ctypes.c_void_p),
        ("type", ctypes.c_int32),
        ("rank", ctypes.c_int32),
    ]


def arrays(buffers):
    """Row-major arrays from addresses (`None` if the function allocates the array) and shapes."""
    made = (Array * max(1, len(buffers)))()
    for array, (address, shape) in zip(made, buffers):
        array.data, array.sizes, array.rank = address, (ctypes.c_int64 * max(1, len(shape)))(*shape), len(shape)
    return made
