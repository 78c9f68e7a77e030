"""MLIR text of translated operations, once all types are known."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import Location, TranslationError
from ..types import BasicType, bf16, bool_, fp16, fp32, int64
from . import control
from .numbers import mlir_number
from .operations import INDEX, Block, Operation, Value

# For each kind of operation on operands of one type: its name on integers and on floats; None where there is none.
ARITHMETIC: dict[str, tuple[str | None, str | None]] = {
    "+": ("arith.addi", "arith.addf"),
    "-": ("arith.subi", "arith.subf"),
    "*": ("arith.muli", "arith.mulf"),
    "/": (None, "arith.divf"),
    "//": ("arith.floordivsi", None),
    "&": ("arith.andi", None),
    "|": ("arith.ori", None),
    "^": ("arith.xori", None),
    "<<": ("arith.shli", None),
    ">>": ("arith.shrsi", None),
    "min": ("arith.minsi", "arith.minimumf"),
    "max": ("arith.maxsi", "arith.maximumf"),
    "abs": ("math.absi", "math.absf"),
    "fmod": (None, "arith.remf"),
}
# The kinds that also take truth values.
LOGICAL = ("&", "|", "^")
# What to write instead of an operation that the type does not have.
INSTEAD = {
    "/": "convert its operands to a float type, or use '//'",
    "//": "write math.floor(a / b)",
    "%": "write math.fmod(a, b)",
    "**": "convert it, such as fp32(x), or use a constant exponent",
}
# For each comparison: the predicate on integers and on floats.
COMPARISONS = {
    "==": ("eq", "oeq"),
    "!=": ("ne", "une"),
    "<": ("slt", "olt"),
    "<=": ("sle", "ole"),
    ">": ("sgt", "ogt"),
    ">=": ("sge", "oge"),
}


class Names:
    """Unique names of values in a function."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def unique(self, hint: str) -> str:
        """`%hint`, with a number if that is taken; other characters than MLIR's are replaced."""
        hint = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in hint)
        hint = f"_{hint}" if hint[0].isdigit() else hint
        name, number = hint, 0
        while name in self._used:
            name, number = f"{hint}_{number}", number + 1
        self._used.add(name)
        return f"%{name}"


class Printer:
    """Writes blocks of operations as lines, with the given indentation."""

    def __init__(self, names: Names, *, locations: bool = False, is_isolated: bool = False) -> None:
        self.names = names
        self.locations = locations
        self.is_isolated = is_isolated
        """True for functions that read no values of their surroundings."""
        self.sizes: dict[str, str] = {}
        """The names of the values of sizes that were used."""
        self.lines: list[str] = []
        self.spelled: dict[int, str] = {}
        self.indent = ""

    def name(self, value: Value, hint: str = "v") -> str:
        """The name of a value; the first call defines it."""
        if id(value) not in self.spelled:
            self.spelled[id(value)] = self.names.unique(hint)
        return self.spelled[id(value)]

    def size(self, name: str) -> str:
        """The name of the value of a size, which is defined outside."""
        if name not in self.sizes:
            self.sizes[name] = self.names.unique(name)
        return self.sizes[name]

    def line(self, text: str, location: Location | None = None) -> None:
        """Appends a line."""
        if self.locations and location is not None:
            file = location.file.replace("\\", "\\\\").replace('"', '\\"')
            text += f' loc("{file}":{location.line}:{location.column})'
        self.lines.append(self.indent + text)

    def emit(self, operation: Operation, text: str) -> None:
        """Appends an operation with one result."""
        self.line(f"{self.name(operation.results[0])} = {text}", operation.location)

    def temporary(self, operation: Operation, text: str) -> str:
        """Appends an operation whose result is used by the next ones only."""
        name = self.names.unique("v")
        self.line(f"{name} = {text}", operation.location)
        return name

    def block(self, block: Block) -> None:
        """Appends the operations of a block."""
        for operation in block.operations:
            _SPELL.get(operation.kind, _arithmetic)(self, operation)

    def values(self, values: list[Value]) -> str:
        """Names, separated by commas."""
        return ", ".join(self.name(value) for value in values)

    def types(self, values: list[Value]) -> str:
        """Types, separated by commas."""
        return ", ".join(value.slot.type.mlir for value in values)

    def region(self, block: Block) -> None:
        """Appends a nested block."""
        self.indent += "  "
        self.block(block)
        self.indent = self.indent[:-2]


def _arithmetic(printer: Printer, operation: Operation) -> None:
    basic = operation.operands[0].slot.type
    if operation.kind in ARITHMETIC:
        on_integers, on_floats = ARITHMETIC[operation.kind]
        name = on_floats if basic.is_float else on_integers
        if name is None or (basic is bool_ and operation.kind not in LOGICAL):
            raise unsupported(operation.kind, basic, operation.location)
    else:
        name = operation.kind
        if not basic.is_float:
            symbol = "**" if operation.attribute == "**" else f"{operation.attribute}()"
            raise unsupported(symbol, basic, operation.location)
    printer.emit(operation, f"{name} {printer.values(operation.operands)} : {basic.mlir}")


def unsupported(symbol: str, basic: BasicType, location: Location) -> TranslationError:
    """The error of an operation that a type does not have."""
    on_integers, on_floats = ARITHMETIC.get(symbol, (None, ""))
    required, instead = "numbers", ""
    if symbol in ("//", "%") or on_floats is None:
        required, instead = "integers", INSTEAD.get(symbol, "") if basic.is_float else ""
    elif symbol in COMPARISONS:
        required = "numbers"
    elif on_integers is None:
        required, instead = "floats", INSTEAD.get(symbol, "convert it, such as fp32(x)")
    message = f"'{symbol}' requires {required}, not {basic.name}"
    return TranslationError(f"{message}: {instead}" if instead else message, location)


def _constant(printer: Printer, operation: Operation) -> None:
    basic = operation.results[0].slot.type
    printer.emit(operation, f"arith.constant {mlir_number(operation.attribute, basic, operation.location)}")


def _negate(printer: Printer, operation: Operation) -> None:
    basic = operation.operands[0].slot.type
    if basic is bool_:
        raise unsupported("-", basic, operation.location)
    if basic.is_float:
        printer.emit(operation, f"arith.negf {printer.values(operation.operands)} : {basic.mlir}")
    else:
        zero = printer.temporary(operation, f"arith.constant 0 : {basic.mlir}")
        printer.emit(operation, f"arith.subi {zero}, {printer.values(operation.operands)} : {basic.mlir}")


def _invert(printer: Printer, operation: Operation) -> None:
    basic = operation.operands[0].slot.type
    if basic.is_float:
        raise unsupported("~", basic, operation.location)
    ones = printer.temporary(operation, "arith.constant " + ("true" if basic is bool_ else f"-1 : {basic.mlir}"))
    printer.emit(operation, f"arith.xori {printer.values(operation.operands)}, {ones} : {basic.mlir}")


def _power(printer: Printer, operation: Operation) -> None:
    """A power with a constant integer as its exponent."""
    basic, base = operation.operands[0].slot.type, printer.values(operation.operands)
    if basic is bool_:
        raise unsupported("**", basic, operation.location)
    if operation.attribute == 2:
        # A square has the same result, and is one instruction.
        printer.emit(operation, f"arith.mul{'f' if basic.is_float else 'i'} {base}, {base} : {basic.mlir}")
        return
    if basic.is_float:
        exponent = printer.temporary(operation, f"arith.constant {operation.attribute} : i32")
        printer.emit(operation, f"math.fpowi {base}, {exponent} : {basic.mlir}, i32")
        return
    if operation.attribute < 0:
        message = f"the exponent of a power of {basic.name} must not be negative, but is {operation.attribute}"
        raise TranslationError(message, operation.location)
    number = mlir_number(operation.attribute, basic, operation.location)
    exponent = printer.temporary(operation, f"arith.constant {number}")
    printer.emit(operation, f"math.ipowi {base}, {exponent} : {basic.mlir}")


def _compare(printer: Printer, operation: Operation) -> None:
    basic = operation.operands[0].slot.type
    if basic is bool_ and operation.attribute not in ("==", "!="):
        raise unsupported(operation.attribute, basic, operation.location)
    on_integers, on_floats = COMPARISONS[operation.attribute]
    comparison = f"arith.cmpf {on_floats}" if basic.is_float else f"arith.cmpi {on_integers}"
    printer.emit(operation, f"{comparison}, {printer.values(operation.operands)} : {basic.mlir}")


def _classify(printer: Printer, operation: Operation) -> None:
    """Whether a float is a NaN, infinite or finite."""
    basic = operation.operands[0].slot.type
    if not basic.is_float:
        raise unsupported(f"{operation.attribute}()", basic, operation.location)
    printer.emit(operation, f"math.{operation.attribute} {printer.values(operation.operands)} : {basic.mlir}")


def _modulo(printer: Printer, operation: Operation) -> None:
    """The remainder with the sign of the divisor, as in Python."""
    basic = operation.operands[0].slot.type
    if not basic.is_integer:
        raise unsupported("%", basic, operation.location)
    dividend, divisor = map(printer.name, operation.operands)
    quotient = printer.temporary(operation, f"arith.floordivsi {dividend}, {divisor} : {basic.mlir}")
    product = printer.temporary(operation, f"arith.muli {quotient}, {divisor} : {basic.mlir}")
    printer.emit(operation, f"arith.subi {dividend}, {product} : {basic.mlir}")


def _select(printer: Printer, operation: Operation) -> None:
    printer.emit(operation, f"arith.select {printer.values(operation.operands)} : {printer.types(operation.results)}")


def _index(printer: Printer, operation: Operation) -> None:
    printer.emit(operation, f"mdh.hom.index {operation.attribute} : index")


def _size(printer: Printer, operation: Operation) -> None:
    """A size is a parameter of the function."""
    if printer.is_isolated:
        message = f"a combining function cannot read the size '{operation.attribute}'"
        raise TranslationError(message, operation.location)
    printer.spelled[id(operation.results[0])] = printer.size(operation.attribute)


def _convert(printer: Printer, operation: Operation) -> None:
    value = printer.name(operation.operands[0])
    source, target = operation.operands[0].slot.type, operation.results[0].slot.type
    if source is target:
        printer.spelled[id(operation.results[0])] = value
        return
    if source is INDEX:
        integer = target if target.is_integer else int64
        cast = f"arith.index_cast {value} : index to {integer.mlir}"
        if integer is target:
            printer.emit(operation, cast)
            return
        value, source = printer.temporary(operation, cast), int64
    if target is bool_:
        zero = printer.temporary(operation, f"arith.constant {mlir_number(0, source, operation.location)}")
        comparison = "cmpf une" if source.is_float else "cmpi ne"
        printer.emit(operation, f"arith.{comparison}, {value}, {zero} : {source.mlir}")
        return
    if {source, target} == {fp16, bf16}:
        value, source = printer.temporary(operation, f"arith.extf {value} : {source.mlir} to f32"), fp32
    printer.emit(operation, f"arith.{_conversion(source, target)} {value} : {source.mlir} to {target.mlir}")


def _conversion(source: BasicType, target: BasicType) -> str:
    if source.is_float and target.is_float:
        return "extf" if target.bits > source.bits else "truncf"
    if source.is_float:
        return "fptosi"
    if target.is_float:
        return "uitofp" if source is bool_ else "sitofp"
    if target.bits < source.bits:
        return "trunci"
    return "extui" if source is bool_ else "extsi"


_SPELL: dict[str, Callable[[Printer, Operation], None]] = {
    "constant": _constant,
    "negate": _negate,
    "~": _invert,
    "%": _modulo,
    "power": _power,
    "compare": _compare,
    "classify": _classify,
    "select": _select,
    "index": _index,
    "size": _size,
    "convert": _convert,
    "if": control.spell_if,
    "for": control.spell_for,
    "while": control.spell_while,
    "yield": control.spell_yield,
}
