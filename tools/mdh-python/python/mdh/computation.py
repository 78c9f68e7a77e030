"""Computations: what `@mdh(…)` makes of a Python function, and their MLIR text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy

from .errors import Location
from .translate.affine import Affine
from .translate.builtin import builtin_names
from .translate.printing import Names, Printer
from .translate.scalar import Region
from .types import BasicType


@dataclass(frozen=True)
class Parameter:
    """A buffer of a computation: its name, its element type, and its size in each dimension."""

    name: str
    type: BasicType
    shape: tuple[int, ...]

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The element type of the NumPy array that is given for it."""
        return self.type.dtype

    @property
    def mlir(self) -> str:
        """Its type in the IR."""
        return f"memref<{''.join(f'{size}x' for size in self.shape)}{self.type.mlir}>"


@dataclass(frozen=True)
class Operator:
    """A combining function: built-in names, one for all or one for each output, or a translated function."""

    names: tuple[str, ...] = ()
    name: str = ""
    function: Region | None = None
    commutative: bool = True


@dataclass(frozen=True)
class Dimension:
    """A dimension: its name, its extent, and its combine operator (`cc`, `pw` or `ps`)."""

    name: str
    extent: int
    kind: str
    operator: Operator | None = None


@dataclass(frozen=True)
class Access:
    """A buffer with its index functions."""

    parameter: Parameter
    functions: tuple[tuple[Affine, ...], ...]


class Computation:
    """A computation of fixed sizes and types.

    `mlir` is a module with one function, `name`, of memrefs: the inputs in order, then the outputs, which it writes.
    """

    def __init__(
        self,
        name: str,
        location: Location,
        dimensions: tuple[Dimension, ...],
        inputs: tuple[Access, ...],
        outputs: tuple[Access, ...],
        scalar: Region,
    ) -> None:
        self.name = name
        self.location = location
        self._dimensions = dimensions
        self._inputs = inputs
        self._outputs = outputs
        self._scalar = scalar
        # Operations that a type does not have are found when text is made of them.
        self._text = self._module(locations=False)

    def __call__(self) -> Computation:
        """The computation itself, so that a decorated function may be called or not."""
        return self

    def __repr__(self) -> str:
        buffers = [f"{p.name}: {p.type}{list(p.shape)}" for p in (*self.outputs, *self.inputs)]
        return f"<computation {self.name}({', '.join(buffers)})>"

    @property
    def inputs(self) -> tuple[Parameter, ...]:
        """The input buffers in order."""
        return tuple(access.parameter for access in self._inputs)

    @property
    def outputs(self) -> tuple[Parameter, ...]:
        """The output buffers in order."""
        return tuple(access.parameter for access in self._outputs)

    @property
    def extents(self) -> tuple[int, ...]:
        """The extent of each dimension."""
        return tuple(dimension.extent for dimension in self._dimensions)

    @property
    def mlir(self) -> str:
        """The program."""
        return self._text

    @property
    def mlir_with_locations(self) -> str:
        """The program with the places in the Python code, which messages of the compiler then name."""
        return self._module(locations=True)

    def _module(self, *, locations: bool) -> str:
        names = Names()
        symbols: dict[int, str] = {id(self): self.name}
        text: list[str] = []
        spelled = [self._operator(dimension, symbols, text, locations) for dimension in self._dimensions]
        printer = Printer(names, locations=locations)
        buffers = {id(access): names.unique(access.parameter.name) for access in (*self._inputs, *self._outputs)}
        parameters = [f"{buffers[id(a)]}: {a.parameter.mlir}" for a in (*self._inputs, *self._outputs)]
        printer.line(f"func.func @{_symbol(self.name)}({', '.join(parameters)}) {{")
        printer.indent = "  "
        view = names.unique("in")
        read = [f"{buffers[id(access)]}{self._functions(access)}" for access in self._inputs]
        types = ", ".join(access.parameter.mlir for access in self._inputs)
        operand = self._mda(self._inputs, kept_only=False)
        spaced = f" {', '.join(read)}" if read else ""
        printer.line(f"{view} = mdh.view.inp_view{spaced} : ({types}) -> {operand}", self.location)
        result_type = self._mda(self._outputs, kept_only=True)
        result = names.unique("res")
        printer.line(f"{result} = mdh.hom.md_hom {view} combine [{', '.join(spelled)}] {{")
        hints = [access.parameter.name for access in self._inputs for _ in access.functions]
        _print_region(printer, self._scalar, hints)
        printer.line(f"}} : {operand} -> {result_type}", self.location)
        written = ", ".join(self._functions(access) for access in self._outputs)
        destinations = ", ".join(buffers[id(access)] for access in self._outputs)
        types = ", ".join(access.parameter.mlir for access in self._outputs)
        printer.line(f"mdh.view.out_view {result}{written} into {destinations} : {result_type}, {types}", self.location)
        printer.line("return")
        printer.indent = ""
        printer.line("}", self.location)
        return "\n".join([*text, *printer.lines]) + "\n"

    def _functions(self, access: Access) -> str:
        names = _index_names([dimension.name for dimension in self._dimensions])
        point = ", ".join(names)
        maps = [f"affine_map<({point}) -> ({', '.join(e.spell(names) for e in f)})>" for f in access.functions]
        return f"[{', '.join(maps)}]"

    def _mda(self, accesses: tuple[Access, ...], *, kept_only: bool) -> str:
        extents = [1 if kept_only and d.kind == "pw" else d.extent for d in self._dimensions]
        types = [access.parameter.type.mlir for access in accesses for _ in access.functions]
        return f"!mdh.mda<{', '.join(['x'.join(map(str, extents)), *types])}>"

    def _operator(self, dimension: Dimension, symbols: dict[int, str], text: list[str], locations: bool) -> str:
        """The combine operator of a dimension; its function is written once."""
        operator = dimension.operator
        if operator is None:
            return f"#mdh.{dimension.kind}"
        names = list(operator.names)
        if operator.function is not None:
            names = builtin_names(operator.function) or []
        if not names:
            assert operator.function is not None
            key = id(operator)
            if key not in symbols:
                symbols[key] = _free(operator.name, set(symbols.values()))
                text += _operator_text(symbols[key], operator, locations)
            return f"#mdh.{dimension.kind}<@{_symbol(symbols[key])}>"
        if len(set(names)) == 1:
            return f"#mdh.{dimension.kind}<{names[0]}>"
        return f"#mdh.{dimension.kind}<[{', '.join(names)}]>"


def _free(name: str, taken: set[str]) -> str:
    return next(free for free in (name, f"{name}_operator", f"{name}_operator_") if free not in taken)


def _index_names(names: list[str]) -> list[str]:
    """The names of the dimensions, or others if one means something else in an affine map, such as the type `i32`."""
    free = [name.isascii() and not re.fullmatch("i[0-9]+|mod|floordiv|ceildiv", name) for name in names]
    return names if all(free) else [f"d{number}" for number in range(len(names))]


def _symbol(name: str) -> str:
    return name if name.isascii() else f'"{name}"'


def _print_region(printer: Printer, region: Region, hints: list[str]) -> None:
    if region.arguments:
        pairs = zip(region.arguments, hints)
        arguments = ", ".join(f"{printer.name(value, hint)}: {value.slot.type.mlir}" for value, hint in pairs)
        printer.line(f"^bb0({arguments}):")
    printer.region(region.block)
    yielded = f"{printer.values(region.results)} : {printer.types(region.results)}"
    printer.line(f"  mdh.hom.yield {yielded}", region.location)


def _operator_text(name: str, operator: Operator, locations: bool) -> list[str]:
    assert operator.function is not None
    printer = Printer(Names(), locations=locations)
    region = operator.function
    count = len(region.results)
    hints = ["lhs"] * count + ["rhs"] * count
    pairs = zip(region.arguments, hints)
    arguments = ", ".join(f"{printer.name(value, hint)}: {value.slot.type.mlir}" for value, hint in pairs)
    commutative = " commutative" if operator.commutative else ""
    results = printer.types(region.results)
    printer.line(f"mdh.hom.operator @{_symbol(name)}{commutative} ({arguments}) -> ({results}) {{")
    printer.region(region.block)
    printer.line(f"  mdh.hom.yield {printer.values(region.results)} : {results}", region.location)
    printer.line("}", region.location)
    return printer.lines
