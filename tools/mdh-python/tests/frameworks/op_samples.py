"""Samples of PyTorch's test database, and those with the values at the edges of types."""

from __future__ import annotations

import itertools
import random
import re

import torch
from torch.testing._internal.opinfo.core import BinaryUfuncInfo, ReductionOpInfo, SampleInput, UnaryUfuncInfo

# Enough elements for vectors and what remains beside them.
COUNT = 37

# The largest number of samples with replaced elements: some operations have a thousand.
SPREAD = 24

# Operations of which PyTorch has other results of infinite elements in eager's order than in that of its own decomposition: the
# mean of Welford's algorithm, a normalization as a product and a sum, a weight of 0 times an infinite neighbour, and products of
# three matrices; and GELU, which oneDNN makes NaN at infinity.
_ORDERED = {
    "_native_batch_norm_legit",
    "native_batch_norm",
    "nn.functional.batch_norm",
    "nn.functional.bilinear",
    "nn.functional.gelu",
    "nn.functional.interpolate",
    "nn.functional.upsample_bilinear",
    "std_mean",
    "var_mean",
}

# Those of which eager leaves elements out that have no weight, or are NaN, and PyTorch's own decomposition does not, and those that
# require sorted elements.
_LEFT_OUT = {
    "bucketize",
    "grid_sampler_2d",
    "grid_sampler_3d",
    "nn.functional.grid_sample",
    "nn.functional.multi_margin_loss",
    "nn.functional.multilabel_margin_loss",
    "searchsorted",
    "torch.ops.aten._scaled_dot_product_flash_attention_for_cpu",
}

# Those that LAPACK computes, which ends the process at NaN, or does not converge.
_OF_LAPACK = re.compile(r"norm\.nuc|pinverse|svd|linalg\.(cond|eig|lstsq|matrix_norm|matrix_rank|norm|pinv|svd)")

# Padding is 0 times a weight: eager leaves it out in some of its algorithms, so the weights are finite.
_CONVOLUTIONS = re.compile(r"nn\.functional\.conv")

# Those that convert floats to integers: PyTorch's results of numbers out of range depend on the processor.
_CONVERSIONS = {"byte", "char", "int", "long", "masked.logsumexp", "short"}


def values(dtype):
    """The numbers at the edges of a type, and some between them."""
    if dtype is torch.bool:
        return [False, True]
    if not dtype.is_floating_point:
        limits = torch.iinfo(dtype)
        return [limits.min, limits.min + 1, *([-7, -3, -2, -1] if limits.min else []), 0, 1, 2, 3, 7, 63, limits.max]
    limits = torch.finfo(dtype)
    ends = [limits.max, limits.tiny, limits.smallest_normal / 4, float("inf")]
    positive = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 7.25, 88.0, *ends]
    return [*positive, *(-one for one in positive), float("nan")]


def tensor(given, dtype):
    return torch.tensor(given, dtype=torch.float64 if dtype.is_floating_point else dtype).to(dtype)


def edges(operation, dtype, without_least=False):
    """Samples of an operation with the values at the edges of a type, and of tensors with one element and with none. `without_least`: whether the
    least integer is left out."""
    # PyTorch takes a step for each degree of a polynomial.
    if operation.name in _CONVERSIONS or "_polynomial_" in operation.name:
        return []
    if isinstance(operation, UnaryUfuncInfo):
        return _unary(operation, dtype)
    if isinstance(operation, BinaryUfuncInfo):
        return _binary(dtype, values(dtype)[without_least and not dtype.is_floating_point :])
    if isinstance(operation, ReductionOpInfo):
        return _reductions(operation, dtype)
    return _spread(operation, dtype)


def _unary(operation, dtype):
    options = operation.sample_kwargs("cpu", dtype, tensor([1], dtype))[0]
    repeated = list(itertools.islice(itertools.cycle(values(dtype)), 2 * COUNT))
    for given in (repeated, repeated[:1], [], repeated[0]):
        yield SampleInput(tensor(given, dtype), kwargs=options)


def _binary(dtype, given):
    pairs = [tensor(side, dtype) for side in zip(*itertools.product(given, repeat=2))]
    yield SampleInput(pairs[0], args=(pairs[1],))
    yield SampleInput(pairs[0][:1], args=(pairs[1],))
    yield SampleInput(pairs[0], args=(pairs[1][-1],))
    yield SampleInput(pairs[0][:0], args=(pairs[1][:1],))
    yield SampleInput(pairs[0], args=(given[-2],))
    yield SampleInput(pairs[0], args=(given[1],))


def _reductions(operation, dtype):
    source = random.Random(0)
    # A number at an edge is among others, or alone, and stays a sum that no order of terms changes.
    finite = [0, 1, 2, 3] if not dtype.is_floating_point or dtype is torch.bool else [-0.0, 0.5, 1.0, -2.0]
    rows = [[source.choice(finite) for _ in range(COUNT)] for _ in range(12)]
    special = values(dtype) if dtype is not torch.bool else [True]
    if dtype.is_floating_point:
        special = [float("nan"), float("inf"), -float("inf"), 0.0, -0.0]
        # A product with the largest number may overflow before it meets 0.
        special += [] if "prod" in operation.name else [torch.finfo(dtype).max]
    for row in rows[2:]:
        for _ in range(source.choice((1, 1, 2))):
            row[source.randrange(COUNT)] = source.choice(special)
    matrix = tensor(rows, dtype)
    yield SampleInput(matrix)
    choices = [{"dim": 0}, {"dim": 1}, {"dim": -1, "keepdim": True}]
    if operation.supports_multiple_dims:
        choices.append({"dim": (0, 1)})
    for options in choices:
        yield SampleInput(matrix, kwargs=options)
    for shape in ((0,), (0, 3), (3, 0), (1,), (1, 1), ()):
        for options in ({}, {"dim": -1}):
            whole = torch.full(shape, special[-1], dtype=matrix.dtype)
            yield SampleInput(whole, kwargs=options)


def _spread(operation, dtype):
    """Samples of the database, a part of whose floats are replaced."""
    name = f"{operation.name}.{operation.variant_test_name}"
    if not dtype.is_floating_point or operation.name in _LEFT_OUT or _OF_LAPACK.match(name):
        return
    infinite = [] if operation.name in _ORDERED else [float("inf"), -float("inf")]
    special = [float("nan"), 0.0, -0.0, *infinite]
    source = random.Random(0)

    def replaced(value):
        is_dense = isinstance(value, torch.Tensor) and value.layout is torch.strided
        if is_dense and value.is_floating_point() and value.numel():
            found = value.detach().clone()
            for _ in range(max(1, found.numel() // 6)):
                found[tuple(source.randrange(n) for n in found.shape)] = source.choice(special)
            return found
        return type(value)(map(replaced, value)) if type(value) in (list, tuple) else value

    samples = list(operation.sample_inputs("cpu", dtype, requires_grad=False))
    for sample in samples[:: len(samples) // SPREAD + 1]:
        rest = tuple(sample.args) if _CONVOLUTIONS.match(name) else replaced(tuple(sample.args))
        yield SampleInput(replaced(sample.input), args=rest, kwargs=sample.kwargs)
