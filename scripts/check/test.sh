#!/bin/bash
# The checks of `make test`: format, lints, and the tests in debug mode, which is slightly optimized. With --all, the
# checks of `make test-all`: also the long tests, and all tests again in release mode. The last lines summarize the test
# results and the time. The exit status is that of the first failure.
set -eu -o pipefail
cd "$(dirname "$0")/../.."

profiles=dev
options=()
case ${1:-} in
'') ;;
--all)
    profiles="dev release"
    options=(-- --include-ignored)
    ;;
*)
    echo "test: error: no option '$1': there is --all" >&2
    exit 1
    ;;
esac

step() { printf '\n==> %s (at %d s)\n' "$*" "$SECONDS"; }

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

step "documentation: cargo doc"
RUSTDOCFLAGS="${RUSTDOCFLAGS:-} -D warnings" cargo doc --workspace --no-deps --quiet

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
for profile in $profiles; do
    step "tests: cargo test --workspace, profile $profile"
    # No package depends on the plugin, which tests load into the stock mlir-opt. Build it explicitly.
    cargo build --workspace --profile "$profile" --quiet
    cargo test --workspace --profile "$profile" --no-fail-fast "${options[@]}" 2>&1 | tee -a "$log" || status=1
done

# Failures are far above the end of a long log, so print them again.
if [ "$status" != 0 ]; then
    step "failures"
    sed -n '/^---- .* ----$/,/^stack backtrace:$/p' "$log" | cut -c1-400 | head -n 200
fi

step "sum"
awk '/^test result: / { passed += $4; failed += $6; ignored += $8; print }
     END { printf "%d passed, %d failed, %d left to make test-all\n", passed, failed, ignored }' "$log"
exit $status
