"""Compiled functions: what they run, and what they refuse."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from typing import Any

import mdh
import numpy
import pytest
from computations import matvec, reduce_multiple
from mdh import ArgumentError, ArgumentTypeError, ArgumentValueError, CompilationError, Error, compiler, fp32
from mdh.compiler import CPU, CUDA, OpenCL

M = numpy.arange(20, dtype="f").reshape(4, 5)
v = numpy.arange(5, dtype="f")


class Recorder:
    """A native module that records what it is called with."""

    def __init__(self, refuses: str = "") -> None:
        self.refuses = refuses
        self.calls: list[Any] = []

    def compile(self, *arguments: Any, **options: Any) -> Recorder:
        if self.refuses:
            raise RuntimeError(self.refuses)
        self.calls.append((arguments, options))
        return self

    def run(self, inputs: Any, outputs: Any) -> None:
        self.calls.append(([id(array) for array in inputs], [id(array) for array in outputs]))

    def source(self, stage: str) -> str:
        if stage != "llvm":
            raise ValueError(f"there is no stage {stage}")
        return "define"


def w() -> Any:
    return numpy.zeros(4, "f")


def test_backends(monkeypatch: pytest.MonkeyPatch) -> None:
    for backend, target, threads in (
        (CPU(), "cpu", None),
        (CPU(threads=3), "cpu", 3),
        (CUDA(), "cuda", None),
        (CUDA(1), "cuda:1", None),
        (OpenCL("pocl"), "opencl:pocl", None),
    ):
        native = Recorder()
        monkeypatch.setattr(compiler, "_native", native)
        computation = matvec(fp32, 4, 5)
        compiler.compile(computation=computation, backend=backend, tuner=None)
        expected = {"target": target, "threads": threads, "strict": False, "database": None}
        assert native.calls == [((computation.mlir_with_locations, "matvec"), expected)]


def test_arrays_are_passed_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    native = Recorder()
    monkeypatch.setattr(compiler, "_native", native)
    function = compiler.compile(matvec(fp32, 4, 5), CUDA(0)).nvcc_compile(arch="compute_80")
    output = w()
    function.run(output, M, v)
    assert native.calls[1] == ([id(M), id(v)], [id(output)])
    assert function.source("llvm") == "define"


def test_views_of_arrays() -> None:
    function = compiler.compile(matvec(fp32, 4, 5))
    transposed = numpy.asfortranarray(M)
    output = numpy.zeros(8, "f")
    function.run(output[::-2], transposed, v[::1])
    assert (output[::-2] == M @ v).all() and not output[::2].any()


REFUSED = [
    ((w(), M), ArgumentTypeError, "matvec requires 3 arrays, outputs first (w, M, v), but has 2"),
    (([0] * 4, M, v), ArgumentTypeError, "the output 'w' of matvec requires an array, but is list"),
    ((w(), None, v), ArgumentTypeError, "the input 'M' of matvec requires an array, but is NoneType"),
    ((w(), M.astype("d"), v), ArgumentTypeError, "the input 'M' of matvec must have the type float32, but has float64: cast=True converts it"),
    (
        (w(), M, v.astype("F")),
        ArgumentTypeError,
        "the input 'v' of matvec must have the type float32, but has complex64",
    ),
    ((w(), M, v.astype(">f4")), ArgumentTypeError, "the input 'v' of matvec must have the type float32, but has >f4: cast=True converts it"),
    ((w(), M.T, v), ArgumentValueError, "the input 'M' of matvec must have the shape (4, 5), but has (5, 4)"),
    (
        (numpy.zeros((4, 1), "f"), M, v),
        ArgumentValueError,
        "the output 'w' of matvec must have the shape (4,), but has (4, 1)",
    ),
    (
        (numpy.broadcast_to(v[:1], 4), M, v),
        ArgumentValueError,
        "the output 'w' of matvec must be writable, but is read-only",
    ),
    (
        (numpy.lib.stride_tricks.as_strided(w(), (4,), (0,)), M, v),
        ArgumentValueError,
        "the elements of the output 'w' of matvec must not overlap each other",
    ),
    ((M[0, :4], M, v), ArgumentValueError, "the output 'w' of matvec and the input 'M' of matvec must not overlap"),
]


@pytest.mark.parametrize("case", REFUSED)
def test_arguments_that_are_refused(case: Any) -> None:
    arrays, kind, message = case
    function = compiler.compile(matvec(fp32, 4, 5))
    with pytest.raises(kind) as raised:
        function.run(*arrays)
    assert str(raised.value) == message
    assert isinstance(raised.value, ArgumentError)


def test_outputs_that_overlap() -> None:
    x = numpy.zeros((), "f")
    function = compiler.compile(reduce_multiple(fp32, 5))
    with pytest.raises(ArgumentValueError) as raised:
        function.run(x, x, v)
    message = "the output 'O1' of reduce_multiple and the output 'O2' of reduce_multiple must not overlap"
    assert str(raised.value) == message


@pytest.mark.parametrize(
    "case",
    [
        ({"tuner": 3}, "a tuner must be Tuner(…) or pyATF(…), but is 3"),
        ({"backend": "cpu"}, "a backend must be CPU(…), CUDA(…) or OpenCL(…), but is 'cpu'"),
        ({"backend": CPU(threads=0)}, "the number of threads must be from 1 to 1024, but is 0"),
        ({"backend": CPU(threads=True)}, "the number of threads must be from 1 to 1024, but is True"),
        ({"backend": CUDA(-1)}, "a device must be a number from 0 or a part of a name, but is -1"),
        ({"backend": OpenCL("")}, "a device must be a number from 0 or a part of a name, but is ''"),
    ],
)
def test_options_that_are_refused(case: Any) -> None:
    options, message = case
    with pytest.raises(CompilationError) as raised:
        compiler.compile(matvec(fp32, 4, 5), **options)
    assert str(raised.value) == message


def test_devices_that_do_not_exist() -> None:
    for backend in (CUDA("no such device"), OpenCL("no such device")):
        with pytest.raises(CompilationError, match=f"no {type(backend).__name__} device"):
            compiler.compile(matvec(fp32, 4, 5), backend)


def test_what_is_no_computation() -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        compiler.compile(matvec)
    message = "mdhc.compile requires a computation, which @mdh(…) makes of a function, but has the function 'matvec': "
    assert str(raised.value).startswith(message)


def test_errors_of_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_native", Recorder(refuses="program.py:3:5: no"))
    with pytest.raises(CompilationError) as raised:
        compiler.compile(matvec(fp32, 4, 5))
    assert str(raised.value) == "program.py:3:5: no"
    monkeypatch.setattr(compiler, "_native", Recorder())
    with pytest.raises(CompilationError) as raised:
        compiler.compile(matvec(fp32, 4, 5)).source("other")
    assert str(raised.value) == "there is no stage other"
    with pytest.raises(CompilationError) as raised:
        compiler.compile(matvec(fp32, 4, 5)).nvcc_compile()
    assert str(raised.value) == "nvcc_compile() requires the backend CUDA(…), not CPU(threads=None)"


STAGES = {
    "raise": "mdh.hom.md_hom",
    "fuse": "mdh.hom.md_hom",
    "hom": "mdh.hom.md_hom",
    "check": "mdh.hom.md_hom",
    "schedule": "schedule = {",
    "partition": "mdh.lowlevel.decompose",
    "tag-operators": "#mdh.tag<",
    "promote-memory": "reads [",
    "bufferize": "mdh.lowlevel.recompose",
    "loops": "memref.store",
    "gpu": "memref.store",
    "deallocate": "memref.store",
    "openmp": "memref.store",
    "llvm": "llvm.func @matvec",
    "llvm-ir": "define",
    "assembly": ".text",
}


def test_stages() -> None:
    function = compiler.compile(matvec(fp32, 4, 5))
    assert function.source("mlir") == function.computation.mlir
    for stage, text in STAGES.items():
        assert text in function.source(stage)
    with pytest.raises(CompilationError) as raised:
        function.source("other")
    assert str(raised.value) == f"unknown stage 'other': expects one of {', '.join(STAGES)}, or mlir"


def test_destroyed_functions() -> None:
    function = compiler.compile(matvec(fp32, 4, 5))
    function.destroy()
    function.destroy()
    with pytest.raises(Error) as raised:
        function.run(w(), M, v)
    assert str(raised.value) == "the function 'matvec' has been destroyed"


def test_examples_in_documentation() -> None:
    names = [
        module.name for module in pkgutil.walk_packages(mdh.__path__, "mdh.") if not module.name.endswith("_native")
    ]
    results = [doctest.testmod(importlib.import_module(name)) for name in names]
    assert sum(result.failed for result in results) == 0 and sum(result.attempted for result in results) > 15
