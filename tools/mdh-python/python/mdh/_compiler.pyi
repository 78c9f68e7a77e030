"""The compiler: the part of the package that loads MLIR."""

from collections.abc import Sequence

from mdh._native import Request

def compile(request: Request) -> bytes:
    """Compiles a function, and returns its code in the form that `_native` links."""

def source(request: Request, stage: str) -> str:
    """The program after a stage of the compiler, as MLIR."""

def explain(request: Request) -> str:
    """The explanation of a function, as JSON."""

def run(arguments: Sequence[str]) -> int:
    """Runs a command line, whose first argument is the name of the program, and returns its exit code."""
