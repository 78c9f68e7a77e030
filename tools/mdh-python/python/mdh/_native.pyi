"""The native part of the package: calls of compiled functions, and the cache of compiled code."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

__version__: str

class Memory:
    """A result in memory of its own, lent by the buffer protocol: row-major order; bf16 as unsigned integers."""

class Request:
    """What is compiled, and how. Equal requests have equal code."""

    @property
    def program(self) -> str: ...
    @property
    def function(self) -> str | None: ...
    @property
    def target(self) -> str: ...
    @property
    def threads(self) -> int: ...
    @property
    def strict(self) -> bool: ...
    @property
    def database(self) -> str | None: ...
    @property
    def device_memory(self) -> bool: ...

class Executable:
    """The code of a function, as it is called."""

    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> tuple[str, ...]: ...
    @property
    def results(self) -> tuple[str, ...]: ...
    @property
    def updated(self) -> tuple[bool, ...]: ...
    @property
    def threads(self) -> int: ...
    @property
    def request(self) -> Request: ...
    def source(self, stage: str) -> str:
        """The program after a stage of the compiler, as MLIR."""

    def run(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Runs a function of buffers, without copies: its inputs, then its outputs, which are written."""

    def on_device(self) -> Executable:
        """The same function for arrays in the memory of its device, for `run_on_device`."""

    def run_on_device(self, arguments: Sequence[Any], stream: int) -> None:
        """Submits a function of buffers to a stream: arrays are addresses with sizes, and others are numbers."""

    def __call__(self, *arguments: Any, out: list[Any] | None = None) -> list[Memory]:
        """Calls the function with objects that lend buffers, and with numbers."""

def explain(request: Request) -> str:
    """The explanation of a function, as JSON. The first call loads MLIR."""

def remembered_problem(program: str) -> str | None:
    """The problem that is remembered, in the cache on disk, for a program of a framework."""

def remember_problem(program: str, problem: str) -> None:
    """Remembers why a program of a framework cannot be compiled, in the cache on disk."""

def temporary_folder(folder: str) -> Path:
    """Makes a folder in a folder, named after this process, and returns its path; removes those of ended processes."""

def compile(
    program: str,
    function: str | None = None,
    *,
    target: str = "cpu",
    threads: int | None = None,
    strict: bool = False,
    database: str | None = None,
) -> Executable:
    """Compiles a function of a program in MLIR, for `cpu`, `cuda` or `opencl`."""
