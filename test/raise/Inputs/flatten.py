"""Rewrites affine nests on square memrefs as nests on memrefs with one dimension, whose size is the first argument.

usage: flatten.py FILE SIZE > FLAT

Nothing says any more that memrefs share no memory.
"""

import re
import sys

path, size = sys.argv[1], int(sys.argv[2])
with open(path, encoding="utf-8") as file:
    # Checks and remarks are those of the original.
    text = "\n".join(line for line in file.read().splitlines() if not line.lstrip().startswith("//"))


def memref(match):
    """A memref with one dimension in place of one with more, if all of its sizes are the size."""
    sizes = match.group(1).rstrip("x").split("x")
    return f"memref<?x{match.group(2)}>" if all(int(s) == size for s in sizes) else match.group(0)


def bound(number):
    """A bound that is a number, in terms of the size."""
    number = int(number)
    if number == size:
        return "%n"
    return f"affine_map<()[n] -> (n - {size - number})>()[%n]" if 1 <= size - number <= 2 else str(number)


def access(match):
    """An access with one index."""
    first, *others = [spell(index) for index in match.group(2).split(", ")]
    for index in others:
        first = f"(({first}) * symbol(%n) + {index})"
    return f"{match.group(1)}[{first}]"


def spell(index):
    """An index, with its largest number in terms of the size."""
    return re.sub(rf"(?<![\w%]){size - 1}\b", "symbol(%n) - 1", index)


text = re.sub(r"((?:affine\.load|affine\.store %\w+,) %\w+)\[([^\]]*)\]", access, text)
text = re.sub(r"memref<((?:\d+x)+)(\w+)>", memref, text)
text = re.sub(r" to (\d+)\b", lambda m: f" to {bound(m.group(1))}", text)
text = re.sub(r"(func\.func @\w+\()", r"\1%n: index, ", text).replace(" {llvm.noalias}", "")
sys.stdout.write(text)
