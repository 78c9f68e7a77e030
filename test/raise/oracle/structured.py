"""Structured operations: products, convolutions, poolings, and elementwise operations with their accesses and types."""

import math

import numpy as np

from frontends import softmax
from results import Result, exact, rounded
from windows import windows


def einsum(subscripts):
    """The product of two arrays."""
    return lambda a, b: np.einsum(subscripts, a, b)


CONTRACTIONS = {
    "matmul": lambda a, b: a @ b,
    "accumulated": lambda a, b, c: a @ b + c,
    "transposed_left": lambda a, b: a.T @ b,
    "transposed_right": lambda a, b: a @ b.T,
    "transposed_both": lambda a, b: b @ a,
    "broadcast_left": lambda a, b: np.tile(a @ b, (5, 1)),
    "vecmat": lambda a, b: a @ b,
    "matvec": lambda a, b: a @ b + 1,
    "dot": lambda a, b: a @ b,
    "outer": np.outer,
    "batch_matmul": lambda a, b: a @ b,
    "batch_transposed": lambda a, b: a @ b.transpose(0, 2, 1),
    "batch_matvec": einsum("bij,bj->bi"),
    "batch_vecmat": einsum("bj,bjk->bk"),
    "batch_reduce": lambda a, b: (a @ b).sum(0),
    "tiles": einsum("ikab,jkcb->ijac"),
    "contract": einsum("kil,kjl->ji"),
    "dynamic": lambda a, b: a @ b,
    "quantized": lambda a, b: (a.astype("i4") - 3) @ (b.astype("i4") + 1),
    "without_terms": lambda a, b: np.full((5, 7), 2.0),
}


def convolution(subscripts, axes, of_weights, strides=1, dilations=1):
    """The product of windows along these axes with weights, whose sizes along `of_weights` are those of a window. The
    subscripts name the axes of the positions, then those of a window."""

    def formula(x, w):
        sizes = [w.shape[axis] for axis in of_weights]
        return np.einsum(subscripts, windows(x, axes, sizes, strides, dilations), w)

    return formula


nhwc = convolution("npqcrs,rsck->npqk", (1, 2), (0, 1))

CONVOLUTIONS = {
    "conv_1d": np.correlate,
    "conv_2d": convolution("pqrs,rs->pq", (0, 1), (0, 1)),
    "conv_3d": convolution("opqtrs,trs->opq", (0, 1, 2), (0, 1, 2)),
    "nwc": convolution("nqcs,sck->nqk", (1,), (0,), 2),
    "ncw": convolution("ncqs,kcs->nkq", (2,), (2,), 1, 2),
    "nhwc_hwcf": convolution("npqcrs,rsck->npqk", (1, 2), (0, 1), (2, 1)),
    "nhwc_fhwc": convolution("npqcrs,krsc->npqk", (1, 2), (1, 2), (1, 2)),
    "nchw_fchw": convolution("ncpqrs,kcrs->nkpq", (2, 3), (2, 3), 1, 2),
    "nchw_groups": convolution("ngcpqrs,kgcrs->ngkpq", (3, 4), (3, 4)),
    "ndhwc": convolution("nopqctrs,trsck->nopqk", (1, 2, 3), (0, 1, 2)),
    "ncdhw": convolution("ncopqtrs,kctrs->nkopq", (2, 3, 4), (2, 3, 4), 2),
    "depthwise_nwc": convolution("nqcs,sc->nqc", (1,), (0,)),
    "depthwise_ncw": convolution("ncqs,cs->ncq", (2,), (1,), 2),
    "depthwise_nhwc": convolution("npqcrs,rsc->npqc", (1, 2), (0, 1), 2),
    "depthwise_nchw": convolution("ncpqrs,crs->ncpq", (2, 3), (1, 2), 1, 2),
    "depthwise_several": convolution("npqcrs,rscm->npqcm", (1, 2), (0, 1)),
    "depthwise_ndhwc": convolution("nopqctrs,trsc->nopqc", (1, 2, 3), (0, 1, 2)),
    "quantized": lambda x, w: nhwc(x.astype("i4") - 3, w.astype("i4") + 2),
    "added": lambda x, w, y: y + np.correlate(x, w),
    "dynamic": nhwc,
}


def pooling(reduce, axes, sizes, strides=1, dilations=1):
    """A reduction of each window."""
    return lambda x: reduce(windows(x, axes, sizes, strides, dilations), axis=tuple(range(-len(axes), 0)))


def unsigned(formula):
    """A formula of bytes that are read as numbers from 0 to 255."""
    return lambda x: formula(x.view("u1")).view("i1")


POOLING = {
    "nhwc_max": pooling(np.max, (1, 2), (2, 3), 2),
    "nhwc_min": pooling(np.min, (1, 2), (3, 3), 1, 2),
    "nhwc_sum": pooling(np.sum, (1, 2), (3, 2), (3, 2)),
    "nhwc_max_unsigned": unsigned(pooling(np.max, (1, 2), (2, 3), 2)),
    "nhwc_min_unsigned": unsigned(pooling(np.min, (1, 2), (2, 3), 2)),
    "nchw_max": lambda x: np.maximum(0.5, pooling(np.max, (2, 3), (2, 2))(x)),
    "nchw_sum": pooling(np.sum, (2, 3), (3, 3), 3),
    "nwc_max": pooling(np.max, (1,), (3,), 2),
    "nwc_sum": pooling(np.sum, (1,), (3,)),
    "ncw_max": pooling(np.max, (2,), (2,), 3),
    "ndhwc_sum": pooling(np.sum, (1, 2, 3), (2, 2, 3), 2),
    "ndhwc_min": pooling(np.min, (1, 2, 3), (2, 2, 2)),
}


def integer_arithmetic(x, y):
    """Quotients are rounded to zero; the divisors are odd."""
    odd = y | 1
    unsigned_quotient = (x.view("u4") // odd.view("u4")).view("i4")
    return x * y, np.maximum(x, y), np.trunc(x / odd).astype("i4"), unsigned_quotient, x - y


def half_away_from_zero(x):
    """Rounding as in C; that of NumPy rounds halves to even numbers."""
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def roots(x):
    """Of negative numbers they are NaN."""
    with np.errstate(all="ignore"):
        return tuple(rounded(y) for y in (np.sqrt(x), 1 / np.sqrt(x), np.log(x), 1 / x)) + (x * x,)


def arithmetic(x, y):
    """A quotient by zero is infinite or NaN."""
    with np.errstate(all="ignore"):
        return x + y, x - y, x * y, rounded(x / y), np.maximum(x, y), np.minimum(x, y), -x


def powers(x, y):
    """A power of a negative number is NaN unless the exponent is an integer."""
    with np.errstate(all="ignore"):
        return rounded(np.power(x, y))


ELEMENTWISE = {
    "arithmetic": arithmetic,
    "integers": integer_arithmetic,
    "roundings": lambda x: (np.abs(x), np.ceil(x), np.floor(x), half_away_from_zero(x)),
    "exponentials": lambda x: tuple(rounded(f(x)) for f in (np.exp, np.tanh, np.vectorize(math.erf))),
    "roots": roots,
    "powers": powers,
    "kinds": lambda x, y, z: (x - y.T) * z,
    "selected": np.where,
    "mapped": np.less,
    "reduced": lambda x: rounded(x.prod(0)),
    "reduced_together": lambda x, y: (x.sum(1), y.max(1)),
    "outer_axes": lambda x: x.sum((0, 2)),
    "broadcast": lambda x: np.broadcast_to(x[:, None], (3, 7, 2)),
    "transposed": lambda x: x.transpose(2, 0, 1),
    "copied": lambda x: exact(x, "f64"),
    "softmax": lambda x: rounded(softmax(x.swapaxes(1, 2)).swapaxes(1, 2)),
}


def inserted(x, y):
    """The squares of y, in every second column from the first one on, in rows from 2 on."""
    x[2:5, 1:9:2] = y * y
    return x


ACCESSES = {
    "reversed": lambda x: x[::-1],
    "reversed_rows": lambda x: x + x[::-1, ::-1],
    "every_second": lambda x: x[3::2],
    "diagonal": np.diag,
    "trace": np.trace,
    "skewed": lambda x: np.stack([x[i, i : i + 3] for i in range(7)]),
    "differences": np.diff,
    "first_row": lambda x: x * x[0],
    "slices": lambda x: x[1:4, :4] - x[::3, 2::2],
    "inserted": inserted,
    "dynamic_slice": lambda x, at, n: x[at : at + n] ** 2,
    "reshaped": lambda x, y: x.reshape(3, 4) + y,
    "flattened": lambda x: x.reshape(6, 4).sum(1),
    "padded": lambda x: np.pad(x, ((1, 2), (0, 1)), constant_values=1.5) ** 2,
    "concatenated": lambda x, y: np.abs(np.concatenate([x, y])),
    "positions": lambda x: x + np.arange(63.0).reshape(7, 9),
    "triangle": lambda x: np.triu(x, 1).sum(1),
    "scaled": lambda x, alpha, beta: alpha * x + beta,
    "without_iterators": lambda x, y: np.float64(x - y),
    "written_backwards": lambda x: 2 * x[::-1],
}


def brain_rounded(x):
    """The nearest bf16 of a number with up to 24 bits, with ties to even."""
    bits = x.astype("f4").view("u4")
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view("f4").astype("f8")


def converted(x):
    """Integers are rounded to zero."""
    return x.astype("i4"), exact(x, "f64"), exact(x, "f16"), x >= 0


TYPES = {
    "all_and_any": lambda x: (x.all(1), x.any(1)),
    "parity": lambda x: x.sum(1) % 2 == 1,
    "wrapping_sum": lambda x: x.sum(1, dtype="i1"),
    "extremes": lambda x: (x.min(1), x.max(1)),
    "bits": lambda x: (np.bitwise_and.reduce(x, 1), np.bitwise_or.reduce(x, 1), ~np.bitwise_xor.reduce(x, 1)),
    "product": lambda x: x.prod(1),
    "unsigned_extremes": lambda x: (unsigned(lambda y: y.min(1))(x), unsigned(lambda y: y.max(1))(x)),
    "half_sum": lambda x: exact(x.sum(1), "f16"),
    "half_in_single": lambda x: (x * x).sum(1),
    "brain_maximum": lambda x: exact(x.max(1), "bf16"),
    "brain_squares": lambda x: exact(brain_rounded(x * x), "bf16"),
    "double_norm": lambda x: rounded(np.linalg.norm(x, axis=1), 1e-15, kind="f64"),
    "bytes_matmul": lambda a, b: a.astype("i4") @ b.astype("i4"),
    "unsigned_matmul": lambda a, b: a.view("u1").astype("i4") @ b.view("u1").astype("i4"),
    "half_matmul": lambda a, b: a @ b,
    "brain_matmul": lambda a, b: a @ b,
    "conversions": converted,
    "truncated": lambda x: x.astype("i2"),
    "booleans_matmul": lambda a, b: a @ b,
    "half_pooling": lambda x: exact(pooling(np.sum, (1, 2), (2, 3), 2)(x), "f16"),
    "indices": np.sum,
}


def part(x, y):
    """A part of y is twice every second column of x, in rows from 1 on."""
    y[1:5, 3:7] = 2 * x[1:5, :8:2]
    return y


BUFFERS = {
    "matmul": lambda a, b, c: a @ b,
    "in_place": lambda x: x * x,
    "updated": lambda x, y: y - 2 * x,
    "filled": lambda x: np.full(9, 2.5),
    "part": part,
    "dynamic": lambda x, y: np.maximum(y, x.max(0)),
    "transposed": lambda x, y: x.T,
    "allocated": lambda x: (x * x).sum(1),
    "two_outputs": lambda x, s, m: (s + x.sum(2), np.minimum(m, x.min(2))),
    "accumulated": lambda x, y: x + y,
}


BATCHES = {
    "softmax": lambda x: rounded(softmax(x)),
    "dense": lambda x, w, b, v: rounded(np.maximum(x @ w + b, 0) @ v, magnitude=1000),
}

# A row is a polynomial, whose last coefficient is the constant one, and y that of the highest power.
HORNER = 0.5 ** np.arange(12, -1, -1)

STAYS = {
    "alternating": lambda x, y: y + x @ (-1.0) ** np.arange(1, 13),
    "quotients": lambda y: y / 8,
    "horner": lambda x, y: np.column_stack([y, x]) @ HORNER,
    "last_value": lambda x, y: x[:, -1],
    "repeated": lambda x: x.repeat(2),
    "gather": lambda x, k: x[(k + 9) % 12],
    "maximum_with_index": lambda x: (x.max(1), x.argmax(1)),
    "first_zero": lambda: (np.True_, np.int32(3)),
    "shared": lambda x, y: x + y,
}


def replaced(array, places, values):
    """A copy of an array with other values in some places."""
    array = array.copy()
    array[places] = values
    return array


OUTPUTS = {
    "partial": lambda x, y, n: (
        replaced(y, np.s_[::2], x),
        replaced(np.full((3, 3), 5, "i1"), np.diag_indices(3), range(3)),
        Result(replaced(np.full((2, 4), 1.5), 1, x), "f64"),
        np.int32([0, 9, 1]),
        replaced(y, np.s_[1::2], x),
        -x,
        np.int32([1, 4, 9, 16]),
    ),
    "extents": lambda n, y: (replaced(y, np.s_[::2], 1), y + [0, 2] * 4),
    "gathered": lambda x, y: replaced(y, np.s_[::2], x + x),
    "in_memory": lambda x: (replaced(np.full(8, 7, "i4"), np.s_[1::2], x), 7 * x),
}

TENSORS = {
    "arithmetic": lambda x, y: (np.maximum(x * y + 2, -x), x > y, np.where(x > y, x, y)),
    "integers": lambda x, y: (x.astype("i8") * y, np.int8(x ^ 3)),
    "selected": lambda c, x, y: x if c else y,
    "dynamic": lambda x, y: Result((x + y) * y, "f16"),
    "carried": lambda x, n: x * 2.0**n,
    "scalar": lambda: np.int64(42),
}

FORMULAS = {
    "linalg/contractions": CONTRACTIONS,
    "linalg/convolutions": CONVOLUTIONS,
    "linalg/pooling": POOLING,
    "linalg/elementwise": ELEMENTWISE,
    "linalg/accesses": ACCESSES,
    "linalg/types": TYPES,
    "linalg/buffers": BUFFERS,
    "linalg/stays": STAYS,
    "linalg/batches": BATCHES,
    "linalg/outputs": OUTPUTS,
    "linalg/tensors": TENSORS,
}
