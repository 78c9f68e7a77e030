"""Operators on tuples, siblings, and operations of StableHLO and TMTensor."""

import dataclasses
import math

import numpy as np

from results import Result, exact, rounded

NAN, INF = math.nan, math.inf


def first_largest(x):
    """The maximum of each row, where NaN is never larger, and its index, the first one of ties."""
    numbers = np.where(np.isnan(x), -INF, x)
    return numbers.max(1), numbers.argmax(1)


def log_sum_exp(x):
    """The maximum of each row, and the sum of the exponentials of differences from it."""
    most = x.max(1)
    return most, rounded(np.exp(x - most[:, None]).sum(1))


def sums_of_exponentials(x, base=math.e, weights=None):
    """The maximum of each row, and the sum of powers of differences from it. A minus infinity adds nothing."""
    most = x.max(1)
    with np.errstate(invalid="ignore"):
        powers = np.where(np.isneginf(x), 0.0, np.power(base, x - most[:, None]))
    if weights is None:
        return most, rounded(powers.sum(1))
    sums = rounded((powers * weights).sum(1), magnitude=np.abs(powers * weights).sum(1).max())
    return sums, most, rounded(powers.sum(1))


def first_row(results):
    """The results of a matrix with one row as scalars."""
    return tuple(dataclasses.replace(Result.of(result), values=Result.of(result).values[0]) for result in results)


def moments(x):
    """The number of elements of each row, their mean, and the sum of squares of differences from it."""
    count = np.full(len(x), float(x.shape[1]))
    if not x.shape[1]:
        return count, count, count
    mean = x.mean(1)
    return count, rounded(mean, magnitude=np.abs(x).max()), rounded(((x - mean[:, None]) ** 2).sum(1), 1e-4)


def all_moments(x):
    """The moments of a vector, its sum of squares first, with an integer as the number of elements."""
    _, mean, squares = first_row(moments(x[None]))
    return squares, np.int64(len(x)), mean


def last_smallest(x):
    """The minimum and the index of the last one."""
    return x.min(), len(x) - 1 - x[::-1].argmin()


# NaN is the maximum of NumPy, too, and argmax is the index of the first one.
WITH_NAN = np.array([[1, NAN, 2, NAN], [-0.0, 0, 3, 3]])

TUPLES = {
    "first_largest": lambda: first_largest(np.array([[1, 2, NAN, 2], [NAN, -0.0, 0, -1], [NAN, -INF, -INF, NAN]])),
    "first_nan": lambda: (WITH_NAN.max(1), WITH_NAN.argmax(1)),
    "branches": lambda: last_smallest(np.array([5, -3, 4, -3, 7], "i4")),
    "bytes": lambda: np.array([3, 7, 200, 100], "u1").max().view("i1"),
    "with_sum": lambda x, sums: (x.max(1), sums + x.sum(1), x.argmax(1)),
    "declared": log_sum_exp,
    "carried": lambda x: np.int32(max(-100, x.max())),
}

LOW = [-INF] * 15

KNOWN = {
    "log_sum_exp": sums_of_exponentials,
    "one_element": sums_of_exponentials,
    "weighted": lambda x, weights: sums_of_exponentials(x, 2, weights),
    "all_sums": lambda x: first_row(sums_of_exponentials(x[None])),
    "infinite": lambda: sums_of_exponentials(np.array([[2, *LOW, 1, *LOW], [-1, -INF, *LOW, *LOW]])),
    "guarded": lambda: sums_of_exponentials(np.array([[-INF] * 4, [-INF, 1, -INF, 1]])),
    "first_infinite": lambda: sums_of_exponentials(np.array([[-INF] * 4, [-INF, 1, -INF, 1]])),
    "nan_is_skipped": lambda: (np.array([2.0, 4.0]), np.array([NAN, NAN])),
    "variance": moments,
    "all_variance": all_moments,
    "far_from_zero": lambda: first_row(moments(1000 + (np.arange(24.0)[None] * 7 % 5 - 2) / 2)),
    "empty": moments,
}

NUMBERS = np.array([[NAN, -3, -4, NAN], [NAN] * 4, [-0.0, 0, NAN, -0.0]])

OPERATORS = {
    "unsigned": lambda: np.array([3, 7, 200, 100], "u1").max().view("i1"),
    "numbers": lambda: np.fmax.reduce(NUMBERS, 1),
    "large": lambda x, start: max(start, x.max()),
    "both": lambda x, least, sums: (np.fmin(least, x.min(1)), sums + x.sum(1)),
}


def mixed(x):
    """Sums in double precision, the number of positive elements, and minima; a number stands for all elements."""
    x = np.broadcast_to(x, (33, 70)).astype("f8")
    return exact(x.sum(1), "f64"), (x > 0).sum(1, dtype="i4"), x.min(1)


SIBLINGS = {
    "mixed": mixed,
    "empty": lambda x: (x.sum(1), x.min(1, initial=INF)),
    "dynamic": lambda x: ((x * x).sum(1), x.min(1, initial=INF)),
}


def added_rows():
    """Rows that are added at other rows."""
    x = np.ones((3, 3), "i4")
    x[2] += [10, 20, 30]
    x[1] += [40, 50, 60]
    return x


def dilated_sums():
    """Every third window of 3 elements at distances of 2, with a zero before and two after."""
    padded = np.pad(np.arange(1, 6, dtype="i4"), (1, 2))
    return np.array([padded[at : at + 5 : 2].sum() for at in range(0, 4, 3)], "i4")


UNREGISTERED = {
    # Updates at -1 and 4 are outside.
    "counts": lambda: np.array([1 + 10 + 50, 2, 3, 4 + 20], "i4"),
    "windows": lambda: np.array([[1, 1, 4, 1], [1, 1, 1, 6], [9, 10, 1, 1]]),
    "indices_first": lambda: np.array([[0, 0, 2 + 3], [7, 0, 0]], "i4"),
    "one_index": lambda: np.array([1.5, 2.5, 9, 4.5]),
    "any": lambda: np.array([1, 0, 1], "i1"),
    "rows_of_torch": added_rows,
    "pool": dilated_sums,
    "prefix": lambda: np.arange(1, 7, dtype="i4").reshape(2, 3).cumsum(1, dtype="i4"),
    "suffix": lambda: np.arange(1.0, 5)[::-1].cumprod()[::-1],
    "exclusive": lambda: np.array([0, 1, 2, 3], "i4").cumsum(dtype="i4"),
    # The initial value of a window is 3.
    "cut": lambda: 3 + np.lib.stride_tricks.sliding_window_view(np.array([2, 4, 8], "i4"), 2).sum(1, dtype="i4"),
    "factorial": lambda n: np.int32(math.factorial(n)),
}

FORMULAS = {
    "tuples": TUPLES,
    "operators": OPERATORS,
    "known": KNOWN,
    "siblings": SIBLINGS,
    "unregistered": UNREGISTERED,
    "recursive": {"twelve_times": lambda x: np.full(8, x + 12)},
}
