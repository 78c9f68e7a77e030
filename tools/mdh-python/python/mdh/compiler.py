"""Compilation of computations: `from mdh import compiler as mdhc`.

function = mdhc.compile(computation=matvec(fp32, 1024, 1024), backend=mdhc.CPU())
w = function(M, v)
function.run(w, M, v)
function.destroy()
"""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy

from . import _native
from .arrays import interchange
from .arrays.device import is_on_device
from .arrays.signature import Signature
from .backends import Backend as Backend
from .backends import CPU as CPU
from .backends import CUDA as CUDA
from .backends import OpenCL as OpenCL
from .backends import check_backend
from .computations.computation import Computation
from .errors import ArgumentTypeError, ArgumentValueError, CompilationError
from .function import Function
from .messages import described, instead, named_options, wrong_object
from .progress import progress
from .pyatf import CPURuntimeProfiler as CPURuntimeProfiler
from .pyatf import CUDARuntimeProfiler as CUDARuntimeProfiler
from .pyatf import OpenCLRuntimeProfiler as OpenCLRuntimeProfiler
from .pyatf import evaluations as evaluations
from .pyatf import pyATF as pyATF
from .tuning.database import Database, path_of
from .tuning.tuner import Tuner as Tuner
from .tuning.tuner import arguments_of


@named_options("mdhc.compile")
def compile(
    computation: Computation,
    backend: Backend = CPU(),
    tuner: Tuner | None = None,
    *,
    strict: bool = False,
    database: Database | None = None,
    cast: bool = False,
) -> Function:
    """Compiles a computation for a backend with the best schedule of a tuner, now or earlier, else the default one.

    `strict` evaluates floats in the order of the definition. `database` is the path of a database of tuned schedules,
    by default that of the environment variable MDH_DATABASE; "" is none. A `tuner` has a database of its own, and
    measures schedules first unless it has used its budget before. With `cast`, calls convert arrays of other types.

    Raises `CompilationError` if the compiler rejects the program or an option, and `TuningError`, which is one, if the
    tuner has measured nothing.
    """
    if not isinstance(computation, Computation):
        raise wrong_object("mdhc.compile", "a computation, which @mdh(…) makes of a function", computation)
    check_backend(backend)
    if tuner is not None and not isinstance(tuner, Tuner):
        raise CompilationError(f"a tuner must be Tuner(…) or pyATF(…), but is {described(tuner)}")
    if tuner is not None and database is not None:
        raise CompilationError(f"a tuner has a database of its own, but database is {described(database)}")
    threads = backend.threads if isinstance(backend, CPU) else None

    def compiled(database: str | None) -> Any:
        return _compiled(computation, backend.target, threads, strict, database)

    calls = _Calls(computation, backend, cast)
    if tuner is None:
        return Function(compiled(path_of(database)), calls, backend, computation)
    tuner.check(backend.target)
    arguments = arguments_of(computation, tuner.inputs)
    tuning = tuner.run(compiled(""), computation.mlir, arguments)
    return Function(compiled(tuning.database), calls, backend, computation, tuning)


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


class _Calls:
    """Calls of a computation."""

    def __init__(self, computation: Computation, backend: Backend, cast: bool) -> None:
        self._computation = computation
        self._backend = backend
        # The function for arrays in the memory of a GPU, which is compiled when it is needed first.
        self._on_device: Any = None
        self._lock = Lock()
        self._signature = Signature(computation, cast)

    def describe(self) -> str:
        """The inputs and the results, with their names."""
        inputs, outputs = (
            ", ".join(map(str, of)) for of in (self._computation.inputs, self._computation.outputs)
        )
        return f"({inputs}) -> ({outputs})"

    def release(self) -> None:
        """Frees the function for arrays in the memory of a GPU."""
        self._on_device = None

    def call(
        self, native: _native.Executable, arguments: tuple[Any, ...], out: Any, stream: Any, named: dict[str, Any]
    ) -> Any:
        """Calls the function with its inputs, and returns its results."""
        if named:
            arguments = self._positional(arguments, named)
        if out is not None:
            destinations = out if isinstance(out, (tuple, list)) else (out,)
            self.run(native, (*destinations, *arguments), stream)
            return out
        is_plain = all(map(interchange.is_plain, arguments))
        if not is_plain and any(map(is_on_device, arguments)):
            message = "with arrays in the memory of the GPU, requires out=, arrays there for its results"
            raise ArgumentTypeError(f"'{self._computation.name}', {message}")
        if stream is not None:
            raise self._useless_stream()
        inputs, outputs, results = self._signature.allocate(arguments)
        native.run(inputs, outputs)
        if not is_plain:
            results = [interchange.like(result, arguments) for result in results]
        return results[0] if len(results) == 1 else tuple(results)

    def run(self, native: _native.Executable, arrays: tuple[Any, ...], stream: Any) -> None:
        """Calls the function with its outputs, which are written, and its inputs."""
        is_other = bool(arrays) and type(arrays[0]) is not numpy.ndarray
        if is_other and isinstance(self._backend, CUDA) and is_on_device(arrays[0]):
            arguments, handle = self._signature.lend_on_device(arrays, stream)
            self._for_device(native).run_on_device(arguments, handle)
            return
        if stream is not None:
            raise self._useless_stream()
        inputs, outputs, copied = self._signature.lend(arrays)
        native.run(inputs, outputs)
        for destination, source in copied:
            destination[...] = source

    def _useless_stream(self) -> ArgumentValueError:
        """The error of a stream for a call with other arrays."""
        message = "stream= requires the backend CUDA(…) and arrays in the memory of the GPU"
        is_cuda = isinstance(self._backend, CUDA)
        found = "the output of this call is not there" if is_cuda else f"the backend is {self._backend!r}"
        return ArgumentValueError(f"{message}, but {found}")

    def _positional(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """Inputs in order, of which some are given by name."""
        names = [parameter.name for parameter in self._computation.inputs]
        for name in named:
            if name not in names:
                raise ArgumentTypeError(f"'{self._computation.name}' has no input '{name}'{instead(name, names)}")
            if name in names[: len(arguments)]:
                raise ArgumentTypeError(f"'{self._computation.name}' has two values for the input '{name}'")
        rest = names[len(arguments) :]
        missing = next((name for name in rest if name not in named), None)
        if missing is not None:
            raise ArgumentTypeError(f"'{self._computation.name}' requires the input '{missing}'")
        return (*arguments, *[named[name] for name in rest])

    def _for_device(self, native: _native.Executable) -> Any:
        """The native function for arrays in the memory of a GPU."""
        with self._lock:
            if self._on_device is None:
                with progress(f"compiling '{self._computation.name}' for arrays on the GPU"):
                    self._on_device = native.on_device()
            return self._on_device
