#!/bin/bash
# Random programs with random schedules against the reference evaluator: fuzz.sh NUMBER [SEED] [cpu|device|cuda]
# device: an OpenCL device, which is the processor if scripts/setup/opencl.sh has installed Intel's run-time system.
# cuda: a CUDA device, which is test/ptx-driver if there is no GPU.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-target}
case ${3:-cpu} in
cpu) options= ;;
device)
    options=--on-device
    . scripts/setup/environment.sh
    ;;
cuda)
    options="--on-device cuda"
    cargo build --quiet --release --package mdh-tools --bin mdh --package mdh-ptx-driver
    if ! "$target/release/mdh" devices --engine cuda >/dev/null 2>&1; then
        driver=$(cd "$target/release" && pwd)/ptx-driver
        mkdir -p "$driver"
        ln -sf ../libmdh_ptx_driver.so "$driver/libcuda.so.1"
        export LD_LIBRARY_PATH="$driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    fi
    ;;
*)
    echo "fuzz: error: programs run on cpu, device or cuda, not on '$3'" >&2
    exit 1
    ;;
esac
cargo build --quiet --release --package mdh-tools --bin mdh-fuzz
exec "$target/release/mdh-fuzz" seeds --number "$1" ${2:+--seed "$2"} $options
