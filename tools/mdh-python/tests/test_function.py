"""Compiled functions: one class for programs in MLIR and for computations, their calls, and conversions of elements."""

from __future__ import annotations

from typing import Any

import mdh
import numpy
import pytest
from computations import matvec, reduce_multiple
from mdh import ArgumentTypeError, ArgumentValueError, Buffer, Scalar, Size, cc, combine_ops, compiler, fp32, inp, int32, out
from mdh import mdh as computation

SCALED = """
func.func @scaled(%a: f32, %x: tensor<?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%b: f32):
    %c = arith.mulf %a, %b : f32
    mdh.hom.yield %c : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  %y = mdh.view.out_view %h[affine_map<(i) -> (i)>] : !mdh.mda<?, f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
"""
M = numpy.arange(20, dtype="f").reshape(4, 5)
v = numpy.arange(5, dtype="f")


@computation(out(y=Buffer[fp32]), inp(alpha=Scalar[fp32], x=Buffer[fp32]), combine_ops(cc))
def every_other(y: Any, alpha: Any, x: Any) -> None:
    for i in range(3):
        y[2 * i] = alpha * x[i]


def test_computations_are_called() -> None:
    for function in (compiler.compile(matvec(fp32, 4, 5)), mdh.compile(matvec(fp32, 4, 5), threads=1)):
        assert isinstance(function, mdh.Function)
        for result in (function(M, v), function(M, v=v), function(v=v, M=M)):
            assert result.dtype == "f" and (result == M @ v).all()
        w = numpy.zeros(4, "f")
        assert function(M, v, out=w) is w and (w == M @ v).all()


def test_results_without_dimensions_and_tuples() -> None:
    first, second = compiler.compile(reduce_multiple(fp32, 5))(v)
    assert first.shape == second.shape == () and first.dtype == "f"


def test_elements_that_are_not_written_are_zero() -> None:
    assert compiler.compile(every_other)(2, numpy.ones(3, "f")).tolist() == [2, 0, 2, 0, 2]


def test_sizes_of_results() -> None:
    function = compiler.compile(matvec(fp32, Size("I"), Size("K")))
    assert (function(M, v) == M @ v).all() and function(M[:0], v).shape == (0,)
    with pytest.raises(ArgumentValueError, match=r"the input 'v' of matvec must have the shape \(5,\), which is \(K,\)"):
        function(M, v[1:])
    with pytest.raises(ArgumentValueError, match=r"the input 'M' of matvec must have the shape \(I, K\)"):
        function(v, v)

    N = Size("N")

    @computation(out(y=Buffer[int32]), inp(x=Scalar[int32]), combine_ops(cc))
    def filled(y: Any, x: Any) -> None:
        for i in range(N):
            y[i] = x

    message = "a call of 'filled' requires out=, because the size 'N' of its results follows from no input"
    with pytest.raises(ArgumentValueError, match=message):
        compiler.compile(filled)(3)
    assert compiler.compile(filled)(3, out=numpy.zeros(2, "i")).tolist() == [3, 3]


def test_representations() -> None:
    function = compiler.compile(matvec(fp32, 4, Size("K")), compiler.CPU(threads=2))
    assert repr(function) == "<mdh.Function matvec(M: fp32[4, K], v: fp32[K]) -> (w: fp32[4]), CPU, threads: 2>"
    function.destroy()
    assert repr(function).endswith("-> (w: fp32[4]), destroyed>")
    scaled = mdh.compile(SCALED, threads=1)
    assert repr(scaled) == "<mdh.Function scaled(f32, tensor<?xf32>) -> (tensor<?xf32>), CPU, threads: 1>"


def test_programs_run_with_arrays_for_their_results() -> None:
    x, y = numpy.arange(3, dtype="f"), numpy.zeros(3, "f")
    with mdh.compile(SCALED) as scaled:
        scaled.run(y, 2, x)
        assert y.tolist() == [0, 2, 4] and scaled.source("mlir") == SCALED
        with pytest.raises(ArgumentTypeError, match="'scaled' requires 3 arrays, 1 for results first, but 2 are given"):
            scaled.run(y, x)
        with pytest.raises(ArgumentTypeError, match="which has no argument with the name 'x'"):
            scaled(2, x=x)
    with pytest.raises(mdh.Error, match="the function 'scaled' has been destroyed"):
        scaled(2, x)


def test_elements_are_converted() -> None:
    function = compiler.compile(matvec(fp32, 4, 5), cast=True)
    for given in (M.astype("d"), M.astype("i"), M.astype(">f"), memoryview(M.astype("d"))):
        assert (function(given, v) == M @ v).all()
    for dtype in ("d", "e", "F"):
        w = numpy.zeros(4, dtype)
        function.run(w, M, v.astype("d"))
        assert (w == M @ v).all()
    scaled = mdh.compile(SCALED, cast=True)
    result = scaled(numpy.float64(2), v.astype("d"))
    assert result.dtype == "f" and (result == 2 * v).all()
    y = numpy.zeros(5)
    assert scaled(2, v.astype("i2"), out=y) is y and (y == 2 * v).all()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: matvec_of(M.astype("F"), v), "the input 'M' of matvec must have the type float32, but has complex64"),
        (
            lambda: matvec_of(M, v, out=numpy.zeros(4, "i")),
            "the output 'w' of matvec must have the type float32, but has int32",
        ),
        (
            lambda: compiler.compile(every_other, cast=True)(2, v[:3], out=numpy.zeros(5)),
            "the output 'y' of every_other must have the type float32, but has float64, and elements of it may keep their values",
        ),
        (
            lambda: mdh.compile(SCALED, cast=True)(2, v.astype("F")),
            "argument 2 has elements of type complex64, but complex64 cannot be converted to float32",
        ),
        (
            lambda: mdh.compile(SCALED, cast=True)(2, v, out=numpy.zeros(5, "i")),
            "result 1 has elements of type int32, but float32 cannot be converted to int32",
        ),
    ],
)
def test_conversions_that_are_refused(call: Any, message: str) -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        call()
    assert str(raised.value) == message


def matvec_of(*arguments: Any, **named: Any) -> Any:
    return compiler.compile(matvec(fp32, 4, 5), cast=True)(*arguments, **named)
