"""KernelBench's level 1 (public, MIT; a checkout given by path) through torch-mlir to linalg, then `mdh run`; torch is the judge and the peer.

usage: frontends_kernelbench.py MDH FOLDER THREADS [number ...]     FOLDER holds the level's .py files; sizes are scaled down to what two cores take
Environment: EXTRA = further options of `mdh run`; KB_BYTES, KB_FLOPS = the largest size.
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

BYTES, FLOPS = int(os.environ.get("KB_BYTES", 16 << 20)), float(os.environ.get("KB_FLOPS", 2e9))

EXPORT = r'''
import sys, json, time, re, os
path, out, threads, budget, flops = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5])
import torch, numpy as np
torch.set_num_threads(threads); torch.manual_seed(0)
source = open(path).read()
from torch.utils.flop_counter import FlopCounterMode
def load(src):
    space = {"__name__": "kernel"}
    exec(compile(src, path, "exec"), space)
    return space
def cost(space):
    with torch.device("meta"):
        model = space["Model"](*[a for a in space["get_init_inputs"]()]).eval()
        xs = space["get_inputs"]()
        with FlopCounterMode(display=False) as f, torch.no_grad():
            o = model(*xs)
    ts = [t for t in list(xs) + (list(o) if isinstance(o, (tuple, list)) else [o]) + list(model.parameters()) if isinstance(t, torch.Tensor)]
    return sum(t.numel() * t.element_size() for t in ts), f.get_total_flops()
def scaled(src):
    """Halves the batch first, then the largest numbers that the module names, while the cost is above the budget and the model still works."""
    head = src.index("class Model"); tail = src.rfind("def get_inputs")
    start = src.find("\n\n", src.rfind("return", 0, tail))
    src = re.sub(r"^(\w+)\s*=\s*([\d][\d\s*+/-]*[*+/-][\d\s*+/-]*\d)(?=[ \t]*(?:#.*)?$)", lambda m: f"{m.group(1)} = {int(eval(m.group(2)))}", src, flags=re.M)
    for _ in range(60):
        try: b, f = cost(load(src))
        except Exception as e: b, f = None, None
        if b is not None and b <= budget and f <= flops: return src
        names = [m for m in re.finditer(r"^(\w+)\s*=\s*(\d+)(?=\s*(?:#.*)?$)", src, re.M)]
        nums = [m for m in re.finditer(r"^(\w+)\s*=\s*(?:\(|)(.*\d.*)$", src, re.M)]
        batch = [m for m in names if m.group(1) in ("batch_size", "batch", "b", "B") and int(m.group(2)) > 1]
        if not batch:
            batch = sorted([m for m in names if int(m.group(2)) >= 16 and m.group(1) not in ("kernel_size", "num_groups", "groups", "in_channels", "out_channels")], key=lambda m: -int(m.group(2)))
        if not batch:
            t = [m for m in re.finditer(r"^\w+\s*=\s*\(([^()]*)\)", src, re.M)]
            best = None
            for m in t:
                v = [int(x) for x in re.findall(r"\d+", m.group(1))]
                if v and max(v) >= 16 and (best is None or max(v) > best[1]): best = (m, max(v))
            if not best: return src
            m, v = best
            src = src[:m.start(1)] + re.sub(r"\b%d\b" % v, str(v // 2), m.group(1)) + src[m.end(1):]
            continue
        m = batch[0]; v = int(m.group(2)) // 2
        src = src[:m.start(2)] + str(v) + src[m.end(2):]
    return src
space = load(scaled(source))
model = space["Model"](*space["get_init_inputs"]()).eval()
xs = space["get_inputs"]()
with torch.no_grad():
    want = model(*xs); model(*xs)
    ts = []
    end = time.perf_counter() + 0.5
    while len(ts) < 3 or (time.perf_counter() < end and len(ts) < 50):
        t0 = time.perf_counter(); model(*xs); ts.append(time.perf_counter() - t0)
want = list(want) if isinstance(want, (tuple, list)) else [want]
info = {"torch": sorted(ts)[len(ts) // 2], "shapes": [list(getattr(x, "shape", [])) for x in xs], "outs": len(want)}
from torch_mlir import fx
for p in model.parameters(): p.requires_grad_(False)
m = fx.export_and_import(model, *xs, output_type="linalg-on-tensors", func_name="main")
text = m.operation.get_asm(large_elements_limit=None, enable_debug_info=False)
if "tm_tensor" in text: text = m.operation.get_asm(large_elements_limit=None, enable_debug_info=False, print_generic_op_form=True)
open(out + "/p.mlir", "w").write(text)
for n, w in enumerate(want): np.save(out + f"/want{n}.npy", np.ascontiguousarray(w.numpy()))
names = []
for n, x in enumerate(xs):
    if isinstance(x, torch.Tensor): np.save(out + f"/i{n}.npy", np.ascontiguousarray(x.detach().numpy())); names.append(out + f"/i{n}.npy")
    else: names.append(str(x))
info["inputs"] = names
print(json.dumps(info))
'''


def main():
    mdh, folder, threads, *only = sys.argv[1:]
    import numpy as np
    right, logs, slow, total = 0, [], 0, 0
    files = sorted(pathlib.Path(folder).glob("*.py"), key=lambda f: int(f.name.split("_")[0]))
    env = dict(os.environ, OMP_NUM_THREADS=threads)
    with tempfile.TemporaryDirectory() as d:
        script = pathlib.Path(d) / "export.py"
        script.write_text(EXPORT)
        for f in files:
            if only and f.name.split("_")[0] not in only:
                continue
            total += 1
            w = pathlib.Path(d) / "w"
            subprocess.run(["rm", "-rf", str(w)]); w.mkdir()
            name = f.name[:40]
            try:
                p = subprocess.run([sys.executable, str(script), str(f), str(w), threads, str(BYTES), str(FLOPS)], capture_output=True, text=True, timeout=300, env=env)
                if p.returncode:
                    print(f"{name}: export fails: {(p.stderr.strip().splitlines() or ['?'])[-1][:110]}", flush=True); continue
                info = json.loads(p.stdout.strip().splitlines()[-1])
                cmd = [mdh, "run", str(w / "p.mlir"), "--function", "main", "--threads", threads, "--repeat", "20", "--json", *os.environ.get("EXTRA", "").split()]
                for i in info["inputs"]:
                    cmd += ["--input", i]
                for n in range(info["outs"]):
                    cmd += ["--output", str(w / f"o{n}.npy")]
                q = subprocess.run(cmd, capture_output=True, text=True, timeout=60, env=env)
            except subprocess.TimeoutExpired:
                print(f"{name}: no answer in time", flush=True); continue
            if q.returncode:
                print(f"{name}: exit {q.returncode}: {(q.stderr.strip() or '?').splitlines()[0][-150:]}", flush=True); continue
            t = json.loads(q.stdout); run = t["run_seconds"]["median"]
            ok = True
            for n in range(info["outs"]):
                got, want = np.load(w / f"o{n}.npy"), np.load(w / f"want{n}.npy")
                ok = ok and got.size == want.size and np.allclose(got.reshape(want.shape), want, rtol=1e-2, atol=1e-2)
            r = info["torch"] / run
            if ok:
                right += 1; logs.append(math.log(r)); slow += r < 0.9
            print(f"{name}: {'right' if ok else 'WRONG'} {info['shapes']} ours {run*1e3:.3f} ms, torch {info['torch']*1e3:.3f}, ratio {r:.2f}, compile {t['compile_seconds']:.2f} s", flush=True)
    g = math.exp(sum(logs) / len(logs)) if logs else 0
    print(f"{pathlib.Path(folder).name}: {right} of {total} right, geometric mean torch / ours {g:.3f}, {slow} below 0.9 ({threads} threads)")
    sys.exit(not (right == total and g >= 1 and slow == 0))


main()
