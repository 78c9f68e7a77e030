"""Complex numbers of programs in MLIR: arrays of NumPy, in their own memory."""

import mdh
import numpy
import pytest

RANDOM = numpy.random.default_rng(5)

SCALE = """
#id = affine_map<(i, j) -> (i, j)>
#number = affine_map<(i, j) -> ()>
func.func @scale(%x: tensor<?x?xcomplex<PART>>, %by: tensor<complex<PART>>) -> (tensor<?x?xcomplex<PART>>, tensor<?x?xPART>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xcomplex<PART>>
  %n = tensor.dim %x, %c1 : tensor<?x?xcomplex<PART>>
  %new = tensor.empty(%m, %n) : tensor<?x?xcomplex<PART>>
  %y = linalg.generic {indexing_maps = [#id, #number, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %by : tensor<?x?xcomplex<PART>>, tensor<complex<PART>>) outs(%new : tensor<?x?xcomplex<PART>>) {
  ^bb0(%a: complex<PART>, %b: complex<PART>, %o: complex<PART>):
    %p = complex.mul %a, %b : complex<PART>
    linalg.yield %p : complex<PART>
  } -> tensor<?x?xcomplex<PART>>
  %real = tensor.empty(%m, %n) : tensor<?x?xPART>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x?xcomplex<PART>>) outs(%real : tensor<?x?xPART>) {
  ^bb0(%a: complex<PART>, %o: PART):
    %p = complex.abs %a : complex<PART>
    linalg.yield %p : PART
  } -> tensor<?x?xPART>
  return %y, %z : tensor<?x?xcomplex<PART>>, tensor<?x?xPART>
}
"""


def numbers(*shape, dtype="F"):
    return (RANDOM.random(shape) + 1j * RANDOM.random(shape)).astype(dtype)


@pytest.fixture(scope="module")
def scale():
    return mdh.compile(SCALE.replace("PART", "f32"))


def test_types(scale):
    assert scale.arguments == ("tensor<?x?xcomplex<f32>>", "tensor<complex<f32>>")
    assert scale.results == ("tensor<?x?xcomplex<f32>>", "tensor<?x?xf32>")


def test_arrays_of_any_strides(scale):
    whole = numbers(8, 12)
    for x in (whole, whole.T, whole[::2, ::-3], whole[:, 3:4], whole[:0]):
        y, z = scale(x, numpy.complex64(1 - 2j))
        assert y.dtype == numpy.complex64 and z.dtype == numpy.float32
        numpy.testing.assert_allclose(y, x * (1 - 2j), rtol=1e-5)
        numpy.testing.assert_allclose(z, abs(x * (1 - 2j)), rtol=1e-5)


def test_static_shapes_without_elements():
    text = """
    func.func @f(%x: tensor<0x3xcomplex<f32>>) -> tensor<0x3xcomplex<f32>> {
      return %x : tensor<0x3xcomplex<f32>>
    }
    """
    result = mdh.compile(text)(numpy.zeros((0, 3), "F"))
    assert result.shape == (0, 3) and result.dtype == numpy.complex64


def test_double_precision():
    x = numbers(3, 4, dtype="D")
    y, z = mdh.compile(SCALE.replace("PART", "f64"))(x, 2j)
    numpy.testing.assert_allclose(y, x * 2j, rtol=1e-14)
    numpy.testing.assert_allclose(z, abs(x * 2j), rtol=1e-14)


def test_results_are_written_to_arrays(scale):
    x = numbers(4, 6)
    y, z = numpy.zeros((6, 4), "F").T, numpy.zeros((4, 6), "f")
    assert scale(x, 1j, out=(y, z))[0] is y
    numpy.testing.assert_allclose(y, x * 1j, rtol=1e-5)


@pytest.mark.parametrize(
    "argument, error, message",
    [
        (numpy.ones((2, 3), "f"), mdh.ArgumentTypeError, "argument 1 requires elements of type complex64, but has float32"),
        (numpy.ones((2, 3), "D"), mdh.ArgumentTypeError, "argument 1 requires elements of type complex64, but has complex128"),
        (numpy.ones(3, "F"), mdh.ArgumentValueError, "argument 1 requires tensor<?x?xcomplex<f32>>, but has shape [3, 2]"),
        ("a", mdh.ArgumentTypeError, "argument 1 requires an array, but is str"),
    ],
)
def test_wrong_arguments_are_errors(scale, argument, error, message):
    with pytest.raises(error) as caught:
        scale(argument, 1j)
    assert str(caught.value) == message


def test_what_has_no_parts_is_an_error():
    with pytest.raises(mdh.CompilationError, match="requires ranked tensors of complex numbers, but argument 1 has type memref<4xcomplex<f32>>"):
        mdh.compile("func.func @f(%x: memref<4xcomplex<f32>>) { return }")
