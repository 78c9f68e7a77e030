"""Decompositions of what only training has: dropout, and the gradients of convolutions and poolings.

Each is a function like its operation, as in `decompositions.py`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from .table import decomposition, example, torch_module


@decomposition("native_dropout.default")
def _native_dropout(x: Any, probability: float, train: bool | None) -> Any:
    """The random numbers, which PyTorch draws, do not depend on the elements, so that they are drawn before all else."""
    torch = torch_module()
    if train is False or probability == 0:
        return x.clone(), torch.ones_like(x, dtype=torch.bool)
    kept = 1.0 - probability
    # Elements are drawn in the order of memory.
    strides = torch.empty_like(x).stride()
    order = sorted(range(x.dim()), key=lambda axis: -example(strides[axis]))
    drawn = torch.ops.aten.bernoulli.p(torch.zeros([x.shape[axis] for axis in order], dtype=torch.bool), kept)
    mask = drawn.permute([order.index(axis) for axis in range(x.dim())])
    return x * mask.to(x.dtype) * (0.0 if kept == 0 else 1.0 / kept), mask


@decomposition("convolution_backward.default")
def _convolution_backward(
    gradient: Any,
    x: Any,
    weight: Any,
    bias_sizes: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
    mask: Sequence[bool],
) -> Any:
    """The gradients of convolutions that are transposed or have groups, which torch-mlir does not lower."""
    torch = torch_module()
    if not transposed and groups == 1:
        return NotImplemented
    count = len(stride)
    of_input = of_weight = None
    if mask[0] and transposed:
        of_input = torch.ops.aten.convolution(
            gradient, weight, None, stride, padding, dilation, False, [0] * count, groups
        )
    elif mask[0]:
        rest = [
            x.shape[2 + i]
            - ((gradient.shape[2 + i] - 1) * stride[i] - 2 * padding[i] + dilation[i] * (weight.shape[2 + i] - 1) + 1)
            for i in range(count)
        ]
        of_input = torch.ops.aten.convolution(gradient, weight, None, stride, padding, dilation, True, rest, groups)
    if mask[1]:
        # The roles of the two change with the direction.
        moved, kernel = (gradient, x) if transposed else (x, gradient)
        of_weight = _of_weight(moved, kernel, weight.shape, stride, padding, dilation, groups)
    of_bias = torch.sum(gradient, [0, *range(2, gradient.dim())]) if mask[2] else None
    return of_input, of_weight, of_bias


def _of_weight(
    x: Any, kernel: Any, sizes: Sequence[int], stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], groups: int
) -> Any:
    """The gradient of weights: a convolution whose channels are the batch, for each group."""
    torch = torch_module()
    count, batch = len(stride), x.shape[0]
    channels, filters = x.shape[1] // groups, kernel.shape[1] // groups
    if channels == 1:
        return _of_weight_of_channels(x, kernel, sizes, stride, padding, dilation)
    # (batch, group, channel, …) becomes (channel, group and batch, …), and the kernel (group and filter, batch, …).
    moved = x.reshape(batch, groups, channels, *x.shape[2:]).permute(2, 1, 0, *range(3, 3 + count))
    moved = moved.reshape(channels, groups * batch, *x.shape[2:])
    result = torch.ops.aten.convolution(
        moved, kernel.transpose(0, 1), None, dilation, padding, stride, False, [0] * count, groups
    )
    for axis, size in enumerate(sizes[2:], 2):
        result = result.narrow(axis, 0, size)
    # (channel, group and filter, …) becomes (group and filter, channel, …).
    return result.transpose(0, 1).reshape(groups * filters, channels, *sizes[2:])


def _of_weight_of_channels(
    x: Any, kernel: Any, sizes: Sequence[int], stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int]
) -> Any:
    """The gradient of weights of a convolution with a group for each channel: a sum for each of them."""
    torch = torch_module()
    count, filters = len(stride), sizes[0] // x.shape[1]
    padded = torch.constant_pad_nd(x, [one for width in reversed(padding) for one in (width, width)])
    kernel = kernel.reshape(kernel.shape[0], x.shape[1], filters, *kernel.shape[2:])
    sums = []
    for place in itertools.product(*map(range, sizes[2:])):
        window = padded
        for axis in range(count):
            first = place[axis] * dilation[axis]
            end = first + (kernel.shape[3 + axis] - 1) * stride[axis] + 1
            window = torch.ops.aten.slice.Tensor(window, 2 + axis, first, end, stride[axis])
        sums.append(torch.sum(window.unsqueeze(2) * kernel, [0, *range(3, 3 + count)]).reshape(sizes[0], 1))
    return torch.cat(sums, 1).reshape(sizes)


@decomposition("avg_pool2d_backward.default")
def _avg_pool2d_backward(
    gradient: Any,
    x: Any,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: int | None,
) -> Any:
    """The gradient of means: each mean is spread over its elements."""
    torch = torch_module()
    kernel = [kernel[0], kernel[-1]]
    stride = [stride[0], stride[-1]] if stride else kernel
    padding = [padding[0], padding[-1]]
    sizes = gradient.shape[-2:]
    rest = [x.shape[-2 + i] - ((sizes[i] - 1) * stride[i] - 2 * padding[i] + kernel[i]) for i in range(2)]
    if ceil_mode or not all(isinstance(one, int) and 0 <= one < max(stride[i], 1) for i, one in enumerate(rest)):
        return NotImplemented
    weights = torch.ones([1, 1, *kernel], dtype=x.dtype)
    spread = gradient.reshape(-1, 1, *sizes) / (divisor or (kernel[0] * kernel[1] if count_include_pad else 1))
    if not count_include_pad and divisor is None:
        ones = torch.ones([1, 1, *x.shape[-2:]], dtype=x.dtype)
        spread = spread / torch.ops.aten.convolution(ones, weights, None, stride, padding, [1, 1], False, [0, 0], 1)
    result = torch.ops.aten.convolution(spread, weights, None, stride, padding, [1, 1], True, rest, 1)
    return result.reshape(x.shape)


@decomposition("_adaptive_avg_pool2d_backward.default")
def _adaptive_avg_pool2d_backward(gradient: Any, x: Any) -> Any:
    """The gradient of means of windows of the same size."""
    sizes = [(x.shape[axis], gradient.shape[axis]) for axis in (-2, -1)]
    if not all(isinstance(size, int) and isinstance(count, int) and count and size % count == 0 for size, count in sizes):
        return NotImplemented
    (height, rows), (width, columns) = sizes
    window = (height // rows, width // columns)
    spread = gradient.reshape(-1, rows, 1, columns, 1) / (window[0] * window[1])
    return spread.expand(-1, rows, window[0], columns, window[1]).reshape(x.shape)
