#!/bin/sh
# Makes the source distribution of the Python package in FOLDER, by default target/dist: the whole tree, from which
# `pip install` builds the package on a machine with LLVM 22 and Rust.
#
#     scripts/release/sdist.sh [FOLDER]
set -eu
cd "$(dirname "$0")/../.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
folder=$(realpath -m "${1:-$target/dist}")
scripts/setup/python.sh
mkdir -p "$folder"
PATH="$target/python/bin:$PATH" PYTHONPATH=packaging PYTHONDONTWRITEBYTECODE=1 "$target/python/bin/python" -c \
    'import sys, backend; backend.build_sdist(sys.argv[1])' "$folder" >"$target/sdist.log" 2>&1 || {
    tail "$target/sdist.log" >&2
    exit 1
}
du -h "$folder"/mdh_compiler-*.tar.gz | sed 's|\t.*/| |'
