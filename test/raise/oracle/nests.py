"""Loop nests: what each one does to its memrefs. A formula returns the results of the function, then the memrefs that it
writes."""

import numpy as np

from frontends import softmax
from results import exact, rounded
from windows import windows


def updated(y, where, values):
    """A copy with other elements."""
    y = y.copy()
    y[where] = values
    return y


def scaled_and_summed(A, B):
    """A doubled in place; then twice its rows' sums in the first column of B."""
    return 2 * A, updated(B, np.s_[:, 0], 4 * A.sum(1))


RAISED = {
    "matmul": lambda A, B, C: A @ B,
    "matvec": lambda A, x, y: A @ x,
    "gemver": scaled_and_summed,
    "window": lambda x, w, y: y + np.correlate(x, w),
    "reversed_order": lambda A, y: y + A.sum(1),
    "every_second": lambda x, y: updated(y, np.s_[3:12:2], x[2:11:2]),
    "dot": lambda x, y: 1 + x @ y,
    "dynamic": lambda n, x, y: updated(y, np.s_[:n], x[1 : n + 1]),
    "stencil": lambda n, x, y: updated(y, np.s_[1 : n - 1], (x[:-2] + x[1:-1] + x[2:])[: max(n - 2, 0)]),
    "row": lambda r, A, y: A[r + 1],
    "transposed": lambda A, B: A.T,
    "variables": lambda A: updated(A, np.s_[1:, 2::3], [2.0, 5.0]),
    "running_maximum": np.max,
    "shifted": lambda x, y, z: (updated(y, np.s_[1:], x[1:]), updated(z, np.s_[1:], np.append(y[0], x[1:-1]))),
    "cumsum": lambda x, y: 0.5 + x.cumsum(),
    "cumsum_total": lambda x, y, z: ((x * x).cumsum(1), (x * x).sum(1)),
}


def continued(ufunc, x, y, axis=-1):
    """A scan that begins with the first element of y."""
    first, rest = np.split(x, [1], axis)
    return ufunc.accumulate(np.concatenate([y.take(range(first.shape[axis]), axis), rest], axis), axis)


def every_second(x, y):
    """An exclusive or at the even positions; all elements of an array are the same number."""
    x, y = np.full(16, x, "i4"), np.full(16, y, "i4")
    return updated(y, np.s_[::2], continued(np.bitwise_xor, x[::2], y[::2]))


def most_of_those_after(x, y):
    """The largest element after each one, at least -1."""
    before = np.pad(x[:, :0:-1], ((0, 0), (1, 0)), constant_values=-1)
    return np.maximum.accumulate(before, 1)[:, ::-1]




def running(function, x, c):
    """The results of a function of a value and each row of x, and the last of them."""
    y = function.accumulate(np.vstack([c, x]))[1:]
    return y[-1], y


def read_between(x, c, y):
    """The first sum after each row, which other columns read, too."""
    last, sums = running(np.add, x, c)
    return last, np.broadcast_to(sums[:, :1], y.shape)


def products(x, c, y, z):
    """The products, also in the opposite order."""
    last, all = running(np.multiply, x, c)
    return rounded(last), rounded(all), rounded(all[::-1])


def crossed(x, y):
    """The sums before and after each diagonal element, in a row and a column that have an element in common."""
    sums = np.cumsum([1, *np.diag(x)[2:14]])
    y[4:16, 4] = sums[1:]
    y[4, 2:14] = sums[:-1]
    return y


RUNNING = {
    "crossed": crossed,
    "rows": lambda x, c, y: running(np.add, x, c),
    "read_again": lambda x, c, y: (x.max(0, initial=0.5), running(np.maximum, x[::-1], np.full(24, 0.5))[1][::-1]),
    "batches": lambda x, c, y: (c - x.sum(1), (c[:, None] - x.cumsum(1)).swapaxes(0, 1)),
    "read_between": read_between,
    "written_between": lambda x, c, y: (x[-1], x),
    "two_results": products,
    "replaced": lambda x, c: (c + x.cumsum(0), c + x.sum(0)),
}

SCANS = {
    "running_sum": lambda x, y: continued(np.add, x, y),
    "rows": lambda x, y: continued(np.maximum, x, y),
    "columns": lambda x, y: rounded(continued(np.multiply, x, y, 0)),
    "reversed": lambda x, y: continued(np.add, x[::-1], y[::-1])[::-1],
    "in_place": np.cumsum,
    "differences": lambda x, y: y[0] - updated(x * x, 0, 0).cumsum(),
    "every_second": every_second,
    "start": lambda x, y: x.cumsum(1),
    "dynamic": lambda x, y: continued(np.add, x, y),
    "dynamic_rows": lambda x, y: continued(np.add, x, y),
    "once": lambda x, y: continued(np.add, x, y),
    "exclusive": lambda x, y: 0.5 + np.append(0, x.cumsum()[:-1]),
    "exclusive_rows": most_of_those_after,
}

HISTOGRAM = {
    "counts": lambda key: np.bincount(key & 7, minlength=8).astype("i4"),
    "weights": lambda key, x, h: h + np.bincount(key & 7, x, 8),
}


def doubled_product(x, y):
    """The product of the sums of elements."""
    return exact((x + y).prod(), "f64")


def smallest_distances(x, y):
    """The smallest square of a distance of each row to the rows of y."""
    return ((x[:, None] - y) ** 2).sum(-1).min(1)


FORMS = {
    "forall_product": lambda x, y, z: x @ y,
    "tensor_product": lambda x, v, y: y + x @ v,
    "integers": lambda x, y: y ^ np.bitwise_xor.reduce(x, 0),
    "smallest_and_largest": lambda x: (x.min(), x.max()),
    "permuted": lambda x, y: x.transpose(2, 0, 1),
    "stencil": lambda x, y: np.pad(x[:-2, 1:-1] + x[2:, 1:-1] - x[1:-1, :-2] - x[1:-1, 2:], 1),
    "convolution": lambda x, w, y: y + np.einsum("ijrs,rs->ij", windows(x, (0, 1), (4, 7), (2, 1))[:, :2], w[:4]),
    "reversed": lambda x, y: x[::-1],
    "doubles": doubled_product,
    "bytes": lambda x: x.sum(dtype="i1"),
    "dynamic_product": lambda x, y, z: z + x @ y,
    "scaled": lambda alpha, x, y: y + alpha * x,
    "distances": smallest_distances,
    "rows_softmax": lambda x, y: rounded(softmax(x)),
    "tensor_in_order": np.cumsum,
    "sized": lambda x, v, y: y + x @ v,
}


def seidel(x):
    """Means of neighbours, of which the left one is new."""
    for i in range(1, 19):
        x[i] = (x[i - 1] + x[i + 1]) / 2
    return rounded(x)


def recurrence(x, y, c):
    """y[i] = c * y[i - 1] + x[i]: sums of x with powers of c."""
    i, j = np.ogrid[:20, 1:20]
    return rounded(y[0] * c ** np.arange(20) + np.where(i >= j, c ** np.maximum(i - j, 0.0), 0) @ x[1:], magnitude=4)


def compacted(x, y):
    """The positive elements at the beginning of y, which is filled with a number, and their number."""
    found = x[x > 0]
    return np.int64(len(found)), updated(np.full(20, y, "i4"), np.s_[: len(found)], found)


STAYS = {
    "parallel_sum": np.sum,
    "reduced_in_parallel": lambda x, y: 0.5 + x @ y,
    "seidel": seidel,
    "copied_forwards": lambda x, y: (np.append(y[1:], 0), updated(y, np.s_[:19], x[:19])),
    "conditional": lambda x: np.maximum(x, 0),
    "last": lambda x, y: updated(y, 3, x[-1]),
    "modulo": lambda x, y: x[np.arange(20) % 3] - x[np.arange(20) // 4],
    # The closed form, at 40 and 41.
    "fibonacci": lambda: tuple(np.int64(round(((1 + 5**0.5) / 2) ** n / 5**0.5)) for n in (40, 41)),
    "recurrence": recurrence,
    "two_before": lambda x, y: np.stack([continued(np.add, x[i::2], y[i::2]) for i in (0, 1)], 1).ravel(),
    "rectangles": lambda x: np.pad(x.cumsum(0).cumsum(1), ((1, 0), (1, 0))),
    "compacted": compacted,
    "until_zero": lambda x: x[: np.append(x, 0).tolist().index(0)].sum(dtype="i4"),
    "tensor_in_parallel": np.square,
}

FORMULAS = {
    "loops/raised": RAISED,
    "loops/scans": SCANS,
    "loops/running": RUNNING,
    "loops/histogram": HISTOGRAM,
    "loops/forms": FORMS,
    "loops/stays": STAYS,
}
