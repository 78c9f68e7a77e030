"""Compilation of functions on `jax.numpy` arrays: `mdh.jit`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, overload

from ..computations.computation import Computation
from ..computations.operators import BuiltinOperator
from ..frameworks.fallback import Options
from ..function import Function
from ..messages import is_of_torch, named_options, wrong_object
from ..tuning.database import Database, path_of
from ..types import BasicType
from .function import JitFunction

__all__ = ["jit"]

# What can be called, but is not traced by JAX.
_OTHERS = (BasicType, BuiltinOperator, Computation, Function)


@overload
def jit(
    function: Callable[..., Any],
    *,
    threads: int | None = None,
    strict: bool = False,
    database: Database | None = None,
    verbose: bool = False,
    fallback: bool = True,
    static_argnums: int | Iterable[int] = (),
    static_argnames: str | Iterable[str] = (),
) -> JitFunction: ...


@overload
def jit(
    *,
    threads: int | None = None,
    strict: bool = False,
    database: Database | None = None,
    verbose: bool = False,
    fallback: bool = True,
    static_argnums: int | Iterable[int] = (),
    static_argnames: str | Iterable[str] = (),
) -> Callable[[Callable[..., Any]], JitFunction]: ...


@named_options("mdh.jit")
def jit(
    function: Callable[..., Any] | None = None,
    *,
    threads: int | None = None,
    strict: bool = False,
    database: Database | None = None,
    verbose: bool = False,
    fallback: bool = True,
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
        database: the path of a database of tuned schedules, which replace default ones; by default that of the
            environment variable MDH_DATABASE, and none if it is "".
        verbose: whether what JAX executes itself, and why, is printed; it is logged as "mdh.jax" anyway.
        fallback: whether JAX executes what cannot be compiled; if not, that is an error.
        static_argnums, static_argnames: arguments that are no arrays, as for `jax.jit`: the function is compiled for
            each of their values.

    Raises:
        Error: JAX is not installed.
        CompilationError: at a call, the program has operations that cannot be compiled, and `fallback` is false; the
            message has their line.
    """
    positions = (static_argnums,) if isinstance(static_argnums, int) else tuple(static_argnums)
    names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
    options = Options(threads, strict, path_of(database), verbose, fallback)

    def make(function: Callable[..., Any]) -> JitFunction:
        if not callable(function) or isinstance(function, _OTHERS) or is_of_torch(function, "nn", "Module"):
            raise wrong_object("mdh.jit", "a function on jax.numpy", function)
        return JitFunction(function, options, positions, names)

    return make if function is None else make(function)
