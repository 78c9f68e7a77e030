"""Programs of `mdh.jit` of which JAX executes a part, and operations that are rewritten before they are compiled."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import mdh
import numpy
import pytest
from jax import lax
from test_jax import RANDOM, compare

UNSUPPORTED = (
    (lambda x: lax.linalg.cholesky(x), "Cholesky's decomposition is not supported"),
    (lambda x: jnp.median(x) + jnp.median(x, axis=0), "sorting is not supported"),
    (lambda x: jax.pure_callback(numpy.sin, x, x) + 1, "a call of Python is not supported"),
    (lambda x: jnp.linalg.svd(x)[1], "the singular value decomposition is not supported"),
    (lambda x: jnp.abs(jnp.fft.fft(x.sum(0))), "the Fourier transform is not supported"),
    (lambda x: lax.fori_loop(0, 3, lambda i, y: jnp.sort(y + i), -x), "sorting is not supported"),
)


def test_what_cannot_be_compiled_is_an_error_at_the_line_of_python():
    for function, problem in UNSUPPORTED:
        line = function.__code__.co_firstlineno
        with pytest.raises(mdh.CompilationError, match=rf"test_jax_parts.py:{line}:\d+: error: {problem}"):
            mdh.jit(function, fallback=False)(numpy.eye(3, dtype="f"))


@pytest.mark.parametrize("function", [function for function, _ in UNSUPPORTED])
def test_what_cannot_be_compiled_is_executed_by_jax(function):
    x = RANDOM.random((3, 3), numpy.float32)
    compare(lambda x: function(x @ x.T + jnp.eye(3)) * 2 + 1, x)
    compare(lambda x: function(x @ x.T + jnp.eye(3)) * 2 + 1, jnp.asarray(x))


def test_what_is_around_it_is_compiled(capsys, caplog):
    caplog.set_level("INFO", "mdh.jax")
    ranks = mdh.jit(lambda x: jnp.sort((x * 2).sum(1))[::-1] + 1, verbose=True)
    x = RANDOM.random((5, 4), numpy.float32)
    numpy.testing.assert_allclose(ranks(x), numpy.sort((x * 2).sum(1))[::-1] + 1, rtol=1e-6)
    printed = capsys.readouterr().err.splitlines()
    assert "sorting is not supported" in printed[0] and printed[0].startswith("mdh: JAX executes sort: ")
    assert printed[1].endswith("are compiled, in 2 parts")
    assert [f"mdh: {record.message}" for record in caplog.records] == printed
    with pytest.raises(mdh.CompilationError, match="sorting is not supported"):
        ranks.compiled(x)


def test_parts_hand_over_what_they_need():
    weights = jnp.arange(4.0)

    def function(x, unused):
        y = jax.nn.relu(x) + weights
        z, order = lax.sort_key_val(y, jnp.arange(4))
        # A part of JAX reads a value of the first part, and one that nothing uses is not computed.
        jnp.sort(unused)
        return {"all": (x, z * y, order), "again": jnp.sort(z + y), "number": 3}

    compare(function, jnp.array([3.0, -1, 2, 0]), jnp.ones(2))


def test_results_are_new_arrays():
    function = mdh.jit(lambda x: (x, jnp.sort(x), x * 2, jnp.sort(x) + 1, 5))
    x = numpy.array([3, 1, 2], "f")
    results = function(x)
    for result in results:
        assert type(result) is numpy.ndarray and result.flags.writeable and not numpy.shares_memory(result, x)
        result += 1
    assert x.tolist() == [3, 1, 2] and [one.tolist() for one in results] == [[4, 2, 3], [2, 3, 4], [7, 3, 5], [3, 4, 5], 6]
    assert all(isinstance(one, jax.Array) for one in function(jnp.asarray(x)))


def test_arrays_are_handed_over_without_copies(monkeypatch):
    given, lend = [], jnp.from_dlpack
    monkeypatch.setattr(jnp, "from_dlpack", lambda array: given.append(array.ctypes.data) or lend(array))
    function = mdh.jit(lambda x: jnp.sort(x * 2))
    function(RANDOM.random(1000, numpy.float32))
    # The part of JAX reads what the compiled one has computed.
    assert len(given) == 1


def test_effects_stay_in_order(capfd):
    @mdh.jit
    def function(x):
        jax.debug.print("first {}", x.sum(), ordered=True)
        y = x * 2
        jax.debug.print("then {}", y.sum(), ordered=True)
        return y + 1

    assert function(numpy.ones(3, "f")).tolist() == [3, 3, 3]
    jax.effects_barrier()
    assert capfd.readouterr().out.split("\n") == ["first 3.0", "then 6.0", ""]


def test_programs_of_jax_are_not_changed():
    function = lambda x: jnp.sin(x) + 1
    mdh.jit(function)(jnp.ones(4))
    numpy.testing.assert_allclose(jax.jit(function, keep_unused=True)(jnp.ones(4)), numpy.sin(1) + 1, rtol=1e-6)


@pytest.mark.parametrize("dtype, count", [("bfloat16", 300), ("bfloat16", 3000), ("float16", 3000)])
@pytest.mark.parametrize("strict", [False, True])
def test_sums_of_16_bits_are_accumulated_in_f32(dtype, count, strict):
    ones, kernel = jnp.ones((2, count), dtype), jnp.ones((1, 1, count), dtype)
    for function in (
        lambda x: x @ x.T,
        lambda x: jnp.cumsum(x, axis=1),
        lambda x: lax.reduce(x, numpy.zeros((), x.dtype), lax.add, (1,)),
        lambda x: lax.conv(x.reshape(2, 1, count), kernel, (1,), "VALID"),
        lambda x: jnp.einsum("ij,kj->ik", x, x, preferred_element_type=jnp.float32),
    ):
        wanted, found = jax.jit(function)(ones), mdh.jit(function, strict=strict)(ones)
        assert found.dtype == wanted.dtype
        numpy.testing.assert_array_equal(numpy.asarray(found, "f"), numpy.asarray(wanted, "f"))


def test_operations_that_change_no_number():
    layer = jax.checkpoint(lambda x, w: jnp.tanh(x @ w))
    x, w = numpy.ones((2, 4), "f"), numpy.eye(4, dtype="f")
    compare(jax.grad(lambda w, x: layer(layer(x, w), w).sum()), w, x)
    compare(lambda x: (x.sum(axis=()), x.max(axis=()), lax.reduce((x, x), (1.0, 2.0), lambda a, b: (a[0] + b[0], a[1] * b[1]), ())), x)
    algorithms = [lax.DotAlgorithmPreset.F32_F32_F32, lax.DotAlgorithmPreset.BF16_BF16_F32]
    for algorithm, dtype in zip(algorithms, (jnp.float32, jnp.bfloat16)):
        compare(lambda x: jnp.dot(x, x.T, precision=algorithm), jnp.asarray(x, dtype))


def test_keys_of_random_numbers():
    for make in (jax.random.key, lambda seed: jax.random.split(jax.random.key(seed), 3)[1], lambda seed: jax.random.key(seed, impl="rbg")):
        compare(lambda key: jax.random.uniform(key, (8,)), make(3))
        split, expected = mdh.jit(jax.random.split)(make(3)), jax.random.split(make(3))
        assert split.dtype == expected.dtype and (jax.random.key_data(split) == jax.random.key_data(expected)).all()


def test_complex_arrays():
    x = RANDOM.random((3, 3)) + 1j * RANDOM.random((3, 3))
    for array in (x.astype("F"), jnp.asarray(x, "F")):
        product = mdh.jit(lambda a, b: (a @ b, jnp.abs(a)))(array, array)
        assert type(product[0]) is type(array) or isinstance(product[0], jax.Array)
        numpy.testing.assert_allclose(product[0], x @ x, rtol=1e-5)
        numpy.testing.assert_allclose(product[1], abs(x), rtol=1e-5)
