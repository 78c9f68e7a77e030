"""Element types, and the annotations `Scalar` and `Buffer` of the published interface."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy

from .messages import closest


class BasicType:
    """The type of an element.

    `name` is its name in Python, `mlir` its name in the IR. In a scalar function, a call such as `fp32(x)` converts
    a value to the type.

    >>> fp32
    fp32
    >>> fp32.mlir, fp32.bits, fp32.is_float, fp32.dtype
    ('f32', 32, True, dtype('float32'))
    """

    def __init__(self, name: str, mlir: str, bits: int, *, is_float: bool = False) -> None:
        self.name = name
        self.mlir = mlir
        self.bits = bits
        self.is_float = is_float

    def __repr__(self) -> str:
        return self.name

    def __call__(self, number: Any) -> Any:
        """The number as a NumPy scalar of this type: a constant that has a type.

        >>> fp16(0.1).dtype
        dtype('float16')
        """
        return self.dtype.type(number)

    @property
    def is_bool(self) -> bool:
        """True for `bool_` only."""
        return self.bits == 1

    @property
    def is_integer(self) -> bool:
        """True for the integers, which are signed; `bool_` is none."""
        return not self.is_float and not self.is_bool

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The element type of NumPy arrays; that of `bf16` requires the package `ml_dtypes`."""
        if self is bf16:
            import ml_dtypes

            brain: numpy.dtype[Any] = numpy.dtype(ml_dtypes.bfloat16)
            return brain
        return numpy.dtype(_DTYPES[self.name])


fp16 = BasicType("fp16", "f16", 16, is_float=True)
bf16 = BasicType("bf16", "bf16", 16, is_float=True)
fp32 = BasicType("fp32", "f32", 32, is_float=True)
fp64 = BasicType("fp64", "f64", 64, is_float=True)
int8 = BasicType("int8", "i8", 8)
int16 = BasicType("int16", "i16", 16)
int32 = BasicType("int32", "i32", 32)
int64 = BasicType("int64", "i64", 64)
bool_ = BasicType("bool_", "i1", 1)

BASIC_TYPES = (fp16, bf16, fp32, fp64, int8, int16, int32, int64, bool_)

_DTYPES = {
    "fp16": "float16",
    "fp32": "float32",
    "fp64": "float64",
    "int8": "int8",
    "int16": "int16",
    "int32": "int32",
    "int64": "int64",
    "bool_": "bool",
}


def of_dtype(dtype: numpy.dtype[Any]) -> BasicType | None:
    """The type of the elements of a NumPy array; None if there is none.

    >>> of_dtype(numpy.dtype("int32"))
    int32
    >>> of_dtype(numpy.dtype("complex64"))
    """
    if dtype.name == "bfloat16":
        return bf16
    return next((basic for basic in BASIC_TYPES if basic is not bf16 and basic.dtype == dtype), None)


def similar_type(thing: object) -> str:
    """The end of a message about what is no basic type: the one that is meant, if there is any.

    >>> similar_type("float32"), similar_type(numpy.int64), similar_type(float), similar_type("f32"), similar_type(3)
    (': did you mean fp32?', ': did you mean int64?', ': did you mean fp64?', ': did you mean fp32?', '')
    """
    names = {spelled: basic.name for basic in BASIC_TYPES for spelled in (basic.name, basic.mlir)}
    found = names.get(thing, closest(thing, names)) if isinstance(thing, str) else None
    with contextlib.suppress(TypeError, ValueError):
        basic = of_dtype(numpy.dtype(thing)) if isinstance(thing, (str, type, numpy.dtype)) else None
        found = basic.name if basic is not None else found
    return f": did you mean {names.get(found, found)}?" if found else ""


class _Indexed(type):
    """A class whose objects are made by an index: `Buffer[T]`. Type checkers know a class with `__class_getitem__` as a
    generic type, whose index is no value.
    """

    def __getitem__(cls, types: Any) -> Any:
        return cls(types)


class Scalar(metaclass=_Indexed):
    """The annotation of a scalar function's parameters: `Scalar[T, T]` are the types of its buffers, in order.

    >>> Scalar[fp32, int32].types
    (fp32, int32)
    """

    def __init__(self, types: Any) -> None:
        self.types: tuple[Any, ...] = types if isinstance(types, tuple) else (types,)


class Buffer(metaclass=_Indexed):
    """The element type of a buffer in the directive form, `Buffer[T]`.

    >>> Buffer[fp32].type
    fp32
    """

    def __init__(self, type: Any) -> None:
        self.type = type
