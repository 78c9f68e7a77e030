"""Ten chains of operations as in neural networks, through torch-mlir and linalg into `mdh run`; PyTorch is the judge and the peer."""
from bench.frontends.torch import main, options_of

# A chain: the shapes of its inputs, and those of its parameters.
CHAINS = {
    "linear_gelu_residual": ([(256, 512)], [(512, 512), (512,)]),
    "matmul_scale_softmax": ([(512, 256), (256, 512)], []),
    "conv_relu_maxpool": ([(4, 16, 58, 58)], [(32, 16, 3, 3), (32,)]),
    "linear_layernorm": ([(256, 512)], [(512, 512), (512,), (512,), (512,)]),
    "linear_rmsnorm": ([(256, 512)], [(512, 512), (512,)]),
    "linear_cross_entropy": ([(256, 512)], [(1000, 512), (1000,)]),
    "conv_batchnorm_relu": ([(4, 16, 58, 58)], [(32, 16, 3, 3), (32,), (32,), (32,)]),
    "attention": ([(256, 64)], [(64, 64), (64, 64), (64, 64)]),
    "matmul_clamp_sum": ([(512, 256), (256, 512)], []),
    "groupnorm_swish": ([(8, 64, 28, 28)], [(64,), (64,)]),
}


def functions():
    from torch import arange, clamp, rsqrt, sigmoid, softmax
    from torch.nn import functional as F

    def attention(x, q, k, v):
        return softmax((x @ q) @ (x @ k).T / 8, -1) @ (x @ v)

    def rmsnorm(x, w):
        return x * rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * w

    def swish(x):
        return x * sigmoid(x)

    return {
        "linear_gelu_residual": lambda x, w, b: x + F.gelu(F.linear(x, w, b)),
        "matmul_scale_softmax": lambda x, y: softmax(x @ y * 0.125, -1),
        "conv_relu_maxpool": lambda x, w, b: F.max_pool2d(F.relu(F.conv2d(x, w, b)), 2),
        "linear_layernorm": lambda x, w, b, scale, shift: F.layer_norm(F.linear(x, w, b), (512,), scale, shift),
        "linear_rmsnorm": lambda x, w, scale: rmsnorm(F.linear(x, w), scale),
        "linear_cross_entropy": lambda x, w, b: F.nll_loss(F.log_softmax(F.linear(x, w, b), -1), arange(256)),
        "conv_batchnorm_relu": lambda x, w, mean, scale, shift: F.relu(F.batch_norm(F.conv2d(x, w), mean, scale.abs() + 1, scale, shift)),
        "attention": attention,
        "matmul_clamp_sum": lambda x, y: clamp(x @ y, -8, 8).sum(1),
        "groupnorm_swish": lambda x, scale, shift: swish(F.group_norm(x, 8, scale, shift)),
    }


def load(name):
    """The module of a chain, and inputs for it."""
    import torch

    class Chain(torch.nn.Module):
        def __init__(self, function, shapes):
            super().__init__()
            self.function = function
            # The values of a layer's results are about as large as those of its inputs.
            self.weights = torch.nn.ParameterList(torch.randn(shape) / max(1, shape[-1]) ** 0.5 for shape in shapes)

        def forward(self, *inputs):
            return self.function(*inputs, *self.weights)

    inputs, parameters = CHAINS[name]
    return Chain(functions()[name], parameters), [torch.randn(shape) for shape in inputs]


options = options_of(__doc__, 1e-3)
main("chains", [name for name in CHAINS if not options.only or name in options.only], load, options)
