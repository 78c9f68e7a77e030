#!/bin/bash
# Runs what `make test` promises: format, lints, all tests in debug mode, and again in release mode.
# The last line sums up the test results; the exit status is that of the first thing that failed.
set -eu -o pipefail
cd "$(dirname "$0")/.."

step() { printf '\n==> %s\n' "$*"; }

step "format: cargo fmt --check"
if cargo fmt --version >/dev/null 2>&1; then
    cargo fmt --all --check
else
    echo "skipped: this Rust has no rustfmt"
fi

step "lints: cargo clippy"
if cargo clippy --version >/dev/null 2>&1; then
    cargo clippy --workspace --all-targets --quiet -- -D warnings
else
    echo "skipped: this Rust has no clippy"
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
for profile in dev release; do
    step "tests: cargo test --workspace, profile $profile"
    # The plugin, which tests load into the stock mlir-opt, is nobody's dependency: build it by itself.
    cargo build --workspace --profile "$profile" --quiet
    cargo test --workspace --profile "$profile" --no-fail-fast 2>&1 | tee -a "$log" || status=1
done

# Failures stand far above the end of a long log: say them again.
if [ "$status" != 0 ]; then
    step "failures"
    sed -n '/^---- .* ----$/,/^stack backtrace:$/p' "$log" | cut -c1-400 | head -n 200
fi

step "sum"
awk '/^test result: / { passed += $4; failed += $6; ignored += $8; print }
     END { printf "%d passed, %d failed, %d skipped\n", passed, failed, ignored }' "$log"
exit $status
