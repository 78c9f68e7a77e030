"""The peers on a GPU: cuBLAS through ctypes, and, if installed, PyTorch, which brings cuDNN, and Triton.

A peer is a function of a row, the device, the arrays and the addresses of their copies on the device. It yields variants, the
fastest of which counts. A variant is a function that starts the computation, one that returns its results, and one that copies the
inputs to where the variant reads them; our kernels' inputs are copied before each run, too. All compute in fp32 without tensor
cores: TF32 is off.
"""

import ctypes
import importlib.util

import numpy

from bench.peers.rows import TYPES
from bench.peers.torch import function_of

# Constants of cuBLAS: not transposed, transposed, pointers to device memory, fp32 as data type and as compute type, and
# the algorithms.
PLAIN, TRANSPOSED, ON_DEVICE, FP32, SUMS, ALGORITHMS = 0, 1, 1, 0, 68, range(-1, 24)
CONVOLUTIONS = ("conv2d", "mcc", "mcc_strided")
MATRICES = ("matmul", "matmul_transposed", "bmatmul")
TENSORS = ("dot", "matvec", *MATRICES, "scan", "transpose", "histo", "ccsdt", "mcc_capsule", "jacobi3d", "math")
# The examples that each peer computes, in the order in which peers are measured.
PEERS = {
    "cuBLAS": ("dot", "matvec", *MATRICES),
    "cuDNN": CONVOLUTIONS,
    "PyTorch": TENSORS,
    "Triton": MATRICES,
    "PyTorch compiled": (*TENSORS, *CONVOLUTIONS),
}
# These peers compile each row for seconds or minutes, so they are measured after all others.
SLOW = ("Triton", "PyTorch compiled")


def computes(peer, row):
    """True if a peer computes a row."""
    return ("ccsdt" if row.example.startswith("ccsdt") else row.example) in PEERS[peer]


def torch():
    """PyTorch, configured for all measurements; `None` if it is not installed or has no device."""
    if importlib.util.find_spec("torch") is None:
        return None
    import torch as library

    if not library.cuda.is_available():
        return None
    library.set_grad_enabled(False)
    library.backends.cuda.matmul.allow_tf32 = library.backends.cudnn.allow_tf32 = False
    library.backends.cudnn.benchmark = True
    return library


def cublas_library():
    """The cuBLAS library. PyTorch brings one, which is in the process once PyTorch is loaded."""
    torch()
    for name in ("libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def sizes_of_product(row, addresses):
    """A matrix product in row-major order: batches, rows, columns, reduction length, and the addresses of both operands."""
    shapes = [shape for _, _, shape in row.inputs]
    (left, right), order = shapes, addresses
    if row.example == "matmul_transposed":
        (left, right), order = (right, left), addresses[::-1]
    return (left[0] if len(left) == 3 else 1, left[-2], right[-1], left[-1]), order


class Cublas:
    """cuBLAS: the routine of each row, with all its algorithms."""

    def __init__(self):
        self.library, self.handle = cublas_library(), ctypes.c_void_p()
        self.check(self.library.cublasCreate_v2(ctypes.byref(self.handle)))
        self.check(self.library.cublasSetPointerMode_v2(self.handle, ON_DEVICE))

    def check(self, status):
        """Raises an error if a routine fails."""
        if status:
            raise RuntimeError(f"cuBLAS: status {status}")

    def version(self):
        """The version of the library."""
        version = ctypes.c_int()
        self.check(self.library.cublasGetVersion_v2(self.handle, ctypes.byref(version)))
        return str(version.value)

    def variants(self, row, addresses, result, factors):
        """Functions that start the routine. `result` is the address of the output, `factors` that of the constants 1 and 0."""
        p = ctypes.c_void_p
        one, zero = p(factors), p(factors + 4)
        if row.example == "dot":
            x, y = addresses
            return [lambda: self.check(self.library.cublasSdot_v2(self.handle, row.sizes["k"], p(x), 1, p(y), 1, p(result)))]
        if row.example == "matvec":
            (matrix, vector), (m, k) = addresses, row.inputs[0][2]
            arguments = [self.handle, TRANSPOSED, k, m, one, p(matrix), k, p(vector), 1, zero, p(result), 1]
            return [lambda: self.check(self.library.cublasSgemv_v2(*arguments))]
        (batches, m, n, k), (left, right) = sizes_of_product(row, addresses)
        long = ctypes.c_longlong

        def product(algorithm):
            # In column-major order, the transposed result is the product of the transposed operands in reverse order.
            operands = [(p(right), n, k * n), (p(left), k, m * k)]
            target = (p(result), n, m * n)
            arguments = [self.handle, PLAIN, PLAIN, n, m, k, one]
            for address, width, stride in operands:
                arguments += [address, FP32, width, *([long(stride)] if batches > 1 else [])]
            arguments += [zero, target[0], FP32, target[1], *([long(target[2]), batches] if batches > 1 else [])]
            routine = self.library.cublasGemmStridedBatchedEx if batches > 1 else self.library.cublasGemmEx
            return lambda: self.check(routine(*arguments, SUMS, algorithm))

        return [product(algorithm) for algorithm in ALGORITHMS]

    def __call__(self, row, cuda, arrays, addresses):
        outputs = [numpy.zeros(shape, TYPES[dtype]) for dtype, shape in row.outputs]
        with cuda.arrays([*outputs, numpy.array([1, 0], numpy.float32), *arrays]) as (result, factors, *own):

            def results():
                cuda.read(result, outputs[0])
                return outputs

            for variant in self.variants(row, own, result, factors):
                yield variant, results, lambda: cuda.refresh(own, addresses, arrays)


class Torch:
    """PyTorch, eager or compiled. For convolutions in two layouts, this is cuDNN with the algorithm that it measures as
    the fastest."""

    def __init__(self, kind):
        self.library, self.kind = torch(), kind

    def version(self):
        """The version of the library."""
        return str(self.library.backends.cudnn.version()) if self.kind == "cuDNN" else self.library.__version__

    def functions(self, row):
        """The function of tensors that computes a row."""
        library = self.library
        if row.example == "math":
            gelu, other = library.nn.functional.gelu, {"gelu_erf": "none", "gelu_tanh": "tanh"}.get(row.kind)
            return (lambda x: gelu(x, approximate=other)) if other else getattr(library, row.kind)
        return function_of(library, row)

    def __call__(self, row, cuda, arrays, addresses):
        function = self.functions(row)
        if self.kind == "compiled":
            self.library._dynamo.reset()
            function = self.library.compile(function, mode="max-autotune-no-cudagraphs")
        data, last = [self.library.from_numpy(array).cuda() for array in arrays], []

        def refresh():
            cuda.refresh([tensor.data_ptr() for tensor in data], addresses, arrays)

        def start():
            last[:] = [function(*data)]

        yield start, lambda: [last[0].cpu().numpy()], refresh
        if self.kind == "cuDNN" and row.example != "conv2d":
            # The other layout, converted beforehand: NCHW.
            stride, convolve = row.stride, self.library.nn.functional.conv2d
            image, weights = (tensor.permute(0, 3, 1, 2).contiguous() for tensor in data)

            def other():
                last[:] = [convolve(image, weights, stride=stride)]

            yield other, lambda: [last[0].permute(0, 2, 3, 1).cpu().numpy()], refresh


class Triton:
    """Matrix products as in Triton's tutorial, with several tile sizes."""

    def __init__(self):
        from bench.gpu import triton

        self.code = triton

    def version(self):
        """The version of the library."""
        return self.code.triton.__version__

    def __call__(self, row, cuda, arrays, addresses):
        library = torch()
        data = [library.from_numpy(array).cuda() for array in arrays]
        (batches, m, n, k), (left, right) = sizes_of_product(row, data)
        result = library.empty(row.outputs[0][1], device="cuda")
        refresh = lambda: cuda.refresh([tensor.data_ptr() for tensor in data], addresses, arrays)
        for tile in self.code.TILES:
            start = lambda tile=tile: self.code.product(left, right, result, (batches, m, n, k), tile)
            yield start, lambda: [result.cpu().numpy()], refresh


def installed():
    """The installed peers, by name."""
    found = {"cuBLAS": Cublas()} if cublas_library() else {}
    if torch():
        found |= {"cuDNN": Torch("cuDNN"), "PyTorch": Torch("eager"), "PyTorch compiled": Torch("compiled")}
        if importlib.util.find_spec("triton") is not None:
            found["Triton"] = Triton()
    return found
