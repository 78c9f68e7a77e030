"""Writes arrays of small multiples of 1/8 as PREFIX0.npy, PREFIX1.npy, …; requires only Python 3.

usage: arrays.py PREFIX SHAPE …     a shape is written as 7x9 (f32), or 7x9@5 (i32 from -5 to 5)
"""

import array
import random
import struct
import sys

prefix, shapes = sys.argv[1], sys.argv[2:]
random.seed(len(shapes))
for number, text in enumerate(shapes):
    sizes, _, largest = text.partition("@")
    shape = tuple(int(size) for size in sizes.split("x"))
    count = 1
    for size in shape:
        count *= size
    if largest:
        data = array.array("i", [random.randint(-int(largest), int(largest)) for _ in range(count)])
    else:
        data = array.array("f", [random.randint(-16, 16) / 8 for _ in range(count)])
    header = f"{{'descr': '{'<i4' if largest else '<f4'}', 'fortran_order': False, 'shape': ({''.join(f'{size}, ' for size in shape)}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(f"{prefix}{number}.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data.tobytes())
