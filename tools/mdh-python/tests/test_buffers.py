"""Arrays of all kinds are read and written where they are, by functions from MLIR."""

from __future__ import annotations

import ctypes
import threading

import mdh
import ml_dtypes
import numpy
import pytest

# The address of the array, as compiled code finds it.
ADDRESS = """
func.func @first(%x: memref<?x?xf32>) -> index {
  %address = memref.extract_aligned_pointer_as_index %x : memref<?x?xf32> -> index
  return %address : index
}
"""

DOUBLE = """
func.func @double(%x: memref<?x?xELEMENT>) {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (memref<?x?xELEMENT>) -> !mdh.mda<?x?, ELEMENT>
  %h = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: ELEMENT):
    %b = arith.OPERATION %a, %a : ELEMENT
    mdh.hom.yield %b : ELEMENT
  } : !mdh.mda<?x?, ELEMENT> -> !mdh.mda<?x?, ELEMENT>
  mdh.view.out_view %h[affine_map<(i, j) -> (i, j)>] into %x : !mdh.mda<?x?, ELEMENT>, memref<?x?xELEMENT>
  return
}
"""

SUM = """
func.func @sum(%x: tensor<?xELEMENT>, %y: tensor<?xELEMENT>) -> tensor<?xELEMENT> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>], %y[affine_map<(i) -> (i)>]
      : (tensor<?xELEMENT>, tensor<?xELEMENT>) -> !mdh.mda<?, ELEMENT, ELEMENT>
  %h = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: ELEMENT, %b: ELEMENT):
    %c = arith.OPERATION %a, %b : ELEMENT
    mdh.hom.yield %c : ELEMENT
  } : !mdh.mda<?, ELEMENT, ELEMENT> -> !mdh.mda<?, ELEMENT>
  %z = mdh.view.out_view %h[affine_map<(i) -> (i)>] : !mdh.mda<?, ELEMENT> -> tensor<?xELEMENT>
  return %z : tensor<?xELEMENT>
}
"""


def compiled(text, element):
    operation = "addf" if "f" in element else "ori" if element == "i1" else "addi"
    return mdh.compile(text.replace("ELEMENT", element).replace("OPERATION", operation), threads=1)


@pytest.fixture(scope="module")
def first():
    return mdh.compile(ADDRESS)


@pytest.fixture(scope="module")
def total():
    return compiled(SUM, "f32")


class WithInterface:
    """An object that has the interface of NumPy's arrays only."""

    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__
        self.array = array


class WithDlpack:
    """An object that has the protocol DLPack only."""

    device = (1, 0)

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **named):
        return self.array.__dlpack__(**named)

    def __dlpack_device__(self):
        return self.device


def test_arrays_are_read_where_they_are(first):
    array = numpy.arange(12, dtype="f").reshape(3, 4)
    address = array.__array_interface__["data"][0]
    for given in (array, array[:2], WithDlpack(array), WithInterface(array), memoryview(array)):
        assert first(given) == address
    assert first(array[1:]) == address + 16


def test_results_are_not_copied(total):
    result = total(numpy.ones(3, "f"), numpy.ones(3, "f"))
    assert isinstance(result.base, memoryview) and result.flags.writeable and result.flags.aligned


def test_results_are_written_where_they_are(total):
    out = numpy.zeros((4, 6), "f", order="F")
    address = out.__array_interface__["data"][0]
    for row in (out[0], out[1, ::-1], out[2]):
        assert total(numpy.arange(6, dtype="f"), numpy.ones(6, "f"), out=row) is row
    assert out.__array_interface__["data"][0] == address
    assert out.tolist() == [[1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1], [1, 2, 3, 4, 5, 6], [0] * 6]


def unaligned(shape, dtype):
    size = int(numpy.prod(shape)) * numpy.dtype(dtype).itemsize
    return numpy.zeros(size + 1, "u1")[1:].view(dtype).reshape(shape)


def records(shape, dtype):
    """A field of records, whose strides are no multiples of its size."""
    return numpy.zeros(shape, numpy.dtype([("other", "u1"), ("field", dtype)]))["field"]


@pytest.mark.parametrize("make", [unaligned, records])
@pytest.mark.parametrize("element, dtype", [("f32", "f4"), ("f64", "f8"), ("i16", "i2")])
def test_unaligned_arrays_are_read_and_written(make, element, dtype):
    array = make((2, 3), dtype)
    array[...] = numpy.arange(6).reshape(2, 3)
    assert compiled(DOUBLE, element)(array) is None
    assert array.tolist() == [[0, 2, 4], [6, 8, 10]]
    out = make((3,), dtype)
    compiled(SUM, element)(array[1], array[1], out=out)
    assert out.tolist() == [12, 16, 20]
    out.flags.writeable = False
    with pytest.raises(mdh.ArgumentValueError, match="result 1 is written, .* but it is read-only"):
        compiled(SUM, element)(array[1], array[1], out=out)


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_in_any_order_are_updated(order):
    array = numpy.array([[1, 2, 3], [4, 5, 6]], "f", order=order)
    for given in (array, array.T, array[::-1, ::2]):
        compiled(DOUBLE, "f32")(given)
    assert array.tolist() == [[8, 8, 24], [32, 20, 48]]


def test_arrays_with_random_strides_are_updated():
    program = DOUBLE.replace("(i, j)", "(i, j, k)").replace("?x?", "?x?x?").replace("[#mdh.cc,", "[#mdh.cc, #mdh.cc,")
    random = numpy.random.default_rng(0)
    for element, dtype in (("f32", "f4"), ("i8", "i1"), ("f64", "f8")):
        triple = compiled(program, element)
        for _ in range(40):
            whole = random.integers(0, 50, random.integers(1, 80, 3)).astype(dtype)
            steps = tuple(slice(None, None, int(step)) for step in random.choice([1, 1, -1, 2, -3], 3))
            part = whole[steps].transpose(random.permutation(3))
            wanted = whole.copy()
            wanted[steps] *= 2
            triple(part)
            assert (whole == wanted).all(), (whole.shape, steps, part.strides)


@pytest.mark.parametrize(
    "element, dtype",
    [
        ("f16", "f2"), ("f32", "f4"), ("f64", "f8"), ("bf16", ml_dtypes.bfloat16),
        ("i8", "i1"), ("i16", "i2"), ("i32", "i4"), ("i64", "i8"), ("index", "i8"),
        ("i8", "u1"), ("i16", "u2"), ("i32", "u4"), ("i64", "u8"), ("i1", "?"),
    ],
)
def test_element_types(element, dtype):
    x, y = numpy.array([0, 1, 3, 120]).astype(dtype), numpy.array([1, 1, 2, 4]).astype(dtype)
    result = compiled(SUM, element)(x, y)
    wanted = x | y if element == "i1" else x + y
    assert result.dtype == wanted.dtype or wanted.dtype.kind == "u" and result.dtype.kind == "i"
    assert result.view(wanted.dtype).tolist() == wanted.tolist()


def test_objects_with_buffers(total):
    array = (ctypes.c_float * 3)(1, 2, 3)
    assert total(array, memoryview(numpy.ones(3, "f"))).tolist() == [2, 3, 4]


def test_other_byte_orders_are_errors(total):
    with pytest.raises(mdh.ArgumentTypeError, match="requires tensor<.xf32>, but has elements of format '>f'"):
        total(numpy.ones(3, ">f4"), numpy.ones(3, "f"))


def test_arrays_on_devices_are_errors(total):
    array = WithDlpack(numpy.ones(3, "f"))
    array.device = (2, 1)
    with pytest.raises(mdh.ArgumentValueError, match="argument 1 requires memory of the processor, but is on cuda:1"):
        total(array, numpy.ones(3, "f"))


@pytest.mark.parametrize("given", [None, "text", [1.0, 2.0], object(), {}, 1.5])
def test_what_is_no_array_is_an_error(total, given):
    with pytest.raises(mdh.ArgumentTypeError, match="argument 1 requires"):
        total(given, numpy.ones(3, "f"))


@pytest.mark.parametrize("given", [None, "text", [1], 1.5, numpy.ones(2)])
def test_what_is_no_number_is_an_error(given):
    same = mdh.compile("func.func @same(%x: i32) -> i32 {\n  return %x : i32\n}")
    with pytest.raises(mdh.ArgumentTypeError, match="argument 1 requires"):
        same(given)
    assert same(3) == same(numpy.int32(3)) == 3


def test_outputs_that_cannot_be_written_are_errors(total):
    x, out = numpy.ones(3, "f"), numpy.zeros(3, "f")
    out.flags.writeable = False
    with pytest.raises(mdh.ArgumentValueError, match="result 1 is written, .*read-only"):
        total(x, x, out=out)
    with pytest.raises(mdh.ArgumentValueError, match="an element for each index"):
        total(x, x, out=numpy.lib.stride_tricks.as_strided(numpy.zeros(3, "f"), (3,), (0,)))
    with pytest.raises(mdh.ArgumentValueError, match="has size 3 in dimension 1, but its memory has 4"):
        total(x, x, out=numpy.zeros(4, "f"))
    with pytest.raises(mdh.ArgumentTypeError, match="requires 1 arrays for results, but 2 are given"):
        total(x, x, out=[numpy.zeros(3, "f"), numpy.zeros(3, "f")])


def test_results_live_as_long_as_they_are_used(total):
    results = [total(numpy.full(1000, n, "f"), numpy.ones(1000, "f"))[1:] for n in range(50)]
    assert [float(result[5]) for result in results] == [n + 1 for n in range(50)]


def test_threads_have_results_of_their_own(total):
    wrong = []

    def call(number):
        x = numpy.full(5000, number, "f")
        wrong.extend(number for _ in range(100) if not (total(x, x) == 2 * number).all())

    threads = [threading.Thread(target=call, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_memref_that_is_only_read_is_never_written():
    double = mdh.compile("""
        func.func @double(%x: memref<?xf32>, %y: memref<?xf32>) {
          %c0 = arith.constant 0 : index
          %n = memref.dim %x, %c0 : memref<?xf32>
          affine.for %i = 0 to %n {
            %a = affine.load %x[%i] : memref<?xf32>
            %b = arith.addf %a, %a : f32
            affine.store %b, %y[%i] : memref<?xf32>
          }
          return
        }""")
    overlapping = numpy.arange(1, 21, dtype="f")
    double(overlapping[:10:2], overlapping[1:6])
    assert overlapping[:6].tolist() == [1, 2, 6, 10, 14, 18]
    x, y = numpy.arange(5, dtype="f"), numpy.zeros(5, "f")
    x.flags.writeable = False
    double(x, y)
    assert (y == 2 * x).all()
    with pytest.raises(mdh.ArgumentValueError, match="argument 2 is written, so it requires a writable"):
        double(y, x)
