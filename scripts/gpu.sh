#!/bin/bash
# Runs the tests of kernels and the benchmark on an NVIDIA GPU: gpu.sh [PYTHON [KERNELS [BUDGET]]].
# PYTHON has NumPy, and the peers to measure against.
# KERNELS is a folder that `bench/gpu.py --compile` has written on another machine. With it, nothing is built or tested,
# so neither LLVM, Rust nor a network is needed.
# BUDGET is the time limit of the benchmark in seconds; results of earlier runs are kept.
# Without a GPU, it prints a message and exits with code 4. The results are gpu.json and gpu.md in bench/results.
set -eu -o pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}
kernels=${2:-}
budget=${3:-}
no_device=4

# Check for a GPU before the build, which takes minutes.
"$python" - <<'PYTHON' || exit $no_device
import sys

sys.path.insert(0, "bench")
from gpu_device import Cuda, Missing

try:
    Cuda()
except (Missing, RuntimeError) as missing:
    sys.exit(f"gpu: {missing}")
PYTHON

step() { printf '\n==> %s\n' "$*"; }

status=0
if [ -z "$kernels" ]; then
    step "build"
    make build
    step "tests: every example with its default schedule and random ones, against the reference evaluator"
    cargo test --release --package mdh-tools --test execute -- cuda || status=1
    cargo test --release --package mdh-runtime --test cuda || status=1
fi
step "benchmark"
"$python" bench/gpu.py --tools "${CARGO_TARGET_DIR:-target}/release" ${kernels:+--kernels "$kernels"} ${budget:+--budget "$budget" --resume} || status=1
exit $status
