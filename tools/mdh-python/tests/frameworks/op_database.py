"""PyTorch's own test database through `torch.compile(…, backend="mdh")`, compared with eager.

usage: op_database.py [--dtypes float32,int64] [--samples N] [--edges] [--jobs N] [--shard I/N] [--outcomes FILE] [NAME ...]

Prints a line for each operation with a type that is wrong, raises where eager does not, crashes, or does not end, and the counts.
A crash ends one of the processes that run them, which is started again. `op_table.py` makes a table of the outcomes in a file.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import logging
import pathlib
import signal
import sys
import traceback
import warnings
from dataclasses import asdict, dataclass, field

warnings.filterwarnings("ignore")

import mdh  # noqa: F401
import torch
from op_samples import edges
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import BinaryUfuncInfo, UnaryUfuncInfo
from workers import outcomes

# The largest number of samples in one graph, and its seconds.
TOGETHER, LIMIT = 20, 300

# Elements that nothing has written are no results to compare.
DATABASE = [one for one in op_db if "empty" not in one.name]


@dataclass
class Outcome:
    """What the samples of an operation and a type give."""

    name: str
    dtype: str
    samples: int = 0
    # Graphs that are compiled as a whole, in parts, and not at all.
    graphs: list[int] = field(default_factory=lambda: [0, 0, 0])
    # By operation of ATen: why PyTorch executes it.
    reasons: dict[str, str] = field(default_factory=dict)
    problem: str | None = None


class Log(logging.Handler):
    """Collects what is compiled into an outcome."""

    def __init__(self, outcome):
        super().__init__()
        self.outcome = outcome

    def emit(self, record):
        text = record.getMessage()
        if text.endswith("is compiled"):
            self.outcome.graphs[0] += 1
        elif "are compiled, in" in text:
            self.outcome.graphs[2 if text.endswith("in 0 parts") else 1] += 1
        elif text.startswith("PyTorch executes "):
            what, _, why = text.removeprefix("PyTorch executes ").partition(": ")
            self.outcome.reasons[what] = why


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


def check(operation, dtype, samples, outcome):
    """Runs samples in graphs of several, and those that are not right alone, and fills the outcome until one is wrong."""
    right = []
    for sample in samples:
        try:
            _is_eager.value = True
            with torch.no_grad():
                wanted = operation(*copied((sample.input, *sample.args)), **copied(sample.kwargs))
        except Exception:
            continue
        finally:
            _is_eager.value = False
        right.append((sample, wanted))
    outcome.samples = len(right)
    for start in range(0, len(right), TOGETHER):
        some = right[start : start + TOGETHER]
        before = list(outcome.graphs), dict(outcome.reasons)
        if len(some) > 1 and not problem_of(operation, dtype, some, outcome):
            continue
        outcome.graphs, outcome.reasons = before
        for one in some:
            problem = problem_of(operation, dtype, [one], outcome)
            if problem:
                outcome.problem = f"{problem}, of {one[0].summary()}"
                return
        if len(some) > 1:
            outcome.problem = "samples are wrong only together"
            return


def problem_of(operation, dtype, samples, outcome):
    """What is wrong with the results of samples in one graph, or `None`."""
    torch._dynamo.reset()
    signal.alarm(LIMIT)

    def program(given):
        return [operation.op(*positional, **named) for positional, named in given]

    given = [copied(((one.input, *one.args), one.kwargs)) for one, _ in samples]
    try:
        with torch.no_grad():
            found = torch.compile(program, backend="mdh")(given)
    except Exception as error:
        problem = str(error).splitlines()[0] if str(error) else ""
        return f"raises {type(error).__name__}: {problem[:150]}"
    for result, (sample, wanted) in zip(found, samples, strict=True):
        for one, other in zip(tensors(result), tensors(wanted), strict=True):
            problem = difference(dtype, one, other)
            if problem and difference(dtype, one, one_by_one(operation, sample, other)) and not is_nearer(operation, sample, one):
                return problem
    return None


def difference(dtype, found, wanted):
    """How results differ, or `None`."""
    try:
        torch.testing.assert_close(found, wanted, equal_nan=True, check_stride=False, **tolerance(dtype, wanted))
    except AssertionError as error:
        return " ".join(str(error).split())[:200]
    return None


def wide(value):
    """Arguments whose floats of 16 bits have 32."""
    if isinstance(value, torch.Tensor):
        return value.float() if value.dtype in (torch.float16, torch.bfloat16) else value.clone()
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        return type(value)(map(wide, value))
    return {key: wide(one) for key, one in value.items()} if isinstance(value, dict) else value


def is_nearer(operation, sample, found):
    """Whether a result of 16 bits is that of 32 bits: PyTorch rounds what it computes in between."""
    if not isinstance(found, torch.Tensor) or found.dtype not in (torch.float16, torch.bfloat16):
        return False
    try:
        precise = operation(*wide((sample.input, *sample.args)), **wide(sample.kwargs))
    except Exception:
        return False
    return any(
        one.shape == found.shape and difference(found.dtype, found, one.to(found.dtype)) is None
        for one in tensors(precise)
        if isinstance(one, torch.Tensor)
    )


def one_by_one(operation, sample, wanted):
    """The result of an elementwise operation, from calls with one element each: where PyTorch has another one for vectors, such
    as NaN for a remainder that is 0, both are right."""
    if not isinstance(operation, (UnaryUfuncInfo, BinaryUfuncInfo)) or not wanted.dim():
        return wanted
    tensors = [one.expand(wanted.shape).reshape(-1) for one in (sample.input, *sample.args) if isinstance(one, torch.Tensor)]
    numbers = [one for one in sample.args if not isinstance(one, torch.Tensor)]
    results = [operation(*(one.clone() for one in row), *numbers, **sample.kwargs) for row in zip(*tensors)]
    return torch.stack(results).reshape(wanted.shape)


def tolerance(dtype, value):
    """That of comparisons: sums are computed in another order."""
    if dtype in (torch.float16, torch.bfloat16):
        return {"rtol": 2e-2, "atol": 2e-2}
    is_single = isinstance(value, torch.Tensor) and value.dtype in (torch.float32, torch.complex64)
    return {"rtol": 1e-4, "atol": 1e-4} if is_single else {}


def run(number, dtype_name, without_least, options):
    """The outcome of an operation and a type. `without_least`: whether samples are without the least integer."""
    operation, dtype = DATABASE[number], getattr(torch, dtype_name)
    variant = f".{operation.variant_test_name}" if operation.variant_test_name else ""
    outcome = Outcome(operation.name + variant, dtype_name)
    log = Log(outcome)
    logger = logging.getLogger("mdh.torch")
    logger.setLevel(logging.INFO)
    logger.addHandler(log)
    logger.propagate = False
    torch.manual_seed(0)
    try:
        samples = operation.sample_inputs("cpu", dtype, requires_grad=False)
        chosen = itertools.islice(samples, options.samples)
        check(operation, dtype, itertools.chain(chosen, edges(operation, dtype, without_least) if options.edges else ()), outcome)
    except Exception:
        outcome.problem = "fails: " + traceback.format_exc().splitlines()[-1][:200]
    signal.alarm(0)
    logger.removeHandler(log)
    return outcome


def serve(options, connection, is_eager):
    """Runs what the connection asks for. `is_eager`: whether PyTorch runs a sample without compilation."""
    global _is_eager
    _is_eager = is_eager
    torch.set_num_threads(1)
    while (case := connection.recv()) is not None:
        connection.send(run(*case, options))


_is_eager = None


def ended(case, is_eager, status):
    """The outcome of a case that has ended its process, or a milder one: PyTorch itself is ended by some divisions of the least
    integer."""
    number, dtype, without_least = case
    if is_eager and not without_least:
        return number, dtype, True
    return Outcome(DATABASE[number].name, dtype, problem=f"ends with status {status}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--dtypes", default="float32")
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--edges", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--outcomes", type=pathlib.Path)
    options = parser.parse_args()
    shard, shards = map(int, options.shard.split("/"))
    numbers = [i for i, one in enumerate(DATABASE) if not options.names or one.name in options.names]
    cases = [
        (number, dtype, False)
        for number in numbers[shard::shards]
        for dtype in options.dtypes.split(",")
        if getattr(torch, dtype) in DATABASE[number].supported_dtypes("cpu")
    ]
    # What a first graph imports is imported once.
    torch.compile(lambda x: x + 1, backend="mdh")(torch.ones(3))
    found = []
    if options.outcomes:
        options.outcomes.write_text("")
    for outcome in outcomes(cases, options.jobs, functools.partial(serve, options), ended):
        found.append(outcome)
        if options.outcomes:
            with options.outcomes.open("a") as file:
                file.write(json.dumps(asdict(outcome)) + "\n")
        if outcome.problem:
            print(f"WRONG {outcome.name} {outcome.dtype}: {outcome.problem}", flush=True)
    bad = sum(one.problem is not None for one in found)
    print(f"{sum(one.samples for one in found)} samples of {len(found)} operations with a type, {bad} are wrong")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
