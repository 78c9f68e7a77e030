#!/bin/sh
# Installs the missing dependencies of the project on Debian 12, and changes nothing else. Reports each step. If it
# cannot set up the machine, it says why in one sentence before it installs anything. On Ubuntu, LLVM's own package
# repository has the same packages.
#
# LLVM is looked up where the build does: in $MLIR_SYS_220_PREFIX, otherwise in the path of .cargo/config.toml.
set -eu
cd "$(dirname "$0")/../.."

say() { echo "setup: $*"; }
fail() {
    echo "setup: error: $*" >&2
    exit 1
}

default=$(sed -n 's/^MLIR_SYS_220_PREFIX *= *"\(.*\)"/\1/p' .cargo/config.toml)
prefix=${MLIR_SYS_220_PREFIX:-$default}
oldest_rust=1.88

# Collects the packages whose file is missing. Arguments: file, package.
missing=
need() {
    [ -e "$1" ] || case " $missing " in *" $2 "*) ;; *) missing="$missing $2" ;; esac
}
command_missing() { ! command -v "$1" >/dev/null 2>&1; }

if [ "$prefix" = "$default" ]; then
    need "$prefix/include/llvm/IR/Module.h" llvm-22-dev
    need "$prefix/lib/libMLIR.so" libmlir-22-dev
    need "$prefix/lib/libMLIRCAPIIR.a" libmlir-22-dev
    need "$prefix/bin/mlir-tblgen" mlir-22-tools
    need "$prefix/bin/mlir-opt" mlir-22-tools
    need "$prefix/bin/clang++" clang-22
    need "$prefix/lib/clang/22/share/asan_ignorelist.txt" libclang-rt-22-dev
    need "$prefix/bin/ld.lld" lld-22
    need "$prefix/bin/FileCheck" llvm-22-tools
    need "$prefix/lib/libPolly.a" libpolly-22-dev
    need "$prefix/lib/libomp.so" libomp-22-dev
fi
need /usr/include/zlib.h zlib1g-dev
need /usr/include/zstd.h libzstd-dev
if command_missing cc; then missing="$missing gcc libc6-dev"; fi
# clang++ uses the C++ library of g++.
need /usr/include/c++ g++
need /etc/ssl/certs/ca-certificates.crt ca-certificates
# MPFR, for measuring the accuracy of functions. gcc depends on it, so it is missing only with another compiler.
set -- /usr/lib/*-linux-gnu/libmpfr.so.6
need "$1" libmpfr6
if command_missing cmake; then missing="$missing cmake"; fi
if command_missing ninja; then missing="$missing ninja-build"; fi
if command_missing python3; then missing="$missing python3"; fi
# The tests of the Python package have an environment of their own (scripts/setup/python.sh).
python3 -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"
# Rust installed by rustup is kept. Debian's is installed only if there is none.
if command_missing cargo && command_missing rustc; then missing="$missing cargo-web rustc-web rustfmt-web"; fi
missing=${missing# }

if [ -n "$missing" ]; then
    say "missing: $missing"
    release="an unknown release" name=unknown
    # A shell exits if it cannot read a file that it sources.
    os_release=${OS_RELEASE:-/etc/os-release}
    if [ -r "$os_release" ]; then
        name=$(. "$os_release" && echo "${ID:-unknown}")
        release=$(. "$os_release" && echo "${ID:-unknown} ${VERSION_ID:-}")
    fi
    # Alternatives, by system.
    other="or LLVM_PREFIX=DIR names an LLVM 22 with MLIR, and rustup installs Rust $oldest_rust or newer"
    case $name in
    debian) hint="debian 12 with its updates has them; $other" ;;
    ubuntu) hint="on ubuntu, LLVM's own packages have LLVM and MLIR 22 (https://apt.llvm.org: llvm.sh 22); $other" ;;
    *) hint="the project is set up on debian 12, and on ubuntu with LLVM's own packages; $other" ;;
    esac
    command_missing apt-get && fail "no apt-get here, so these packages cannot be installed: $missing ($hint)"
    [ "$(id -u)" = 0 ] || fail "not root, so these packages cannot be installed: $missing (as root: apt-get install $missing; $hint)"
    [ "$release" = "debian 12" ] || say "warning: tested on debian 12, this is $release"
    export DEBIAN_FRONTEND=noninteractive
    say "apt-get update"
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    apt-get update >"$log" 2>&1 || true
    # An unreachable package source is not an error for apt-get, and need not be one here.
    problem=$(grep '^[EW]: ' "$log" | head -n 1)
    [ -z "$problem" ] || say "warning: apt-get update: $problem"
    unavailable=
    for package in $missing; do
        LC_ALL=C apt-cache policy "$package" 2>/dev/null | grep -q 'Candidate: [^(]' || unavailable="$unavailable $package"
    done
    [ -z "$unavailable" ] || fail "these packages are in no configured package source of $release:$unavailable ($hint)"
    say "apt-get install --no-install-recommends $missing"
    # shellcheck disable=SC2086 # a list of packages
    apt-get install -y --no-install-recommends $missing >"$log" 2>&1 </dev/null ||
        fail "apt-get install failed: $(grep '^E:' "$log" | head -n 1)"
fi

[ -x "$prefix/bin/llvm-config" ] || fail "no LLVM 22 in $prefix: $prefix/bin/llvm-config is not there"
version=$("$prefix/bin/llvm-config" --version)
case $version in
22.*) ;;
*) fail "needs LLVM 22, $prefix has $version" ;;
esac
for file in bin/mlir-tblgen bin/mlir-opt bin/clang++ bin/ld.lld bin/FileCheck lib/libMLIR.so lib/libLLVM.so lib/libMLIRCAPIIR.a lib/libomp.so; do
    [ -e "$prefix/$file" ] || fail "the LLVM $version in $prefix is not complete: $file is not there"
done

command_missing cargo && fail "needs cargo and rustc $oldest_rust or newer, cargo is not in PATH"
command_missing rustc && fail "needs cargo and rustc $oldest_rust or newer, rustc is not in PATH"
rust=$(rustc --version 2>/dev/null | cut -d ' ' -f 2)
[ "$(printf '%s\n%s\n' "$oldest_rust" "$rust" | sort -V | head -n 1)" = "$oldest_rust" ] ||
    fail "needs rustc $oldest_rust or newer, got ${rust:-none}"

say "ready: LLVM $version in $prefix, rustc $rust"
