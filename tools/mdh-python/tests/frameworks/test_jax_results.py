"""Results of `mdh.jit` that differed from those of `jax.jit`, or were exceptions; `jax_functions.py` finds them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import mdh
import numpy
import pytest
from jax import lax
from test_jax import RANDOM, compare

FLOATS = RANDOM.normal(size=(3, 4)).astype("f") * 3


def test_weak_types_are_those_of_jax():
    def function(x, y):
        return x * 2, y + x, jnp.full((2,), 3), x, jnp.sort(jnp.full(3, x))

    x, y = jnp.sin(1.0), jnp.ones(3)
    assert x.weak_type
    found, wanted = mdh.jit(function)(x, y), jax.jit(function)(x, y)
    assert [one.weak_type for one in found] == [one.weak_type for one in wanted] == [True, False, True, True, True]
    assert (found[0] * jnp.ones(2, jnp.bfloat16)).dtype == jnp.bfloat16


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2", "int4"])
def test_small_numbers_are_executed_by_jax(dtype):
    compare(lambda x: x.astype(dtype), FLOATS)
    compare(lambda x: x.astype(dtype).astype("f") + 1, FLOATS)
    compare(lambda x: (x * x).astype("f") + 1, FLOATS.astype(dtype))
    with pytest.raises(mdh.CompilationError, match="requires numbers of 8 to 64 bits, and floats of at least 16, but has"):
        mdh.jit(lambda x: x, fallback=False)(FLOATS.astype(dtype))
    with pytest.raises(mdh.CompilationError, match=r"error: (f8E\w+|i4) is not supported"):
        mdh.jit(lambda x: x.astype(dtype).astype("f"), fallback=False)(FLOATS)


@pytest.mark.parametrize(("dtype", "result"), [("f4", "i4"), ("f4", "u1"), ("f4", "f2"), ("f2", "i2"), ("i1", "i4"), ("i1", "f4")])
def test_products_have_another_type(dtype, result):
    numbers = (((1,), (1,)), ((), ()))
    compare(lambda x: lax.dot_general(x, x, numbers, preferred_element_type=result), FLOATS.astype(dtype), tolerance=1e-2)


@pytest.mark.parametrize("function", [jnp.round, jnp.trunc, jnp.floor])
def test_functions_have_names_of_a_library(function):
    assert mdh.jit(function, fallback=False)(numpy.array([1, -2], "i4")).tolist() == [1, -2]
