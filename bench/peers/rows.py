"""The rows: the computations of the experiments (MDH, Figures 24 to 29), and their expected results."""

import math
import random
import zlib

import numpy

from bench import examples
from bench.examples import generate
from bench.harness import EXAMPLES
from bench.peers import math as math_rows

# The functions of each example. `histo` and `prl` take any sizes; the larger ones of PRL take minutes per call.
FUNCTIONS = {
    "dot": ["dot_16777216", "dot_10000000"],
    "matvec": ["matvec_4096", "matvec_8192"],
    "matmul": [
        "matmul_10x500x64",
        "matmul_1024",
        "matmul_resnet50",
        "matmul_resnet50_batch16",
        "matmul_vgg16",
        "matmul_vgg16_batch16",
    ],
    "matmul_transposed": ["matmul_transposed_10x500x64"],
    "bmatmul": ["bmatmul_16x10x500x64"],
    "conv2d": ["conv2d_224", "conv2d_4096"],
    "mcc": ["mcc_512", "mcc_vgg16", "mcc_vgg16_batch"],
    "mcc_strided": ["mcc_strided_resnet50", "mcc_strided_resnet50_batch", "mcc_strided_mobilenet", "mcc_strided_mobilenet_batch"],
    "mcc_capsule": [
        "mcc_capsule_vgg16",
        "mcc_capsule_vgg16_batch",
        "mcc_capsule_resnet50",
        "mcc_capsule_resnet50_batch",
        "mcc_capsule_mobilenet",
        "mcc_capsule_mobilenet_batch",
    ],
    **{name: [f"{name}_real"] for name in generate.EXAMPLES if name.startswith("ccsdt")},
    "jacobi3d": ["jacobi3d_256", "jacobi3d_512"],
    "prl": ["prl_32768"],
    "scan": ["scan_16777216"],
}
ANY_SIZE = {
    "histo_16777216x256": ("histo", {"e": 2**24, "b": 256}),
    **{f"prl_{2**n}": ("prl", {"i": 2**n, "j": 2**n}) for n in range(16, 21)},
}
# Measured only if named, or with --long.
LONG = [f"prl_{2**n}" for n in range(16, 21)]

# Operations per point of the computation, and whether a multiplication and an addition can be fused.
OPERATIONS = {"jacobi3d": (13, True), "prl": (28, False), "scan": (1, False), "histo": (1, False), "transpose": (0, False)}


class Row:
    """A computation at one size."""

    def __init__(self, name, example, function, sizes):
        self.name, self.example, self.function, self.sizes = name, example, function, sizes
        # The maximum difference of a correct result, relative to the maximum of the result and 1.
        self.tolerance = 0 if example in ("prl", "histo") else 1e-4
        inputs = generate.EXAMPLES[example].inputs(sizes)
        self.inputs = [(label, dtype, tuple(shape)) for label, dtype, shape, _ in inputs]
        self.outputs = [(dtype, tuple(shape)) for dtype, shape in examples.OUTPUTS[example](sizes)]
        per_point, self.fused = OPERATIONS.get(example, (2, True))
        points = math.prod(size for dimension, size in sizes.items() if dimension != "height")
        # A histogram counts as one operation per element, independent of the number of bins.
        self.operations = per_point * (sizes["e"] if example == "histo" else points)
        self.read = sum(self.bytes_read(*entry) for entry in self.inputs)
        self.written = sum(size_of(dtype) * math.prod(shape) for dtype, shape in self.outputs)
        self.held = sum(size_of(dtype) * math.prod(shape) for _, dtype, shape in self.inputs) + self.written

    def program(self, _):
        """The file of the computation."""
        return EXAMPLES / f"{self.example}.mlir"

    def bytes_read(self, label, dtype, shape):
        """The bytes of an input that the result depends on: a convolution may not reach the end of its image."""
        if self.example.startswith("mcc") and label == "I":
            s, stride = self.sizes, self.stride
            shape = (shape[0], (s["p"] - 1) * stride + s["r"], (s["q"] - 1) * stride + s["s"], *shape[3:])
        return size_of(dtype) * math.prod(shape)

    @property
    def stride(self):
        """The stride of a convolution."""
        return 2 if self.example == "mcc_strided" or "capsule_resnet" in self.name or "capsule_mobilenet" in self.name else 1

    def arrays(self):
        """The inputs, deterministic."""
        for label, dtype, shape, elements in generate.EXAMPLES[self.example].inputs(self.sizes):
            data = numpy.empty(math.prod(shape), dtype=TYPES[dtype])
            position = 0
            for part in self.parts(elements, random.Random(zlib.crc32(label.encode())), dtype, shape):
                data[position : position + len(part)] = part
                position += len(part)
            yield data.reshape(shape)

    @staticmethod
    def parts(elements, draw, dtype, shape):
        """The elements of an input, in chunks, as generate.py writes them."""
        values = getattr(elements, "values", None)
        if values is None:
            for piece in elements(draw, dtype, shape):
                yield numpy.frombuffer(piece, dtype=TYPES[dtype])
            return
        table = numpy.array([values[byte % len(values)] for byte in range(256)], dtype=TYPES[dtype])
        for start in range(0, math.prod(shape), generate.CHUNK):
            count = min(generate.CHUNK, math.prod(shape) - start)
            yield table[numpy.frombuffer(draw.randbytes(count), dtype=numpy.uint8)]

    def macros(self):
        """The size macros for the plain loops of bench/c."""
        stride = [f"-DSTRIDE={self.stride}"] if self.example.startswith("mcc") else []
        return [*examples.macros(self.example, self.sizes, self.inputs[0][2]), *stride]


TYPES = {"f32": numpy.float32, "f64": numpy.float64, "i32": numpy.int32, "i64": numpy.int64}


def size_of(dtype):
    """The size of an element in bytes."""
    return numpy.dtype(TYPES[dtype]).itemsize


def rows():
    """All rows by name."""
    result = {}
    for example, functions in FUNCTIONS.items():
        for function in functions:
            sizes = {d: n for d, n in generate.EXAMPLES[example].sizes_of(function, "real").items() if d != "type"}
            result[function] = Row(function, example, function, sizes)
    for name, (example, sizes) in ANY_SIZE.items():
        result[name] = Row(name, example, example, sizes)
    return result | math_rows.rows()


def chosen(parser, table, names, long):
    """The rows of a table with these names, or of examples with these names. All if there are none, but the long ones only
    on request."""
    unknown = [name for name in names if name not in table and name not in {row.example for row in table.values()}]
    if unknown:
        parser.error(f"no row {', '.join(unknown)}: there are {', '.join(table)}")
    is_chosen = lambda name, row: name in names or (row.example in names or not names) and (long or name not in LONG)
    return {name: row for name, row in table.items() if is_chosen(name, row)}


def dot(left, right):
    """The dot product of two arrays in double precision."""
    return float(numpy.sum(numpy.multiply(left, right, dtype=numpy.float64)))


# The agreement and disagreement weights of PRL's 14 attributes, from bench/c/prl.c.
AGREE = [9.96875, 8.96875, 9.96875, 8.96875, 7.96875, 3.921875, 0.984375, 4.96875, 3.5625, 5.96875, 6.921875, 7.84375, 6.875, 5.890625]
DIFFER = [5.328125, 5.3125, 5.328125, 5.3125, 5.3125, 4.234375, 5.640625, 5.59375, 5.515625, 5.625, 4.3125, 3.3125, 3.625, 3.8125]


def expected(row, arrays, index):
    """The expected elements of the outputs at an index of the first output, in double precision, from the definition."""
    x = arrays[0]
    y = arrays[1] if len(arrays) > 1 else None
    match row.example:
        case "dot":
            return [dot(x, y)]
        case "matvec":
            return [dot(x[index[0]], y)]
        case "matmul":
            return [dot(x[index[0]], y[:, index[1]])]
        case "matmul_transposed":
            return [dot(x[:, index[1]], y[index[0]])]
        case "bmatmul":
            return [dot(x[index[0], index[1]], y[index[0], :, index[2]])]
        case "conv2d":
            p, q = index
            return [dot(x[p : p + y.shape[0], q : q + y.shape[1]], y)]
        case "mcc" | "mcc_strided":
            n, p, q, k = index
            p, q = p * row.stride, q * row.stride
            return [dot(x[n, p : p + y.shape[1], q : q + y.shape[2]], y[k])]
        case "mcc_capsule":
            n, p, q, k, mi, mj = index
            p, q = p * row.stride, q * row.stride
            return [dot(x[n, p : p + y.shape[1], q : q + y.shape[2], :, mi], y[k, ..., mj])]
        case "jacobi3d":
            i, j, k = index
            window = x[i : i + 3, j : j + 3, k : k + 3].astype(numpy.float64)
            weights = {(1, 1, 2): 0.161, (1, 1, 0): 0.162, (1, 2, 1): 0.163, (1, 0, 1): 0.164, (2, 1, 1): 0.165, (0, 1, 1): 0.166}
            return [sum(weight * window[at] for at, weight in weights.items()) - 1.67 * window[1, 1, 1]]
        case "scan":
            return [float(numpy.sum(x[: index[0] + 1], dtype=numpy.float64))]
        case "transpose":
            return [float(x[index[1], index[0]])]
        case "math":
            return [math_rows.expected(row.kind, float(x[index]))]
        case "histo":
            return [int(numpy.count_nonzero(x == y[index[0]]))]
        case "prl":
            weights = numpy.where(arrays[1][index[0]] == arrays[3], AGREE, -numpy.array(DIFFER)).sum(axis=1)
            best = weights.max()
            return [int(x[index[0]]), int(arrays[2][weights == best].min()), best, int(best >= 15) + int(best >= 45)]
    # A contraction: its name has the dimensions that index each operand; `g` is the reduction dimension.
    at = dict(zip("abcdef", index))
    left, right = (array[tuple(at.get(d, slice(None)) for d in name)] for array, name in zip(arrays, row.example.split("_")[1:]))
    return [dot(left, right)]


def check(row, arrays, results, samples=24):
    """The maximum difference of sampled elements from their definition, relative to the maximum of the elements and 1."""
    draw = random.Random(1)
    shape = row.outputs[0][1]
    indices = [tuple(0 for _ in shape), tuple(size - 1 for size in shape)] + [tuple(map(draw.randrange, shape)) for _ in range(samples)]
    worst = 0.0
    for index in set(indices):
        for result, right in zip(results, expected(row, arrays, index)):
            found = float(result[index])
            difference = abs(found - right) / max(1.0, abs(found), abs(right))
            worst = max(worst, difference if difference == difference else math.inf)
    return worst


def fingerprint(results):
    """Sums over parts of the results, unweighted and weighted by position. Results with equal fingerprints are taken as equal."""
    sums, sizes = [], []
    for result in results:
        flat = numpy.ascontiguousarray(result).reshape(-1)
        step = max(1, -(-flat.size // 1024))
        for start in range(0, flat.size, step):
            part = flat[start : start + step].astype(numpy.float64)
            sums += [float(part.sum()), float((part * (numpy.arange(part.size) % 127)).sum())]
            sizes += [float(numpy.abs(part).sum()), 127 * float(numpy.abs(part).sum())]
    return sums, sizes


def distance(left, right):
    """The distance of fingerprints, relative to the sums of absolute values."""
    if len(left[0]) != len(right[0]):
        return math.inf
    differences = (abs(a - b) / max(1.0, size) for a, b, size in zip(left[0], right[0], right[1]))
    return max((d if d == d else math.inf for d in differences), default=0.0)
