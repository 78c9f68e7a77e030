"""The backends that functions are compiled for: `CPU(threads)`, `CUDA(device)` and `OpenCL(device)`."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import CompilationError
from .messages import described, named_fields

__all__ = ["CPU", "CUDA", "Backend", "OpenCL", "check_backend"]


@named_fields
@dataclass(frozen=True)
class CPU:
    """The processor of this machine, with a number of threads; None is one for each core."""

    threads: int | None = None

    @property
    def target(self) -> str:
        """The name of the target in the compiler."""
        return "cpu"


@named_fields
@dataclass(frozen=True)
class CUDA:
    """An NVIDIA GPU: its number or a part of its name; None is the first one."""

    device: int | str | None = None

    @property
    def target(self) -> str:
        """The name of the target in the compiler, with the device."""
        return _target("cuda", self.device)


@named_fields
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


def check_backend(backend: object) -> None:
    """Raises `CompilationError` unless it is a backend whose options have a meaning."""
    if isinstance(backend, CPU):
        _check_threads(backend.threads)
    elif isinstance(backend, (CUDA, OpenCL)):
        _check_device(backend.device)
    else:
        raise CompilationError(f"a backend must be CPU(…), CUDA(…) or OpenCL(…), but is {described(backend)}")


def _check_threads(threads: object) -> None:
    is_number = isinstance(threads, int) and not isinstance(threads, bool)
    if threads is not None and not (is_number and threads in range(1, 1025)):
        raise CompilationError(f"the number of threads must be from 1 to 1024, but is {described(threads)}")


def _check_device(device: object) -> None:
    is_index = isinstance(device, int) and not isinstance(device, bool) and device >= 0
    if device is not None and not is_index and not (isinstance(device, str) and device):
        raise CompilationError(f"a device must be a number from 0 or a part of a name, but is {described(device)}")
