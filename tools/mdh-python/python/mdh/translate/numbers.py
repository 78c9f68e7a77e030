"""Constants as MLIR writes them."""

from __future__ import annotations

import sys
from typing import Any

from ..errors import Location, TranslationError
from ..types import BasicType, bool_

LARGEST = {"fp16": 65504.0, "bf16": 3.3895313892515355e38, "fp32": 3.4028234663852886e38}
"""The largest finite values of the types; that of fp64 is Python's own."""


def mlir_number(number: Any, basic: BasicType, location: Location) -> str:
    """A constant of a type as MLIR writes it."""
    if basic is bool_:
        return "true" if number else "false"
    if basic.is_float:
        largest = LARGEST.get(basic.name, sys.float_info.max)
        if largest < abs(number) < float("inf"):
            raise TranslationError(
                f"the constant {_short(number)} is not in the range of {basic.name}, up to {largest}", location
            )
        return _float(float(number), basic)
    low, high = -(1 << (basic.bits - 1)), (1 << (basic.bits - 1)) - 1
    if not low <= number <= high:
        raise TranslationError(
            f"the constant {_short(number)} is not in the range of {basic.name}, {low} to {high}", location
        )
    return f"{int(number)} : {basic.mlir}"


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
