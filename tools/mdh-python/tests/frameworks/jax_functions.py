"""Functions of JAX through `mdh.jit`, compared with `jax.jit`.

usage: jax_functions.py [--dtypes float32,int64] [--names jnp.sin,lax.add] [--expressions N] [--large] [--no-x64]
                        [--jobs N] [--shard I/N] [--results FILE] [--table FILE]

Prints a line for each function with a type that is wrong, raises where JAX does not, crashes, or does not end, and the counts.
A crash ends one of the processes that run them, which is started again.
`--expressions` is the most expressions of a function; by default all.
`--large` takes arrays of thousands of elements.
`--results` keeps what was right in a file, and does not run that again.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import functools
import json
import logging
import pathlib
import re
import signal
import sys
import warnings

import jax
import jax.numpy as jnp
import mdh
import numpy
from jax import lax, nn
from jax_function_table import CLOSE, EXACT, TYPES, arrays, rows
from workers import outcomes

# Seconds for a function and a type.
LIMIT = 60

ROWS = rows()
# The names of arrays in expressions.
_ARRAY = re.compile(r"(?<![\w.'])([a-z])(?![\w'(]|=[^=])")


@dataclasses.dataclass
class Outcome:
    """What the expressions of a row and a type give."""

    row: str
    dtype: str
    expressions: int = 0
    # Whether they are compiled as one program, in parts, or executed by JAX.
    how: str = ""
    # By operation of JAX: why JAX executes it.
    reasons: dict[str, str] = dataclasses.field(default_factory=dict)
    problem: str | None = None


class Log(logging.Handler):
    """Collects what is compiled into an outcome."""

    def __init__(self, outcome):
        super().__init__()
        self.outcome = outcome

    def emit(self, record):
        text = record.getMessage()
        if "are compiled, in" in text:
            self.outcome.how = "JAX" if text.endswith("in 0 parts") else "parts"
        elif text.startswith("JAX executes "):
            what, _, why = text.removeprefix("JAX executes ").partition(": ")
            self.outcome.reasons[what] = why


def function(expression):
    """An expression as a function, and the names of its arrays."""
    names = sorted(set(_ARRAY.findall(expression)))
    return eval(f"lambda {','.join(names)}: {expression}", {"jax": jax, "jnp": jnp, "lax": lax, "nn": nn}), names


def several(expressions, given):
    """Expressions as one function, and its arguments."""
    functions = [function(one) for one in expressions]
    names = sorted({name for _, names in functions for name in names})

    def call(*values):
        by_name = dict(zip(names, values))
        return [one(*[by_name[name] for name in own]) for one, own in functions]

    return call, [given[name] for name in names]


def is_accepted(expression, given):
    """Whether JAX accepts an expression with arrays of the type."""
    try:
        call, values = several([expression], given)
        jax.eval_shape(call, *values)
    except Exception:
        return False
    return True


def wanted_of(expressions, given):
    """The expressions that JAX executes, and their results."""
    try:
        call, values = several(expressions, given)
        return expressions, jax.block_until_ready(jax.jit(call)(*values))
    except Exception:
        if len(expressions) == 1:
            return [], []
    found = [wanted_of([one], given) for one in expressions]
    return [one for some, _ in found for one in some], [one for _, some in found for one in some]


def difference(found, wanted, kind):
    """How a result differs from that of JAX; None if it agrees."""
    if jax.tree.structure(found) != jax.tree.structure(wanted):
        return f"is {jax.tree.structure(found)}, not {jax.tree.structure(wanted)}"
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(wanted)):
        for attribute in ("dtype", "shape", "weak_type"):
            if getattr(one, attribute) != getattr(other, attribute):
                return f"has {attribute} {getattr(one, attribute)}, not {getattr(other, attribute)}"
        bad = numpy.flatnonzero(~_agree(numpy.asarray(one), numpy.asarray(other), kind))
        if len(bad):
            flat, right = numpy.asarray(one).ravel(), numpy.asarray(other).ravel()
            some = ", ".join(f"[{i}] {flat[i]!s}, not {right[i]!s}" for i in bad[:4])
            return f"{len(bad)} of {flat.size} differ: {some}"
    return None


def _agree(found, wanted, kind):
    """The elements that agree."""
    if wanted.dtype.kind in "biu":
        return found == wanted
    if wanted.dtype.kind == "c":
        return _agree(found.real, wanted.real, kind) & _agree(found.imag, wanted.imag, kind)
    info = jnp.finfo(wanted.dtype)
    eps, tiny = float(info.eps), float(info.tiny)
    one, other = found.astype("f8"), wanted.astype("f8")
    few = 1 if eps > 1e-3 else 16
    relative, absolute = {EXACT: (0, 0), CLOSE: (few * eps, 0)}.get(kind, (8 * few * eps, 8 * few * eps))
    # XLA makes subnormal numbers of more than 16 bits zero, this compiler does not.
    absolute = absolute if info.nmant == 10 else max(absolute, tiny if kind == EXACT else 128 * tiny)
    with numpy.errstate(all="ignore"):
        near = abs(one - other) <= relative * abs(other) + absolute
        same_sign = (one != 0) | (other != 0) | (numpy.signbit(one) == numpy.signbit(other)) | (kind not in (EXACT, CLOSE))
    return (numpy.isnan(one) & numpy.isnan(other)) | (one == other) & same_sign | numpy.isfinite(one) & near & same_sign


def run(number, dtype_name, options):
    """The outcome of a row and a type."""
    _, kind, expressions = ROWS[number]
    given = {name: jnp.asarray(one) for name, one in arrays(jnp.dtype(dtype_name), options.large).items()}
    outcome = Outcome(" ".join(expressions), dtype_name)
    accepted = [one for one in expressions if is_accepted(one, given)]
    expressions, wanted = wanted_of(accepted[: options.expressions], given)
    if not expressions:
        return outcome
    outcome.expressions, outcome.how = len(expressions), "compiled"
    log, logger = Log(outcome), logging.getLogger("mdh.jax")
    logger.addHandler(log)
    call, values = several(expressions, given)
    try:
        found = mdh.jit(call)(*values)
    except Exception:
        found = None
    logger.removeHandler(log)
    for i, one in enumerate(expressions):
        try:
            single, values = several([one], given)
            problem = difference(found[i] if found else mdh.jit(single)(*values)[0], wanted[i], kind)
        except Exception as error:
            problem = f"raises {type(error).__name__}: {(str(error).splitlines() or [''])[0][:300]}"
        if problem:
            outcome.problem = f"{one} {problem}"
            return outcome
    if found is None:
        outcome.problem = "raises as one program only"
    return outcome


def serve(options, connection, _):
    """Runs what the connection asks for."""
    jax.config.update("jax_enable_x64", options.x64)
    logging.getLogger("mdh.jax").setLevel(logging.INFO)
    logging.getLogger("mdh.jax").propagate = False
    while (case := connection.recv()) is not None:
        signal.alarm(LIMIT)
        outcome = run(*case, options)
        signal.alarm(0)
        connection.send(outcome)


def ended(case, _, status):
    """The outcome of a case that has ended its process."""
    number, dtype = case
    return Outcome(" ".join(ROWS[number][2]), dtype, problem=f"ends with status {status}")


def table(found):
    """The functions as a table for the documents."""
    names = {" ".join(expressions): name for name, _, expressions in ROWS}
    by_name = collections.defaultdict(list)
    for one in found:
        if one.expressions and one.row in names:
            by_name[names[one.row]].append(one)
    yield "This table is made by `jax_functions.py --table docs/jax-functions.md` in `tools/mdh-python/tests/frameworks`.\n"
    types = ", ".join(dtype for dtype in TYPES if any(one.dtype == dtype for some in by_name.values() for one in some))
    yield "It has functions of JAX whose results were compared with those of `jax.jit`: for which element types they are compiled, compiled in parts, or executed by JAX, and why."
    yield f"The types are {types}; all are those that JAX accepts.\n"
    yield "| Function | Compiled | In parts | By JAX | Why |\n|---|---|---|---|---|"
    for name, some in sorted(by_name.items()):
        hows = {dtype: _how({one.how for one in some if one.dtype == dtype}) for dtype in TYPES}
        tested = [dtype for dtype in TYPES if hows[dtype]]
        cells = []
        for how in ("compiled", "parts", "JAX"):
            chosen = [dtype for dtype in tested if hows[dtype] == how]
            cells.append("all" if chosen == tested else _merged(chosen))
        reasons = sorted({f"{what}: {_reason(why)}" for one in some for what, why in one.reasons.items()})
        yield f"| `{name}` | {' | '.join(cells)} | {'; '.join(reasons)} |"


def _how(hows):
    """How the expressions of a function are executed together."""
    return "parts" if len(hows) > 1 else next(iter(hows), "")


def _reason(text):
    """The reason without the place in the program."""
    return text.rpartition("error: ")[2].partition(", but has tensor")[0].replace("|", "\\|")


def _merged(types):
    """Names of types, with those of a kind together.

    >>> _merged(["bool", "int8", "int16", "uint8"])
    'bool, int8/16, uint8'
    """
    by_kind = {}
    for one in types:
        kind, size = re.fullmatch(r"([a-z]+?)(\d.*)?", one).groups()
        by_kind.setdefault(kind, []).append(size or "")
    return ", ".join(kind + "/".join(sizes) for kind, sizes in by_kind.items())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dtypes", default=",".join(TYPES))
    parser.add_argument("--names")
    parser.add_argument("--expressions", type=int)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--no-x64", dest="x64", action="store_false")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    options = parser.parse_args()
    shard, shards = map(int, options.shard.split("/"))
    found = []
    if options.results and options.results.exists():
        found = [Outcome(**json.loads(line)) for line in options.results.read_text().splitlines()]
    known = {(one.row, one.dtype) for one in found}
    numbers = [i for i, (name, _, _) in enumerate(ROWS) if not options.names or name in options.names.split(",")]
    cases = [(number, dtype) for dtype in options.dtypes.split(",") for number in numbers[shard::shards]]
    cases = [(number, dtype) for number, dtype in cases if (" ".join(ROWS[number][2]), dtype) not in known]
    warnings.filterwarnings("ignore")
    # What a first compilation loads is loaded once; JAX must not have started threads before a fork.
    mdh.compile("func.func @main(%x: f32) -> f32 {\n return %x : f32\n}")(1.0)
    for outcome in outcomes(cases, options.jobs, functools.partial(serve, options), ended):
        found.append(outcome)
        if outcome.problem:
            print(f"WRONG {outcome.dtype}: {outcome.problem} ({outcome.how or outcome.row})", flush=True)
        elif options.results:
            with options.results.open("a") as file:
                file.write(json.dumps(dataclasses.asdict(outcome)) + "\n")
    if options.table:
        options.table.write_text("\n".join(table(found)) + "\n")
    bad = sum(one.problem is not None for one in found)
    rows_with_type = sum(one.expressions > 0 for one in found)
    print(f"{sum(one.expressions for one in found)} expressions of {rows_with_type} functions with a type, {bad} are wrong")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
