"""Arrays in the memory of a GPU, as `__cuda_array_interface__` describes those of CuPy, JAX, Numba and PyTorch."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy

from ..errors import ArgumentTypeError, ArgumentValueError
from ..messages import described

ALIGNMENT = 16
"""The bytes of which the address of an array must be a multiple, because kernels load vectors."""

_BRAIN = "V2"
"""The type string of bf16, without its byte order: NumPy does not have it."""


class DeviceArray:
    """An array in the memory of a GPU. `stream` is where its library works on it; None if the library does not say."""

    __slots__ = ("_end", "address", "dtype", "is_row_major", "is_writable", "shape", "stream")

    def __init__(self, array: Any, which: str) -> None:
        is_torch = _is_of_torch(array)
        interface: Mapping[str, Any] = (array.detach() if is_torch else array).__cuda_array_interface__
        if interface.get("mask") is not None:
            raise ArgumentTypeError(f"{which} requires an array without a mask, but has one")
        self.address, is_read_only = interface["data"]
        self.is_writable = not is_read_only
        self.shape: tuple[int, ...] = tuple(interface["shape"])
        kind = str(interface["typestr"])
        self.dtype = "bfloat16" if kind[1:] == _BRAIN else str(numpy.dtype(kind))
        size = numpy.dtype(kind).itemsize
        self._end = self.address + math.prod(self.shape) * size
        self.is_row_major = _is_row_major(self.shape, interface.get("strides"), size)
        self.stream: int | None = _current_stream(array) if is_torch else interface.get("stream")

    def overlaps(self, other: DeviceArray) -> bool:
        """Whether two contiguous arrays have common bytes."""
        return bool(self.address < other._end and other.address < self._end)


def is_on_device(array: Any) -> bool:
    """Whether an array is in the memory of a GPU. Arrays of NumPy are not, although Numba has some that GPUs can read."""
    if isinstance(array, numpy.ndarray):
        return False
    return bool(array.is_cuda) if _is_of_torch(array) else hasattr(array, "__cuda_array_interface__")


def _is_of_torch(array: Any) -> bool:
    """Whether an array is a tensor of PyTorch, whose description is an error on the processor and for gradients."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def _current_stream(tensor: Any) -> int:
    """The stream on which PyTorch works at the moment, which tensors do not name."""
    return int(sys.modules["torch"].cuda.current_stream(tensor.device).cuda_stream)


def _is_row_major(shape: tuple[int, ...], strides: tuple[int, ...] | None, size: int) -> bool:
    """Whether the elements follow each other. `strides`: in bytes; None if they do."""
    if strides is None or 0 in shape:
        return True
    for length, stride in zip(reversed(shape), reversed(strides)):
        if length != 1 and stride != size:
            return False
        size *= length
    return True


def stream_of(arrays: Iterable[DeviceArray], given: Any, name: str) -> int:
    """The stream of a call, as a number of the driver; 0 is the default one. `given`: the one that the caller wants."""
    if given is not None:
        return _handle(given)
    # CUDA has two numbers for its default stream.
    streams = {0 if array.stream == 1 else array.stream for array in arrays if array.stream is not None}
    if len(streams) > 1:
        listed = ", ".join(map(str, sorted(streams)))
        raise ArgumentValueError(f"{name} requires stream=, because its arrays are used on several streams: {listed}")
    return streams.pop() if streams else 0


def _handle(stream: Any) -> int:
    """The number of a stream: itself, or as objects of CUDA's own packages, PyTorch and CuPy have it."""
    if hasattr(stream, "__cuda_stream__"):
        stream = stream.__cuda_stream__()[1]
    else:
        stream = getattr(stream, "cuda_stream", getattr(stream, "ptr", stream))
    if not isinstance(stream, int) or isinstance(stream, bool) or stream < 0:
        raise ArgumentTypeError(f"stream= requires a stream of CUDA or its number, but is {described(stream)}")
    return 0 if stream == 1 else stream
