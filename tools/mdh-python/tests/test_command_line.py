"""`python -m mdh` has the command-line tools."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import mdh
import numpy

MATVEC = pathlib.Path(__file__).parents[3] / "docs/matvec.mlir"


def run(*arguments: object, status: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mdh", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stderr
    return done


def test_the_version_is_that_of_the_package():
    assert run("--version").stdout == f"mdh {mdh.__version__}\n"


def test_programs_run_on_files(tmp_path):
    matrix, vector = numpy.arange(512 * 4096, dtype="f").reshape(512, 4096) % 7, numpy.arange(4096, dtype="f") % 5
    for name, array in {"M": matrix, "v": vector}.items():
        numpy.save(tmp_path / name, array)
    inputs = ("--input", tmp_path / "M.npy", "--input", tmp_path / "v.npy")
    done = run("run", MATVEC, *inputs, "--output", tmp_path / "w.npy", "--threads", 2, "--check")
    assert "agrees with the reference evaluator" in done.stdout
    numpy.testing.assert_allclose(numpy.load(tmp_path / "w.npy"), matrix @ vector, rtol=1e-5)


def test_other_tools_have_names_of_their_own():
    assert "llvm.func @matvec" in run("opt", "--lower-mdh", MATVEC).stdout
    assert "MLIR" in run("reduce", "--help").stdout


def test_errors_have_the_exit_codes_of_the_tools(tmp_path):
    missing = tmp_path / "missing.mlir"
    assert run("run", missing, status=1).stderr.startswith(f"error: cannot read '{missing}'")
    assert "unrecognized subcommand 'walk'" in run("walk", status=2).stderr
