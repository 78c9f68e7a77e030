#!/bin/sh
# Installs what tests need to run aarch64 programs (Debian and Ubuntu, as root): an emulator, and a C library. A package
# that is unavailable is reported, but is not an error: the tests then report that they are unsupported.
set -eu

missing=
need() {
    [ -e "$1" ] || missing="$missing $2"
}
need /usr/bin/qemu-aarch64 qemu-user
need /usr/aarch64-linux-gnu/lib/libc.so.6 libc6-dev-arm64-cross
ls /usr/lib/gcc-cross/aarch64-linux-gnu/*/libgcc.a >/dev/null 2>&1 || missing="$missing libgcc-12-dev-arm64-cross"
[ -n "$missing" ] || exit 0

echo "cross: missing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # a list of packages
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && { apt-get update >"$log" 2>&1 || true; } &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >"$log" 2>&1 </dev/null; then
    echo "cross: installed"
else
    echo "cross: not to be had here: programs for aarch64 are not run in tests"
fi
