"""Conversions of elements that `cast=True` allows: those of NumPy's rule `same_kind`, as its own functions convert.

Inputs are converted to the types of the function; results are computed with these, and converted to the types of the arrays
that they are written to.
"""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from ..errors import ArgumentTypeError, ArgumentValueError
from ..types import BASIC_TYPES, bf16
from . import interchange

__all__ = ["as_given", "as_written", "can_cast", "hint", "typed"]


def can_cast(source: numpy.dtype[Any], destination: numpy.dtype[Any]) -> bool:
    """Whether elements of one type are converted to another one.

    >>> can_cast(numpy.dtype("float64"), numpy.dtype("float32")), can_cast(numpy.dtype("float32"), numpy.dtype("int32"))
    (True, False)
    """
    return numpy.can_cast(source, destination, "same_kind") and destination.kind != "O"


def hint(source: numpy.dtype[Any], destination: numpy.dtype[Any]) -> str:
    """What an error of two types says about the option that converts them."""
    return ": cast=True converts it" if can_cast(source, destination) else ""


def typed(array: NDArray[Any], given: Any) -> NDArray[Any]:
    """An array that shares the memory of another library's, with its type: NumPy does not have bf16 itself."""
    return array.view(bf16.dtype) if str(getattr(given, "dtype", "")).endswith("bfloat16") else array


def dtype_of(ty: str) -> numpy.dtype[Any] | None:
    """The type of the elements of a tensor or a number, by its type in MLIR; None for others.

    >>> dtype_of("tensor<4x?xf32>"), dtype_of("i1"), dtype_of("memref<4xf32>")
    (dtype('float32'), dtype('bool'), None)
    """
    element = interchange.element_of(ty)
    found = next((basic.dtype for basic in BASIC_TYPES if basic.mlir == element), None)
    return interchange.complex_of(ty) if found is None else found


def as_given(given: Any, dtype: numpy.dtype[Any], what: str) -> Any:
    """What is only read with the elements of a type; itself if it has them. Numbers of Python have no type.

    Args:
        what: names it in errors.
    """
    if isinstance(given, (bool, int, float, complex)):
        return given
    array = _array(given, what)
    if _is_same(array.dtype, dtype):
        return given
    _require(array.dtype, dtype, array.dtype, what)
    converted = array.astype(dtype)
    return converted if converted.shape else converted.item()


def as_written(given: Any, dtype: numpy.dtype[Any], what: str) -> tuple[Any, NDArray[Any] | None]:
    """An array of a type for a result, and the array that it is copied to afterwards, which may be None."""
    array = _array(given, what)
    if _is_same(array.dtype, dtype):
        return given, None
    _require(dtype, array.dtype, array.dtype, what)
    if not array.flags.writeable:
        raise ArgumentValueError(f"{what} is written, so it requires a writable array, but it is read-only")
    return numpy.empty(array.shape, dtype), array


def _array(given: Any, what: str) -> NDArray[Any]:
    return typed(interchange.shared(given, what), given)


def _is_same(found: numpy.dtype[Any], dtype: numpy.dtype[Any]) -> bool:
    """Whether compiled code takes elements as they are: unsigned integers are those of the same width."""
    return found == dtype or (found.kind == "u" and dtype.kind == "i" and found.itemsize == dtype.itemsize)


def _require(source: numpy.dtype[Any], destination: numpy.dtype[Any], found: object, what: str) -> None:
    if not can_cast(source, destination):
        raise ArgumentTypeError(f"{what} has elements of type {found}, but {source} cannot be converted to {destination}")
