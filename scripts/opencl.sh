#!/bin/sh
# Installs what programs for a GPU need beyond the project (1 GB), from PyPI, into a virtual environment of its own; changes nothing else:
# Intel's OpenCL run-time system, which runs them on the processor, and NVIDIA's ptxas and libdevice, which compile for CUDA.
#
#     scripts/opencl.sh                     to target/gpu
#     scripts/opencl.sh --venv DIR          to another folder
#     scripts/opencl.sh --quiet             says only what is installed, or cannot be
#
# What cannot be had is named, and is no failure: tests that need it say that they are unsupported.
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
        # What a failed attempt leaves behind is no environment.
        rm -rf "$venv"
        say "nothing installed: python3 has no venv (as root: apt-get install python3-venv)"
        exit 0
    }
fi

missing=
# One package: its name, then what pip installs. What is there already takes no time and no network.
package() {
    name=$1
    shift
    [ ! -e "$venv/has-$name" ] || return 0
    # Where the first cannot be had there is most often no network, and waiting once is enough.
    if [ -n "$missing" ]; then
        missing="$missing $name"
        return 0
    fi
    say "$name"
    # What pip writes is long, and in a file: one line says whether it failed.
    if "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 15 "$@" >"$venv/pip.log" 2>&1; then
        touch "$venv/has-$name"
    else
        missing="$missing $name"
    fi
}

# The run-time system links the compiler's libraries without saying so.
package intel-opencl-rt intel-opencl-rt intel-cmplr-lib-rt
package nvidia-cuda-nvcc nvidia-cuda-nvcc-cu12
[ -z "$missing" ] || say "not to be had here:$missing (see $venv/pip.log)"

venv=$(cd "$venv" && pwd)
if [ -e "$venv/lib/libintelocl.so" ]; then
    # The ICD loader reads a folder of files that each name a driver.
    mkdir -p "$venv/vendors"
    echo "$venv/lib/libintelocl.so" >"$venv/vendors/intel.icd"
    [ -z "$quiet" ] || exit 0
    say "to use the processor as an OpenCL device:"
    echo "export OCL_ICD_VENDORS=$venv/vendors"
    echo "export LD_LIBRARY_PATH=$venv/lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
    echo "export MDH_OPENCL_LIBRARY=$venv/lib/libOpenCL.so.1"
fi
