#!/bin/bash
# Random programs with random schedules against the reference evaluator: fuzz.sh NUMBER [SEED]
set -eu -o pipefail
cd "$(dirname "$0")/.."
cargo build --quiet --release --package mdh-tools --bin mdh-fuzz
exec target/release/mdh-fuzz seeds --number "$1" ${2:+--seed "$2"}
