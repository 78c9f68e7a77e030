"""Modules of PyTorch through torch-mlir and linalg into `mdh run`: their export, the comparison with PyTorch, and the table.

Each module is compared in a process of its own, which runs the script again with --worker, because an exporter may end the process.
Environment: EXTRA = further options of `mdh run`.
"""
import argparse
import functools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from bench import harness
from bench.frontends.ours import RUN_SECONDS, Ours, agree

# The time of a peer in a round, in seconds, and its largest number of runs.
ROUND, RUNS = 0.3, 50
# The limit of the export with PyTorch's own runs, in seconds.
EXPORT_SECONDS = 300


def export(model, inputs, folder):
    """Writes the module as linalg, and its inputs; returns the `--input` options."""
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


def time_of(function):
    """The median time of a call of this round."""
    times, end = [], time.perf_counter() + ROUND
    while len(times) < 3 or (time.perf_counter() < end and len(times) < RUNS):
        times.append(harness.seconds_of(function))
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
        actions = {"ours": ours.time, **{name: functools.partial(time_of, functools.partial(peer, *inputs)) for name, peer in peers.items()}}
        times = harness.in_turns(actions, options.rounds)
        row["ours"], *medians = map(statistics.median, times.values())
        row["peers"] = dict(zip(peers, medians))
        row["ratio"] = statistics.median(min(others) / own for own, *others in zip(*times.values()))
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
    parser = harness.parser(description)
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
        command = [*harness.again(), "--worker", name]
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
    mean = harness.mean(ratios) if ratios else 0
    slow = sum(ratio < 0.9 for ratio in ratios)
    peer = "the faster of PyTorch eager and compiled" if options.compiled else "PyTorch eager"
    print(f"{title}: {len(rows)} of {total} right, geometric mean {peer} / ours {mean:.3f}, {slow} below 0.9 ({options.threads} threads)")
    sys.exit(not (len(rows) == total and mean >= 1 and slow == 0))
