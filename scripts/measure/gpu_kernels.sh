#!/bin/bash
# Compiles what a machine with a GPU, but without LLVM, Rust or a network, measures and checks: gpu_kernels.sh FOLDER [ARCH].
# FOLDER gets the kernels of the benchmark, those of the checks in FOLDER/checks, schedules from good to bad in
# FOLDER/candidates, and NVIDIA's compute-sanitizer from PyPI in FOLDER/sanitizer (9 MB; without a network, it is left out).
# They are cubins if ptxas is installed, else PTX, which the driver assembles. `make gpu KERNELS=FOLDER` uses all of it.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
[ -n "${1:-}" ] || {
    echo "gpu-kernels: a folder is required: make gpu-kernels KERNELS=FOLDER" >&2
    exit 2
}
folder=$1
arch=${2:-sm_90}
target=${CARGO_TARGET_DIR:-target}
scripts/setup/python.sh
python=$target/python/bin/python

form=ptx
"$target/release/mdh" compile examples/dot.mlir --target cuda --arch "$arch" --emit cubin -o - >/dev/null 2>&1 && form=cubin
options=(--tools "$target/release" --arch "$arch" --emit "$form")
# The device that default schedules are made for, unless the architecture is another one.
[ "$arch" != sm_90 ] || options+=(--machine examples/machines/h100.json)

"$python" -m bench.gpu --compile "$folder" "${options[@]}"
"$python" -m bench.gpu.checks "$folder/checks" --compile --tools "$target/release" --arch "$arch" --emit "$form"
"$python" -m bench.gpu.calibration "$folder/candidates" --compile "${options[@]}"
"$python" -m pip download --quiet --no-deps --disable-pip-version-check --retries 1 --timeout 15 --dest "$folder/sanitizer" \
    nvidia-cuda-sanitizer-api-cu12==12.9.79 || echo "gpu-kernels: compute-sanitizer is not available, and left out"
du -sh "$folder"
