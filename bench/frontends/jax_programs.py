"""Programs on `jax.numpy` arrays, by name: a function, and the shapes of its arguments."""
import jax
import jax.numpy as jnp
from jax import lax

S = lambda *s: s
PROGRAMS = {
    "matvec": (lambda a, b: a @ b, [S(512, 4096), S(4096)]),
    "bmm": (lambda a, b: jnp.einsum("bik,bkj->bij", a, b), [S(16, 100, 64), S(16, 64, 500)]),
    "ccsdt": (lambda a, b: jnp.einsum("gdab,efgc->abcdef", a, b), [S(16, 15, 16, 15), S(15, 15, 16, 15)]),
    "conv_nhwc": (lambda x, w: lax.conv_general_dilated(x, w, (2, 2), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")), [S(1, 230, 230, 3), S(7, 7, 3, 64)]),
    "jacobi": (lambda x: (x[:-2] + x[1:-1] + x[2:]) / 3, [S(1 << 20)]),
    "argmax": (lambda x: jnp.argmax(x, axis=1), [S(1000, 1600)]),
    "softmax": (lambda x: jax.nn.softmax(x, axis=-1), [S(1000, 1600)]),
    "cumsum": (lambda x: jnp.cumsum(x), [S(1 << 20)]),
    "lax_scan": (lambda x: lax.scan(lambda c, v: (c + v, c + v), 0.0, x)[1], [S(1 << 16)]),
    "hist": (lambda e, b: (e[:, None] == b[None, :]).astype(jnp.float32).sum(0), [S(100000), S(64)]),
    "hist_scatter": (lambda e: jnp.zeros(32).at[(e * 32).astype(jnp.int32)].add(1.0), [S(100000)]),
    "tuple_reduce": (lambda x, y: lax.reduce((x, y), (-jnp.inf, -jnp.inf), lambda a, b: (jnp.where(a[0] >= b[0], a[0], b[0]), jnp.where(a[0] >= b[0], a[1], b[1])), (1,)), [S(800, 1600), S(800, 1600)]),
    "tri_matvec": (lambda a, b: jnp.tril(a) @ b, [S(1024, 1024), S(1024)]),
    "pad_stencil": (lambda x: lax.reduce_window(jnp.pad(x, 1, mode="edge"), 0.0, lax.add, (3, 3), (1, 1), "VALID"), [S(1024, 1024)]),
    "layernorm": (lambda x: (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5), [S(1000, 1600)]),
    "attention": (lambda q, k, v: jax.nn.softmax(q @ k.T / 8.0) @ v, [S(512, 64), S(512, 64), S(512, 64)]),
    "mlp": (lambda x, w, b, u: jax.nn.gelu(x @ w + b) @ u, [S(256, 512), S(512, 1024), S(1024), S(1024, 256)]),
    "kmeans step": (lambda x, c: ((x[:, None, :] - c[None, :, :]) ** 2).sum(-1).argmin(1), [S(20000, 16), S(64, 16)]),
}
