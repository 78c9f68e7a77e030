"""Constants as MLIR writes them."""

from __future__ import annotations

import sys
from typing import Any

from ..errors import Location, TranslationError
from ..types import BasicType, bool_

# The largest finite values of the types; that of fp64 is Python's own.
_LARGEST = {"fp16": 65504.0, "bf16": 3.3895313892515355e38, "fp32": 3.4028234663852886e38}


def limits(basic: BasicType) -> tuple[float, float]:
    """The smallest and the largest number of a type.

    >>> from mdh import fp16, int8
    >>> limits(int8), limits(fp16)
    ((-128, 127), (-65504.0, 65504.0))
    """
    if basic.is_float:
        largest = _LARGEST.get(basic.name, sys.float_info.max)
        return -largest, largest
    return (0, 1) if basic.is_bool else (-(1 << (basic.bits - 1)), (1 << (basic.bits - 1)) - 1)


def is_in_range(number: Any, basic: BasicType) -> bool:
    """True for the numbers of a type, infinities and NaNs of floats included.

    >>> from mdh import fp32
    >>> is_in_range(1e39, fp32), is_in_range(float("inf"), fp32)
    (False, True)
    """
    low, high = limits(basic)
    return bool(low <= number <= high or (basic.is_float and (number != number or abs(number) == float("inf"))))


def mlir_number(number: Any, basic: BasicType, location: Location) -> str:
    """A constant of a type as MLIR writes it."""
    if basic is bool_:
        return "true" if number else "false"
    if not is_in_range(number, basic):
        low, high = limits(basic)
        message = f"the constant {_short(number)} is not in the range of {basic.name}"
        raise TranslationError(f"{message}, {f'up to {high}' if basic.is_float else f'{low} to {high}'}", location)
    return _float(float(number), basic) if basic.is_float else f"{int(number)} : {basic.mlir}"


def _short(number: Any) -> str:
    is_long = isinstance(number, int) and number.bit_length() > 80
    return f"of {number.bit_length()} bits" if is_long else repr(number)


def _float(number: float, basic: BasicType) -> str:
    if number == number and abs(number) != float("inf"):
        mantissa, _, exponent = repr(number).partition("e")
        text = mantissa + ("" if "." in mantissa else ".0") + (f"e{exponent}" if exponent else "")
        return f"{text} : {basic.mlir}"
    words = {"fp16": (0x7C00, 0x7E00), "bf16": (0x7F80, 0x7FC0), "fp32": (0x7F800000, 0x7FC00000)}
    infinity, nan = words.get(basic.name, (0x7FF0000000000000, 0x7FF8000000000000))
    sign = 1 << (basic.bits - 1) if number < 0 else 0
    return f"0x{nan if number != number else infinity | sign:0{basic.bits // 4}X} : {basic.mlir}"
