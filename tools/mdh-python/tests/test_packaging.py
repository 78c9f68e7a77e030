"""What wheels and releases consist of. Only `make wheel` builds a wheel; `make test-wheel` runs these tests with it."""

from __future__ import annotations

import ctypes
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

import mdh
import pytest
from mdh import _platform

ROOT = pathlib.Path(__file__).parents[3]
PACKAGE = pathlib.Path(str(mdh.__file__)).parent
LIBRARIES = PACKAGE.parent / "mdh_compiler.libs"


def version() -> str:
    return str(tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"])


def llvm() -> pathlib.Path:
    """The library of the LLVM that the project is built with."""
    configuration = tomllib.loads((ROOT / ".cargo/config.toml").read_text(encoding="utf-8"))
    library = pathlib.Path(configuration["env"]["LLVM_SYS_221_PREFIX"], "lib/libLLVM.so")
    if not library.exists() or library.stat().st_size == 0:
        pytest.skip("no LLVM on this machine, as is intended for wheels")
    return library.resolve()


def test_versions_agree() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [version()]
    newest = re.search(r"^## (?:\[?)([^\]\s]+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest is not None and newest[1] in ("Unreleased", version())
    assert mdh._native.__version__ == version()


def refusal(tree: pathlib.Path) -> str:
    """The error of `scripts/release/dist.sh`, which must fail before it builds anything."""
    result = subprocess.run([tree / "scripts/release/dist.sh"], capture_output=True, text=True)
    assert result.returncode == 1 and result.stdout == "", result
    return result.stderr.strip()


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_releases_are_made_from_tagged_versions(tmp_path: pathlib.Path) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=name", "-c", "user.email=name@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "scripts/release").mkdir(parents=True)
    shutil.copy(ROOT / "scripts/release/dist.sh", tmp_path / "scripts/release")
    (tmp_path / "Cargo.toml").write_text('[workspace.package]\nversion = "1.2.3"\n', encoding="utf-8")
    (tmp_path / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 1.2.2\n", encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text("## Unreleased\n", encoding="utf-8")
    assert refusal(tmp_path) == "dist: error: Cargo.toml has version 1.2.3, CITATION.cff 1.2.2"
    (tmp_path / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 1.2.3\n", encoding="utf-8")
    git("init")
    git("add", ".")
    git("commit", "--message", "version 1.2.3")
    git("tag", "v1.2.30")
    assert refusal(tmp_path).startswith("dist: error: HEAD has no tag v1.2.3, which a release of version 1.2.3 needs")
    git("tag", "v1.2.3")
    assert refusal(tmp_path).startswith("dist: error: CHANGELOG.md has no section '## 1.2.3'")
    (tmp_path / "CHANGELOG.md").write_text("## 1.2.3\n", encoding="utf-8")
    assert "the tree differs from v1.2.3" in refusal(tmp_path) and "CHANGELOG.md" in refusal(tmp_path)


@pytest.mark.parametrize("found", ["glibc 2.36", "glibc 2.41", "glibc 2.36.9000", "glibc 3.0"])
def test_new_c_libraries_are_accepted(found: str) -> None:
    _platform.check(found)


@pytest.mark.parametrize(
    ("found", "said"), [("glibc 2.35", "glibc 2.35"), ("glibc 1.99", "glibc 1.99"), ("", "another"), ("NPTL", "NPTL")]
)
def test_old_c_libraries_are_refused(found: str, said: str) -> None:
    with pytest.raises(ImportError) as error:
        _platform.check(found)
    assert str(error.value) == f"mdh requires Linux with glibc 2.36 or newer, but this system has {said}"


def test_the_c_library_of_this_system_is_accepted() -> None:
    _platform.check()


def test_placeholders_have_what_llvm_needs(tmp_path: pathlib.Path) -> None:
    """With the placeholders, LLVM can be loaded, and no symbol is missing; none of them needs another library."""
    library = llvm()
    if shutil.which("cc") is None or shutil.which("ldd") is None:
        pytest.skip("no C compiler")
    subprocess.run([ROOT / "scripts/release/placeholders.sh", library, tmp_path], check=True)
    placeholders = sorted(tmp_path.glob("*.so.*"))
    assert placeholders
    for placeholder in placeholders:
        ctypes.CDLL(str(placeholder))
        needed = subprocess.run(["readelf", "--dynamic", placeholder], check=True, capture_output=True, text=True)
        assert re.findall(r"\(NEEDED\).*\[(.*)\]", needed.stdout) == ["libc.so.6"]
    resolved = subprocess.run(
        ["ldd", "-r", library], env={"LD_LIBRARY_PATH": str(tmp_path)}, check=True, capture_output=True, text=True
    )
    assert "undefined symbol" not in resolved.stdout + resolved.stderr
    assert "not found" not in resolved.stdout
    for placeholder in placeholders:
        assert f"{placeholder.name} => {placeholder}" in resolved.stdout
    # What only the replaced libraries need is not there any more.
    assert not re.search("libicu|liblzma|libtinfo|libbsd", resolved.stdout)


@pytest.mark.skipif(not LIBRARIES.is_dir(), reason="the package is not installed from a wheel")
def test_a_process_uses_the_libraries_of_the_wheel_alone() -> None:
    program = """
import mdh
text = '''
func.func @double(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.add ins(%x, %x : tensor<64xf32>, tensor<64xf32>) outs(%y : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}'''
import numpy
x = numpy.arange(64, dtype="f")
result = mdh.compile(text, threads=2)(x, x)
assert (result == 2 * x).all()
print(open("/proc/self/maps").read())
"""
    output = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    loaded = {pathlib.Path(path) for path in re.findall(r"(/\S+\.so\S*)$", output.stdout, re.MULTILINE)}
    ours = {path for path in loaded if re.match(r"lib(LLVM|MLIR|mdh|z3|xml2|i?omp|edit|ffi-|zstd)", path.name)}
    assert any(path.name.startswith("libLLVM") for path in ours)
    assert {path.parent for path in ours} <= {PACKAGE, LIBRARIES}
