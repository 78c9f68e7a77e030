"""The elements of JAX's arrays, as compiled code has them."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from . import interchange
from .errors import ArgumentTypeError
from .frameworks import module

# By the type of keys of random numbers: the name of their generator.
_GENERATORS = {"key<fry>": "threefry2x32", "key<rbg>": "rbg", "key<urbg>": "unsafe_rbg"}


def check_elements(what: str, dtype: Any) -> None:
    """Raises `ArgumentTypeError` unless elements of this type are those of an array of NumPy or keys of JAX."""
    if getattr(dtype, "name", "") in _GENERATORS:
        return
    if getattr(dtype, "kind", "O") not in "biufc" and getattr(dtype, "name", "") != "bfloat16":
        message = f"{what} requires floats of 16, 32 or 64 bits, integers or bool, but has elements of type {dtype}"
        raise ArgumentTypeError(message)
    if not dtype.isnative:
        raise ArgumentTypeError(f"{what} requires the byte order of the processor, but has elements of type {dtype}")


class Elements:
    """The elements of an argument or a result."""

    def __init__(self, dtype: Any) -> None:
        self._dtype = dtype
        # The generator of keys; None for numbers.
        self._generator = _GENERATORS.get(dtype.name)
        # The type with which compiled code computes.
        self.computed: numpy.dtype[Any] = numpy.dtype(numpy.uint32 if self._generator else dtype)

    def converted(self, leaf: Any) -> Any:
        """An argument with the type that JAX gives it."""
        if self._generator:
            leaf = module("jax", "mdh.jit").random.key_data(leaf)
        array = leaf if isinstance(leaf, numpy.ndarray) else numpy.asarray(leaf)
        return array if array.dtype == self.computed else array.astype(self.computed)

    def finished(self, result: Any, is_jax: bool) -> Any:
        """A result of compiled code, or of JAX, as an array of JAX or NumPy; keys are those of JAX."""
        if not isinstance(result, numpy.ndarray):
            return result if is_jax or self._generator else numpy.array(result)
        # The compiler has no unsigned integers, whose bits are those of signed ones.
        array: NDArray[Any] = result if result.dtype is self.computed else result.view(self.computed)
        if self._generator:
            wrap = module("jax", "mdh.jit").random.wrap_key_data
            return wrap(interchange.to_jax(array), impl=self._generator)
        return interchange.to_jax(array) if is_jax else array
