#!/bin/sh
# Builds the wheel of the Python package in target/wheels, with LLVM, MLIR and LLVM's OpenMP library inside; prints and
# checks what it contains (packaging/contents.py).
set -eu
cd "$(dirname "$0")/../.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
prefix=${LLVM_SYS_221_PREFIX:-$(sed -n 's/^LLVM_SYS_221_PREFIX *= *"\(.*\)"/\1/p' .cargo/config.toml)}
scripts/setup/python.sh
export PATH="$target/python/bin:$PATH"

rm -rf "$target/wheels"
mkdir -p "$target/wheels/plain"
# A private name keeps LLVM's OpenMP library apart from those of other packages.
own=tools/mdh-python/python/mdh/libmdh_omp.so.5
licenses=tools/mdh-python/python/mdh/licenses.txt
trap 'rm -f "$own" "$licenses"' EXIT
trap 'exit 1' HUP INT TERM
scripts/release/libomp.sh "$own"
python packaging/licenses.py --llvm "$("$prefix/bin/llvm-config" --version)" mdh-python mdh-python-compiler >"$licenses"
# All packages at once, as in `make build`.
cargo build --workspace --release
pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$target/wheels/plain" .
# Maturin's own copy.
rm -f "$target"/wheels/*.whl

# LLVM and MLIR, and the libraries that they need, go into the wheel; their names get a hash, which keeps them apart
# from those of other packages. Placeholders replace what LLVM needs for what the package does not do.
scripts/release/placeholders.sh "$(realpath "$prefix/lib/libLLVM.so")" "$target/wheels/placeholders"
LD_LIBRARY_PATH="$target/wheels/placeholders" auditwheel repair --plat manylinux_2_36_x86_64 --strip \
    --zip-compression-level 9 --wheel-dir "$target/wheels" "$target"/wheels/plain/*.whl
rm -r "$target/wheels/plain" "$target/wheels/placeholders"
python packaging/contents.py "$target"/wheels/*.whl
