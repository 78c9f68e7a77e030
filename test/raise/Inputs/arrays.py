"""Writes arrays of small multiples of 1/8 as PREFIX0.npy, PREFIX1.npy, …; requires only Python 3.

usage: arrays.py PREFIX SHAPE …     a shape is written as 7x9 (f32), 7x9@5 (i32 from -5 to 5), or with another type:
                                    7x9:f64, 7x9:f16, 7x9:bf16 (as V2), 7x9:i8@5, 7x9:i16@5, 7x9:i64@5, 7x9:i1

The numbers are exact in each type, and so are their products and short sums in f32.
"""

import random
import struct
import sys

# For each type, its name in an .npy file, and how `struct` packs an element.
TYPES = {
    "f16": ("<f2", "e"),
    "bf16": ("|V2", "f"),
    "f32": ("<f4", "f"),
    "f64": ("<f8", "d"),
    "i1": ("|b1", "?"),
    "i8": ("|i1", "b"),
    "i16": ("<i2", "h"),
    "i32": ("<i4", "i"),
    "i64": ("<i8", "q"),
}


def elements(count, kind, largest):
    """The bytes of random elements."""
    if kind == "i1":
        values = [random.random() < 0.5 for _ in range(count)]
    elif largest:
        values = [random.randint(-int(largest), int(largest)) for _ in range(count)]
    else:
        values = [random.randint(-16, 16) / 8 for _ in range(count)]
    packed = [struct.pack("<" + TYPES[kind][1], value) for value in values]
    # A bf16 is the upper half of an f32.
    return b"".join(value[2:] if kind == "bf16" else value for value in packed)


def main(prefix, shapes):
    """Writes an array for each shape; the elements depend on the number of shapes, too."""
    random.seed(len(shapes))
    for number, text in enumerate(shapes):
        text, _, largest = text.partition("@")
        sizes, _, kind = text.partition(":")
        kind = kind or ("i32" if largest else "f32")
        shape = tuple(int(size) for size in sizes.split("x"))
        count = 1
        for size in shape:
            count *= size
        data = elements(count, kind, largest)
        header = f"{{'descr': '{TYPES[kind][0]}', 'fortran_order': False, 'shape': ({''.join(f'{size}, ' for size in shape)}), }}"
        header += " " * (-(len(header) + 11) % 64) + "\n"
        with open(f"{prefix}{number}.npy", "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
