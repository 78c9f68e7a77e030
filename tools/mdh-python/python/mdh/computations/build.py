"""Makes a `Computation` of what a program wrote, and checks it; used by both forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from ..errors import Location, TranslationError
from ..messages import closest, described
from ..translate.affine import Affine
from ..translate.builtin import builtin_names
from ..translate.identity import is_builtin, translate_identity
from ..translate.operations import Value
from ..translate.scalar import Component, Region, translate_operator
from ..types import BasicType, similar_type
from .computation import Computation
from .definition import Access, Dimension, Operator, Parameter
from .elements import Elements
from .operators import BUILTIN, BuiltinOperator, CombineOperator, CustomOperator
from .sizes import Length, Size, equations, is_integer, longest

IndexFunctions = list[tuple[Affine, ...]]


class Parts:
    """The parts of a computation, where each of them is written, and the checks of them."""

    def __init__(self, name: str, location: Location) -> None:
        self.name = name
        self.location = location
        self.places: dict[str, Location] = {}

    def fail(self, message: str, part: str = "") -> NoReturn:
        """Raises an error at a part, or at the function if its place is not known."""
        raise TranslationError(message, self.places.get(part, self.location))

    def types(self, part: str, types: Sequence[Any], names: Sequence[str]) -> dict[str, BasicType]:
        """The element type of each buffer."""
        if len(types) != len(names):
            self.fail(f"{part} requires a type for each of its {len(names)} buffers, but has {len(types)}", part)
        for basic in types:
            if not isinstance(basic, BasicType):
                self.fail(f"an element type must be a basic type, such as fp32, but is {described(basic)}{similar_type(basic)}", part)
        return dict(zip(names, types))

    def extents(self, extents: Sequence[Any]) -> tuple[Size | int, ...]:
        """The extents as numbers and sizes."""
        for extent in extents:
            if not isinstance(extent, Size) and not (is_integer(extent) and extent.__index__() >= 0):
                self.fail(f"an extent must be an integer of at least 0, or a Size, but is {described(extent)}", "md_hom")
        if not extents:
            self.fail("a computation requires at least one dimension, such as md_hom[I]", "md_hom")
        return tuple(extent if isinstance(extent, Size) else extent.__index__() for extent in extents)

    def operators(self, operators: Sequence[Any], dimensions: int) -> None:
        """Checks that each dimension has a combine operator, and that together they are a homomorphism."""
        if len(operators) != dimensions:
            self.fail(
                f"{dimensions} dimensions require as many combine operators, but there are {len(operators)}", "md_hom"
            )
        for operator in operators:
            if not isinstance(operator, CombineOperator):
                message = f"a combine operator must be cc, pw(…) or ps(…), but is {described(operator)}"
                self.fail(f"{message}{_similar_operator(operator)}", "md_hom")
            if operator.kind != "cc" and not operator.functions:
                self.fail(f"{operator.kind}() requires a combining function, such as {operator.kind}(add)", "md_hom")
            for function in operator.functions:
                self._function(operator, function)
        combined = [operator for operator in operators if operator.kind != "cc"]
        for operator in combined[1:]:
            if operator.functions != combined[0].functions:
                message = "all dimensions that are not concatenated must have one combining function"
                self.fail(f"{message}, but there are {combined[0]} and {operator}", "md_hom")

    def _function(self, operator: CombineOperator, function: Any) -> None:
        if isinstance(function, CustomOperator):
            if operator.kind == "pw" and not function.commutative:
                self.fail(f"pw() requires a commutative function: '{function}' is one of ps_custom_func", "md_hom")
            if len(operator.functions) > 1:
                self.fail(f"a list of functions has built-in ones only, but '{function}' is none", "md_hom")
        elif not isinstance(function, BuiltinOperator):
            name = closest(getattr(function, "__name__", function), BUILTIN)
            remedy = "decorate it with @pw_custom_func() or @ps_custom_func()" if callable(function) else "add is one"
            remedy = f"did you mean {name}?" if name else remedy
            self.fail(f"{described(function)} is no combining function: {remedy}", "md_hom")


def _similar_operator(operator: object) -> str:
    """The end of a message about what is no combine operator: the one that is meant."""
    if isinstance(operator, (BuiltinOperator, CustomOperator)):
        return f": did you mean pw({operator})?"
    name = closest(getattr(operator, "__name__", operator), ("cc", "pw", "ps"))
    name = operator if operator in ("cc", "pw", "ps") else name
    return f": did you mean {name}?" if name else ""


def components(types: Mapping[str, BasicType], accesses: Mapping[str, IndexFunctions]) -> list[Component]:
    """The components of a tuple: all accesses of all buffers, in order."""
    return [
        Component(name, number + 1, len(accesses[name]), types[name])
        for name in types
        for number in range(len(accesses[name]))
    ]


def _translated(
    operators: Sequence[CombineOperator], parts: Parts, outputs: Sequence[Component]
) -> list[Operator | None]:
    """The combining function of each dimension; one that several dimensions have is translated once."""
    known: dict[int, Operator] = {}
    result: list[Operator | None] = []
    for operator in operators:
        if operator.kind == "cc":
            result.append(None)
            continue
        function = operator.functions[0]
        if isinstance(function, CustomOperator):
            if id(function) not in known:
                known[id(function)] = _custom(function, outputs)
            result.append(known[id(function)])
            continue
        names = tuple(function.name for function in operator.functions)
        if len(names) > 1 and len(names) != len(outputs):
            parts.fail(
                f"{operator} requires a function for each of {len(outputs)} outputs, but has {len(names)}", "md_hom"
            )
        for name, component in zip(names * (len(outputs) if len(names) == 1 else 1), outputs):
            _check_type(parts, name, component)
        result.append(Operator(names))
    return result


def _custom(function: CustomOperator, outputs: Sequence[Component]) -> Operator:
    """A function of the program; the built-in one if it is one written out."""
    region = translate_operator(function.function, outputs)
    identity = None
    if function.identity is not None:
        identity = translate_identity(function.function, function.identity, outputs)
    names = builtin_names(region)
    if names is not None and (identity is None or is_builtin(identity, names)):
        return Operator(tuple(names))
    return Operator((), function.__name__, region, function.commutative, identity)


def _check_type(parts: Parts, name: str, component: Component) -> None:
    is_logical = name in ("and", "or", "xor")
    if component.type.is_bool and not is_logical:
        parts.fail(f"'{name}' combines numbers only, but '{component.buffer}' has the type bool_", "md_hom")
    if is_logical and component.type.is_float:
        parts.fail(
            f"'{name}' combines integers and bool_ only, but '{component.buffer}' has the type {component.type}",
            "md_hom",
        )


def _access(
    name: str,
    basic: BasicType,
    functions: IndexFunctions,
    extents: Sequence[Size | int],
    places: Sequence[Location],
    *,
    is_output: bool,
) -> Access:
    """A buffer with the sizes that its index functions need: one more than the largest index."""
    ranks = sorted({len(function) for function in functions})
    if len(ranks) > 1:
        message = (
            f"all accesses of '{name}' must have the same number of indices, but they have {ranks[0]} and {ranks[-1]}"
        )
        raise TranslationError(message, places[-1])
    lengths: list[list[Size | int]] = [[] for _ in range(ranks[0])]
    for function, place in zip(functions, places):
        for dimension, index in enumerate(function):
            bounds = index.bounds(extents)
            if bounds is None:
                continue
            if isinstance(bounds[0], Size) or bounds[0] < 0:
                message = f"index {dimension + 1} of '{name}' must be at least 0, but its smallest value is {bounds[0]}"
                raise TranslationError(message, place)
            lengths[dimension].append(bounds[1] + 1)
    shape: tuple[Length, ...] = tuple(longest(of or [0]) for of in lengths)
    return Access(Parameter(name, basic, shape), tuple(functions), is_output)


class Side:
    """The inputs or the outputs of a computation: types, index functions and their places, by buffer.

    `values` are the values of inputs whose index functions are found in a nest of loops, and `numbers` the names of
    inputs that are numbers.
    """

    def __init__(self, types: dict[str, BasicType]) -> None:
        self.types = types
        self.functions: dict[str, IndexFunctions] = {name: [] for name in types}
        self.places: dict[str, list[Location]] = {name: [] for name in types}
        self.values: dict[Any, Value] = {}
        self.numbers: list[str] = []

    def components(self) -> list[Component]:
        """The components of its tuple."""
        return components(self.types, self.functions)

    def accesses(self, extents: Sequence[Size | int], *, is_output: bool) -> tuple[Access, ...]:
        """The buffers with their sizes."""
        return tuple(
            _access(name, basic, self.functions[name], extents, self.places[name], is_output=is_output)
            for name, basic in self.types.items()
        )


def build(
    parts: Parts,
    names: Sequence[str],
    extents: Sequence[Size | int],
    operators: Sequence[CombineOperator],
    inputs: Side,
    outputs: Side,
    scalar: Callable[[], Region],
) -> Computation:
    """The computation; the scalar function is translated after all else has been checked."""
    reduced = [1 if operator.kind == "pw" else extent for extent, operator in zip(extents, operators)]
    read = inputs.accesses(extents, is_output=False)
    written = outputs.accesses(reduced, is_output=True)
    translated = _translated(operators, parts, outputs.components())
    dimensions = tuple(
        Dimension(name, extent, operator.kind, function)
        for name, extent, operator, function in zip(names, extents, operators, translated)
    )
    for dimension in dimensions:
        if dimension.extent == 0 and dimension.without_identity:
            message = f"an extent of 0 requires an identity of '{dimension.without_identity}'"
            parts.fail(f"{message}: declare one, such as @pw_custom_func(identity=0)", "md_hom")
    for access in written:
        name = access.parameter.name
        Elements(name, dimensions).check(access.functions, outputs.places[name])
    region = scalar()
    _check_sizes(parts, extents, [access.parameter for access in (*written, *read)], region)
    return Computation(parts.name, parts.location, dimensions, read, written, region)


def _check_sizes(parts: Parts, extents: Sequence[Size | int], buffers: Sequence[Parameter], scalar: Region) -> None:
    """Checks that all sizes follow from the shapes of buffers."""
    found = {equation.name for equation in equations([buffer.shape for buffer in buffers])}
    for name in [name for extent in extents if isinstance(extent, Size) for name in extent.terms]:
        if name not in found:
            parts.fail(f"the size '{name}' must follow from the length of a buffer, but it does not", "md_hom")
    for operation in scalar.block.all():
        if operation.kind == "size" and operation.attribute not in found:
            message = f"the size '{operation.attribute}' must follow from the length of a buffer, but it does not"
            raise TranslationError(message, operation.location)
