"""PyTorch's own test database through `torch.compile(…, backend="mdh")`, compared with eager.

usage: op_database.py [--dtypes float32,int64] [--samples N] [--shard I/N] [NAME ...]

Each operation runs in a process of its own, which a crash would end. Prints a line for each operation with a type that is wrong,
raises where eager does not, crashes, or does not end, and the counts; with --table also a line for the others: the samples, and how many
graphs are compiled as a whole, in parts, and executed by PyTorch.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import traceback
import warnings

warnings.filterwarnings("ignore")

import mdh  # noqa: F401
import torch
from torch.testing._internal.common_methods_invocations import op_db

# Seconds for the samples of an operation and a type.
LIMIT = 300


def tensors(value):
    """The tensors of a result."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [one for part in value for one in tensors(part)]
    return [value] if isinstance(value, (int, float, bool, complex)) else []


def copied(value):
    """A copy of arguments, whose tensors have the strides of the given ones."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone(memory_format=torch.preserve_format)
    if isinstance(value, (tuple, list)):
        return type(value)(map(copied, value)) if type(value) in (tuple, list) else value
    return {key: copied(one) for key, one in value.items()} if isinstance(value, dict) else value


class Log(logging.Handler):
    """Counts graphs that are compiled as a whole, in parts, or not at all."""

    def __init__(self):
        super().__init__()
        self.counts = [0, 0, 0]

    def emit(self, record):
        text = record.getMessage()
        if text.endswith("is compiled"):
            self.counts[0] += 1
        elif "are compiled, in" in text:
            self.counts[2 if text.endswith("in 0 parts") else 1] += 1


def check(operation, dtype, limit):
    """The number of samples, and what is wrong with the first one that is."""
    log = Log()
    logger = logging.getLogger("mdh.torch")
    logger.setLevel(logging.INFO)
    logger.addHandler(log)
    logger.propagate = False
    count = 0
    for sample in operation.sample_inputs("cpu", dtype, requires_grad=False):
        if count == limit:
            break
        given = (sample.input, *sample.args)
        try:
            with torch.no_grad():
                wanted = operation(*copied(given), **copied(sample.kwargs))
        except Exception:
            continue
        count += 1
        torch._dynamo.reset()
        compiled = torch.compile(lambda *a, **named: operation.op(*a, **named), backend="mdh")
        try:
            with torch.no_grad():
                found = compiled(*copied(given), **copied(sample.kwargs))
        except Exception as error:
            problem = str(error).splitlines()[0] if str(error) else ""
            return count, f"raises {type(error).__name__}: {problem[:150]}", log.counts
        for one, other in zip(tensors(found), tensors(wanted), strict=True):
            try:
                torch.testing.assert_close(one, other, equal_nan=True, check_stride=False, **tolerance(dtype, other))
            except AssertionError as error:
                return count, f"sample {count}: {' '.join(str(error).split())[:200]}", log.counts
    return count, None, log.counts


def tolerance(dtype, value):
    """That of comparisons: sums are computed in another order."""
    if dtype in (torch.float16, torch.bfloat16):
        return {"rtol": 2e-2, "atol": 2e-2}
    is_single = isinstance(value, torch.Tensor) and value.dtype in (torch.float32, torch.complex64)
    return {"rtol": 1e-4, "atol": 1e-4} if is_single else {}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--dtypes", default="float32")
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    shard, shards = map(int, options.shard.split("/"))
    # Elements that nothing has written are no results.
    database = [one for one in op_db if "empty" not in one.name]
    chosen = [one for i, one in enumerate(database) if i % shards == shard and (not options.names or one.name in options.names)]
    bad = samples = 0
    for operation in chosen:
        for dtype in (getattr(torch, name) for name in options.dtypes.split(",")):
            if dtype not in operation.supported_dtypes("cpu"):
                continue
            name = f"{operation.name}{'.' + operation.variant_test_name if operation.variant_test_name else ''} {dtype}"
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                signal.alarm(LIMIT)
                try:
                    torch.manual_seed(0)
                    count, problem, counts = check(operation, dtype, options.samples)
                except Exception:
                    count, problem, counts = 0, "fails: " + traceback.format_exc().splitlines()[-1][:200], [0, 0, 0]
                os.write(write, f"{count}\n{problem or ''}\n{counts}".encode())
                os._exit(0)
            os.close(write)
            with os.fdopen(read, "rb") as file:
                answer = file.read().decode()
            status = os.waitpid(child, 0)[1]
            count, problem, counts = answer.split("\n", 2) if answer else ("0", f"ends with status {status}", "")
            samples += int(count)
            if problem:
                bad += 1
                print(f"WRONG {name}: {problem}", flush=True)
            elif options.table:
                print(f"right {name}: {count} samples, graphs {counts}", flush=True)
    print(f"{samples} samples, {bad} operations with a type are wrong")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
