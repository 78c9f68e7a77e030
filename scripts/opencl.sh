#!/bin/sh
# Installs what programs with GPU kernels need beyond the project (1 GB), from PyPI, into a separate virtual
# environment, and changes nothing else: Intel's OpenCL run-time system, which runs kernels on the processor, and
# NVIDIA's ptxas and libdevice, which compile for CUDA.
#
#     scripts/opencl.sh                     to target/gpu
#     scripts/opencl.sh --venv DIR          to another folder
#     scripts/opencl.sh --quiet             says only what is installed, or cannot be
#
# A package that is unavailable is reported, but is not an error: tests that need it report that they are unsupported.
set -eu
cd "$(dirname "$0")/.."

say() { echo "opencl: $*"; }
fail() {
    echo "opencl: error: $*" >&2
    exit 1
}

venv=${CARGO_TARGET_DIR:-target}/gpu
quiet=
while [ $# -gt 0 ]; do
    case $1 in
    --venv)
        [ $# -gt 1 ] || fail "--venv needs a folder"
        venv=$2
        shift
        ;;
    --quiet) quiet=1 ;;
    *) fail "no option '$1': there are --venv DIR and --quiet" ;;
    esac
    shift
done

mkdir -p "$(dirname "$venv")"
if [ ! -x "$venv/bin/pip" ]; then
    python3 -m venv "$venv" >/dev/null 2>&1 || {
        # Remove the incomplete environment of the failed attempt.
        rm -rf "$venv"
        say "nothing installed: python3 has no venv (as root: apt-get install python3-venv)"
        exit 0
    }
fi

missing=
# Installs one package: its name, then pip's arguments. An installed package takes no time and no network.
package() {
    name=$1
    shift
    [ ! -e "$venv/has-$name" ] || return 0
    # If one package is unavailable, there is usually no network. Waiting for one timeout is enough.
    if [ -n "$missing" ]; then
        missing="$missing $name"
        return 0
    fi
    say "$name"
    # pip's output is long and goes to a file. One line reports a failure.
    if "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 15 "$@" >"$venv/pip.log" 2>&1; then
        touch "$venv/has-$name"
    else
        missing="$missing $name"
    fi
}

# The run-time system needs the libraries of Intel's compiler, but its package does not declare them.
package intel-opencl-rt intel-opencl-rt intel-cmplr-lib-rt
package nvidia-cuda-nvcc nvidia-cuda-nvcc-cu12
[ -z "$missing" ] || say "not to be had here:$missing (see $venv/pip.log)"

venv=$(cd "$venv" && pwd)
if [ -e "$venv/lib/libintelocl.so" ]; then
    # The ICD loader reads a folder with one file per driver, each of which names a library.
    mkdir -p "$venv/vendors"
    echo "$venv/lib/libintelocl.so" >"$venv/vendors/intel.icd"
    [ -z "$quiet" ] || exit 0
    say "to use the processor as an OpenCL device:"
    echo "export OCL_ICD_VENDORS=$venv/vendors"
    echo "export LD_LIBRARY_PATH=$venv/lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
    echo "export MDH_OPENCL_LIBRARY=$venv/lib/libOpenCL.so.1"
fi
