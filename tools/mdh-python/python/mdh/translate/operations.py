"""The operations of a translated function, before all types are known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..errors import Location
from ..types import BasicType
from .slots import Slot

INDEX = BasicType("index", "index", 64)
"""The type of a loop variable and of an index before their conversion."""


class Value:
    """The result of an operation, or an argument of a block."""

    def __init__(self, slot: Slot) -> None:
        self.slot = slot


@dataclass
class Block:
    """Operations in order, and the arguments that are defined at their begin."""

    arguments: list[Value] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)

    def add(
        self,
        kind: str,
        operands: list[Value],
        results: list[Slot],
        location: Location,
        attribute: Any = None,
        regions: list[Block] | None = None,
    ) -> list[Value]:
        """Appends an operation, and returns its results."""
        values = [Value(slot) for slot in results]
        self.operations.append(Operation(kind, operands, values, location, attribute, regions or []))
        return values

    def one(self, kind: str, operands: list[Value], result: Slot, location: Location, attribute: Any = None) -> Value:
        """Appends an operation with one result."""
        return self.add(kind, operands, [result], location, attribute)[0]

    def all(self) -> Iterator[Operation]:
        """All operations, with those of regions."""
        for operation in self.operations:
            yield operation
            for region in operation.regions:
                yield from region.all()


@dataclass
class Operation:
    """One operation. `kind` is a row of a table of `printing`, and `attribute` what the kind needs besides operands."""

    kind: str
    operands: list[Value]
    results: list[Value]
    location: Location
    attribute: Any
    regions: list[Block]
