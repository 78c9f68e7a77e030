#!/bin/bash
# Installs tools, plugin, library, headers and the CMake package. Usage: scripts/install.sh PREFIX [release|dev]
set -eu -o pipefail
if [ $# -lt 1 ] || [ -z "$1" ]; then
    echo "install: error: expects a prefix: scripts/install.sh PREFIX [release|dev]" >&2
    exit 1
fi
prefix=$(realpath -m "$1")
profile=${2:-release}
cd "$(dirname "$0")/.."

llvm=${MLIR_SYS_220_PREFIX:-$(sed -n 's/^MLIR_SYS_220_PREFIX *= *"\(.*\)"/\1/p' .cargo/config.toml)}
version=$(sed -n 's/^version *= *"\(.*\)"/\1/p' Cargo.toml | head -n 1)
mkdir -p "$prefix" 2>/dev/null && [ -w "$prefix" ] || {
    echo "install: error: $prefix cannot be written" >&2
    exit 1
}

messages=$(mktemp)
trap 'rm -f "$messages"' EXIT
cargo build --workspace --profile "$profile" --quiet --message-format=json-render-diagnostics >"$messages"

# Cargo says where it put things: a JSON object a line.
artifact() { # artifact SUFFIX: the built file whose name ends so
    grep '"reason":"compiler-artifact"' "$messages" | grep -o '"[^"]*'"$1"'"' | tr -d '"' | tail -n 1
}
generated=$(grep '"reason":"build-script-executed"' "$messages" | grep 'mdh-dialects' |
    sed -n 's/.*"out_dir":"\([^"]*\)".*/\1/p' | tail -n 1)
opt=$(artifact '/mdh-opt')
mdh=$(artifact '/mdh')
plugin=$(artifact '/libmdh_plugin\.so')
library=$(artifact '/libmdh_plugin\.a')
runtime=$(artifact '/libmdh_runtime\.so')
runtime_library=$(artifact '/libmdh_runtime\.a')
for file in "$generated" "$opt" "$mdh" "$plugin" "$library" "$runtime" "$runtime_library"; do
    [ -n "$file" ] && [ -e "$file" ] || {
        echo "install: error: cargo build has not built everything that is to be installed" >&2
        exit 1
    }
done

put() { # put MODE FILE DESTINATION, which is a file
    install -D -m "$1" "$2" "$prefix/$3"
}

put 755 "$opt" bin/mdh-opt
put 755 "$mdh" bin/mdh
for name in mdh-lsp-server mdh-reduce mdh-translate; do
    ln -sf mdh-opt "$prefix/bin/$name"
done
put 755 "$plugin" lib/libmdh_plugin.so
put 644 "$library" lib/libmdh.a
put 755 "$runtime" lib/libmdh_runtime.so
put 644 "$runtime_library" lib/libmdh_runtime.a

# Headers and td files keep their folders; what mlir-tblgen wrote is put beside them.
for root in dialects "$generated/include"; do
    (cd "$root" && find . -name '*.h' -o -name '*.td' -o -name '*.inc') | while read -r file; do
        file=${file#./}
        put 644 "$root/$file" "include/mdh/${file#mdh/}"
    done
done

configure() { # configure TEMPLATE DESTINATION
    sed -e "s|@LLVM_PREFIX@|$llvm|g" -e "s|@VERSION@|$version|g" "$1" >"$messages"
    put 644 "$messages" "$2"
}
configure cmake/MDHConfig.cmake.in lib/cmake/mdh/MDHConfig.cmake
configure cmake/MDHConfigVersion.cmake.in lib/cmake/mdh/MDHConfigVersion.cmake
put 644 cmake/MDHTargets.cmake lib/cmake/mdh/MDHTargets.cmake

complete() { # complete SHELL DESTINATION
    "$mdh" completions "$1" >"$messages"
    put 644 "$messages" "$2"
}
complete bash share/bash-completion/completions/mdh
complete zsh share/zsh/site-functions/_mdh
complete fish share/fish/vendor_completions.d/mdh.fish

for document in README.md LICENSE; do
    put 644 "$document" "share/doc/mdh/$document"
done
(cd docs && find . -name '*.md') | while read -r file; do
    put 644 "docs/$file" "share/doc/mdh/docs/${file#./}"
done
echo "installed mdh $version to $prefix"
