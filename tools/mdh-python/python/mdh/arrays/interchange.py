"""Arrays of NumPy, JAX and PyTorch as buffers for compiled functions, and results as arrays."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from .. import _native
from ..errors import ArgumentTypeError, ArgumentValueError

_PLAIN = (numpy.ndarray, numpy.generic, int, float, bool)

# Kinds of devices in DLPack whose memory the processor can read: its own, and that of CUDA and ROCm on the host.
_HOST_DEVICES = (1, 3, 11)
_DEVICES = {2: "cuda", 4: "opencl", 7: "vulkan", 8: "metal", 10: "rocm", 13: "cuda_managed", 14: "oneapi"}

# The types of complex numbers, and of their parts.
_COMPLEX: dict[str, numpy.dtype[Any]] = {"complex<f32>": numpy.dtype("complex64"), "complex<f64>": numpy.dtype("complex128")}
_PARTS: dict[numpy.dtype[Any], numpy.dtype[Any]] = {numpy.dtype("complex64"): numpy.dtype("float32"), numpy.dtype("complex128"): numpy.dtype("float64")}


def element_of(ty: str) -> str:
    """The element type of a type in MLIR.

    >>> element_of("tensor<4x?xbf16>"), element_of("f32"), element_of("tensor<4xcomplex<f32>>")
    ('bf16', 'f32', 'complex<f32>')
    """
    if not ty.startswith("tensor<"):
        return ty
    element = ty.removeprefix("tensor<").removesuffix(">")
    return f"complex<{element.partition('complex<')[2]}" if "complex<" in element else element.rsplit("x", 1)[-1]


def complex_of(ty: str) -> numpy.dtype[Any] | None:
    """The type of complex numbers of a type in MLIR; None if it has others.

    >>> complex_of("tensor<complex<f64>>"), complex_of("tensor<4xf32>")
    (dtype('complex128'), None)
    """
    return _COMPLEX.get(element_of(ty))


def pairs(argument: Any, dtype: numpy.dtype[Any], what: str, written: bool = False) -> NDArray[Any]:
    """An array of complex numbers, in the same memory, as one with a last dimension of real and imaginary parts.

    Args:
        what: names the argument in errors.
        written: whether it is written; what is only read may be a number.
    """
    if isinstance(argument, (int, float, complex, numpy.generic)) and not written:
        argument = numpy.asarray(argument, dtype)
    if hasattr(argument, "resolve_conj") and not written:
        argument = argument.resolve_conj()
    array = shared(argument, what)
    if array.dtype != dtype:
        raise ArgumentTypeError(f"{what} requires elements of type {dtype}, but has {array.dtype}")
    return array[..., None].view(_PARTS[dtype])


def is_plain(argument: Any) -> bool:
    """Whether results for this argument are arrays of NumPy."""
    return isinstance(argument, _PLAIN)


def _is_direct(argument: Any) -> bool:
    """Whether an argument has a buffer that compiled code reads: an aligned array of a type that NumPy has itself."""
    return type(argument) is numpy.ndarray and argument.flags.aligned and argument.dtype.kind in "fiub"


def lent(argument: Any, what: str) -> Any:
    """The argument as a number, or as an array whose buffer compiled code reads.

    An array whose elements are not aligned is copied; all others are read where they are.

    Args:
        what: names the argument in errors.
    """
    if _is_direct(argument):
        return argument
    # Compiled code takes unsigned integers as those of the same width, which a number of Python does not have.
    if isinstance(argument, (int, float, numpy.unsignedinteger)):
        return argument
    if isinstance(argument, numpy.generic) and not isinstance(argument, numpy.void):
        return argument.item()
    return _aligned(array_of(argument, what))


def written(argument: Any, what: str) -> tuple[Any, NDArray[Any] | None]:
    """The array as one that compiled code writes, and the array that it is copied to afterwards, which may be None.

    Args:
        what: names the array in errors.
    """
    if _is_direct(argument) or isinstance(argument, (int, float, numpy.generic)):
        return argument, None
    array = array_of(argument, what)
    aligned = _aligned(array)
    if aligned is array:
        return array, None
    if not array.flags.writeable:
        raise ArgumentValueError(f"{what} is written, so it requires a writable array, but it is read-only")
    return aligned, array


def _aligned(array: NDArray[Any]) -> NDArray[Any]:
    """The array, or a copy if compiled code cannot read its elements where they are."""
    if array.flags.aligned and not any(stride % array.itemsize for stride in array.strides):
        return array
    return array.copy()


def array_of(argument: Any, what: str) -> NDArray[Any]:
    """An array of NumPy, of another framework, or of another library, as one of NumPy that shares its memory.

    bf16 has the type of unsigned integers of 16 bits.
    """
    array = shared(argument, what)
    if array.dtype.kind == "c":
        raise ArgumentTypeError(f"{what} requires real numbers, but has elements of type {array.dtype}")
    if array.dtype.name == "bfloat16":
        array = array.view(numpy.uint16)
    return array


def shared(argument: Any, what: str) -> NDArray[Any]:
    """An array of NumPy, or one of another library as one of NumPy, without a copy."""
    if isinstance(argument, numpy.ndarray):
        return argument
    if type(argument).__module__.partition(".")[0] == "torch":
        return _of_torch(argument, what)
    if hasattr(argument, "__dlpack__") and hasattr(argument, "__dlpack_device__"):
        kind, number = argument.__dlpack_device__()
        if kind not in _HOST_DEVICES:
            device = f"{_DEVICES.get(int(kind), f'device {int(kind)}')}:{number}"
            raise ArgumentValueError(f"{what} requires memory of the processor, but is on {device}")
        try:
            return numpy.from_dlpack(argument)
        except (BufferError, RuntimeError, TypeError):
            # NumPy has no such elements, which the other protocols may describe.
            pass
    if hasattr(argument, "__cuda_array_interface__"):
        raise ArgumentValueError(f"{what} requires memory of the processor, but is on a GPU")
    if not hasattr(argument, "__array__") and not hasattr(argument, "__array_interface__"):
        try:
            argument = memoryview(argument)
        except TypeError:
            raise ArgumentTypeError(f"{what} requires an array, but is {type(argument).__name__}") from None
    return numpy.asarray(argument)


def _of_torch(argument: Any, what: str) -> NDArray[Any]:
    """A tensor of PyTorch as an array that shares its memory."""
    torch = sys.modules["torch"]
    if not isinstance(argument, torch.Tensor):
        raise ArgumentTypeError(f"{what} requires an array, but is {type(argument).__name__}")
    tensor = argument.detach()
    if tensor.device.type != "cpu":
        raise ArgumentValueError(f"{what} requires memory of the processor, but is on {tensor.device}")
    array: NDArray[Any] = (tensor.view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor).numpy()
    return array


def result(memory: _native.Memory, element: str) -> NDArray[Any]:
    """A result as an array, without a copy."""
    array = numpy.asarray(memory)
    if element == "bf16":
        import ml_dtypes

        return array.view(ml_dtypes.bfloat16)
    if element in _COMPLEX:
        return array.view(_COMPLEX[element])[..., 0]
    return array


def like(array: NDArray[Any], arguments: Sequence[Any]) -> Any:
    """An array of the framework of the first argument that is no array of NumPy."""
    modules = (type(argument).__module__.partition(".")[0] for argument in arguments if not is_plain(argument))
    framework = next(modules, "numpy")
    if framework == "torch":
        return to_torch(array)
    if framework in ("jax", "jaxlib"):
        return to_jax(array)
    return array


def to_jax(array: NDArray[Any]) -> Any:
    """An array as one of JAX. A result is not copied, because compiled code aligns results as JAX requires."""
    jax = sys.modules["jax"]
    # NumPy lends no arrays of bf16 by DLPack.
    return jax.numpy.from_dlpack(array) if array.dtype.kind != "V" else jax.device_put(array)


def to_torch(array: NDArray[Any]) -> Any:
    """An array as a tensor of PyTorch, without a copy."""
    torch = sys.modules["torch"]
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(numpy.uint16)).view(torch.bfloat16)
    return torch.from_numpy(array)
