#!/bin/sh
# Installs the peers of bench.peers, from PyPI, into a separate virtual environment, and changes nothing else.
#
#     scripts/setup/peers.sh                      MKL, OpenBLAS, oneDNN, Numba (about 1.2 GB), to target/peers
#     scripts/setup/peers.sh jax torch            also JAX, which is XLA, and PyTorch (5 GB)
#     scripts/setup/peers.sh tvm                  also TVM with MetaSchedule, for bench.tuning.tvm (0.5 GB)
#     scripts/setup/peers.sh --venv DIR           to another folder
#
# A peer that is unavailable is reported and left out of the benchmark. This is not an error.
set -eu
cd "$(dirname "$0")/../.."

title=peers
venv=${CARGO_TARGET_DIR:-target}/peers
. scripts/setup/packages.sh

wanted=
while [ $# -gt 0 ]; do
    case $1 in
    --venv)
        venv=$(value "$@")
        shift
        ;;
    jax | torch | tvm) wanted="$wanted $1" ;;
    *) fail "no peer '$1': there are jax, torch, tvm, and those that are always installed" ;;
    esac
    shift
done

prepare || fail "$no_venv"
install numpy numpy || fail "without NumPy, which prepares the data, nothing can be measured"
peer() { install "$@" || true; }
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
report
say "installed in $venv"
