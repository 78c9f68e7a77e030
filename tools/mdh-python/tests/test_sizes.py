"""Sizes that are known when a function runs: results as with fixed sizes, and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import computations
import histograms
import mandelbrot
import numpy
import pytest
import records
import stencils
from mdh import *
from mdh import compiler, max
from test_translation_errors import HEAD, check

RANDOM = numpy.random.default_rng(4)
# A function of `computations` with fixed sizes that have names, and the names of its sizes.
CASES: list[tuple[Callable[..., Any], str]] = [
    (lambda K: computations.dot(fp32, K), "K"),
    (lambda I, K: computations.matvec(fp32, I, K), "I K"),
    (lambda I, K: computations.matvec_loops(fp32, I, K), "I K"),
    (lambda I, J, K: computations.matmul(fp32, I, J, K), "I J K"),
    (lambda I, J, K: computations.matmul_transposed(fp64, I, J, K), "I J K"),
    (lambda B, I, J, K: computations.bmatmul(fp32, B, I, J, K), "B I J K"),
    (lambda a, b, g: computations.ccsdt(fp32, "gdab-efgc", a, b, 2, 3, 2, 3, g), "a b g"),
    (lambda P, Q: computations.conv2d(fp32, P, Q, 5, 5), "P Q"),
    (lambda P, Q, R, S: computations.conv2d(fp32, P, Q, R, S), "P Q R S"),
    (lambda N, P, Q: computations.mcc(fp32, N, P, Q, 2, 3, 2, 3, 2), "N P Q"),
    (lambda N, P, Q: computations.mcc_capsule(fp32, N, P, Q, 2, 2, 3, 2, 2, 2, 2), "N P Q"),
    (lambda N: computations.apply(fp32, N), "N"),
    (lambda N: computations.reduce(fp32, N, max), "N"),
    (lambda N: computations.reduce_multiple(fp32, N), "N"),
    (lambda N: computations.scan(fp32, N), "N"),
    (lambda I, J: computations.mbbs(fp32, I, J), "I J"),
    (lambda N: stencils.jacobi1d(fp32, N), "N"),
    (lambda N: stencils.jacobi1d_loops(fp32, N - 2), "N"),
    (lambda I, J: stencils.jacobi2d(fp32, I, J), "I J"),
    (lambda I, J, K: stencils.jacobi3d(fp32, I, J, K), "I J K"),
    (lambda E, B: histograms.histo(E, B), "E B"),
    (lambda E, B: histograms.genhisto(E, B), "E B"),
    (lambda I, J: records.prl(I, J), "I J"),
    (lambda I, J: mandelbrot.mandelbrot(fp32, I, J, 8), "I J"),
]


def arrays(parameters: Any) -> list[Any]:
    """Small integers, of which sums are exact."""
    return [RANDOM.integers(-4, 5, one.shape).astype(one.dtype) for one in parameters]


def outputs_of(function: Any, parameters: Any, inputs: Any) -> list[Any]:
    """The outputs of a function, which begin as garbage."""
    outputs = [numpy.full(one.shape, 77, one.dtype) for one in parameters]
    function.run(*outputs, *inputs)
    return outputs


@pytest.mark.parametrize("case", CASES)
def test_results_are_those_of_fixed_sizes(case: Any) -> None:
    build, names = case
    function = compiler.compile(build(*map(Size, names.split())))
    for first in (3, 7):
        fixed = build(*(first + number for number in range(len(names.split()))))
        inputs = arrays(fixed.inputs)
        expected = outputs_of(compiler.compile(fixed), fixed.outputs, inputs)
        for found, wanted in zip(outputs_of(function, fixed.outputs, inputs), expected, strict=True):
            numpy.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)


def test_parameters_of_the_program() -> None:
    known = computations.matvec(fp32, Size("I"), 8)
    assert "@matvec(%M: tensor<?x8xf32>, %v: tensor<8xf32>, %w: memref<?xf32>)" in known.mlir
    assert "!mdh.mda<?x8, f32, f32> -> !mdh.mda<?x1, f32>" in known.mlir and "extents" not in known.mlir
    assert known.size_parameters == () and known.extents == (Size("I"), 8)
    assert repr(known) == "<computation matvec(w: fp32[I], M: fp32[I, 8], v: fp32[8])>"
    points = mandelbrot.mandelbrot(fp32, Size("I"), 8)
    assert "inp_view extents(%I) : () -> !mdh.mda<?x8>" in points.mlir and points.size_parameters == ("I",)
    part = stencils.jacobi1d(fp32, Size("N") - 2)
    assert "tensor.extract_slice %x[0] [%n_0] [1] : tensor<?xf32> to tensor<?xf32>" in part.mlir
    assert [repr(one.shape) for one in (*part.outputs, *part.inputs)] == ["(N - 2,)", "(N,)"]


def test_empty_arrays() -> None:
    function = compiler.compile(computations.matvec(fp32, Size("I"), Size("K")))
    w = numpy.full(3, 7, "f")
    function.run(w, numpy.zeros((3, 0), "f"), numpy.zeros(0, "f"))
    assert not w.any()
    function.run(w[:0], numpy.zeros((0, 3), "f"), numpy.zeros(3, "f"))
    compiler.compile(stencils.jacobi1d(fp32, Size("N"))).run(w[:0], numpy.zeros(2, "f"))


def test_a_fixed_extent_of_0() -> None:
    def sums(N: Any) -> Any:
        @mdh(out(y=Buffer[int32]), inp(x=Buffer[int32]), combine_ops(cc, pw(add)))
        def sums(y: Any, x: Any) -> None:
            for n in range(N):
                for k in range(0):
                    y[n] = x[n, k] + x[n + 1, k]

        return sums

    y = numpy.full(3, 7, "i")
    compiler.compile(sums(Size("N"))).run(y, numpy.zeros((4, 0), "i"))
    assert not y.any()


def test_strides() -> None:
    x, y = RANDOM.integers(-4, 5, 31).astype("f"), numpy.zeros(20, "f")
    function = compiler.compile(stencils.jacobi1d_loops(fp32, Size("N")))
    function.run(y[7::-1], x[::3][:10])
    assert (y[7::-1] == (x[:24:3] + x[3:27:3] + x[6:30:3]) / numpy.float32(3)).all() and not y[8:].any()


def test_sizes_are_values() -> None:
    def mean(I: Any, N: Any) -> Any:
        @mdh(out(y=Buffer[fp64]), inp(x=Buffer[fp64]), combine_ops(cc, pw(add)))
        def mean(y: Any, x: Any) -> None:
            for i in range(I):
                for n in range(2 * N):
                    y[i] = x[i, n] / (2 * N) if i < I - 1 else x[i, n] * (N + I)

        return mean

    x, y = RANDOM.integers(-4, 5, (3, 8)).astype("d"), numpy.zeros(3)
    compiler.compile(mean(Size("I"), Size("N"))).run(y, x)
    assert y.tolist() == [*x.mean(axis=1)[:2], x[2].sum() * 7]


def test_operators_without_an_identity() -> None:
    function = compiler.compile(histograms.genhisto(Size("E"), Size("B")))
    empty, bins = numpy.zeros(0, "i"), numpy.zeros(3, "i")
    with pytest.raises(ArgumentValueError) as raised:
        function.run(bins, empty, bins.copy())
    message = "the extent E of genhisto must be at least 1, because 'saturating_add' has no identity"
    assert str(raised.value) == f"{message}, but is 0 for E = 0"


def zeros(*shape: int) -> Any:
    return numpy.zeros(shape, "f")


M, N = Size("M"), Size("N")


@pytest.mark.parametrize(
    "case",
    [
        (
            computations.matvec(fp32, M, N),
            (zeros(3), zeros(3, 4), zeros(5)),
            "the input 'v' of matvec must have the shape (4,), which is (N,) for N = 4, but has (5,)",
        ),
        (
            computations.matvec(fp32, M, 4),
            (zeros(3), zeros(3, 4), zeros(5)),
            "the input 'v' of matvec must have the shape (4,), but has (5,)",
        ),
        (
            computations.matvec(fp32, M, N),
            (zeros(3), zeros(3), zeros(5)),
            "the input 'M' of matvec must have the shape (M, N), but has (3,)",
        ),
        (
            stencils.jacobi1d(fp32, N),
            (zeros(3), zeros(4)),
            "the input 'x' of jacobi1d must have the shape (5,), which is (N + 2,) for N = 3, but has (4,)",
        ),
        (
            stencils.jacobi1d(fp32, N - 2),
            (zeros(0), zeros(1)),
            "the extent N - 2 of jacobi1d must be at least 0, but is -1 for N = 1",
        ),
        (
            computations.conv2d(fp32, M, M, N, N),
            (zeros(3, 3), zeros(5, 4), zeros(3, 3)),
            "the input 'I' of conv2d must have the shape (5, 5), which is (M + N - 1, M + N - 1) for M = 3 and N = 3, "
            "but has (5, 4)",
        ),
        (
            computations.mcc(fp32, 1, N, 1, 1, 1, 1, 1, 2),
            (zeros(1, 3, 1, 1), zeros(1, 6, 1, 1), zeros(1, 1, 1, 1)),
            "the input 'I' of mcc must have the shape (1, 5, 1, 1), which is (1, 2 * N - 1, 1, 1) for N = 3, "
            "but has (1, 6, 1, 1)",
        ),
    ],
)
def test_shapes_that_are_refused(case: Any) -> None:
    computation, given, message = case
    with pytest.raises(ArgumentValueError) as raised:
        compiler.compile(computation).run(*given)
    assert str(raised.value) == message


def test_lengths_that_several_indices_reach() -> None:
    def both(I: Any, K: Any) -> Any:
        @mdh(out(y=Buffer[fp32], z=Buffer[fp32]), inp(x=Buffer[fp32]), combine_ops(cc, cc))
        def both(y: Any, z: Any, x: Any) -> None:
            for i in range(I):
                for k in range(K):
                    y[i, k], z[k, i] = x[i] + x[k], x[5]

        return both

    computation = both(Size("I"), Size("K"))
    assert repr(computation.inputs[0].shape) == "(max(I, K, 6),)"
    function = compiler.compile(computation)
    for i, k, length in ((3, 4, 6), (9, 7, 9), (2, 11, 11)):
        x, y, z = RANDOM.integers(-4, 5, length).astype("f"), zeros(i, k), zeros(k, i)
        function.run(y, z, x)
        assert (y == x[:i, None] + x[None, :k]).all() and (z == x[5]).all()
    with pytest.raises(ArgumentValueError, match=r"the shape \(11,\), which is \(max\(I, K, 6\),\) for I = 2"):
        function.run(y, z, x[1:])


# Programs with errors, at the mark.
PROGRAM = """
N, K = Size("N"), Size("K")
@scalar_function()
def f(out, inp):
    out["y"] = inp["x"] + {value}
@mdh()
def program():
    return (
        out_view[fp32](y=[lambda i: ({written})]),
        {at_hom}md_hom[{extent}](f, {operator}),
        inp_view[fp32](x=[{at_read}lambda i: ({read})]),
    )
"""


@pytest.mark.parametrize(
    "case",
    [
        ({"at_hom": "¶", "extent": "None"}, "an extent must be an integer of at least 0, or a Size, but is None"),
        (
            {"at_hom": "¶", "written": "", "read": "0", "operator": "pw(add)"},
            "the size 'N' must follow from the length of a buffer, but it does not",
        ),
        ({"value": "¶K", "extent": "8"}, "the size 'K' must follow from the length of a buffer, but it does not"),
        ({"at_read": "¶", "read": "10 - i"}, "index 1 of 'x' must be at least 0, but its smallest value is -N + 11"),
        (
            {"at_read": "¶", "read": "i + N"},
            "an index of 'x' must be linear in the indices of the point, such as 2 * i + k + 1",
        ),
        ({"value": "sum(¶range(N))"}, "'range' requires constants here"),
    ],
)
def test_programs_that_are_refused(case: Any) -> None:
    parts, message = case
    text = PROGRAM
    filled = {"at_hom": "", "at_read": "", "written": "i", "read": "i", "extent": "N", "operator": "cc", "value": "1"}
    for name, part in (filled | parts).items():
        text = text.replace(f"{{{name}}}", part)
    check(HEAD + text, message, "")


def test_sizes_in_operators() -> None:
    text = """
N = Size("N")
@pw_custom_func()
def op(res, lhs, rhs):
    res["y"] = lhs["y"] + rhs["y"] * ¶N
@mdh(out(y=Buffer[fp32]), inp(x=Buffer[fp32]), combine_ops(pw(op)))
def program(y, x):
    for i in range(N):
        y[()] = x[i]
"""
    check(HEAD + text, "a combining function cannot read the size 'N'", "")


@pytest.mark.parametrize("name", [3, "", "a b", None])
def test_names(name: Any) -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        Size(name)
    assert str(raised.value) == f"a size requires a name, such as Size('N'), but has {name!r}"


def test_arithmetic() -> None:
    assert repr((3 - N, 2 * (N + M) - 1, M - M)) == "(-N + 3, 2 * N + 2 * M - 1, 0)"
    assert N * 0 == 0 and N + 0 == N and hash(M + N) == hash(N + M) and M + N == N + M and N != 3
    for wrong in (lambda: N * N, lambda: N + 0.5, lambda: N // 2, lambda: range(N)):
        with pytest.raises(TypeError):
            wrong()
