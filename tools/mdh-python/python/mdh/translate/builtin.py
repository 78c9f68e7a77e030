"""Recognises combining functions that are built-in ones, which the compiler knows more about."""

from __future__ import annotations

from .operations import Operation
from .scalar import Region

# The operations of built-in combining functions.
_NAMES = {"+": "add", "*": "mul", "min": "min", "max": "max", "&": "and", "|": "or", "^": "xor"}


def builtin_names(region: Region) -> list[str] | None:
    """The built-in function of each component; None if one is none."""
    count = len(region.results)
    names = []
    for number, result in enumerate(region.results):
        operation = next(
            (one for one in region.block.operations if any(result is value for value in one.results)), None
        )
        if operation is None or not _combines(operation, region, number, number + count):
            return None
        # Floats have no logical functions, and `bool_` has no others.
        is_logical = _NAMES[operation.kind] in ("and", "or", "xor")
        if (is_logical and result.slot.type.is_float) or (result.slot.type.is_bool and not is_logical):
            return None
        names.append(_NAMES[operation.kind])
    return names


def _combines(operation: Operation, region: Region, left: int, right: int) -> bool:
    """True if an operation combines the two arguments of one component."""
    operands, arguments = operation.operands, region.arguments
    if operation.kind not in _NAMES or len(operands) != 2:
        return False
    pairs = [(left, right), (right, left)]
    return any(operands[0] is arguments[a] and operands[1] is arguments[b] for a, b in pairs)
