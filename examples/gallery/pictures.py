"""Pictures as PNG files, with NumPy alone: a colour map, a scatter plot, and the format of the files."""

from __future__ import annotations

import pathlib
import struct
import zlib
from typing import Any

import numpy
from numpy.typing import NDArray

Pixels = NDArray[numpy.uint8]

# Colours of a map from dark to light, in equal distances.
MAP = ((16, 20, 58), (68, 36, 116), (148, 44, 122), (214, 74, 84), (247, 140, 52), (252, 208, 92), (255, 252, 214))

# Colours that are easy to tell apart, for clusters and curves.
PALETTE = (
    (31, 98, 178),
    (222, 110, 30),
    (44, 146, 74),
    (190, 44, 66),
    (126, 84, 176),
    (122, 88, 66),
    (206, 96, 172),
    (28, 158, 168),
    (148, 148, 40),
    (96, 96, 96),
)


def write(path: pathlib.Path, pixels: Pixels) -> None:
    """Writes a picture of shape (height, width), in grey, or (height, width, 3), in colour."""
    height, width = pixels.shape[:2]
    colour = 2 if pixels.ndim == 3 else 0
    # Each row begins with a filter, 0: the bytes are as they are.
    rows = numpy.zeros((height, 1 + pixels[0].size), numpy.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    chunks = _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows.tobytes())) + _chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def grey(values: NDArray[Any]) -> Pixels:
    """Values from 0, black, to 1, white, as bytes; others are clipped.

    >>> grey(numpy.array([[-1.0, 0.5, 1.0]])).tolist()
    [[0, 128, 255]]
    """
    pixels: Pixels = numpy.rint(numpy.clip(values, 0, 1) * 255).astype(numpy.uint8)
    return pixels


def coloured(values: NDArray[Any]) -> Pixels:
    """The colours of a matrix of values, the smallest of which is dark and the largest of which is light."""
    low, high = float(values.min()), float(values.max())
    scaled = (values - low) / ((high - low) or 1.0)
    stops = numpy.linspace(0, 1, len(MAP))
    channels = [numpy.interp(scaled, stops, [colour[channel] for colour in MAP]) for channel in range(3)]
    return numpy.rint(numpy.stack(channels, axis=-1)).astype(numpy.uint8)


def scatter(x: NDArray[Any], y: NDArray[Any], labels: NDArray[Any], height: int = 512, width: int = 512) -> Pixels:
    """Points on a white canvas, in the colours of their labels, which are numbers from 0; y grows upwards."""
    pixels = numpy.full((height, width, 3), 255, numpy.uint8)
    columns, rows = _places(x, width), height - 1 - _places(y, height)
    colours = numpy.array(PALETTE, numpy.uint8)[labels % len(PALETTE)]
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            pixels[rows + down, columns + right] = colours
    return pixels


def _places(values: NDArray[Any], size: int) -> NDArray[numpy.int64]:
    """The pixel of each value along one side, with a margin for the size of a point."""
    low, high = float(values.min()), float(values.max())
    return numpy.rint(2 + (values - low) / ((high - low) or 1.0) * (size - 5)).astype(numpy.int64)
