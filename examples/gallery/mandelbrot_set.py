"""The Mandelbrot set: how many steps of z := z^2 + c it takes until |z| exceeds 2.

The computation is that of examples/python/mandelbrot.py. It has no input: the scalar function makes the point c of the
index of an element, and calls an ordinary Python function with a loop that is left early, which is translated. Each
element leaves the loop at its own step, so the elements of a vector are computed one after the other.

Rounding decides about points at the edge of the set. With `strict=True`, products and sums are rounded as NumPy rounds
them, and the results are equal. Without it, a product and a sum may be one instruction, which rounds once; that may
change a few elements.
"""

import pathlib
import sys

import numpy
from measure import options
from mdh import *
from mdh import compiler as mdhc
from pictures import coloured, write

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python"))
from mandelbrot import mandelbrot

LEFT, TOP, WIDTH, HEIGHT = REGION = (-2.25, -1.25, 3.0, 2.5)


def with_numpy(rows: int, columns: int, most: int) -> numpy.ndarray:
    """All points that are left make a step together; those whose |z| exceeds 2 are taken out."""
    re = numpy.arange(columns) * WIDTH / columns + LEFT
    im = numpy.arange(rows) * HEIGHT / rows + TOP
    c_re, c_im = numpy.tile(re, rows), numpy.repeat(im, columns)
    x, y = numpy.zeros(rows * columns), numpy.zeros(rows * columns)
    count, left = numpy.zeros(rows * columns, "int32"), numpy.arange(rows * columns)
    for _ in range(most):
        inside = x * x + y * y <= 4
        if not inside.all():
            x, y, left = x[inside], y[inside], left[inside]
            c_re, c_im = c_re[inside], c_im[inside]
        x, y = x * x - y * y + c_re, 2 * x * y + c_im
        count[left] += 1
    return count.reshape(rows, columns)


def main() -> None:
    chosen = options(__doc__)
    rows, columns, most = chosen.size((800, 960, 200), (50, 60, 50))
    computation = mandelbrot(fp64, rows, columns, most, REGION)
    exact, fast = mdhc.compile(computation, strict=True), mdhc.compile(computation)
    counts = numpy.empty((rows, columns), "int32")
    others = numpy.empty((rows, columns), "int32")
    exact.run(counts)
    fast.run(others)
    expected = with_numpy(rows, columns, most)
    assert (counts == expected).all()
    different = numpy.count_nonzero(others != expected)
    assert different < 0.01 * expected.size
    print(f"{different} of {expected.size} elements differ without strict=True")
    size = f"{rows} x {columns} points, {most} steps"
    chosen.compare(f"{size}, strict", lambda: exact.run(counts), lambda: with_numpy(rows, columns, most))
    chosen.compare(size, lambda: fast.run(others), lambda: with_numpy(rows, columns, most))
    if chosen.output:
        write(chosen.output / "mandelbrot.png", coloured(numpy.where(counts < most, numpy.log1p(counts), 0.0)))


if __name__ == "__main__":
    main()
