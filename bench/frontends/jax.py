"""JAX programs through StableHLO and linalg into `mdh run`; JAX is the judge, XLA the peer.

usage: python3 -m bench.frontends.jax MDH THREADS
"""
import os
import pathlib
import re
import statistics
import sys
import tempfile

if __name__ == "__main__":
    # Before JAX is loaded.
    os.environ["OMP_NUM_THREADS"] = sys.argv[2]

import jax
import numpy as np
from jaxlib.mlir.dialects import stablehlo
from jaxlib.mlir.passmanager import PassManager

from bench import harness
from bench.frontends.jax_programs import PROGRAMS
from bench.frontends.ours import Ours, agree

TOLERANCE, ROUNDS = 2e-3, 7
PASSES = "builtin.module(inline,func.func(chlo-legalize-to-stablehlo,stablehlo-legalize-to-linalg),canonicalize,cse)"


def lowered(function, arguments):
    """The function as linalg."""
    module = function.lower(*arguments).compiler_ir("stablehlo")
    with module.context:
        PassManager.parse(PASSES).run(module.operation)
    text = str(module)
    if "stablehlo." in text:
        text = module.operation.get_asm(print_generic_op_form=True)
    return re.sub(r" \{(?:jax|mhlo)\.[^{}]*\}", "", re.sub(r" attributes \{mhlo[^}]*\}", "", text))


def compare(program, shapes, mdh, threads, folder):
    """Whether the results are right, and the time of XLA as a multiple of ours."""
    draw = np.random.default_rng(5)
    arguments = [draw.random(shape, np.float32) for shape in shapes]
    function = jax.jit(program)
    expected = [np.asarray(leaf) for leaf in jax.tree.leaves(function(*arguments))]
    (folder / "p.mlir").write_text(lowered(function, arguments))
    options = []
    for number, argument in enumerate(arguments):
        np.save(folder / f"i{number}.npy", argument)
        options += ["--input", str(folder / f"i{number}.npy")]
    ours = Ours(mdh, threads, options, folder)
    found, _ = ours.results(len(expected))
    call = lambda: jax.block_until_ready(function(*arguments))
    times = harness.in_turns({"XLA": lambda: harness.seconds_of(call), "ours": ours.time}, ROUNDS)
    xla, own = map(statistics.median, times.values())
    return agree(found, expected, TOLERANCE), xla / own


def main():
    """Compares all programs, and prints the table."""
    mdh, threads = sys.argv[1:]
    stablehlo.register_stablehlo_passes()
    good, ratios = 0, []
    for name, (program, shapes) in PROGRAMS.items():
        try:
            with tempfile.TemporaryDirectory() as folder:
                right, ratio = compare(program, shapes, mdh, threads, pathlib.Path(folder))
        except RuntimeError as error:
            print(f"{name}: {error}", flush=True)
            continue
        good += right
        ratios.append(ratio)
        print(f"{name}: {'right' if right else 'WRONG'}, ratio XLA / ours {ratio:.2f}", flush=True)
    mean = harness.mean(ratios) if ratios else 0
    print(f"{good} of {len(PROGRAMS)} JAX programs right, geometric mean XLA / ours {mean:.2f} ({threads} threads)")
    sys.exit(not (good == len(PROGRAMS) and mean >= 1))


if __name__ == "__main__":
    main()
