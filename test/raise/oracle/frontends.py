"""What JAX and PyTorch compute, as their documentation defines it."""

import math

import numpy as np

from results import exact, rounded
from windows import windows


def softmax(x):
    """Along the last axis."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_norm(x):
    """Along the last axis, without weights."""
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def gelu(x):
    """The definition, with the error function; the default of PyTorch."""
    return x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def gelu_tanh(x):
    """The approximation; the default of JAX."""
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def scatter(x, indices, updates, combine, negative=True):
    """x.at[indices].combine(updates) of JAX: a negative index counts from the end, and updates outside are dropped."""
    x = x.copy()
    for index, update in zip(indices, updates, strict=True):
        index = index + len(x) if negative and index < 0 else index
        if 0 <= index < len(x):
            x[index] = combine(x[index], update)
    return x


def replace(_, update):
    """x.at[i].set(u)."""
    return update


def decayed(x):
    """lax.scan(lambda c, v: (c * 0.5 + v, c.sum()), zeros(4), x)."""
    carry, sums = np.zeros(4), []
    for row in x:
        sums.append(carry.sum())
        carry = carry * 0.5 + row
    # Sums of halves of up to 16 steps cancel.
    return rounded(carry, magnitude=4), rounded(sums, magnitude=4)


def until_large(x):
    """lax.while_loop(lambda c: c[1].sum() < 100, lambda c: (c[0] + 1, c[1] * 2 + 1), (0, x))."""
    steps = 0
    while x.sum() < 100:
        steps, x = steps + 1, x * 2 + 1
    return np.int32(steps), x


def ones_added(x):
    """lax.fori_loop(0, 5, lambda i, c: c.at[i].set(c[i] + 1), x)."""
    return x + (np.arange(len(x)) < 5)


def larger_pair(x, y):
    """lax.reduce of pairs: the one with the larger x, the first one of equal ones."""
    at = x.argmax(1)
    return x.max(1), np.take_along_axis(y, at[:, None], 1)[:, 0]


def bincount(i):
    """jnp.bincount(i, length=8): a negative number is counted as 0."""
    return np.bincount(np.clip(i, 0, None), minlength=8)[:8].astype("i4")


def batched(e, i, u):
    """vmap of e.at[i].add(u)."""
    return np.stack([scatter(*row, np.add) for row in zip(e, i, u)])


def convolution_nhwc(x, w):
    """NHWC and HWIO, strides 2."""
    return np.einsum("npqcrs,rsck->npqk", windows(x, (1, 2), w.shape[:2], 2), w)


def surrounded(x, value=0.0, width=1):
    """NCHW with padding around each image."""
    return np.pad(x, ((0, 0), (0, 0), (width, width), (width, width)), constant_values=value)


def convolution_nchw(x, w):
    """NCHW and OIHW, padding 1."""
    return np.einsum("ncpqrs,kcrs->nkpq", windows(surrounded(x), (2, 3), w.shape[2:]), w)


def transposed_convolution(x, w):
    """lax.conv_transpose with strides 2 and 'SAME': zeros between the elements and 2 around them."""
    n, width, channels = x.shape
    spread = np.zeros((n, 2 * width + 3, channels))
    spread[:, 2:-2:2] = x
    return np.einsum("nqcs,sck->nqk", windows(spread, (1,), (4,)), w)


def scattered_convolution(x, w):
    """F.conv_transpose2d with strides 2: each element adds multiples of the weights."""
    n, _, p, q = x.shape
    result = np.zeros((n, w.shape[1], 2 * p + 1, 2 * q + 1))
    for i in range(p):
        for j in range(q):
            result[:, :, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3] += np.einsum("nc,ckrs->nkrs", x[:, :, i, j], w)
    return result


def grouped_convolution(x, w):
    """Two groups of two channels, three results for each, dilations 2, 'SAME'."""
    found = windows(surrounded(x, width=2), (2, 3), (3, 3), 1, 2)
    groups = [np.einsum("ncpqrs,kcrs->nkpq", found[:, 2 * g : 2 * g + 2], w[3 * g : 3 * g + 3]) for g in (0, 1)]
    return np.concatenate(groups, 1)


def pooled_with_padding(x):
    """NHWC, windows of 3 x 3 with strides 2, 'SAME': one row after the image, a column before and after it."""
    padded = np.pad(x, ((0, 0), (0, 1), (1, 1), (0, 0)), constant_values=-np.inf)
    return windows(padded, (1, 2), (3, 3), 2).max((-2, -1))


def rows_or_nan(x, i):
    """jnp.take: a negative index counts from the end, and the row of an index outside is NaN."""
    inside = (i >= -len(x)) & (i < len(x))
    return np.where(inside[:, None], x[np.where(inside, i, 0)], np.nan)


def silu(x):
    """x * sigmoid(x)."""
    return x / (1 + np.exp(-x))


def moving_average(x):
    """lax.scan(lambda c, v: (0.9 * c + 0.1 * v,) * 2, 0.0, x)[1]: sums with powers of 0.9."""
    i, j = np.ogrid[: len(x), : len(x)]
    return rounded(np.where(i >= j, 0.1 * 0.9 ** np.maximum(i - j, 0), 0) @ x, magnitude=1)


def shortest_paths(d):
    """The shortest paths between all pairs, through the first k nodes after k steps."""
    for k in range(len(d)):
        d = np.minimum(d, np.add.outer(d[:, k], d[k]))
    return d


def batch_norm(x, m, v, w, b):
    """With the statistics that are given; the variance is v * v."""
    m, v, w, b = (y[:, None, None] for y in (m, v, w, b))
    return rounded((x - m) / np.sqrt(v * v + 1e-5) * w + b, magnitude=4)


def cosine_similarity(x, y):
    """Of the rows."""
    return rounded((x * y).sum(1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1), magnitude=1)


# For each text with one function, what it computes.
JAX = {
    "reductions/argmax": lambda x: x.argmax(1).astype("i4"),
    "products/attention": lambda q, k, v: rounded(softmax(q @ k.T / 8) @ v, magnitude=1),
    "indexing/batched_scatter": batched,
    "indexing/bincount": bincount,
    "products/bmm": lambda a, b: np.einsum("bik,bkj->bij", a, b),
    "products/ccsdt": lambda a, b: np.einsum("gdab,efgc->abcdef", a, b),
    "windows/conv_nhwc": convolution_nhwc,
    "scans/cummax": np.maximum.accumulate,
    "scans/cummin_reverse": lambda x: np.minimum.accumulate(x[:, ::-1], 1)[:, ::-1],
    "scans/cumprod": lambda x: rounded(x.cumprod()),
    "scans/cumsum": np.cumsum,
    "scans/cumsum_columns": lambda x: x.cumsum(0),
    "scans/cumsum_difference": lambda x: x.cumsum() - x,
    "scans/cumsum_exclusive": lambda x: np.append(0, x.cumsum()[:-1]),
    "scans/cumsum_flipped": lambda x: np.flip(np.cumsum(np.flip(x))),
    "scans/cumsum_masked": lambda x, m: np.where(m > 0, x, 0).cumsum(),
    "scans/cumsum_reverse": lambda x: x[::-1].cumsum()[::-1],
    "control/fori_update": ones_added,
    "indexing/hist": lambda e, b: (e[:, None] == b).sum(0).astype("f8"),
    "indexing/hist_scatter": lambda e: scatter(np.zeros(32), (e * 32).astype("i4"), np.ones(len(e)), np.add),
    "windows/jacobi": lambda x: rounded((x[:-2] + x[1:-1] + x[2:]) / 3),
    "reductions/kmeans_step": lambda x, c: ((x[:, None] - c) ** 2).sum(-1).argmin(1).astype("i4"),
    "scans/lax_scan": np.cumsum,
    "scans/lax_scan_rows": decayed,
    # The difference from the mean cancels.
    "reductions/layernorm": lambda x: rounded(layer_norm(x), magnitude=1),
    "products/matvec": lambda a, b: a @ b,
    "products/mlp": lambda x, w, b, u: rounded(gelu_tanh(x @ w + b) @ u, magnitude=10),
    "indexing/scatter_max": lambda e, i, u: scatter(e, i, u, np.maximum),
    "indexing/scatter_rows": lambda e, i, u: scatter(e, i, u, np.add),
    "indexing/scatter_set": lambda e, i, u: scatter(e, i, u, replace),
    "indexing/segment_sum": lambda x, i: scatter(np.zeros(4), i, x, np.add, negative=False),
    "reductions/softmax": lambda x: rounded(softmax(x)),
    "products/tri_matvec": lambda a, b: np.tril(a) @ b,
    "reductions/tuple_reduce": larger_pair,
    "control/while_loop": until_large,
    "control/switch": lambda k, x: [-x, x * 2, x * x if x.sum() > 1 else x + 1][min(k, 2)],
    "reductions/logsumexp": lambda x: rounded(np.log(np.exp(x).sum(1)), magnitude=1),
    "reductions/variance": lambda x: rounded(x.var(0)),
    "reductions/any_all": lambda x: ((x > 1).any(1), (x > -2).all(1)),
    "reductions/relu_gradient": lambda x, y: np.where(x > 0, y, 0),
    "products/regression_gradient": lambda w, x, y: 2 / 8 * x.T @ (x @ w - y),
    "windows/conv_transposed": transposed_convolution,
    "windows/conv_groups": grouped_convolution,
    "windows/avg_pool": lambda x: windows(x, (1, 2), (2, 2), 2).mean((-2, -1)),
    "windows/max_pool_same": pooled_with_padding,
    "indexing/take_rows": rows_or_nan,
    "indexing/one_hot": lambda i: (i[:, None] == np.arange(8)).astype("f8"),
    "products/int8_matmul": lambda a, b: a.astype("i4") @ b.astype("i4"),
    "products/bf16_matmul": lambda a, b: a @ b,
    "products/polyval": lambda p, x: rounded(np.polyval(p, x), magnitude=10),
    "reductions/rms_norm": lambda x, w: rounded(x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * w),
    "products/swiglu": lambda x, w, v, u: rounded((silu(x @ w) * (x @ v)) @ u, magnitude=10),
    "reductions/argmin_int": lambda x: x.argmin(0).astype("i4"),
    # The slice is moved into the array.
    "indexing/dynamic_slice": lambda x, i, j: x[min(i, 4) :, min(j, 5) :][:3, :4],
    "products/kron": np.kron,
    "windows/convolve": np.convolve,
    "scans/ema": moving_average,
    "control/floyd_warshall": shortest_paths,
}

TORCH = {
    "windows/conv_relu": lambda x, w: np.maximum(convolution_nchw(x, w), 0),
    "scans/cumprod": lambda x: rounded(x.cumprod(0)),
    "scans/cumsum": lambda x: x.cumsum(1),
    "reductions/layer_norm": lambda x: rounded(layer_norm(x), magnitude=1),
    "products/linear_gelu": lambda x, w, b: rounded(gelu(x @ w.T + b), magnitude=1),
    "reductions/max_dim": lambda x: x.max(1),
    "windows/max_pool": lambda x: windows(x, (2, 3), (2, 2), 2).max((-2, -1)),
    "reductions/mean": lambda x: rounded(x.mean(1)),
    "reductions/mse": lambda x, y: rounded(((x - y) ** 2).mean()),
    "reductions/softmax": lambda x: rounded(softmax(x)),
    "windows/conv1d": lambda x, w, b: np.einsum("ncqs,kcs->nkq", windows(x, (2,), (3,), 2, 2), w) + b[:, None],
    "windows/depthwise": lambda x, w: np.einsum("ncpqrs,crs->ncpq", windows(x, (2, 3), (3, 3)), w[:, 0]),
    "windows/conv_transposed": scattered_convolution,
    "windows/avg_pool": lambda x: rounded(windows(x, (2, 3), (3, 3), 2).mean((-2, -1)), magnitude=1),
    "windows/max_pool_padded": lambda x: windows(surrounded(x, -np.inf), (2, 3), (3, 3), 2).max((-2, -1)),
    "reductions/batch_norm": batch_norm,
    "reductions/group_norm": lambda x: rounded(layer_norm(x.reshape(2, 2, 12)).reshape(x.shape), magnitude=1),
    "reductions/log_softmax": lambda x: rounded(np.log(softmax(x)), magnitude=1),
    "indexing/embedding": lambda i, w: w[i % 6],
    "reductions/cosine_similarity": cosine_similarity,
    "reductions/std": lambda x: rounded(x.std(1, ddof=1)),
    "reductions/argmax": lambda x: x.argmax(1),
    "products/attention": lambda q, k, v: rounded(softmax(q @ k.swapaxes(2, 3) / 2) @ v, magnitude=1),
    "indexing/roll": lambda x: np.roll(x, (2, -3), (0, 1)),
    "indexing/flip": np.flip,
    "indexing/tril": lambda x: np.tril(x, -1),
    "indexing/upsample": lambda x: x.repeat(2, 2).repeat(2, 3),
    "indexing/pixel_shuffle": lambda x: x.reshape(1, 2, 2, 2, 3, 4).transpose(0, 1, 4, 2, 5, 3).reshape(1, 2, 6, 8),
    "products/half_linear": lambda x, w: exact(x @ w.T, "f16"),
    "reductions/huber": lambda x, y: rounded(np.where(np.abs(x - y) < 1, (x - y) ** 2 / 2, np.abs(x - y) - 0.5).mean()),
}


def exclusive(ufunc, x, start, axis):
    """tm_tensor.scan: the values before each element along an axis, from the initial one on, and the last one of them; the
    initial one if there are no elements."""
    values = ufunc.accumulate(np.concatenate([np.expand_dims(start, axis), x], axis), axis)
    values = values.take(range(x.shape[axis]), axis)
    return values, values.take(-1, axis) if x.shape[axis] else start


def inclusive(x, start, axis):
    """tm_tensor.scan: the sums up to each element along an axis, without the initial value. The last one replaces the
    initial value if there are two or more."""
    sums = x.cumsum(axis)
    return sums, sums.take(-1, axis) if x.shape[axis] > 1 else start


# The scans of torch-mlir.
SCANS = {
    "rows": lambda x, start: exclusive(np.add, x, start, 1),
    "columns": lambda x, start: exclusive(np.maximum, x, start, 0),
    "total": lambda x, start: inclusive(x, start, 1),
    "once": lambda x, start: exclusive(np.add, x, start, 0),
    "once_inclusive": lambda x, start: inclusive(x, start, 0),
    "never": lambda x, start: exclusive(np.add, x, start, 0),
    "dynamic_rows": lambda x, start: exclusive(np.add, x, start, 1),
    "numbers": lambda: (np.array([10, 11, 13, 16], "i4"), np.int32(16)),
}

FORMULAS = {
    **{f"jax/{name}": {"main": formula} for name, formula in JAX.items()},
    **{f"torch/{name}": {"main": formula} for name, formula in TORCH.items()},
    "torch/scans/scans": SCANS,
}
