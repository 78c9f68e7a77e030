#!/bin/sh
# Installs what programs with GPU kernels need beyond the project (1 GB), from PyPI, into a separate virtual
# environment, and changes nothing else: Intel's OpenCL run-time system, which runs kernels on the processor, and
# NVIDIA's ptxas and libdevice, which compile for CUDA.
#
#     scripts/setup/opencl.sh                     to target/gpu
#     scripts/setup/opencl.sh --venv DIR          to another folder
#     scripts/setup/opencl.sh --quiet             says only what is installed, or cannot be
#
# A package that is unavailable is reported, but is not an error: tests that need it report that they are unsupported.
set -eu
cd "$(dirname "$0")/../.."

title=opencl
venv=${CARGO_TARGET_DIR:-target}/gpu
. scripts/setup/packages.sh

quiet=
while [ $# -gt 0 ]; do
    case $1 in
    --venv)
        venv=$(value "$@")
        shift
        ;;
    --quiet) quiet=1 ;;
    *) fail "no option '$1': there are --venv DIR and --quiet" ;;
    esac
    shift
done

prepare || {
    say "nothing installed: $no_venv"
    exit 0
}
# The run-time system needs the libraries of Intel's compiler, but its package does not declare them. If it is
# unavailable, there is usually no network, and waiting for one timeout is enough.
if install intel-opencl-rt intel-opencl-rt intel-cmplr-lib-rt; then
    install nvidia-cuda-nvcc nvidia-cuda-nvcc-cu12 || true
fi
report

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
