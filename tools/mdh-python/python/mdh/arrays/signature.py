"""The arrays and numbers that a compiled function is called with: checks, and conversions of what is only read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy

from ..computations.computation import Computation
from ..computations.definition import Parameter
from ..errors import ArgumentError, ArgumentTypeError, ArgumentValueError
from ..messages import described, without_address
from ..translate.identity import is_of_type
from ..translate.numbers import is_in_range
from . import casts, interchange
from .device import ALIGNMENT, DeviceArray, is_on_device, stream_of
from .shapes import Shapes

_NUMBERS = (int, float, complex, numpy.generic)
# The function behind NumPy's dispatcher, which takes longer than the function itself.
_may_share_memory = getattr(numpy.may_share_memory, "_implementation", numpy.may_share_memory)


class Signature:
    """The arrays that a function takes: its outputs, then its inputs. An input without dimensions may be a number.

    With `cast`, arrays of other types are converted.
    """

    def __init__(self, computation: Computation, cast: bool = False) -> None:
        self._name = computation.name
        self._outputs = len(computation.outputs)
        self._parameters: tuple[Parameter, ...] = (*computation.outputs, *computation.inputs)
        # What is compared at each call.
        self._dtypes = [parameter.dtype for parameter in self._parameters]
        # True if NumPy has all types itself, so that compiled code accesses aligned arrays as they are.
        self._is_plain = all(dtype.isbuiltin == 1 for dtype in self._dtypes)
        self._which = [self._describe(number) for number in range(len(self._parameters))]
        self._pairs = [pair for pair in combinations(range(len(self._parameters)), 2) if pair[0] < self._outputs]
        self._shapes = Shapes(computation, self._which)
        # Whether arrays of other types are converted, and those outputs for which that leaves nothing as it was.
        self._casts = cast
        self._is_whole = computation.written_whole

    def lend(self, given: Sequence[Any]) -> tuple[list[Any], list[Any], list[tuple[Any, Any]]]:
        """The inputs with the sizes that are parameters, the outputs, and pairs of arrays of which the second ones are
        copied to the first ones after the call.

        Raises `ArgumentTypeError` or `ArgumentValueError` if they are not those that the function takes.
        """
        self._check_number(given)
        return self._lent(*self._arrays(given, 0))

    def allocate(self, given: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """The inputs with the sizes that are parameters, the outputs, and these as new arrays, for a call with inputs only.

        Raises the errors of `lend`.
        """
        if len(given) != len(self._parameters) - self._outputs:
            names = ", ".join(parameter.name for parameter in self._parameters[self._outputs :])
            required = f"{self._name} requires {len(self._parameters) - self._outputs} arrays, its inputs ({names})"
            raise ArgumentTypeError(f"{required}, but has {len(given)}")
        inputs, is_direct = self._arrays(given, self._outputs)
        shapes = self._shapes.of_outputs(inputs)
        # Elements that are not written are 0.
        results = [numpy.zeros(shape, dtype) for shape, dtype in zip(shapes, self._dtypes)]
        lent, outputs, _ = self._lent([*results, *inputs], is_direct)
        return lent, outputs, results

    def _arrays(self, given: Sequence[Any], number: int) -> tuple[list[Any], bool]:
        """What is given for parameters from a number on, as arrays of NumPy with their types; outputs may have others. And
        whether compiled code can access them as they are.
        """
        arrays, is_direct = list(given), self._is_plain
        for position, array in enumerate(given):
            if type(array) is not numpy.ndarray or array.dtype is not self._dtypes[number]:
                arrays[position] = array = self._array(number, array)
                is_direct = is_direct and array.dtype == self._dtypes[number]
            is_direct = is_direct and array.flags.aligned
            number += 1
        return arrays, is_direct

    def _lent(self, arrays: list[Any], is_direct: bool) -> tuple[list[Any], list[Any], list[tuple[Any, Any]]]:
        """The result of `lend` for arrays of NumPy."""
        sizes = self._shapes.check(arrays)
        outputs, inputs = arrays[: self._outputs], arrays[self._outputs :]
        for number, array in enumerate(outputs):
            self._check_output(number, array)
        for left, right in self._pairs:
            if _may_share_memory(arrays[left], arrays[right]) and _overlap(arrays[left], arrays[right]):
                raise ArgumentValueError(f"{self._which[left]} and {self._which[right]} must not overlap")
        if is_direct:
            return inputs + sizes, outputs, []
        return self._converted(inputs, outputs, sizes)

    def _converted(
        self, inputs: Sequence[Any], outputs: Sequence[Any], sizes: list[Any]
    ) -> tuple[list[Any], list[Any], list[tuple[Any, Any]]]:
        """The result of `lend` where compiled code cannot access all arrays as they are."""
        lent = [interchange.lent(array, which) for array, which in zip(inputs, self._which[self._outputs :])]
        written, copied = [], []
        for number, array in enumerate(outputs):
            if self._is_other(number, array):
                own = numpy.empty(array.shape, self._dtypes[number])
                copied.append((array, own))
                array = own
            given, destination = interchange.written(array, self._which[number])
            written.append(given)
            if destination is not None:
                copied.append((destination, given))
        return lent + sizes, written, copied

    def _is_other(self, number: int, array: Any) -> bool:
        """Whether an output has another type, to which results are converted; bf16 may be integers of 16 bits."""
        dtype = self._dtypes[number]
        return bool(array.dtype != dtype) and not (dtype.name == "bfloat16" and array.dtype == numpy.uint16)

    def lend_on_device(self, given: Sequence[Any], stream: Any) -> tuple[list[Any], int]:
        """The arguments of a function with arrays in the memory of a GPU, and its stream: the inputs with the sizes that
        are parameters, then the outputs. Arrays are pairs of an address and a shape, others are numbers.

        Raises the errors of `lend`.
        """
        self._check_number(given)
        arrays = [self._on_device(number, array) for number, array in enumerate(given)]
        sizes = self._shapes.check(arrays)
        own = {number: array for number, array in enumerate(arrays) if isinstance(array, DeviceArray)}
        for number, array in own.items():
            self._check_on_device(number, array)
        for left, right in self._pairs:
            if left in own and right in own and own[left].overlaps(own[right]):
                raise ArgumentValueError(f"{self._which[left]} and {self._which[right]} must not overlap")
        passed = [(own[n].address, own[n].shape) if n in own else array.item() for n, array in enumerate(arrays)]
        passed = passed[self._outputs :] + sizes + passed[: self._outputs]
        return passed, stream_of(own.values(), stream, self._name)

    def _on_device(self, number: int, given: Any) -> Any:
        """An array in the memory of a GPU with the type of a parameter, or a number as an array of NumPy."""
        if not self._parameters[number].shape and number >= self._outputs and isinstance(given, _NUMBERS):
            return self._number(number, given)
        if not is_on_device(given):
            required = f"{self._which[number]} requires memory of the GPU, as other arrays of the call have"
            raise ArgumentValueError(f"{required}, but {type(given).__name__} does not have it")
        try:
            array = DeviceArray(given, self._which[number])
        except ArgumentError:
            raise
        except (AttributeError, KeyError, TypeError, ValueError, RuntimeError) as error:
            message = f"{self._which[number]} requires an array, but {type(given).__name__} does not describe one"
            raise ArgumentTypeError(f"{message}: {without_address(error)}") from error
        if array.dtype != str(self._dtypes[number]):
            raise self._wrong_type(number, array.dtype)
        return array

    def _check_on_device(self, number: int, array: DeviceArray) -> None:
        if number < self._outputs and not array.is_writable:
            raise ArgumentValueError(f"{self._which[number]} must be writable, but is read-only")
        if not array.is_row_major:
            raise ArgumentValueError(f"{self._which[number]} is on the GPU, and must be contiguous in row-major order")
        if array.address % ALIGNMENT and 0 not in array.shape:
            required = f"{self._which[number]} is on the GPU, and its address must be a multiple of {ALIGNMENT} bytes"
            raise ArgumentValueError(f"{required}, but is {array.address % ALIGNMENT} bytes after one")

    def _check_number(self, given: Sequence[Any]) -> None:
        if len(given) != len(self._parameters):
            names = ", ".join(parameter.name for parameter in self._parameters)
            message = (
                f"{self._name} requires {len(self._parameters)} arrays, outputs first ({names}), but has {len(given)}"
            )
            raise ArgumentTypeError(message)

    def _describe(self, number: int) -> str:
        """How messages name an array, by its number from 0."""
        kind = "the output" if number < self._outputs else "the input"
        return f"{kind} '{self._parameters[number].name}' of {self._name}"

    def _array(self, number: int, given: Any) -> Any:
        """An array of NumPy with the type of a parameter."""
        if isinstance(given, numpy.ndarray):
            return given if given.dtype == self._dtypes[number] else self._other(number, given, str(given.dtype))
        if not self._parameters[number].shape and number >= self._outputs and isinstance(given, _NUMBERS):
            return self._number(number, given)
        return self._foreign(number, given)

    def _wrong_type(self, number: int, found: object, rest: str = "") -> ArgumentTypeError:
        message = f"{self._which[number]} must have the type {self._dtypes[number]}, but has {found}{rest}"
        return ArgumentTypeError(message)

    def _foreign(self, number: int, given: Any) -> Any:
        """An array of another framework, or an object that lends a buffer; bf16 are integers of 16 bits."""
        try:
            array = interchange.array_of(given, self._which[number])
        except ArgumentError:
            raise
        except (TypeError, ValueError, RuntimeError, BufferError) as error:
            message = f"{self._which[number]} requires an array, but {type(given).__name__} does not have one"
            raise ArgumentTypeError(f"{message}: {without_address(error)}") from error
        # NumPy may lack a type that has this name in other frameworks.
        is_brain = str(getattr(given, "dtype", "")).endswith("bfloat16")
        found = "bfloat16" if is_brain else str(array.dtype)
        if found != str(self._dtypes[number]):
            array = self._other(number, casts.typed(array, given) if self._casts else array, found)
        if number < self._outputs and array.flags.owndata:
            required = f"{self._which[number]} must lend its memory, as arrays of NumPy do"
            raise ArgumentTypeError(f"{required}, but {type(given).__name__} does not")
        return array

    def _other(self, number: int, array: Any, found: str) -> Any:
        """An array of another type than that of a parameter. Inputs are converted; outputs are after the call."""
        wanted, is_output = self._dtypes[number], number < self._outputs
        source, destination = (wanted, array.dtype) if is_output else (array.dtype, wanted)
        if not self._casts or not casts.can_cast(source, destination):
            raise self._wrong_type(number, found, "" if self._casts else casts.hint(source, destination))
        if is_output and not self._is_whole[number]:
            raise self._wrong_type(number, found, ", and elements of it may keep their values")
        return array if is_output else array.astype(wanted)

    def _number(self, number: int, given: Any) -> Any:
        """A number as an array without dimensions."""
        basic, dtype = self._parameters[number].type, self._dtypes[number]
        if self._casts and isinstance(given, numpy.generic) and casts.can_cast(given.dtype, dtype):
            given = given.item()
        if not is_of_type(given, basic):
            rest = casts.hint(given.dtype, dtype) if isinstance(given, numpy.generic) else ""
            required = f"{self._which[number]} must be a number of type {dtype}"
            raise ArgumentTypeError(f"{required}, but is {described(given)}{rest}")
        if not is_in_range(given, basic):
            raise ArgumentValueError(f"{self._which[number]} must be in the range of {dtype}, but is {given!r}")
        return numpy.array(given, dtype)

    def _check_output(self, number: int, array: Any) -> None:
        flags = array.flags
        if not flags.writeable:
            raise ArgumentValueError(f"{self._which[number]} must be writable, but is read-only")
        if not flags.c_contiguous and _overlaps_itself(array):
            raise ArgumentValueError(f"the elements of {self._which[number]} must not overlap each other")


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
