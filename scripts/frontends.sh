#!/bin/sh
# Runs JAX programs, and modules of KernelBench from a checkout, through linalg and `mdh run`, and compares with XLA and
# PyTorch. They are installed into a virtual environment, target/frontends (6 GB). The tables go to bench/results/frontends.
#
#     scripts/frontends.sh                  the JAX programs
#     scripts/frontends.sh DIR              also the levels of KernelBench whose folders, level1 and level2, are in DIR
set -eu
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
venv=$target/frontends
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
fi
"$venv/bin/pip" install --quiet numpy jax==0.10.2
results=bench/results/frontends
mkdir -p "$results"
mdh=$target/release/mdh
status=0
for threads in 1 2; do
    "$venv/bin/python" bench/frontends_jax.py "$mdh" "$threads" >"$results/jax-$threads.txt" || status=1
    tail -1 "$results/jax-$threads.txt"
done
[ -n "${1:-}" ] || exit $status
"$venv/bin/pip" install --quiet torch==2.15.0 torch-mlir==20261001
for level in level1 level2; do
    [ -d "$1/$level" ] || continue
    for threads in 1 2; do
        "$venv/bin/python" bench/frontends_kernelbench.py "$mdh" "$1/$level" "$threads" \
            >"$results/kernelbench-$level-$threads.txt" || status=1
        tail -1 "$results/kernelbench-$level-$threads.txt"
    done
done
exit $status
