"""Compilation: `from mdh import compiler as mdhc`.

function = mdhc.compile(computation=matvec(fp32, 1024, 1024), backend=mdhc.CPU())
function.run(w, M, v)
function.destroy()
"""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Any

from . import _native, interchange
from .arrays import Signature
from .computation import Computation
from .errors import ArgumentTypeError, CompilationError, Error


@dataclass(frozen=True)
class CPU:
    """The processor of this machine, with a number of threads; None is one for each core."""

    threads: int | None = None

    @property
    def target(self) -> str:
        """The name of the target in the compiler."""
        return "cpu"


@dataclass(frozen=True)
class CUDA:
    """An NVIDIA GPU: its number or a part of its name; None is the first one."""

    device: int | str | None = None

    @property
    def target(self) -> str:
        """The name of the target in the compiler, with the device."""
        return _target("cuda", self.device)


@dataclass(frozen=True)
class OpenCL:
    """An OpenCL device: its number or a part of its name; None is the first one."""

    device: int | str | None = None

    @property
    def target(self) -> str:
        """The name of the target in the compiler, with the device."""
        return _target("opencl", self.device)


Backend = CPU | CUDA | OpenCL


def _target(name: str, device: int | str | None) -> str:
    return name if device is None else f"{name}:{device}"


def compile(
    computation: Computation,
    backend: Backend = CPU(),
    tuner: None = None,
    *,
    strict: bool = False,
) -> Function:
    """Compiles a computation for a backend with the default schedule.

    `strict` evaluates floats in the order of the definition. There are no tuners yet, so `tuner` must be None.

    Raises `CompilationError` if the compiler rejects the program or an option.
    """
    if not isinstance(computation, Computation):
        message = (
            f"a computation is required, which a function decorated with @mdh returns, not {type(computation).__name__}"
        )
        raise ArgumentTypeError(message)
    if not isinstance(backend, (CPU, CUDA, OpenCL)):
        raise CompilationError(f"a backend must be CPU(…), CUDA(…) or OpenCL(…), but is {backend!r}")
    if tuner is not None:
        raise CompilationError(f"tuners do not exist yet: tuner must be None, but is {tuner!r}")
    threads = backend.threads if isinstance(backend, CPU) else None
    if threads is not None and (not isinstance(threads, int) or not 1 <= threads <= 1024):
        raise CompilationError(f"the number of threads must be from 1 to 1024, but is {threads!r}")
    program = computation.mlir_with_locations
    try:
        native = _native.compile(program, computation.name, target=backend.target, threads=threads, strict=strict)
    except (RuntimeError, ValueError) as error:
        raise CompilationError(str(error)) from error
    return Function(computation, backend, native)


class Function:
    """A compiled computation. It may be called from several threads."""

    def __init__(self, computation: Computation, backend: Backend, native: Any) -> None:
        self.computation = computation
        self.backend = backend
        self._native = native
        self._outputs = len(computation.outputs)
        self._signature = Signature(computation.name, computation.outputs, computation.inputs)

    def run(self, *arrays: Any) -> None:
        """Runs the function on NumPy arrays, outputs first, which are written in place.

        Raises `ArgumentTypeError` for a wrong number of arrays and other element types, and `ArgumentValueError` for
        other shapes, read-only outputs, and outputs that overlap another array.
        """
        native = self._alive()
        self._signature.check(arrays)
        which = self._signature.which
        given = [interchange.lent(array, which(i), copied=i >= self._outputs) for i, array in enumerate(arrays)]
        native.run(given[self._outputs :], given[: self._outputs])

    def source(self, stage: str) -> str:
        """The program at a stage of the compiler, as text; the stages are those of `mdh compile --emit`."""
        native = self._alive()
        try:
            return str(native.source(stage))
        except (RuntimeError, ValueError) as error:
            raise CompilationError(str(error)) from error

    def nvcc_compile(self, arch: str | None = None) -> Function:
        """The function itself: the kernels of `CUDA(…)` have been compiled for the device, whatever `arch` is.

        This method exists because programs written for the published interface call it.
        """
        self._alive()
        if not isinstance(self.backend, CUDA):
            raise CompilationError(f"nvcc_compile() requires the backend CUDA(…), not {self.backend!r}")
        return self

    def destroy(self) -> None:
        """Frees the compiled code. The function cannot be used afterwards; a second call has no effect."""
        self._native = None

    def __enter__(self) -> Function:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.destroy()

    def _alive(self) -> Any:
        if self._native is None:
            raise Error(f"the function '{self.computation.name}' has been destroyed")
        return self._native
