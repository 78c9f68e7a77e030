"""The parts of a computation, after they have been translated and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from ..translate.affine import Affine
from ..translate.scalar import Region
from ..types import BasicType
from .sizes import Length, Size


@dataclass(frozen=True)
class Parameter:
    """A buffer of a computation: its name, its element type, and its length in each dimension.

    A length is an integer, or an expression of sizes that are known when the function runs. A number has no dimensions.
    """

    name: str
    type: BasicType
    shape: tuple[Length, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.type}{list(self.shape)}"

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The element type of the NumPy array that is given for it."""
        return self.type.dtype

    @property
    def elements(self) -> str:
        """Its extents and its element type in the IR, such as `4x?xf32`."""
        return f"{''.join(f'{spell_extent(length)}x' for length in self.shape)}{self.type.mlir}"


@dataclass(frozen=True)
class Operator:
    """A combining function: built-in names, one for all or one for each output, or a translated function.

    `identity` is a block of its own that yields the identity of a translated function; None if it declares none.
    """

    names: tuple[str, ...] = ()
    name: str = ""
    function: Region | None = None
    commutative: bool = True
    identity: Region | None = None


@dataclass(frozen=True)
class Dimension:
    """A dimension: its name, its extent, and its combine operator (`cc`, `pw` or `ps`)."""

    name: str
    extent: Size | int
    kind: str
    operator: Operator | None = None

    @property
    def without_identity(self) -> str | None:
        """The name of the function that reduces it, if that has no identity, so that the extent must not be 0."""
        if self.kind != "pw" or self.operator is None or self.operator.function is None or self.operator.identity:
            return None
        return self.operator.name


@dataclass(frozen=True)
class Access:
    """A buffer with its index functions."""

    parameter: Parameter
    functions: tuple[tuple[Affine, ...], ...]
    is_output: bool

    def covers(self, extents: Sequence[Size | int]) -> bool:
        """Whether each element is known to be one of a point: each index is that of a dimension as long as the buffer.

        Args:
            extents: those of the points.
        """
        if len(self.functions) > 1:
            return False
        dimensions = [index.alone for index in self.functions[0]]
        known = [dimension for dimension in dimensions if dimension is not None]
        lengths = [1 if dimension is None else extents[dimension] for dimension in dimensions]
        return lengths == list(self.parameter.shape) and len(set(known)) == len(known)

    @property
    def mlir(self) -> str:
        """The type of the buffer in the IR: inputs are values, and outputs are written in place."""
        return f"{'memref' if self.is_output else 'tensor'}<{self.parameter.elements}>"


def spell_extent(length: Length) -> str:
    """An extent in the types of the IR."""
    return str(length) if isinstance(length, int) else "?"
