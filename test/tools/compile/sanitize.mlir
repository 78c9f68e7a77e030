// Sanitizers report errors in compiled code, and nothing else. (test/execute runs the examples with them.)
// REQUIRES: omp
// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh compile %s --emit header --output %t/sanitize.h
// RUN: mdh compile %s --raise false --emit object --sanitize address --output %t/address.o
// RUN: clang -std=c11 -Wall -Wextra -Werror -fsanitize=address -I%t %S/Inputs/sanitize.c %t/address.o -lomp -o %t/address
// RUN: env OMP_NUM_THREADS=2 %t/address 64 2>&1 | FileCheck %s
// RUN: not %t/address 63 2>&1 | FileCheck %s --check-prefix=ADDRESS
// ADDRESS: AddressSanitizer: heap-buffer-overflow
// ADDRESS: READ of size
// ADDRESS: in twice..omp_par
//
// Without the option, the access is not checked.
// RUN: mdh compile %s --raise false --emit object --output %t/plain.o
// RUN: clang -std=c11 -fsanitize=address -I%t %S/Inputs/sanitize.c %t/plain.o -lomp -o %t/plain
// RUN: %t/plain 63 2>&1 | FileCheck %s
//
// OpenMP's run-time library is not instrumented: Archer reports its synchronization.
// RUN: mdh compile %s --raise false --emit object --sanitize thread --output %t/thread.o
// RUN: clang -std=c11 -fsanitize=thread -I%t %S/Inputs/sanitize.c %t/thread.o -lomp -o %t/thread
// RUN: env OMP_NUM_THREADS=2 OMP_TOOL_LIBRARIES=%prefix/lib/libarcher.so TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
// RUN:     %t/thread 64 2>&1 | FileCheck %s
// RUN: env OMP_NUM_THREADS=2 OMP_TOOL_LIBRARIES=%prefix/lib/libarcher.so TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
// RUN:     not %t/thread 64 race 2>&1 | FileCheck %s --check-prefix=THREAD
// THREAD: ThreadSanitizer: data race
// THREAD: race..omp_par
//
// A shared library uses the sanitizer's run-time library of the program that loads it.
// RUN: mdh compile %s --raise false --emit shared --sanitize address --output %t/libsanitize.so
// RUN: clang -std=c11 -fsanitize=address -I%t %S/Inputs/sanitize.c -L%t -lsanitize -Wl,-rpath,%t -o %t/shared
// RUN: not %t/shared 63 2>&1 | FileCheck %s --check-prefix=ADDRESS
//
// RUN: mdh compile %s --emit llvm-ir --sanitize address | FileCheck %s --check-prefix=IR
// RUN: mdh compile %s --emit llvm-ir --sanitize thread | FileCheck %s --check-prefix=IR-THREAD
// IR: define internal void @twice{{.*}} #[[ATTRIBUTES:[0-9]+]]
// IR: call void @__asan_report_load
// IR: attributes #[[ATTRIBUTES]] = {{.*}} sanitize_address
// IR-THREAD: define internal void @twice{{.*}} #[[ATTRIBUTES:[0-9]+]]
// IR-THREAD: call void @__tsan_read
// IR-THREAD: attributes #[[ATTRIBUTES]] = {{.*}} sanitize_thread
//
// RUN: not mdh compile %s --emit llvm --sanitize address 2>&1 | FileCheck %s --check-prefix=STAGE
// STAGE: error: --sanitize requires --emit llvm-ir, assembly, object or shared, but got 'llvm'
// CHECK: doubled: 126

func.func @twice(%v: memref<64xf32>, %w: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    %x = memref.load %v[%i] : memref<64xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %w[%i] : memref<64xf32>
  }
  return
}

// All threads write the same element.
func.func @race(%v: memref<64xf32>, %w: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    %x = memref.load %v[%i] : memref<64xf32>
    memref.store %x, %w[%c0] : memref<64xf32>
  }
  return
}
