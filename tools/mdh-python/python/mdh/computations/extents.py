"""The operands of an input view, from which the dynamic extents of a computation follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..translate.affine import Affine
from ..translate.printing import Printer
from .definition import Access
from .sizes import Size


@dataclass
class Operand:
    """A buffer with index functions."""

    name: str
    type: str
    functions: list[tuple[Affine, ...]]


class Operands:
    """Operands of `mdh.view.inp_view`, with the dynamic extents that do not follow from them.

    An extent is the length of the first buffer in the first dimension that the index of the extent's dimension indexes,
    and that it indexes in no other way (rule C5 of the dialect). If other index functions reach farther there, as
    `x[i + 1]` does beyond `x[i]`, that index function is one of a part of the buffer, which has the length of the
    extent.
    """

    def __init__(self, printer: Printer, extents: Sequence[Size | int]) -> None:
        self.operands: list[Operand] = []
        self._printer = printer
        self._missing = {number: extent for number, extent in enumerate(extents) if isinstance(extent, Size)}

    def add(self, access: Access, name: str) -> None:
        """Appends a buffer."""
        whole: Operand | None = None
        for function in access.functions:
            lengths: dict[int, Size] = {}
            is_other = False
            for axis, index in enumerate(function):
                dimension = index.alone
                if dimension is not None and dimension in self._missing:
                    lengths[axis] = self._missing.pop(dimension)
                    others = [other[axis] for other in access.functions if other[axis] != index]
                    is_other |= any(other.coefficients[dimension] for other in others)
            lengths = {axis: length for axis, length in lengths.items() if access.parameter.shape[axis] != length}
            if lengths:
                name_of_part, type_of_part = self._part(access, name, lengths)
                self.operands.append(Operand(name_of_part, type_of_part, [function]))
                whole = None
                continue
            if whole is None or is_other:
                whole = Operand(name, access.mlir, [])
                self.operands.append(whole)
            whole.functions.append(function)
            whole = None if is_other else whole

    @property
    def is_missing(self) -> bool:
        """True if there are extents that do not follow from the operands."""
        return bool(self._missing)

    def extents(self) -> list[str]:
        """The values of the extents that do not follow from the operands."""
        return [self._value(extent) for extent in self._missing.values()]

    def _part(self, access: Access, name: str, lengths: dict[int, Size]) -> tuple[str, str]:
        """A part of a buffer from its begin, with lengths in some dimensions: its name and its type."""
        parameter = access.parameter
        sizes = []
        for axis, length in enumerate(parameter.shape):
            if axis in lengths:
                sizes.append(self._value(lengths[axis]))
            else:
                sizes.append(str(length) if isinstance(length, int) else self._length(name, access.mlir, axis))
        rank = len(sizes)
        zeros, ones = ", ".join(["0"] * rank), ", ".join(["1"] * rank)
        shape = "".join("?x" if size.startswith("%") else f"{size}x" for size in sizes)
        part_type = f"tensor<{shape}{parameter.type.mlir}>"
        if "0" in sizes:
            # No part of an array without elements is a slice of it.
            dynamic = ", ".join(size for size in sizes if size.startswith("%"))
            return self._define(f"tensor.empty({dynamic}) : {part_type}", parameter.name), part_type
        part = f"tensor.extract_slice {name}[{zeros}] [{', '.join(sizes)}] [{ones}]"
        return self._define(f"{part} : {access.mlir} to {part_type}", parameter.name), part_type

    def _length(self, buffer: str, buffer_type: str, axis: int) -> str:
        number = self._define(f"arith.constant {axis} : index")
        return self._define(f"tensor.dim {buffer}, {number} : {buffer_type}")

    def _value(self, extent: Size) -> str:
        """The value of an extent."""
        total = ""
        for name, factor in extent.terms.items():
            term = self._printer.size(name)
            if factor != 1:
                term = self._define(f"arith.muli {term}, {self._number(factor)} : index")
            total = self._define(f"arith.addi {total}, {term} : index") if total else term
        if extent.constant:
            total = self._define(f"arith.addi {total}, {self._number(extent.constant)} : index")
        return total

    def _number(self, number: int) -> str:
        return self._define(f"arith.constant {number} : index")

    def _define(self, text: str, hint: str = "n") -> str:
        name = self._printer.names.unique(hint)
        self._printer.line(f"{name} = {text}")
        return name
