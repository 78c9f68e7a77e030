#!/usr/bin/env python3
"""Writes the input arrays of the examples as .npy files; requires only Python 3.

    generate.py matmul                          inputs of @matmul and @matmul_small, small, to data/matmul/
    generate.py matmul --size real              inputs of @matmul at a size of the experiments
    generate.py matmul:matmul_10x500x64         inputs of one function of fixed size
    generate.py --all --output DIR              small inputs of every example, to DIR/matmul/ and so on
    generate.py --list                          the examples, their functions, inputs and outputs as JSON

The values depend only on the example, the array and its size. Where possible, they are small integers or dyadic fractions, so that
sums of floats are exact and results do not depend on the order of summation.
"""

import argparse
import array
import json
import pathlib
import random
import struct
import sys
import zlib

TYPES = {"f32": ("<f4", "f"), "f64": ("<f8", "d"), "i32": ("<i4", "i"), "i64": ("<i8", "q")}
CHUNK = 1 << 20


def product(shape):
    """The number of elements of an array."""
    result = 1
    for size in shape:
        result *= size
    return result


# The contents of an array: a function of a random number generator, the type and the shape that yields the bytes in
# chunks.


def choices(values):
    """Elements drawn from a list of values."""

    def pieces(rng, dtype, shape):
        code = "<" + TYPES[dtype][1]
        one = [struct.pack(code, values[byte % len(values)]) for byte in range(256)]
        rest = product(shape)
        if rest > CHUNK:
            # Each table look-up gives two elements: arrays of 10^8 elements take seconds.
            two = [low + high for high in one for low in one]
            while rest >= CHUNK:
                yield b"".join(map(two.__getitem__, memoryview(rng.randbytes(CHUNK)).cast("H")))
                rest -= CHUNK
        yield b"".join(map(one.__getitem__, rng.randbytes(rest)))

    # Callers with NumPy use the values for a faster look-up.
    pieces.values = values
    return pieces


def integers(low, high):
    """Random integers; both bounds are included."""
    return choices(list(range(low, high + 1)))


def computed(function):
    """Elements in row-major order, computed by a function of the shape."""

    def pieces(_, dtype, shape):
        yield array.array(TYPES[dtype][1], function(*shape)).tobytes()

    return pieces


COUNT = computed(range)
SMALL_INTEGERS = integers(-4, 4)

# The 5x5 filter of the experiments. All functions of conv2d have this filter size.
GAUSSIAN = [2, 4, 5, 4, 2, 4, 9, 12, 9, 4, 5, 12, 15, 12, 5, 4, 9, 12, 9, 4, 2, 4, 5, 4, 2]
GAUSSIAN_FILTER = computed(lambda rows, columns: [weight / 159 for weight in GAUSSIAN])

# The number of values of each of the 14 attributes of a record, and its number of errors in 256 records.
ATTRIBUTES = [1024, 512, 1024, 512, 256, 16, 2, 31, 12, 64, 128, 256, 128, 64]
MISTAKES = [8, 8, 8, 8, 8, 16, 4, 8, 8, 8, 16, 32, 24, 24]


def records(persons_seed, share_known):
    """Records of 14 attributes: copies of known persons' records with errors (`share_known` of 256), or random ones."""

    def pieces(rng, dtype, shape):
        persons = random.Random(persons_seed)
        known = [[persons.randrange(size) for size in ATTRIBUTES] for _ in range(min(shape[0] * 3 // 4, 4096))]
        elements = array.array(TYPES[dtype][1])
        for number in range(shape[0]):
            is_known = rng.getrandbits(8) < share_known
            person = known[number % len(known)] if is_known else [rng.randrange(size) for size in ATTRIBUTES]
            # Some copies have many more errors than others, so that all three classes of matches occur.
            factor = rng.choice([1, 1, 4, 8])
            draws = rng.randbytes(len(ATTRIBUTES))
            elements.extend(
                rng.randrange(size) if is_known and draw < factor * mistakes else value
                for value, size, draw, mistakes in zip(person, ATTRIBUTES, draws, MISTAKES)
            )
        yield elements.tobytes()

    return pieces


def coordinates(first, length):
    """Equidistant points."""
    return computed(lambda count: [first + number * (length / count) for number in range(count)])


# The examples. Inputs are (name, type, shape, elements), in the order of a function's arguments, computed from its
# sizes.

EXAMPLES = {}


class Example:
    """An example: its inputs and outputs, and the sizes of its functions by suffix, `small` first, then those of the experiments.

    The function without a suffix has dynamic extents and takes any of the sizes; with `dynamic=False`, it does not exist.
    """

    def __init__(self, name, inputs, outputs, sizes, dynamic=True):
        self.name, self.inputs, self.outputs = name, inputs, outputs.split()
        self.sizes = {f"{name}_{suffix}": values for suffix, values in sizes.items()}
        self.functions = ([name] if dynamic else []) + list(self.sizes)
        EXAMPLES[name] = self

    def sizes_of(self, function, size):
        """The sizes at which a function of this example is run."""
        if function in self.sizes:
            return self.sizes[function]
        if function not in (None, self.name):
            sys.exit(f"generate.py: error: {self.name} has no function {function}: it has {', '.join(self.functions)}")
        return list(self.sizes.values())[1 if size == "real" and len(self.sizes) > 1 else 0]


def sizes(dimensions, **values):
    """Sizes by dimension: sizes("i j", small=(2, 3)) is {"small": {"i": 2, "j": 3}}; a suffix that begins with a digit
    is written with a leading _."""
    return {suffix.removeprefix("_"): dict(zip(dimensions.split(), numbers)) for suffix, numbers in values.items()}


def factors(*inputs):
    """Inputs of small integers, given as (name, dimensions that index it)."""
    return lambda s: [(name, s.get("type", "f32"), [s[d] for d in subscripts], SMALL_INTEGERS) for name, subscripts in inputs]


def convolution(stride, image=(), weights=()):
    """A padded image and a filter. The image has the size that is read, or the height and width `height`."""

    def inputs(s):
        height = s.get("height", (s["p"] - 1) * stride + s["r"])
        width = s.get("height", (s["q"] - 1) * stride + s["s"])
        return [
            ("I", "f32", [s["n"], height, width, s["c"]] + [s[d] for d in image], SMALL_INTEGERS),
            ("F", "f32", [s[d] for d in ("k", "r", "s", "c")] + [s[d] for d in weights], SMALL_INTEGERS),
        ]

    return inputs


def one(name, elements, dtype="f32", border=0):
    """One input whose shape is the sizes, in order, extended by a border for stencils."""
    return lambda s: [(name, dtype, [size + border for size in s.values()], elements)]


Example("dot", factors(("A", "k"), ("B", "k")), "C", sizes("k", small=(101,), _16777216=(2**24,), _10000000=(10**7,)))
Example(
    "matvec",
    factors(("M", "ik"), ("v", "k")),
    "w",
    sizes("i k", small=(19, 23), _4096=(4096, 4096), _8192=(8192, 8192), _512x4096=(512, 4096)),
)
Example(
    "matmul",
    factors(("A", "ik"), ("B", "kj")),
    "C",
    sizes(
        "i j k",
        small=(13, 11, 17),
        _1024=(1024, 1024, 1024),
        _64=(64, 64, 64),
        _10x500x64=(10, 500, 64),
        resnet50=(1, 1000, 2048),
        resnet50_batch16=(16, 1000, 2048),
        vgg16=(1, 4096, 25088),
        vgg16_batch16=(16, 4096, 25088),
    ),
)
Example(
    "matmul_transposed",
    factors(("A", "ki"), ("B", "jk")),
    "C",
    sizes("i j k", small=(13, 11, 17), _10x500x64=(10, 500, 64)),
)
Example(
    "bmatmul",
    factors(("A", "bik"), ("B", "bkj")),
    "C",
    sizes("b i j k", small=(3, 5, 7, 11), _16x10x500x64=(16, 10, 500, 64)),
)
Example(
    "conv2d",
    lambda s: [
        ("I", "f32", [s["p"] + s["r"] - 1, s["q"] + s["s"] - 1], SMALL_INTEGERS),
        ("F", "f32", [s["r"], s["s"]], GAUSSIAN_FILTER),
    ],
    "O",
    sizes("p q r s", small=(11, 13, 5, 5), _4096=(4096, 4096, 5, 5), _224=(224, 224, 5, 5)),
)
Example(
    "mcc",
    convolution(1),
    "O",
    sizes(
        "n p q k r s c",
        small=(2, 3, 5, 3, 3, 2, 3),
        _512=(1, 7, 7, 512, 3, 3, 512),
        vgg16=(1, 224, 224, 64, 3, 3, 3),
        vgg16_batch=(16, 224, 224, 64, 3, 3, 3),
    ),
)
Example(
    "mcc_strided",
    convolution(2),
    "O",
    sizes(
        "n p q k r s c height",
        small=(2, 3, 4, 3, 3, 2, 3),
        resnet50=(1, 112, 112, 64, 7, 7, 3, 230),
        resnet50_batch=(16, 112, 112, 64, 7, 7, 3, 230),
        mobilenet=(1, 112, 112, 32, 3, 3, 3, 225),
        mobilenet_batch=(16, 112, 112, 32, 3, 3, 3, 225),
    ),
)
Example(
    "mcc_capsule",
    convolution(1, ("mi", "mk"), ("mk", "mj")),
    "O",
    sizes(
        "n p q k r s c mi mj mk height",
        small=(1, 2, 3, 2, 2, 3, 2, 2, 3, 2),
        vgg16=(1, 224, 224, 64, 3, 3, 3, 4, 4, 4),
        vgg16_batch=(16, 224, 224, 64, 3, 3, 3, 4, 4, 4),
        resnet50=(1, 112, 112, 64, 7, 7, 3, 4, 4, 4, 230),
        resnet50_batch=(16, 112, 112, 64, 7, 7, 3, 4, 4, 4, 230),
        mobilenet=(1, 112, 112, 32, 3, 3, 3, 4, 4, 4, 225),
        mobilenet_batch=(16, 112, 112, 32, 3, 3, 3, 4, 4, 4, 225),
    ),
)
CCSDT = "gdab-efgc gdac-efgb gdbc-efga geab-dfgc geac-dfgb gebc-dfga gfab-degc gfac-degb gfbc-dega"
for left, right in (contraction.split("-") for contraction in CCSDT.split()):
    d, e, d64, e64 = (20, 24, 16, 24) if left[1] == "d" else (24, 20, 24, 16)
    Example(
        f"ccsdt_{left}_{right}",
        factors(("A", left), ("B", right)),
        "C",
        sizes("a b c d e f g", small=(2, 3, 2, 3, 2, 3, 5), real=(24, 20, 20, d, e, 20, 24))
        | sizes("a b c d e f g type", real_f64=(24, 16, 16, d64, e64, 16, 24, "f64")),
    )
Example("jacobi1d", one("x", SMALL_INTEGERS, border=2), "y", sizes("i", small=(62,), _16777214=(2**24 - 2,)), dynamic=False)
Example("jacobi2d", one("x", SMALL_INTEGERS, border=2), "y", sizes("i j", small=(13, 17), _4096=(4096, 4096)), dynamic=False)
Example(
    "jacobi3d",
    one("x", SMALL_INTEGERS, border=2),
    "y",
    sizes("i j k", small=(5, 7, 11), _256=(256, 256, 256), _512=(512, 512, 512)),
    dynamic=False,
)
Example(
    "prl",
    lambda s: [
        ("N_id", "i64", [s["i"]], COUNT),
        ("N", "i32", [s["i"], len(ATTRIBUTES)], records(1, 160)),
        ("E_id", "i64", [s["j"]], COUNT),
        ("E", "i32", [s["j"], len(ATTRIBUTES)], records(1, 255)),
    ],
    "M_a M_b M_w M_class",
    sizes("i j", small=(11, 17), _32768=(2**15, 2**15)),
)
Example(
    "histo",
    lambda s: [("Elems", "i32", [s["e"]], integers(0, s["b"] - 1)), ("Bins", "i32", [s["b"]], COUNT)],
    "Out",
    sizes("e b", small=(197, 13), _1048576x256=(2**20, 256)),
)
Example(
    "genhisto",
    # Half of the elements fall into two bins, so that some counters saturate.
    lambda s: [
        ("Elems", "i32", [s["e"]], choices([3, 4] * s["b"] + [*range(s["b"])] * 2)),
        ("Bins", "i32", [s["b"]], COUNT),
    ],
    "Out",
    sizes("e b", small=(197, 13), _1048576x256=(2**20, 256)),
)
Example("map", one("I", SMALL_INTEGERS), "O", sizes("i", small=(101,), _16777216=(2**24,)))
Example("reduce", one("I", SMALL_INTEGERS), "O", sizes("i", small=(101,), _16777216=(2**24,)))
Example(
    "reduce_multiple",
    # The product of many elements must be finite.
    lambda s: [("I", "f32", [s["i"]], choices([-2, -1, -0.5, 0.5, 1, 2] if s["i"] < 100 else [-1, 1]))],
    "O1 O2",
    sizes("i", small=(53,), _16777216=(2**24,)),
)
Example("scan", one("A", SMALL_INTEGERS), "Out", sizes("i", small=(101,), _16777216=(2**24,)))
Example("mbbs", one("A", SMALL_INTEGERS), "Out", sizes("i j", small=(19, 23), _4096=(4096, 4096)))
Example(
    "mandelbrot",
    lambda s: [("im", "f32", [s["i"]], coordinates(-1.5, 3)), ("re", "f32", [s["j"]], coordinates(-2, 3))],
    "O",
    sizes("i j", small=(16, 16), _1024=(1024, 1024)),
)
Example("compute_matvec", factors(("M", "ik"), ("v", "k")), "w", sizes("i k", small=(128, 64)), dynamic=False)
Example("compute_jacobi1d", one("x", SMALL_INTEGERS, border=2), "y", sizes("i", small=(62,)), dynamic=False)


def inputs_of(example, function):
    """The names of the inputs of a function. Mandelbrot's functions of fixed size take none."""
    if example.name == "mandelbrot" and function != "mandelbrot":
        return []
    return [name for name, *_ in example.inputs(example.sizes_of(function, "small"))]


def write(path, dtype, shape, pieces):
    """Writes a .npy file of format 1.0 atomically."""
    text = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    header = f"{{'descr': '{TYPES[dtype][0]}', 'fortran_order': False, 'shape': ({text}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for piece in pieces:
            file.write(piece)
    part.replace(path)


def generate(example, function, size, folder):
    """Writes the inputs of a function to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, dtype, shape, elements in example.inputs(example.sizes_of(function, size)):
        seed = zlib.crc32(f"{example.name}.{name} {shape}".encode())
        write(folder / f"{name}.npy", dtype, shape, elements(random.Random(seed), dtype, shape))


def main():
    """Runs the command."""
    parser = argparse.ArgumentParser(description="Write the input arrays of the examples as .npy files.")
    parser.add_argument("example", nargs="?", metavar="NAME[:FUNCTION]", help="an example, or one function of it")
    parser.add_argument("--size", choices=["small", "real"], default="small", help="the sizes for a function with dynamic extents (default: small)")
    parser.add_argument("--output", type=pathlib.Path, metavar="DIR", help="the output folder (default: data/NAME)")
    parser.add_argument("--all", action="store_true", help="write the inputs of all examples, one folder each (default: data)")
    parser.add_argument("--list", action="store_true", help="print the examples as JSON")
    arguments = parser.parse_args()
    if arguments.list:
        description = [
            {
                "name": example.name,
                "functions": [{"name": function, "inputs": inputs_of(example, function)} for function in example.functions],
                "outputs": example.outputs,
            }
            for example in EXAMPLES.values()
        ]
        print(json.dumps(description, indent=1))
    elif arguments.all:
        for example in EXAMPLES.values():
            generate(example, None, arguments.size, (arguments.output or pathlib.Path("data")) / example.name)
    elif arguments.example:
        name, _, function = arguments.example.partition(":")
        if name not in EXAMPLES:
            parser.error(f"no example {name}: there are {', '.join(EXAMPLES)}")
        generate(EXAMPLES[name], function or None, arguments.size, arguments.output or pathlib.Path("data") / name)
    else:
        parser.error("name an example, or give --all or --list")


if __name__ == "__main__":
    sys.exit(main())
