"""The process in which torch-mlir lowers graphs: a crash of torch-mlir ends that process, and not the user's.

    bytecode of the dialect torch ──▶ process ──▶ text of linalg, or the problem

The process is started with the first graph, and serves all graphs of its parent; it ends with it. This file is run by its
path, so that the process imports nothing but torch-mlir; the files beside it do not hide modules of Python.
"""

from __future__ import annotations

import faulthandler
import importlib
import io
import json
import os
import signal
import struct
import subprocess
import sys
import threading
from typing import IO, Any

_TO_TORCH = (
    "builtin.module(func.func(torch-match-quantized-custom-ops),"
    "torchdynamo-export-to-torch-backend-pipeline{extra-library=})"
)
_TO_LINALG = "builtin.module(torch-backend-to-linalg-on-tensors-backend-pipeline)"

# Seconds for a graph. Thousands of operations take some.
_LIMIT = 120
# The length of a message, before it.
_LENGTH = struct.Struct("<Q")


class LoweringError(Exception):
    """torch-mlir does not lower a graph."""


class _Process:
    """The process, and who has started it."""

    def __init__(self) -> None:
        if not sys.executable:
            raise FileNotFoundError("it requires the executable of Python, but sys.executable is empty")
        # An interrupt (Ctrl-C) is for the parent.
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-S", __file__, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.parent = os.getpid()

    def call(self, program: bytes) -> bytes:
        """What the process answers."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            _write(self.process.stdin, program)
            return _read(self.process.stdout)
        except (EOFError, OSError):
            status = self.process.wait()
            if status == -signal.SIGKILL:
                raise MemoryError("its process is killed") from None
            how = f"signal {-status}" if status < 0 else f"exit code {status}"
            raise LoweringError(f"its process ends with {how}") from None

    def end(self) -> None:
        """Ends the process, in whatever state it is."""
        self.process.kill()
        self.process.wait()


_lock = threading.Lock()
_process: _Process | None = None


def linalg_of(module: Any) -> str:
    """The text of a module of the dialect torch, lowered to linalg.

    Raises:
        LoweringError: torch-mlir does not lower it, or crashes.
        MemoryError: its process is killed, as it is where memory runs out.
        OSError: its process cannot be started.
    """
    global _process
    bytecode = io.BytesIO()
    module.operation.write_bytecode(bytecode)
    with _lock:
        # A child of a fork has no part in the messages of its parent.
        if _process is None or _process.parent != os.getpid():
            _process = _Process()
        try:
            answer = _process.call(bytecode.getvalue())
        except BaseException:
            # An interrupted call leaves its answer behind.
            _process.end()
            _process = None
            raise
    text = answer[1:].decode()
    if answer[:1] != b"+":
        raise LoweringError(text)
    return text


def _write(file: IO[bytes], message: bytes) -> None:
    file.write(_LENGTH.pack(len(message)))
    file.write(message)
    file.flush()


def _read(file: IO[bytes]) -> bytes:
    length = file.read(_LENGTH.size)
    if len(length) < _LENGTH.size:
        raise EOFError
    message = file.read(_LENGTH.unpack(length)[0])
    if len(message) < _LENGTH.unpack(length)[0]:
        raise EOFError
    return message


def _lowered(program: bytes) -> str:
    """The text of a program that is lowered in this process."""
    ir = importlib.import_module("torch_mlir.ir")
    torch = importlib.import_module("torch_mlir.dialects.torch")
    manager = importlib.import_module("torch_mlir.passmanager").PassManager
    with ir.Context() as context:
        torch.register_dialect(context)
        module = ir.Module.parse(program)
        for passes in (_TO_TORCH, _TO_LINALG):
            manager.parse(passes).run(module.operation)
        # The compiler does not have the dialect, and reads its operations in the generic form.
        generic = "tm_tensor." in str(module)
        text: str = module.operation.get_asm(
            enable_debug_info=True, large_elements_limit=None, print_generic_op_form=generic
        )
    return text


def _first_problem(error: Exception) -> str:
    """The first error that MLIR has reported, without the operation itself."""
    lines = str(error).splitlines()
    found = next((line.removeprefix("error: ") for line in lines if line.startswith("error: ")), str(error))
    return found.partition(": %")[0]


def _serve() -> None:
    """Lowers the programs of the standard input until it ends."""
    sys.path[:] = json.loads(sys.argv[1])
    # What torch-mlir prints is none of the answers.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            program = _read(sys.stdin.buffer)
        except EOFError:
            return
        # Patterns of torch-mlir may undo each other without end; nothing else can end them, not even the parent's end.
        faulthandler.dump_traceback_later(_LIMIT, exit=True)
        try:
            answer = b"+" + _lowered(program).encode()
        except Exception as error:
            answer = b"-" + _first_problem(error).encode()
        finally:
            faulthandler.cancel_dump_traceback_later()
        _write(output, answer)


if __name__ == "__main__":
    _serve()
