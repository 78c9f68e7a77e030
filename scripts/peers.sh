#!/bin/sh
# Installs the peers of bench.peers, from PyPI, into a separate virtual environment, and changes nothing else.
#
#     scripts/peers.sh                      MKL, OpenBLAS, oneDNN, Numba (about 1.2 GB), to target/peers
#     scripts/peers.sh jax torch            also JAX, which is XLA, and PyTorch (5 GB)
#     scripts/peers.sh tvm                  also TVM with MetaSchedule, for bench.tuning.tvm (0.5 GB)
#     scripts/peers.sh --venv DIR           to another folder
#
# A peer that is unavailable is reported and left out of the benchmark. This is not an error.
set -eu
cd "$(dirname "$0")/.."

say() { echo "peers: $*"; }
fail() {
    echo "peers: error: $*" >&2
    exit 1
}

venv=${CARGO_TARGET_DIR:-target}/peers
wanted=
while [ $# -gt 0 ]; do
    case $1 in
    --venv)
        [ $# -gt 1 ] || fail "--venv needs a folder"
        venv=$2
        shift
        ;;
    jax | torch | tvm) wanted="$wanted $1" ;;
    *) fail "no peer '$1': there are jax, torch, tvm, and those that are always installed" ;;
    esac
    shift
done

[ -x "$venv/bin/python" ] || python3 -m venv "$venv" || fail "python3 has no venv (as root: apt-get install python3-venv)"

missing=
# Installs one peer: its name, then pip's arguments. An installed peer takes no time and no network.
peer() {
    name=$1
    shift
    if [ -e "$venv/has-$name" ]; then
        return
    fi
    say "$name"
    if "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; then
        touch "$venv/has-$name"
    else
        missing="$missing $name"
    fi
}

peer numpy numpy
[ -e "$venv/has-numpy" ] || fail "without NumPy, which prepares the data, nothing can be measured"
peer openblas scipy-openblas32
# MKL's other dependencies are for unused threading layers.
peer openmp intel-openmp
peer mkl --no-deps mkl
peer onednn onednn-cpu-gomp onednn-devel-cpu-gomp
peer numba numba
for name in $wanted; do
    case $name in
    # MetaSchedule of this version works with this version of its interface only.
    tvm) peer tvm apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.14.post1 xgboost cloudpickle psutil scipy tornado ;;
    *) peer "$name" "$name" ;;
    esac
done
[ -z "$missing" ] || say "not to be had here:$missing"
say "installed in $venv"
