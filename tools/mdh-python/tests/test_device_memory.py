"""Arrays in the memory of a GPU, which the driver allocates: on a GPU, or on the interpreter of PTX."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy
import pytest
from computations import matvec
from mdh import (
    ArgumentTypeError,
    ArgumentValueError,
    Buffer,
    CompilationError,
    Error,
    ExecutionError,
    Scalar,
    Size,
    cc,
    combine_ops,
    compiler,
    fp32,
    fp64,
    inp,
    int8,
    mdh,
    out,
)
from mdh import _native


class Driver:
    """The device and its arrays."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libcuda.so.1")
        context = ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)

    def call(self, name: str, *arguments: Any) -> None:
        status = getattr(self.library, name)(*arguments)
        assert status == 0, (name, status)

    def stream(self) -> int:
        """A stream that does not wait for the default one."""
        stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(stream), 1)
        assert stream.value is not None
        return stream.value

    def send(self, array: Any, **changes: Any) -> Array:
        """A copy of an array in the memory of the device. `changes`: what is different in its description."""
        array = numpy.array(array, order="C")
        memory = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(max(array.nbytes, 1)))
        self.call("cuMemcpyHtoD_v2", memory, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))
        return Array(array, memory.value, changes)

    def free(self) -> int:
        """The free bytes of the device."""
        left, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call("cuMemGetInfo_v2", ctypes.byref(left), ctypes.byref(total))
        return left.value

    def receive(self, array: Array) -> Any:
        """The elements of an array, after all work has ended."""
        copy = numpy.zeros_like(array.array)
        self.call("cuCtxSynchronize")
        address = ctypes.c_uint64(array.address)
        self.call("cuMemcpyDtoH_v2", copy.ctypes.data_as(ctypes.c_void_p), address, ctypes.c_size_t(copy.nbytes))
        return copy


class Array:
    """An array as other libraries have it."""

    def __init__(self, array: Any, address: int, changes: dict[str, Any]) -> None:
        self.array = array
        self.address = address
        self.changes = changes

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        array = self.array
        description = {"shape": array.shape, "typestr": array.dtype.str, "data": (self.address, False), "version": 3}
        return {**description, **self.changes}


@pytest.fixture(scope="module")
def driver() -> Driver:
    try:
        compiler.compile(matvec(fp32, 2, 2), compiler.CUDA())
    except CompilationError as error:
        if not str(error).startswith("no "):
            raise
        pytest.skip(str(error))
    return Driver()


@pytest.fixture(scope="module")
def product(driver: Driver) -> Iterator[Any]:
    """A product of a matrix of any size and a vector."""
    with compiler.compile(matvec(fp32, Size("I"), Size("K")), compiler.CUDA()) as function:
        yield function


def operands(rows: int, columns: int) -> tuple[Any, Any, Any]:
    random = numpy.random.default_rng(rows)
    return numpy.zeros(rows, "f"), random.random((rows, columns), "f"), random.random(columns, "f")


def test_results_are_those_of_arrays_on_the_host(driver: Driver, product: Any) -> None:
    for rows, columns in ((96, 40), (1, 7), (0, 5)):
        result, matrix, vector = operands(rows, columns)
        on_device = [driver.send(array) for array in (result, matrix, vector)]
        product.run(*on_device)
        product.run(result, matrix, vector)
        assert driver.receive(on_device[0]).tolist() == result.tolist()
        assert result.tolist() == pytest.approx((matrix @ vector).tolist(), rel=1e-4)


class TorchStream:
    """A stream as PyTorch has it."""

    def __init__(self, handle: int) -> None:
        self.cuda_stream = handle


class CudaStream:
    """A stream as CUDA's own packages have it."""

    def __init__(self, handle: int) -> None:
        self.handle = handle

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle


@pytest.mark.parametrize("kind", [int, TorchStream, CudaStream, None])
def test_work_goes_to_the_stream_of_the_call_or_of_the_arrays(driver: Driver, product: Any, kind: Any) -> None:
    result, matrix, vector = operands(8, 16)

    def run(handle: int) -> Array:
        changes = {} if kind else {"stream": handle}
        output, *inputs = (driver.send(array, **changes) for array in (result, matrix, vector))
        product.run(output, *inputs, stream=kind(handle) if kind else None)
        return output

    assert driver.receive(run(driver.stream())).tolist() == pytest.approx((matrix @ vector).tolist(), rel=1e-4)
    # A stream that does not exist is an error of the driver, so that the one above was used.
    with pytest.raises(ExecutionError, match="matvec"):
        run(0xDEAD0)


def test_tensors_of_pytorch_are_used_on_its_current_stream(
    driver: Driver, product: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Tensor(Array):
        is_cuda = True
        device = 0

        def detach(self) -> Array:
            return Array(self.array, self.address, self.changes)

        @property
        def __cuda_array_interface__(self) -> dict[str, Any]:
            raise RuntimeError("it requires a gradient")

    def current(stream: int) -> None:
        cuda = SimpleNamespace(current_stream=lambda device: TorchStream(stream))
        monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda, Tensor=Tensor))

    result, matrix, vector = operands(8, 16)
    sent = (driver.send(array) for array in (result, matrix, vector))

    class Parameter(Tensor):
        """A tensor of a program."""

    tensors = [Parameter(one.array, one.address, {}) for one in sent]
    current(driver.stream())
    product.run(*tensors)
    assert driver.receive(tensors[0]).tolist() == pytest.approx((matrix @ vector).tolist(), rel=1e-4)
    current(0xDEAD0)
    with pytest.raises(ExecutionError, match="matvec"):
        product.run(*tensors)


@pytest.mark.parametrize(("kind", "number"), [(fp32, 2.5), (fp64, -0.1), (int8, -3)])
def test_numbers_are_those_of_the_host(driver: Driver, kind: Any, number: Any) -> None:
    @mdh(out(y=Buffer[kind]), inp(a=Scalar[kind], x=Buffer[kind]), combine_ops(cc))
    def scaled(y: Any, a: Any, x: Any) -> None:
        for i in range(5):
            y[i] = a * x[i]

    x = numpy.arange(5).astype(kind.dtype)
    y = driver.send(numpy.zeros_like(x))
    with compiler.compile(scaled, compiler.CUDA()) as function:
        for a in (number, driver.send(numpy.array(number, kind.dtype))):
            function.run(y, a, driver.send(x))
            assert driver.receive(y).tolist() == (numpy.array(number, kind.dtype) * x).tolist()


def test_other_arrays_are_errors(driver: Driver, product: Any) -> None:
    result, matrix, vector = operands(8, 16)
    y, a, x = (driver.send(array) for array in (result, matrix, vector))

    def fails(message: str, *arrays: Any, error: type[Error] = ArgumentValueError, **options: Any) -> None:
        with pytest.raises(error, match=message):
            product.run(*arrays, **options)

    fails("the input 'v' of matvec requires memory of the GPU, as .* but ndarray does not have it", y, a, vector)
    fails("the input 'M' of matvec requires memory of the processor, but is on a GPU", result, a, x)
    wrong = driver.send(vector.astype("d"))
    fails("'v' of matvec must have the type float32, but has float64", y, a, wrong, error=ArgumentTypeError)
    fails(r"the input 'v' of matvec must have the shape \(16,\)", y, a, driver.send(vector[:9]))
    fails("the output 'w' of matvec must be writable", driver.send(result, data=(y.address, True)), a, x)
    fails("the input 'M' of matvec is on the GPU, and must be contiguous", y, driver.send(matrix, strides=(4, 32)), x)
    fails("address must be a multiple of 16 bytes", y, a, driver.send(vector, data=(x.address + 4, False)))
    own = driver.send(result, data=(x.address, False))
    fails("the output 'w' of matvec and the input 'v' of matvec must not overlap", own, a, x)
    fails("requires an array without a mask", y, a, driver.send(vector, mask=x), error=ArgumentTypeError)
    fails("requires memory of .* but got memory of the host", y, a, driver.send(vector, data=(64, False)))
    wrong = driver.send(vector, typestr="<q9")
    fails("'v' of matvec requires an array, but Array does not describe one", y, a, wrong, error=ArgumentTypeError)
    pair = driver.send(matrix, stream=5), driver.send(vector, stream=1)
    fails("requires stream=, because .* on several streams: 0, 5", y, *pair)
    fails("stream= requires a stream of CUDA or its number, but is 'x'", y, a, x, stream="x", error=ArgumentTypeError)
    fails("matvec requires 3 arrays, outputs first", y, a, error=ArgumentTypeError)
    fails("stream= requires the backend CUDA.* the output of this call", result, matrix, vector, stream=0)
    # Nothing has been computed, and the next call works.
    product.run(y, a, x)
    assert driver.receive(y).tolist() == pytest.approx((matrix @ vector).tolist(), rel=1e-4)


def test_functions_of_the_processor_refuse_them(driver: Driver) -> None:
    result, matrix, vector = operands(8, 16)
    arrays = [driver.send(array) for array in (result, matrix, vector)]
    with compiler.compile(matvec(fp32, 8, 16)) as function:
        with pytest.raises(ArgumentValueError, match="the output 'w' of matvec requires memory of the processor"):
            function.run(*arrays)
        with pytest.raises(ArgumentValueError, match=r"stream= .* but the backend is CPU\(threads=None\)"):
            function.run(*arrays, stream=0)


def test_arrays_of_numpy_are_those_of_the_host(product: Any) -> None:
    class Managed(numpy.ndarray):
        """An array that a GPU can read, too, as those of Numba."""

        __cuda_array_interface__ = {}

    result, matrix, vector = operands(8, 16)
    product.run(*(array.view(Managed) for array in (result, matrix, vector)))
    assert result.tolist() == pytest.approx((matrix @ vector).tolist(), rel=1e-4)


def test_constants_are_copied_once(driver: Driver) -> None:
    program = """
        func.func @weighted(%x: memref<4xf32>, %y: memref<4xf32>) {
          %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
          %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>], %c[affine_map<(i) -> (i)>]
              : (memref<4xf32>, tensor<4xf32>) -> !mdh.mda<4, f32, f32>
          %r = mdh.hom.md_hom %in combine [#mdh.cc] {
          ^bb0(%a: f32, %b: f32):
            %p = arith.mulf %a, %b : f32
            mdh.hom.yield %p : f32
          } : !mdh.mda<4, f32, f32> -> !mdh.mda<4, f32>
          mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<4, f32>, memref<4xf32>
          return
        }"""
    x, y = driver.send(numpy.arange(4, dtype="f")), driver.send(numpy.zeros(4, "f"))
    before = driver.free()
    function = _native.compile(program, target="cuda").on_device()
    left = []
    for _ in range(2):
        function.run_on_device([(x.address, (4,)), (y.address, (4,))], 0)
        assert driver.receive(y).tolist() == [0, 2, 6, 12]
        left.append(driver.free())
    assert left[0] == left[1] < before
    # The constant is freed with the code.
    del function
    assert driver.free() == before


def test_destroyed_functions_are_errors(driver: Driver) -> None:
    result, matrix, vector = (driver.send(array) for array in operands(8, 16))
    function = compiler.compile(matvec(fp32, 8, 16), compiler.CUDA())
    function.run(result, matrix, vector)
    function.destroy()
    with pytest.raises(Error, match="has been destroyed"):
        function.run(result, matrix, vector)
