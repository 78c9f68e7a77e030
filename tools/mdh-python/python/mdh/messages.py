"""How error messages name objects and similar names. They have no addresses, which say nothing about a program."""

from __future__ import annotations

import difflib
import functools
import inspect
import re
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

from .errors import ArgumentTypeError

__all__ = ["closest", "described", "did_you_mean", "instead", "named_fields", "named_options", "without_address", "wrong_object"]

# Longer texts of objects are left out.
_LONGEST = 80
# How similar names are that are suggested, from 0 to 1: as `v` and `vv` are, but not `min` and `missing`.
_SIMILAR = 0.65

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
_Class = TypeVar("_Class")


def described(thing: object) -> str:
    """An object in a message: what it is, or its value if that is short.

    >>> described(2.5), described(float), described(len), described(lambda i: i), described(difflib)
    ('2.5', "the class 'float'", "the function 'len'", 'a lambda', "the module 'difflib'")
    >>> described(object()), described([lambda: 0])
    ("an object of type 'object'", "an object of type 'list'")
    """
    if isinstance(thing, type):
        return f"the class '{thing.__name__}'"
    if isinstance(thing, ModuleType):
        return f"the module '{thing.__name__}'"
    if inspect.isroutine(thing):
        return "a lambda" if thing.__name__ == "<lambda>" else f"the function '{thing.__name__}'"
    text = repr(thing)
    if len(text) > _LONGEST or "\n" in text or " at 0x" in text:
        return f"an object of type '{type(thing).__name__}'"
    return text


def without_address(text: object) -> str:
    """The text of an error of another library, without the addresses of objects.

    >>> without_address("<C object at 0x7f32> is no array")
    '<C object> is no array'
    """
    return re.sub(r" at 0x[0-9a-fA-F]+", "", str(text))


def did_you_mean(name: object, names: Iterable[str]) -> str:
    """The end of a message about a name that does not exist: the most similar one that does, if there is any.

    >>> did_you_mean("sqr", ["sin", "sqrt"]), did_you_mean("m", ["M"]), did_you_mean("z", ["x"])
    (": did you mean 'sqrt'?", ": did you mean 'M'?", '')
    """
    found = closest(name, names)
    return f": did you mean '{found}'?" if found is not None else ""


def instead(name: object, names: Iterable[str]) -> str:
    """The end of a message about a name that does not exist: the most similar one, else all that do.

    >>> instead("vv", ["M", "v"]), instead("z", ["x", "n"]), instead("z", [])
    (": did you mean 'v'?", ": it has 'x', 'n'", ': it has none')
    """
    known = list(dict.fromkeys(names))
    return did_you_mean(name, known) or f": it has {', '.join(map(repr, known)) or 'none'}"


def closest(name: object, names: Iterable[str]) -> str | None:
    """The name that is most similar to another one; None if none is similar."""
    if not isinstance(name, str):
        return None
    known = {one.lower(): one for one in names if one != name}
    found = difflib.get_close_matches(name.lower(), known, n=1, cutoff=_SIMILAR)
    return known[found[0]] if found else None


def named_fields(kind: type[_Class]) -> type[_Class]:
    """Decorates a class whose objects are made with options: unknown ones are errors as those of `named_options`."""
    setattr(kind, "__init__", named_options(kind.__name__)(getattr(kind, "__init__")))
    return kind


def named_options(taker: str) -> Callable[[Callable[_Parameters, _Result]], Callable[_Parameters, _Result]]:
    """Decorates a function whose unknown options are an `ArgumentTypeError`, which suggests another name.

    Args:
        taker: how messages name the function.
    """

    def decorate(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
        parameters = inspect.signature(function).parameters.values()
        kinds = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        known = [one.name for one in parameters if one.kind in kinds and one.name != "self"]

        @functools.wraps(function)
        def checked(*arguments: _Parameters.args, **options: _Parameters.kwargs) -> _Result:
            for name in options:
                if name not in known:
                    raise ArgumentTypeError(f"{taker} has no option '{name}'{instead(name, known)}")
            return function(*arguments, **options)

        return checked

    return decorate


def wrong_object(taker: str, required: str, thing: object) -> ArgumentTypeError:
    """The error of a function that is given an object of another kind, with the function that takes it, if there is one.

    Args:
        taker: how messages name the function.
        required: what it takes.
    """
    what, remedy = _kind(thing)
    return ArgumentTypeError(f"{taker} requires {required}, but has {what}{': ' if remedy else ''}{remedy}")


def _kind(thing: Any) -> tuple[str, str]:
    """What an object is, and what takes it."""
    # These modules use this one.
    from .computations.computation import Computation
    from .computations.views import ScalarFunction
    from .function import Function
    from .jax.function import JitFunction

    if isinstance(thing, Computation):
        return f"the computation '{thing.name}'", "mdh.compile and mdhc.compile compile it"
    if isinstance(thing, Function):
        return f"the compiled function '{thing.name}'", "it is called with arrays"
    if isinstance(thing, JitFunction):
        return f"'{thing.__name__}', a function of mdh.jit", "it is called with arrays"
    if isinstance(thing, ScalarFunction):
        return f"the scalar function '{thing.__name__}'", "a function decorated with @mdh() is a computation with it"
    if is_of_torch(thing, "nn", "Module"):
        return f"the module '{type(thing).__name__}' of PyTorch", 'torch.compile(model, backend="mdh") compiles it'
    if isinstance(thing, str):
        return "a text", "mdh.compile compiles the text of a program in MLIR"
    if is_module_of_mlir(thing):
        return "a module of MLIR", "mdh.compile compiles it"
    if inspect.isroutine(thing) or isinstance(thing, functools.partial):
        compiled = "mdh.jit compiles functions on jax.numpy, and a function that returns a computation is called first"
        return described(thing), compiled
    return described(thing), ""


def is_of_torch(thing: object, *names: str) -> bool:
    """Whether an object has a class of PyTorch, by the names that lead to it; PyTorch is not loaded for that."""
    import sys

    found: Any = sys.modules.get("torch")
    for name in names:
        found = getattr(found, name, None)
    return isinstance(found, type) and isinstance(thing, found)


def is_module_of_mlir(thing: object) -> bool:
    """Whether an object is a module of MLIR's Python bindings."""
    return hasattr(getattr(thing, "operation", None), "get_asm")
