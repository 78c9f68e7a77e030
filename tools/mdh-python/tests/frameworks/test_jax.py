"""Functions on `jax.numpy` arrays with `mdh.jit`, compared with `jax.jit`."""

from __future__ import annotations

import functools
import pathlib
import sys
import threading
import tracemalloc

import jax
import jax.numpy as jnp
import mdh
import mdh.jax.function
import numpy
import pytest
from jax import lax

sys.path.insert(0, str(pathlib.Path(__file__).parents[4]))
from bench.frontends.jax_programs import PROGRAMS

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
    assert repr(double) == "<mdh.jit double>"


@pytest.mark.parametrize("fallback", [True, False])
def test_programs_that_are_not_compiled_are_lowered(fallback):
    ranks = mdh.jit(lambda x: jnp.sort(x) + 1, fallback=fallback)
    assert "stablehlo.sort" in ranks.lowered(numpy.ones(3, "f"))
    with pytest.raises(mdh.ArgumentTypeError, match="requires the arguments of a call: missing a required argument"):
        ranks.lowered()


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


def test_static_arguments_have_a_type():
    scaled = mdh.jit(lambda x, n: x * (n if isinstance(n, int) else n + 1), static_argnums=1)
    x = numpy.array([2, 3], "f")
    assert scaled(x, 2).tolist() == [4, 6] and scaled(x, 2.0).tolist() == [6, 9]
    with pytest.raises(mdh.ArgumentTypeError, match="static arguments .* must be hashable: unhashable type: 'list'"):
        scaled(x, [2])
    with pytest.raises(mdh.ArgumentTypeError, match="static arguments .* must be hashable: unhashable type: 'list'"):
        scaled.compiled(x, [2])


def test_methods():
    class Scale:
        factor = 3

        @functools.partial(mdh.jit, static_argnums=0)
        def scaled(self, x):
            """Scales."""
            return x * self.factor

    assert Scale().scaled(numpy.ones(2, "f")).tolist() == [3, 3] and Scale.scaled.__doc__ == "Scales."


def test_functions_may_call_themselves():
    @functools.partial(mdh.jit, static_argnums=1)
    def power(x, n):
        # The inner call is with values while the outer one is traced.
        return x if n == 0 else x + power(numpy.ones(3, "f"), n - 1)

    assert power(numpy.ones(3, "f"), 3).tolist() == [4, 4, 4]


def test_values_that_are_traced_are_used_inside():
    x, weights = RANDOM.random((4, 3), numpy.float32), jnp.ones(3)
    gradient = jax.grad(lambda weights: mdh.jit(lambda x: (x * weights).sum())(x))(weights)
    numpy.testing.assert_allclose(gradient, x.sum(0), rtol=1e-6)


def test_arrays_are_not_copied():
    double = mdh.jit(lambda x: x[:1, :1] * 2)
    large = numpy.ones((1000, 1000), "f")
    for x in (large, large.T, large[::-1, ::3]):
        double(x)
        tracemalloc.start()
        double(x)
        assert tracemalloc.get_traced_memory()[1] < 10_000
        tracemalloc.stop()


def test_results_are_given_to_jax_without_copies(monkeypatch):
    given, lend = [], jnp.from_dlpack
    monkeypatch.setattr(jnp, "from_dlpack", lambda array: given.append(array) or lend(array))
    result = mdh.jit(lambda x: x + 1)(jnp.ones((100, 100)))
    assert result.unsafe_buffer_pointer() == given[0].ctypes.data
    numpy.testing.assert_array_equal(result, jnp.full((100, 100), 2.0))


@pytest.mark.parametrize("view", [lambda x: x.T, lambda x: x[::-1, ::2], lambda x: numpy.broadcast_to(x[0], (3, 9)), lambda x: x[:0]])
def test_views(view):
    compare(lambda x: (x + 1, x.sum(0)), view(RANDOM.random((7, 9), numpy.float32)))


def test_unaligned_and_read_only_arrays():
    unaligned = numpy.zeros(41, "u1")[1:].view("f")
    read_only = numpy.ones(10, "f")
    read_only.flags.writeable = False
    for x in (unaligned, read_only):
        compare(lambda x: x * 2 + 1, x)


def test_numbers_of_64_bits():
    with jax.enable_x64(True):
        compare(lambda x, n: (x * n, x.astype(jnp.int64).sum()), numpy.array([0.5, 2.0**40]), 3)
        compare(lambda x: x // 3, numpy.array([2**63 + 5, 7], "u8"))
    assert mdh.jit(lambda x: x)(numpy.ones(2)).dtype == "f4"


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.sum(),
        lambda x: (x > 0).all(axis=0),
        lambda x: x.T @ x,
        lambda x: jnp.concatenate([x, jnp.ones((1, 3))]),
        lambda x: lax.reduce((x, x), (1.0, 2.0), lambda a, b: (a[0] + b[0], a[1] * b[1]), (0,)),
    ],
)
def test_arrays_without_elements(function):
    compare(function, numpy.zeros((0, 3), "f"))


@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_associative_scans(size):
    compare(lambda x: lax.associative_scan(jnp.maximum, x), RANDOM.random((size, 3), numpy.float32))


NUMBERS = "numbers or bool"


@pytest.mark.parametrize(
    "error, problem, argument",
    [
        (mdh.ArgumentTypeError, f"argument 1['a'][1] requires {NUMBERS}, but has elements of type <U1", {"a": [1, numpy.array(["b"])]}),
        (mdh.ArgumentTypeError, f"argument 1 requires {NUMBERS}, but has elements of type object", numpy.array([None])),
        (mdh.ArgumentTypeError, "argument 1 requires the byte order of the processor, but has elements of type >f4", numpy.ones(3, ">f4")),
        (mdh.ArgumentTypeError, "argument 1 requires arrays, numbers, or trees of them, but has the type str", "text"),
        (mdh.ArgumentValueError, "argument 1 requires an integer of 32 bits, but is 1099511627776", 2**40),
    ],
)
def test_arguments_that_are_wrong(error, problem, argument):
    for given, named, place in (([argument], {}, "argument 1"), ([], {"x": argument}, "argument 'x'")):
        with pytest.raises(error) as raised:
            mdh.jit(lambda x: x)(*given, **named)
        assert str(raised.value) == problem.replace("argument 1", place)


def test_arrays_of_other_devices_are_errors(monkeypatch):
    double, x = mdh.jit(lambda x: x * 2), jnp.ones(3)
    assert double(x).tolist() == [2, 2, 2]
    # There is no other device here.
    monkeypatch.setattr(mdh.jax.function, "_is_here", lambda array: False)
    with pytest.raises(mdh.ArgumentValueError, match=r"argument 1\[0\] requires memory of the processor, but is on cpu:0"):
        mdh.jit(lambda x: x[0] * 2)([x])


def test_a_number_is_checked_at_each_call():
    double = mdh.jit(lambda x: x * 2)
    assert double(4) == 8
    with pytest.raises(mdh.ArgumentValueError, match="requires an integer of 32 bits, but is -2147483649"):
        double(-(2**31) - 1)


def test_what_a_compiled_function_requires():
    def traced(x):
        with pytest.raises(mdh.ArgumentTypeError, match="requires arguments that are not traced by JAX"):
            mdh.jit(jnp.sin).compiled(x)
        return x

    jax.jit(traced)(1.0)
    assert "tensor<3xf32>" in mdh.jit(jnp.sin).lowered(jax.ShapeDtypeStruct((3,), "f4"))


def test_an_extra_that_is_missing_is_an_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(mdh.Error, match=r"mdh.jit requires jax: pip install 'mdh-compiler\[jax\]'"):
        mdh.jit(lambda x: x)


def test_functions_are_tuned_for_arguments(tmp_path):
    path = tmp_path / "tuned.db"

    @mdh.jit(threads=1, database=path)
    def scale(x, factors):
        return jnp.dot(x, factors["of"]) * 2

    x, factors = RANDOM.random((16, 24), numpy.float32), {"of": RANDOM.random((24, 8), numpy.float32)}
    result = mdh.tune(scale, x, factors, budget=1, database=path)
    assert (result.function, result.evaluations) == ("main", 1)
    numpy.testing.assert_allclose(scale(x, factors), x @ factors["of"] * 2, rtol=1e-5)
    shapes = jax.tree.map(lambda array: jax.ShapeDtypeStruct(array.shape, array.dtype), (x, factors))
    # Shapes name the same function, whose budget has been used.
    assert not mdh.tune(scale, *shapes, budget=1, database=path).is_new
