"""What a framework executes itself, because it cannot be compiled: the options, and the report."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """How a program of a framework is compiled."""

    threads: int | None = None
    strict: bool = False
    database: str | None = None
    # Whether the report is printed; it is logged anyway.
    verbose: bool = False
    # Whether the framework executes what cannot be compiled.
    fallback: bool = True


def operations(count: int) -> str:
    """The number of operations, in words.

    >>> operations(1), operations(3)
    ('1 operation', '3 operations')
    """
    return "1 operation" if count == 1 else f"{count} operations"


def report(framework: str, whole: str, count: int, reasons: Mapping[str, str], sizes: Sequence[int]) -> Iterator[str]:
    """The lines that say what a framework executes, and why.

    Args:
        whole: what is compiled in parts, such as "graph", of `count` operations.
        reasons: by what the framework executes: why.
        sizes: the numbers of operations of the compiled parts.
    """
    for what, reason in reasons.items():
        yield f"{framework} executes {what}: {reason}"
    yield f"a {whole} of {operations(count)}: {sum(sizes)} are compiled, in {len(sizes)} parts"


def say(logger: logging.Logger, options: Options, lines: Iterable[str]) -> None:
    """Logs lines, and prints them if that is wanted."""
    for line in lines:
        logger.info(line)
        if options.verbose:
            print(f"mdh: {line}", file=sys.stderr)
