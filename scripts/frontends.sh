#!/bin/sh
# Tests the Python package with JAX, PyTorch and Numba. Then runs JAX programs, chains of PyTorch's operations, and
# modules of KernelBench from a checkout, through linalg and `mdh run`, and compares with XLA and PyTorch, of which the
# faster one of eager and compiled counts. They are installed into a virtual environment, target/frontends (6 GB). The
# tables go to bench/results/frontends.
#
#     scripts/frontends.sh                  the JAX programs and the chains
#     scripts/frontends.sh DIR              also the levels of KernelBench whose folders, level1 and level2, are in DIR
set -eu
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
venv=$target/frontends
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
fi
results=bench/results/frontends
mkdir -p "$results"
mdh=$target/release/mdh
status=0

# Writes the table of a script, and prints its last line: NAME SCRIPT ARGUMENT ..., for each number of threads.
measure() {
    name=$1 script=$2
    shift 2
    for threads in 1 2; do
        "$venv/bin/python" "bench/$script.py" "$mdh" "$@" "$threads" >"$results/$name-$threads.txt" || status=1
        tail -1 "$results/$name-$threads.txt"
    done
}

"$venv/bin/pip" install --quiet numpy jax==0.10.2
measure jax frontends_jax
"$venv/bin/pip" install --quiet torch==2.15.0 torch-mlir==20261001
# The Python package beside the frameworks.
"$venv/bin/pip" install --quiet numba pytest
"$venv/bin/pip" install --quiet --force-reinstall --no-deps "$target"/wheels/*.whl
"$venv/bin/python" -m pytest -q -p no:cacheprovider tools/mdh-python/tests/frameworks || status=1
measure chains frontends_chains --compiled
for level in ${1:+level1 level2}; do
    if [ -d "$1/$level" ]; then
        measure "kernelbench-$level" frontends_kernelbench --compiled "$1/$level"
    fi
done
exit $status
