"""Functions of JAX on complex numbers."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import mdh
import numpy
import pytest
from jax import lax
from test_jax import RANDOM


def numbers(*shape, scale=1.0):
    parts = RANDOM.uniform(-scale, scale, (2, *shape))
    return (parts[0] + 1j * parts[1]).astype("F")


def parts(array):
    """Real and imaginary parts, which are compared one by one."""
    array = numpy.asarray(array)
    return numpy.stack([array.real, array.imag]) if array.dtype.kind == "c" else array


def agree(found, wanted, rtol=1e-5, atol=1e-6):
    assert jax.tree.structure(found) == jax.tree.structure(wanted)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(wanted)):
        assert one.dtype == other.dtype and one.shape == other.shape
        numpy.testing.assert_allclose(parts(one), parts(other), rtol=rtol, atol=atol)


def compiled(function, *arguments, **tolerance):
    """Compares with JAX what is compiled as a whole."""
    agree(mdh.jit(function, fallback=False)(*arguments), jax.jit(function)(*arguments), **tolerance)


def test_arithmetic():
    x, y = numbers(5, 7), numbers(5, 7)
    for function in (
        lambda x, y: x + y * 2 - 3j,
        lambda x, y: x * y,
        lambda x, y: x / y,
        lambda x, y: -x + 1 / y,
        lambda x, y: x.conj() * y.imag + x.real,
        lambda x, y: jnp.where(x.real > y.real, x, y),
        lambda x, y: (x == y, x != x.conj().conj()),
        lambda x, y: lax.complex(x.imag, y.real),
    ):
        compiled(function, x, y)
        compiled(function, jnp.asarray(x), jnp.asarray(y))


@pytest.mark.parametrize(
    "name", ["abs", "angle", "cos", "cosh", "exp", "expm1", "log", "log1p", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh"]
)
def test_functions(name):
    compiled(getattr(jnp, name), numbers(4, 33, scale=3), rtol=2e-5, atol=1e-5)


def test_powers():
    x, y = numbers(9), numbers(9)
    compiled(lambda x, y: (x**3, x**y, x**0.5), x, y, rtol=2e-5)


def test_products_of_matrices():
    a, b, v = numbers(6, 8), numbers(8, 5), numbers(8)
    compiled(lambda a, b: a @ b, a, b)
    compiled(lambda a, v: (a @ v, jnp.vdot(v, v)), a, v)
    compiled(lambda a, b: jnp.einsum("ik,kj->ji", a.conj(), b), a, b)
    compiled(lambda a: jnp.einsum("bik,bjk->bij", a, a.conj()), numbers(3, 4, 5))
    compiled(lambda a, r: a @ r, a, RANDOM.random((8, 5), numpy.float32))


def test_reductions():
    x = numbers(6, 9)
    compiled(lambda x: (x.sum(), x.sum(0), x.mean(1)), x)
    compiled(lambda x: (x.prod(), x.prod(1)), x)
    compiled(lambda x: (jnp.linalg.norm(x), jnp.var(x)), x)


def test_shapes():
    x = numbers(4, 6)
    compiled(lambda x: x.T.reshape(8, 3)[::2, 1:], x)
    compiled(lambda x: jnp.pad(x, ((1, 0), (2, 1)), constant_values=1j), x)
    compiled(lambda x: jnp.concatenate([x, x[::-1] * 1j], 1), x)
    compiled(lambda x: (x[2, 3], x[1], jnp.array([1j, 2, 3 - 1j]) * 2), x)
    compiled(lambda x: jnp.broadcast_to(x[:, :1], (4, 3)) + 1j, x)


def test_scalars_and_empty_arrays():
    compiled(lambda x: x * 2j, numpy.complex64(1 + 2j))
    compiled(lambda x, y: x * y, 2.5j, numbers(3))
    empty = numbers(0, 3)
    agree(mdh.jit(lambda x: (x * 2, x.sum()))(empty), jax.jit(lambda x: (x * 2, x.sum()))(empty))


def test_loops_and_branches():
    x = numbers(5)
    compiled(lambda x: lax.fori_loop(0, 4, lambda i, y: y * x + 1j, x), x)
    compiled(lambda x: lax.cond(x[0].real > 0, lambda y: y * 2, lambda y: y.conj(), x), x)
    compiled(lambda x: lax.scan(lambda c, y: (c * y + 1, c), x[0], x), x)


def test_double_precision():
    with jax.enable_x64(True):
        x = RANDOM.random((4, 4)) + 1j * RANDOM.random((4, 4))
        compiled(lambda x: jnp.exp(x @ x.conj().T), x)


def test_special_numbers():
    parts = numpy.array([0.0, -0.0, 1.0, -2.0, numpy.inf, -numpy.inf, numpy.nan, 1e38], "f")
    x = (parts[:, None] + 1j * parts).astype("F").reshape(-1)
    with numpy.errstate(all="ignore"):
        compiled(lambda x: (abs(x), x.conj(), jnp.angle(x)), x)
        compiled(lambda x: x / (3 + 4j), x[numpy.isfinite(x)])


def test_what_jax_executes():
    x = numbers(3, 3)
    with pytest.raises(mdh.CompilationError, match="the Fourier transform is not supported"):
        mdh.jit(lambda x: jnp.fft.fft(x), fallback=False)(x)


    def function(x):
        return jnp.abs(jnp.fft.ifft2(jnp.fft.fft2(x * 2) * x.conj()))

    agree(mdh.jit(function)(x), jax.jit(function)(x))
