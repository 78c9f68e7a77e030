"""Arrays of JAX and PyTorch for computations in the published interface."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy
import pytest
import torch
from mdh import *
from mdh import compiler


def scaled(T: BasicType, I: int | Size, K: int | Size) -> Computation:
    @mdh(out(w=Buffer[T]), inp(alpha=Scalar[T], M=Buffer[T], v=Buffer[T]), combine_ops(cc, pw(add)))
    def scaled(w: Any, alpha: Any, M: Any, v: Any) -> None:
        for i in range(I):
            for k in range(K):
                w[i] = alpha * M[i, k] * v[k]

    return scaled


M = numpy.arange(20, dtype="f").reshape(4, 5)
v = numpy.arange(5, dtype="f")
FUNCTION = compiler.compile(scaled(fp32, Size("I"), Size("K")))


def test_arrays_of_frameworks() -> None:
    for alpha, first, second in (
        (torch.tensor(2.0), torch.from_numpy(M), torch.from_numpy(v)),
        (jnp.float32(2), jnp.asarray(M), jnp.asarray(v)),
        (2, torch.from_numpy(M.T.copy()).T, jnp.asarray(v)),
        (2, torch.nn.Parameter(torch.from_numpy(M)), v),
    ):
        w = torch.zeros(4)
        FUNCTION.run(w, alpha, first, second)
        assert w.tolist() == (2 * M @ v).tolist()


def test_results_are_arrays_of_the_framework() -> None:
    for first, kind in ((torch.from_numpy(M), torch.Tensor), (jnp.asarray(M), jax.Array)):
        result = FUNCTION(2, first, v)
        assert isinstance(result, kind) and result.tolist() == (2 * M @ v).tolist()
    result = compiler.compile(scaled(bf16, 4, 5))(2, torch.from_numpy(M).bfloat16(), torch.from_numpy(v).bfloat16())
    assert result.dtype == torch.bfloat16


def test_elements_of_frameworks_are_converted() -> None:
    function = compiler.compile(scaled(fp32, 4, 5), cast=True)
    for first in (torch.from_numpy(M).double(), torch.from_numpy(M).bfloat16(), jnp.asarray(M, jnp.bfloat16)):
        assert function(torch.tensor(2), first, v).tolist() == (2 * M @ v).tolist()
    for dtype in (torch.float64, torch.bfloat16):
        w = torch.zeros(4, dtype=dtype)
        function.run(w, 2, M, v)
        assert w.tolist() == torch.from_numpy(2 * M @ v).to(dtype).tolist()


@pytest.mark.parametrize("taker", [mdh.compile, mdh.jit, mdh.explain, mdh.tune, compiler.compile])
def test_modules_of_pytorch_are_compiled_by_it(taker: Any) -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        taker(torch.nn.Linear(3, 4))
    what = "has the module 'Linear' of PyTorch: torch.compile(model, backend=\"mdh\") compiles it"
    assert str(raised.value).endswith(what)


def test_bf16() -> None:
    function = compiler.compile(scaled(bf16, 4, 5))
    w = torch.zeros(4, dtype=torch.bfloat16)
    function.run(w, jnp.bfloat16(2), jnp.asarray(M, jnp.bfloat16), torch.from_numpy(v).bfloat16())
    assert w.float().tolist() == (2 * M @ v).astype(bf16.dtype).astype("f").tolist()
    with pytest.raises(ArgumentTypeError, match="'v' of scaled must have the type bfloat16, but has uint16"):
        function.run(w, 2, torch.from_numpy(M).bfloat16(), torch.zeros(5, dtype=torch.uint16))


@pytest.mark.parametrize(
    "case",
    [
        (jnp.zeros(4), M, ArgumentValueError, "the output 'w' of scaled must be writable, but is read-only"),
        (
            torch.zeros(4).double(),
            M,
            ArgumentTypeError,
            "the output 'w' of scaled must have the type float32, but has float64",
        ),
        (
            torch.zeros(4),
            torch.zeros(4, 5, device="meta"),
            ArgumentValueError,
            "the input 'M' of scaled requires memory of the processor, but is on meta",
        ),
        (
            torch.zeros(4),
            jax.random.key(0),
            ArgumentTypeError,
            "the input 'M' of scaled requires an array, but PRNGKeyArray does not have one: JAX array with",
        ),
        (
            torch.zeros(4),
            torch.zeros(4, 5).to_sparse(),
            ArgumentTypeError,
            "the input 'M' of scaled requires an array, but Tensor does not have one: can't convert Sparse",
        ),
    ],
)
def test_arrays_that_are_refused(case: Any) -> None:
    w, first, kind, message = case
    with pytest.raises(kind) as raised:
        FUNCTION.run(w, 2, first, v)
    assert str(raised.value).startswith(message)
