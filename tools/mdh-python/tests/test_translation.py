"""Translated functions against the same functions run by Python, on NumPy scalars."""

from __future__ import annotations

import math
from typing import Any

import numpy
import pytest
from mdh import (
    Scalar,
    bool_,
    cc,
    compiler,
    fp32,
    fp64,
    inp_view,
    int8,
    int32,
    int64,
    md_hom,
    mdh,
    out_view,
    ps,
    ps_custom_func,
    pw,
    pw_custom_func,
    scalar_function,
)

HALF = 0.5
TABLE = [3, 1, 4, 1, 5]
TYPED = numpy.int32(7)


def integer_arithmetic(a: Any, b: Any) -> Any:
    return (a + b * 3 - 1) // b + a % b + (a & b) - (a | 5) + (a ^ b) + (a >> 1) + (b << 2) + ~a + (-b) + abs(a) + a**2


def chained(a: Any, b: Any) -> Any:
    return -3 < a <= b and not a == 2 or a != b > 0


def guarded(a: Any, b: Any) -> Any:
    return (b - 1 != 0 and a // (b - 1) > 1) or b == 4


def early_returns(a: Any, b: Any) -> Any:
    if a < 0:
        if b == 1:
            return 10
        a = -a
    elif a == 3:
        return b
    else:
        b += 1
    return a * 2 + b


def loop_with_jumps(a: Any, b: Any) -> Any:
    total, last = 0, b
    for n in range(2, 20, 3):
        if n == 8:
            continue
        if total > 3 * b:
            break
        for m in range(3):
            total += a * m
            if total < -5:
                break
        last, total = total, total + n
    return total - last


def loop_without_jumps(a: Any, b: Any) -> Any:
    pair = (a, b)
    for n in range(6):
        x, y = pair
        pair = (y, x + n)
    return pair[0] * 2 + pair[1]


def unrolled(a: Any, b: Any) -> Any:
    total = 0
    for n in range(len(TABLE)):
        if n == 2:
            continue
        total += TABLE[n] * a
    for weight, offset in zip(TABLE, range(5)):
        total += weight * (b + offset)
    return total + sum([t * a for t in TABLE]) + TYPED


def selected(a: Any, b: Any) -> Any:
    low, high = (a, b) if False else (min(a, b), max(a, b, 0))
    kind: int32 = 2 if a == b else 1 if low < 0 else 0
    return high * 10 + kind


def conversions(a: Any, b: Any) -> Any:
    return fp64(a) / fp64(b) + float(a > b) + HALF * float(b) - (3 if bool(a) else 0)


def float_arithmetic(x: Any, y: Any) -> Any:
    return (x + 2) * (y - HALF) / (1 + x * x) - x**3 + y ** (-2) + math.fmod(x, y) + math.floor(x) + math.trunc(y) - -x


def functions(x: Any, y: Any) -> Any:
    z = math.sqrt(abs(x)) + math.exp(-abs(y)) + math.sin(x) * math.cos(y) + math.atan2(x, y) + math.log(abs(x) + math.e)
    z += math.tanh(x) + math.erf(y) + math.pow(abs(x) + 1, y) + math.copysign(1.0, x) + math.fabs(y) + math.log2(abs(y))
    return z if math.isfinite(z) and not math.isnan(z) else math.inf


INTEGERS = numpy.array([(a, b) for a in range(-6, 7) for b in (-7, -3, -1, 1, 2, 4, 7)], "int32").T
FLOATS = numpy.array([(x / 4, y / 8) for x in range(-9, 10) for y in (-23, -3, 1, 7, 19)], "float64").T
CASES = [
    (integer_arithmetic, int32, int32),
    (chained, int32, bool_),
    (guarded, int32, bool_),
    (early_returns, int32, int32),
    (loop_with_jumps, int32, int32),
    (loop_without_jumps, int32, int32),
    (unrolled, int32, int32),
    (selected, int32, int32),
    (conversions, int32, fp64),
    (float_arithmetic, fp64, fp64),
    (functions, fp64, fp64),
]


def mapped(f: Any, T: Any, R: Any, size: int) -> Any:
    """A computation that applies a function of two numbers to each pair of elements."""

    @mdh()
    def mapped():
        @scalar_function()
        def scalar(out: Scalar[R], inp: Scalar[T, T]):
            out["y"] = f(inp["a"], inp["b"])

        access = lambda i: i  # noqa: E731
        return out_view[R](y=[access]), md_hom[size](scalar, cc), inp_view[T, T](a=[access], b=[access])

    return mapped


@pytest.mark.parametrize("case", CASES)
def test_function(case: Any) -> None:
    f, T, R = case
    a, b = (row.astype(T.dtype) for row in (FLOATS if T.is_float else INTEGERS))
    computation = mapped(f, T, R, len(a))
    found = numpy.zeros(len(a), R.dtype)
    compiler.compile(computation).run(found, a, b)
    expected = [f(x, y) for x, y in zip(a.tolist(), b.tolist())]
    numpy.testing.assert_allclose(found, numpy.array(expected, R.dtype), rtol=1e-13 if R.is_float else 0)


def test_conversions_between_all_types() -> None:
    values = numpy.array([-100, -2, 0, 1, 3, 100], "int8")

    def through(a: Any, b: Any) -> Any:
        return int8(fp32(int64(fp64(int32(a))))) + int8(bool_(b)) + int8(bool_(fp32(b)))

    found = numpy.zeros(6, "int8")
    compiler.compile(mapped(through, int8, int8, 6)).run(found, values, values)
    assert found.tolist() == [-98, 0, 0, 3, 5, 102]


def test_index_of_the_point() -> None:
    @mdh()
    def point():
        @scalar_function()
        def f(out, inp, idx):
            i, j = idx
            out["y"] = 10 * i + j // 2 if idx[0] != j else -1

        return out_view[int64](y=[lambda i, j: (j, 2 * i + 1)]), md_hom[2, 4](f, (cc, cc)), inp_view()

    assert point.outputs[0].shape == (4, 4)
    found = numpy.full((4, 4), 5)
    compiler.compile(point).run(found)
    expected = numpy.full((4, 4), 5)
    for i in range(2):
        for j in range(4):
            expected[j, 2 * i + 1] = 10 * i + j // 2 if i != j else -1
    assert (found == expected).all()


def test_operator_on_tuples() -> None:
    @pw_custom_func()
    def arg_max(res, lhs, rhs):
        keep_left = lhs["m"] > rhs["m"] or (lhs["m"] == rhs["m"] and lhs["at"] < rhs["at"])
        res["m"] = lhs["m"] if keep_left else rhs["m"]
        res["at"] = lhs["at"] if keep_left else rhs["at"]

    @mdh()
    def largest():
        @scalar_function()
        def f(out, inp, idx):
            out["m"], out["at"] = inp["x"], idx[1]

        return (
            out_view[fp32, int64](m=[lambda i, j: i], at=[lambda i, j: i]),
            md_hom[5, 9](f, (cc, pw(arg_max))),
            inp_view[fp32](x=[lambda i, j: (i, j)]),
        )

    x = numpy.random.default_rng(2).integers(0, 5, (5, 9)).astype("f")
    m, at = numpy.zeros(5, "f"), numpy.zeros(5, "int64")
    compiler.compile(largest).run(m, at, x)
    assert (m == x.max(axis=1)).all() and (at == x.argmax(axis=1)).all()
    assert "@arg_max commutative" in largest.mlir


def test_scan_that_is_not_commutative() -> None:
    @ps_custom_func()
    def compose(res, lhs, rhs):
        """First x -> a * x + b of the left, then of the right."""
        res["a"] = rhs["a"] * lhs["a"]
        res["b"] = rhs["a"] * lhs["b"] + rhs["b"]

    @mdh()
    def recurrence():
        @scalar_function()
        def f(out, inp):
            out["a"], out["b"] = inp["x"], inp["z"]

        access = lambda i: i  # noqa: E731
        return (
            out_view[fp64, fp64](a=[access], b=[access]),
            md_hom[20](f, ps(compose)),
            inp_view[fp64, fp64](x=[access], z=[access]),
        )

    random = numpy.random.default_rng(3)
    x, z = random.integers(1, 3, 20).astype("d"), random.integers(-3, 3, 20).astype("d")
    a, b = numpy.zeros(20), numpy.zeros(20)
    compiler.compile(recurrence).run(a, b, x, z)
    value, expected = 0.0, []
    for factor, term in zip(x, z):
        value = factor * value + term
        expected.append(value)
    assert (a == numpy.cumprod(x)).all() and b.tolist() == expected


def test_operators_that_are_built_in() -> None:
    @pw_custom_func()
    def total(res, lhs, rhs):
        res["w"] = lhs["w"] + rhs["w"]

    @mdh()
    def dot():
        @scalar_function()
        def f(out, inp):
            out["w"] = inp["x"]

        return out_view[fp32](w=[lambda k: ()]), md_hom[4](f, pw(total)), inp_view[fp32](x=[lambda k: k])

    assert "#mdh.pw<add>" in dot.mlir and "operator" not in dot.mlir


def test_lambdas_of_one_line_are_told_apart() -> None:
    accesses = [(lambda a: lambda i, k: (i + a, k))(n) for n in (2, 5)] + [lambda i, k: (i, k), lambda i, k: (k, i)]

    @mdh()
    def program():
        @scalar_function()
        def f(out, inp):
            out["y"] = inp["x", 1] + inp["x", 4]

        return out_view[fp32](y=[lambda i, k: (i, k)]), md_hom[2, 3](f, (cc, cc)), inp_view[fp32](x=accesses)

    maps = ["(i + 2, k)", "(i + 5, k)", "(i, k)", "(k, i)"]
    assert ", ".join(f"affine_map<(i, k) -> {one}>" for one in maps) in program.mlir
    assert program.inputs[0].shape == (7, 3)
