"""A stencil: heat spreads in a plate of two materials, in many steps.

The computation gives the interior of the plate. Its output is a part of an array, `after[1:-1, 1:-1]`, so the border is
never written, and keeps its temperature. Two arrays take turns: what a step writes, the next one reads.
"""

import numpy
from measure import options
from mdh import *
from mdh import compiler as mdhc
from pictures import coloured, write


def heat(rows: int, columns: int) -> Computation:
    """The temperature of each element after a step, for (rows + 2) x (columns + 2) elements before it."""

    @mdh(
        out(after=Buffer[fp32]),
        inp(before=Buffer[fp32], conductivity=Buffer[fp32]),
        combine_ops(cc, cc),
    )
    def heat(after, before, conductivity):
        for i in range(rows):
            for j in range(columns):
                middle = before[i + 1, j + 1]
                around = before[i, j + 1] + before[i + 2, j + 1] + before[i + 1, j] + before[i + 1, j + 2]
                after[i, j] = middle + conductivity[i, j] * (around - 4 * middle)

    return heat


def with_numpy(after: numpy.ndarray, before: numpy.ndarray, conductivity: numpy.ndarray) -> None:
    """A step on parts of the array that are shifted against each other."""
    middle = before[1:-1, 1:-1]
    around = before[:-2, 1:-1] + before[2:, 1:-1] + before[1:-1, :-2] + before[1:-1, 2:]
    after[1:-1, 1:-1] = middle + conductivity * (around - 4 * middle)


def plate(rows: int, columns: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """A cold plate with hot discs, heated on its left side, and the conductivity of its interior: bars conduct well."""
    random = numpy.random.default_rng(8)
    y, x = numpy.mgrid[: rows + 2, : columns + 2]
    temperature = numpy.where(x == 0, 100, 0).astype("float32")
    for _ in range(30):
        cy, cx, radius = random.random(3) * (rows, columns, rows / 8)
        temperature[numpy.hypot(y - cy, x - cx) < radius] = random.integers(40, 100)
    temperature[:, -1] = temperature[0] = temperature[-1] = 0
    bars = numpy.sin(y / 12 + 3 * numpy.sin(x / 60)) > 0
    return temperature, numpy.where(bars, 0.24, 0.01).astype("float32")[1:-1, 1:-1]


def main() -> None:
    chosen = options(__doc__)
    rows, columns, steps = chosen.size((800, 1200, 300), (40, 60, 50))
    start, conductivity = plate(rows, columns)
    function = mdhc.compile(heat(rows, columns))

    before, after = start.copy(), start.copy()
    for _ in range(steps):
        function.run(after[1:-1, 1:-1], before, conductivity)
        before, after = after, before
    expected, other = start.copy(), start.copy()
    for _ in range(steps):
        with_numpy(other, expected, conductivity)
        expected, other = other, expected
    numpy.testing.assert_allclose(before, expected, rtol=1e-4, atol=1e-4)

    chosen.compare(
        f"a step on {rows} x {columns} elements",
        lambda: function.run(after[1:-1, 1:-1], before, conductivity),
        lambda: with_numpy(after, before, conductivity),
    )
    if chosen.output:
        write(chosen.output / "stencil_before.png", coloured(start))
        write(chosen.output / "stencil_after.png", coloured(before))


if __name__ == "__main__":
    main()
