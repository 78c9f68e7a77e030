"""Models of PyTorch on complex numbers."""

from __future__ import annotations

import numpy
import pytest
import torch


def numbers(*shape, dtype=torch.complex64):
    return torch.randn(shape, dtype=dtype)


def compiled(function, *arguments, rtol=1e-5, atol=1e-5):
    """Compares with PyTorch what is compiled as a whole."""
    torch._dynamo.reset()
    found = torch.compile(function, backend="mdh", options={"fallback": False}, dynamic=False)(*arguments)
    wanted = function(*arguments)
    pairs = zip(found, wanted) if isinstance(wanted, tuple) else [(found, wanted)]
    for one, other in pairs:
        assert one.dtype == other.dtype and one.shape == other.shape
        torch.testing.assert_close(one.resolve_conj(), other.resolve_conj(), rtol=rtol, atol=atol)


def test_arithmetic():
    x, y, r = numbers(5, 7), numbers(5, 7), torch.randn(7)
    for function in (
        lambda x, y, r: x + y * 2 - 3j,
        lambda x, y, r: x * y + r,
        lambda x, y, r: (x / y, 1 / x, x / 2, r / x),
        lambda x, y, r: -x.conj() * y.imag + x.real,
        lambda x, y, r: torch.where(r > 0, x, y),
        lambda x, y, r: (x == y, x != x),
        lambda x, y, r: torch.complex(x.imag, y.real * r),
        lambda x, y, r: torch.view_as_complex(torch.view_as_real(x * y) * 2),
        lambda x, y, r: x**2 + torch.polar(r, r),
    ):
        compiled(function, x, y, r)


@pytest.mark.parametrize("name", ["abs", "angle", "cos", "exp", "log", "reciprocal", "sgn", "sin", "sqrt", "square", "tanh"])
def test_functions(name):
    compiled(getattr(torch, name), numbers(4, 33))


def test_products_of_matrices():
    a, b, v = numbers(6, 8), numbers(8, 5), numbers(8)
    compiled(lambda a, b: a @ b, a, b)
    compiled(lambda a, b: a.conj().mT @ a, a, b)
    compiled(lambda a, v: (a @ v, torch.vdot(v, v)), a, v)
    compiled(lambda a, b: torch.bmm(a, b.mT), numbers(3, 4, 5), numbers(3, 6, 5))


def test_reductions_and_shapes():
    x = numbers(4, 6)
    compiled(lambda x: (x.sum(), x.sum(0), x.mean(1)), x)
    compiled(lambda x: x.T.reshape(8, 3)[::2, 1:], x)
    compiled(lambda x: torch.cat([x, x.flip(0) * 1j], 1), x)
    compiled(lambda x: (x[2], x.to(torch.complex128) * 2, x[:, :1].expand(4, 3) + 1), x)


def test_strides_and_lazy_conjugates():
    x, y = numbers(6, 4), numbers(4, 6)
    compiled(lambda x, y: x.T * y, x, y)
    compiled(lambda x, y: x * y, x.conj(), y.T)
    assert numpy.iscomplexobj(x.numpy())


def test_gradients():
    def function(x):
        return (x * x.conj()).real.sum() + x.abs().sum()

    one, other = (numbers(5).requires_grad_() for _ in range(2))
    other.data.copy_(one.data)
    torch._dynamo.reset()
    torch.compile(function, backend="mdh")(one).backward()
    function(other).backward()
    torch.testing.assert_close(one.grad, other.grad)


def test_what_pytorch_executes():
    x = numbers(8)
    torch._dynamo.reset()
    found = torch.compile(lambda x: torch.fft.ifft(torch.fft.fft(x * 2) * x).abs(), backend="mdh")(x)
    torch.testing.assert_close(found, torch.fft.ifft(torch.fft.fft(x * 2) * x).abs())


def test_special_numbers():
    parts = torch.tensor([0.0, -0.0, 1.0, -2.0, torch.inf, -torch.inf, 1e38, 1e-30])
    x = torch.complex(*torch.meshgrid(parts, parts, indexing="ij")).flatten()
    compiled(lambda x: (x.abs(), x.angle(), x.conj()), x)
    finite = x[torch.isfinite(x) & (x.abs() > 0)]
    compiled(lambda x: ((3 + 4j) / x * x, x / (1 + 2j)), finite)
