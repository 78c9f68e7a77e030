#!/bin/sh
# Installs the browser that tests open pages in (Debian, as root). A package that is unavailable is reported, but is not
# an error: the tests then report that they are unsupported.
set -eu

for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do
    ! command -v "$name" >/dev/null 2>&1 || exit 0
done

echo "browser: missing: chromium"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && { apt-get update >"$log" 2>&1 || true; } &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium >"$log" 2>&1 </dev/null; then
    echo "browser: installed"
else
    echo "browser: not to be had here: pages are not opened in tests"
fi
