"""The Mandelbrot set: a computation without inputs, which uses the indices of the point."""

from mdh import *


def steps(re, im, most):
    """The number of iterations of z := z^2 + c, from z = 0, until |z| exceeds 2."""
    x, y = 0.0, 0.0
    count = 0
    for n in range(most):
        if x * x + y * y > 4:
            break
        x, y = x * x - y * y + re, 2 * x * y + im
        count += 1
    return count


def mandelbrot(T: BasicType, I: int, J: int, most: int = 64, region: tuple[float, float, float, float] = (-2, -1.5, 3, 3)):
    """A grid of I x J points c of a region: its least real and imaginary part, and its size along both."""
    left, top, width, height = region

    @mdh()
    def mandelbrot():
        @scalar_function()
        def count(out, inp, idx):
            i, j = idx
            out["O"] = steps(T(j) * width / T(J) + left, T(i) * height / T(I) + top, most)

        return out_view[int32](O=[lambda i, j: (i, j)]), md_hom[I, J](count, (cc, cc)), inp_view()

    return mandelbrot
