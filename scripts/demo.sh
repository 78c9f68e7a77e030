#!/bin/bash
# The main job, for someone who has never seen the project: MatVec after each stage, then MatMul from .npy files.
set -eu -o pipefail
cd "$(dirname "$0")/.."
bin=${CARGO_TARGET_DIR:-target}/release

title() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
run() {
    printf '$ %s\n' "$*"
    "$@"
}

title "MatVec as a multi-dimensional homomorphism: what a user writes"
run cat test/plugin/matvec.mlir
for stage in hom schedule partition tag-operators promote-memory; do
    title "after stage: $stage"
    run "$bin/mdh-opt" --lower-mdh="stop-after=$stage" test/plugin/matvec.mlir
done
for stage in lower/loops llvm; do
    title "after stage: $stage (its first 40 lines)"
    run "$bin/mdh-opt" --lower-mdh="stop-after=$stage" test/plugin/matvec.mlir | sed -n 1,40p
done

data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
title "MatMul 1024x1024x1024 from .npy files, compared with the reference evaluator"
