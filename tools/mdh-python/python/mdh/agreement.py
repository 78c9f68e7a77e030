"""Whether functions compute the same: the results of one on copies of its arguments, compared with those of others."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import numpy
from numpy.typing import NDArray

from .errors import Error

__all__ = ["ResultError", "check", "wait"]

# By the name of an element type: the largest difference, relative to the largest element. Sums are rounded in another
# order, so it is a multiple of the type's precision.
_TOLERANCES = {"float16": 1e-2, "bfloat16": 5e-2, "float32": 1e-4, "float64": 1e-9}


class ResultError(Error):
    """Functions that should compute the same do not."""


def check(
    functions: Mapping[str, Any],
    calls: Mapping[str, Callable[..., Any]],
    arguments: tuple[Any, ...],
    tolerance: float | None,
) -> None:
    """Calls functions with copies of the arguments, and raises `ResultError` if their results do not agree with those of
    the first one. Of functions that return None, the arrays are compared that the first function updates.
    """
    names = list(calls)
    first, *others = names
    results = {name: _results(calls[name], arguments) for name in names}
    written = _written(functions[first], results[first], arguments)
    expected = _chosen(results[first], written)
    for name in others:
        found = _chosen(results[name], written)
        if len(found) != len(expected):
            raise ResultError(f"'{name}' has {len(found)} results, but '{first}' has {len(expected)}")
        for number, (one, other) in enumerate(zip(expected, found), 1):
            problem = _difference(one, other, tolerance)
            if problem is not None:
                raise ResultError(f"result {number} of '{name}' differs from that of '{first}': {problem}")


def wait(result: Any) -> None:
    """Waits for results that a framework computes meanwhile."""
    for leaf in _leaves(result):
        if hasattr(leaf, "block_until_ready"):
            leaf.block_until_ready()


_Results = tuple[list[NDArray[Any]] | None, list[NDArray[Any] | None]]


def _results(call: Callable[..., Any], arguments: tuple[Any, ...]) -> _Results:
    """What a function returns, None if it returns nothing, and its arguments afterwards, None for those that are no
    arrays.
    """
    given = copy.deepcopy(arguments)
    result = call(*given)
    returned = None if result is None else [_array(leaf) for leaf in _leaves(result)]
    return returned, [_array(one) if hasattr(one, "shape") else None for one in given]


def _written(function: Any, results: _Results, arguments: tuple[Any, ...]) -> list[int]:
    """The positions of the arrays that a function updates. One of the published interface has its outputs first; other
    functions update what has changed.
    """
    computation = getattr(function, "computation", None)
    if computation is not None:
        return list(range(len(computation.outputs)))
    changed = []
    for position, (before, after) in enumerate(zip(arguments, results[1])):
        if after is not None and _array(before).tobytes() != after.tobytes():
            changed.append(position)
    return changed


def _chosen(results: _Results, written: list[int]) -> list[NDArray[Any]]:
    """The results that are compared."""
    returned, after = results
    if returned is not None:
        return returned
    return [array for position, array in enumerate(after) if position in written and array is not None]


def _leaves(result: Any) -> list[Any]:
    """The arrays of tuples, lists and dictionaries."""
    if isinstance(result, (tuple, list)):
        return [leaf for one in result for leaf in _leaves(one)]
    if isinstance(result, dict):
        return [leaf for key in sorted(result) for leaf in _leaves(result[key])]
    return [] if result is None else [result]


def _array(leaf: Any) -> NDArray[Any]:
    """An array of any framework as one of NumPy."""
    if hasattr(leaf, "detach"):
        leaf = leaf.detach().cpu()
        # NumPy has no such numbers without another package.
        leaf = leaf.float() if str(leaf.dtype) == "torch.bfloat16" else leaf
    return numpy.asarray(leaf)


def _difference(expected: NDArray[Any], found: NDArray[Any], tolerance: float | None) -> str | None:
    """What is different; None if arrays agree. NaN agrees with NaN, and infinities with themselves.

    >>> _difference(numpy.ones(3), numpy.array([1, 2, 1.0]), None)
    'element [1] is 2.0, not 1.0'
    """
    if expected.shape != found.shape:
        return f"it has the shape {found.shape}, not {expected.shape}"
    types = (expected.dtype.name, found.dtype.name)
    relative = max(_TOLERANCES.get(name, 0.0) for name in types) if tolerance is None else tolerance
    if expected.dtype.kind in "biu" and found.dtype.kind in "biu" and not relative:
        wrong = expected != found
    else:
        a, b = expected.astype(numpy.float64), found.astype(numpy.float64)
        finite = numpy.abs(a[numpy.isfinite(a)])
        largest = float(finite.max()) if finite.size else 0.0
        with numpy.errstate(invalid="ignore"):
            close = numpy.abs(a - b) <= relative * largest
        wrong = ~(close | (a == b) | (numpy.isnan(a) & numpy.isnan(b)))
    if not wrong.any():
        return None
    index = tuple(int(one) for one in numpy.unravel_index(int(numpy.argmax(wrong)), wrong.shape))
    place = f"element {list(index)}" if index else "it"
    return f"{place} is {found[index].item()}, not {expected[index].item()}"
