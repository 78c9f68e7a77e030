"""The shapes of the arrays of a call, and the sizes that follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..computations.computation import Computation
from ..computations.sizes import Length, Size, equations, length_of
from ..errors import ArgumentValueError

_REMEMBERED = 64
"""The number of different shapes of which the sizes are kept."""


class Shapes:
    """Compares the shapes of arrays with those of a computation. `which` are the names of the arrays in messages."""

    def __init__(self, computation: Computation, which: Sequence[str]) -> None:
        self._name = computation.name
        self._which = which
        self._shapes = tuple(parameter.shape for parameter in (*computation.outputs, *computation.inputs))
        self._dimensions = computation.dimensions
        self._parameters = computation.size_parameters
        self._outputs = len(computation.outputs)
        self._equations = equations(self._shapes)
        # The array of an equation is counted from the first input.
        self._of_inputs = equations(self._shapes[self._outputs :])
        found = {equation.name for equation in self._of_inputs}
        names = {name for shape in self._shapes[: self._outputs] for name in _names(shape)}
        # A size of the outputs that follows from no input; None if there is none.
        self._missing = min(names - found, default=None)
        self._is_static = not self._equations
        # The sizes for shapes that were right.
        self._known: dict[tuple[Any, ...], list[int]] = {}

    def check(self, arrays: Sequence[Any]) -> list[int]:
        """The sizes that are parameters of the function. Raises `ArgumentValueError` for other shapes."""
        shapes = tuple([array.shape for array in arrays])
        if self._is_static:
            if shapes != self._shapes:
                pairs = zip(shapes, self._shapes)
                number = next(number for number, (shape, wanted) in enumerate(pairs) if shape != wanted)
                raise self._wrong(number, shapes[number], {})
            return []
        found = self._known.get(shapes)
        if found is None:
            sizes = self._solve(shapes)
            found = [sizes[name] for name in self._parameters]
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[shapes] = found
        return found

    def of_outputs(self, inputs: Sequence[Any]) -> Sequence[Any]:
        """The shapes of the outputs of a call with these inputs."""
        if self._is_static:
            return self._shapes[: self._outputs]
        if self._missing is not None:
            required = f"requires out=, because the size '{self._missing}' of its results follows from no input"
            raise ArgumentValueError(f"a call of '{self._name}' {required}")
        shapes = [array.shape for array in inputs]
        self._check_ranks(shapes, self._outputs)
        sizes: dict[str, int] = {}
        for equation in self._of_inputs:
            sizes[equation.name] = equation.solve(shapes[equation.array][equation.dimension], sizes)
        return [tuple(length_of(length, sizes) for length in shape) for shape in self._shapes[: self._outputs]]

    def _check_ranks(self, shapes: Sequence[tuple[int, ...]], first: int = 0) -> None:
        """Raises `ArgumentValueError` for another number of dimensions. `first`: the number of the first array."""
        for number, shape in enumerate(shapes, first):
            if len(shape) != len(self._shapes[number]):
                raise self._wrong(number, shape, {})

    def _solve(self, shapes: Sequence[tuple[int, ...]]) -> dict[str, int]:
        """The size of each name."""
        self._check_ranks(shapes)
        sizes: dict[str, int] = {}
        for equation in self._equations:
            length = shapes[equation.array][equation.dimension]
            sizes[equation.name] = equation.solve(length, sizes)
            if sizes[equation.name] < 0:
                raise self._wrong(equation.array, shapes[equation.array], {})
        for number, (shape, wanted) in enumerate(zip(shapes, self._shapes)):
            if shape != tuple(length_of(length, sizes) for length in wanted):
                raise self._wrong(number, shape, sizes)
        self._check_extents(sizes)
        return sizes

    def _check_extents(self, sizes: Mapping[str, int]) -> None:
        for dimension in self._dimensions:
            extent = dimension.extent
            if not isinstance(extent, Size):
                continue
            number, least, reason = extent.value(sizes), 0, ""
            if dimension.without_identity:
                least, reason = 1, f", because '{dimension.without_identity}' has no identity"
            if number < least:
                message = f"the extent {extent} of {self._name} must be at least {least}{reason}, but is {number}"
                raise ArgumentValueError(f"{message}{_given(extent, sizes)}")

    def _wrong(self, number: int, shape: tuple[int, ...], sizes: Mapping[str, int]) -> ArgumentValueError:
        """The error of an array of another shape than that for the sizes, if these are known."""
        wanted = self._shapes[number]
        required = _spell(wanted)
        if sizes:
            lengths = [length_of(length, sizes) for length in wanted]
            required = _spell(lengths)
            if lengths != list(wanted):
                required += f", which is {_spell(wanted)}{_given(wanted, sizes)}"
        return ArgumentValueError(f"{self._which[number]} must have the shape {required}, but has {_spell(shape)}")


def _spell(shape: Sequence[Length]) -> str:
    """A shape as Python writes tuples."""
    return f"({shape[0]!r},)" if len(shape) == 1 else f"({', '.join(map(repr, shape))})"


def _given(lengths: Any, sizes: Mapping[str, int]) -> str:
    """The sizes that occur in lengths."""
    found = [f"{name} = {number}" for name, number in sizes.items() if name in _names(lengths)]
    return f" for {' and '.join(found)}"


def _names(length: Any) -> set[str]:
    if isinstance(length, Size):
        return set(length.terms)
    of = length if isinstance(length, tuple) else getattr(length, "of", ())
    return {name for one in of for name in _names(one)}
