#!/bin/bash
# Builds the Debian package of tools, plugin, libraries, headers and CMake files in FOLDER, and checks it with lintian.
# Usage: scripts/release/deb.sh FOLDER [release|dev]
#
# It needs dpkg-dev and lintian, which are installed if this is Debian and root.
set -eu -o pipefail
cd "$(dirname "$0")/../.."

fail() {
    echo "deb: error: $*" >&2
    exit 1
}

[ $# -ge 1 ] && [ -n "$1" ] || fail "expects a folder: scripts/release/deb.sh FOLDER [release|dev]"
folder=$(realpath -m "$1")
profile=${2:-release}
llvm=${MLIR_SYS_220_PREFIX:-$(sed -n 's/^MLIR_SYS_220_PREFIX *= *"\(.*\)"/\1/p' .cargo/config.toml)}
version=$(sed -n 's/^version *= *"\(.*\)"/\1/p' Cargo.toml | head -n 1)
maintainer="The contributors of the MDH compiler <mdh-compiler@users.noreply.github.com>"
date=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}

missing=
for tool in dpkg-shlibdeps:dpkg-dev lintian:lintian; do
    command -v "${tool%:*}" >/dev/null || missing="$missing ${tool#*:}"
done
if [ -n "$missing" ]; then
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || fail "missing:$missing (as root on Debian: apt-get install$missing)"
    echo "deb: apt-get install$missing"
    # shellcheck disable=SC2086 # a list of packages
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } \
        >/dev/null 2>&1 </dev/null || fail "apt-get install$missing has failed"
fi
architecture=$(dpkg --print-architecture)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
umask 022
root=$work/debian/mdh
scripts/release/install.sh "$root/usr" "$profile"

# Debian's forms and places of files.
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root"/usr/bin/mdh "$root"/usr/bin/mdh-opt \
    "$root"/usr/lib/*.so
strip --strip-debug --enable-deterministic-archives "$root"/usr/lib/*.a
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
documents=$root/usr/share/doc/mdh
rm "$documents/LICENSE"
cat >"$documents/copyright" <<EOF
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: mdh

Comment: /usr/share/doc/mdh/licenses.gz has the licenses of the libraries that are linked statically.

Files: *
Copyright: 2026 The contributors of the MDH compiler
License: Apache-2.0 with LLVM exception
 On Debian systems, the text of the Apache License is in /usr/share/common-licenses/Apache-2.0.
 .
$(sed -n '/LLVM Exceptions to the Apache/,$p' LICENSE | sed 's/^$/./; s/^/ /')
EOF
{
    printf 'mdh (%s) unstable; urgency=medium\n\n  * See /usr/share/doc/mdh/CHANGELOG.md.gz.\n\n' "$version"
    printf ' -- %s  %s\n' "$maintainer" "$(LC_ALL=C date -u -R -d "@$date")"
} | gzip -9n >"$documents/changelog.gz"
gzip -9n <CHANGELOG.md >"$documents/CHANGELOG.md.gz"
python3 packaging/licenses.py mdh-tools mdh-plugin mdh-runtime | gzip -9n >"$documents/licenses.gz"
manuals=$root/usr/share/man/man1
mkdir -p "$manuals"
mdh() { LD_LIBRARY_PATH=$llvm/lib "$root/usr/bin/mdh" "$@"; }
mdh manual | gzip -9n >"$manuals/mdh.1.gz"
for command in run compile cc explain devices completions manual; do
    mdh manual "$command" | gzip -9n >"$manuals/mdh-$command.1.gz"
done
gzip -9n <packaging/mdh-opt.1 >"$manuals/mdh-opt.1.gz"
for name in mdh-lsp-server mdh-reduce mdh-translate; do
    ln -s mdh-opt.1.gz "$manuals/$name.1.gz"
done
install -D -m 644 packaging/lintian-overrides "$root/usr/share/lintian/overrides/mdh"

# What the programs are linked with, as dependencies.
printf 'Source: mdh\n\nPackage: mdh\nArchitecture: any\n' >"$work/debian/control"
# The folder of LLVM has a link of another package to libLLVM.so, which hides the package of the library itself.
owner=$(dpkg -S "$(realpath "$llvm/lib/libLLVM.so")" | sed -n '1s/: .*//p')
cat "$(dpkg-query --control-path "$owner" shlibs)" >"$work/debian/shlibs.local"
dependencies=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info -l"$llvm/lib" debian/mdh/usr/bin/mdh \
    debian/mdh/usr/bin/mdh-opt debian/mdh/usr/lib/*.so 2>"$work/log" | sed 's/^shlibs:Depends=//')
[ -n "$dependencies" ] || fail "dpkg-shlibdeps finds no dependencies: $(tail -n 1 "$work/log")"
mkdir "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<EOF
Package: mdh
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -k -s "$root/usr" | cut -f 1)
Depends: $dependencies
Recommends: libomp-22-dev
Suggests: clang-22, cmake, llvm-22-dev, libmlir-22-dev, mlir-22-tools
Section: devel
Priority: optional
Description: compiler for data-parallel computations, built on MLIR
 A computation is written once as a multi-dimensional homomorphism: the elements
 that it reads, the operation at each point, and the operator that combines
 partial results in each dimension. The compiler derives parallel code for
 processors and graphics cards.
 .
 The package has the tools mdh and mdh-opt, a plugin for mlir-opt, the library
 and its headers, and CMake files.
EOF
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
find "$root" -print0 | xargs -0 touch --no-dereference --date="@$date"

mkdir -p "$folder"
package=$folder/mdh_${version}_$architecture.deb
SOURCE_DATE_EPOCH=$date dpkg-deb --root-owner-group -Zxz --build "$root" "$package" >/dev/null
lintian --fail-on error "$package"
echo "$(du -h "$package" | cut -f 1) $(basename "$package")"
