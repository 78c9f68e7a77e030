"""The computations of the MDH paper, each compared with NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import computations
import histograms
import mandelbrot
import numpy
import pytest
import records
import stencils
from mdh import *
from mdh import compiler, max, min

RANDOM = numpy.random.default_rng(1)


def integers(*shape: int, dtype: str = "float32", low: int = -4, high: int = 4) -> Any:
    """Small integers, of which sums are exact."""
    return RANDOM.integers(low, high + 1, shape).astype(dtype)


def results(computation: Any, *inputs: Any) -> list[Any]:
    """The outputs of a computation, which begin as garbage."""
    outputs = [numpy.full(parameter.shape, 77, parameter.dtype) for parameter in computation.outputs]
    with compiler.compile(computation=computation) as function:
        function.run(*outputs, *inputs)
    return outputs


def check(computation: Any, inputs: Sequence[Any], *expected: Any, tolerance: float = 0) -> None:
    """Compares all outputs."""
    for found, wanted in zip(results(computation, *inputs), expected, strict=True):
        numpy.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def windows(image: Any, rows: int, columns: int, stride: int = 1) -> Any:
    """All windows along the dimensions 1 and 2, as dimensions at the end."""
    found = numpy.lib.stride_tricks.sliding_window_view(image, (rows, columns), (1, 2))
    return found[:, ::stride, ::stride]


@pytest.mark.parametrize("build", [computations.matvec, computations.matvec_loops])
def test_matvec(build: Callable[..., Any]) -> None:
    M, v = integers(19, 23), integers(23)
    check(build(fp32, 19, 23), [M, v], M @ v)


def test_programs_of_the_site() -> None:
    def matvec(T: BasicType, I: int, K: int) -> Any:
        @mdh()
        def matvec__T_I_K():
            @scalar_function()
            def mul(out: Scalar[T], inp: Scalar[T, T]):
                out["w"] = inp["M"] * inp["v"]

            @pw_custom_func()
            def add(res, lhs, rhs):
                res["w"] = lhs["w"] + rhs["w"]

            return (
                out_view[T](w=[lambda i, k: i]),
                md_hom[I, K](mul, (cc, pw(add))),
                inp_view[T, T](M=[lambda i, k: (i, k)], v=[lambda i, k: k]),
            )

        return matvec__T_I_K()

    M, v = integers(1024, 1024), integers(1024)
    check(matvec(fp32, 1024, 1024), [M, v], M @ v)
    assert "#mdh.pw<add>" in matvec(fp32, 1024, 1024).mlir


def test_products() -> None:
    A, B = integers(13, 17), integers(17, 11)
    check(computations.dot(fp32, 17), [A[0], B[:, 0].copy()], A[0] @ B[:, 0])
    check(computations.matmul(fp32, 13, 11, 17), [A, B], A @ B)
    check(computations.matmul_transposed(fp64, 13, 11, 17), [A.T.astype("d"), B.T.astype("d")], (A @ B).T)
    A, B = integers(3, 5, 11), integers(3, 11, 7)
    check(computations.bmatmul(fp32, 3, 5, 7, 11), [A, B], A @ B)


@pytest.mark.parametrize("contraction", computations.CCSDT)
def test_ccsdt(contraction: str) -> None:
    extents = dict(zip("abcdefg", (2, 3, 2, 3, 2, 3, 5)))
    left, right = contraction.split("-")
    A, B = (integers(*(extents[letter] for letter in operand)) for operand in (left, right))
    expected = numpy.einsum(f"{left},{right}->abcdef", A, B)
    check(computations.ccsdt(fp32, contraction, *extents.values()), [A, B], expected)


def test_convolutions() -> None:
    image, weights = integers(15, 17), integers(5, 5)
    expected = numpy.einsum("pqrs,rs->pq", windows(image[None], 5, 5)[0], weights)
    check(computations.conv2d(fp32, 11, 13, 5, 5), [image, weights], expected)
    weights = integers(3, 3, 2, 3)
    for stride, height, width in ((1, 5, 6), (2, 7, 8)):
        image = integers(2, height, width, 3)
        found = windows(image, 3, 2, stride)
        expected = numpy.einsum("npqcrs,krsc->npqk", found, weights)
        p, q = expected.shape[1:3]
        check(computations.mcc(fp32, 2, p, q, 3, 3, 2, 3, stride), [image, weights], expected)
    image, weights = integers(1, 3, 5, 2, 2, 2), integers(2, 2, 3, 2, 2, 3)
    expected = numpy.einsum("npqcixrs,krscxj->npqkij", windows(image, 2, 3), weights)
    check(computations.mcc_capsule(fp32, 1, 2, 3, 2, 2, 3, 2, 2, 3, 2), [image, weights], expected)


@pytest.mark.parametrize("build", [stencils.jacobi1d, stencils.jacobi1d_loops])
def test_jacobi1d(build: Callable[..., Any]) -> None:
    x = integers(1026)
    check(build(fp32, 1024), [x], (x[:-2] + x[1:-1] + x[2:]) / numpy.float32(3))


def test_stencils() -> None:
    x = integers(15, 19)
    expected = x[1:-1, :-2] + x[:-2, 1:-1] + x[1:-1, 1:-1] + x[1:-1, 2:] + x[2:, 1:-1]
    check(stencils.jacobi2d(fp32, 13, 17), [x], expected / numpy.float32(5), tolerance=1e-6)
    x = integers(7, 9, 13)
    expected = sum(w * x[i : i + 5, j : j + 7, k : k + 11] for w, (i, j, k) in stencils.WINDOW)
    check(stencils.jacobi3d(fp32, 5, 7, 11), [x], expected, tolerance=1e-5)


def test_map_reduce_scan() -> None:
    x = integers(101)
    check(computations.apply(fp32, 101), [x], numpy.where(x < 0, x * numpy.float32(0.5), x * x))
    check(computations.reduce(fp32, 101), [x], x.sum())
    check(computations.reduce(fp32, 101, max), [x], x.max())
    check(computations.reduce(int32, 101, xor), [x.astype("i")], numpy.bitwise_xor.reduce(x.astype("i")))
    check(computations.scan(fp32, 101), [x], numpy.cumsum(x))
    check(computations.scan(fp32, 101, min), [x], numpy.minimum.accumulate(x))
    x = numpy.where(x > 0, 2, 0.5).astype("f")
    check(computations.reduce_multiple(fp32, 101), [x], x.sum(), x.prod())
    check(computations.reduce(fp64, 101, mul), [x.astype("d")], x.astype("d").prod())


def test_mbbs() -> None:
    x = integers(19, 23)
    check(computations.mbbs(fp32, 19, 23), [x], numpy.cumsum(x.sum(axis=1)))


def test_histograms() -> None:
    elements, bins = integers(397, dtype="int32", low=2, high=14), numpy.arange(13, dtype="int32")
    check(histograms.histo(397, 13), [elements, bins], [(elements == bin).sum() for bin in bins])
    counts = [3 * (elements == bin).sum() + (abs(elements - bin) == 1).sum() for bin in bins]
    assert numpy.max(counts) > histograms.LARGEST
    check(histograms.genhisto(397, 13), [elements, bins], numpy.minimum(counts, histograms.LARGEST))


def test_mandelbrot() -> None:
    expected = [
        [mandelbrot.steps(numpy.float32(j * 3 / 16 - 2), numpy.float32(i * 3 / 16 - 1.5), 64) for j in range(16)]
        for i in range(16)
    ]
    found = results(mandelbrot.mandelbrot(fp32, 16, 16))[0]
    # Points whose orbit passes close to |z| = 2 may escape a step later, because NumPy rounds products.
    assert (found != expected).sum() <= 4 and numpy.max(found) == 64 and numpy.min(found) == 1


def test_record_linkage() -> None:
    N, E = integers(11, 14, dtype="int32", low=0, high=1), integers(17, 14, dtype="int32", low=0, high=1)
    # Some records that are in both, one twice, and one that is like no other.
    N[:4], E[7], N[10] = E[3:7], E[3], 2
    ids = [numpy.arange(count, dtype="int64") for count in (11, 17)]
    agree = N[:, None, :] == E[None, :, :]
    weights = numpy.where(agree, records.AGREE, records.DIFFER).sum(axis=2)
    best = weights.max(axis=1)
    expected = (ids[0], weights.argmax(axis=1), best, (best >= 15) * 1 + (best >= 45))
    assert set(expected[3]) >= {0, 2}
    check(records.prl(11, 17), [ids[0], N, ids[1], E], *expected)


@pytest.mark.parametrize("basic", [fp16, bf16, fp64, int32])
def test_types(basic: Any) -> None:
    M, v = integers(3, 5).astype(basic.dtype), integers(5).astype(basic.dtype)
    found = results(computations.matvec(basic, 3, 5), M, v)[0]
    assert (found.astype("d") == M.astype("d") @ v.astype("d")).all()
