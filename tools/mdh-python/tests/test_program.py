"""Programs in MLIR as Python functions: arrays are read where they are, results are arrays, and errors are clear."""

import threading

import mdh
import numpy
import pytest

MATVEC = """
func.func @matvec(%M: tensor<?x?xf32>, %v: tensor<?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<?x?xf32>, tensor<?xf32>) -> !mdh.mda<?x?, f32, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<?x?, f32, f32> -> !mdh.mda<?x1, f32>
  %w = mdh.view.out_view %h[affine_map<(i, k) -> (i)>] : !mdh.mda<?x1, f32> -> tensor<?xf32>
  return %w : tensor<?xf32>
}
"""

SCALE = """
func.func @scale(%x: memref<4xELEMENT>, %by: ELEMENT) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<4xELEMENT>) -> !mdh.mda<4, ELEMENT>
  %h = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: ELEMENT):
    %p = arith.OPERATION %a, %by : ELEMENT
    mdh.hom.yield %p : ELEMENT
  } : !mdh.mda<4, ELEMENT> -> !mdh.mda<4, ELEMENT>
  mdh.view.out_view %h[affine_map<(i) -> (i)>] into %x : !mdh.mda<4, ELEMENT>, memref<4xELEMENT>
  return
}
"""


@pytest.fixture(scope="module")
def matvec():
    return mdh.compile(MATVEC, threads=2)


def test_the_result_is_an_array(matvec):
    matrix, vector = numpy.arange(12, dtype="f").reshape(3, 4), numpy.arange(4, dtype="f")
    result = matvec(matrix, vector)
    assert isinstance(result, numpy.ndarray) and result.dtype == numpy.float32
    numpy.testing.assert_allclose(result, matrix @ vector)


@pytest.mark.parametrize(
    "matrix",
    [
        numpy.asfortranarray(numpy.arange(12, dtype="f").reshape(3, 4)),
        numpy.arange(12, dtype="f").reshape(3, 4)[::-1, ::-1],
        numpy.arange(48, dtype="f").reshape(6, 8)[::2, ::2],
        numpy.broadcast_to(numpy.arange(4, dtype="f"), (3, 4)),
        numpy.frombuffer(b"\0" + numpy.arange(12, dtype="f").tobytes(), dtype="f", offset=1).reshape(3, 4),
    ],
    ids=["fortran", "reversed", "strided", "broadcast", "unaligned"],
)
def test_any_strides_are_right(matvec, matrix):
    vector = numpy.arange(4, dtype="f")
    numpy.testing.assert_allclose(matvec(matrix, vector), matrix @ vector)


def test_results_are_written_to_out(matvec):
    matrix, vector, out = numpy.ones((3, 4), "f"), numpy.ones(4, "f"), numpy.zeros(6, "f")
    view = out[::2]
    assert matvec(matrix, vector, out=view) is view
    assert out.tolist() == [4, 0, 4, 0, 4, 0]


@pytest.mark.parametrize("element, dtype, operation", [("f32", "f4", "mulf"), ("f64", "f8", "mulf"), ("f16", "f2", "mulf"), ("i32", "i4", "muli"), ("i64", "i8", "muli"), ("i8", "i1", "muli")])
def test_memory_of_the_caller_is_updated(element, dtype, operation):
    scale = mdh.compile(SCALE.replace("ELEMENT", element).replace("OPERATION", operation))
    array = numpy.arange(4, dtype=dtype)
    assert scale(array, 3) is None
    assert array.tolist() == [0, 3, 6, 9]


def test_several_threads_may_call(matvec):
    matrix, vector = numpy.random.default_rng(0).random((200, 300), "f"), numpy.ones(300, "f")
    expected, found = matrix @ vector, []

    def call():
        for _ in range(50):
            found.append(numpy.allclose(matvec(matrix, vector), expected, rtol=1e-4))

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 200 and all(found)


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ([], mdh.ArgumentTypeError, "'matvec' requires 2 arguments, but 0 are given"),
        ([numpy.ones((3, 4), "d"), numpy.ones(4, "f")], mdh.ArgumentTypeError, "argument 1 requires tensor<?x?xf32>, but has elements of format 'd'"),
        ([numpy.ones(3, "f"), numpy.ones(4, "f")], mdh.ArgumentValueError, "argument 1 requires tensor<?x?xf32>, but has shape [3]"),
        (["a", numpy.ones(4, "f")], mdh.ArgumentTypeError, "argument 1 requires an array, but is str"),
        ([numpy.ones((3, 4), "F"), numpy.ones(4, "f")], mdh.ArgumentTypeError, "argument 1 requires real numbers, but has elements of type complex64"),
    ],
)
def test_wrong_arguments_are_errors(matvec, arguments, error, message):
    with pytest.raises(error) as caught:
        matvec(*arguments)
    assert str(caught.value) == message


def test_a_read_only_array_is_not_written():
    scale = mdh.compile(SCALE.replace("ELEMENT", "f32").replace("OPERATION", "mulf"))
    array = numpy.arange(4, dtype="f")
    array.flags.writeable = False
    with pytest.raises(mdh.ArgumentValueError, match="read-only"):
        scale(array, 3)


def test_a_wrong_program_is_an_error_with_its_location():
    with pytest.raises(mdh.CompilationError, match="-:3:"):
        mdh.compile("func.func @f() {\n\n  unknown.op\n}")


LOOPS = """
func.func @main(%A: memref<?x?xf32> {llvm.noalias}, %B: memref<?x?xf32> {llvm.noalias}, %C: memref<?x?xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %C, %c0 : memref<?x?xf32>
  %n = memref.dim %C, %c1 : memref<?x?xf32>
  %l = memref.dim %A, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      scf.for %k = %c0 to %l step %c1 {
        %a = memref.load %A[%i, %k] : memref<?x?xf32>
        %b = memref.load %B[%k, %j] : memref<?x?xf32>
        %c = memref.load %C[%i, %j] : memref<?x?xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        memref.store %s, %C[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}"""


def test_loops_are_raised_and_checked():
    product = mdh.compile(LOOPS)
    computations = product.source("check")
    assert computations.count("mdh.hom.md_hom") == 1 and "scf.for" not in computations
    A, B = numpy.arange(12, dtype="f").reshape(3, 4), numpy.arange(20, dtype="f").reshape(4, 5)
    C = numpy.ones((3, 5), "f")
    product(A, B, C)
    assert (C == A @ B + 1).all()
    product(A[:, :0], B, C)
    with pytest.raises(mdh.Error, match="-:12:.*'memref.load' fails: out-of-bounds access"):
        product(A, B[:3].copy(), C)
    with pytest.raises(mdh.Error, match="'memref.load' fails: out-of-bounds access"):
        product(A[:2].copy(), B, C)


def test_computed_sizes_are_checked() -> None:
    negative = mdh.compile(
        """func.func @sum(%x: tensor<?xf32>, %n: index) -> tensor<f32> {
  %v = mdh.view.inp_view %x[affine_map<(i) -> (i * 2)>] extents(%n) : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %h = mdh.hom.md_hom %v combine [#mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<1, f32>
  %r = mdh.view.out_view %h[affine_map<(i) -> ()>] : !mdh.mda<1, f32> -> tensor<f32>
  return %r : tensor<f32>
}"""
    )
    values = numpy.arange(5, dtype=numpy.float32)
    assert negative(values, 3) == 6 and negative(values, 0) == 0
    with pytest.raises(mdh.ExecutionError, match="-:3:8: error: .* requires an extent of at least 0 in dimension 1"):
        negative(values, -1)
    inserted = mdh.compile(
        """func.func @insert(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %r = tensor.insert_slice %x into %y[1] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}"""
    )
    assert list(inserted(values[:2], values, 2)) == [0, 0, 1, 3, 4]
    for size, requirement in ((1, "the size of axis 1 of what is inserted"), (5, "a slice within the tensor in axis 1")):
        with pytest.raises(mdh.ExecutionError, match=f"-:2:8: error: 'tensor.insert_slice' fails: requires {requirement}"):
            inserted(values[: max(size, 2)], values, size)



def test_stages_have_sources(matvec):
    assert "omp.parallel" in matvec.source("openmp")
    with pytest.raises(mdh.CompilationError, match="unknown stage 'nothing'"):
        matvec.source("nothing")


@pytest.mark.parametrize("threads", [0, -1, 1025, 10**30])
def test_numbers_of_threads_have_limits(threads):
    with pytest.raises(mdh.ArgumentValueError, match=f"threads requires an integer from 1 to 1024, but is {threads}"):
        mdh.compile(MATVEC, threads=threads)


@pytest.mark.parametrize("threads", ["2", 1.5, [1]])
def test_a_number_of_threads_is_an_integer(threads):
    with pytest.raises(mdh.ArgumentTypeError, match="threads requires an integer from 1 to 1024, but is "):
        mdh.compile(MATVEC, threads=threads)


def test_what_is_not_raised_is_logged(caplog, capfd, monkeypatch):
    monkeypatch.setenv("MDH_CACHE_DIR", "")
    program = """
func.func @late(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %x[%c0] : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %e = tensor.extract %x[%i] : tensor<4xf32>
    %s = arith.addf %e, %0 : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}"""
    with caplog.at_level("INFO", "mdh"):
        late = mdh.compile(program)
    assert late(numpy.arange(1, 5, dtype="f")).tolist() == [2, 3, 4, 5]
    assert "-:5:8: remark: " in caplog.text and capfd.readouterr().err == ""
