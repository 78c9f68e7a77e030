"""Arrays of NumPy, JAX and PyTorch as buffers for compiled functions, and results as arrays."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from mdh import _native
from mdh.errors import ArgumentTypeError, ArgumentValueError

_PLAIN = (numpy.ndarray, numpy.generic, int, float, bool)


def element_of(ty: str) -> str:
    """The element type of a type in MLIR.

    >>> element_of("tensor<4x?xbf16>"), element_of("f32")
    ('bf16', 'f32')
    """
    return ty.removeprefix("tensor<").removesuffix(">").rsplit("x", 1)[-1] if ty.startswith("tensor<") else ty


def is_plain(argument: Any) -> bool:
    """Whether results for this argument are arrays of NumPy."""
    return isinstance(argument, _PLAIN)


def _is_direct(argument: Any) -> bool:
    """Whether an argument has a buffer that compiled code reads: an aligned array of a type that NumPy has itself."""
    return type(argument) is numpy.ndarray and argument.flags.aligned and argument.dtype.kind in "fiub"


def lent(argument: Any, what: str, *, copied: bool) -> Any:
    """The argument as a number, or as an array whose buffer compiled code reads.

    Args:
        what: names the argument in errors.
        copied: whether the array may be a copy, because it is only read.
    """
    if _is_direct(argument):
        return argument
    if isinstance(argument, (int, float, numpy.generic)) and not isinstance(argument, numpy.void):
        return argument.item() if isinstance(argument, numpy.generic) else argument
    array = argument if isinstance(argument, numpy.ndarray) else _array_of(argument, what)
    if array.dtype.kind == "c":
        raise ArgumentTypeError(f"{what} requires real numbers, but has elements of type {array.dtype}")
    if array.dtype.name == "bfloat16":
        array = array.view(numpy.uint16)
    if not array.flags.aligned or any(stride % array.itemsize for stride in array.strides):
        if not copied:
            raise ArgumentValueError(f"{what} is written, so it requires aligned elements")
        array = numpy.array(array, copy=True)
    return array


def _array_of(argument: Any, what: str) -> NDArray[Any]:
    """An array of another framework as one of NumPy, without a copy where its memory is that of the processor."""
    module = type(argument).__module__.partition(".")[0]
    if module == "torch":
        tensor = argument.detach()
        if tensor.device.type != "cpu":
            raise ArgumentValueError(f"{what} requires memory of the processor, but is on {tensor.device}")
        torch = sys.modules["torch"]
        array: NDArray[Any] = (tensor.view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor).numpy()
        return array
    if not hasattr(argument, "__array__") and not hasattr(argument, "__array_interface__"):
        if not hasattr(argument, "__buffer__") and not isinstance(argument, (bytearray, memoryview)):
            raise ArgumentTypeError(f"{what} requires an array, but is {type(argument).__name__}")
    return numpy.asarray(argument)


def result(memory: _native.Memory, element: str) -> NDArray[Any]:
    """A result as an array, without a copy."""
    array = numpy.asarray(memory)
    if element == "bf16":
        import ml_dtypes

        return array.view(ml_dtypes.bfloat16)
    return array


def like(array: NDArray[Any], arguments: Sequence[Any]) -> Any:
    """An array of the framework of the first argument that is no array of NumPy."""
    modules = (type(argument).__module__.partition(".")[0] for argument in arguments if not is_plain(argument))
    framework = next(modules, "numpy")
    if framework == "torch":
        return to_torch(array)
    if framework in ("jax", "jaxlib"):
        return sys.modules["jax"].numpy.asarray(array)
    return array


def to_torch(array: NDArray[Any]) -> Any:
    """An array as a tensor of PyTorch, without a copy."""
    torch = sys.modules["torch"]
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(numpy.uint16)).view(torch.bfloat16)
    return torch.from_numpy(array)
