"""Prints the libraries in a wheel, and checks that it has what it needs and nothing else.

python packaging/contents.py WHEEL

- Each library needs only others of the wheel, and those that every Linux with the wheel's glibc has (`SYSTEM`).
- Each is found beside the one that needs it: no search path leads out of the wheel.
- The wheel is smaller than the largest that the package index takes.
"""

from __future__ import annotations

import fnmatch
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

LARGEST = 100_000_000
# What manylinux lets a wheel expect.
SYSTEM = ["ld-linux-x86-64.so.2", "libc.so.6", "libgcc_s.so.1", "libm.so.6", "libstdc++.so.6", "libz.so.1"]
# What is in the wheel, and why.
BUNDLED = {
    "mdh/_native.abi3.so": "the module that calls compiled functions",
    "mdh/_compiler.abi3.so": "the module that compiles programs",
    "mdh/libmdh_omp.so.5": "LLVM's OpenMP library, for threads",
    "mdh_compiler.libs/libLLVM-*.so*": "LLVM",
    "mdh_compiler.libs/libMLIR-*.so*": "MLIR",
    "mdh_compiler.libs/libxml2-*.so*": "placeholder: merges manifests of Windows",
    "mdh_compiler.libs/libz3-*.so*": "placeholder: solves constraints",
    "mdh_compiler.libs/libzstd-*.so*": "placeholder: compresses sections",
    "mdh_compiler.libs/libedit-*.so*": "placeholder: edits lines",
    "mdh_compiler.libs/libffi-*.so*": "placeholder: calls functions from LLVM's interpreter",
}
LARGEST_PLACEHOLDER = 100_000
# Other files that must not be missing.
FILES = ["mdh/__init__.py", "mdh/py.typed", "mdh/_native.pyi", "mdh/_compiler.pyi", "mdh/licenses.txt"]


def dynamic(library: pathlib.Path) -> tuple[list[str], list[str]]:
    """The names of the libraries that a library needs, and the folders of its search path."""
    command = ["readelf", "--dynamic", "--wide", str(library)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    paths = re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", text)
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text), [folder for path in paths for folder in path.split(":")]


def problems(root: pathlib.Path, libraries: dict[str, int]) -> list[str]:
    """What is wrong with the libraries of an unpacked wheel, whose sizes are given."""
    found = []
    present = {pathlib.PurePath(name).name for name in libraries}
    for pattern in BUNDLED:
        if "placeholder" not in BUNDLED[pattern] and not fnmatch.filter(libraries, pattern):
            found.append(f"{pattern} is missing")
    for name, size in libraries.items():
        purpose = next((purpose for pattern, purpose in BUNDLED.items() if fnmatch.fnmatch(name, pattern)), None)
        if purpose is None:
            found.append(f"{name} is not expected in the wheel")
        elif purpose.startswith("placeholder") and size > LARGEST_PLACEHOLDER:
            found.append(f"{name} is no placeholder: it has {size} bytes")
        needed, folders = dynamic(root / name)
        found += [f"{name} needs {other}, which is not there" for other in needed if other not in {*present, *SYSTEM}]
        found += [f"{name} looks for libraries in {folder}" for folder in folders if not folder.startswith("$ORIGIN")]
    return found


def main(wheel: pathlib.Path) -> int:
    size = wheel.stat().st_size
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        absent = sorted({*FILES} - {*archive.namelist()})
        entries = {entry.filename: entry for entry in archive.infolist() if ".so" in entry.filename}
        archive.extractall(folder, entries)
        wrong = problems(pathlib.Path(folder), {name: entry.file_size for name, entry in entries.items()})
    print(f"{size / 1e6:.1f} MB {wheel.name}")
    for name, entry in entries.items():
        purpose = next((purpose for pattern, purpose in BUNDLED.items() if fnmatch.fnmatch(name, pattern)), "unknown")
        print(f"  {entry.file_size / 1e6:6.1f} MB, packed {entry.compress_size / 1e6:5.1f} MB  {name}: {purpose}")
    wrong += [f"{name} is missing" for name in absent]
    if size > LARGEST:
        wrong.append(f"it has {size} bytes, at most {LARGEST} are allowed")
    for problem in wrong:
        print(f"wheel: error: {problem}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
