"""The build backend of the Python package: maturin, which builds the module `mdh._native`, and Cargo for the module
`mdh._compiler`. `pip install .`, `pip wheel .` and `python -m build` use it; `make wheel` and `make sdist` do, too.

A wheel built here is linked with the LLVM of the machine. `scripts/release/wheel.sh` puts LLVM inside.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from typing import Any

import maturin
from maturin import (  # the hooks that are maturin's
    get_requires_for_build_editable as get_requires_for_build_editable,
    get_requires_for_build_sdist as get_requires_for_build_sdist,
    get_requires_for_build_wheel as get_requires_for_build_wheel,
    prepare_metadata_for_build_editable as prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel as prepare_metadata_for_build_wheel,
)

ROOT = pathlib.Path(__file__).resolve().parents[1]
COMPILER = ROOT / "tools/mdh-python/python/mdh/_compiler.abi3.so"
Settings = dict[str, Any] | None


def _build_compiler() -> None:
    """Builds the module `mdh._compiler`, and puts it into the package."""
    subprocess.run(["cargo", "build", "--release", "--package", "mdh-python-compiler"], cwd=ROOT, check=True)
    metadata = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--format-version", "1"], cwd=ROOT, check=True, capture_output=True
    )
    target = pathlib.Path(json.loads(metadata.stdout)["target_directory"])
    shutil.copyfile(target / "release/libmdh_python_compiler.so", COMPILER)


@contextlib.contextmanager
def _compiler() -> Iterator[None]:
    """The package has the module `mdh._compiler` for the time of a build."""
    try:
        _build_compiler()
        yield
    finally:
        COMPILER.unlink(missing_ok=True)


def build_wheel(folder: str, settings: Settings = None, metadata: str | None = None) -> str:
    """Builds a wheel in the folder, and returns its name."""
    with _compiler():
        return str(maturin.build_wheel(folder, settings, metadata))


def build_editable(folder: str, settings: Settings = None, metadata: str | None = None) -> str:
    """Builds a wheel that refers to the package in this tree, in which the native modules then are."""
    _build_compiler()
    return str(maturin.build_editable(folder, settings, metadata))


def _sources() -> list[pathlib.Path]:
    """The files of this tree, without those that git ignores; in a tree without git, without build products."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
        paths = {ROOT / name for name in listed if name}
    else:
        paths = set(ROOT.rglob("*"))
    made = {"target", "build", "data", "PKG-INFO"}
    return sorted(path for path in paths if path.is_file() and path.relative_to(ROOT).parts[0] not in made)


def _time() -> int:
    """The time of the files of a source distribution: that of the commit, so that the archive is reproducible."""
    time = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not time and (ROOT / ".git").exists():
        command = ["git", "log", "-1", "--format=%ct"]
        time = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return int(time or 0)


def build_sdist(folder: str, settings: Settings = None) -> str:
    """Makes the source distribution in the folder, and returns its name: this tree, from which everything can be
    built. Maturin's would only have the crates that `mdh._native` depends on."""
    with tempfile.TemporaryDirectory() as temporary:
        metadata = pathlib.Path(temporary, str(maturin.prepare_metadata_for_build_wheel(temporary)), "METADATA")
        text = metadata.read_bytes()
    version = next(line.split(": ")[1] for line in text.decode().splitlines() if line.startswith("Version: "))
    top = f"mdh_compiler-{version}"
    time = _time()
    with (
        open(pathlib.Path(folder, f"{top}.tar.gz"), "wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=time) as packed,
        tarfile.open(mode="w", fileobj=packed, format=tarfile.PAX_FORMAT) as archive,
    ):
        entries = [(path.relative_to(ROOT).as_posix(), path.read_bytes(), path.stat().st_mode) for path in _sources()]
        for name, content, mode in [*entries, ("PKG-INFO", text, 0)]:
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mtime = len(content), time
            entry.mode = 0o755 if mode & 0o100 else 0o644
            archive.addfile(entry, io.BytesIO(content))
    return f"{top}.tar.gz"
