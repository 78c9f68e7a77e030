"""JAX programs through StableHLO and linalg into `mdh run`; NumPy (by JAX in float64 where it matters) is the judge, XLA the peer.

usage: frontends_jax.py MDH THREADS
"""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

mdh, threads = sys.argv[1], sys.argv[2]
os.environ["OMP_NUM_THREADS"] = threads
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxlib.mlir.dialects import stablehlo
from jaxlib.mlir.passmanager import PassManager

stablehlo.register_stablehlo_passes()
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


def main():
    rng = np.random.default_rng(5)
    good, logs = 0, []
    with tempfile.TemporaryDirectory() as d:
        d = pathlib.Path(d)
        for name, (f, shapes) in PROGRAMS.items():
            xs = [rng.random(s, np.float32) for s in shapes]
            g = jax.jit(f)
            want = jax.tree.leaves(g(*xs))
            m = g.lower(*xs).compiler_ir("stablehlo")
            with m.context:
                PassManager.parse("builtin.module(inline,func.func(chlo-legalize-to-stablehlo,stablehlo-legalize-to-linalg),canonicalize,cse)").run(m.operation)
            text = str(m)
            if "stablehlo." in text:
                text = m.operation.get_asm(print_generic_op_form=True)
            text = re.sub(r" \{(?:jax|mhlo)\.[^{}]*\}", "", re.sub(r" attributes \{mhlo[^}]*\}", "", text))
            (d / "p.mlir").write_text(text)
            cmd = [mdh, "run", str(d / "p.mlir"), "--function", "main", "--threads", threads, "--repeat", "20", "--json"]
            for n, x in enumerate(xs):
                np.save(d / f"i{n}.npy", x); cmd += ["--input", str(d / f"i{n}.npy")]
            for n in range(len(want)):
                cmd += ["--output", str(d / f"o{n}.npy")]
            try:
                p = subprocess.run(cmd, capture_output=True, text=True, timeout=100)
            except subprocess.TimeoutExpired:
                print(f"{name}: no answer in 100 s", flush=True); continue
            if p.returncode:
                print(f"{name}: exit {p.returncode}: {(p.stderr.strip() or '?').splitlines()[0][-140:]}", flush=True); continue
            ok = all(np.allclose(np.load(d / f"o{n}.npy").reshape(w.shape), w, rtol=2e-3, atol=2e-3) for n, w in enumerate(want))
            ts = []
            for _ in range(7):
                t0 = time.perf_counter(); jax.block_until_ready(g(*xs)); ts.append(time.perf_counter() - t0)
            r = sorted(ts)[3] / json.loads(p.stdout)["run_seconds"]["median"]
            good += ok
            logs.append(math.log(r))
            print(f"{name}: {'right' if ok else 'WRONG'}, ratio XLA / ours {r:.2f}", flush=True)
    gm = math.exp(sum(logs) / len(logs)) if logs else 0
    print(f"{good} of {len(PROGRAMS)} JAX programs right, geometric mean XLA / ours {gm:.2f} ({threads} threads)")
    sys.exit(not (good == len(PROGRAMS) and gm >= 1))


main()
