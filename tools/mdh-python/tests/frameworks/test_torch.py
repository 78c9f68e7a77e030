"""Modules of PyTorch with `torch.compile(…, backend="mdh")`, compared with PyTorch's own execution."""

from __future__ import annotations

import logging
import sys
import threading

import mdh
import mdh.torch.graph
import pytest
import torch
from torch import nn
from torch.nn import functional as F


class Residual(nn.Module):
    """A block of ResNet-18 that halves the image."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(16, 32, 3, stride=2, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(32)
        self.second = nn.Conv2d(32, 32, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(32)
        self.shortcut = nn.Sequential(nn.Conv2d(16, 32, 1, stride=2, bias=False), nn.BatchNorm2d(32))

    def forward(self, x):
        y = F.relu(self.first_norm(self.first(x)))
        return F.relu(self.second_norm(self.second(y)) + self.shortcut(x))


class CausalAttention(nn.Module):
    """Attention of several heads, in which a token depends on those before it."""

    def __init__(self) -> None:
        super().__init__()
        self.all = nn.Linear(64, 192)
        self.out = nn.Linear(64, 64)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (one.view(batch, length, 4, 16).transpose(1, 2) for one in self.all(x).split(width, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class GatedUnit(nn.Module):
    """Root mean square norm and the gated layers of a language model."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.rand(64))
        self.gate, self.up, self.down = nn.Linear(64, 128), nn.Linear(64, 128), nn.Linear(128, 64)

    def forward(self, x):
        y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.scale
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Excitation(nn.Module):
    """Scales the channels of an image by what their means say."""

    def __init__(self) -> None:
        super().__init__()
        self.less, self.more = nn.Linear(32, 8), nn.Linear(8, 32)

    def forward(self, x):
        weights = torch.sigmoid(self.more(F.relu(self.less(x.mean((2, 3))))))
        return x * weights[:, :, None, None]


class Words(nn.Module):
    """A classifier of sets of words."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.classes = nn.Embedding(100, 16), nn.Linear(16, 5)

    def forward(self, words):
        return F.log_softmax(self.classes(self.words(words).mean(1)), -1)


class Unrolled(nn.Module):
    """A recurrent cell, applied eight times."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(16, 32)

    def forward(self, x):
        state = x.new_zeros(x.shape[1], 32)
        for step in range(8):
            state = self.cell(x[step], state)
        return state


MODULES = {
    "perceptron": (lambda: nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 10)), lambda: torch.randn(32, 64)),
    "resnet_block": (Residual, lambda: torch.randn(2, 16, 28, 28)),
    "transformer_layer": (lambda: nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), lambda: torch.randn(2, 24, 64)),
    "causal_attention": (CausalAttention, lambda: torch.randn(2, 24, 64)),
    "gated_unit": (GatedUnit, lambda: torch.randn(48, 64)),
    "lenet": (
        lambda: nn.Sequential(
            nn.Conv2d(1, 6, 5), nn.Tanh(), nn.AvgPool2d(2), nn.Conv2d(6, 16, 5), nn.Tanh(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(256, 84), nn.Tanh(), nn.Linear(84, 10), nn.Softmax(-1),
        ),
        lambda: torch.randn(4, 1, 28, 28),
    ),
    "separable_convolution": (
        lambda: nn.Sequential(nn.Conv2d(16, 16, 3, padding=1, groups=16), nn.BatchNorm2d(16), nn.Hardswish(), nn.Conv2d(16, 32, 1)),
        lambda: torch.randn(2, 16, 20, 20),
    ),
    "excitation": (Excitation, lambda: torch.randn(2, 32, 14, 14)),
    "autoencoder": (
        lambda: nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.GroupNorm(2, 8), nn.LeakyReLU(), nn.ConvTranspose2d(8, 3, 4, stride=2, padding=1)
        ),
        lambda: torch.randn(2, 3, 24, 24),
    ),
    "words": (Words, lambda: torch.randint(0, 100, (8, 12))),
    "recurrent_cell": (Unrolled, lambda: torch.randn(8, 4, 16)),
}


@pytest.fixture(autouse=True)
def _clean():
    torch._dynamo.reset()
    # A transformer layer in evaluation is otherwise one operation, which no compiler decomposes.
    torch.backends.mha.set_fastpath_enabled(False)
    torch.manual_seed(0)


@pytest.mark.parametrize("name", MODULES)
def test_modules_are_compiled_completely(name):
    make, example = MODULES[name]
    model, x = make().eval(), example()
    compiled = torch.compile(model, backend="mdh", options={"fallback": False})
    with torch.no_grad():
        torch.testing.assert_close(compiled(x), model(x), rtol=1e-3, atol=1e-4)


def test_other_batch_sizes_are_right():
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.LayerNorm(32), nn.Linear(32, 4)).eval()
    compiled = torch.compile(model, backend="mdh", options={"fallback": False})
    with torch.no_grad():
        for batch in (3, 5, 8, 1):
            x = torch.randn(batch, 16)
            torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-5)


def test_what_cannot_be_compiled_is_executed_by_pytorch(caplog, capsys):
    def function(x, y):
        values, order = torch.sort(torch.exp(x) @ y, dim=-1)
        return torch.fft.rfft(values * 2).abs() + 1, order + 1

    x, y = torch.randn(4, 6), torch.randn(6, 8)
    compiled = torch.compile(function, backend="mdh", options={"verbose": True})
    with caplog.at_level(logging.INFO, "mdh.torch"):
        torch.testing.assert_close(compiled(x, y), function(x, y))
    assert "PyTorch executes aten.sort.default: " in caplog.text
    assert "PyTorch executes aten._fft_r2c.default: requires real numbers, but has torch.complex64" in caplog.text
    assert "are compiled, in " in caplog.text and "0 are compiled" not in caplog.text
    assert "mdh: PyTorch executes aten.sort.default: " in capsys.readouterr().err


@pytest.mark.parametrize(
    "function, problem",
    [
        (lambda x: torch.fft.fft(x), "real numbers"),
        (lambda x: torch.sort(x * 2)[0], "sorting is not supported"),
        (lambda x: torch.linalg.svd(x + 1)[1], "the singular value decomposition is not supported"),
        (lambda x: torch.rand_like(x) + 1, "random numbers are not supported"),
    ],
)
def test_without_fallback_that_is_an_error(function, problem):
    compiled = torch.compile(function, backend="mdh", options={"fallback": False})
    with pytest.raises(Exception, match=r"test_torch.py:\d+: .*" + problem):
        compiled(torch.ones(4, 4))


def test_what_cannot_be_compiled_is_remembered(monkeypatch, tmp_path):
    monkeypatch.setenv("MDH_CACHE_DIR", str(tmp_path))

    def function(x):
        return torch.sort(x * 2)[0] + 1

    x = torch.tensor([3.0, 1.0, 2.0])
    compare = torch.compile(function, backend="mdh")
    torch.testing.assert_close(compare(x), function(x))
    torch._dynamo.reset()
    # The graph and the operation have failed before; what is left are the parts.
    compiled = []
    monkeypatch.setattr(mdh.torch.graph.program, "compile", lambda *given, **named: compiled.append(given) or 1 / 0)
    with pytest.raises(Exception, match="division by zero"):
        torch.compile(function, backend="mdh")(x)
    assert len(compiled) == 1
    assert "sort" not in compiled[0][0]


@pytest.mark.parametrize(
    "named, problem",
    [
        ({"options": {"speed": 2}}, "the backend mdh has no option 'speed': it has 'threads', 'strict', 'database', 'verbose', 'fallback'"),
        ({"options": {"threads": 0}}, "the option threads of the backend mdh must be a positive integer, but is 0"),
        ({"options": {"strict": "no"}}, "the option strict of the backend mdh must be True or False, but is 'no'"),
        ({"options": {"database": 3}}, "a database must be a path, but is 3"),
        ({"mode": "max-autotune"}, "the backend mdh has options, but no modes: mode must be None, but is 'max-autotune'"),
    ],
)
def test_wrong_options_are_errors(named, problem):
    with pytest.raises(Exception, match=problem) as raised:
        torch.compile(torch.relu, backend="mdh", **named)(torch.ones(3))
    assert isinstance(raised.value.inner_exception, mdh.Error)


@pytest.mark.parametrize("name", ["torch_mlir", "torch_mlir.extras.fx_decomp_util"])
def test_an_extra_that_is_missing_is_an_error(monkeypatch, name):
    for loaded in [one for one in sys.modules if one.startswith("torch_mlir")]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(Exception, match=r"the backend mdh requires torch-mlir: pip install 'mdh-compiler\[torch\]'"):
        torch.compile(torch.relu, backend="mdh")(torch.ones(3))


def test_tensors_of_other_devices_are_for_pytorch():
    def function(x):
        return x + 1

    assert torch.compile(function, backend="mdh")(torch.ones(3, device="meta")).device.type == "meta"
    with pytest.raises(Exception, match="requires tensors in the memory of the processor, but one is on meta"):
        torch.compile(function, backend="mdh", options={"fallback": False})(torch.ones(3, device="meta"))


@pytest.mark.parametrize("threads, wanted", [(None, 1), (3, 3)])
def test_threads_are_those_of_pytorch(monkeypatch, threads, wanted):
    given, compile = [], mdh.torch.graph.program.compile
    monkeypatch.setattr(mdh.torch.graph.program, "compile", lambda *a, **named: given.append(named["threads"]) or compile(*a, **named))
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        torch.compile(torch.exp, backend="mdh", options={"threads": threads})(torch.ones(5))
    finally:
        torch.set_num_threads(before)
    assert given == [wanted]


@pytest.mark.parametrize("view", [lambda x: x.T, lambda x: x[::2, ::3], lambda x: x[0].expand(4, 12), lambda x: x[:0]])
def test_views_are_arguments(view):
    x = view(torch.randn(8, 12))
    compiled = torch.compile(lambda x: (x * 2, x.sum(0)), backend="mdh", options={"fallback": False})
    torch.testing.assert_close(compiled(x), (x * 2, x.sum(0)))


def test_tensors_are_not_copied(monkeypatch):
    given, call = [], mdh.Function.__call__
    monkeypatch.setattr(mdh.Function, "__call__", lambda self, *a, **named: given.append((a, named)) or call(self, *a, **named))
    x = torch.randn(30, 40)
    result = torch.compile(lambda x: x + 1, backend="mdh", options={"fallback": False})(x.T)
    ((argument,), named), = given
    assert argument.ctypes.data == x.data_ptr() and argument.strides == (4, 160)
    assert named["out"][0].ctypes.data == result.data_ptr()


def test_tensors_that_are_negated_lazily():
    x = torch.tensor([1 + 2j, 3 - 4j]).conj().imag
    assert x.is_neg()
    torch.testing.assert_close(torch.compile(lambda x: x * 2, backend="mdh")(x), x * 2)


def test_threads_may_call_a_model():
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2)).eval()
    compiled, x, results = torch.compile(model, backend="mdh"), torch.randn(4, 6), []

    def call():
        with torch.no_grad():
            results.extend(compiled(x) for _ in range(10))

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 40
    with torch.no_grad():
        for result in results:
            torch.testing.assert_close(result, model(x))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8])
def test_integers_that_torch_mlir_has_wrong_are_for_pytorch(dtype):
    def function(x):
        return x * 2, x.sum(), x // 3, x.to(torch.float32) / 255, x[1:].long()

    x = torch.tensor([[250, 3], [7, 128]], dtype=torch.uint8).to(dtype)
    torch.testing.assert_close(torch.compile(function, backend="mdh")(x), function(x))
    converted = torch.compile(lambda x: x.permute(1, 0).to(torch.float32) / 255, backend="mdh", options={"fallback": False})
    torch.testing.assert_close(converted(x), x.T.to(torch.float32) / 255)


def test_arguments_by_name_and_trees():
    def function(x, *, scale, bias=None):
        return {"scaled": x * scale, "both": [x + bias["b"], None, 3]}

    x = torch.randn(3)
    named = {"scale": 2.5, "bias": {"b": torch.ones(3)}}
    found, wanted = torch.compile(function, backend="mdh", options={"fallback": False})(x, **named), function(x, **named)
    torch.testing.assert_close(found["scaled"], wanted["scaled"])
    torch.testing.assert_close(found["both"][0], wanted["both"][0])
    assert found["both"][1:] == [None, 3]


def test_strides_of_results_are_those_of_pytorch():
    def function(x):
        return (x + 1).transpose(0, 1), (x * 2).to(memory_format=torch.channels_last)

    x = torch.randn(2, 3, 4, 5)
    for found, wanted in zip(torch.compile(function, backend="mdh", options={"fallback": False})(x), function(x)):
        torch.testing.assert_close(found, wanted)
        assert found.stride() == wanted.stride()


def test_tensors_are_updated_in_place():
    def function(x):
        x.mul_(2)
        return x.sum()

    x, other = torch.ones(5), torch.ones(5)
    assert torch.compile(function, backend="mdh")(x) == function(other) and x.tolist() == other.tolist()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.int8, torch.uint8, torch.bool])
def test_element_types(dtype):
    def function(x, y):
        return (x | y if dtype is torch.bool else x * y + x), x == y

    x, y = (torch.randint(0, 2 if dtype is torch.bool else 9, (3, 7)).to(dtype) for _ in range(2))
    torch.testing.assert_close(torch.compile(function, backend="mdh")(x, y), function(x, y))


def test_gradients_and_random_numbers_are_those_of_pytorch():
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 2))
    x = torch.randn(4, 6)

    def gradients(function):
        model.zero_grad()
        torch.manual_seed(1)
        function(x).sum().backward()
        return [parameter.grad.clone() for parameter in model.parameters()]

    torch.testing.assert_close(gradients(torch.compile(model, backend="mdh")), gradients(model))


def test_tensors_are_arguments_and_results_of_functions():
    double = mdh.compile("""
        func.func @double(%x: tensor<4xbf16>) -> tensor<4xbf16> {
          %e = tensor.empty() : tensor<4xbf16>
          %y = linalg.add ins(%x, %x : tensor<4xbf16>, tensor<4xbf16>) outs(%e : tensor<4xbf16>) -> tensor<4xbf16>
          return %y : tensor<4xbf16>
        }""")
    result = double(torch.arange(4, dtype=torch.bfloat16))
    assert isinstance(result, torch.Tensor) and result.dtype is torch.bfloat16 and result.tolist() == [0, 2, 4, 6]
