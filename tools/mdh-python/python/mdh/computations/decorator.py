"""The decorator `mdh`, and the translation of the high-level form."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ..errors import Location, TranslationError
from ..messages import described
from ..translate.affine import Affine
from ..translate.bindings import is_dynamic
from ..translate.operations import Block
from ..translate.scalar import translate_scalar
from ..translate.source import Source, is_function, require_parentheses, source_of
from ..translate.statements import Statements
from .build import Parts, Side, build
from .computation import Computation
from .directive import translate_directive
from .operators import CombineOperator
from .views import Homomorphism, ScalarFunction, View


def mdh(*arguments: Any) -> Callable[[Callable[..., Any]], Computation]:
    """Decorates a function that describes a computation, and makes it a `Computation`.

    Without arguments, the function takes none, and returns `out_view[…](…), md_hom[…](…), inp_view[…](…)`:

    >>> from mdh import *
    >>> def matvec(T, I, K):
    ...     @mdh()
    ...     def matvec():
    ...         @scalar_function()
    ...         def multiply(out: Scalar[T], inp: Scalar[T, T]):
    ...             out['w'] = inp['M'] * inp['v']
    ...         return (
    ...             out_view[T](w=[lambda i, k: (i)]),
    ...             md_hom[I, K](multiply, (cc, pw(add))),
    ...             inp_view[T, T](M=[lambda i, k: (i, k)], v=[lambda i, k: (k)]),
    ...         )
    ...     return matvec
    >>> matvec(fp32, 8, 16)
    <computation matvec(w: fp32[8], M: fp32[8, 16], v: fp32[16])>

    With the buffers and the combine operators as arguments, it is a nest of loops over the dimensions, of the
    outputs and then the inputs:

    >>> @mdh(out(w=Buffer[fp32]), inp(M=Buffer[fp32], v=Buffer[fp32]), combine_ops(cc, pw(add)))
    ... def matvec(w, M, v):
    ...     for i in range(8):
    ...         for k in range(16):
    ...             w[i] = M[i, k] * v[k]
    >>> matvec
    <computation matvec(w: fp32[8], M: fp32[8, 16], v: fp32[16])>

    Raises `TranslationError` for code that cannot be translated.
    """
    if len(arguments) == 1 and is_function(arguments[0]):
        require_parentheses("mdh", arguments[0])
    if arguments:
        return lambda function: translate_directive(function, arguments)
    return _high_level


def _high_level(function: Callable[..., Any]) -> Computation:
    source = source_of(function)
    parts = Parts(source.function.__name__, source.location(source.node))
    if source.parameters():
        parts.fail(
            "a function of @mdh() has no parameters: those of the directive form require its buffers as arguments"
        )
    parts.places = _places(source)
    returned = function()
    kinds = (View, Homomorphism, View)
    if not isinstance(returned, tuple) or len(returned) != 3 or not all(map(isinstance, returned, kinds)):
        parts.fail("a function of @mdh() must return out_view[…](…), md_hom[…](…), inp_view[…](…)", "out_view")
    written, homomorphism, read = returned
    if (written.kind, read.kind) != ("out_view", "inp_view"):
        parts.fail("a function of @mdh() must return out_view, md_hom and inp_view in this order", "out_view")
    extents = parts.extents(homomorphism.extents)
    parts.operators(homomorphism.operators, len(extents))
    operators: tuple[CombineOperator, ...] = homomorphism.operators
    if not isinstance(homomorphism.function, ScalarFunction):
        parts.fail("md_hom requires a function decorated with @scalar_function()", "md_hom")
    if not written.buffers:
        parts.fail("out_view requires at least one buffer", "out_view")
    names = [f"i{number + 1}" for number in range(len(extents))]
    outputs, outer_names = _side(parts, written, len(extents))
    inputs, _ = _side(parts, read, len(extents))
    if shared := set(written.buffers) & set(read.buffers):
        parts.fail(f"an input and an output must have different names, but both are '{min(shared)}'", "inp_view")
    scalar = homomorphism.function.function

    return build(
        parts,
        outer_names or names,
        extents,
        operators,
        inputs,
        outputs,
        lambda: translate_scalar(scalar, inputs.components(), outputs.components(), len(extents)),
    )


def _places(source: Source) -> dict[str, Location]:
    """The places of the three parts that a function returns."""
    for node in ast.walk(source.node):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == 3:
            parts = ("out_view", "md_hom", "inp_view")
            return {part: source.location(element) for part, element in zip(parts, node.value.elts)}
    return {}


def _side(parts: Parts, view: View, dimensions: int) -> tuple[Side, list[str]]:
    """The buffers of a view, and the names that its first index function gives the dimensions."""
    side = Side(parts.types(view.kind, view.types, list(view.buffers)))
    names: list[str] = []
    for buffer, functions in view.buffers.items():
        functions = list(functions) if isinstance(functions, (list, tuple)) else [functions]
        if not functions:
            parts.fail(f"'{buffer}' requires at least one index function, such as [lambda i: (i)]", view.kind)
        for function in functions:
            if not is_function(function):
                parts.fail(f"an index function of '{buffer}' must be a lambda, but is {described(function)}", view.kind)
            indices, place, of_function = _index_function(function, buffer, dimensions)
            side.functions[buffer].append(indices)
            side.places[buffer].append(place)
            names = names or of_function
    return side, names


def _index_function(function: Any, buffer: str, dimensions: int) -> tuple[tuple[Affine, ...], Location, list[str]]:
    """The indices of a lambda from the point to an element, its place, and the names of its parameters."""
    source = source_of(function)
    place = source.location(source.node)
    names = source.parameters()
    defaults = source.defaults()
    names = names[: len(names) - len(defaults)]
    if len(names) != dimensions:
        message = f"requires a parameter for each of {dimensions} dimensions, but has {len(names)}"
        message = f"an index function of '{buffer}' {message}"
        raise TranslationError(message, place)
    variables: dict[Any, Any] = {name: Affine.dimension(number, dimensions) for number, name in enumerate(names)}
    block = Block()
    statements = Statements(source, block, {**defaults, **variables})
    node = source.node
    found = statements.evaluate(node.body) if isinstance(node, ast.Lambda) else statements.result(node.body)
    indices = found if isinstance(found, (tuple, list)) else (found,)
    return tuple(as_index(source, node, index, buffer, dimensions) for index in indices), place, names


def as_index(source: Source, node: ast.AST, index: Any, buffer: str, dimensions: int) -> Affine:
    """An index of a buffer, which must be linear in the indices of the point."""
    if isinstance(index, Affine):
        return index
    if is_dynamic(index) or not hasattr(index, "__index__") or isinstance(index, bool):
        message = f"an index of '{buffer}' must be linear in the indices of the point, such as 2 * i + k + 1"
        raise source.error(node, message)
    return Affine.number(index.__index__(), dimensions)
