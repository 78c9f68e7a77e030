"""Functions of JAX compiled for arguments of certain types and shapes."""

from __future__ import annotations

import functools
import logging
from collections.abc import Sequence
from typing import Any

import numpy

from .. import program
from ..errors import CompilationError
from ..frameworks import failures, fallback
from ..frameworks.fallback import Options
from ..frameworks.modules import module
from . import stablehlo
from .elements import Elements, check_elements, computes_with
from .parts import Parts

_LOG = logging.getLogger("mdh.jax")


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
        self._given = [Elements(one.dtype) for one in tree.tree_leaves(lowered.in_avals)]
        self._results = [Elements(one.dtype, one.weak_type) for one in tree.tree_leaves(traced.out_info)]
        with failures.remembered(options, module("jax", "mdh.jit").__version__, self.text):
            self.function = program.compile(
                self.text, "main", threads=options.threads, strict=options.strict, database=options.database
            )

    def __call__(self, leaves: Sequence[Any], is_jax: bool) -> list[Any]:
        """Calls the function. `is_jax`: whether results are arrays of JAX."""
        outcome = self.function(*self.converted(leaves))
        results = outcome if isinstance(outcome, tuple) else () if outcome is None else (outcome,)
        return [elements.finished(result, is_jax) for result, elements in zip(results, self._results)]

    def converted(self, leaves: Sequence[Any]) -> list[Any]:
        """Arguments with the types that the compiled function takes."""
        # Types of NumPy are mostly the same object, which is faster to see than to compare.
        return [
            leaf if type(leaf) is numpy.ndarray and leaf.dtype is elements.computed else elements.converted(leaf)
            for leaf, elements in zip(leaves, self._given)
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
        self._run: Compiled | Parts
        try:
            self._run = Compiled(traced, options)
            self.text = self._run.text
        except CompilationError as error:
            if not options.fallback:
                raise
            self._problem = error
            self._run = Parts(traced.jaxpr, lambda part: Compiled(part, options), check_program)
            fallback.say(_LOG, options, self._run.report(error))

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
    if any(word in text for word in ("stablehlo.", "chlo.", "complex<")):
        # Operations without an equivalent in linalg, and complex numbers: the compiler expands those that it knows.
        with failures.remembered(Options(threads=1), module("jax", "mdh.jit").__version__, text):
            program.compile(text, "main", threads=1)


def lowered_of(traced: Any) -> Any:
    """A program as JAX has lowered it."""
    # On a machine with a GPU, JAX would lower the function to what is there by default.
    return traced.lower(lowering_platforms=("cpu",))


def _text(traced: Any) -> tuple[str, Any]:
    """A program as the compiler reads it, and as JAX has lowered it."""
    tree = module("jax.tree_util", "mdh.jit")
    lowered = lowered_of(traced)
    results = tree.tree_leaves(lowered.out_info)
    for number, result in enumerate(results, 1):
        check_elements(f"result {number}", result.dtype)
    for one in (*tree.tree_leaves(lowered.in_avals), *results):
        if not computes_with(one.dtype):
            raise CompilationError(f"requires numbers of 8 to 64 bits, and floats of at least 16, but has {one.dtype}")
    return stablehlo.linalg_of(lowered), lowered
