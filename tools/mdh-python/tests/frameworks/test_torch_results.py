"""Results of operations of PyTorch at edges, with `torch.compile(…, backend="mdh")`, compared with eager."""

from __future__ import annotations

import logging
import math
import os
import signal
import subprocess
import sys

import mdh
import mdh.torch.lowering
import pytest
import torch
import torch.nn.functional as functional

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGERS = (torch.int16, torch.int32, torch.int64)


def copied(values):
    return [one.clone() if isinstance(one, torch.Tensor) else one for one in values]


def compare(function, *arguments, tolerance=0.0, **named):
    """Compares results, and whether there is an exception."""
    torch._dynamo.reset()
    compiled = torch.compile(function, backend="mdh", **named)
    with torch.no_grad():
        try:
            wanted = function(*copied(arguments))
        except Exception:
            with pytest.raises(Exception):
                compiled(*copied(arguments))
            return
        found = compiled(*copied(arguments))
    torch.testing.assert_close(found, wanted, rtol=tolerance, atol=tolerance, equal_nan=True, check_stride=False)


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_at_edges(dtype):
    x = torch.tensor([math.nan, math.inf, -math.inf, 0.0, -0.0, 1.5, -2.5, 0.1], dtype=dtype)
    y = torch.tensor([1.0, math.nan, 2.0, 0.0, 3.0, -1.5, 0.5, 0.1], dtype=dtype)
    compare(lambda x, y: (torch.maximum(x, y), torch.minimum(x, y), x.clamp(-1, 1), x.clamp(y, y + 1), x.clamp_min(0)), x, y)
    compare(lambda x: (functional.relu6(x), functional.hardtanh(x), x.clamp_max(1), torch.isfinite(x), torch.isnan(x)), x)
    compare(lambda x: (1 / x, torch.reciprocal(x), torch.nan_to_num(x)), x)
    compare(lambda x: (x.argmax(), x.argmin(), x.max(0), x.min(0), x.view(2, 4).argmax(1, keepdim=True)), x)


@pytest.mark.parametrize("dtype", FLOATS)
def test_moments_and_sums_of_exponentials(dtype):
    # The sum of the large ones is a number in f64.
    inf, largest = math.inf, torch.finfo(dtype).max / 4
    x = torch.tensor([[1.0, 2, 4], [math.nan, 1, 2], [inf, 1, 2], [-inf, 1, 0], [largest] * 3], dtype=dtype)
    near = {"tolerance": 1e-5 if torch.finfo(dtype).bits >= 32 else 2e-2}
    compare(lambda x: (torch.var_mean(x, dim=1), torch.std_mean(x[0]), torch.std(x, dim=(0, 1), keepdim=True)), x, **near)
    compare(lambda x: (torch.var_mean(x[:, :0]), torch.std_mean(x[0, :1]), torch.var(x[0], correction=0)), x, **near)
    compare(lambda x: (torch.logaddexp(x, x.flip(0)), torch.logaddexp2(x, -x), torch.logaddexp(x, x)), x, **near)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_are_no_floats_in_between(dtype):
    limits = torch.iinfo(dtype)
    x = torch.tensor([limits.min, limits.min + 1, -3, 0, 5, limits.max - 1, limits.max], dtype=dtype)
    compare(lambda x: (-x, x.neg() + 1, x.copysign(x), x.copysign(-x), functional.hardtanh(x, -1.7, 2.6)), x)


@pytest.mark.parametrize("include_self", [True, False])
def test_means_of_integers_are_rounded_down(include_self):
    index = torch.tensor([[0, 1, 1], [1, 1, 0], [0, 0, 1]])
    x, source = torch.arange(-6, 6).reshape(4, 3), torch.tensor([[-5, 3, -8], [7, -2, 1], [-4, 5, -9]])
    compare(lambda x, y: x.scatter_reduce(0, index, y, "mean", include_self=include_self), x, source)
    compare(lambda x, y: x.scatter_reduce(1, index, y, "mean", include_self=include_self), x, source)


@pytest.mark.parametrize("dtype", FLOATS[:2])
def test_divisions_of_floats(dtype):
    a = torch.tensor([1.0, 0.5, 6.0, -1.0, 5.0, -5.0, 7.5, 0.0], dtype=dtype)
    b = torch.tensor([0.1, 0.1, 0.2, 0.1, 3.0, 3.0, -2.0, 2.0], dtype=dtype)
    compare(lambda a, b: (a // b, torch.fmod(a, b), torch.remainder(a, b), torch.div(a, b, rounding_mode="trunc")), a, b)
    compare(lambda a: (a // 0.1, a // -0.1, torch.fmod(a, 0.3), torch.div(a, 2, rounding_mode="floor")), a)
    compare(lambda a, b: torch.fmod(a * 1e6, b), a, b)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_divisions_of_integers(dtype):
    least = torch.iinfo(dtype).min
    a = torch.tensor([7, -7, 7, -7, least, least, 0, 2**15 - 1], dtype=dtype)
    b = torch.tensor([2, 2, -2, -2, -1, 3, -5, 1], dtype=dtype)
    for function in (
        lambda a, b: a // b,
        lambda a, b: a % b,
        lambda a, b: torch.fmod(a, b),
        lambda a, b: torch.div(a, b, rounding_mode="trunc"),
    ):
        # PyTorch's own division of the least integer by -1, rounded to zero, ends the process.
        given = a.clamp(min=least + 1)
        compare(function, given, b)
        compare(lambda a, function=function: function(a, 3), a)
        compare(lambda a, function=function: function(a, -1), given)
        compare(function, a, torch.zeros_like(b))
    ones, leasts = torch.full((20,), -1, dtype=dtype), torch.full((20,), least, dtype=dtype)
    compare(lambda a, b: (a // b, a % b), leasts, ones)
    compare(lambda a: a // 3, torch.tensor([2**62 + 1, -(2**62) - 1]))


def test_the_formula_of_gelu():
    for dtype, tolerance in ((torch.float32, 1e-6), (torch.float64, 1e-12), (torch.bfloat16, 1e-2)):
        compare(lambda x: functional.gelu(x, approximate="tanh"), torch.linspace(-6, 6, 50, dtype=dtype), tolerance=tolerance)


@pytest.mark.parametrize("dtype", (torch.bfloat16, torch.float16))
@pytest.mark.parametrize("name", ["cumsum", "sum", "mean", "pool"])
def test_sums_of_16_bits_are_accumulated_in_f32(dtype, name):
    function = {
        "cumsum": lambda x: x.cumsum(1),
        "sum": lambda x: (x.sum(), x.sum(1), x.sum(0, keepdim=True)),
        "mean": lambda x: (x.mean(), x.mean(1)),
        "pool": lambda x: functional.avg_pool2d(x.view(1, 1, 2, -1), (1, 1000)),
    }[name]
    compare(function, torch.ones(2, 3000, dtype=dtype))


def filled(x, index):
    x = x.clone()
    x[index] = 7.0
    return x


def test_indices_of_writes():
    x, values = torch.arange(20.0).view(5, 4), torch.ones(2, 4)
    rows, far, below = torch.tensor([0, -1]), torch.tensor([0, 5]), torch.tensor([0, -6])
    for index in (rows, far, below, rows.int()):
        compare(lambda x, i, v: x.index_put((i,), v), x, index, values)
        compare(lambda x, i, v: x.index_put((i,), v, accumulate=True), x, index, values)
        compare(lambda x, i, v: x.index_add(0, i, v), x, index, values)
        compare(lambda x, i, v: x.index_fill(0, i, 7.0) + x.index_fill(-1, i, v[0, 0]), x, index, values)
        compare(lambda x, i, v: filled(x, i), x, index, values)
    wide = torch.tensor([[3, 0], [1, 1]])
    for index in (wide, wide + 1, wide - 1):
        for dim in (1, -1):
            compare(lambda x, i, v, dim=dim: x.scatter(dim, i, v), x, index, values)
            compare(lambda x, i, v, dim=dim: x.scatter_add(dim, i, v), x, index, values)
            compare(lambda x, i, v, dim=dim: x.scatter_reduce(dim, i, v, "amax"), x, index, values)
    none, some = torch.zeros(5, dtype=torch.bool), torch.tensor([True, False, True, False, False])
    for mask in (none, some):
        compare(lambda x, m: x.index_put((m,), torch.tensor(3.0)), x, mask)
    twice = torch.ones(3, dtype=torch.bool)
    compare(lambda x, i, v: (x.scatter_add(0, i, v), x.index_add(0, i, v)), ~twice, torch.tensor([1, 1, 0]), twice)


def test_results_that_are_expanded_views_are_copies():
    compare(lambda x: (x * 2).expand(3, 5), torch.arange(5.0))
    compare(lambda x: torch.as_strided(x * 1, (4, 3), (1, 1)), torch.arange(6.0))
    compare(lambda x, y: torch.meshgrid(x, y, indexing="ij"), torch.arange(5.0), torch.arange(3.0))
    result = torch.compile(lambda x: (x * 2).expand(3, 5), backend="mdh", options={"fallback": False})(torch.arange(5.0))
    assert result.is_contiguous()


@pytest.mark.parametrize("dynamic", [None, True])
def test_several_dynamic_sizes(dynamic):
    layers = torch.nn.Sequential(torch.nn.Linear(8, 6), torch.nn.GELU(), torch.nn.Linear(6, 8)).eval()
    torch._dynamo.reset()
    functions = (layers, lambda x: (x + 1).view(-1, 8), lambda x: x.view(x.shape[1], x.shape[0], 2, 4) * 2)
    for function in functions:
        compiled = torch.compile(function, backend="mdh", dynamic=dynamic)
        for shape in ((2, 5, 8), (3, 7, 8), (1, 5, 8), (4, 1, 8)):
            x = torch.randn(shape)
            with torch.no_grad():
                torch.testing.assert_close(compiled(x), function(x), rtol=1e-4, atol=1e-5)


def test_dynamic_sizes_that_are_1_broadcast():
    one, two = torch.arange(4.0), torch.arange(8.0)
    torch._dynamo.reset()
    product = lambda x, y: (x.view(-1, 4) * y.view(-1, 4), torch.where(x.view(-1, 4) > 1, x.view(-1, 4), y.view(-1, 4)))
    compiled = torch.compile(product, backend="mdh", dynamic=True)
    for x, y in ((one, two), (two, two), (two, one), (one, one)):
        torch.testing.assert_close(compiled(x, y), product(x, y))


def test_tensors_without_elements():
    for function, shape in (
        (lambda x: (x + 1).view(-1, 5), (0, 5)),
        (torch.nn.Linear(5, 3), (0, 4, 5)),
        (torch.nn.GroupNorm(2, 4), (0, 4, 3)),
        (lambda x: x @ x.transpose(1, 2), (0, 3, 5)),
    ):
        compare(function, torch.zeros(shape))


class Messages(logging.Handler):
    """What the backend says of graphs."""

    def __init__(self):
        super().__init__()
        self.texts = []

    def emit(self, record):
        self.texts.append(record.getMessage())


@pytest.fixture
def messages():
    handler, logger = Messages(), logging.getLogger("mdh.torch")
    before = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    yield handler.texts
    logger.removeHandler(handler)
    logger.setLevel(before)


def convolutions():
    nn = torch.nn
    features = [nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 8, 3), nn.ReLU()]
    return nn.Sequential(*features, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5))


def encoder(**named):
    return torch.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True, **named)


@pytest.mark.parametrize("make, shape", [(convolutions, (4, 3, 10, 10)), (encoder, (2, 7, 16))])
def test_a_step_of_training(make, shape, messages):
    torch._dynamo.reset()
    models = []
    for _ in range(2):
        torch.manual_seed(1)
        models.append(make())
    x = torch.randn(shape)
    for model, function in zip(models, (models[0], torch.compile(models[1], backend="mdh"))):
        loss = torch.nn.functional.mse_loss(function(x), torch.ones(()).expand_as(model(x)))
        loss.backward()
        torch.optim.SGD(model.parameters(), 0.1).step()
    for one, other in zip(models[0].parameters(), models[1].parameters()):
        torch.testing.assert_close(other, one, rtol=1e-4, atol=1e-5)
    # The graphs of values and of gradients.
    assert len(messages) <= 3 and all(text.endswith("is compiled") for text in messages)


@pytest.mark.parametrize("options", [{}, {"norm_first": True, "activation": "gelu"}])
def test_a_length_that_changes_is_compiled_twice(options, messages):
    torch._dynamo.reset()
    layer = encoder(**options).eval()
    compiled = torch.compile(layer, backend="mdh")
    for length in (5, 6, 9, 3, 12):
        x = torch.randn(2, length, 16)
        with torch.no_grad():
            torch.testing.assert_close(compiled(x), layer(x), rtol=1e-4, atol=1e-5)
    assert len(messages) == 2 and all(text.endswith("is compiled") for text in messages)


def test_a_crash_of_torch_mlir_is_a_fallback():
    process = mdh.torch.lowering
    double = lambda x: x * 2
    torch._dynamo.reset()
    assert torch.compile(double, backend="mdh", options={"fallback": False})(torch.ones(3)).tolist() == [2, 2, 2]
    first = process._process.process
    os.kill(first.pid, signal.SIGSEGV)
    first.wait()
    with pytest.raises(process.LoweringError, match="its process ends with signal 11"):
        process._process.call(b"")
    torch._dynamo.reset()
    compare(lambda x: x * 3 + 1, torch.ones(4))
    # The next graph is lowered by another process.
    torch._dynamo.reset()
    assert torch.compile(double, backend="mdh", options={"fallback": False})(torch.ones(5)).tolist() == [2] * 5
    assert process._process.process.pid != first.pid


def test_the_process_of_torch_mlir_ends_with_its_parent():
    program = (
        "import torch, mdh, mdh.torch.lowering as lowering\n"
        "torch.compile(lambda x: x * 2, backend='mdh')(torch.ones(3))\n"
        "print(lowering._process.process.pid)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    number = int(done.stdout)
    for _ in range(100):
        try:
            with open(f"/proc/{number}/stat") as file:
                is_there = file.read().split()[2] != "Z"
        except OSError:
            is_there = False
        if not is_there:
            return
        signal.sigtimedwait([], 0.1)
    raise AssertionError("the process is still there")


def gradients(model, inputs, options):
    """A loss, and the gradients of inputs and parameters, of a model and of the same one compiled."""
    torch._dynamo.reset()
    results = []
    for run in (model, torch.compile(model, backend="mdh", options=options)):
        given = [one.clone().requires_grad_() for one in inputs]
        model.zero_grad()
        torch.manual_seed(3)
        loss = run(*given).square().mean()
        loss.backward()
        results.append((loss.detach(), [one.grad for one in given], [one.grad.clone() for one in model.parameters()]))
    return results


IMAGES = torch.randn(2, 4, 10, 10, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    "model",
    [
        torch.nn.Conv2d(4, 8, 3, stride=2, groups=2, dilation=2, padding=1),
        torch.nn.Conv2d(4, 8, 3, groups=4, stride=2, padding=1),
        torch.nn.ConvTranspose2d(4, 6, 3, stride=2, groups=2),
        torch.nn.AvgPool2d((2, 3), (2, 1), (1, 1), count_include_pad=False),
        torch.nn.AdaptiveAvgPool2d(5),
    ],
    ids=["groups", "channels", "transposed", "means", "adaptive"],
)
def test_gradients_of_convolutions_and_poolings(model):
    found, wanted = gradients(model, [IMAGES], {"fallback": False})
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)


def test_dropout_draws_the_same_numbers_before_one_compiled_part(messages):
    model = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
    found, wanted = gradients(model, [torch.randn(2, 5, 8)], {})
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)
    parts = [line for line in messages if "are compiled, in" in line]
    assert len(parts) == 1 and parts[0].endswith(("in 1 parts", "in 2 parts")), parts


def test_softmax_of_a_number():
    for x in (torch.tensor(1.0), torch.tensor(math.inf), torch.tensor(math.nan, dtype=torch.float64)):
        compare(lambda x: (torch.softmax(x, 0), torch.log_softmax(x, -1)), x, options={"fallback": False})


def test_sums_of_bool_and_powers_of_integers():
    x, i = torch.tensor([True, False, True]), torch.tensor([-(2**63), 2**40 + 1, -7])
    compare(lambda x: (x + True, x + False, True + x), x)
    compare(lambda i: (i**2, i**3, i**0, i.short() ** 5, i | 5, i & 6, i ^ 3), i)


def test_adaptive_maxima_of_nan():
    x = torch.arange(32.0).reshape(1, 2, 4, 4)
    x[0, 0, 1, 2] = math.nan
    compare(lambda x: functional.adaptive_max_pool2d(x, (2, 3), return_indices=True), x)
    compare(lambda x: functional.adaptive_max_pool1d(x[0], 2, return_indices=True), x)


def test_indices_of_maxima_that_are_nan():
    x = torch.arange(64.0).reshape(1, 2, 4, 8)
    x[0, 0, 1, 2] = x[0, 0, 1, 3] = x[0, 1, 3, 7] = math.nan
    x[0, 1, 0, 0] = -math.inf
    options = {"fallback": False}
    compare(lambda x: functional.max_pool2d(x, 3, 2, 1, return_indices=True), x, options=options)
    compare(lambda x: functional.max_pool1d(x[0], 3, 2, return_indices=True), x, options=options)
    compare(lambda x: functional.max_pool3d(x, 2, return_indices=True), x, dynamic=True)


def test_roots_and_norms_at_edges():
    x = torch.tensor([-math.inf, -7.0, -0.0, 0.0, 3.4e38, 1e-30, math.nan, math.inf])
    compare(lambda x: (x**0.5, x**-0.5, x.double() ** 0.5, torch.tensor([4, 9]) ** 0.5), x, tolerance=1e-6)
    compare(lambda x: [torch.linalg.vector_norm(x[:, None], order, dim=1) for order in (2, 3, 0, 0.5, -1)], x)
    compare(lambda x: x[:2].abs().clamp(1, 2) ** 0.5j, x, tolerance=1e-6)


def test_what_torch_mlir_leaves_out_or_refuses_is_for_pytorch():
    rows, bags, weights = torch.randn(10, 5), torch.tensor([0, 3]), torch.randn(5)
    indices = torch.tensor([1, 4, 4, 0, 9])
    compare(lambda i, w, o, p: functional.embedding_bag(i, w, o, mode="sum", per_sample_weights=p), indices, rows, bags, weights, tolerance=1e-6)
    compare(lambda x: (torch.linalg.det(x), torch.linalg.det(torch.zeros_like(x))), rows[:5], tolerance=1e-5)


@pytest.mark.parametrize("dtype", [torch.int64, torch.float16, torch.float64, torch.bool])
@pytest.mark.parametrize("number", [7, -7, 1.2])
def test_numbers_as_first_operands(dtype, number):
    x = torch.tensor([3, -4, 5, -7, 0]).to(dtype)
    compare(lambda x: (number - x if dtype is not torch.bool else x, number * x, number < x, x >= number), x, tolerance=1e-3)
    if dtype.is_floating_point:
        compare(lambda x: (number // x, number % x, torch.xlogy(number, x.abs()), torch.maximum(torch.tensor(number), x)), x, tolerance=2e-3)
    compare(lambda x: (torch.full_like(x, 3) > number, (torch.ones_like(x) * number >= 1), torch.zeros(3) < number), x)


def test_logarithmic_steps_are_of_their_type():
    compare(lambda x: torch.logspace(2, 1.2, 4, dtype=torch.float64) + x, torch.zeros(4, dtype=torch.float64), tolerance=1e-12)


def test_powers_of_16_bits_are_rounded_once():
    compare(lambda x: (x**-7, x**3, x**1.5), torch.tensor([3, -4, 5, -7, 2]).half(), tolerance=1e-3)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_what_pytorch_describes_wrongly_is_executed_by_it(dtype, messages):
    x = torch.arange(50.0).reshape(5, 2, 5).to(dtype)
    weights = [torch.ones(2, dtype=dtype) for _ in range(4)]
    normalized = torch.ops.aten._batch_norm_with_update.default
    compare(lambda x, *w: [y + 1 for y in normalized(x, *w, 0.5, 0.6)[:3]], x, *weights, tolerance=2e-2)
    assert dtype is torch.float16 or any("PyTorch executes a part of a graph" in one for one in messages)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_functions_of_16_bits_are_rounded_once(dtype):
    x = (torch.arange(-32, 32).reshape(2, 32) / 8).to(dtype)
    near = {"tolerance": 2 * torch.finfo(dtype).eps, "options": {"fallback": False}}
    compare(lambda x: (functional.gelu(x), functional.elu(x), functional.selu(x)), x, **near)
    compare(lambda x: (functional.log_softmax(x, 1), functional.softmax(x, 0), x.norm(dim=1), torch.linalg.vector_norm(x, 3)), x, **near)
