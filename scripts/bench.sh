#!/bin/bash
# The benchmarks: a clean build, compile times, and every example against plain C loops. Arguments are passed to
# bench.run.
set -eu -o pipefail
cd "$(dirname "$0")/.."
llvm=${MLIR_SYS_220_PREFIX:-$(sed -n 's/^MLIR_SYS_220_PREFIX *= *"\(.*\)"/\1/p' .cargo/config.toml)}
exec python3 -m bench.run --build --tools "${CARGO_TARGET_DIR:-target}/release" --clang "$llvm/bin/clang" "$@"
