"""Frameworks that the package works with, but does not require."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import Error


def module(name: str, purpose: str) -> Any:
    """A module of a framework, which is imported when it is needed first.

    Args:
        name: of the module, such as `jax.numpy`.
        purpose: what requires the framework, for the error.

    Raises:
        Error: the framework is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        framework = name.partition(".")[0]
        extra = "jax" if framework.startswith("jax") else "torch"
        message = f"{purpose} requires {framework.replace('_', '-')}: pip install 'mdh-compiler[{extra}]'"
        raise Error(message) from error
