"""Frameworks that the package works with, but does not require."""

from __future__ import annotations

import importlib
from typing import Any

from ..errors import Error


def module(name: str, purpose: str) -> Any:
    """A module of a framework, which is imported when it is needed first.

    Args:
        name: of the module, such as `jax.numpy`.
        purpose: what requires the framework, for the error.

    Raises:
        Error: the framework is not installed, or cannot be imported.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        framework = name.partition(".")[0]
        shown = framework.replace("_", "-")
        if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] == framework:
            extra = "jax" if framework.startswith("jax") else "torch"
            raise Error(f"{purpose} requires {shown}: pip install 'mdh-compiler[{extra}]'") from error
        raise Error(f"{purpose} requires {shown}, which cannot be imported: {error}") from error
