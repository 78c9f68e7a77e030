#!/bin/sh
# Makes the virtual environment of the Python package's tests, target/python, unless it is up to date. Its packages are
# those of tools/mdh-python/tests/requirements.txt.
set -eu
cd "$(dirname "$0")/../.."

venv=${CARGO_TARGET_DIR:-target}/python
wanted=tools/mdh-python/tests/requirements.txt
if ! cmp -s "$wanted" "$venv/requirements.txt"; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
    cp "$wanted" "$venv/requirements.txt"
fi
