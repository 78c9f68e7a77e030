#!/bin/bash
# A snapshot of the generated code of all examples: a hash of the LLVM dialect, and of the PTX, of each function with
# its default schedule, with --strict, and with random schedules (mdh-fuzz snapshot). A change that should not affect
# generated code must not change test/snapshot.txt.
#
#     scripts/check/snapshot.sh             compare with test/snapshot.txt, and say what differs
#     scripts/check/snapshot.sh --update    write it; test/snapshot.md then says why it has changed
set -eu -o pipefail
cd "$(dirname "$0")/../.."
case ${1:-} in
'' | --update) ;;
*)
    echo "snapshot: error: no option '$1': there is --update" >&2
    exit 1
    ;;
esac
target=${CARGO_TARGET_DIR:-target}
cargo build --quiet --release --package mdh-tools --bin mdh-fuzz
rm -rf "$target/snapshot"
mkdir -p "$target/snapshot"
# Each file has a process of its own: the order of constants in the code depends on addresses, and these depend on what
# other threads of a process allocate. Warnings about random schedules are irrelevant here.
printf '%s\n' examples/*.mlir | xargs -P "$(nproc)" -I{} sh -c \
    '"$1" snapshot --machine examples/machines/avx512.json "$2" >"$3/$(basename "$2").txt" 2>"$3/$(basename "$2").log"' \
    sh "$target/release/mdh-fuzz" {} "$target/snapshot"
cat "$target"/snapshot/*.txt >"$target/snapshot.txt"
if [ "${1:-}" = --update ]; then
    cp "$target/snapshot.txt" test/snapshot.txt
elif diff test/snapshot.txt "$target/snapshot.txt" >"$target/snapshot.diff"; then
    echo "snapshot: $(wc -l <test/snapshot.txt) lines, none differs"
else
    head -40 "$target/snapshot.diff"
    echo "snapshot: $(grep -c '^>' "$target/snapshot.diff") of $(wc -l <test/snapshot.txt) lines differ: $target/snapshot.diff" >&2
    exit 1
fi
