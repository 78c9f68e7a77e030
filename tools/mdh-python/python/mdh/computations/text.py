"""Computations as programs in the dialect."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..errors import Location
from ..translate.affine import Affine
from ..translate.printing import Names, Printer
from ..translate.scalar import Region
from .definition import Access, Dimension, Operator, spell_extent
from .extents import Operands


class Text:
    """Writes a module with one function: the inputs, the sizes that it reads, and the outputs, which it writes."""

    def __init__(self, name: str, location: Location, dimensions: Sequence[Dimension], *, locations: bool) -> None:
        self.name = name
        self.location = location
        self.dimensions = dimensions
        self.locations = locations
        self.sizes: list[str] = []
        """The sizes that are parameters of the function, once it has been written."""

    def module(self, inputs: Sequence[Access], outputs: Sequence[Access], scalar: Region) -> str:
        """The program."""
        operators: list[str] = []
        symbols: dict[int, str] = {id(self): self.name}
        spelled = [self._operator(dimension, symbols, operators) for dimension in self.dimensions]
        printer = Printer(Names(), locations=self.locations)
        buffers = {id(access): printer.names.unique(access.parameter.name) for access in (*inputs, *outputs)}
        body = Printer(printer.names, locations=self.locations)
        body.indent = "  "
        self._body(body, inputs, outputs, buffers, spelled, scalar)
        self.sizes = list(body.sizes)
        parameters = [f"{buffers[id(a)]}: {a.mlir}" for a in inputs]
        parameters += [f"{name}: index" for name in body.sizes.values()]
        parameters += [f"{buffers[id(a)]}: {a.mlir}" for a in outputs]
        printer.line(f"func.func @{_symbol(self.name)}({', '.join(parameters)}) {{")
        printer.lines += body.lines
        printer.line("}", self.location)
        return "\n".join([*operators, *printer.lines]) + "\n"

    def _body(
        self,
        printer: Printer,
        inputs: Sequence[Access],
        outputs: Sequence[Access],
        buffers: dict[int, str],
        operators: Sequence[str],
        scalar: Region,
    ) -> None:
        operand = self._mda(inputs, kept_only=False)
        read = Operands(printer, [dimension.extent for dimension in self.dimensions])
        for access in inputs:
            read.add(access, buffers[id(access)])
        spelled = ", ".join(f"{one.name}{self._functions(one.functions)}" for one in read.operands)
        spelled = f" {spelled}" if spelled else ""
        types = ", ".join(one.type for one in read.operands)
        extents = f" extents({', '.join(read.extents())})" if read.is_missing else ""
        view = printer.names.unique("in")
        printer.line(f"{view} = mdh.view.inp_view{spelled}{extents} : ({types}) -> {operand}", self.location)
        result_type = self._mda(outputs, kept_only=True)
        result = printer.names.unique("res")
        names = ", ".join(f'"{dimension.name}"' for dimension in self.dimensions)
        attributes = f"attributes {{dimension_names = [{names}]}}"
        printer.line(f"{result} = mdh.hom.md_hom {view} combine [{', '.join(operators)}] {attributes} {{")
        hints = [access.parameter.name for access in inputs for _ in access.functions]
        _print_region(printer, scalar, hints)
        printer.line(f"}} : {operand} -> {result_type}", self.location)
        written = ", ".join(self._functions(access.functions) for access in outputs)
        destinations = ", ".join(buffers[id(access)] for access in outputs)
        types = ", ".join(access.mlir for access in outputs)
        printer.line(f"mdh.view.out_view {result}{written} into {destinations} : {result_type}, {types}", self.location)
        printer.line("return")

    def _functions(self, functions: Sequence[Sequence[Affine]]) -> str:
        """Index functions as maps."""
        names = _index_names([dimension.name for dimension in self.dimensions])
        point = ", ".join(names)
        maps = [f"affine_map<({point}) -> ({', '.join(e.spell(names) for e in f)})>" for f in functions]
        return f"[{', '.join(maps)}]"

    def _mda(self, accesses: Sequence[Access], *, kept_only: bool) -> str:
        extents = [1 if kept_only and d.kind == "pw" else d.extent for d in self.dimensions]
        types = [access.parameter.type.mlir for access in accesses for _ in access.functions]
        return f"!mdh.mda<{', '.join(['x'.join(map(spell_extent, extents)), *types])}>"

    def _operator(self, dimension: Dimension, symbols: dict[int, str], text: list[str]) -> str:
        """The combine operator of a dimension; its function is written once."""
        operator = dimension.operator
        if operator is None:
            return f"#mdh.{dimension.kind}"
        if operator.function is None:
            names = operator.names
            return f"#mdh.{dimension.kind}<{names[0] if len(set(names)) == 1 else '[' + ', '.join(names) + ']'}>"
        key = id(operator)
        if key not in symbols:
            symbols[key] = _free(operator.name, set(symbols.values()))
            text += _operator_text(symbols[key], operator, operator.function, self.locations)
        return f"#mdh.{dimension.kind}<@{_symbol(symbols[key])}>"


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


def _operator_text(name: str, operator: Operator, region: Region, locations: bool) -> list[str]:
    printer = Printer(Names(), locations=locations, is_isolated=True)
    count = len(region.results)
    hints = ["lhs"] * count + ["rhs"] * count
    pairs = zip(region.arguments, hints)
    arguments = ", ".join(f"{printer.name(value, hint)}: {value.slot.type.mlir}" for value, hint in pairs)
    commutative = " commutative" if operator.commutative else ""
    results = printer.types(region.results)
    printer.line(f"mdh.hom.operator @{_symbol(name)}{commutative} ({arguments}) -> ({results}) {{")
    printer.region(region.block)
    printer.line(f"  mdh.hom.yield {printer.values(region.results)} : {results}", region.location)
    if operator.identity is not None:
        printer.line("} identity {")
        _print_region(printer, operator.identity, [])
    printer.line("}", region.location)
    return printer.lines
