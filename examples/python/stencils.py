"""Stencils of the MDH paper (Figure 16), and Jacobi1D in both forms."""

from mdh import *


def jacobi1d(T: BasicType, N: int):
    @mdh()
    def jacobi1d():
        @scalar_function()
        def mean(out: Scalar[T], inp: Scalar[T]):
            out["y"] = (inp["x", 1] + inp["x", 2] + inp["x", 3]) / 3.0

        return (
            out_view[T](y=[lambda i: i]),
            md_hom[N](mean, cc),
            inp_view[T](x=[lambda i: i, lambda i: i + 1, lambda i: i + 2]),
        )

    return jacobi1d


def jacobi1d_loops(T: BasicType, N: int):
    """The same as a loop."""

    @mdh(out(y=Buffer[T]), inp(x=Buffer[T]), combine_ops(cc))
    def jacobi1d_loops(y, x):
        for i in range(N):
            y[i] = (x[i] + x[i + 1] + x[i + 2]) / 3.0

    return jacobi1d_loops


def jacobi2d(T: BasicType, I: int, J: int):
    """The mean of an element and its four neighbors."""

    @mdh(out(y=Buffer[T]), inp(x=Buffer[T]), combine_ops(cc, cc))
    def jacobi2d(y, x):
        for i in range(I):
            for j in range(J):
                y[i, j] = (x[i, j + 1] + x[i + 1, j] + x[i + 1, j + 1] + x[i + 1, j + 2] + x[i + 2, j + 1]) / 5

    return jacobi2d


WINDOW = (
    (0.161, (1, 1, 2)),
    (0.162, (1, 1, 0)),
    (0.163, (1, 2, 1)),
    (0.164, (1, 0, 1)),
    (0.165, (2, 1, 1)),
    (0.166, (0, 1, 1)),
    (-1.67, (1, 1, 1)),
)
"""The weights of `jacobi3d`, and the places in a window of 3x3x3 elements that they belong to."""


def jacobi3d(T: BasicType, I: int, J: int, K: int):
    """The stencil j3d7pt."""

    @mdh(out(y=Buffer[T]), inp(x=Buffer[T]), combine_ops(cc, cc, cc))
    def jacobi3d(y, x):
        for i in range(I):
            for j in range(J):
                for k in range(K):
                    y[i, j, k] = sum(weight * x[i + di, j + dj, k + dk] for weight, (di, dj, dk) in WINDOW)

    return jacobi3d
