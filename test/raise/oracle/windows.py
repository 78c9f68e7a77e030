"""Windows of arrays."""

import numpy as np


def windows(x, axes, sizes, strides=1, dilations=1):
    """All windows of these sizes along these axes. The axes of their positions stay where they are, and those of the
    elements of a window are the last ones. Strides are the distances of windows, dilations those of elements."""
    strides, dilations = np.broadcast_to(strides, len(axes)), np.broadcast_to(dilations, len(axes))
    found = np.lib.stride_tricks.sliding_window_view(x, (np.array(sizes) - 1) * dilations + 1, axes)
    kept = [slice(None)] * x.ndim + [slice(None, None, dilation) for dilation in dilations]
    for axis, stride in zip(axes, strides):
        kept[axis] = slice(None, None, stride)
    return found[tuple(kept)]
