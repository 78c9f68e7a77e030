# Sourced by other scripts: selects the OpenCL run-time system that scripts/setup/opencl.sh installs, unless the user has
# selected one.
gpu=$(pwd)/${CARGO_TARGET_DIR:-target}/gpu
case ${CARGO_TARGET_DIR:-} in
/*) gpu=$CARGO_TARGET_DIR/gpu ;;
esac
if [ -z "${OCL_ICD_VENDORS:-}" ] && [ -e "$gpu/vendors" ]; then
    export OCL_ICD_VENDORS="$gpu/vendors"
    export MDH_OPENCL_LIBRARY="$gpu/lib/libOpenCL.so.1"
    export LD_LIBRARY_PATH="$gpu/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
