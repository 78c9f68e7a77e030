#!/bin/bash
# Random programs with random schedules against the reference evaluator: fuzz.sh NUMBER [SEED] [cpu|device]
# On a device, OpenCL's, which is the processor where scripts/opencl.sh has installed Intel's run-time system.
set -eu -o pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
case ${3:-cpu} in
cpu) options= ;;
device)
    options=--on-device
    . scripts/environment.sh
    ;;
*)
    echo "fuzz: error: programs run on cpu or device, not on '$3'" >&2
    exit 1
    ;;
esac
cargo build --quiet --release --package mdh-tools --bin mdh-fuzz
exec "$target/release/mdh-fuzz" seeds --number "$1" ${2:+--seed "$2"} $options
