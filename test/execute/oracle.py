#!/usr/bin/env python3
"""Computes the expected results of the examples at their small sizes with NumPy, from the formulas of the MDH paper.

    python3 examples/generate.py --all --output INPUTS
    python3 test/execute/oracle.py INPUTS test/execute/expected

The results are independent of this project: they are the reference for the reference evaluator and every other engine. They are
committed, so that the tests do not need NumPy. Run this again when an example or its inputs change.
"""

import math
import pathlib
import sys

import numpy as np


def correlate(image, weights, stride):
    """Multi-channel convolution in NHWC, KRSC and NPQK layouts; the trailing dimensions of both operands are multiplied
    as matrices."""
    rows, columns = weights.shape[1:3]
    p = (image.shape[1] - rows) // stride + 1
    q = (image.shape[2] - columns) // stride + 1
    result = 0
    for r in range(rows):
        for s in range(columns):
            part = image[:, r : r + stride * (p - 1) + 1 : stride, s : s + stride * (q - 1) + 1 : stride]
            if image.ndim == 4:
                result = result + np.einsum("npqc,kc->npqk", part, weights[:, r, s])
            else:
                result = result + np.einsum("npqcil,kclj->npqkij", part, weights[:, r, s])
    return result


def jacobi3d(x):
    """The benchmark j3d7pt: x is indexed (z, y, x) in a 3x3x3 window."""

    def at(z, y, x_):
        return x[z : z + x.shape[0] - 2, y : y + x.shape[1] - 2, x_ : x_ + x.shape[2] - 2]

    return (
        0.161 * at(1, 1, 2)
        + 0.162 * at(1, 1, 0)
        + 0.163 * at(1, 2, 1)
        + 0.164 * at(1, 0, 1)
        + 0.165 * at(2, 1, 1)
        + 0.166 * at(0, 1, 1)
        - 1.67 * at(1, 1, 1)
    )


# For each of the 14 attributes: the probability that it agrees in two records of one person, and of two persons.
PROBABILITIES = [
    (0.975, 1 / 1024),
    (0.975, 1 / 512),
    (0.975, 1 / 1024),
    (0.975, 1 / 512),
    (0.975, 1 / 256),
    (0.95, 1 / 16),
    (0.99, 1 / 2),
    (0.98, 1 / 32),
    (0.98, 1 / 12),
    (0.98, 1 / 64),
    (0.95, 1 / 128),
    (0.9, 1 / 256),
    (0.92, 1 / 128),
    (0.93, 1 / 64),
]


def match_weight(ratio):
    """The base-2 logarithm of a ratio of probabilities, rounded to 1/64 as in the example, so that sums are exact."""
    return round(math.log2(ratio) * 64) / 64


def record_linkage(new_ids, new, ids, known):
    """The best match of every new record: its ids, weight and class."""
    matches = []
    for new_id, record in zip(new_ids, new):
        best = None
        for known_id, other in zip(ids, known):
            weight = sum(
                match_weight(m / u) if a == b else match_weight((1 - m) / (1 - u))
                for a, b, (m, u) in zip(record, other, PROBABILITIES)
            )
            if best is None or weight > best[2]:
                best = (new_id, known_id, weight)
        matches.append((*best, 0 if best[2] < 15 else 1 if best[2] < 45 else 2))
    return list(zip(*matches))


def mandelbrot(im, re):
    """The number of iterations of z := z^2 + c until |z| > 2, at most 64. In single precision, because the iteration is chaotic."""
    c_re, c_im = np.meshgrid(re, im)
    x, y = np.zeros_like(c_re), np.zeros_like(c_im)
    steps = np.zeros(c_re.shape, np.int32)
    for _ in range(64):
        inside = x * x + y * y <= np.float32(4)
        next_x = x * x - y * y + c_re
        next_y = x * y * np.float32(2) + c_im
        x, y = np.where(inside, next_x, x), np.where(inside, next_y, y)
        steps += inside
    return steps


def weight(e, b):
    """GenHisto's scalar function."""
    distance = abs(int(e) - int(b))
    return 3 if distance == 0 else 1 if distance == 1 else 0


# For each example, a function from the inputs, with floats in double precision, to the results with their types.
ORACLES = {
    "dot": lambda A, B: [(A @ B, "f4")],
    "matvec": lambda M, v: [(M @ v, "f4")],
    "matmul": lambda A, B: [(A @ B, "f4")],
    "matmul_transposed": lambda A, B: [((A.T @ B.T).T, "f4")],
    "bmatmul": lambda A, B: [(A @ B, "f4")],
    "conv2d": lambda I, F: [(correlate(I[None, :, :, None], F[None, :, :, None], 1)[0, :, :, 0], "f4")],
    "mcc": lambda I, F: [(correlate(I, F, 1), "f4")],
    "mcc_strided": lambda I, F: [(correlate(I, F, 2), "f4")],
    "mcc_capsule": lambda I, F: [(correlate(I, F, 1), "f4")],
    **{
        f"ccsdt_{left}_{right}": lambda A, B, left=left, right=right: [(np.einsum(f"{left},{right}->abcdef", A, B), "f4")]
        for left, right in [
            ("gdab", "efgc"),
            ("gdac", "efgb"),
            ("gdbc", "efga"),
            ("geab", "dfgc"),
            ("geac", "dfgb"),
            ("gebc", "dfga"),
            ("gfab", "degc"),
            ("gfac", "degb"),
            ("gfbc", "dega"),
        ]
    },
    "jacobi1d": lambda x: [((x[:-2] + x[1:-1] + x[2:]) / 3, "f4")],
    "jacobi2d": lambda x: [((x[:-2, 1:-1] + x[1:-1, :-2] + x[1:-1, 1:-1] + x[1:-1, 2:] + x[2:, 1:-1]) / 5, "f4")],
    "jacobi3d": lambda x: [(jacobi3d(x), "f4")],
    "prl": lambda *records: list(zip(record_linkage(*records), ["i8", "i8", "f4", "i4"])),
    "histo": lambda Elems, Bins: [([np.count_nonzero(Elems == b) for b in Bins], "i4")],
    "genhisto": lambda Elems, Bins: [([min(127, sum(weight(e, b) for e in Elems)) for b in Bins], "i4")],
    "map": lambda I: [(np.where(I < 0, I / 2, I * I), "f4")],
    "reduce": lambda I: [(I.sum(), "f4")],
    "reduce_multiple": lambda I: [(I.sum(), "f4"), (I.prod(), "f4")],
    "scan": lambda A: [(A.cumsum(), "f4")],
    "mbbs": lambda A: [(A.sum(1).cumsum(), "f4")],
    "mandelbrot": lambda im, re: [(mandelbrot(im.astype("f4"), re.astype("f4")), "i4")],
    "compute_matvec": lambda M, v: [(M @ v, "f4")],
    "compute_jacobi1d": lambda x: [((x[:-2] + x[1:-1] + x[2:]) / 3, "f4")],
}


def main(inputs, expected):
    """Writes expected/EXAMPLE.RESULT.npy for every example."""
    root = pathlib.Path(__file__).resolve().parents[2]
    sys.path.insert(0, str(root / "examples"))
    from generate import EXAMPLES  # the names of the arrays only

    if set(EXAMPLES) != set(ORACLES):
        sys.exit(f"examples and oracles differ: {sorted(set(EXAMPLES) ^ set(ORACLES))}")
    folder = pathlib.Path(expected)
    folder.mkdir(parents=True, exist_ok=True)
    for name, oracle in ORACLES.items():
        example = EXAMPLES[name]
        names = [array[0] for array in example.inputs(example.sizes_of(None, "small"))]
        arrays = [np.load(pathlib.Path(inputs) / name / f"{array}.npy") for array in names]
        arrays = [array.astype("f8") if array.dtype.kind == "f" else array for array in arrays]
        results = oracle(*arrays)
        for output, (result, dtype) in zip(example.outputs, results, strict=True):
            np.save(folder / f"{name}.{output}.npy", np.asarray(result).astype(f"<{dtype}", order="C"))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
