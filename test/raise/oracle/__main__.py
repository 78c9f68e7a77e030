"""Computes the results of the texts in test/raise with NumPy, from what the programs mean.

    python3 test/raise/oracle [TEXT …]      such as jax/reductions/softmax; all texts if none is given

The inputs are those of the lines `// RUN: %against-numpy mdh run …` of a text. For each of them, the formula of its
function computes the results, in double precision; they are written to test/raise/expected/TEXT.json. The formulas are
independent of this project: they are written from the expression in JAX or PyTorch at the top of a text, or from the
definition of a kernel. The results are committed, so that the tests do not need NumPy. Run this again when a text or its
inputs change.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import frontends
import kernels
import nests
import operators
import structured
import tensors
from results import Result

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODULES = [frontends, kernels, nests, operators, structured, tensors]
FORMULAS = {text: formulas for module in MODULES for text, formulas in module.FORMULAS.items()}


def runs(text):
    """The runs of a text that are compared with NumPy: for each one, the function, its inputs as they are written, and
    the arguments."""
    lines = re.findall(r"^// RUN: (.*)$", (ROOT / f"{text}.mlir").read_text(), re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        for line in lines:
            if arrays := re.fullmatch(r"%python %S/\S*Inputs/arrays.py %t (.*)", line):
                script = ROOT / "Inputs" / "arrays.py"
                subprocess.run([sys.executable, script, f"{folder}/", *arrays[1].split()], check=True)
            elif line.startswith("%against-numpy "):
                words = line.split()
                inputs = [value for option, value in zip(words, words[1:]) if option == "--input"]
                yield words[words.index("--function") + 1], inputs, [argument(folder, value) for value in inputs]


def argument(folder, value):
    """An array that `arrays.py` wrote, with floats in double precision, or a number."""
    if not value.startswith("%t"):
        return int(value) if re.fullmatch(r"-?\d+", value) else float(value)
    array = np.load(f"{folder}/{value.removeprefix('%t')}")
    if array.dtype.kind == "V":
        # The upper halves of f32.
        array = (array.view("<u2").astype("<u4") << 16).view("<f4")
    return array.astype("f8") if array.dtype.kind == "f" else array


def write(text):
    """Computes the results of a text, and writes them; returns the functions that it runs."""
    cases = {}
    for function, inputs, arguments in runs(text):
        name = " ".join([function, *inputs])
        try:
            results = FORMULAS[text][function](*arguments)
            results = results if isinstance(results, tuple) else (results,)
            cases[name] = ",\n".join(Result.of(result).written() for result in results)
        except (KeyError, TypeError, ValueError) as error:
            sys.exit(f"{text}: {name}: {type(error).__name__}: {error}")
    file = ROOT / "expected" / f"{text}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{\n" + ",\n".join(f" {json.dumps(name)}: [\n{results}]" for name, results in cases.items()) + "\n}\n")
    return {name.split()[0] for name in cases}


def main(texts):
    """Writes the results of the texts; a formula that no line runs is an error."""
    for text in texts or sorted(FORMULAS):
        if text not in FORMULAS:
            sys.exit(f"no formulas for '{text}'")
        unused = FORMULAS[text].keys() - write(text)
        if unused:
            sys.exit(f"{text}: no RUN line with %against-numpy runs {', '.join(sorted(unused))}")


if __name__ == "__main__":
    main(sys.argv[1:])
