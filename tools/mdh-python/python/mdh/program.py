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

from typing import Any

import numpy

from . import _native
from .arrays import interchange
from .errors import ArgumentError
from .explain import explain
from .progress import progress
from .tuning.database import Database, path_of

__all__ = ["Function", "compile"]

# The types of arguments that the native module takes, unless their elements are not aligned or not of NumPy's own types.
_DIRECT = frozenset((numpy.ndarray, int, float))


class Function:
    """A compiled function. It may be called from several threads.

    Arguments are NumPy arrays, or arrays of JAX or PyTorch in the memory of the processor, with the element types and
    sizes of the program; scalars are numbers. Arrays are read where they are, with any strides. The result is an array,
    or a tuple of arrays if there are several, of the framework of the arguments; None without results.
    """

    __slots__ = ("__weakref__", "_complex", "_names", "_native", "_results", "_updated", "_writes")

    def __init__(self, native: _native.Function) -> None:
        self._native = native
        self._results = [interchange.element_of(result) for result in native.results]
        self._updated = native.updated
        self._writes = any(native.updated)
        # The types of complex arguments and results; None without any.
        complex_types = [[interchange.complex_of(one) for one in types] for types in (native.arguments, native.results)]
        self._complex = complex_types if any(any(one) for one in complex_types) else None
        self._names = [f"argument {i}" for i in range(1, len(native.arguments) + 1)]

    @property
    def name(self) -> str:
        """The name of the function in the program."""
        return self._native.name

    @property
    def arguments(self) -> tuple[str, ...]:
        """The types of the arguments, in MLIR."""
        return self._native.arguments

    @property
    def results(self) -> tuple[str, ...]:
        """The types of the results, in MLIR."""
        return self._native.results

    @property
    def threads(self) -> int:
        """The number of threads of a call."""
        return self._native.threads

    def source(self, stage: str) -> str:
        """The program after a stage of the compiler, as MLIR: raise, fuse, schedule, loops, llvm, and others."""
        return self._native.source(stage)

    def __call__(self, *arguments: Any, out: Any = None) -> Any:
        """Calls the function.

        Args:
            out: arrays to write the results to, one for each result; by default new arrays.

        Raises:
            ArgumentError: an argument does not match its parameter; nothing has been computed.
        """
        if self._complex is not None:
            return self._with_pairs(self._complex, arguments, out)
        is_direct = not self._writes and (out is None or type(out) is numpy.ndarray)
        if is_direct and all([type(argument) in _DIRECT for argument in arguments]):
            # What the native module does not take, it refuses; such an argument may have to be copied.
            try:
                return self._direct(arguments, out)
            except ArgumentError:
                pass
        return self._converted(arguments, out)

    def _direct(self, arguments: tuple[Any, ...], out: Any) -> Any:
        """Calls the function with arguments as they are."""
        if out is not None:
            self._native(*arguments, out=[out])
            return out
        return _one_or_all([interchange.result(*pair) for pair in zip(self._native(*arguments), self._results)])

    def _with_pairs(self, types: list[list[Any]], arguments: tuple[Any, ...], out: Any) -> Any:
        """Calls the function with arrays of complex numbers as pairs of numbers."""
        given = [
            argument if dtype is None else interchange.pairs(argument, dtype, name)
            for argument, dtype, name in zip(arguments, types[0], self._names)
        ]
        rest = arguments[len(given) :]
        if out is None:
            return self._converted((*given, *rest), None, arguments)
        destinations = list(out) if isinstance(out, (tuple, list)) else [out]
        paired = [
            one if dtype is None else interchange.pairs(one, dtype, f"result {i}", written=True)
            for i, (one, dtype) in enumerate(zip(destinations, types[1]), 1)
        ]
        self._converted((*given, *rest), paired + destinations[len(paired) :], arguments)
        return out

    def _converted(self, arguments: tuple[Any, ...], out: Any, callers: tuple[Any, ...] | None = None) -> Any:
        """Calls the function with arguments of other libraries, and with arrays that have to be copied. `callers`: the
        arguments of the caller, if they are others."""
        copied: list[tuple[Any, Any]] = []
        if self._writes:
            given = [self._lent(*one, copied) for one in zip(arguments, self._updated, self._names)]
        else:
            given = [interchange.lent(argument, name) for argument, name in zip(arguments, self._names)]
        given += arguments[len(given) :]
        if out is not None:
            destinations = list(out) if isinstance(out, (tuple, list)) else [out]
            named = [(one, True, f"result {i}") for i, one in enumerate(destinations, 1)]
            self._native(*given, out=[self._lent(*one, copied) for one in named])
            results = []
        else:
            results = [interchange.result(memory, element) for memory, element in zip(self._native(*given), self._results)]
        for destination, source in copied:
            destination[...] = source
        if out is not None:
            return out
        callers = arguments if callers is None else callers
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

    def _repr_html_(self) -> str:
        """What a notebook shows: the schedule as a table, and the nest as a picture."""
        return explain(self)._repr_html_()

    def __repr__(self) -> str:
        return f"<mdh.Function {self.name}({', '.join(self.arguments)}) -> ({', '.join(self.results)})>"


def _one_or_all(results: list[Any]) -> Any:
    """What a function returns: its result, a tuple if there are several, None if there is none."""
    return results[0] if len(results) == 1 else tuple(results) or None


def compile(
    program: Any,
    function: str | None = None,
    *,
    threads: int | None = None,
    strict: bool = False,
    database: Database | None = None,
) -> Function:
    """Compiles a function of a program in MLIR for this processor.

    Args:
        program: the text of a module, or a module of MLIR's Python bindings.
        function: the name of the function; not necessary if the program has one public function.
        threads: the number of threads of a call; one for each core by default.
        strict: whether floats are combined and rounded as the program says, instead of reassociated.
        database: the path of a database of tuned schedules, which replace default ones; by default that of the
            environment variable MDH_DATABASE, and none if it is "".

    Raises:
        CompilationError: the program is wrong; the message has the location.
    """
    path = path_of(database)
    text = program if isinstance(program, str) else program.operation.get_asm(large_elements_limit=None)
    with progress("compiling" if function is None else f"compiling '{function}'"):
        native = _native.compile(text, function, threads=threads, strict=strict, database=path)
    return Function(native)
