"""Programs on tensors: pads, concatenations, loops that insert elements, and loops that carry the index of a maximum. A
formula returns the results of the function, then the memrefs that it writes."""

import numpy as np

from nests import updated
from results import exact, rounded
from windows import windows


def framed(x):
    """A row of twos above and two below, three columns on the left and two on the right."""
    return np.pad(x, ((1, 2), (3, 2)), constant_values=2)


def dynamic(x):
    """Between twos, the last of them twice, and once more without them."""
    return np.concatenate([[2], x, [2, 2], x])


COPIES = {
    "border": framed,
    "short_rows": framed,
    "one_side": lambda x, v: np.append(x, np.full((2, 7, 4), v), 1),
    "nothing": lambda x: x,
    "rows": lambda x, y: np.concatenate([x, y, x]),
    "columns": lambda x, y: np.hstack([x, y]),
    "rotated": lambda x: np.roll(x, -2),
    "stencil": lambda x: windows(np.pad(x.clip(0), 1), (0, 1), (3, 3)).sum((2, 3)),
    "joined": lambda x, y: np.append(x, y) ** 2,
    # Around the elements, which are at 1 to 4, each element is its index.
    "by_index": lambda x: np.concatenate([[0], x, [5, 6]]),
    "dynamic": dynamic,
    "written": lambda x: np.pad(x, 1, constant_values=2) ** 2,
}


def first_largest(x):
    """The maximum along the last axis, and the index of the first one."""
    return x.max(-1), x.argmax(-1).astype("i4")


def last_smallest(x):
    """The index of the last minimum, and the minimum."""
    return np.flatnonzero(x == x.min())[-1], x.min()


# A NaN is never selected.
WITH_NAN = np.array([1, np.nan, 3, np.nan, 3, 2])

ARGMAX = {
    "argmax": first_largest,
    "last_of_equal": last_smallest,
    "branch": first_largest,
    "rows": lambda x, y, z: first_largest(x),
    "only_index": lambda x: first_largest(x)[1],
    "beside_sum": lambda x: (x.max(), x.sum(), first_largest(x)[1]),
    "in_tensors": lambda x: first_largest(x)[::-1],
    "nan": lambda: (np.nanmax(WITH_NAN), np.int32(np.nanargmax(WITH_NAN))),
}


def weighted_counts(key, x, h):
    """Histograms with weights of the keys from 0 to 4; other keys are not counted."""
    counted = (key >= 0) & (key < 5)
    return h + np.bincount(key[counted], x[counted], 5)


GUARDED = dict.fromkeys(["guarded", "selected", "selected_value", "generic"], weighted_counts)


def one_after_the_other(x):
    """All elements but the first one are doubled; then each one is moved to the next place."""
    doubled = np.append(x[0], 2 * x[1:])
    return doubled, np.append(x[0], doubled[:-1])


def until(x, n):
    """The sum of the numbers below n, each halved for each number after it."""
    numbers = np.arange(max(n, 0))
    return (numbers * 0.5 ** numbers[::-1]).sum()


def last_counter(n):
    """The number of iterations, and a counter that begins with 3."""
    return np.int32(max(n, 0)), np.int32(max(n, 0) + 3)


def only_element(x):
    """x / exp(x), five times."""
    for _ in range(5):
        x = x / np.exp(x)
    return rounded(x)


LOOPS = {
    "running_sum": lambda x: 3 + x.cumsum(),
    "exclusive": lambda x: np.maximum.accumulate(np.append(0.5, x[:-1])),
    "last_value": lambda x: (3 + x.sum(), 3 + x.cumsum()),
    "part": lambda x, y: updated(y, np.s_[2:13:3], x[2:13:3]),
    "previous_element": np.cumsum,
    "in_place": np.square,
    "one_after_the_other": one_after_the_other,
    "two_tensors": lambda x: (x.cumsum(), np.arange(16, dtype="i4")),
    "same_initial_tensor": lambda x: (updated(x, np.s_[:8], 2 * x[:8]), updated(x, np.s_[:8], x[:8] ** 2)),
    "row_sums": lambda x: x.sum(1),
    "old_value": lambda x: np.append(x[0], x[:-1]),
    "counted": np.cumsum,
    "limited": lambda x: x[::-1].cumsum()[::-1],
    "other_counter": lambda x: (np.int32(12), updated(x, np.s_[3:12], x[:9])),
    "last_counter": last_counter,
    "until": until,
    "only_element": only_element,
    "not_all": lambda x: np.append(x[:-1].cumsum(), x[-1]),
    "not_all_rows": lambda x: np.append(x[:-1].sum(1), 2),
}


def recurrence(x):
    """The sums of each element and half of the sum before it, which begins with 1/2."""
    i, j = np.ogrid[:16, :16]
    return 0.5 ** np.arange(2, 18) + np.tril(0.5 ** np.maximum(i - j, 0.0)) @ x


REFUSED = {
    "recurrence": recurrence,
    # Neighbours are exchanged, so that the first element moves to the end.
    "before_a_change": lambda x: np.roll(x, -1),
    # The two tensors change places after each element.
    "swapped": lambda x, y: np.where(np.arange(16) % 2, y, x),
    "inner": np.trace,
    # Elements of y are inserted into y again, other than the first one.
    "constant": lambda x, y: y,
    "last": lambda x, y: updated(y, 0, x[-1]),
    "other_counters": lambda n: np.int32(max(n, 0)),
}


DYNAMIC = {
    "product": lambda A, B, C: C + A @ B,
    "from_zero": lambda A, B: A @ B,
    "window": lambda n, k, x, y: updated(y, np.s_[k : k + n], (x[: len(y)] + y)[k : k + n]),
    "one_after_the_other": lambda n, x, y: (
        updated(x, np.s_[1 : n + 1], 2 * x[1 : n + 1]),
        updated(y, np.s_[:n], 2 * x[1 : n + 1]),
    ),
    "old_value": lambda n, x: updated(x, np.s_[1 : n + 1], x[:n]),
    "previous_element": lambda n, x, y: updated(y, np.s_[1:n], y[:1] + x[1:n].cumsum()),
    "row": lambda r, A, y: A[r + 1],
    "largest": lambda A, y: (A.max(1), exact(A.argmax(1), "i64")),
    "first_twice": lambda A, y: A[:, 0] + A.sum(1),
}


def packed(x, rows, columns, value=0.0):
    """The tiles of a matrix, which is padded with a value."""
    rest = [(-size) % tile for size, tile in zip(x.shape, (rows, columns))]
    x = np.pad(x, [(0, n) for n in rest], constant_values=value)
    return x.reshape(x.shape[0] // rows, rows, x.shape[1] // columns, columns).swapaxes(1, 2)


PACKS = {
    "even": lambda x: packed(x, 4, 3),
    "permuted": lambda x: x.reshape(2, 4, 2, 6, 5).transpose(4, 0, 2, 3, 1),
    "rest": lambda x, v: packed(x, 4, 3, v),
    "back": lambda p: np.block([[p[j, i] for j in range(4)] for i in range(2)])[:7, :10],
    "inverse": lambda x, v: x,
    "product": lambda x, y: packed(x @ y.swapaxes(1, 2).reshape(12, 8).T, 3, 4),
}

FORMULAS = {
    "copies": COPIES,
    "linalg/packs": PACKS,
    "loops/argmax": ARGMAX,
    "loops/dynamic-tensors": DYNAMIC,
    "loops/guarded": GUARDED,
    "loops/tensors": LOOPS,
    "loops/tensors-refused": REFUSED,
}
