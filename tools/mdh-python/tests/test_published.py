"""The programs published on mdh-lang.org, in both forms, with their imports changed.

Their backend is a GPU and their tuner pyATF with 1000 evaluations; here they are the processor, and none or a few.
"""

from __future__ import annotations

import pathlib
import runpy
from typing import Any

import numpy
import pytest

IMPORTS = """
import numpy as np
from mdh import *
from mdh import compiler as mdhc
from mdh.compiler import CPU
"""

MATVEC = """
def matvec(T: BasicType, I: int, K: int):
    @mdh()
    def matvec__T_I_K():
        @scalar_function()
        def mul(out: Scalar[T], inp: Scalar[T, T]):
            out['w'] = inp['M'] * inp['v']

        @pw_custom_func()
        def add(res, lhs, rhs):
            res['w'] = lhs['w'] + rhs['w']

        return (
            out_view[T](w=[lambda i, k: (i)]),
            md_hom[I, K](mul, (cc, pw(add))),
            inp_view[T, T](M=[lambda i, k: (i, k)], v=[lambda i, k: (k)]),
        )

    return matvec__T_I_K()
"""

MATVEC_DIRECTIVE = """
def matvec(T: BasicType, I: int, K: int):
    @mdh(out(w=Buffer[T]), inp(M=Buffer[T], v=Buffer[T]), combine_ops(cc, pw(add)))
    def mdh_matvec(w, M, v):
        for i in range(I):
            for k in range(K):
                w[i] = M[i, k] * v[k]

    return mdh_matvec
"""

JACOBI = """
def jacobi1d(T: BasicType, I: int):
    @mdh()
    def jacobi1d__T_I():
        @scalar_function()
        def f_j1d(out: Scalar[T], inp: Scalar[T, T, T]):
            out['y'] = 1.0 / 3.0 * (inp['x', 1] + inp['x', 2] + inp['x', 3])

        return (
            out_view[T](y=[lambda i: (i)]),
            md_hom[I](f_j1d, (cc)),
            inp_view[T](x=[lambda i: (i + 0), lambda i: (i + 1), lambda i: (i + 2)]),
        )

    return jacobi1d__T_I()
"""

JACOBI_DIRECTIVE = """
def jacobi1d(T: BasicType, I: int):
    @mdh(out(y=Buffer[T]), inp(x=Buffer[T]), combine_ops(cc))
    def mdh_jacobi1d(y, x):
        for i in range(I):
            y[i] = 1.0 / 3.0 * (x[i + 0] + x[i + 1] + x[i + 2])

    return mdh_jacobi1d
"""

RUN_MATVEC = """
matvec__fp32__1024_1024 = mdhc.compile(computation=matvec(fp32, 1024, 1024), backend=CPU())

M = np.random.rand(1024, 1024).astype(np.float32)
v = np.random.rand(1024).astype(np.float32)
w = np.zeros(1024, dtype=np.float32)

matvec__fp32__1024_1024.run(w, M, v)
matvec__fp32__1024_1024.destroy()
"""

RUN_JACOBI = """
jacobi1d__fp32__1024 = mdhc.compile(computation=jacobi1d(fp32, 1024), backend=CPU())

x = np.random.rand(1026).astype(np.float32)
y = np.zeros(1024, dtype=np.float32)

jacobi1d__fp32__1024.run(y, x)
jacobi1d__fp32__1024.destroy()
"""


def run(text: str, folder: pathlib.Path) -> dict[str, Any]:
    """The variables of a program after it has run."""
    path = folder / "program.py"
    path.write_text(IMPORTS + text, encoding="utf-8")
    return runpy.run_path(str(path))


@pytest.mark.parametrize("form", [MATVEC, MATVEC_DIRECTIVE])
def test_matvec(form: str, tmp_path: pathlib.Path) -> None:
    found = run(form + RUN_MATVEC, tmp_path)
    numpy.testing.assert_allclose(found["w"], found["M"].astype("d") @ found["v"], rtol=1e-5)


@pytest.mark.parametrize("form", [JACOBI, JACOBI_DIRECTIVE])
def test_jacobi(form: str, tmp_path: pathlib.Path) -> None:
    found = run(form + RUN_JACOBI, tmp_path)
    x = found["x"].astype("d")
    numpy.testing.assert_allclose(found["y"], (x[:-2] + x[1:-1] + x[2:]) / 3, rtol=1e-6)


def test_tuners(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The site's programs name a tuner, a profiler and a number of evaluations."""
    text = """
from mdh.compiler import CPURuntimeProfiler, evaluations, pyATF

function = mdhc.compile(
    computation=matvec(fp32, 16, 8), backend=CPU(1), tuner=pyATF(CPURuntimeProfiler(), evaluations(1))
)
M, v, w = np.ones((16, 8), 'float32'), np.ones(8, 'float32'), np.empty(16, 'float32')
function.run(w, M, v)
"""
    monkeypatch.delenv("MDH_DATABASE", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    found = run(MATVEC + text, tmp_path)
    assert (found["w"] == 8).all() and found["function"].tuning.evaluations == 1
    assert found["function"].tuning.database == str(tmp_path / "state/mdh/tuned.db")


def test_functions_of_the_package_are_there_after_the_names_of_the_interface() -> None:
    names: dict[str, Any] = {}
    exec("import mdh as package\nfrom mdh import *", names)
    package, decorator = names["package"], names["mdh"]
    assert decorator is not package
    for name in ("benchmark", "compile", "explain", "jit", "tune"):
        assert getattr(decorator, name) is getattr(package, name)
