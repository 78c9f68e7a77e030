#!/bin/bash
# Runs the tests of kernels and the benchmark on an NVIDIA GPU: gpu.sh [PYTHON [KERNELS [BUDGET]]].
# PYTHON has NumPy, and the peers to measure against.
# KERNELS is a folder that scripts/measure/gpu_kernels.sh has written on another machine. With it, nothing is built: its kernels are
# checked and measured, so neither LLVM, Rust nor a network is needed.
# BUDGET is the time limit of all steps together in seconds; results of earlier runs are kept.
# Without a GPU, it prints a message and exits with code 4. The results are gpu_checks.json, gpu.json, gpu.md,
# gpu_calibration.json and gpu_calibration.md in bench/results.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
python=${1:-python3}
kernels=${2:-}
budget=${3:-}
no_device=4

# Check for a GPU before the build, which takes minutes.
"$python" - <<'PYTHON' || exit $no_device
import sys

from bench.gpu.device import Cuda, Missing

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
# Correctness comes first; a budget leaves at least half of the time for the benchmark.
if [ -d "$kernels/checks" ]; then
    step "checks: every example with its default schedule and random ones, against stored results"
    "$python" -m bench.gpu.checks "$kernels/checks" ${budget:+--budget $((budget / 4))} --output bench/results/gpu_checks.json || status=1
    # The sanitizer of this machine knows its driver; the carried one replaces it.
    sanitizer=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer || true)
    wheel=$(find "$kernels/sanitizer" -name '*.whl' 2>/dev/null | head -1)
    if [ -z "$sanitizer" ] && [ -n "$wheel" ]; then
        unpacked=$(mktemp -d)
        trap 'rm -rf "$unpacked"' EXIT
        "$python" -m zipfile -e "$wheel" "$unpacked"
        sanitizer=$unpacked/nvidia/cuda_sanitizer_api/bin/compute-sanitizer
        chmod +x "$sanitizer"
    fi
    if [ -n "$sanitizer" ]; then
        step "checks with compute-sanitizer"
        "$python" -m bench.gpu.checks "$kernels/checks" --sanitizer "$sanitizer" --count 12 ${budget:+--budget $((budget / 8))} || status=1
    fi
fi
if [ -d "$kernels/candidates" ]; then
    step "calibration: expected and measured times of schedules from good to bad"
    "$python" -m bench.gpu.calibration "$kernels/candidates" ${budget:+--budget $((budget / 8))} || status=1
fi
step "benchmark"
rest=${budget:+$((budget > SECONDS ? budget - SECONDS : 1))}
"$python" -m bench.gpu --tools "${CARGO_TARGET_DIR:-target}/release" ${kernels:+--kernels "$kernels"} ${rest:+--budget "$rest" --resume} || status=1
exit $status
