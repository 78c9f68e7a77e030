"""Samples of the campaigns on functions of PyTorch and JAX, where these are installed."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parent / "frameworks"


def campaign(name: str, *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-B", str(FOLDER / name), *arguments], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_operations_of_pytorch() -> None:
    for module in ("torch", "torch_mlir", "expecttest"):
        pytest.importorskip(module)
    names = ("neg", "amax", "maximum", "softmax", "var_mean", "index_add")
    campaign("op_database.py", "--dtypes", "float32,int64,bool", "--samples", "2", "--edges", *names)


def test_functions_of_jax() -> None:
    pytest.importorskip("jax")
    campaign("jax_functions.py", "--dtypes", "float32,int32,bool", "--names", "jnp.maximum,jnp.cumsum,jnp.sign,lax.rem")
