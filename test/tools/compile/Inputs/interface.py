"""Calls a function of a shared library with the Python example of docs/embedding.md, whose path is the first argument."""

import array
import ctypes
import pathlib
import re
import sys

example = re.search(r"```python\n(.*?)```", pathlib.Path(sys.argv[1]).read_text(), re.DOTALL).group(1)
namespace = {}
exec(example, namespace)

library = ctypes.CDLL(str(pathlib.Path(sys.argv[2]) / "libinterface.so"))
matvec = namespace["Function"](library.matvec, "rr", ("f", 1))
M = memoryview(memoryview(array.array("f", range(12))).cast("B").tobytes()).cast("f", [3, 4])
v = array.array("f", [1, 2, 3, 4])
print(matvec(M, v)[0].tolist())
print(matvec(M, memoryview(v)[::-1])[0].tolist())
try:
    matvec(M, v[:3])
except ValueError as error:
    print(error)
try:
    matvec(M, array.array("d", v))
except ValueError as error:
    print(error)
try:
    matvec(M, array.array("Q", [1, 2, 3, 4]))
except ValueError as error:
    print(error)
try:
    matvec(M)
except ValueError as error:
    print(error)
