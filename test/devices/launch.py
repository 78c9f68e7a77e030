"""Runs a function by its manifest, without our tools: launch.py PTX FUNCTION INPUTS.. -- EXPECTED..

Arrays are .npy files. The expected ones are the memrefs that the function writes, then its results. Integers are compared exactly,
floats with a tolerance for a different order of summation.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from bench.gpu.device import Cuda  # noqa: E402
from bench.gpu.manifest import run  # noqa: E402


def main():
    """Runs the command."""
    end = sys.argv.index("--")
    launches, differs = run(Cuda(4), pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:end], sys.argv[end + 1 :])
    if differs:
        sys.exit(f"{differs}: the manifest computes something else")
    print(f"{launches} launches")


main()
