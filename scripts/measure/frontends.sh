#!/bin/sh
# Tests the Python package with JAX, PyTorch and Numba, where possible without the LLVM of the machine, compares samples of
# PyTorch's test database and the functions of JAX with the frameworks (hours), and measures its calls and its start beside theirs (bench.python). Then runs JAX programs, chains of PyTorch's operations, and modules
# of KernelBench from a checkout, through linalg and `mdh run`, and compares with XLA and PyTorch, of which the faster one
# of eager and compiled counts. They are installed into a virtual environment, target/frontends (6 GB). The tables go to
# bench/results/frontends, and those of bench.python to bench/results.
#
#     scripts/measure/frontends.sh                  the package, the JAX programs and the chains
#     scripts/measure/frontends.sh DIR              also the levels of KernelBench whose folders, level1 and level2, are in DIR
#     scripts/measure/frontends.sh --package        the package only
set -eu
cd "$(dirname "$0")/../.."

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
        "$venv/bin/python" -m "bench.frontends.$script" "$mdh" "$@" "$threads" >"$results/$name-$threads.txt" || status=1
        tail -1 "$results/$name-$threads.txt"
    done
}

"$venv/bin/pip" install --quiet numpy jax==0.10.2 torch==2.15.0 torch-mlir==20261001 numba pytest expecttest
"$venv/bin/pip" install --quiet --force-reinstall --no-deps "$target"/wheels/*.whl

hide=
for apart in "unshare --mount" "unshare --mount --map-root-user"; do
    if [ -z "$hide" ] && $apart true 2>/dev/null; then hide="$apart scripts/check/fresh.sh --hidden"; fi
done
[ -n "$hide" ] || echo "frontends: the tests see the LLVM of this machine, because it cannot be hidden" >&2
env -u PYTHONPATH -u LD_LIBRARY_PATH $hide "$venv/bin/python" -m pytest -q -p no:cacheprovider \
    tools/mdh-python/tests/frameworks || status=1
for campaign in "op_database.py --dtypes float32,float64,bfloat16,int32,int64,bool --edges --jobs 2" "jax_functions.py --jobs 2"; do
    # A campaign is a script with its options.
    # shellcheck disable=SC2086
    env -u PYTHONPATH -u LD_LIBRARY_PATH "$venv/bin/python" tools/mdh-python/tests/frameworks/$campaign || status=1
done
env -u PYTHONPATH -u LD_LIBRARY_PATH "$venv/bin/python" -m bench.python || status=1
if [ "${1:-}" = --package ]; then
    exit $status
fi

measure jax jax
measure chains chains --compiled
for level in ${1:+level1 level2}; do
    if [ -d "$1/$level" ]; then
        measure "kernelbench-$level" kernelbench --compiled "$1/$level"
    fi
done
exit $status
