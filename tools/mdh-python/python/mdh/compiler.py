"""Compilation: `from mdh import compiler as mdhc`.

function = mdhc.compile(computation=matvec(fp32, 1024, 1024), backend=mdhc.CPU())
function.run(w, M, v)
function.destroy()
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from types import TracebackType
from typing import Any

import numpy

from . import _native
from .arrays.device import is_on_device
from .arrays.signature import Signature
from .computations.computation import Computation
from .errors import ArgumentTypeError, ArgumentValueError, CompilationError, Error
from .explain import explain
from .progress import progress
from .pyatf import CPURuntimeProfiler as CPURuntimeProfiler
from .pyatf import CUDARuntimeProfiler as CUDARuntimeProfiler
from .pyatf import OpenCLRuntimeProfiler as OpenCLRuntimeProfiler
from .pyatf import evaluations as evaluations
from .pyatf import pyATF as pyATF
from .tuning.database import Database, path_of
from .tuning.tuner import Tuner as Tuner
from .tuning.tuner import TuningResult, arguments_of


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
    tuner: Tuner | None = None,
    *,
    strict: bool = False,
    database: Database | None = None,
) -> Function:
    """Compiles a computation for a backend with the best schedule of a tuner, now or earlier, else the default one.

    `strict` evaluates floats in the order of the definition. `database` is the path of a database of tuned schedules,
    by default that of the environment variable MDH_DATABASE; "" is none. A `tuner` has a database of its own, and
    measures schedules first unless it has used its budget before.

    Raises `CompilationError` if the compiler rejects the program or an option, and `TuningError`, which is one, if the
    tuner has measured nothing.
    """
    if not isinstance(computation, Computation):
        message = (
            f"a computation is required, which a function decorated with @mdh returns, not {type(computation).__name__}"
        )
        raise ArgumentTypeError(message)
    if isinstance(backend, CPU):
        _check_threads(backend.threads)
    elif isinstance(backend, (CUDA, OpenCL)):
        _check_device(backend.device)
    else:
        raise CompilationError(f"a backend must be CPU(…), CUDA(…) or OpenCL(…), but is {backend!r}")
    if tuner is not None and not isinstance(tuner, Tuner):
        raise CompilationError(f"a tuner must be Tuner(…) or pyATF(…), but is {tuner!r}")
    if tuner is not None and database is not None:
        raise CompilationError(f"a tuner has a database of its own, but database is {database!r}")
    threads = backend.threads if isinstance(backend, CPU) else None

    def compiled(database: str | None) -> Any:
        return _compiled(computation, backend.target, threads, strict, database)

    if tuner is None:
        return Function(computation, backend, compiled(path_of(database)))
    tuner.check(backend.target)
    arguments = arguments_of(computation, tuner.inputs)
    tuning = tuner.run(compiled(""), computation.mlir, arguments)
    return Function(computation, backend, compiled(tuning.database), tuning)


def _check_threads(threads: object) -> None:
    is_number = isinstance(threads, int) and not isinstance(threads, bool)
    if threads is not None and not (is_number and threads in range(1, 1025)):
        raise CompilationError(f"the number of threads must be from 1 to 1024, but is {threads!r}")


def _check_device(device: object) -> None:
    is_index = isinstance(device, int) and not isinstance(device, bool) and device >= 0
    if device is not None and not is_index and not (isinstance(device, str) and device):
        raise CompilationError(f"a device must be a number from 0 or a part of a name, but is {device!r}")


def _compiled(computation: Computation, target: str, threads: int | None, strict: bool, database: str | None) -> Any:
    """The native function of a computation."""
    program = computation.mlir_with_locations
    try:
        with progress(f"compiling '{computation.name}'"):
            return _native.compile(
                program, computation.name, target=target, threads=threads, strict=strict, database=database
            )
    except (RuntimeError, ValueError) as error:
        raise CompilationError(str(error)) from error


class Function:
    """A compiled computation. It may be called from several threads. `tuning` is the result of its tuner, if any."""

    def __init__(
        self, computation: Computation, backend: Backend, native: Any, tuning: TuningResult | None = None
    ) -> None:
        self.computation = computation
        self.backend = backend
        self.tuning = tuning
        self._native = native
        # The function for arrays in the memory of a GPU, which is compiled when it is needed first.
        self._on_device: Any = None
        self._lock = Lock()
        self._signature = Signature(computation)

    def run(self, *arrays: Any, stream: Any = None) -> None:
        """Runs the function on arrays, outputs first, which are written in place.

        Arrays are those of NumPy, of JAX and PyTorch in the memory of the processor, and objects with the buffer
        protocol. An input without dimensions may be a number.

        With the backend CUDA, they may all be in the memory of the GPU instead: arrays with `__cuda_array_interface__`,
        such as those of PyTorch, CuPy and Numba, and inputs of JAX. Nothing is copied then, and the call returns when its work has
        been submitted to `stream`, an object of these libraries or a number; by default the one that the arrays are
        used on, else the default stream. The first call of this kind compiles the function for such arrays.

        Raises `ArgumentTypeError` for a wrong number of arrays and other element types, and `ArgumentValueError` for
        other shapes, read-only outputs, outputs that overlap another array, and other memory.
        """
        native = self._alive()
        is_other = bool(arrays) and type(arrays[0]) is not numpy.ndarray
        if is_other and isinstance(self.backend, CUDA) and is_on_device(arrays[0]):
            arguments, handle = self._signature.lend_on_device(arrays, stream)
            self._for_device(native).run_on_device(arguments, handle)
            return
        if stream is not None:
            message = "stream= requires the backend CUDA(…) and arrays in the memory of the GPU"
            is_cuda = isinstance(self.backend, CUDA)
            found = "the output of this call is not there" if is_cuda else f"the backend is {self.backend!r}"
            raise ArgumentValueError(f"{message}, but {found}")
        inputs, outputs, copied = self._signature.lend(arrays)
        native.run(inputs, outputs)
        for destination, source in copied:
            destination[...] = source

    def source(self, stage: str) -> str:
        """The program as text: `mlir` is the computation, and others are stages of the compiler, in which it is after
        their passes; an error for another stage lists them.
        """
        native = self._alive()
        if stage == "mlir":
            return self.computation.mlir
        try:
            return str(native.source(stage))
        except (CompilationError, RuntimeError, ValueError) as error:
            message = str(error)
            raise CompilationError(f"{message}, or mlir" if message.startswith("unknown stage") else message) from error

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
        self._native = self._on_device = None

    def _for_device(self, native: Any) -> Any:
        """The native function for arrays in the memory of a GPU."""
        with self._lock:
            if self._on_device is None:
                with progress(f"compiling '{self.computation.name}' for arrays on the GPU"):
                    self._on_device = native.on_device()
            return self._on_device

    def _repr_html_(self) -> str:
        """What a notebook shows: the schedule as a table, and the nest as a picture."""
        return explain(self)._repr_html_()

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
