"""Computations as kernels, where there is a device: OpenCL on a processor, and CUDA on a GPU or on the interpreter of PTX."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from computations import matvec
from mdh import Buffer, CompilationError, combine_ops, compiler, fp32, inp, mdh, out, ps
from mdh import add as plus

BACKENDS = {"cuda": (compiler.CUDA, "ptx"), "opencl": (compiler.OpenCL, "spirv-assembly")}


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> Any:
    """A backend that has a device, and the name of the text of its kernels."""
    make, text = BACKENDS[request.param]
    try:
        compiler.compile(matvec(fp32, 2, 2), make())
    except CompilationError as error:
        if not str(error).startswith("no "):
            raise
        pytest.skip(str(error))
    return make, text


def test_kernels_compute_what_numpy_does(backend: Any) -> None:
    make, text = backend
    random = numpy.random.default_rng(3)
    matrix, vector = random.random((96, 40), "f"), random.random(40, "f")
    for device in (None, 0):
        with compiler.compile(matvec(fp32, 96, 40), make(device)) as function:
            for result in (numpy.zeros(96, "f"), numpy.zeros(192, "f")[::2]):
                function.run(result, matrix, vector)
                numpy.testing.assert_allclose(result, matrix @ vector, rtol=1e-4)
            assert "matvec" in function.source(text)


def test_scans_are_kernels(backend: Any) -> None:
    @mdh(out(y=Buffer[fp32]), inp(x=Buffer[fp32]), combine_ops(ps(plus)))
    def sums(y: Any, x: Any) -> None:
        for i in range(300):
            y[i] = x[i]

    x, y = numpy.ones(300, "f"), numpy.zeros(300, "f")
    compiler.compile(sums, backend[0]()).run(y, x)
    assert y.tolist() == list(range(1, 301))


def test_unknown_devices_are_errors(backend: Any) -> None:
    with pytest.raises(CompilationError, match="no .* device has the index or the name 'nothing'; there are: 0 "):
        compiler.compile(matvec(fp32, 2, 2), backend[0]("nothing"))
