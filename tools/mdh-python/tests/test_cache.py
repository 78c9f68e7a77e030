"""Compiled code is kept on disk; what goes wrong there costs only time."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import warnings

import mdh
import numpy
import pytest

DOUBLE = """
func.func @double(%x: tensor<4xf32>) -> tensor<4xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<4xf32>) -> !mdh.mda<4, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    mdh.hom.yield %b : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %y = mdh.view.out_view %h[affine_map<(i) -> (i)>] : !mdh.mda<4, f32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
"""

PROCESS = f"""
import mdh, numpy
double = mdh.compile('''{DOUBLE}''', threads=2)
assert double(numpy.arange(4, dtype="f")).tolist() == [0, 2, 4, 6]
with open("/proc/self/maps") as maps:
    print("libMLIR" in maps.read())
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "some" / "where"
    monkeypatch.setenv("MDH_CACHE_DIR", str(folder))
    return folder


def compiled(**options):
    """The results of a compiled function, and the warnings of its compilation."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", mdh.CacheWarning)
        function = mdh.compile(DOUBLE, **options)
    assert function(numpy.arange(4, dtype="f")).tolist() == [0, 2, 4, 6]
    return [str(warning.message) for warning in said if warning.category is mdh.CacheWarning]


def entries(folder: pathlib.Path) -> list[str]:
    return sorted(os.listdir(folder)) if folder.exists() else []


def process() -> str:
    done = subprocess.run([sys.executable, "-c", PROCESS], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_process_that_finds_the_code_does_not_load_mlir(folder):
    assert process() == "True"
    assert len(entries(folder)) == 1
    assert process() == "False"


def test_programs_and_options_have_entries_of_their_own(folder):
    for options in ({}, {}, {"threads": 1}, {"strict": True}, {"threads": 1, "strict": True}):
        assert compiled(**options) == []
    assert len(entries(folder)) == 4


def test_without_a_directory_nothing_is_kept(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("MDH_CACHE_DIR", "")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert compiled() == [] and not folder.exists() and not (tmp_path / "home").exists()
    monkeypatch.delenv("MDH_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert compiled() == [] and len(entries(tmp_path / "home/.cache/mdh")) == 1
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert compiled() == [] and len(entries(tmp_path / "caches/mdh")) == 1


def test_the_oldest_entries_go_first(folder, monkeypatch):
    assert compiled(threads=1) == []
    (first,) = entries(folder)
    size = (folder / first).stat().st_size
    # One MiB has room for so many.
    many = (1 << 20) // size - 1
    for number in range(many + 8):
        (folder / f"{number:064x}").write_bytes(bytes(size))
        os.utime(folder / f"{number:064x}", (number, number))
    monkeypatch.setenv("MDH_CACHE_SIZE", "1")
    assert compiled(threads=1) == [] and compiled(threads=2) == []
    left = entries(folder)
    assert sum((folder / name).stat().st_size for name in left) <= 1 << 20
    assert first in left and f"{0:064x}" not in left and f"{many + 7:064x}" in left


def test_an_entry_that_is_damaged_is_replaced(folder):
    assert compiled() == []
    (name,) = entries(folder)
    content = (folder / name).read_bytes()
    for damaged in (content[:-1], content[:100], b"", content[:-1] + bytes([content[-1] ^ 1])):
        (folder / name).write_bytes(damaged)
        (warning,) = compiled()
        assert "is corrupt, compiling anew" in warning
        assert (folder / name).read_bytes() == content and compiled() == []


def test_a_directory_that_cannot_be_used_is_a_warning(folder, monkeypatch):
    folder.parent.mkdir(parents=True)
    folder.write_text("")
    (warning,) = compiled()
    assert f"cannot use the cache '{folder}': it is not a directory" in warning
    monkeypatch.setenv("MDH_CACHE_DIR", "/proc/nothing")
    (warning,) = compiled()
    assert "cannot use the cache '/proc/nothing'" in warning
    monkeypatch.setenv("MDH_CACHE_DIR", str(folder.parent))
    monkeypatch.setenv("MDH_CACHE_SIZE", "much")
    assert compiled() == ["the environment variable MDH_CACHE_SIZE requires a number of MiB, but is 'much'"]


def test_a_directory_of_others_is_not_used(folder):
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    (warning,) = compiled()
    assert "requires a directory that nobody else can write to, but it has mode 777" in warning
    assert entries(folder) == []


def test_a_full_disk_is_a_warning(folder):
    program = PROCESS.replace("import mdh", "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\nimport mdh")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "CacheWarning: cannot write to the cache" in done.stderr, done.stderr
    assert entries(folder) == []


def test_a_warning_may_be_an_error(folder, monkeypatch):
    monkeypatch.setenv("MDH_CACHE_DIR", "/proc/nothing")
    with warnings.catch_warnings():
        warnings.simplefilter("error", mdh.CacheWarning)
        with pytest.raises(mdh.CacheWarning):
            mdh.compile(DOUBLE)


def test_processes_share_a_directory(folder):
    started = [subprocess.Popen([sys.executable, "-c", PROCESS], stderr=subprocess.PIPE) for _ in range(4)]
    problems = [process.communicate(timeout=120)[1] for process in started]
    assert all(process.returncode == 0 for process in started) and not any(problems), problems
    assert len(entries(folder)) == 1


