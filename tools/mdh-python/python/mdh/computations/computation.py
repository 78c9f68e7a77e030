"""Computations: what `@mdh(…)` makes of a Python function, and their MLIR text."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentTypeError, Location
from ..translate.scalar import Region
from .definition import Access, Dimension
from .definition import Parameter as Parameter
from .sizes import Size
from .text import Text


class Computation:
    """A computation of fixed types, and of sizes that are fixed or known when its function runs.

    `mlir` is a module with one function, `name`: the inputs in order, which are tensors, the sizes that it reads, then
    the outputs, which are memrefs that it writes.
    """

    def __init__(
        self,
        name: str,
        location: Location,
        dimensions: tuple[Dimension, ...],
        inputs: tuple[Access, ...],
        outputs: tuple[Access, ...],
        scalar: Region,
    ) -> None:
        self.name = name
        self.location = location
        self.dimensions = dimensions
        """The dimensions, with their names, extents and combine operators."""
        self._inputs = inputs
        self._outputs = outputs
        self._scalar = scalar
        # Operations that a type does not have are found when text is made of them.
        text = Text(name, location, dimensions, locations=False)
        self._text = text.module(inputs, outputs, scalar)
        self.size_parameters: tuple[str, ...] = tuple(text.sizes)
        """The sizes that are parameters of the function in `mlir`; others follow from the shapes of its buffers."""

    def __call__(self, *arguments: Any, **named: Any) -> Computation:
        """The computation itself, so that a decorated function may be called or not, but without arguments."""
        if arguments or named:
            call = f"mdh.compile({self.name}) is the function that takes arguments"
            raise ArgumentTypeError(f"'{self.name}' is a computation, which is compiled before it is called: {call}")
        return self

    def __repr__(self) -> str:
        return f"<computation {self.name}({', '.join(map(str, (*self.outputs, *self.inputs)))})>"

    @property
    def inputs(self) -> tuple[Parameter, ...]:
        """The input buffers in order."""
        return tuple(access.parameter for access in self._inputs)

    @property
    def outputs(self) -> tuple[Parameter, ...]:
        """The output buffers in order."""
        return tuple(access.parameter for access in self._outputs)

    @property
    def written_whole(self) -> list[bool]:
        """Whether all elements of each output are known to be written; others keep values that they have."""
        extents = [1 if dimension.kind == "pw" else dimension.extent for dimension in self.dimensions]
        return [access.covers(extents) for access in self._outputs]

    @property
    def extents(self) -> tuple[Size | int, ...]:
        """The extent of each dimension."""
        return tuple(dimension.extent for dimension in self.dimensions)

    @property
    def mlir(self) -> str:
        """The program."""
        return self._text

    @property
    def mlir_with_locations(self) -> str:
        """The program with the places in the Python code, which messages of the compiler then name."""
        text = Text(self.name, self.location, self.dimensions, locations=True)
        return text.module(self._inputs, self._outputs, self._scalar)
