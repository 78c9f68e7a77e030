"""Rows for math functions, applied to each element of an array, with arrays that exceed the caches and
arrays that fit."""

import math
import pathlib
import random

import numpy

# The scalar function as MLIR, and the range of its operand. Gelu is x (1 + erf(x / sqrt 2)) / 2, and its approximation
# by tanh.
BODIES = {
    "exp": ("%y = math.exp %x : f32", (-10, 10)),
    "log": ("%y = math.log %x : f32", (1e-3, 100)),
    "tanh": ("%y = math.tanh %x : f32", (-5, 5)),
    "erf": ("%y = math.erf %x : f32", (-4, 4)),
    "sin": ("%y = math.sin %x : f32", (-10, 10)),
    "sigmoid": (
        """%one = arith.constant 1.0 : f32
    %minus = arith.negf %x : f32
    %e = math.exp %minus : f32
    %sum = arith.addf %one, %e : f32
    %y = arith.divf %one, %sum : f32""",
        (-10, 10),
    ),
    "gelu_erf": (
        """%one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %root = arith.constant 0.70710678118654752 : f32
    %scaled = arith.mulf %x, %root : f32
    %e = math.erf %scaled : f32
    %sum = arith.addf %one, %e : f32
    %part = arith.mulf %half, %x : f32
    %y = arith.mulf %part, %sum : f32""",
        (-5, 5),
    ),
    "gelu_tanh": (
        """%one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %cubic = arith.constant 0.044715 : f32
    %root = arith.constant 0.79788456080286536 : f32
    %square = arith.mulf %x, %x : f32
    %factor = arith.mulf %cubic, %square : f32
    %more = arith.addf %one, %factor : f32
    %scaled = arith.mulf %root, %x : f32
    %inner = arith.mulf %scaled, %more : f32
    %t = math.tanh %inner : f32
    %sum = arith.addf %one, %t : f32
    %part = arith.mulf %half, %x : f32
    %y = arith.mulf %part, %sum : f32""",
        (-5, 5),
    ),
}
SIZES = (2**24, 2**14)


class Math:
    """A math function applied to each element of an array of a size."""

    example, fused, stride, tolerance = "math", False, 1, 2e-6

    def __init__(self, kind, size):
        self.kind, self.sizes = kind, {"i": size}
        self.name = self.function = f"math_{kind}_{size}"
        self.inputs = [("x", "f32", (size,))]
        self.outputs = [("f32", (size,))]
        # The number of operations is not part of a function's definition, so the bound is that of memory.
        self.operations = 0
        self.read = self.written = 4 * size
        self.held = 8 * size

    def program(self, folder):
        """Writes the computation to a file."""
        size, (body, _) = self.sizes["i"], BODIES[self.kind]
        path = pathlib.Path(folder) / f"{self.name}.mlir"
        path.write_text(f"""func.func @{self.function}(%X: tensor<{size}xf32>) -> tensor<{size}xf32> {{
  %in = mdh.view.inp_view %X[affine_map<(i) -> (i)>] : (tensor<{size}xf32>) -> !mdh.mda<{size}, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {{
  ^bb0(%x: f32):
    {body}
    mdh.hom.yield %y : f32
  }} : !mdh.mda<{size}, f32> -> !mdh.mda<{size}, f32>
  %out = mdh.view.out_view %res[affine_map<(i) -> (i)>] : !mdh.mda<{size}, f32> -> tensor<{size}xf32>
  return %out : tensor<{size}xf32>
}}
""")
        return path

    def arrays(self):
        """The inputs, deterministic."""
        low, high = BODIES[self.kind][1]
        draw = numpy.random.Generator(numpy.random.PCG64(random.Random(self.kind).getrandbits(64)))
        yield draw.uniform(low, high, self.sizes["i"]).astype(numpy.float32)

    def macros(self):
        """The macros for bench/c/math.c: size and function."""
        return [f"-DI={self.sizes['i']}", f"-DFUNCTION={self.kind}"]


def rows():
    """All rows by name."""
    return {row.name: row for row in (Math(kind, size) for kind in BODIES for size in SIZES)}


def expected(kind, x):
    """The function in double precision."""
    match kind:
        case "sigmoid":
            return 1 / (1 + math.exp(-x))
        case "gelu_erf":
            return x * math.erfc(-x / math.sqrt(2)) / 2
        case "gelu_tanh":
            return x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2
    return getattr(math, kind)(x)


def xla(kind):
    """The function in JAX."""
    import jax

    functions = {
        "exp": jax.numpy.exp,
        "log": jax.numpy.log,
        "tanh": jax.numpy.tanh,
        "erf": jax.scipy.special.erf,
        "sin": jax.numpy.sin,
        "sigmoid": jax.nn.sigmoid,
        "gelu_erf": lambda x: jax.nn.gelu(x, approximate=False),
        "gelu_tanh": lambda x: jax.nn.gelu(x, approximate=True),
    }
    return functions[kind]


def torch(library, kind):
    """The function in PyTorch, with an output argument."""
    gelu = library._C._nn.gelu  # noqa: SLF001: `torch.nn.functional.gelu` has no output argument
    functions = {
        "gelu_erf": lambda x, out: gelu(x, approximate="none", out=out),
        "gelu_tanh": lambda x, out: gelu(x, approximate="tanh", out=out),
    }
    return functions.get(kind) or getattr(library, kind)
