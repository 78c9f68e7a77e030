"""Checks of the arrays that a compiled function is called with."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy

from .computation import Parameter
from .errors import ArgumentTypeError, ArgumentValueError


class Signature:
    """The arrays that a function takes: its outputs, then its inputs."""

    def __init__(self, name: str, outputs: Sequence[Parameter], inputs: Sequence[Parameter]) -> None:
        self._name = name
        self._outputs = len(outputs)
        self._parameters = (*outputs, *inputs)
        # What is compared at each call.
        self._expected = [(parameter.dtype, parameter.shape) for parameter in self._parameters]
        self._pairs = [pair for pair in combinations(range(len(self._parameters)), 2) if pair[0] < self._outputs]

    def check(self, arrays: Sequence[Any]) -> None:
        """Raises `ArgumentTypeError` or `ArgumentValueError` if the arrays are not those that the function takes."""
        if len(arrays) != len(self._expected):
            names = ", ".join(parameter.name for parameter in self._parameters)
            message = (
                f"{self._name} requires {len(self._expected)} arrays, outputs first ({names}), but has {len(arrays)}"
            )
            raise ArgumentTypeError(message)
        for number, (array, (dtype, shape)) in enumerate(zip(arrays, self._expected)):
            if not isinstance(array, numpy.ndarray):
                raise ArgumentTypeError(f"{self.which(number)} must be a NumPy array, but is {_kind(array)}")
            if array.dtype != dtype:
                raise ArgumentTypeError(f"{self.which(number)} must have the type {dtype}, but has {array.dtype}")
            if array.shape != shape:
                raise ArgumentValueError(f"{self.which(number)} must have the shape {shape}, but has {array.shape}")
        for number in range(self._outputs):
            array = arrays[number]
            if not array.flags.writeable:
                raise ArgumentValueError(f"{self.which(number)} must be writable, but is read-only")
            if not array.flags.c_contiguous and _overlaps_itself(array):
                raise ArgumentValueError(f"the elements of {self.which(number)} must not overlap each other")
        for left, right in self._pairs:
            if numpy.may_share_memory(arrays[left], arrays[right]) and _overlap(arrays[left], arrays[right]):
                raise ArgumentValueError(f"{self.which(left)} and {self.which(right)} must not overlap")

    def which(self, number: int) -> str:
        """How messages name an array, by its number from 0."""
        kind = "the output" if number < self._outputs else "the input"
        return f"{kind} '{self._parameters[number].name}' of {self._name}"


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__


def _overlap(left: Any, right: Any) -> bool:
    """True if two arrays share an element; where that takes too long to find out, if their ranges of memory do."""
    # The annotation of NumPy lacks numbers other than -1 and 0.
    steps: Any = 10_000
    try:
        return bool(numpy.shares_memory(left, right, max_work=steps))
    except numpy.exceptions.TooHardError:
        return True


def _overlaps_itself(array: Any) -> bool:
    """True unless each stride is larger than all elements along the smaller ones, as in views made by slices."""
    reach = array.itemsize
    for stride, size in sorted((abs(stride), size) for stride, size in zip(array.strides, array.shape) if size > 1):
        if stride < reach:
            return bool(array.size)
        reach += stride * (size - 1)
    return False
