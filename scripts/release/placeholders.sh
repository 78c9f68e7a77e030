#!/bin/sh
# Makes libraries that take the place, in the wheel, of those that LLVM needs only for what the package does not do: they
# define the functions that LLVM refers to, which end the process.
#
#     scripts/release/placeholders.sh LIBLLVM FOLDER
#
# | library | size | what LLVM does with it |
# |---|---|---|
# | libxml2, which needs libicudata | 36 MB | merges manifests of Windows |
# | libz3 | 23 MB | solves constraints for Clang's static analyzer |
# | libzstd | 0.8 MB | compresses sections of object files |
# | libedit | 0.6 MB | edits lines on a terminal |
# | libffi | 0.1 MB | calls functions from its interpreter |
set -eu
llvm=$1 folder=$2

mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
nm -D --undefined-only "$llvm" | awk '{ print $2 }' | sort >"$work/undefined"
for name in libxml2.so.2 libz3.so.4 libzstd.so.1 libedit.so.2 libffi.so.8; do
    original=$(ldd "$llvm" | awk -v name="$name" '$1 == name { print $3 }')
    if [ -z "$original" ]; then
        # This build of LLVM does not need it.
        continue
    fi
    # A symbol with a version is NAME@VERSION in LLVM, and NAME@@VERSION in the library.
    nm -D --defined-only "$original" | awk '{ print $3 }' | sed 's/@@/@/' | sort >"$work/defined"
    comm -12 "$work/undefined" "$work/defined" >"$work/symbols"
    {
        echo "extern void abort(void);"
        sed -E 's/@.*//; s/.*/void &(void) { abort(); }/' "$work/symbols"
    } >"$work/library.c"
    # One version for each group of symbols; those without one are in none.
    awk -F@ 'NF > 1 { of[$2] = of[$2] " " $1 ";" } END { for (version in of) print version " {" of[version] " };" }' \
        "$work/symbols" >"$work/versions"
    set --
    if [ -s "$work/versions" ]; then
        set -- -Wl,--version-script="$work/versions"
    fi
    cc -shared -fPIC -O1 -w -Wl,-soname,"$name" "$@" -o "$folder/$name" "$work/library.c"
done
