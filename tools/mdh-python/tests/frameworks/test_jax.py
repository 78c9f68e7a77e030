"""Functions on `jax.numpy` arrays with `mdh.jit`, compared with `jax.jit`."""

from __future__ import annotations

import pathlib
import sys
import threading

import jax
import jax.numpy as jnp
import mdh
import numpy
import pytest
from jax import lax

sys.path.insert(0, str(pathlib.Path(__file__).parents[4] / "bench"))
from frontends_jax_programs import PROGRAMS

RANDOM = numpy.random.default_rng(5)


def compare(function, *arguments, tolerance=1e-4, **named):
    wanted, found = jax.jit(function)(*arguments, **named), mdh.jit(function)(*arguments, **named)
    assert jax.tree.structure(found) == jax.tree.structure(wanted)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(wanted)):
        assert one.dtype == other.dtype and one.shape == other.shape
        numpy.testing.assert_allclose(numpy.asarray(one, "f8"), numpy.asarray(other, "f8"), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    function, shapes = PROGRAMS[name]
    compare(function, *[RANDOM.random(shape, numpy.float32) for shape in shapes], tolerance=2e-3)


@pytest.mark.parametrize(
    "function",
    [
        jax.grad(lambda x: (jnp.sin(x) ** 2).sum()),
        jax.vmap(lambda x: x * jnp.arange(4.0)),
        lambda x: lax.fori_loop(0, 5, lambda i, y: y * 2 + i, x),
        lambda x: lax.while_loop(lambda y: y.sum() < 100, lambda y: y * 2, x + 1),
        lambda x: lax.cond(x.sum() > 1, lambda y: y * 2, lambda y: y + 1, x),
        lambda x: lax.switch(2, [jnp.sin, jnp.cos, jnp.tanh], x),
        lambda x: x.at[1].set(7.0).at[2].add(x[3]),
        lambda x: {"sum": x.sum(), "all": (x, [x > 1, jnp.flip(x)])},
        lambda x: x @ numpy.arange(16, dtype="f").reshape(4, 4),
        lambda x: (x.astype(jnp.bfloat16) * 2, x.astype(jnp.float16), x.astype(jnp.int8), x.astype(jnp.uint32)),
        lambda x: jax.random.uniform(jax.random.PRNGKey(3), (4,)) + x,
        lambda x: x,
        lambda x: jnp.zeros((0, 3)),
    ],
)
def test_functions(function):
    compare(function, numpy.array([0.25, 0.5, 1, 3], "f"))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "?"])
def test_element_types_are_those_of_jax(dtype):
    compare(lambda x: (x, x == x[0], x.max()), numpy.array([1, 0, 3], dtype))


def test_unsigned_integers():
    compare(lambda x: (x // 3, x > 5, x.astype(jnp.float32), lax.cummax(x)), numpy.array([1, 4_000_000_000, 7, 2], "u4"))


def test_numbers_trees_and_names():
    compare(lambda x, scale, *, bias: x["a"] * scale + bias, {"a": numpy.ones(3, "f")}, 2, bias=0.5)


def test_results_are_of_the_framework_of_the_arguments():
    double = mdh.jit(lambda x: x * 2)
    assert type(double(numpy.ones(3, "f"))) is numpy.ndarray
    assert isinstance(double(jnp.ones(3)), jax.Array)


def test_a_function_is_compiled_once_for_each_signature():
    traced = []

    @mdh.jit(threads=1)
    def double(x):
        """Doubles."""
        traced.append(x.shape)
        return x * 2

    for array in (numpy.ones(3, "f"), numpy.zeros(3, "f"), numpy.ones(4, "f"), numpy.ones(3, "i")):
        double(array)
    assert traced == [(3,), (4,), (3,)] and double.__doc__ == "Doubles."
    assert double.compiled(numpy.ones(3, "f")) is double.compiled(numpy.zeros(3, "f"))
    assert "linalg.generic" in double.lowered(numpy.ones(3, "f"))


@pytest.mark.parametrize("options", [{"static_argnums": 1}, {"static_argnums": -1}, {"static_argnames": "n"}])
def test_static_arguments(options):
    power = mdh.jit(lambda x, n: x**n, **options)
    x = numpy.array([2, 3], "f")
    assert power(x, 2).tolist() == [4, 9] and power(x, n=3).tolist() == [8, 27]


def test_functions_are_parts_of_others():
    double = mdh.jit(lambda x: x * 2)
    assert jax.jit(lambda x: double(x) + 1)(jnp.ones(3)).tolist() == [3, 3, 3]
    assert jax.grad(lambda x: double(x).sum())(jnp.ones(3)).tolist() == [2, 2, 2]
    assert mdh.jit(lambda x: double(x) + 1)(numpy.ones(3, "f")).tolist() == [3, 3, 3]


def test_threads_may_call_a_function():
    product, x, results = mdh.jit(lambda x: x @ x), RANDOM.random((32, 32), numpy.float32), []
    threads = [threading.Thread(target=lambda: results.append(product(x))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    for result in results:
        numpy.testing.assert_allclose(result, x @ x, rtol=1e-4)


def test_what_cannot_be_compiled_is_an_error_at_the_line_of_python():
    with pytest.raises(mdh.CompilationError, match=r"test_jax.py:\d+:\d+: error: unknown operation 'stablehlo.custom_call'"):
        mdh.jit(lambda x: lax.linalg.cholesky(x))(numpy.eye(3, dtype="f"))
    with pytest.raises(mdh.ArgumentTypeError, match="argument 1 requires real numbers, but has elements of type complex64"):
        mdh.jit(lambda x: x * 2)(numpy.ones(3, "F"))
    with pytest.raises(mdh.ArgumentTypeError, match="argument 1 requires real numbers, but has elements of type key"):
        mdh.jit(lambda key: jax.random.uniform(key, (4,)))(jax.random.key(3))
    with pytest.raises(TypeError, match="not a valid JAX type"):
        mdh.jit(lambda x: x)("text")
