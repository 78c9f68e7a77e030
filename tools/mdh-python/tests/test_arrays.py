"""Arrays that compiled computations take: objects that lend their memory, strides, and what is refused."""

from __future__ import annotations

import array
from typing import Any

import numpy
import pytest
from computations import matvec
from mdh import ArgumentTypeError, ArgumentValueError, compiler, fp32, int8

M = numpy.arange(20, dtype="f").reshape(4, 5)
v = numpy.arange(5, dtype="f")
FUNCTION = compiler.compile(matvec(fp32, 4, 5))


class Interface:
    """An object with NumPy's array interface."""

    def __init__(self, of: Any) -> None:
        self.of = of
        self.__array_interface__ = of.__array_interface__


class Copied:
    """An object that NumPy copies."""

    def __array__(self, *arguments: Any, **options: Any) -> Any:
        return numpy.zeros(4, "f")


class Elsewhere:
    """An array in the memory of a device."""

    def __dlpack__(self, **options: Any) -> Any:
        raise AssertionError

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)


def test_objects_that_lend_their_memory() -> None:
    for lend in (memoryview, Interface):
        w = numpy.zeros(4, "f")
        FUNCTION.run(lend(w), lend(M), lend(v))
        assert (w == M @ v).all()
    numbers = memoryview(array.array("f", [0] * 4))
    FUNCTION.run(numbers, memoryview(array.array("f", M.ravel())).cast("B").cast("f", (4, 5)), v)
    assert numbers.tolist() == (M @ v).tolist()
    with compiler.compile(matvec(int8, 2, 3)) as function:
        w = numpy.zeros(2, "int8")
        function.run(w, memoryview(b"\1\2\3\4\5\6").cast("b", (2, 3)), memoryview(b"\1\1\2").cast("b"))
        assert w.tolist() == [9, 21]


def test_elements_that_are_not_aligned() -> None:
    bytes_of_w, bytes_of_M = numpy.zeros(17, "b"), numpy.zeros(81, "b")
    w, unaligned = bytes_of_w[1:].view("f"), bytes_of_M[1:].view("f").reshape(4, 5)
    unaligned[...] = M
    FUNCTION.run(w, unaligned, v)
    assert not w.flags.aligned and (w == M @ v).all()


def test_fields_of_records() -> None:
    records = numpy.zeros(4, [("kind", "b"), ("w", "<f4"), ("rest", "<f8")])
    FUNCTION.run(records["w"], M, v)
    assert (records["w"] == M @ v).all() and not records["kind"].any() and not records["rest"].any()


def readonly() -> Any:
    w = numpy.zeros(4, "f")
    w.flags.writeable = False
    return w


@pytest.mark.parametrize(
    "case",
    [
        (readonly(), ArgumentValueError, "must be writable, but is read-only"),
        (memoryview(bytes(16)).cast("f"), ArgumentValueError, "must be writable, but is read-only"),
        (Copied(), ArgumentTypeError, "must lend its memory, as arrays of NumPy do, but Copied does not"),
        (Elsewhere(), ArgumentValueError, "requires memory of the processor, but is on cuda:0"),
        (memoryview(bytearray(16)), ArgumentTypeError, "must have the type float32, but has uint8"),
        (numpy.zeros(4, "D"), ArgumentTypeError, "must have the type float32, but has complex128: cast=True converts it"),
        (numpy.zeros(4, "O"), ArgumentTypeError, "must have the type float32, but has object"),
        (4.0, ArgumentTypeError, "requires an array, but is float"),
    ],
)
def test_outputs_that_are_refused(case: Any) -> None:
    w, kind, message = case
    with pytest.raises(kind) as raised:
        FUNCTION.run(w, M, v)
    assert str(raised.value) == f"the output 'w' of matvec {message}"


def test_inputs_are_only_read() -> None:
    w, first, second = numpy.zeros(4, "f"), M.copy(), numpy.broadcast_to(numpy.float32(3), 5)
    first.flags.writeable = False
    FUNCTION.run(w, first, second)
    assert (w == first @ second).all()


def test_inputs_may_be_the_same() -> None:
    w = numpy.zeros(4, "f")
    FUNCTION.run(w, M, M[1])
    assert (w == M @ M[1]).all()


def test_outputs_beside_inputs() -> None:
    """Arrays that share a range of memory, but no element, are not refused; others are."""
    both = numpy.zeros((5, 2), "f")
    both[:, 1] = v
    FUNCTION.run(both[:4, 0], M, both[:, 1])
    assert (both[:4, 0] == M @ v).all() and (both[:, 1] == v).all()
    message = "the output 'w' of matvec and the input 'v' of matvec must not overlap"
    with pytest.raises(ArgumentValueError, match=message):
        FUNCTION.run(both[1:, 1], M, both[:, 1])
