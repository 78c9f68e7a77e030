"""Linear expressions of the indices of a point, which index functions consist of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..computations.sizes import Size


@dataclass(frozen=True)
class Affine:
    """`coefficients[0] * i_0 + … + constant`, for the indices of a point.

    >>> i, k = Affine.dimension(0, 2), Affine.dimension(1, 2)
    >>> (i.scaled(2) + k.shifted(1)).spell(["i", "k"])
    'i * 2 + k + 1'
    """

    coefficients: tuple[int, ...]
    constant: int

    @staticmethod
    def dimension(number: int, dimensions: int) -> Affine:
        """The index of a dimension, counted from 0."""
        return Affine(tuple(int(other == number) for other in range(dimensions)), 0)

    @staticmethod
    def number(constant: int, dimensions: int) -> Affine:
        """A constant."""
        return Affine((0,) * dimensions, constant)

    def __add__(self, other: Affine) -> Affine:
        coefficients = tuple(a + b for a, b in zip(self.coefficients, other.coefficients))
        return Affine(coefficients, self.constant + other.constant)

    def scaled(self, factor: int) -> Affine:
        """The product with a number."""
        return Affine(tuple(factor * c for c in self.coefficients), factor * self.constant)

    def shifted(self, number: int) -> Affine:
        """The sum with a number."""
        return Affine(self.coefficients, self.constant + number)

    @property
    def alone(self) -> int | None:
        """The dimension whose index it is; None if it is another expression."""
        is_index = not self.constant and sorted(self.coefficients)[-1:] == [1] and sum(map(abs, self.coefficients)) == 1
        return self.coefficients.index(1) if is_index else None

    def at(self, point: Sequence[int]) -> int:
        """The value at a point."""
        return self.constant + sum(c * i for c, i in zip(self.coefficients, point))

    def bounds(self, extents: Sequence[Size | int]) -> tuple[Size | int, Size | int] | None:
        """The smallest and the largest value over all points; None if an index that it depends on has no value."""
        low: Size | int = self.constant
        high: Size | int = self.constant
        for coefficient, extent in zip(self.coefficients, extents):
            if coefficient and extent == 0:
                return None
            reach = (extent - 1) * coefficient
            if coefficient < 0:
                low = low + reach
            else:
                high = high + reach
        return low, high

    def spell(self, names: Sequence[str]) -> str:
        """The expression in the syntax of affine maps."""
        terms = [name if c == 1 else f"{name} * {c}" for name, c in zip(names, self.coefficients) if c]
        if self.constant or not terms:
            terms.append(str(self.constant))
        return " + ".join(terms).replace("+ -", "- ")
