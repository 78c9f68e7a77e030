"""Elements of outputs: each is assigned at one point only, so index functions reach another element at each point.

The compiler proves it for all programs (rules C8 and C9 of the dialect). The checks here find what programs get wrong,
and say it with their names.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, product

from ..errors import Location, TranslationError
from ..translate.affine import Affine
from .definition import Dimension
from .sizes import Size

_MOST = 1 << 14
"""The number of elements that are compared, of all accesses together."""

Point = tuple[int, ...]
Function = tuple[Affine, ...]


class Elements:
    """The elements of a buffer that a computation assigns. `dimensions` are those of the computation."""

    def __init__(self, name: str, dimensions: Sequence[Dimension]) -> None:
        self._name = name
        self._dimensions = dimensions
        self._names = [dimension.name for dimension in dimensions]
        # Results have the extent 1 in a dimension that is reduced.
        self._extents = [1 if dimension.kind == "pw" else dimension.extent for dimension in dimensions]
        self._open = [number for number, extent in enumerate(self._extents) if extent != 1]

    def check(self, functions: Sequence[Function], places: Sequence[Location]) -> None:
        """Raises `TranslationError` if two assignments of a computation are known to be those of one element."""
        if 0 in self._extents:
            return
        for function, place in zip(functions, places):
            self._check_dimensions(function, place)
            self._check_pairs(function, place)
        if len(functions) > 1 or not all(map(self._is_separable, functions)):
            self._compare(functions, places)

    def _check_dimensions(self, function: Function, place: Location) -> None:
        """Each dimension that is kept must occur in an index."""
        for number in self._open:
            if not any(index.coefficients[number] for index in function):
                name, kind = self._names[number], self._dimensions[number].kind
                message = f"{self._spell(function)} is the same element for all '{name}', whose operator is {kind}"
                required = f"an index of '{self._name}' must depend on '{name}', or a reduction combine it"
                raise TranslationError(f"{message}: {required}, such as pw(add)", place)

    def _check_pairs(self, function: Function, place: Location) -> None:
        """No step along two dimensions leads back to the same element, as it does for `w[i + k]`."""
        for left, right in combinations(self._open, 2):
            rows = [(index.coefficients[left], index.coefficients[right]) for index in function]
            a, b = max(rows, key=lambda row: sum(map(abs, row)))
            if any(a * other[1] != b * other[0] for other in rows):
                continue
            divisor = math.gcd(a, b)
            step = {left: b // divisor, right: -a // divisor}
            if all(self._contains(number, abs(length)) for number, length in step.items()):
                points = [tuple(max(0, sign * step.get(n, 0)) for n in range(len(self._names))) for sign in (-1, 1)]
                raise self._twice((function, points[0]), (function, points[1]), place)

    def _contains(self, dimension: int, position: int) -> bool:
        extent = self._extents[dimension]
        return isinstance(extent, Size) or position < extent

    def _is_separable(self, function: Function) -> bool:
        """True if the position in each dimension follows from the indices, one after the other."""
        left = set(self._open)
        while left:
            used = [{number for number in left if index.coefficients[number]} for index in function]
            known = {number for one in used if len(one) == 1 for number in one}
            if not known:
                return False
            left -= known
        return True

    def _compare(self, functions: Sequence[Function], places: Sequence[Location]) -> None:
        """Compares the elements of the first points."""
        largest = int((_MOST / len(functions)) ** (1 / max(len(self._open), 1)) + 1e-9)
        ranges = [range(largest if isinstance(extent, Size) else min(extent, largest)) for extent in self._extents]
        reached: dict[Point, tuple[Function, Point]] = {}
        for point in product(*ranges):
            for function, place in zip(functions, places):
                element = tuple(index.at(point) for index in function)
                other = reached.setdefault(element, (function, point))
                if other != (function, point):
                    raise self._twice(other, (function, point), place)

    def _twice(self, left: tuple[Function, Point], right: tuple[Function, Point], place: Location) -> TranslationError:
        names = f"({', '.join(self._names)})" if len(self._names) > 1 else self._names[0]
        first, second = (
            f"{self._spell(function)} at {names} = {point if len(point) > 1 else point[0]}"
            for function, point in (left, right)
        )
        message = f"{first} and {second} are the same element of '{self._name}'"
        return TranslationError(f"{message}: each element must be assigned at one point only", place)

    def _spell(self, function: Function) -> str:
        indices = ", ".join(index.spell(self._names) for index in function)
        return f"{self._name}[{indices or '()'}]"
