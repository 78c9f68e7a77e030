"""Identities that combining functions of a program declare."""

from __future__ import annotations

import math
from typing import Any

import numpy
import pytest
from computations import reduce, scan
from mdh import *
from mdh import compiler
from test_translation_errors import HEAD, check


@pw_custom_func(identity=1)
def times(res, lhs, rhs):
    res["O"] = lhs["O"] * rhs["O"] if lhs["O"] != 1 else rhs["O"]


@ps_custom_func(identity=-math.inf)
def last(res, lhs, rhs):
    res["O"] = lhs["O"] if rhs["O"] == -math.inf else rhs["O"]


def result(computation: Any, *inputs: Any) -> Any:
    outputs = [numpy.full(one.shape, 77, one.dtype) for one in computation.outputs]
    compiler.compile(computation).run(*outputs, *inputs)
    return outputs[0] if len(outputs) == 1 else outputs


@pytest.mark.parametrize("basic", [fp32, bf16, int8, int64])
def test_empty_reductions(basic: BasicType) -> None:
    assert result(reduce(basic, 0, times), numpy.zeros(0, basic.dtype)) == 1
    x = numpy.array([2, -3, 1, 4], basic.dtype)
    assert result(reduce(basic, 4, times), x) == -24


def test_scans() -> None:
    x = numpy.array([1, -math.inf, 3, -math.inf, -math.inf, 2], "f")
    assert result(scan(fp32, 6, last), x).tolist() == [1, 1, 3, 3, 3, 2]
    assert result(scan(fp32, 0, last), x[:0]).shape == (0,)


def arg_max(T: BasicType, K: int | Size, identity: Any) -> Computation:
    @pw_custom_func(identity=identity)
    def larger(res, lhs, rhs):
        left = lhs["m"] > rhs["m"] or (lhs["m"] == rhs["m"] and lhs["at"] < rhs["at"])
        res["m"], res["at"] = lhs["m"] if left else rhs["m"], lhs["at"] if left else rhs["at"]

    @mdh()
    def arg_max():
        @scalar_function()
        def f(out, inp, idx):
            out["m"], out["at"] = inp["x"], idx[1]

        return (
            out_view[T, int64](m=[lambda i, k: i], at=[lambda i, k: i]),
            md_hom[3, K](f, (cc, pw(larger))),
            inp_view[T](x=[lambda i, k: (i, k)]),
        )

    return arg_max


def test_an_identity_of_several_outputs() -> None:
    computation = arg_max(fp32, 0, {"m": numpy.float32(-math.inf), "at": -1})
    assert "0xFF800000 : f32" in computation.mlir and "constant -1 : i64" in computation.mlir
    m, at = result(computation, numpy.zeros((3, 0), "f"))
    assert numpy.isneginf(m).all() and (at == -1).all()
    function = compiler.compile(arg_max(fp32, Size("K"), {"m": -math.inf, "at": -1}))
    for k in (0, 1, 37):
        x = numpy.random.default_rng(k).integers(0, 9, (3, k)).astype("f")
        function.run(m, at, x)
        assert (at == (x.argmax(axis=1) if k else -1)).all()


def test_identities_of_functions_that_are_built_in() -> None:
    def total(identity: Any) -> Any:
        @pw_custom_func(identity=identity)
        def total(res, lhs, rhs):
            res["O"] = lhs["O"] + rhs["O"]

        return total

    assert "#mdh.pw<add>" in reduce(fp32, 0, total(0.0)).mlir
    # Another identity than that of the built-in function is that of the program.
    other = reduce(int32, 0, total(5))
    assert "#mdh.pw<@total>" in other.mlir and result(other, numpy.zeros(0, "i")) == 5


@pytest.mark.parametrize(
    "case",
    [
        (min, fp32, math.inf),
        (max, fp32, -math.inf),
        (max, int8, -128),
        (min, int16, 32767),
        (mul, fp64, 1.0),
        (and_, int32, -1),
        (and_, bool_, True),
        (or_, bool_, False),
        (xor, int64, 0),
    ],
)
def test_built_in_identities(case: Any) -> None:
    """What the compiler takes as the identity is what an equal function of the program may declare."""
    function, basic, identity = case

    @pw_custom_func(identity=identity)
    def same(res, lhs, rhs):
        res["O"] = function(lhs["O"], rhs["O"])

    written = reduce(basic, 0, same)
    assert written.mlir == reduce(basic, 0, function).mlir
    assert result(written, numpy.zeros(0, basic.dtype)) == identity


# A program whose operator has the outputs m, of fp32, and at, of int8.
PROGRAM = """
{before}
@pw_custom_func({identity})
def op(res, lhs, rhs):
    res['m'], res['at'] = lhs['m'] * lhs['m'], rhs['at'] * rhs['at']
@scalar_function()
def f(out, inp):
    out['m'], out['at'] = inp['x'], 1
@mdh()
def program():
    return (
        out_view[fp32, int8](m=[lambda i: ()], at=[lambda i: ()]),
        {mark}md_hom[{extent}](f, pw(op)),
        inp_view[fp32](x=[lambda i: i]),
    )
"""


@pytest.mark.parametrize(
    "case",
    [
        ("identity=¶'0'", "the identity of 'm' must be a number of type fp32, but is '0'"),
        ("identity=¶0.5", "the identity of 'at' must be a number of type int8, but is 0.5"),
        ("identity=¶True", "the identity of 'm' must be a number of type fp32, but is True"),
        ("identity=¶(0, 0)", "the identity of 'm' must be a number of type fp32, but is (0, 0)"),
        (
            "identity={'m': ¶fp64(1), 'at': 0}",
            "the identity of 'm' must be a number of type fp32, but is np.float64(1.0)",
        ),
        ("identity=¶{'m': 0.0}", "the identity requires a number for each output, but has none for 'at'"),
        (
            "identity={'m': 0.0, 'at': 0, 'w': ¶1}",
            "the identity has a number for 'w', which is no output: they are m, at",
        ),
        ("identity={'m': 0, 'at': ¶300}", "the constant 300 is not in the range of int8, -128 to 127"),
        (
            "identity={'m': ¶1e39, 'at': 0}",
            "the constant 1e+39 is not in the range of fp32, up to 3.4028234663852886e+38",
        ),
    ],
)
def test_identities_that_are_refused(case: tuple[str, str]) -> None:
    identity, message = case
    check(HEAD + PROGRAM.format(before="", identity=identity, mark="", extent=4), message, "")


def test_reductions_without_an_identity() -> None:
    message = "an extent of 0 requires an identity of 'op': declare one, such as @pw_custom_func(identity=0)"
    check(HEAD + PROGRAM.format(before="", identity="", mark="¶", extent=0), message, "")


def test_identities_that_are_written_elsewhere() -> None:
    text = PROGRAM.format(before="options = {'identity': 'no'}", identity="**options", mark="", extent=4)
    check(HEAD + text, "the identity of 'm' must be a number of type fp32, but is 'no'", "def op")
