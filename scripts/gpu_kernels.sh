#!/bin/bash
# Compiles what a machine with a GPU, but without LLVM, Rust or a network, measures and checks: gpu_kernels.sh FOLDER [ARCH].
# FOLDER gets the kernels of the benchmark, those of the checks in FOLDER/checks, and NVIDIA's compute-sanitizer from PyPI
# in FOLDER/sanitizer (9 MB; without a network, it is left out). `make gpu KERNELS=FOLDER` uses all of it.
set -eu -o pipefail
cd "$(dirname "$0")/.."
[ -n "${1:-}" ] || {
    echo "gpu-kernels: a folder is required: make gpu-kernels KERNELS=FOLDER" >&2
    exit 2
}
folder=$1
arch=${2:-sm_90}
target=${CARGO_TARGET_DIR:-target}
scripts/python.sh
python=$target/python/bin/python

"$python" bench/gpu.py --tools "$target/release" --compile "$folder" --arch "$arch"
"$python" bench/gpu_checks.py "$folder/checks" --compile --tools "$target/release" --arch "$arch"
"$python" -m pip download --quiet --no-deps --disable-pip-version-check --retries 1 --timeout 15 --dest "$folder/sanitizer" \
    nvidia-cuda-sanitizer-api-cu12==12.9.79 || echo "gpu-kernels: compute-sanitizer is not available, and left out"
du -sh "$folder"
