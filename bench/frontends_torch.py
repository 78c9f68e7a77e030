"""Modules of PyTorch through torch-mlir and linalg into `mdh run`: their export, the comparison with PyTorch, and the table.

Each module is compared in a process of its own, which runs the script again with --worker, because an exporter may end the process.
Environment: EXTRA = further options of `mdh run`.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

# The time of a peer in a round, in seconds, and its largest number of runs.
ROUND, RUNS = 0.3, 50
# Limits of the export with PyTorch's own runs, and of a run of ours.
EXPORT_SECONDS, RUN_SECONDS = 300, 60


def export(model, inputs, folder):
    """Writes the module as linalg, and its inputs; returns the `--input` options."""
    import numpy as np
    import torch
    from torch_mlir import fx

    for parameter in model.parameters():
        parameter.requires_grad_(False)
    module = fx.export_and_import(model, *inputs, output_type="linalg-on-tensors", func_name="main")
    text = module.operation.get_asm(large_elements_limit=None, enable_debug_info=False)
    if "tm_tensor" in text:
        text = module.operation.get_asm(large_elements_limit=None, enable_debug_info=False, print_generic_op_form=True)
    (folder / "p.mlir").write_text(text)
    options = []
    for n, value in enumerate(inputs):
        if isinstance(value, torch.Tensor):
            np.save(folder / f"i{n}.npy", np.ascontiguousarray(value.detach().numpy()))
            value = folder / f"i{n}.npy"
        options += ["--input", str(value)]
    return options


class Ours:
    """The module compiled by `mdh run`; the first run fills the cache, so that later rounds only link."""

    def __init__(self, mdh, threads, options, folder):
        self.command = [mdh, "run", str(folder / "p.mlir"), "--function", "main", "--threads", threads, "--json",
                        "--cache", str(folder / "cache"), *os.environ.get("EXTRA", "").split(), *options]
        self.folder = folder
        self.repeat = 20

    def run(self, *options):
        try:
            done = subprocess.run([*self.command, *options], capture_output=True, text=True, timeout=RUN_SECONDS)
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"no answer in {RUN_SECONDS} s") from None
        if done.returncode:
            raise RuntimeError(f"exit {done.returncode}: {(done.stderr.strip() or '?').splitlines()[0][-150:]}")
        return json.loads(done.stdout)

    def results(self, count):
        """The results, and the compile time in seconds."""
        import numpy as np

        files = [self.folder / f"o{n}.npy" for n in range(count)]
        answer = self.run(*[option for file in files for option in ("--output", str(file))])
        # The runs of a round take a part of their limit.
        self.repeat = max(3, min(20, int(RUN_SECONDS / 4 / max(answer["run_seconds"]["median"], 1e-6))))
        return [np.load(file) for file in files], answer["compile_seconds"]

    def time(self):
        """The median time of a run of this round."""
        return self.run("--repeat", str(self.repeat))["run_seconds"]["median"]


def time_of(function):
    """The median time of a call of this round."""
    times, end = [], time.perf_counter() + ROUND
    while len(times) < 3 or (time.perf_counter() < end and len(times) < RUNS):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def compiled(model, inputs, expected, tolerance):
    """The module by torch.compile, or the reason why it is no peer."""
    import torch

    try:
        module = torch.compile(model)
        found = leaves(module(*inputs))
    except Exception as error:
        return None, f"torch.compile fails: {type(error).__name__}"
    return (module, "") if agree(found, expected, tolerance) else (None, "torch.compile differs")


def leaves(results):
    return [result.numpy() for result in (results if isinstance(results, (tuple, list)) else [results])]


def agree(found, expected, tolerance):
    import numpy as np

    return all(one.size == other.size and np.allclose(one.reshape(other.shape), other, rtol=tolerance, atol=tolerance, equal_nan=True)
               for one, other in zip(found, expected, strict=True))


def compare(model, inputs, options):
    """Checks a module, then times it and its peers in alternating rounds; returns its row of the table."""
    import torch

    model = model.eval()
    with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
        expected = leaves(model(*inputs))
        row = {"shapes": [list(getattr(value, "shape", [])) for value in inputs], "peers": {}, "note": ""}
        ours = Ours(options.mdh, options.threads, export(model, inputs, pathlib.Path(folder)), pathlib.Path(folder))
        found, row["compile"] = ours.results(len(expected))
        row["right"] = agree(found, expected, options.tolerance)
        if not row["right"]:
            return row
        peers = {"eager": model}
        if options.compiled:
            module, row["note"] = compiled(model, inputs, expected, options.tolerance)
            if module is not None:
                peers["compiled"] = module
        rounds = [(ours.time(), {name: time_of(lambda: peer(*inputs)) for name, peer in peers.items()}) for _ in range(options.rounds)]
        row["ours"] = statistics.median(time for time, _ in rounds)
        row["peers"] = {name: statistics.median(times[name] for _, times in rounds) for name in peers}
        row["ratio"] = statistics.median(min(times.values()) / time for time, times in rounds)
        return row


def shown(name, row):
    """A line of the table."""
    if not row["right"]:
        return f"{name}: WRONG {row['shapes']}"
    peers = ", ".join(f"{peer} {seconds * 1e3:.3f} ms" for peer, seconds in row["peers"].items())
    note = f", {row['note']}" if row["note"] else ""
    return f"{name}: right {row['shapes']} ours {row['ours'] * 1e3:.3f} ms, {peers}, ratio {row['ratio']:.2f}, compile {row['compile']:.2f} s{note}"


def options_of(description, tolerance, arguments=lambda parser: None):
    """The options of a script, which may add arguments; `tolerance` is that of results, relative and absolute."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mdh", help="the path of mdh")
    arguments(parser)
    parser.add_argument("threads")
    parser.add_argument("only", nargs="*", metavar="name", help="the modules to compare; all if not given")
    parser.add_argument("--compiled", action="store_true", help="torch.compile is a peer, too; the ratio is that of the faster peer")
    parser.add_argument("--rounds", type=int, default=3, help="alternating rounds of ours and the peers (3)")
    parser.add_argument("--worker", metavar="NAME", help=argparse.SUPPRESS)
    parser.set_defaults(tolerance=tolerance)
    return parser.parse_intermixed_args()


def main(title, names, load, options):
    """Compares the modules with these names, each in a process of its own, and prints the table. `load`: the module and inputs of a name."""
    if options.worker:
        import torch

        torch.set_num_threads(int(options.threads))
        torch.manual_seed(0)
        print(json.dumps(compare(*load(options.worker), options)))
        return
    environment = dict(os.environ, OMP_NUM_THREADS=options.threads)
    rows, total = [], 0
    for name in names:
        total += 1
        command = [sys.executable, *sys.argv, "--worker", name]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=EXPORT_SECONDS + RUN_SECONDS * (options.rounds + 1), env=environment)
        except subprocess.TimeoutExpired:
            print(f"{name}: no answer in time", flush=True)
            continue
        if done.returncode:
            print(f"{name}: fails: {(done.stderr.strip().splitlines() or ['?'])[-1][:150]}", flush=True)
            continue
        row = json.loads(done.stdout.strip().splitlines()[-1])
        print(shown(name, row), flush=True)
        rows += [row] if row["right"] else []
    ratios = [row["ratio"] for row in rows]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 0
    slow = sum(ratio < 0.9 for ratio in ratios)
    peer = "the faster of PyTorch eager and compiled" if options.compiled else "PyTorch eager"
    print(f"{title}: {len(rows)} of {total} right, geometric mean {peer} / ours {mean:.3f}, {slow} below 0.9 ({options.threads} threads)")
    sys.exit(not (len(rows) == total and mean >= 1 and slow == 0))
