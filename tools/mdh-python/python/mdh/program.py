"""Programs in MLIR as Python functions.

>>> import numpy, mdh
>>> double = mdh.compile('''
... func.func @double(%x: tensor<?xf32>) -> tensor<?xf32> {
...   %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<?xf32>) -> !mdh.mda<?, f32>
...   %h = mdh.hom.md_hom %in combine [#mdh.cc] {
...   ^bb0(%a: f32):
...     %b = arith.addf %a, %a : f32
...     mdh.hom.yield %b : f32
...   } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
...   %y = mdh.view.out_view %h[affine_map<(i) -> (i)>] : !mdh.mda<?, f32> -> tensor<?xf32>
...   return %y : tensor<?xf32>
... }''')
>>> double(numpy.array([1, 2, 3], dtype=numpy.float32))
array([2., 4., 6.], dtype=float32)
"""

from __future__ import annotations

import os
from typing import Any

import numpy

from . import _native
from .arrays import casts, interchange
from .backends import CPU
from .compiler import compile as compile_computation
from .computations.computation import Computation
from .errors import ArgumentError, ArgumentTypeError
from .function import Function
from .messages import is_module_of_mlir, named_options, wrong_object
from .progress import progress
from .tuning.database import Database, path_of

__all__ = ["compile"]

# The types of arguments that the native module takes, unless their elements are not aligned or not of NumPy's own types.
_DIRECT = frozenset((numpy.ndarray, int, float))


class _Calls:
    """Calls of a program in MLIR."""

    def __init__(self, native: _native.Executable, cast: bool) -> None:
        self._name = native.name
        self._types = (native.arguments, native.results)
        self._results = [interchange.element_of(result) for result in native.results]
        self._updated = native.updated
        self._writes = any(native.updated)
        # The types of complex arguments and results; None without any.
        complex_types = [[interchange.complex_of(one) for one in types] for types in self._types]
        self._complex = complex_types if any(any(one) for one in complex_types) else None
        self._names = [f"argument {i}" for i in range(1, len(native.arguments) + 1)]
        # The types that arrays are converted to; None without conversions.
        self._dtypes = [list(map(casts.dtype_of, types)) for types in self._types] if cast else None

    def describe(self) -> str:
        """The types of the arguments and the results."""
        arguments, results = map(", ".join, self._types)
        return f"({arguments}) -> ({results})"

    def release(self) -> None:
        """Calls need nothing else."""

    def run(self, native: _native.Executable, arrays: tuple[Any, ...], stream: Any) -> None:
        """Calls the function with arrays for its results, then its arguments."""
        arguments, results = map(len, self._types)
        if len(arrays) != arguments + results:
            required = f"'{self._name}' requires {arguments + results} arrays, {results} for results first"
            raise ArgumentTypeError(f"{required}, but {len(arrays)} are given")
        out = arrays[:results]
        self.call(native, arrays[results:], out[0] if results == 1 else out or None, stream, {})

    def call(
        self, native: _native.Executable, arguments: tuple[Any, ...], out: Any, stream: Any, named: dict[str, Any]
    ) -> Any:
        """Calls the function, and returns its results."""
        if named or stream is not None:
            name = next(iter(named), "stream")
            raise ArgumentTypeError(f"'{self._name}' is a program in MLIR, which has no argument with the name '{name}'")
        if self._dtypes is not None:
            return self._with_casts(native, self._dtypes, arguments, out)
        if self._complex is not None:
            return self._with_pairs(native, self._complex, arguments, out, arguments)
        is_direct = not self._writes and (out is None or type(out) is numpy.ndarray)
        if is_direct and all([type(argument) in _DIRECT for argument in arguments]):
            # What the native module does not take, it refuses; such an argument may have to be copied.
            try:
                return self._direct(native, arguments, out)
            except ArgumentError:
                pass
        return self._converted(native, arguments, out, arguments)

    def _direct(self, native: _native.Executable, arguments: tuple[Any, ...], out: Any) -> Any:
        """Calls the function with arguments as they are."""
        if out is not None:
            native(*arguments, out=[out])
            return out
        return _one_or_all([interchange.result(*pair) for pair in zip(native(*arguments), self._results)])

    def _with_casts(
        self, native: _native.Executable, dtypes: list[list[Any]], arguments: tuple[Any, ...], out: Any
    ) -> Any:
        """Calls the function with arrays that have to be converted."""
        given = tuple(
            argument if dtype is None else casts.as_given(argument, dtype, name)
            for argument, dtype, name in zip(arguments, dtypes[0], self._names)
        )
        given += arguments[len(given) :]
        written, copied = out, []
        if out is not None:
            written = list(out) if isinstance(out, (tuple, list)) else [out]
            for i, (one, dtype) in enumerate(zip(written, dtypes[1])):
                written[i], destination = casts.as_written(one, dtype, f"result {i + 1}")
                copied += [] if destination is None else [(destination, written[i])]
        if self._complex is not None:
            results = self._with_pairs(native, self._complex, given, written, arguments)
        else:
            results = self._converted(native, given, written, arguments)
        for destination, source in copied:
            destination[...] = source
        return results if out is None else out

    def _with_pairs(
        self,
        native: _native.Executable,
        types: list[list[Any]],
        arguments: tuple[Any, ...],
        out: Any,
        callers: tuple[Any, ...],
    ) -> Any:
        """Calls the function with arrays of complex numbers as pairs of numbers. `callers`: the arguments of the caller."""
        given = [
            argument if dtype is None else interchange.pairs(argument, dtype, name)
            for argument, dtype, name in zip(arguments, types[0], self._names)
        ]
        rest = arguments[len(given) :]
        if out is None:
            return self._converted(native, (*given, *rest), None, callers)
        destinations = list(out) if isinstance(out, (tuple, list)) else [out]
        paired = [
            one if dtype is None else interchange.pairs(one, dtype, f"result {i}", written=True)
            for i, (one, dtype) in enumerate(zip(destinations, types[1]), 1)
        ]
        self._converted(native, (*given, *rest), paired + destinations[len(paired) :], callers)
        return out

    def _converted(
        self, native: _native.Executable, arguments: tuple[Any, ...], out: Any, callers: tuple[Any, ...]
    ) -> Any:
        """Calls the function with arguments of other libraries, and with arrays that have to be copied. `callers`: the
        arguments of the caller.
        """
        copied: list[tuple[Any, Any]] = []
        if self._writes:
            given = [self._lent(*one, copied) for one in zip(arguments, self._updated, self._names)]
        else:
            given = [interchange.lent(argument, name) for argument, name in zip(arguments, self._names)]
        given += arguments[len(given) :]
        if out is not None:
            destinations = list(out) if isinstance(out, (tuple, list)) else [out]
            named = [(one, True, f"result {i}") for i, one in enumerate(destinations, 1)]
            native(*given, out=[self._lent(*one, copied) for one in named])
            results = []
        else:
            results = [interchange.result(memory, element) for memory, element in zip(native(*given), self._results)]
        for destination, source in copied:
            destination[...] = source
        if out is not None:
            return out
        if len(given) and not all(map(interchange.is_plain, callers)):
            results = [interchange.like(result, callers) for result in results]
        return _one_or_all(results)

    @staticmethod
    def _lent(argument: Any, updated: bool, name: str, copied: list[tuple[Any, Any]]) -> Any:
        """The argument as compiled code takes it; what is copied to it after the call is added to a list."""
        if not updated:
            return interchange.lent(argument, name)
        given, destination = interchange.written(argument, name)
        if destination is not None:
            copied.append((destination, given))
        return given


def _one_or_all(results: list[Any]) -> Any:
    """What a function returns: its result, a tuple if there are several, None if there is none."""
    return results[0] if len(results) == 1 else tuple(results) or None


@named_options("mdh.compile")
def compile(
    program: Any,
    function: str | None = None,
    *,
    threads: int | None = None,
    strict: bool = False,
    database: Database | None = None,
    cast: bool = False,
) -> Function:
    """Compiles a function of a program in MLIR, or a computation, for this processor.

    Args:
        program: the text of a module, a module of MLIR's Python bindings, or a computation, which `@mdh(…)` makes.
        function: the name of the function; not necessary if the program has one public function.
        threads: the number of threads of a call; one for each core by default.
        strict: whether floats are combined and rounded as the program says, instead of reassociated.
        database: the path of a database of tuned schedules, which replace default ones; by default that of the
            environment variable MDH_DATABASE, and none if it is "".
        cast: whether calls convert arrays of other types, such as float64 to float32, by NumPy's rule `same_kind`.

    Raises:
        CompilationError: the program is wrong; the message has the location.
        ArgumentTypeError: there is nothing to compile; the message says what compiles it.
    """
    if isinstance(program, Computation):
        if function is not None:
            raise ArgumentTypeError(f"a computation has no functions, but the name '{function}' of one is given")
        return compile_computation(program, CPU(threads), strict=strict, database=database, cast=cast)
    path = path_of(database)
    text = _text(program)
    with progress("compiling" if function is None else f"compiling '{function}'"):
        native = _native.compile(text, function, threads=threads, strict=strict, database=path)
    return Function(native, _Calls(native, cast), CPU(threads))


def _text(program: Any) -> str:
    """The text of a program in MLIR."""
    if isinstance(program, os.PathLike) or (isinstance(program, str) and program.endswith(".mlir") and "\n" not in program):
        path = os.fspath(program)
        raise ArgumentTypeError(f"mdh.compile requires the text of a program, not the path '{path}': read the file")
    if isinstance(program, str):
        return program
    if not is_module_of_mlir(program):
        raise wrong_object("mdh.compile", "a program in MLIR or a computation", program)
    text: str = program.operation.get_asm(large_elements_limit=None)
    return text
