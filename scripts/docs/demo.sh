#!/bin/bash
# A demonstration for newcomers: MatVec after each stage of the pipeline, then MatMul on .npy files.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
bin=${CARGO_TARGET_DIR:-target}/release

bold='' plain=''
if [ -t 1 ]; then bold=$'\033[1m' plain=$'\033[0m'; fi
title() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain"; }
run() {
    printf '$ %s\n' "$*"
    "$@"
}

program=docs/matvec.mlir
title "MatVec as a multi-dimensional homomorphism: what a user writes"
run cat "$program"
for stage in schedule partition tag-operators promote-memory bufferize loops; do
    title "MatVec after stage $stage"
    run "$bin/mdh-opt" --lower-mdh="stop-after=$stage" "$program"
done
title "MatVec in the LLVM dialect: --lower-mdh without options (the first 30 lines)"
run "$bin/mdh-opt" --lower-mdh "$program" | sed -n 1,31p

data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
title "MatMul 1024x1024x1024 from .npy files, a sample of its result compared with the reference evaluator (--check=all compares everything)"
run python3 examples/generate.py matmul:matmul_1024 --output "$data"
run "$bin/mdh" run examples/matmul.mlir --function matmul_1024 \
    --input "$data/A.npy" --input "$data/B.npy" --output "$data/C.npy" --check --repeat 3
ls -l "$data"
