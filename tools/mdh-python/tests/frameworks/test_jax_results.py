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


@pytest.mark.parametrize("dtype", ["i4", "u1"])
@pytest.mark.parametrize("function", [jnp.round, jnp.trunc, jnp.bitwise_count])
def test_functions_that_jax_lowers_to_a_private_one(function, dtype):
    # Some have the name of a function in a library, and some return their argument.
    for x in (numpy.array([1, 3], dtype), numpy.zeros((0, 3), dtype)):
        found = mdh.jit(function, fallback=False)(x)
        numpy.testing.assert_array_equal(found, jax.jit(function)(x), strict=True)


@pytest.mark.parametrize("size", [0, 1, 2, 7, 5000])
def test_cumulative_reductions_with_several_operations(size):
    x = RANDOM.normal(size=(2, size)).astype("f")
    x[:, 3:5] = -numpy.inf
    x[1, 6:7] = numpy.nan
    function = mdh.jit(lambda x: (lax.cumlogsumexp(x, 1), lax.cumlogsumexp(x, 1, reverse=True)), fallback=False)
    with numpy.errstate(invalid="ignore"):
        results = numpy.logaddexp.accumulate(x, 1), numpy.logaddexp.accumulate(x[:, ::-1], 1)[:, ::-1]
    for found, wanted in zip(function(x), results):
        numpy.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_paddings_of_arrays_without_elements():
    for function in (lambda x: jnp.pad(x[:, :0], ((0, 1), (2, 1)), constant_values=3), jax.grad(lambda x: jnp.cumprod(x, 1).sum())):
        x = FLOATS[:, :3]
        numpy.testing.assert_allclose(mdh.jit(function, fallback=False)(x), jax.jit(function)(x), rtol=1e-5)


def test_gradients_of_the_largest_of_a_window_are_executed_by_jax():
    function = jax.grad(lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (1, 2), "SAME").sum())
    compare(function, FLOATS)
    with pytest.raises(mdh.CompilationError, match="the gradient of a maximum or a minimum of windows is not supported"):
        mdh.jit(function, fallback=False)(FLOATS)


def test_a_window_combines_with_its_start_once():
    def function(x):
        add = lambda before, after: before + after + jnp.float32(1)  # noqa: E731
        return lax.reduce_window(x, jnp.float32(3), add, (1, 4), (1, 1), ((0, 0), (3, 0)))

    wanted = numpy.cumsum(FLOATS + 1, 1) + 3
    numpy.testing.assert_allclose(mdh.jit(function, fallback=False)(FLOATS), wanted, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["u1", "u4", "i1", "i4"])
def test_writes_at_indices_of_all_integers(dtype):
    x, indices = numpy.arange(250, 259).astype(dtype), numpy.array([1, 3, 20, -1])
    updates = numpy.array([5, 6, 7, 200]).astype(dtype)
    for write in ("set", "add", "max", "min", "multiply"):
        compare(lambda x, i, u, write=write: getattr(x.at[i], write)(u), x, indices, updates)


def test_two_loops_with_statistics_of_the_same_elements():
    x = numpy.linspace(0.1, 3, 7).astype("f")
    compare(lambda x: (jax.scipy.special.exp1(x), jax.scipy.special.exp1(x + 1)), x)
