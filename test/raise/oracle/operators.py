"""Operators on tuples, siblings, and operations of StableHLO and TMTensor."""

import math

import numpy as np

from results import exact, rounded

NAN, INF = math.nan, math.inf


def first_largest(x):
    """The maximum of each row, where NaN is never larger, and its index, the first one of ties."""
    numbers = np.where(np.isnan(x), -INF, x)
    return numbers.max(1), numbers.argmax(1)


def log_sum_exp(x):
    """The maximum of each row, and the sum of the exponentials of differences from it."""
    most = x.max(1)
    return most, rounded(np.exp(x - most[:, None]).sum(1))


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
    "siblings": SIBLINGS,
    "unregistered": UNREGISTERED,
    "recursive": {"twelve_times": lambda x: np.full(8, x + 12)},
}
