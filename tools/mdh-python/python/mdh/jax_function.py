"""Functions on `jax.numpy` arrays, compiled by this compiler: `mdh.jit`."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterable
from typing import Any, overload

import numpy

from . import interchange, program, stablehlo
from .errors import ArgumentTypeError
from .frameworks import module

__all__ = ["JitFunction", "jit"]

# The kinds of elements of arrays that compiled code computes with, as NumPy calls them; bf16 is V.
_KINDS = "biufV"


class _Specialization:
    """A function compiled for arguments of certain types and shapes."""

    def __init__(self, lowered: Any, threads: int | None, strict: bool) -> None:
        tree = module("jax.tree_util", "mdh.jit")
        self._dtypes = _element_types(tree.tree_leaves(lowered.in_avals), "argument")
        self._results = _element_types(tree.tree_leaves(lowered.out_info), "result")
        self.text = stablehlo.linalg_of(lowered)
        self.function = program.compile(self.text, "main", threads=threads, strict=strict)
        self._unflatten = functools.partial(tree.tree_unflatten, lowered.out_tree)

    def __call__(self, leaves: list[Any]) -> Any:
        given = [_converted(leaf, dtype) for leaf, dtype in zip(leaves, self._dtypes)]
        outcome = self.function(*given)
        results = outcome if isinstance(outcome, tuple) else () if outcome is None else (outcome,)
        # The compiler has no unsigned integers, whose bits are those of signed ones.
        arrays = [one if one.dtype == dtype else one.view(dtype) for one, dtype in zip(results, self._results)]
        return self._unflatten([interchange.like(array, leaves) for array in arrays])


def _element_types(arrays: list[Any], what: str) -> list[numpy.dtype[Any]]:
    """The element types of arguments or results as JAX describes them. Keys of random numbers have none of NumPy's."""
    for number, array in enumerate(arrays, 1):
        if getattr(array.dtype, "kind", "O") not in _KINDS:
            message = f"{what} {number} requires real numbers, but has elements of type {array.dtype}"
            raise ArgumentTypeError(message)
    return [numpy.dtype(array.dtype) for array in arrays]


def _converted(leaf: Any, dtype: numpy.dtype[Any]) -> Any:
    """An argument with the type that JAX gives it."""
    array = leaf if isinstance(leaf, numpy.ndarray) else numpy.asarray(leaf)
    return array if array.dtype == dtype else array.astype(dtype)


class JitFunction:
    """A function on arrays that is compiled when it is first called with arguments of certain types and shapes.

    It may be called from several threads. Called while JAX traces another function, it is traced as a part of that.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        threads: int | None,
        strict: bool,
        static_argnums: Iterable[int],
        static_argnames: Iterable[str],
    ) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._threads = threads
        self._strict = strict
        self._static_positions, self._static_names = _static(function, static_argnums, static_argnames)
        self._tree = module("jax.tree_util", "mdh.jit")
        jax = module("jax", "mdh.jit")
        self._tracer = jax.core.Tracer
        self._shaped = jax.typeof
        self._config = jax.config
        self._jitted = jax.jit(
            function,
            static_argnums=tuple(sorted(self._static_positions)),
            static_argnames=tuple(sorted(self._static_names)),
            keep_unused=True,
        )
        self._specializations: dict[Any, _Specialization] = {}
        self._lock = threading.Lock()

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Calls the function.

        Arguments and results are as with `jax.jit`: arrays, numbers, and trees of them. Results are arrays of JAX if an
        argument is, else of NumPy.
        """
        leaves, key = self._signature(arguments, named)
        if any(isinstance(leaf, self._tracer) for leaf in leaves):
            return self._function(*arguments, **named)
        found = self._specializations.get(key)
        return (found or self._specialized(key, arguments, named))(leaves)

    def compiled(self, *arguments: Any, **named: Any) -> program.Function:
        """The compiled function for arguments of these types and shapes. Its arguments are the arrays of the trees."""
        return self._specialized(self._signature(arguments, named)[1], arguments, named).function

    def lowered(self, *arguments: Any, **named: Any) -> str:
        """The program in MLIR that is compiled for arguments of these types and shapes."""
        return self._specialized(self._signature(arguments, named)[1], arguments, named).text

    def _signature(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[list[Any], Any]:
        """The arrays and numbers of the arguments, and what the compiled code depends on."""
        fixed: tuple[Any, ...] = ()
        if self._static_positions or self._static_names:
            positions, names = self._static_positions, self._static_names
            fixed = (
                tuple((i, argument) for i, argument in enumerate(arguments) if i in positions),
                tuple(sorted((name, value) for name, value in named.items() if name in names)),
            )
            arguments = tuple(argument for i, argument in enumerate(arguments) if i not in positions)
            named = {name: value for name, value in named.items() if name not in names}
        x64 = self._config.jax_enable_x64
        if not named and all(type(argument) is numpy.ndarray for argument in arguments):
            return list(arguments), (tuple((one.dtype, one.shape) for one in arguments), fixed, x64)
        leaves, tree = self._tree.tree_flatten((arguments, named))
        return leaves, (tuple(map(self._kind, leaves)), tree, fixed, x64)

    def _kind(self, leaf: Any) -> Any:
        """What the compiled code depends on of an argument."""
        if isinstance(leaf, (bool, int, float, complex)):
            return type(leaf)
        if isinstance(leaf, (numpy.ndarray, numpy.generic)):
            return leaf.dtype, leaf.shape
        return self._shaped(leaf)

    def _specialized(self, key: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> _Specialization:
        with self._lock:
            found = self._specializations.get(key)
            if found is None:
                found = _Specialization(self._jitted.lower(*arguments, **named), self._threads, self._strict)
                self._specializations[key] = found
            return found


def _static(
    function: Callable[..., Any], positions: Iterable[int], names: Iterable[str]
) -> tuple[frozenset[int], frozenset[str]]:
    """Positions and names of static arguments: a parameter that is given one way is static the other way, too."""
    chosen_positions, chosen_names = set(positions), set(names)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        # Functions of C have no signature.
        return frozenset(chosen_positions), frozenset(chosen_names)
    chosen_positions = {i if i >= 0 else i + len(parameters) for i in chosen_positions}
    for i, parameter in enumerate(parameters):
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD and (i in chosen_positions or parameter.name in chosen_names):
            chosen_positions.add(i)
            chosen_names.add(parameter.name)
    return frozenset(chosen_positions), frozenset(chosen_names)


@overload
def jit(
    function: Callable[..., Any],
    *,
    threads: int | None = None,
    strict: bool = False,
    static_argnums: int | Iterable[int] = (),
    static_argnames: str | Iterable[str] = (),
) -> JitFunction: ...


@overload
def jit(
    *,
    threads: int | None = None,
    strict: bool = False,
    static_argnums: int | Iterable[int] = (),
    static_argnames: str | Iterable[str] = (),
) -> Callable[[Callable[..., Any]], JitFunction]: ...


def jit(
    function: Callable[..., Any] | None = None,
    *,
    threads: int | None = None,
    strict: bool = False,
    static_argnums: int | Iterable[int] = (),
    static_argnames: str | Iterable[str] = (),
) -> JitFunction | Callable[[Callable[..., Any]], JitFunction]:
    """Compiles a function that is written against `jax.numpy`, as `jax.jit` does. Requires JAX.

        @mdh.jit
        def softmax(x):
            e = jnp.exp(x - x.max(-1, keepdims=True))
            return e / e.sum(-1, keepdims=True)

        softmax(numpy.ones((8, 16), "f"))

    JAX traces the function once for each combination of types and shapes of its arguments; the program becomes linalg,
    which is raised, fused and compiled.

    Args:
        function: what to compile; without it, the result is a decorator.
        threads: the number of threads of a call; one for each core by default.
        strict: whether floats are combined and rounded as the program says, instead of reassociated.
        static_argnums, static_argnames: arguments that are no arrays, as for `jax.jit`: the function is compiled for
            each of their values.

    Raises:
        Error: JAX is not installed.
        CompilationError: at a call, the program has operations that cannot be compiled; the message has their line.
    """
    positions = (static_argnums,) if isinstance(static_argnums, int) else tuple(static_argnums)
    names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)

    def make(function: Callable[..., Any]) -> JitFunction:
        return JitFunction(function, threads, strict, positions, names)

    return make if function is None else make(function)
