#!/bin/sh
# Runs the tests of the Python package, except those with frameworks, with checks of memory. Needs `make build`, clang's
# address sanitizer and Valgrind.
#
#     scripts/check/sanitize-python.sh                    both of the following
#     scripts/check/sanitize-python.sh heap [TEST...]     with the address sanitizer
#     scripts/check/sanitize-python.sh access [TEST...]   with Valgrind (minutes)
#
# heap: the sanitizer is loaded before Python, and replaces malloc and free for the native modules, for compiled code, and
# for Python's objects. It reports what is freed twice or wrongly, functions of libc that leave a buffer, and after the
# tests what the package has not freed.
# access: Valgrind checks every access of compiled code and of the native modules to the heap, in the tests that call
# functions on arrays.
set -eu
cd "$(dirname "$0")/../.."

fail() {
    echo "sanitize-python: error: $*" >&2
    exit 1
}

target=$(realpath "${CARGO_TARGET_DIR:-target}")
prefix=${LLVM_SYS_221_PREFIX:-/usr/lib/llvm-22}
scripts/setup/python.sh
python=$target/python/bin/python

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The package as it is installed.
mkdir "$folder/mdh" "$folder/cache"
ln -s "$PWD"/tools/mdh-python/python/mdh/* "$folder/mdh"
for module in native compiler; do
    library=$target/release/libmdh_python$([ $module = native ] || echo _$module).so
    [ -f "$library" ] || fail "no $library: run 'make build' first"
    ln -s "$library" "$folder/mdh/_$module.abi3.so"
done
export PYTHONPATH="$folder" PYTHONDONTWRITEBYTECODE=1 PYTHONMALLOC=malloc MDH_CACHE_DIR="$folder/cache"

# Python itself does not free all its objects at the end. Stacks are short (malloc_context_size), so that these functions
# are not in those of what the native modules allocate. Threads of the compiler keep the address of each context that they
# work for, 8 bytes (dialects/ir.rs).
cat >"$folder/python.supp" <<'END'
leak:_PyObject_
leak:PyObject_
leak:PyMem_
leak:PyFloat_FromDouble
leak:PyType_
leak:gc_alloc
leak:PyUnicode_New
leak:_PyLong_New
leak:PyBytes_
leak:std::thread::local::LocalKey
END

# The dynamic linker reads names by words.
cat >"$folder/linker.supp" <<'END'
{
   names
   Memcheck:Addr8
   fun:strncmp
   fun:is_dst
}
END

heap() {
    name=libclang_rt.asan-$(uname -m).so
    library=$("$prefix/bin/clang" -print-file-name="$name")
    [ -f "$library" ] || fail "$prefix/bin/clang has no $name"
    # Tests of programs without memory need null pointers, and those of divisions by zero the handlers of the package.
    options=allocator_may_return_null=1:handle_sigfpe=0:malloc_context_size=4
    sanitized() {
        env LD_PRELOAD="$library" ASAN_OPTIONS=$options:detect_leaks=1 \
            LSAN_OPTIONS="suppressions=$folder/python.supp:print_suppressions=0" "$python" "$@"
    }
    # The sanitizer is there, and finds what is freed twice.
    if sanitized -c 'import ctypes; libc = ctypes.CDLL(None); libc.malloc.restype = ctypes.c_void_p
memory = ctypes.c_void_p(libc.malloc(8)); libc.free(memory); libc.free(memory)' 2>"$folder/twice"; then
        fail "the address sanitizer does not report a double free"
    fi
    grep -q 'attempting double-free' "$folder/twice" || fail "$(cat "$folder/twice")"
    echo "sanitize-python: tests with the address sanitizer"
    # Processes that tests start end with what their own exit code says, and not with that of leaks.
    (cd tools/mdh-python && sanitized -c "import os, sys, pytest
os.environ['ASAN_OPTIONS'] = '$options:detect_leaks=0'
sys.exit(pytest.main(sys.argv[1:]))" \
        -q -p no:cacheprovider --ignore=tests/frameworks --ignore=tests/test_packaging.py "${@:-tests}")
}

access() {
    command -v valgrind >/dev/null || fail "no valgrind (as root: apt-get install valgrind)"
    checked() {
        # Vectors may have elements that have no value and are not used. Valgrind has no AVX-512, so that compiled code
        # uses AVX2.
        valgrind --quiet --error-exitcode=9 --undef-value-errors=no --leak-check=no \
            --suppressions="$folder/linker.supp" "$python" "$@"
    }
    if checked -c 'import ctypes; libc = ctypes.CDLL(None); libc.malloc.restype = ctypes.c_void_p
ctypes.string_at(libc.malloc(8) + 8, 1)' 2>"$folder/beyond"; then
        fail "Valgrind does not report an access beyond a buffer"
    fi
    grep -q 'Invalid read' "$folder/beyond" || fail "$(cat "$folder/beyond")"
    echo "sanitize-python: tests with Valgrind"
    [ $# -gt 0 ] || set -- tests/test_arrays.py tests/test_buffers.py tests/test_program.py
    (cd tools/mdh-python && checked -m pytest -q -p no:cacheprovider "$@")
}

what=${1:-all}
[ $# -eq 0 ] || shift
status=0
case $what in
heap) heap "$@" || status=1 ;;
access) access "$@" || status=1 ;;
all)
    heap || status=1
    access || status=1
    ;;
*) fail "no check '$what': there are heap and access" ;;
esac
exit $status
