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
import numpy as np
from frontends_jax_programs import PROGRAMS
from jaxlib.mlir.dialects import stablehlo
from jaxlib.mlir.passmanager import PassManager

stablehlo.register_stablehlo_passes()
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
