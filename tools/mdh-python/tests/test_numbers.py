"""Inputs that are numbers of a call, in both forms, and arrays without dimensions."""

from __future__ import annotations

import math
from typing import Any

import mdh
import numpy
import pytest
from mdh import *
from mdh import compiler
from test_translation_errors import HEAD, check


def axpy(T: BasicType, N: int) -> Computation:
    @mdh()
    def axpy():
        @scalar_function()
        def f(out: Scalar[T], inp: Scalar[T, T, T]):
            out["z"] = inp["alpha"] * inp["x"] + inp["y"]

        return (
            out_view[T](z=[lambda i: i]),
            md_hom[N](f, cc),
            inp_view[T, T, T](alpha=[lambda i: ()], x=[lambda i: i], y=[lambda i: i]),
        )

    return axpy


def axpy_loop(T: BasicType, N: int) -> Computation:
    @mdh(out(z=Buffer[T]), inp(alpha=Scalar[T], x=Buffer[T], y=Buffer[T]), combine_ops(cc))
    def axpy_loop(z: Any, alpha: Any, x: Any, y: Any) -> None:
        for i in range(N):
            z[i] = alpha * x[i] + y[i]

    return axpy_loop


RANDOM = numpy.random.default_rng(5)
GIVEN = [
    (fp32, 3),
    (fp32, -0.5),
    (fp16, 2.0),
    (bf16, 3),
    (fp64, numpy.float64(0.25)),
    (int8, -7),
    (int64, numpy.int64(9)),
]


@pytest.mark.parametrize("case", GIVEN)
@pytest.mark.parametrize("build", [axpy, axpy_loop])
def test_numbers(build: Any, case: Any) -> None:
    T, alpha = case
    x, y = (RANDOM.integers(-4, 5, 9).astype(T.dtype) for _ in range(2))
    with compiler.compile(build(T, 9)) as function:
        for given in (alpha, numpy.array(alpha, T.dtype), T(alpha)):
            z = numpy.zeros(9, T.dtype)
            function.run(z, given, x, y)
            assert z.astype("d").tolist() == (float(alpha) * x.astype("d") + y.astype("d")).tolist()


def test_truth_values() -> None:
    @mdh(out(y=Buffer[int32]), inp(negative=Scalar[bool_], x=Buffer[int32]), combine_ops(cc))
    def signed(y: Any, negative: Any, x: Any) -> None:
        for i in range(3):
            y[i] = -x[i] if negative else x[i]

    x, y = numpy.arange(3, dtype="i"), numpy.zeros(3, "i")
    function = compiler.compile(signed)
    for given, sign in ((True, -1), (False, 1), (numpy.True_, -1)):
        function.run(y, given, x)
        assert (y == sign * x).all()
    with pytest.raises(ArgumentTypeError, match="must be a number of type bool, but is 1"):
        function.run(y, 1, x)


def test_infinities() -> None:
    x, y, z = numpy.ones(2, "f"), numpy.zeros(2, "f"), numpy.zeros(2, "f")
    compiler.compile(axpy(fp32, 2)).run(z, float("inf"), x, y)
    assert numpy.isposinf(z).all()


def test_results_without_dimensions() -> None:
    @mdh(out(s=Buffer[fp64]), inp(x=Buffer[fp64]), combine_ops(pw(add)))
    def total(s: Any, x: Any) -> None:
        for i in range(5):
            s[()] = x[i]

    s = numpy.zeros(())
    compiler.compile(total).run(s, numpy.arange(5.0))
    assert s == 10
    with pytest.raises(ArgumentTypeError) as raised:
        compiler.compile(total).run(0.0, numpy.arange(5.0))
    assert str(raised.value) == "the output 's' of total requires an array, but is float"


REFUSED = [
    (fp32, "2", ArgumentTypeError, "requires an array, but is str"),
    (fp32, 1j, ArgumentTypeError, "must be a number of type float32, but is 1j"),
    (fp32, True, ArgumentTypeError, "must be a number of type float32, but is True"),
    (fp32, numpy.float64(2), ArgumentTypeError, "must be a number of type float32, but is np.float64(2.0): cast=True converts it"),
    (fp32, numpy.zeros((), "d"), ArgumentTypeError, "must have the type float32, but has float64: cast=True converts it"),
    (fp32, numpy.zeros(1, "f"), ArgumentValueError, "must have the shape (), but has (1,)"),
    (fp32, 1e39, ArgumentValueError, "must be in the range of float32, but is 1e+39"),
    (int32, 2.0, ArgumentTypeError, "must be a number of type int32, but is 2.0"),
    (int8, 128, ArgumentValueError, "must be in the range of int8, but is 128"),
    (fp64, 10**400, ArgumentValueError, f"must be in the range of float64, but is {10**400}"),
]


@pytest.mark.parametrize("case", REFUSED)
def test_numbers_that_are_refused(case: Any) -> None:
    T, alpha, kind, message = case
    x, y, z = (numpy.zeros(3, T.dtype) for _ in range(3))
    with pytest.raises(kind) as raised:
        compiler.compile(axpy(T, 3)).run(z, alpha, x, y)
    assert str(raised.value) == f"the input 'alpha' of axpy {message}"


PROGRAM = """
@mdh(out({out}), inp(alpha={alpha}, x=Buffer[fp32]), combine_ops(cc))
def program(y, alpha, x):
    for i in range(4):
        {body}
"""


@pytest.mark.parametrize(
    "case",
    [
        ({"body": "¶alpha = 2"}, "'alpha' cannot be assigned: it is a parameter or the variable of a loop"),
        ({"body": "y[i] = x[i]"}, "'alpha' must be read in the loops"),
        ({"body": "y[i] = ¶alpha[i] * x[i]"}, "a subscript requires a constant sequence and a constant index"),
        (
            {"body": "y[i] = alpha * x[¶i + alpha]"},
            "an index of 'x' must be linear in the indices of the point, such as 2 * i + k + 1",
        ),
        ({"alpha": "Scalar[fp32, fp32]"}, "'alpha' must have one type, such as Scalar[fp32], but has 2"),
        ({"alpha": "Scalar[float]"}, "an element type must be a basic type, such as fp32, but is the class 'float': did you mean fp64?"),
        (
            {"out": "y=Scalar[fp32]"},
            "the output 'y' must be a Buffer[…]; its element is y[()] if it has no dimensions",
        ),
    ],
)
def test_programs_that_are_refused(case: Any) -> None:
    parts, message = case
    filled = {"out": "y=Buffer[fp32]", "alpha": "Scalar[fp32]", "body": "y[i] = alpha * x[i]"} | parts
    text = PROGRAM
    for name, part in filled.items():
        text = text.replace(f"{{{name}}}", part)
    check(HEAD + text, message, "def program")


@pytest.mark.parametrize("name", ["i", "x"])
def test_names_that_keep_their_meaning(name: str) -> None:
    message = f"'{name}' cannot be assigned: it is a parameter or the variable of a loop"
    check(HEAD + PROGRAM.format(out="y=Buffer[fp32]", alpha="Scalar[fp32]", body=f"¶{name} = 1"), message, "")


@pytest.mark.parametrize(
    ("element", "fits", "fails"),
    [
        ("i1", (0, 1, True), (2, -1)),
        ("i8", (127, -128, True, numpy.int16(-3)), (128, -129, 1 << 200, numpy.uint16(200))),
        ("i16", (32767,), (32768, -32769)),
        ("i32", (-(1 << 31),), (1 << 31,)),
        ("i64", ((1 << 63) - 1,), (1 << 63, -(1 << 63) - 1)),
        ("index", (-1,), (1 << 63, numpy.uint64(1 << 63))),
        ("f16", (65504, math.inf), (65520.0, 10**400)),
        ("f32", (3.0, True), (1e39,)),
    ],
)
def test_scalars_fit_their_type(element: str, fits: tuple[Any, ...], fails: tuple[Any, ...]) -> None:
    function = mdh.compile(
        f"func.func @f(%x: {element}) -> tensor<1x{element}> {{\n"
        f"%r = tensor.from_elements %x : tensor<1x{element}>\n return %r : tensor<1x{element}>\n}}"
    )
    for number in fits:
        assert function(number)[0] == number
    for number in fails:
        with pytest.raises(ArgumentValueError, match=f"argument 1 requires a number of type {element}, from "):
            function(number)
    if not element.startswith("f"):
        with pytest.raises(ArgumentTypeError, match="argument 1 requires a number of type"):
            function(1.0)


def test_unsigned_scalars_are_integers_of_the_same_width() -> None:
    function = mdh.compile("func.func @f(%x: i8) -> i8 {\n return %x : i8\n}")
    assert function(numpy.uint8(200)) == -56


SUM = """
func.func @sum(%x: tensor<SIZExf32>) -> tensor<f32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<SIZExf32>) -> !mdh.mda<SIZE, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<SIZE, f32> -> !mdh.mda<1, f32>
  %s = mdh.view.out_view %h[affine_map<(i) -> ()>] : !mdh.mda<1, f32> -> tensor<f32>
  return %s : tensor<f32>
}
"""


@pytest.mark.parametrize("size", ["?", str(1 << 22)])
def test_long_sums_do_not_lose_their_last_digits(size):
    # All roundings of a long sum of equal numbers may go in the same direction.
    numbers = numpy.full(1 << 22, 0.1, "f")
    total = mdh.compile(SUM.replace("SIZE", size), threads=1)(numbers)
    numpy.testing.assert_allclose(total, numbers.sum(dtype=float), rtol=1e-4)
