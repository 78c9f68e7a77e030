"""Compiled functions, which `mdh.compile` and `mdhc.compile` return."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from . import _native
from .backends import CUDA, Backend
from .computations.computation import Computation
from .errors import ArgumentTypeError, CompilationError, Error
from .messages import did_you_mean

if TYPE_CHECKING:
    from .tuning.result import TuningResult

__all__ = ["Calls", "Function"]


class Calls(Protocol):
    """How a function is called: as the program in MLIR, or the computation, that it was compiled from."""

    def call(
        self, native: _native.Executable, arguments: tuple[Any, ...], out: Any, stream: Any, named: dict[str, Any]
    ) -> Any:
        """Calls the function with its inputs, and returns its results."""

    def run(self, native: _native.Executable, arrays: tuple[Any, ...], stream: Any) -> None:
        """Calls the function with arrays for its results, and its inputs."""

    def describe(self) -> str:
        """Its inputs and its results."""

    def release(self) -> None:
        """Frees what was compiled for calls of certain kinds."""


class Function:
    """A compiled function. It may be called from several threads.

    Arguments are arrays of NumPy, or of JAX or PyTorch in the memory of the processor, and of other libraries, with the
    element types and sizes of the program; scalars are numbers. Arrays are read where they are, with any strides.

    `computation` is the computation that it was compiled from, None if that was a program in MLIR; `tuning` is the result of
    its tuner, if any.
    """

    __slots__ = ("__weakref__", "_calls", "_native", "backend", "computation", "name", "tuning")

    def __init__(
        self,
        native: Any,
        calls: Calls,
        backend: Backend,
        computation: Computation | None = None,
        tuning: TuningResult | None = None,
    ) -> None:
        self._native = native
        self._calls = calls
        self.backend = backend
        self.computation = computation
        self.tuning = tuning
        self.name: str = native.name if computation is None else computation.name

    @property
    def arguments(self) -> tuple[str, ...]:
        """The types of the arguments, in MLIR."""
        return self.executable.arguments

    @property
    def results(self) -> tuple[str, ...]:
        """The types of the results, in MLIR."""
        return self.executable.results

    @property
    def threads(self) -> int:
        """The number of threads of a call."""
        return self.executable.threads

    @property
    def executable(self) -> _native.Executable:
        """The compiled code. Raises `Error` after `destroy`."""
        native: _native.Executable | None = self._native
        if native is None:
            raise self._destroyed()
        return native

    def __call__(self, *arguments: Any, out: Any = None, stream: Any = None, **named: Any) -> Any:
        """Calls the function with its inputs.

        The result is an array, or a tuple of arrays if there are several, of the framework of the arguments; None without
        results. Inputs of a computation may be given by name.

        Args:
            out: arrays to write the results to, one for each result; by default new arrays.
            stream: that of `run`, for arrays in the memory of a GPU, which require `out`.

        Raises:
            ArgumentError: an argument does not match its parameter; nothing has been computed.
        """
        native = self._native
        if native is None:
            raise self._destroyed()
        return self._calls.call(native, arguments, out, stream, named)

    def run(self, *arrays: Any, stream: Any = None, **named: Any) -> None:
        """Runs the function on arrays: those for its results, which are written in place, then its inputs.

        For a computation with the backend CUDA, they may all be in the memory of the GPU: arrays with
        `__cuda_array_interface__`, such as those of PyTorch, CuPy and Numba, and inputs of JAX. Nothing is copied then, and the
        call returns when its work has been submitted to `stream`, an object of these libraries or a number; by default the one
        that the arrays are used on, else the default stream. The first call of this kind compiles the function for such arrays.

        Raises `ArgumentTypeError` for a wrong number of arrays and other element types, and `ArgumentValueError` for
        other shapes, read-only outputs, outputs that overlap another array, and other memory.
        """
        if named:
            required = "requires arrays without names, those for results first"
            raise ArgumentTypeError(f"{self.name}.run {required}, but has '{next(iter(named))}'")
        native = self._native
        if native is None:
            raise self._destroyed()
        self._calls.run(native, arrays, stream)

    def source(self, stage: str) -> str:
        """The program as text: `mlir` is what was compiled, and others are stages of the compiler, in which it is after
        their passes; an error for another stage lists them.
        """
        native = self.executable
        if stage == "mlir":
            return self.computation.mlir if self.computation is not None else native.request.program
        try:
            return native.source(stage)
        except (CompilationError, RuntimeError, ValueError) as error:
            message = str(error)
            if message.startswith("unknown stage"):
                known = message.partition(" expects one of ")[2].split(", ")
                message = f"{message}, or mlir{did_you_mean(stage, [*known, 'mlir'])}"
            raise CompilationError(message) from error

    def nvcc_compile(self, arch: str | None = None) -> Function:
        """The function itself: the kernels of `CUDA(…)` have been compiled for the device, whatever `arch` is.

        This method exists because programs written for the published interface call it.
        """
        if not isinstance(self.backend, CUDA):
            raise CompilationError(f"nvcc_compile() requires the backend CUDA(…), not {self.backend!r}")
        return self

    def destroy(self) -> None:
        """Frees the compiled code. The function cannot be used afterwards; a second call has no effect."""
        self._native = None
        self._calls.release()

    def __enter__(self) -> Function:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.destroy()

    def __repr__(self) -> str:
        state = "destroyed"
        if self._native is not None:
            is_cpu = self.backend.target == "cpu"
            state = f"CPU, threads: {self._native.threads}" if is_cpu else repr(self.backend)
        return f"<mdh.Function {self.name}{self._calls.describe()}, {state}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the schedule as a table, and the nest as a picture."""
        # The explanation of a function is one of an object of this class.
        from .explain import explain

        return explain(self)._repr_html_()

    def _destroyed(self) -> Error:
        return Error(f"the function '{self.name}' has been destroyed")
