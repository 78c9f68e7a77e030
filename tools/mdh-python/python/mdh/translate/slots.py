"""The types of values while a function is translated.

One rule converts implicitly: number constants, loop variables and the indices of a point take the type of the other
operand. So a value may have no type yet; `unify` gives two values one type. What never meets a type is int64 or fp64.
"""

from __future__ import annotations

from ..errors import Location, TranslationError
from ..types import BasicType, bool_, fp64, int64


class Slot:
    """The type of one or more values: a type, or a literal (`integer` or `float`) that has none yet."""

    def __init__(self, basic: BasicType | None = None, literal: str = "integer") -> None:
        self._basic = basic
        self._literal = literal
        self._same_as: Slot | None = None

    def root(self) -> Slot:
        """The slot that stands for all that were unified with this one."""
        slot = self
        while slot._same_as is not None:
            slot = slot._same_as
        return slot

    @property
    def known(self) -> BasicType | None:
        """The type, if it is known."""
        return self.root()._basic

    @property
    def type(self) -> BasicType:
        """The type, or the default of a literal."""
        root = self.root()
        return root._basic or (int64 if root._literal == "integer" else fp64)

    def describe(self) -> str:
        """The type as messages name it."""
        root = self.root()
        if root._basic is not None:
            return root._basic.name
        return "an integer constant" if root._literal == "integer" else "a float constant"


def unify(left: Slot, right: Slot, location: Location, what: str = "the operands") -> None:
    """Gives two values one type; an error if they have different ones, which names both."""
    a, b = left.root(), right.root()
    if a is b:
        return
    if a._basic is None:
        a, b = b, a
    if a._basic is None:
        a._literal = "float" if "float" in (a._literal, b._literal) else "integer"
    elif b._basic is not None:
        if a._basic is not b._basic:
            raise mixed(left, right, location, what)
    elif a._basic is bool_ or (b._literal == "float" and not a._basic.is_float):
        raise mixed(left, right, location, what)
    b._same_as = a


def mixed(left: Slot, right: Slot, location: Location, what: str) -> TranslationError:
    """The error of two types where one is required."""
    message = f"{what} must have one type, but have {left.describe()} and {right.describe()}"
    return TranslationError(f"{message}: convert one of them, such as fp32(x)", location)
