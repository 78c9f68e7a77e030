"""Sizes that are known when a function runs, which become dynamic extents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import SupportsIndex, TypeGuard

import numpy

from ..errors import ArgumentTypeError
from ..messages import described


class Size:
    """A size that is known when the function runs: it is found from the shapes of the arrays of each call.

    It is given to a computation instead of an integer. Sizes are added and subtracted, and multiplied with integers;
    two of one name are the same size.

    >>> N = Size("N")
    >>> N - 2, 2 * N + 1, N - N
    (N - 2, 2 * N + 1, 0)
    >>> Size("N") == N
    True
    """

    __slots__ = ("constant", "terms")

    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or not name.isidentifier():
            raise ArgumentTypeError(f"a size requires a name, such as Size('N'), but has {described(name)}")
        self.terms: dict[str, int] = {name: 1}
        self.constant = 0

    @staticmethod
    def _of(terms: Mapping[str, int], constant: int) -> Size | int:
        """The sum, which is an integer if no size is left."""
        left = {name: factor for name, factor in terms.items() if factor}
        if not left:
            return constant
        size = Size.__new__(Size)
        size.terms, size.constant = left, constant
        return size

    def _plus(self, other: object, sign: int) -> Size | int:
        terms, constant = dict(self.terms), self.constant
        if isinstance(other, Size):
            for name, factor in other.terms.items():
                terms[name] = terms.get(name, 0) + sign * factor
            return Size._of(terms, constant + sign * other.constant)
        return Size._of(terms, constant + sign * other.__index__()) if is_integer(other) else NotImplemented

    def __add__(self, other: Size | int) -> Size | int:
        return self._plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Size | int) -> Size | int:
        return self._plus(other, -1)

    def __rsub__(self, other: int) -> Size | int:
        return -1 * self + other

    def __mul__(self, factor: int) -> Size | int:
        if not is_integer(factor):
            return NotImplemented
        number = factor.__index__()
        return Size._of({name: number * of for name, of in self.terms.items()}, number * self.constant)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Size) and (self.terms, self.constant) == (other.terms, other.constant)

    def __hash__(self) -> int:
        return hash((frozenset(self.terms.items()), self.constant))

    def __repr__(self) -> str:
        signs = {1: "", -1: "-"}
        parts = [signs.get(factor, f"{factor} * ") + name for name, factor in self.terms.items()]
        parts += [str(self.constant)] if self.constant else []
        return " + ".join(parts).replace("+ -", "- ")

    def value(self, sizes: Mapping[str, int]) -> int:
        """The number, for the number of each name.

        >>> (2 * Size("N") + 1).value({"N": 5})
        11
        """
        return self.constant + sum(factor * sizes[name] for name, factor in self.terms.items())


def is_integer(value: object) -> TypeGuard[SupportsIndex]:
    """True for integers of Python and other packages."""
    return isinstance(value, SupportsIndex) and not isinstance(value, (bool, numpy.bool_, numpy.ndarray))


@dataclass(frozen=True)
class Largest:
    """The largest of several sizes: the length of a buffer that several index functions reach."""

    of: tuple[Size | int, ...]

    def __repr__(self) -> str:
        return f"max({', '.join(map(repr, self.of))})"


Length = int | Size | Largest
"""The length of a buffer in a dimension."""


def longest(lengths: Sequence[Size | int]) -> Length:
    """The largest of several lengths; those that are always less are left out.

    >>> N = Size("N")
    >>> longest([3, 5]), longest([N, N + 2]), longest([N, 6])
    (5, N + 2, max(N, 6))
    """
    kept: list[Size | int] = []
    for length in lengths:
        if not any(_covers(other, length) for other in kept):
            kept = [other for other in kept if not _covers(length, other)] + [length]
    return kept[0] if len(kept) == 1 else Largest(tuple(kept))


def _covers(length: Size | int, other: Size | int) -> bool:
    """True if a length is at least another one, whatever the sizes are."""
    more = length - other
    if isinstance(more, Size):
        return more.constant >= 0 and all(factor > 0 for factor in more.terms.values())
    return more >= 0


def length_of(length: Length, sizes: Mapping[str, int]) -> int:
    """A length as a number, which is at least 0."""
    if isinstance(length, Largest):
        return max(length_of(one, sizes) for one in length.of)
    return max(length.value(sizes), 0) if isinstance(length, Size) else length


@dataclass(frozen=True)
class Equation:
    """A size that follows from the length of an array in one dimension, and from the sizes that are known before."""

    array: int
    dimension: int
    name: str
    length: Size

    def solve(self, length: int, sizes: Mapping[str, int]) -> int:
        """The size; the largest one that is possible if none is exact."""
        factor = self.length.terms[self.name]
        return (length - self.length.value({**sizes, self.name: 0})) // factor


def equations(shapes: Sequence[Sequence[Length]]) -> list[Equation]:
    """How sizes follow from the shapes of arrays, in an order in which they can be computed.

    A size that does not follow from the shapes is left out.

    >>> N, K = Size("N"), Size("K")
    >>> [(one.name, one.array) for one in equations([(N + K,), (K + 1,)])]
    [('K', 1), ('N', 0)]
    """
    lengths = [
        (array, dimension, length)
        for array, shape in enumerate(shapes)
        for dimension, length in enumerate(shape)
        if isinstance(length, Size)
    ]
    # Lengths that are a size alone come first, because errors about them are simpler.
    lengths.sort(key=lambda entry: (len(entry[2].terms), max(entry[2].terms.values()), entry[2].constant != 0))
    found: list[Equation] = []
    known: set[str] = set()
    while True:
        for array, dimension, length in lengths:
            unknown = [name for name in length.terms if name not in known]
            if len(unknown) == 1 and length.terms[unknown[0]] > 0:
                found.append(Equation(array, dimension, unknown[0], length))
                known.add(unknown[0])
                break
        else:
            return found
