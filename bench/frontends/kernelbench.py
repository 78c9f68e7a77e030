"""A level of KernelBench, from a checkout given by path, through torch-mlir and linalg into `mdh run`; PyTorch is the judge and the peer.

FOLDER holds the level's .py files; sizes are scaled down to what two cores take. A name is the number of a file.
Environment: EXTRA = further options of `mdh run`; KB_BYTES, KB_FLOPS = the largest size.
"""
import os
import pathlib
import re

from bench.frontends.torch import main, options_of

BYTES, FLOPS = int(os.environ.get("KB_BYTES", 16 << 20)), float(os.environ.get("KB_FLOPS", 2e9))
BATCHES = ("batch_size", "batch", "b", "B")
# Numbers that other numbers of a module depend on.
KEPT = ("kernel_size", "num_groups", "groups", "in_channels", "out_channels")


def loaded(source, path):
    """The names that a file defines."""
    space = {"__name__": "kernel"}
    exec(compile(source, path, "exec"), space)
    return space


def made(space):
    return space["Model"](*space["get_init_inputs"]()), space["get_inputs"]()


def cost(space):
    """The bytes of inputs, results and parameters, and the number of operations."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    with torch.device("meta"):
        model, inputs = made(space)
        with FlopCounterMode(display=False) as counter, torch.no_grad():
            results = model.eval()(*inputs)
    values = [*inputs, *(results if isinstance(results, (tuple, list)) else [results]), *model.parameters()]
    return sum(value.numel() * value.element_size() for value in values if isinstance(value, torch.Tensor)), counter.get_total_flops()


def scaled(source, path):
    """Halves the batch first, then the largest numbers that the module names, while the cost is too large or the module does not work."""
    product = r"^(\w+)\s*=\s*([\d][\d\s*+/-]*[*+/-][\d\s*+/-]*\d)(?=[ \t]*(?:#.*)?$)"
    source = re.sub(product, lambda match: f"{match[1]} = {int(eval(match[2]))}", source, flags=re.M)
    for _ in range(60):
        try:
            moved, operations = cost(loaded(source, path))
            fits = moved <= BYTES and operations <= FLOPS
        except Exception:
            fits = False
        smaller = None if fits else halved(source)
        if smaller is None:
            break
        source = smaller
    return source


def halved(source):
    """The source with one number halved; None if there is none left."""
    numbers = [(match[1], match.start(2), match.end(2), int(match[2])) for match in re.finditer(r"^(\w+)\s*=\s*(\d+)(?=\s*(?:#.*)?$)", source, re.M)]
    batches = [number for number in numbers if number[0] in BATCHES and number[3] > 1]
    others = [number for number in numbers if number[3] >= 16 and number[0] not in KEPT]
    if batches or others:
        _, start, end, value = batches[0] if batches else max(others, key=lambda number: number[3])
        return source[:start] + str(value // 2) + source[end:]
    tuples = [(match, max(map(int, re.findall(r"\d+", match[1])), default=0)) for match in re.finditer(r"^\w+\s*=\s*\(([^()]*)\)", source, re.M)]
    match, value = max(tuples, key=lambda pair: pair[1], default=(None, 0))
    if value < 16:
        return None
    return source[:match.start(1)] + re.sub(rf"\b{value}\b", str(value // 2), match[1]) + source[match.end(1):]


options = options_of(__doc__, 1e-2, lambda parser: parser.add_argument("folder", type=pathlib.Path))
files = {file.stem: file for file in sorted(options.folder.glob("*.py"), key=lambda file: int(file.name.split("_")[0]))}
chosen = [name for name in files if not options.only or name.split("_")[0] in options.only]
main(options.folder.name, chosen, lambda name: made(loaded(scaled(files[name].read_text(), str(files[name])), str(files[name]))), options)
