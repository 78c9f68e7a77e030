"""The elements of JAX's arrays, as compiled code has them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy
from numpy.typing import NDArray

from ..arrays import interchange
from ..errors import ArgumentTypeError
from ..frameworks.modules import module

# By the type of keys of random numbers: the name of their generator.
_GENERATORS = {"key<fry>": "threefry2x32", "key<rbg>": "rbg", "key<urbg>": "unsafe_rbg"}


def check_elements(what: str, dtype: Any) -> None:
    """Raises `ArgumentTypeError` unless elements of this type are numbers or keys of JAX."""
    if getattr(dtype, "name", "") in _GENERATORS:
        return
    if not isinstance(dtype, numpy.dtype) or not (dtype == bool or _is_number(dtype)):
        raise ArgumentTypeError(f"{what} requires numbers or bool, but has elements of type {dtype}")
    if not dtype.isnative:
        raise ArgumentTypeError(f"{what} requires the byte order of the processor, but has elements of type {dtype}")


def computes_with(dtype: Any) -> bool:
    """Whether compiled code computes with elements of this type, or with the numbers of keys."""
    if dtype.name in _GENERATORS or dtype.name == "bfloat16":
        return True
    return dtype.kind in "biuc" or dtype.kind == "f" and dtype.itemsize > 1


def _is_number(dtype: numpy.dtype[Any]) -> bool:
    """Whether elements are numbers, also those of types that NumPy does not have itself."""
    is_number: bool = module("jax", "mdh.jit").numpy.issubdtype(dtype, numpy.number)
    return is_number


@functools.cache
def _weak(shape: tuple[int, ...], dtype: Any) -> Callable[[Any], Any]:
    """A function that gives an array of JAX a weak type: that of a Python number, which other arrays do not take on."""
    jax = module("jax", "mdh.jit")
    like = jax.ShapeDtypeStruct(shape, dtype, weak_type=True)
    compiled: Callable[[Any], Any] = jax.jit(lambda array: array).trace(like).lower().compile()
    return compiled


class Elements:
    """The elements of an argument or a result. `is_weak`: whether JAX gives the result a weak type."""

    def __init__(self, dtype: Any, is_weak: bool = False) -> None:
        self._dtype = dtype
        self._is_weak = is_weak
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
            return self._typed(result) if is_jax or self._generator else numpy.array(result)
        # The compiler has no unsigned integers, whose bits are those of signed ones.
        array: NDArray[Any] = result if result.dtype is self.computed else result.view(self.computed)
        if self._generator:
            wrap = module("jax", "mdh.jit").random.wrap_key_data
            return wrap(interchange.to_jax(array), impl=self._generator)
        return self._typed(interchange.to_jax(array)) if is_jax else array

    def _typed(self, array: Any) -> Any:
        """An array of JAX with the type that JAX gives it."""
        return _weak(array.shape, array.dtype)(array) if self._is_weak and not array.weak_type else array
