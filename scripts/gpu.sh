#!/bin/bash
# The tests of kernels and the benchmark on a GPU of NVIDIA: gpu.sh [PYTHON [KERNELS [BUDGET]]]. PYTHON has NumPy, and what is to be measured
# against. KERNELS is a folder that `bench/gpu.py --compile` has written on another machine: then nothing is built or tested here, which
# needs neither LLVM, Rust nor a network. BUDGET is how many seconds the benchmark may take; what is there of an earlier one is kept.
# Without a GPU it says so, and ends with exit code 4. The results are gpu.json and gpu.md in bench/results.
set -eu -o pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}
kernels=${2:-}
budget=${3:-}
no_device=4

# Before a build, which takes minutes.
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
