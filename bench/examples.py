"""The examples as benchmarks know them: inputs and outputs, and the plain loops of bench/c."""

import sys

from bench.harness import EXAMPLES

sys.path.insert(0, str(EXAMPLES))
import generate  # noqa: E402

CONVOLUTION = lambda s: [("f32", [s["n"], s["p"], s["q"], s["k"]])]
CONTRACTION = lambda s: [("f32", [s[d] for d in "abcdef"])]
# The types and shapes of outputs, from the sizes.
OUTPUTS = {
    "dot": lambda s: [("f32", [])],
    "matvec": lambda s: [("f32", [s["i"]])],
    "compute_matvec": lambda s: [("f32", [s["i"]])],
    "matmul": lambda s: [("f32", [s["i"], s["j"]])],
    "matmul_transposed": lambda s: [("f32", [s["j"], s["i"]])],
    "bmatmul": lambda s: [("f32", [s["b"], s["i"], s["j"]])],
    "conv2d": lambda s: [("f32", [s["p"], s["q"]])],
    "mcc": CONVOLUTION,
    "mcc_strided": CONVOLUTION,
    "mcc_capsule": lambda s: [("f32", [s["n"], s["p"], s["q"], s["k"], s["mi"], s["mj"]])],
    **{name: CONTRACTION for name in generate.EXAMPLES if name.startswith("ccsdt")},
    "jacobi1d": lambda s: [("f32", [s["i"]])],
    "compute_jacobi1d": lambda s: [("f32", [s["i"]])],
    "jacobi2d": lambda s: [("f32", [s["i"], s["j"]])],
    "jacobi3d": lambda s: [("f32", [s["i"], s["j"], s["k"]])],
    "prl": lambda s: [(t, [s["i"]]) for t in ("i64", "i64", "f32", "i32")],
    "histo": lambda s: [("i32", [s["b"]])],
    "genhisto": lambda s: [("i32", [s["b"]])],
    "map": lambda s: [("f32", [s["i"]])],
    "transpose": lambda s: [("f32", [s["i"], s["j"]])],
    "reduce": lambda s: [("f32", [])],
    "reduce_multiple": lambda s: [("f32", []), ("f32", [])],
    "scan": lambda s: [("f32", [s["i"]])],
    "mbbs": lambda s: [("f32", [s["i"]])],
    "mandelbrot": lambda s: [("i32", [s["i"], s["j"]])],
}


def plain(example):
    """The file of bench/c with the plain loops of an example: all contractions have one."""
    return "ccsdt.c" if example.startswith("ccsdt") else f"{example}.c"


def macros(example, sizes, image):
    """The size macros for the plain loops of bench/c. `image`: the shape of the first input, which a convolution reads."""
    result = [f"-D{dimension.upper()}={size}" for dimension, size in sizes.items() if isinstance(size, int) and dimension != "height"]
    if example.startswith("mcc"):
        result += [f"-DHEIGHT={image[1]}", f"-DWIDTH={image[2]}"]
    if example.startswith("ccsdt"):
        for macro, dimensions in zip(("LEFT", "RIGHT"), example.split("_")[1:]):
            position = "0"
            for dimension in dimensions:
                position = f"({position})*{dimension.upper()}+{dimension}"
            result.append(f"-D{macro}={position}")
    return result
