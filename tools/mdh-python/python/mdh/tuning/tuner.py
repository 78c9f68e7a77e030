"""Tuners: `mdhc.compile(…, tuner=mdh.Tuner("10m"))`, and `mdh.tune(function)`.

    program ──▶ mdh tune, in a process of its own ──▶ database ──▶ the program is compiled with its best schedule

A session that ended is known beside the database, in `tuned.db.sessions`: the same program, options and machine have
one budget for all sessions, also of other processes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

import numpy

from .. import _native
from ..arrays import interchange
from ..arrays.signature import Signature
from ..computations.computation import Computation
from ..errors import TuningError
from ..function import Function
from ..messages import described, named_fields, named_options, wrong_object
from .database import VARIABLE, Database, default_path, path_of
from .result import TuningResult, result_of

__all__ = ["Tuner", "TuningResult", "tune"]

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class Budget:
    """A number of evaluations, or a time in seconds.

    >>> Budget.of("1.5m"), Budget.of(50)
    (Budget(evaluations=None, seconds=90.0), Budget(evaluations=50, seconds=None))
    """

    evaluations: int | None = None
    seconds: float | None = None

    @classmethod
    def of(cls, budget: object) -> Budget:
        """Reads a budget. Raises `TuningError`."""
        if isinstance(budget, int) and not isinstance(budget, bool) and budget > 0:
            return cls(evaluations=budget)
        found = re.fullmatch(r"(\d+(?:\.\d*)?)([smh]?)", budget, re.ASCII) if isinstance(budget, str) else None
        if found is not None and float(found[1]) > 0:
            if found[2]:
                return cls(seconds=float(found[1]) * _UNITS[found[2]])
            if found[1].isdecimal():
                return cls(evaluations=int(found[1]))
        message = "a budget must be a number of evaluations, such as 50, or a time, such as '90s', '10m' or '2h'"
        raise TuningError(f"{message}, but is {described(budget)}")

    def left(self, earlier: Sequence[dict[str, Any]]) -> str | None:
        """What earlier sessions leave of it, as an option of the command line; None if that is nothing."""
        if any(session["exhausted"] for session in earlier):
            return None
        if self.evaluations is not None:
            count = self.evaluations - sum(session["evaluations"] for session in earlier)
            return str(count) if count > 0 else None
        seconds = (self.seconds or 0.0) - sum(session["elapsed_seconds"] for session in earlier)
        return f"{seconds:.3f}s" if seconds >= 0.001 else None


@named_fields
@dataclass(frozen=True)
class Tuner:
    """Measures schedules of a computation, records them in a database, and takes the best one.

    >>> Tuner(50, database="tuned.db").budget
    50

    Args:
        budget: a number of evaluations, or a time such as "90s", "10m" or "2h". It is that of all sessions with this
            program, options, strategy, machine and database: if earlier ones have used it, nothing is measured, and if
            one was interrupted, the rest is used.
        database: the path of the database, created if missing; by default that of the environment variable
            MDH_DATABASE, else `mdh/tuned.db` in `$XDG_STATE_HOME` or `~/.local/state`.
        strategy: the name of a strategy of `mdh tune`; by default its default.
        seed: the seed of random choices.
        inputs: arrays, as `run` takes them, outputs first; required if sizes are known at calls only, or if an input is
            a number, and by default random ones.
        again: whether a session begins with the whole budget although earlier ones have used it.

    Raises:
        TuningError: an option has no meaning.
    """

    budget: int | str = "10m"
    _: KW_ONLY
    database: Database | None = None
    strategy: str | None = None
    seed: int = 1
    inputs: Sequence[Any] | None = field(default=None, compare=False, repr=False)
    again: bool = False

    def __post_init__(self) -> None:
        Budget.of(self.budget)
        path_of(self.database)
        if self.strategy is not None and not (isinstance(self.strategy, str) and self.strategy):
            raise TuningError(f"a strategy must be a name, but is {described(self.strategy)}")
        if self.inputs is not None and not isinstance(self.inputs, Sequence):
            raise TuningError(f"inputs must be a sequence of arrays, as run takes them, but is {described(self.inputs)}")
        is_seed = isinstance(self.seed, int) and not isinstance(self.seed, bool) and 0 <= self.seed < 1 << 64
        if not is_seed:
            raise TuningError(f"a seed must be an integer from 0 to 2^64 - 1, but is {described(self.seed)}")

    def check(self, target: str) -> None:
        """Raises `TuningError` if the tuner does not measure on a target."""

    def path(self) -> str:
        """The path of the database. Raises `TuningError` if there is none."""
        path = path_of(self.database) or default_path()
        if path is None:
            message = f"a tuner requires a database: an option, the environment variable {VARIABLE}, or a home folder"
            raise TuningError(message)
        return os.path.abspath(path)

    def run(self, native: _native.Executable, program: str, arguments: Sequence[Any] | None) -> TuningResult:
        """Tunes a function that is compiled.

        Args:
            program: the program in MLIR.
            arguments: numbers and arrays, as the function takes them; None if they may be random.
        """
        from . import sessions

        request, path = native.request, self.path()
        if arguments is None:
            _require_sizes(native)
        if not path_of(self.database) and not os.environ.get(VARIABLE):
            _make_folder(path)
        given = arguments or []
        # What the type of the function does not say.
        open_ones = [one for one, of in zip(given, native.arguments) if _is_open(of)]
        sizes = [one.shape if isinstance(one, numpy.ndarray) else one for one in open_ones]
        options = [request.function, request.target, request.threads, request.strict, self.strategy, self.seed]
        name = sessions.name([program, *options, sizes])
        earlier = sessions.read(path, name)
        left = Budget.of(self.budget).left([] if self.again else earlier)
        if left is None:
            return result_of(sessions.latest(earlier), path, is_new=False)
        session = self._session(native, program, given, path, left)
        sessions.write(path, name, session)
        return result_of(session, path, is_new=True)

    def _session(
        self, native: _native.Executable, program: str, arguments: Sequence[Any], path: str, budget: str
    ) -> dict[str, Any]:
        """Runs `mdh tune`, and returns its result with the schedule file."""
        # What only tuners need is loaded only here.
        import json
        import shutil
        import tempfile

        from . import process

        request = native.request
        folder = _native.temporary_folder(tempfile.gettempdir())
        try:
            (folder / "program.mlir").write_text(program, encoding="utf-8")
            command = ["program.mlir", "--function", native.name, *_inputs(arguments, folder)]
            engine, _, device = request.target.partition(":")
            command += ["--engine", engine, *([f"--device={device}"] if device else [])]
            command += ["--threads", str(request.threads), *(["--strict"] if request.strict else [])]
            command += ["--budget", budget, f"--database={path}", "--seed", str(self.seed)]
            command += [] if self.strategy is None else [f"--strategy={self.strategy}"]
            output = process.run([*command, "--output", "best.json", "--json"], folder, native.name)
            session: dict[str, Any] = json.loads(output)
            del session["schedules"]
            return {**session, "schedule": (folder / "best.json").read_text(encoding="utf-8")}
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _require_sizes(native: _native.Executable) -> None:
    """Raises `TuningError` if arguments of a function cannot be random."""
    for number, of in enumerate(native.arguments, 1):
        if _is_open(of):
            what = "has a size that is known at calls only" if "?" in of else "is a number"
            message = f"'{native.name}' requires arguments to be tuned, because argument {number} ({of}) {what}"
            raise TuningError(f"{message}: give the tuner those of a call")


def _is_open(of: str) -> bool:
    """Whether a type in MLIR is one of arguments that cannot be random: a number, or an array of unknown size."""
    return "?" in of or not of.startswith(("tensor<", "memref<"))


def _make_folder(path: str) -> None:
    """Makes the folder of the default database."""
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    except OSError as error:
        raise TuningError(f"the folder of the database '{path}' cannot be made: {error.strerror}") from error


def _inputs(arguments: Sequence[Any], folder: Path) -> list[str]:
    """Writes arrays to files, and returns options of the command line."""
    options = []
    for number, argument in enumerate(arguments, 1):
        if isinstance(argument, numpy.ndarray):
            file = f"input-{number}.npy"
            numpy.save(folder / file, numpy.asarray(argument, order="C"), allow_pickle=False)
            options.append(f"--input={file}")
        else:
            options.append(f"--input={str(argument).lower()}")
    return options


def arguments_of(computation: Computation, inputs: Sequence[Any] | None) -> list[Any] | None:
    """Arrays as `run` takes them, as arguments of the function in MLIR. Raises `ArgumentError`."""
    if inputs is None:
        return None
    read, written, _ = Signature(computation).lend(tuple(inputs))
    return [*read, *written]


@named_options("mdh.tune")
def tune(
    function: Any,
    *arguments: Any,
    budget: int | str = "10m",
    database: Database | None = None,
    strategy: str | None = None,
    seed: int = 1,
    again: bool = False,
) -> TuningResult:
    """Measures schedules of a function, and records them in a database. A function that is compiled with that database
    afterwards has the best of them; the function itself keeps its schedule.

        result = mdh.tune(function, budget="2m")
        function = mdh.compile(text, database=result.database)

    An interrupt (Ctrl-C) ends the tuning, and what was measured is the result.

    Args:
        function: what `mdh.compile`, `mdhc.compile` or `mdh.jit` has returned, or a computation, for the processor.
        arguments: those of a call, for one of `mdhc.compile` and a computation those of `run`; required for a function
            of `mdh.jit`, if sizes are known at calls only, and if an argument is a number. By default random arrays.
        budget, database, strategy, seed, again: as for `Tuner`.

    Raises:
        TuningError: an option has no meaning, or nothing was measured; the message says why.
        ArgumentError: there is nothing to tune, or arguments are not those of the function.
    """
    tuner = Tuner(budget, database=database, strategy=strategy, seed=seed, again=again)
    # It compiles functions, which a tuner may do.
    from ..jax.function import JitFunction

    given: Sequence[Any] | None = arguments or None
    if isinstance(function, Computation):
        compiled = _native.compile(function.mlir, function.name, database="")
        return tuner.run(compiled, function.mlir, arguments_of(function, given))
    if isinstance(function, JitFunction):
        given = function.leaves(*arguments)
        function = function.compiled(*arguments)
    if not isinstance(function, Function):
        raise wrong_object("mdh.tune", "a compiled function, one of mdh.jit, or a computation", function)
    if function.computation is not None:
        given = arguments_of(function.computation, given)
    elif given is not None:
        given = [interchange.lent(argument, f"argument {number}") for number, argument in enumerate(given, 1)]
    return tuner.run(function.executable, function.source("mlir"), given)
