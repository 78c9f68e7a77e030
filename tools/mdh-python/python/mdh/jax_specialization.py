"""Functions of JAX compiled for arguments of certain types and shapes."""

from __future__ import annotations

import functools
import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from . import interchange, jax_parts, program, stablehlo
from .errors import ArgumentTypeError, CompilationError
from .frameworks import module

_LOG = logging.getLogger("mdh.jax")

# By the type of keys of random numbers: the name of their generator.
_GENERATORS = {"key<fry>": "threefry2x32", "key<rbg>": "rbg", "key<urbg>": "unsafe_rbg"}


@dataclass(frozen=True)
class Options:
    """How a function is compiled."""

    threads: int | None = None
    strict: bool = False
    database: str | None = None
    verbose: bool = False
    fallback: bool = True


class Compiled:
    """A program of JAX as a function of arrays.

    Args:
        traced: what `jax.jit(…).trace(…)` returns.

    Raises:
        CompilationError: it cannot be compiled, and why.
    """

    def __init__(self, traced: Any, options: Options) -> None:
        tree = module("jax.tree_util", "mdh.jit")
        self.text, lowered = _text(traced)
        self._given = [_computed(one.dtype) for one in tree.tree_leaves(lowered.in_avals)]
        self.results = [one.dtype for one in tree.tree_leaves(lowered.out_info)]
        self.function = program.compile(
            self.text, "main", threads=options.threads, strict=options.strict, database=options.database
        )

    def __call__(self, leaves: Sequence[Any], is_jax: bool) -> list[Any]:
        """Calls the function. `is_jax`: whether results are arrays of JAX."""
        outcome = self.function(*self.converted(leaves))
        results = outcome if isinstance(outcome, tuple) else () if outcome is None else (outcome,)
        return [finished(*one, is_jax) for one in zip(results, self.results)]

    def converted(self, leaves: Sequence[Any]) -> list[Any]:
        """Arguments with the types that the compiled function takes."""
        # Types of NumPy are mostly the same object, which is faster to see than to compare.
        return [
            leaf if type(leaf) is numpy.ndarray and leaf.dtype is dtype else _converted(leaf, dtype)
            for leaf, dtype in zip(leaves, self._given)
        ]


class Specialization:
    """A function compiled for arguments of certain types and shapes, as a whole or in parts.

    Raises:
        CompilationError: it cannot be compiled as a whole, and `fallback` is false.
    """

    def __init__(self, traced: Any, options: Options) -> None:
        tree = module("jax.tree_util", "mdh.jit")
        self._is_array = traced.out_tree == tree.tree_structure(0)
        self._unflatten = functools.partial(tree.tree_unflatten, traced.out_tree)
        # Why it is not compiled as a whole; None if it is.
        self._problem: CompilationError | None = None
        # The program in MLIR that is compiled; empty if it is compiled in parts.
        self.text = ""
        self._run: Compiled | jax_parts.Parts
        try:
            self._run = Compiled(traced, options)
            self.text = self._run.text
        except CompilationError as error:
            if not options.fallback:
                raise
            self._problem = error
            self._run = jax_parts.Parts(traced.jaxpr, lambda part: Compiled(part, options), check_program)
            for line in self._run.report(error):
                _say(options, line)

    def __call__(self, leaves: Sequence[Any], is_jax: bool) -> Any:
        """Calls the function. `is_jax`: whether results are arrays of JAX."""
        results = self._run(leaves, is_jax)
        return results[0] if self._is_array else self._unflatten(results)

    @property
    def is_whole(self) -> bool:
        """Whether the function is compiled as a whole."""
        return self._problem is None

    @property
    def whole(self) -> Compiled:
        """The function as a whole.

        Raises:
            CompilationError: it is not compiled as a whole, and why.
        """
        if isinstance(self._run, Compiled):
            return self._run
        raise self._problem or CompilationError("the function is not compiled as a whole")


def check_program(traced: Any) -> None:
    """Raises `CompilationError` if the operations of a program cannot be compiled."""
    text = _text(traced)[0]
    if "stablehlo." in text or "chlo." in text:
        # Operations without an equivalent in linalg: the compiler expands those that it knows.
        program.compile(text, "main", threads=1)


def _text(traced: Any) -> tuple[str, Any]:
    """A program as the compiler reads it, and as JAX has lowered it."""
    tree = module("jax.tree_util", "mdh.jit")
    # On a machine with a GPU, JAX would lower the function to what is there by default.
    lowered = traced.lower(lowering_platforms=("cpu",))
    results = tree.tree_leaves(lowered.out_info)
    for number, result in enumerate(results, 1):
        check_elements(f"result {number}", result.dtype)
    for one in (*tree.tree_leaves(lowered.in_avals), *results):
        if getattr(one.dtype, "kind", "") == "c":
            raise CompilationError(f"requires real numbers, but has {one.dtype}")
    return stablehlo.linalg_of(lowered), lowered


def check_elements(what: str, dtype: Any) -> None:
    """Raises `ArgumentTypeError` unless elements of this type are those of an array of NumPy or keys of JAX."""
    if getattr(dtype, "name", "") in _GENERATORS:
        return
    if getattr(dtype, "kind", "O") not in "biufc" and getattr(dtype, "name", "") != "bfloat16":
        message = f"{what} requires floats of 16, 32 or 64 bits, integers or bool, but has elements of type {dtype}"
        raise ArgumentTypeError(message)
    if not dtype.isnative:
        raise ArgumentTypeError(f"{what} requires the byte order of the processor, but has elements of type {dtype}")


def finished(result: Any, dtype: Any, is_jax: bool) -> Any:
    """A result of compiled code, or of JAX, as an array of JAX or NumPy with elements of this type."""
    if dtype.name in _GENERATORS:
        if not isinstance(result, numpy.ndarray):
            return result
        wrap = module("jax", "mdh.jit").random.wrap_key_data
        return wrap(interchange.to_jax(result.view(numpy.uint32)), impl=_GENERATORS[dtype.name])
    if not isinstance(result, numpy.ndarray):
        return result if is_jax else numpy.array(result)
    # The compiler has no unsigned integers, whose bits are those of signed ones.
    array: NDArray[Any] = result if result.dtype is dtype else result.view(dtype)
    return interchange.to_jax(array) if is_jax else array


def _computed(dtype: Any) -> numpy.dtype[Any]:
    """The type with which compiled code computes."""
    return numpy.dtype(numpy.uint32 if dtype.name in _GENERATORS else dtype)


def _converted(leaf: Any, dtype: numpy.dtype[Any]) -> Any:
    """An argument with the type that JAX gives it."""
    if getattr(getattr(leaf, "dtype", None), "name", "") in _GENERATORS:
        leaf = module("jax", "mdh.jit").random.key_data(leaf)
    array = leaf if isinstance(leaf, numpy.ndarray) else numpy.asarray(leaf)
    return array if array.dtype == dtype else array.astype(dtype)


def _say(options: Options, text: str) -> None:
    _LOG.info(text)
    if options.verbose:
        print(f"mdh: {text}", file=sys.stderr)
