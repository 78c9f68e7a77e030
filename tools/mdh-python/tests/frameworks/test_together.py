"""The package beside other packages that have an LLVM and an OpenMP library of their own, imported in any order."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest

# By package: what uses its compiler and its threads.
USES = {
    "torch": "a = torch.rand(300, 300); assert torch.allclose(a @ a, torch.from_numpy(a.numpy() @ a.numpy()), rtol=1e-3)",
    "jax": "assert float(jax.jit(lambda x: (x @ x).sum())(numpy.ones((64, 64), 'f'))) == 64**3",
    "numba": "assert numba.njit(parallel=True)(total)(numpy.ones(1000)) == 1000",
    "mdh": "assert (product(x, x, numpy.zeros_like(x)) == 256).all()",
}

PROGRAM = """
import numpy

def total(x):
    result = 0.0
    for i in range(x.size):
        result += x[i]
    return result

x = numpy.ones((256, 256), "f")
IMPORTS
product = mdh.compile('''
func.func @product(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>, %c: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>) outs(%c : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}''')
for _ in range(3):
    USES
"""


@pytest.mark.parametrize("order", list(itertools.permutations(USES))[::4], ids=" ".join)
def test_packages_work_together(order):
    for package in order:
        pytest.importorskip(package)
    imports, uses = "\n".join(f"import {package}" for package in order), "\n    ".join(USES[package] for package in order)
    program = PROGRAM.replace("IMPORTS", imports).replace("USES", uses)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
