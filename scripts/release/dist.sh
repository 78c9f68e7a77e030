#!/bin/sh
# Makes a release in target/dist: the wheel, the source distribution, the Debian package, and their checksums. They are
# made from a tagged version: HEAD has the tag v$VERSION, nothing in the tree differs from it, and CHANGELOG.md describes
# the version. UNTAGGED=1 tries it without.
set -eu
cd "$(dirname "$0")/../.."

fail() {
    echo "dist: error: $*" >&2
    exit 1
}

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
version=$(sed -n 's/^version *= *"\(.*\)"/\1/p' Cargo.toml | head -n 1)
cited=$(sed -n 's/^version: *//p' CITATION.cff)
[ "$cited" = "$version" ] || fail "Cargo.toml has version $version, CITATION.cff $cited"
if [ "${UNTAGGED:-}" != 1 ]; then
    hint="UNTAGGED=1 makes it for trials"
    command -v git >/dev/null || fail "needs git, which is not in PATH"
    git tag --points-at HEAD | grep -qxF "v$version" || fail "HEAD has no tag v$version, which a release of version $version needs ($hint)"
    changes=$(git status --porcelain)
    [ -z "$changes" ] || fail "the tree differs from v$version ($hint): $(echo "$changes" | head -n 3 | tr '\n' ' ')"
    grep -q "^## \[\{0,1\}$version\b" CHANGELOG.md || fail "CHANGELOG.md has no section '## $version' ($hint)"
fi

rm -rf "$target/dist"
mkdir -p "$target/dist"
scripts/release/sdist.sh "$target/dist"
scripts/release/wheel.sh
cp "$target"/wheels/*.whl "$target/dist"
scripts/release/deb.sh "$target/dist"
cd "$target/dist"
sha256sum -- *.whl *.tar.gz *.deb >SHA256SUMS
cat SHA256SUMS
