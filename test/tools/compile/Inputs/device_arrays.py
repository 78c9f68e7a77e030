"""Arrays in device memory, which the CUDA driver allocates, and calls of functions that take them."""

import ctypes
import pathlib
import shutil
import struct

cuda = ctypes.CDLL("libcuda.so.1")
# Element types: their numbers in the C interface, and their letters for struct.
ELEMENTS = {"f32": (0x220, "f"), "i32": (0x120, "i"), "i64": (0x140, "q")}


def load_runtime():
    """Loads the run-time library, which is built beside the tools."""
    tools = pathlib.Path(shutil.which("mdh")).parent
    libraries = [folder / "libmdh_runtime.so" for folder in (tools, tools / "deps")]
    ctypes.CDLL(str(next(path for path in libraries if path.exists())), mode=ctypes.RTLD_GLOBAL)


def driver(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    assert status == 0, (name, status)


driver("cuInit", 0)
context, stream = ctypes.c_void_p(), ctypes.c_void_p()
driver("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
driver("cuCtxSetCurrent", context)
driver("cuStreamCreate", ctypes.byref(stream), 1)


class Array(ctypes.Structure):
    """mdh_array."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("allocation", ctypes.c_void_p),
        ("type", ctypes.c_int32),
        ("rank", ctypes.c_int32),
    ]


def numbers(values):
    return (ctypes.c_int64 * len(values))(*values) if values else None


def array(data, sizes, strides=None, element="f32"):
    return Array(data, numbers(sizes), numbers(strides), None, ELEMENTS[element][0], len(sizes))


def send(values, element="f32"):
    """Memory of the device with these values."""
    memory = ctypes.c_uint64()
    content = struct.pack(f"{len(values)}{ELEMENTS[element][1]}", *values)
    driver("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(len(content)))
    driver("cuMemcpyHtoD_v2", memory, content, ctypes.c_size_t(len(content)))
    return memory.value


def receive(memory, count, element="f32"):
    """The values in memory of the device, after the work of the stream is done."""
    driver("cuStreamSynchronize", stream)
    layout = f"{count}{ELEMENTS[element][1]}"
    content = ctypes.create_string_buffer(struct.calcsize(layout))
    driver("cuMemcpyDtoH_v2", content, ctypes.c_uint64(memory), ctypes.c_size_t(len(content)))
    return list(struct.unpack(layout, content.raw))


def call(code, name, arguments, results):
    """The status and the message of a call."""
    message = ctypes.create_string_buffer(256)
    arguments, results = (Array * len(arguments))(*arguments), (Array * len(results))(*results)
    status = getattr(code, name)(arguments, results, stream, message)
    return status, message.value.decode()


def free():
    """The free bytes of the device, after the work of the stream is done."""
    driver("cuStreamSynchronize", stream)
    left, total = ctypes.c_size_t(), ctypes.c_size_t()
    driver("cuMemGetInfo_v2", ctypes.byref(left), ctypes.byref(total))
    return left.value
