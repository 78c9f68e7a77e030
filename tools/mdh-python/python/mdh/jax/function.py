"""Functions on `jax.numpy` arrays, which are compiled when they are called."""

from __future__ import annotations

import functools
import inspect
import os
import threading
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy

from .. import notebook
from ..errors import ArgumentTypeError, ArgumentValueError
from ..frameworks.fallback import Options
from ..frameworks.modules import module
from ..function import Function
from . import stablehlo
from .elements import check_elements
from .specialization import Specialization, lowered_of

__all__ = ["JitFunction"]


class JitFunction:
    """A function on arrays that is compiled when it is first called with arguments of certain types and shapes.

    It may be called from several threads. Called while JAX traces another function, it is traced as a part of that.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        options: Options,
        static_argnums: Iterable[int],
        static_argnames: Iterable[str],
    ) -> None:
        self._jax = module("jax", "mdh.jit")
        _hide()
        self._tree = module("jax.tree_util", "mdh.jit")
        self._tracer = self._jax.core.Tracer
        self._config = self._jax.config
        self._static_positions, self._static_names = _static(function, static_argnums, static_argnames)
        self._has_static = bool(self._static_positions or self._static_names)
        self._jitted = self._jax.jit(
            function,
            static_argnums=tuple(sorted(self._static_positions)),
            static_argnames=tuple(sorted(self._static_names)),
            keep_unused=True,
        )
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        functools.update_wrapper(self, function)
        self._function = function
        self._parameters = _parameters(function)
        self._options = options
        self._specializations: dict[Any, Specialization] = {}
        # A function may call itself while it is traced.
        self._lock = threading.RLock()

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """The method of an object; the object is the first argument."""
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Calls the function.

        Arguments and results are as with `jax.jit`: arrays, numbers, and trees of them. Results are arrays of JAX if an
        argument is, else of NumPy.

        Raises:
            ArgumentError: an argument has no type that compiled code computes with; nothing has been computed.
        """
        leaves, key, is_jax = self._signature(arguments, named)
        try:
            found = self._specializations.get(key)
        except TypeError as error:
            raise _unhashable(error) from error
        if found is None:
            is_traced = any(isinstance(leaf, self._tracer) for leaf in leaves)
            found = None if is_traced else self._specialized(key, arguments, named)
            if found is None:
                return self._function(*arguments, **named)
        return found(leaves, is_jax)

    def compiled(self, *arguments: Any, **named: Any) -> Function:
        """The compiled function for arguments of these types and shapes. Its arguments are the arrays of the trees."""
        return self._of(arguments, named).whole.function

    def lowered(self, *arguments: Any, **named: Any) -> str:
        """The program in MLIR for arguments of these types and shapes, also if it cannot be compiled."""
        key = self._key(arguments, named)
        found = self._specializations.get(key)
        if found is not None and found.text:
            return found.text
        traced = self._traced(key, arguments, named)
        if traced is None:
            raise _untraced()
        return stablehlo.text_of(lowered_of(traced))

    def leaves(self, *arguments: Any, **named: Any) -> list[Any] | None:
        """The arrays and numbers that the compiled function takes for these arguments; None if one is only a shape."""
        found = self._of(arguments, named).whole
        leaves = self._signature(arguments, named)[0]
        is_shape = any(isinstance(leaf, self._jax.ShapeDtypeStruct) for leaf in leaves)
        return None if is_shape else found.converted(leaves)

    def _of(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Specialization:
        found = self._specialized(self._key(arguments, named), arguments, named)
        if found is None:
            raise _untraced()
        return found

    def _key(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """What the compiled code for arguments depends on, which must be those of a call."""
        try:
            self._parameters.bind(*arguments, **named)
        except TypeError as error:
            raise ArgumentTypeError(f"'{self.__name__}' requires the arguments of a call: {error}") from error
        leaves, key, _ = self._signature(arguments, named)
        try:
            hash(key)
        except TypeError as error:
            raise _unhashable(error) from error
        if any(isinstance(leaf, self._tracer) for leaf in leaves):
            raise _untraced()
        return key

    def __repr__(self) -> str:
        return f"<mdh.jit {self.__name__}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the function for each combination of types and shapes that it is compiled for."""
        compiled = [one.whole.function for one in self._specializations.values() if one.is_whole]
        return "\n".join(one._repr_html_() for one in compiled) or f"<pre>{notebook.escaped(repr(self))}</pre>"

    def _signature(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Sequence[Any], Any, bool]:
        """The arrays and numbers of the arguments, what the compiled code depends on, and whether one is of JAX."""
        fixed: Any = ()
        if self._has_static:
            arguments, named, fixed = self._without_static(arguments, named)
        x64 = self._config.jax_enable_x64
        if not named:
            kinds: list[Any] = []
            for one in arguments:
                if type(one) is not numpy.ndarray:
                    break
                kinds.append((one.dtype, one.shape))
            else:
                return arguments, (x64, fixed, *kinds), False
        leaves, tree = self._tree.tree_flatten((arguments, named))
        key = (x64, fixed, tree, *[self._kind(leaf, x64) for leaf in leaves])
        return leaves, key, any(isinstance(leaf, self._jax.Array) for leaf in leaves)

    def _without_static(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Any, Any]:
        """The arguments that are not static, those by name, and the static ones with their types: 1 is equal to 1.0."""
        positions, names = self._static_positions, self._static_names
        fixed = (
            tuple([(i, type(value), value) for i, value in enumerate(arguments) if i in positions]),
            frozenset([(name, type(value), value) for name, value in named.items() if name in names]),
        )
        others = tuple([argument for i, argument in enumerate(arguments) if i not in positions])
        return others, {name: value for name, value in named.items() if name not in names}, fixed

    def _kind(self, leaf: Any, x64: bool) -> Any:
        """What the compiled code depends on of an argument; an object of its own if that is not known, or wrong."""
        if isinstance(leaf, (bool, float, complex)):
            return type(leaf)
        if isinstance(leaf, int):
            return int if _fits(leaf, x64) else object()
        if isinstance(leaf, (numpy.ndarray, numpy.generic, self._jax.ShapeDtypeStruct)):
            return leaf.dtype, leaf.shape
        if isinstance(leaf, self._jax.Array) and not isinstance(leaf, self._tracer) and _is_here(leaf):
            return leaf.dtype, leaf.shape, getattr(leaf, "weak_type", None)
        return object()

    def _specialized(self, key: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Specialization | None:
        """The function compiled for arguments; None if it uses other values that JAX traces."""
        with self._lock:
            found = self._specializations.get(key)
            if found is None:
                traced = self._traced(key, arguments, named)
                if traced is None:
                    return None
                found = Specialization(traced, self._options)
                self._specializations[key] = found
            return found

    def _traced(self, key: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The function as JAX has traced it; None if it uses other values that JAX traces."""
        self._check(arguments, named, key[0])
        traced = self._jitted.trace(*arguments, **named)
        is_closed = len(traced.jaxpr.in_avals) <= len(self._tree.tree_leaves(traced.in_avals))
        return traced if is_closed else None

    def _check(self, arguments: tuple[Any, ...], named: dict[str, Any], x64: bool) -> None:
        """Raises `ArgumentError` if an argument has no type that compiled code computes with."""
        positions = [i for i in range(len(arguments)) if i not in self._static_positions]
        given = self._without_static(arguments, named)[:2]
        for path, leaf in self._tree.tree_flatten_with_path(given)[0]:
            name = repr(path[1].key) if path[0].idx else str(positions[path[1].idx] + 1)
            what = f"argument {name}{self._tree.keystr(path[2:])}"
            if isinstance(leaf, int) and not _fits(leaf, x64):
                raise ArgumentValueError(f"{what} requires an integer of {64 if x64 else 32} bits, but is {leaf}")
            if isinstance(leaf, self._jax.Array) and not _is_here(leaf):
                where = ", ".join(sorted(map(str, leaf.devices())))
                raise ArgumentValueError(f"{what} requires memory of the processor, but is on {where}")
            if isinstance(leaf, complex):
                check_elements(what, numpy.dtype(type(leaf)))
            elif isinstance(leaf, (numpy.ndarray, numpy.generic, self._jax.Array, self._jax.ShapeDtypeStruct)):
                check_elements(what, leaf.dtype)
            elif not isinstance(leaf, (int, float)):
                message = f"{what} requires arrays, numbers, or trees of them, but has the type {type(leaf).__name__}"
                raise ArgumentTypeError(message)


def _untraced() -> ArgumentTypeError:
    return ArgumentTypeError("a compiled function requires arguments that are not traced by JAX")


def _unhashable(error: TypeError) -> ArgumentTypeError:
    return ArgumentTypeError(f"static arguments and the data of trees must be hashable: {error}")


@functools.cache
def _hide() -> None:
    """Leaves this package out of the lines of Python that JAX records."""
    module("jax.extend.source_info_util", "mdh.jit").register_exclusion(os.path.dirname(os.path.dirname(__file__)))


def _fits(number: int, x64: bool) -> bool:
    """Whether a number is one of the integers that JAX makes of Python's."""
    limit = 1 << (63 if x64 else 31)
    return -limit <= number < limit


def _is_here(array: Any) -> bool:
    """Whether an array of JAX is in the memory of the processor."""
    return all(device.platform == "cpu" for device in array.devices())


def _parameters(function: Callable[..., Any]) -> inspect.Signature:
    """The parameters of a function; any ones for functions of C, which may have no signature."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return inspect.signature(lambda *arguments, **named: None)


def _static(
    function: Callable[..., Any], positions: Iterable[int], names: Iterable[str]
) -> tuple[frozenset[int], frozenset[str]]:
    """Positions and names of static arguments: a parameter that is given one way is static the other way, too."""
    chosen_positions, chosen_names = set(positions), set(names)
    parameters = list(_parameters(function).parameters.values())
    chosen_positions = {i if i >= 0 else i + len(parameters) for i in chosen_positions}
    for i, parameter in enumerate(parameters):
        is_static = i in chosen_positions or parameter.name in chosen_names
        if is_static and parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            chosen_positions.add(i)
            chosen_names.add(parameter.name)
    return frozenset(chosen_positions), frozenset(chosen_names)
