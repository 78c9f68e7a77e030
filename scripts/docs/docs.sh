#!/bin/bash
# Regenerates docs/generated, the output of the commands in README.md and docs/, and bench/results/kernels.md.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
llvm=${MLIR_SYS_220_PREFIX:-$(sed -n 's/^MLIR_SYS_220_PREFIX *= *"\(.*\)"/\1/p' .cargo/config.toml)}
cargo build --workspace --release
python3 scripts/docs/pages.py "${CARGO_TARGET_DIR:-target}/release" "$llvm" docs/generated
# With overwriting, each changed block is reported as a failure. The second run reports the real failures.
TRYCMD=overwrite cargo test --quiet --release --test suite -- documents >/dev/null 2>&1 || true
# MLIR ends some lines with a space, which the tree does not allow.
sed -i -E '/^```console$/,/^```$/ s/ +$/[..]/' README.md docs/*.md
cargo test --quiet --release --test suite -- documents
KERNELS=overwrite cargo test --quiet --release --test execute -- --include-ignored ptxas_default
git --no-pager diff --stat -- README.md docs bench || true
